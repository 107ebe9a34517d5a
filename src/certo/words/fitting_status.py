"""Why a regression or a density stopped fitting, and what is proved about it, for `status_`."""

from __future__ import annotations

from typing import Any

from certo.certificates.density.likelihood_gap import LikelihoodGap
from certo.certificates.encoding import counted
from certo.numbers.decimals import rounded_down, rounded_up
from certo.stop import Stop
from certo.words.status import REASONS, stop_reason

MAX_NAMES_SHOWN = 5

UNDECIDED = (
    "Whether an estimate exists is not decided; more time may decide it (existence_time_limit, "
    "decide_existence)."
)
NOT_AN_ESTIMATE = (
    "The weights are not an estimate: the likelihood rises for ever along a direction. Drop or "
    "merge such columns, or set ridge > 0."
)
RIDGE_BIAS = "a ridge adds a bias that the data cannot estimate"
SOLVED_BY = {
    "cholesky": "by the normal equations (Cholesky)",
    "qr": "by an orthogonal factorisation of the rows (QR)",
    "dual": "by a system as large as the number of rows",
    "lsqr": "by LSQR",
}


def columns_have(count: int) -> str:
    return "The column has" if count == 1 else f"The {count:,} columns have"


def logistic_status(machine: Any, found: Any, why_none: str) -> str:
    """Of a `Fitted` logistic regression; `why_none`: why no estimate exists, if it is known."""
    said = f"{_why_stopped(machine, found)}: {_logistic_worth(machine, found)}."
    if found.separation is not None:
        instead = NOT_AN_ESTIMATE
        if found.problem.ridge:
            instead = (
                f"The weights are those of ridge = {found.problem.ridge:.6g}, which on_separation="
                "'ridge' takes instead of 0; set ridge to choose another."
            )
        return f"{why_none} {said} {instead}"
    if found.exists is None:
        said = f"{said} {UNDECIDED}"
    if not found.basis.combinations or found.dropped:
        return said
    nearly, like, also = "", "", "."
    if found.near:
        nearly, like = " nearly, not exactly", " nearly"
        also = "; very large ones might use what is left. Drop columns that repeat others."
    return (
        f"{said} {columns_have(found.problem.X.shape[1])} rank {found.rank}{nearly}: many "
        f"coefficients give{like} the same predictions, and the shortest of them are returned{also}"
    )


def now_decided(status: str, why_none: str) -> str:
    """The status of a fit that left it open whether an estimate exists, once that is decided:
    there is none, and why, or (empty) there is one."""
    decided = f"{why_none} {NOT_AN_ESTIMATE}" if why_none else "An estimate exists."
    return status.replace(UNDECIDED, decided)


def _why_stopped(machine: Any, found: Any) -> str:
    if found.gap <= machine.tol:
        return "Converged"
    match found.stop:
        case Stop.RISK_THRESHOLD:
            return f"Stopped at the risk threshold of {machine.risk_threshold!r}"
        case Stop.DIVERGED:
            return "Newton's method diverged, as it may where steps are not damped"
        case Stop.CONVERGED | Stop.RUNS_AWAY:  # A proof to tol would need more digits.
            return REASONS[Stop.NO_PROGRESS]
    return stop_reason(found.stop, machine.max_iter, "Newton steps", machine.time_limit)


def _logistic_worth(machine: Any, found: Any) -> str:
    ridge = found.problem.ridge
    what = "the penalised mean loss" if ridge else "the mean loss"
    least = "the smallest" if found.exists or ridge else "its infimum"
    if not (found.gap <= machine.tol or found.settled):
        return f"nothing is proved about how near {what} is to {least}"
    shown = rounded_up(found.gap, 2) if found.gap > 0 else "0"
    more = "" if found.gap <= machine.tol else f" (more than the tol of {machine.tol:g})"
    if not (found.exists or ridge):
        least += f" {rounded_down(found.infimum)}"
        if found.exists is False and not found.near:
            least += ", a limit that no coefficients reach"
    if found.near:  # The infimum is proved of some coefficients alone.
        count, reach = found.excess.nearly.size, float(found.excess.reach or 0.0)
        kind = "a combination" if count == 1 else "combinations"
        least += (
            f" among coefficients of which those of {counted(count, 'column')}, nearly {kind} of "
            f"others, differ from these by at most {rounded_down(reach, 2)} in all; whether "
            "others have less is not known"
        )
    exists = "the estimate exists, and " if found.exists and not ridge else ""
    return f"{exists}{what} is proved to be within {shown}{more} of {least}"


def least_squares_status(machine: Any, stop: Stop, exact_outputs: Any) -> str:
    """How a `LeastSquares` was solved, and what is proved about the answer; `exact_outputs` are the
    outputs that are fitted exactly, None if it is the only one."""
    said = f"Solved {SOLVED_BY[machine.method_]}, condition number about {machine.condition_:.2g}."
    d, rank = machine.n_features_in_, machine.rank_
    if rank is not None:
        many = ""
        if rank < d:
            exact = any(claim.combinations for claim in machine.certificate_)
            within = "" if exact else ", up to rounding"
            many = f"{within}: many coefficients give the same predictions{within}, and the "
            many += "shortest of them are returned"
        said += f" {columns_have(d)} rank {rank}{many}."
    early = {Stop.BY_HAND: "by hand", Stop.MAX_ITER: "at the limit of iterations"}.get(stop)
    said = " ".join([said, *exactly_fitted(exact_outputs)])
    return f"Stopped {early}: see certificate_. {said}" if early else said


def exactly_fitted(outputs: Any) -> tuple[str, ...]:
    """That these outputs are (None: the only one is) fitted exactly, if there are any."""
    if outputs is not None and not len(outputs):
        return ()
    of = ""
    if outputs is not None:
        names = [f"y{k}" for k in outputs[:MAX_NAMES_SHOWN]]
        of = f" of {', '.join(names + ['…'] * (len(outputs) > MAX_NAMES_SHOWN))}"
    return (
        f"The fit{of} is exact up to rounding: what is left says nothing about errors, so that "
        "standard errors, tests and intervals are not given.",
    )


def density_worth(claim: LikelihoodGap) -> str:
    """What is proved about a density of maximum likelihood."""
    return (
        f"a mean −log p of at most {rounded_up(claim.risk)}, and it is proved that no density of "
        f"this form has one that is smaller by more than {rounded_up(claim.excess, 2)}"
    )


def log_linear_status(machine: Any, stop: Stop, claim: Any) -> str:
    """Of a `LogLinearDensity` with this claim, or with the reason why there is none."""
    proved = isinstance(claim, LikelihoodGap)
    why = {
        Stop.CONVERGED: "Maximum likelihood" if proved else "Newton's method came to its end",
        Stop.TOO_SHARP: "Stopped where the density became too sharp to be integrated: there may "
        "be no likeliest one",
        Stop.SINGULAR: "Stopped where the density became so sharp that float64 does not tell its "
        "features apart: there may be no likeliest one",
    }.get(stop) or stop_reason(stop, machine.max_iter, "steps")
    if proved:
        return f"{why}: {density_worth(claim)}."
    return f"{why}, with a mean −log p of {machine.risk_:.6g}. Not proved: {claim.reason}"
