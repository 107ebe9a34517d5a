"""Why a fit ended, and what is proved about the answer, in a sentence or two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from certo.certificates.encoding import counted
from certo.numbers.decimals import readable, rounded_down, rounded_up
from certo.stop import Stop

REASONS = {
    Stop.BY_HAND: "Stopped by hand",
    Stop.CALLBACK: "Stopped by a callback",
    Stop.NO_PROGRESS: "Stopped because float64 allows no further progress",
    Stop.TIME_LIMIT: "Stopped at the time limit",
}
VACUOUS_RELATIVE_GAP = 0.995  # A relative gap from which on it would be shown as 1.


def stop_reason(stop: Stop, most: int, unit: str, seconds: float | None = None) -> str:
    """'Stopped at max_iter = 1,000 passes over the examples'; the numbers are the limits."""
    if stop is Stop.TIME_LIMIT:
        return f"Stopped at the time limit of {seconds:g} seconds"
    if stop is Stop.MAX_ITER:
        return f"Stopped at max_iter = {most:,} {unit}"
    return REASONS[stop]


def still_mistaken(machine: str, epochs: int) -> str:
    """The warning of a run that made mistakes in every epoch."""
    return (
        f"{machine} made mistakes in each of its {epochs:,} epochs, so it did not converge: "
        "status_ says more. More epochs help where a hyperplane separates the examples. To switch "
        'this warning off: warnings.simplefilter("ignore", sklearn.exceptions.ConvergenceWarning).'
    )


def gap_status(reason: str, gap: float, tol: float, thing: str, best: str) -> str:
    """Of a fit to a proved relative gap: that `thing` is `best`, the objective smallest, say. The
    reason is empty where the gap is at most tol."""
    shown = rounded_up(gap, 2) if 0 < gap < float("inf") else "0"
    worth = f"{thing} is proved to be {best} up to a relative gap of {shown}"
    if not reason:
        return f"Converged: {worth}."
    if not gap < VACUOUS_RELATIVE_GAP:
        best = best if best.startswith("the ") else f"the {best}"
        return f"{reason}: nothing is proved about how near {thing} is to {best}."
    return f"{reason}: {worth}, more than the tol of {tol:g}."


ONE_CLASS = "There is one class alone: w* = 0, and the free intercept has it on one side."
CROWDED = (
    " Nearly all examples are supports, which suggests that the variance (or C) is too small: "
    "certo curve or certo.compare_kernels compares variances."
)


def large_kernel(kernel: Any, square: float) -> str:
    """Why float64 has few digits left: K(x, x) is as large as `square`."""
    advice = ": scale the features" if kernel.takes == "vectors" else ""
    if hasattr(kernel, "degree"):
        advice += f", or give Polynomial({kernel.degree}, scale=…)"
    return f" (K(x, x) reaches {square:.1g}{advice})"


def steps_status(stop: Stop, steps: int, bounds: Sequence[float], refusal: str) -> str:
    """Of a run of random steps: what is expected of it, or why there is no guarantee."""
    taken = counted(steps, "step")
    if stop is not Stop.MAX_ITER:
        return f"{REASONS[stop]} after {taken}: nothing is proved about the answer."
    if refusal:
        return f"Took {taken}. No guarantee: {refusal}"
    most = rounded_up(max(bounds), 4)
    vacuous = " (vacuous: that of 0 exceeds it by no more than 1)" if max(bounds) >= 1 else ""
    return f"Took {taken}: F is expected to exceed its minimum by at most {most}{vacuous}."


def rounds_status(stop: Stop, rounds: int, regret: float, in_ball: bool) -> str:
    """Of a run of online steps: what it suffered, a round, beyond any fixed weights."""
    went = "Went through" if stop is Stop.MAX_ITER else f"{REASONS[stop]} after"
    return (
        f"{went} {counted(rounds, 'round')}: the loss suffered exceeds that of any fixed weights"
        f"{' in the ball' * in_ball} by at most {rounded_up(regret, 3)} a round."
    )


def neurons_status(stop: Stop, outcomes: Sequence[Any], streamed: bool) -> str:
    """Of a layer of neurons, each with its `converged`, `epochs`, `updates` and `trace`."""
    if stop not in (Stop.CONVERGED, Stop.MAX_ITER):
        return (
            f"{REASONS[stop]}. The weights are those at that moment; the certificate says "
            "what is proved about them."
        )
    if streamed:
        made = counted(sum(outcome.updates for outcome in outcomes), "update")
        batch = counted(len(outcomes[0].counts), "example")
        return f"One pass over a batch of {batch} made {made}."
    several, count = len(outcomes) > 1, len(outcomes)
    left = [outcome for outcome in outcomes if not outcome.converged]
    if not left:
        who = f"All {count} neurons converged" if several else "Converged"
        after = counted(max(outcome.epochs for outcome in outcomes), "epoch")
        return f"{who}: after {after} no example leads to an update any more."
    last = sum(int(outcome.trace.epoch_updates[-1]) for outcome in left)
    who = f"{len(left)} of {count} neurons did not converge" if several else "Not converged"
    run = counted(left[0].epochs, "epoch")
    return f"{who}: {run} made, and the last still had {counted(last, 'update')}."


def mistakes_status(stop: Stop, outcomes: Sequence[Any], examples: int) -> str:
    """Of functions that grow with their mistakes, each with its `epochs`, `updates`, `trace`."""
    if stop not in (Stop.CONVERGED, Stop.MAX_ITER):
        return f"{REASONS[stop]}. The function is the one at that moment."
    epochs = counted(max(outcome.epochs for outcome in outcomes), "epoch")
    if stop is Stop.CONVERGED:
        return f"Converged: after {epochs} no example leads to a mistake any more."
    last = sum(int(outcome.trace.epoch_updates[-1]) for outcome in outcomes)
    made = counted(sum(outcome.updates for outcome in outcomes), "mistake")
    ended = "" if epochs == "1 epoch" else f", {last:,} of them in the last"
    return f"{epochs} over {counted(examples, 'example')} made {made}{ended}."


def fewest_errors_status(
    machine: Any, stop: Stop, weighted: bool, errors_at_zero: int, rounded: int = 0
) -> str:
    """The status of a fitted `MinDisagreement`. `weighted`: errors have weights; `errors_at_zero`:
    how many of them have a score of exactly zero, and are predicted right; `rounded`: in how many
    columns whole numbers were scaled and rounded."""
    which = "hyperplane" if machine.intercept == "free" else "hyperplane through the origin"
    if weighted:
        has = f"errors of a weight of at most {rounded_up(float(machine.errors_))}"
        bound = rounded_down(float(machine.lower_bound_))
        fewer, least = f"errors of a weight below {bound}", f"errors of a weight of {bound}"
    else:
        has = counted(machine.errors_, "error")
        least = counted(machine.lower_bound_, "error")
        fewer = f"fewer than {least}"
    worth = f"{has}, and it is proved that no {which} makes {fewer}"
    if machine.optimal_:
        none_better = f"those of no {which} weigh less" if weighted else f"no {which} makes fewer"
        said = f"Optimal: {has}, and it is proved that {none_better}."
        if machine.errors_ != machine.lower_bound_:
            said = f"Optimal to nine digits: {worth}."
        if len(machine.classes_) == 1 and not machine.errors_:
            said = "There is only one class: a hyperplane has all of it on one side. " + said
        if machine.answer_ is not None:
            said += f" At most {readable(machine.target)}? {machine.answer_.capitalize()}."
    elif machine.answer_ == "yes":
        said = f"Yes: {has}, no more than the target of {readable(machine.target)}."
    elif machine.answer_ == "no":
        said = f"No: every {which} makes at least {least}; this one makes {has}."
    else:
        early = {
            Stop.BY_HAND: "by hand",
            Stop.CALLBACK: "by a callback",
            Stop.TIME_LIMIT: f"at the time limit of {machine.time_limit or 0:g} seconds",
        }.get(stop, "where float64 is too coarse to continue")
        said = f"Stopped {early}: {worth}."
    if machine.answer_ == "undecided":
        said += f" So the target of {readable(machine.target)} is neither reached nor excluded."
    if rounded:
        said += (
            f" But for rounding, {counted(rounded, 'column')} of X would be whole numbers times a "
            "step plus a constant (decimals would, and whole numbers after StandardScaler). "
            "Rounding breaks ties between examples, and more may be proved from the whole numbers."
        )
    if errors_at_zero:
        said += (
            f" Of the errors {errors_at_zero:,} have a score of exactly zero, which is predicted "
            "to be positive, as they are."
        )
    return said


AVERAGED = " The answer is the average of the weights of all looks at examples."
SEARCH_CUT_SHORT = (
    " The mistake bound compares the run with the best function found with an effort like that of "
    "the run; mistake_bound(X, y, machine) compares it with that of any machine."
)


def undecided(question: str, stop: Stop, time_limit: float | None, found: int) -> str:
    """What is said of a question that was not decided before somebody wished to stop."""
    when = "at Ctrl-C" if stop is Stop.BY_HAND else f"within the limit of {time_limit or 0:g} s"
    some = f" {found:,} of its verdicts were: they are in `verdicts`." if found else ""
    return f"{question} was not decided {when}.{some} More time may decide it."
