"""MistakeBound in words."""

from __future__ import annotations

import math
from fractions import Fraction

from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.numbers import exact
from certo.words.dispatch import RIGOUR, Rigour, assumptions, plainly, sentence

RIGOUR[MistakeBound] = Rigour(
    exact=(
        "The number of steps, the margin and the longest example; the largest number that the "
        "inequality of the theorem allows."
    ),
    rounded=(
        "That the steps lead to these weights: up to the rounding of as many additions. The "
        "lengths, and what the comparator falls short by, rounded up."
    ),
)


@sentence.register
def _(claim: MistakeBound) -> str:
    steps = (
        counted(claim.updates, "update")
        if claim.sums.constant is not None
        else f"steps whose rates add up to those of {counted(claim.updates, 'update')}"
    )
    made = (
        f"{claim.labels.shown} against {claim.labels.rest}: {steps}, on {claim.rows.size:,} of "
        f"{counted(claim.examples, 'example')}, lead from the start to "
        f"{'the last weights of the run' if claim.averaged else 'these weights'} (up to float64 "
        "rounding). "
    )
    if claim.bound is None:
        return made + "No limit is claimed, since the learning rate may set none."
    if claim.separable:
        enough = f" So {claim.bound + 1:,} epochs are always enough." * (claim.bound < 10**6)
        return made + (
            "The convergence theorem allows no run from this start with this learning rate, in "
            f"any order, more than {claim.bound:,}: some separator of length 1 has a margin of "
            f"at least {rounded_down(margin(claim))}, and no example is longer than "
            f"{rounded_up(radius(claim))}.{enough}"
        )
    return made + (
        "The mistake bound for examples that are not separated allows a run with these steps "
        f"no more than {claim.bound:,}; it compares them with a hyperplane that may fall short "
        f"of a margin of {rounded_up(claim.target)}."
    )


@plainly.register
def _(claim: MistakeBound) -> str:
    made = f"{counted(claim.updates, 'correction')}, added up, led to {boundary(claim)}"
    if claim.bound is None:
        return f"{made}; no limit to their number is claimed."
    if claim.separable:
        return (
            f"{made}, and a theorem allows no run with these settings more than "
            f"{claim.bound:,}, in whatever order the examples come."
        )
    return f"{made}, and a theorem allows a run with these steps no more than {claim.bound:,}."


def boundary(claim: MistakeBound) -> str:
    return "the last boundary of the run" if claim.averaged else "this boundary"


def margin(claim: MistakeBound) -> float:
    """ρ/‖u‖, rounded down."""
    length = exact.root_above(exact.dot_within(claim._u, claim._u)[1])
    return exact.below(Fraction(claim.target) / Fraction(length)) if length < math.inf else 0.0


def radius(claim: MistakeBound) -> float:
    return exact.root_above(Fraction(claim.radius2))


@assumptions.register
def _(claim: MistakeBound) -> tuple[str, ...]:
    if claim.bound is None:
        return ()
    return ("the limit is that of mistakes in exact arithmetic; the run was in float64",)
