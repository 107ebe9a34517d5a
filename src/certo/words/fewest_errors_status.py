"""What a search for the fewest errors says of itself: why it stopped, and what is proved."""

from __future__ import annotations

from typing import Any

from certo.certificates.encoding import counted
from certo.numbers.decimals import readable, rounded_down, rounded_up
from certo.stop import Stop


def fewest_errors_status(machine: Any, stop: Stop, weighted: bool, errors_at_zero: int) -> str:
    """The status of a fitted `MinDisagreement`. `weighted`: errors have weights; `errors_at_zero`:
    how many of them have a score of exactly zero, and are predicted right."""
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
    if errors_at_zero:
        said += (
            f" Of the errors {errors_at_zero:,} have a score of exactly zero, which is predicted "
            "to be positive, as they are."
        )
    return said
