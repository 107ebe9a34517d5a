"""Runs of online algorithms, in words."""

from __future__ import annotations

from fractions import Fraction

from certo.certificates.encoding import counted, readable, rounded_down, rounded_up
from certo.certificates.runs.expected_excess import ExpectedExcess
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.certificates.runs.regret import Regret
from certo.numbers import exact
from certo.words.dispatch import RIGOUR, Rigour, assumptions, plainly, sentence
from certo.words.spaces import of_functions, where

RIGOUR[MistakeBound] = Rigour(
    exact=(
        "The number of steps, and of vectors the margin and the longest example; the largest "
        "number that the inequality of the theorem allows."
    ),
    rounded=(
        "That the steps lead to these weights: up to the rounding of as many additions. The "
        "lengths, and what the comparator falls short by, rounded up. With a kernel: sums of its "
        "values, by the error that it states for each of them."
    ),
)


@sentence.register
def _(claim: MistakeBound) -> str:
    told = f"{claim.labels.shown} against {claim.labels.rest}: "
    on = f"on {claim.rows.size:,} of {counted(claim.examples, 'example')}, "
    return told + (_of_hyperplanes(claim, on) if claim.space.kernel is None else _of(claim, on))


def _of_hyperplanes(claim: MistakeBound, on: str) -> str:
    steps = (
        counted(claim.updates, "update")
        if claim.sums.constant is not None
        else f"steps whose rates add up to those of {counted(claim.updates, 'update')}"
    )
    made = (
        f"{steps}, {on}lead from the start to "
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
            f"{rounded_up(exact.root_above(Fraction(claim.radius2)))}.{enough}"
        )
    return made + (
        "The mistake bound for examples that are not separated allows a run with these steps "
        f"no more than {claim.bound:,}; it compares them with a hyperplane that may fall short "
        f"of a margin of {rounded_up(claim.target)}."
    )


def _of(claim: MistakeBound, on: str) -> str:
    """The same of functions of a kernel's space, where the rate is constant."""
    space = where(claim.space) + " and the constants" * claim.lifted
    made = f"{counted(claim.updates, 'mistake')}, {on}add up to this function of {space}. "
    if claim.bound is None:
        return made + "No limit is claimed."
    if claim.separable:
        return made + (
            "No run of the kernel perceptron on these examples, in any order, makes more than "
            f"{claim.bound:,}: some function of length 1 has a margin of at least "
            f"{rounded_down(margin(claim))}, and no example a K(x, x) above "
            f"{rounded_up(claim.radius2)}."
        )
    return made + (
        "The mistake bound for examples that are not separated allows a run with these "
        f"mistakes no more than {claim.bound:,}; it compares it with a function that may fall "
        f"short of a margin of {rounded_up(claim.target)}."
    )


@plainly.register
def _(claim: MistakeBound) -> str:
    noun, reached = "correction", f"led to {boundary(claim)}"
    if claim.space.kernel is not None:
        noun, reached = "mistake", "make this function"
    made = f"{counted(claim.updates, noun)}, added up, {reached}"
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
    if not claim.comparator_norm:
        return claim.target
    return exact.below(Fraction(claim.target) / Fraction(claim.comparator_norm))


@assumptions.register
def _(claim: MistakeBound) -> tuple[str, ...]:
    limit = "the limit is that of mistakes in exact arithmetic; the run was in float64"
    return (*of_functions(claim), *((limit,) if claim.bound is not None else ()))


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
        f"{rounded_up(claim.objective)} for {found} at most X/λ long, like all iterates of "
        "Pegasos, X being the length of the longest example. The average of "
        f"{counted(claim.steps, 'step')}, over all draws, is expected to exceed the least F by at "
        f"most {rounded_up(claim.bound, 4)}{helps}."
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


RIGOUR[Regret] = Rigour(
    exact="The run is repeated bit for bit, and the regret compared with the bound.",
    rounded=(
        "Both sums of losses are computed again in float64, and compared within proved "
        "allowances; the bound is rounded up."
    ),
)


@sentence.register
def _(claim: Regret) -> str:
    run = claim.run
    ball = f" in the ball of radius {run.radius!r}" if run.radius is not None else ""
    answer = "the average of its weights is this one" if run.average else "it ends here"
    return (
        f"{claim.labels.shown} against {claim.labels.rest}: going once over these "
        f"{counted(claim.examples, 'example')}, in this order, online gradient descent with "
        f"{run.loss}, λ = {run.lam!r}{ball} suffers a loss of about {readable(claim.suffered)} "
        f"in all, with the scores that float64 gave, and {answer}. The fixed weights it is "
        f"compared with suffer about {readable(claim.comparator_loss)}; against no fixed "
        f"weights{ball} does the theorem allow a regret above {rounded_up(claim.bound)}."
    )


@plainly.register
def _(claim: Regret) -> str:
    limited = "" if claim.run.radius is None else " of limited size"
    return (
        f"Learning while predicting, in this order, cost about {readable(claim.suffered)} in "
        f"all; a theorem allows no fixed rule{limited} to have cost less than that by more "
        f"than {rounded_up(claim.bound)}."
    )


@assumptions.register
def _(claim: Regret) -> tuple[str, ...]:
    return ("the limit for all fixed weights is one of exact arithmetic; the run was in float64",)
