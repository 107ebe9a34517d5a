"""What a logistic regression says of itself: why it stopped, and what the answer is worth."""

from __future__ import annotations

from collections.abc import Sequence

from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.regression.no_estimate import NoEstimate
from certo.estimators._logistic import Fitted
from certo.estimators._logistic_problem import Problem
from certo.solvers.recession import Recession
from certo.words.separating_columns import separating_columns

UNDECIDED = (
    "Whether an estimate exists is not decided; more time may decide it (existence_time_limit, "
    "decide_existence)."
)
EXISTS = "An estimate exists."
NOT_AN_ESTIMATE = (
    "The weights are not an estimate: the likelihood rises for ever along a direction. Drop or "
    "merge such columns, or set ridge > 0."
)


class SeparationWarning(UserWarning):
    """No estimate exists: a direction separates classes, at least in part."""


class Separated(ValueError):
    """No estimate exists, since a direction separates classes; `proof` is a `NoEstimate` of it, or
    None if its fractions are too long for one."""

    def __init__(self, message: str, proof: NoEstimate | None):
        super().__init__(message)
        self.proof = proof

    def __reduce__(self):
        return type(self), (str(self), self.proof)


def why_none(problem: Problem, found: Recession, names: Sequence[str]) -> str:
    return f"No estimate exists: {separating_columns(found, names, problem.classes.tolist())}."


def status(machine, found: Fitted, names: Sequence[str], early: str) -> str:
    """Why it stopped, and what the answer is worth."""
    said = f"{_why(machine, found, early)}: {_worth(machine, found)}."
    if found.separation is not None:
        why = why_none(found.problem, found.separation, names)
        return f"{why} {said} {_instead(machine, found)}"
    if found.exists is None:
        said = f"{said} {UNDECIDED}"
    if found.basis.combinations and not found.dropped:
        d, rank = found.problem.X.shape[1], found.rank
        columns = "column has" if d == 1 else f"{d:,} columns have"
        said += (
            f" The {columns} rank {rank} nearly, not exactly: many coefficients give nearly "
            "the same predictions, and the shortest of them are returned; very large ones might "
            "use what is left. Drop columns that repeat others."
            if found.near
            else f" The {columns} rank {rank}: many coefficients give the same predictions, "
            "and the shortest of them are returned."
        )
    return said


def _why(machine, found: Fitted, early: str) -> str:
    if found.gap <= machine.tol:
        return "Converged"
    return {
        "threshold": f"Stopped at the risk threshold of {machine.risk_threshold!r}",
        "iterations": f"Stopped after {counted(int(machine.max_iter), 'Newton step')}",
        "interrupted": f"Stopped {early}",
        "diverged": "Newton's method diverged, as it may where steps are not damped",
    }.get(found.stopped, "Stopped because float64 allows no further progress")


def _worth(machine, found: Fitted) -> str:
    what = "the penalised mean loss" if found.problem.ridge else "the mean loss"
    least = "the smallest" if found.exists or found.problem.ridge else "its infimum"
    if not (found.gap <= machine.tol or found.settled):
        return f"nothing is proved about how near {what} is to {least}"
    shown = rounded_up(found.gap, 2) if found.gap > 0 else "0"
    more = "" if found.gap <= machine.tol else f" (more than the tol of {machine.tol:g})"
    if least == "its infimum":
        least = f"its infimum {rounded_down(found.infimum)}"
        if found.exists is False and not found.near:
            least += ", a limit that no coefficients reach"
    least += found.near
    exists = "the estimate exists, and " if found.exists and not found.problem.ridge else ""
    return f"{exists}{what} is proved to be within {shown}{more} of {least}"


def now_decided(said: str, why_none: str) -> str:
    """The status of a fit that left it open whether an estimate exists, once that is decided:
    there is none, and why, or (empty) there is one."""
    return said.replace(UNDECIDED, f"{why_none} {NOT_AN_ESTIMATE}" if why_none else EXISTS)


def _instead(machine, found: Fitted) -> str:
    """What the weights are, and what one can do."""
    if found.problem.ridge:
        return (
            f"The weights are those of ridge = {found.problem.ridge:.6g}, which on_separation="
            "'ridge' takes instead of 0; set ridge to choose another."
        )
    return NOT_AN_ESTIMATE
