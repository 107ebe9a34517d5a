"""ExpectedExcess in words."""

from __future__ import annotations

from certo.certificates.encoding import counted, rounded_up
from certo.certificates.runs.expected_excess import ExpectedExcess
from certo.words.dispatch import RIGOUR, Rigour, assumptions, plainly, sentence
from certo.words.spaces.space import of_functions, where

RIGOUR[ExpectedExcess] = Rigour(
    exact=(
        "The longest example and the length of short weights; the formula, to fifty digits and "
        "rounded up."
    ),
    rounded=(
        "The objective, rounded up. With a kernel: sums of its values, by the error that it states "
        "for each of them."
    ),
    statistical=(
        "The excess is an expectation over the draws of the run; that they were made so is assumed."
    ),
)


@sentence.register
def _(claim: ExpectedExcess) -> str:
    risk, found, nothing = "F(w) = mean hinge loss + (λ/2)‖w‖²", "these weights, and they are", "w"
    if claim.space.kernel is not None:
        penalty = "(λ/2)(‖f‖² + b²)" if claim.lifted else "(λ/2)‖f‖²"
        risk, nothing = f"F = mean hinge loss + {penalty}", "f"
        found = f"this function of {where(claim.space)}, and it is"
    helps = "" if claim.informative else f", which is no better than what {nothing} = 0 has"
    return (
        f"{claim.labels.shown} against {claim.labels.rest}: on these "
        f"{counted(claim.examples, 'example')} {risk}, with λ = {claim.lam!r}, is at most "
        f"{rounded_up(claim.objective)} for {found} no longer than X/λ, like all iterates of "
        f"Pegasos. The average of {counted(claim.steps, 'step')} of Pegasos, over all its "
        f"draws, is expected to exceed the least F by at most {rounded_up(claim.bound, 4)}"
        f"{helps}."
    )


@plainly.register
def _(claim: ExpectedExcess) -> str:
    weak = "" if claim.informative else ", which is no better than what scores of 0 have"
    return (
        "Run like this, the method is expected to end within "
        f"{rounded_up(claim.bound, 4)} of the least possible value of what it minimises on "
        f"these {counted(claim.examples, 'example')}, on average over its random draws{weak}."
    )


@assumptions.register
def _(claim: ExpectedExcess) -> tuple[str, ...]:
    found = "the weights are" if claim.space.kernel is None else "the function is"
    return (
        *of_functions(claim),
        "each step drew one of these examples uniformly, whatever was drawn before",
        f"{found} the average of the iterates of that many steps, a number set before",
        "the guarantee is one of exact arithmetic; the run was in float64",
    )
