"""Runs of online algorithms, in words."""

from __future__ import annotations

from fractions import Fraction

from certo.certificates.encoding import counted
from certo.certificates.runs.expected_excess import ExpectedExcess
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.certificates.runs.regret import Regret
from certo.numbers import exact
from certo.numbers.decimals import readable, rounded_down, rounded_up
from certo.words.dispatch import Words, writes
from certo.words.labels import against
from certo.words.phrases import examples_of, functions_are_kernels, space_of


@writes(
    MistakeBound,
    exact="The number of steps, and of vectors the margin and the longest example; the largest "
    "number that the inequality of the theorem allows.",
    rounded="That the steps lead to these weights: up to the rounding of as many additions. The "
    "lengths, and what the comparator falls short by, rounded up. With a kernel: sums of its "
    "values, by the error that it states for each of them.",
)
def _mistake_bound(claim: MistakeBound) -> Words:
    on = f"on {claim.rows.size:,} of {examples_of(claim)}, "
    if claim.space.kernel is None:
        sentence = _of_hyperplanes(claim, on)
        boundary = "the last boundary of the run" if claim.averaged else "this boundary"
        made = f"{counted(claim.updates, 'correction')}, added up, led to {boundary}"
    else:
        sentence = _of_functions(claim, on)
        made = f"{counted(claim.updates, 'mistake')}, added up, make this function"
    limit: tuple[str, ...] = ()
    if claim.bound is None:
        plain = f"{made}; no limit to their number is claimed."
    else:
        limit = ("the limit is that of mistakes in exact arithmetic; the run was in float64",)
        plain = f"{made}, and a theorem allows a run with these steps no more than {claim.bound:,}."
        if claim.separable:
            plain = (
                f"{made}, and a theorem allows no run with these settings more than "
                f"{claim.bound:,}, in whatever order the examples come."
            )
    assumes = (*functions_are_kernels(claim), *limit)
    return Words(f"{against(claim.labels)}: {sentence}", plain, assumes)


def _of_hyperplanes(claim: MistakeBound, on: str) -> str:
    steps = (
        counted(claim.updates, "update")
        if claim.sums.constant is not None
        else f"steps whose rates add up to those of {counted(claim.updates, 'update')}"
    )
    if claim.sums.shards:
        steps += f", each of weight 1/{claim.sums.shards:,} since the run was on as many shards"
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
            "The convergence theorem allows no run from this start with this learning rate"
            f"{_on_shards(claim)}, in any order, more than {claim.bound:,}: some separator of "
            f"length 1 has a margin of at least {rounded_down(_margin(claim))}, and no example is "
            f"longer than {rounded_up(exact.root_above(Fraction(claim.radius2)))}.{enough}"
        )
    return made + _of_inseparable(claim, "steps", "them with a hyperplane")


def _on_shards(claim: MistakeBound) -> str:
    return f" on {claim.sums.shards:,} shards" if claim.sums.shards else ""


def _of_functions(claim: MistakeBound, on: str) -> str:
    """The same of functions of a kernel's space, where the rate is constant."""
    space = space_of(claim.space) + " and the constants" * claim.lifted
    made = f"{counted(claim.updates, 'mistake')}, {on}add up to this function of {space}. "
    if claim.bound is None:
        return made + "No limit is claimed."
    if claim.separable:
        return made + (
            "No run of the kernel perceptron on these examples, in any order, makes more than "
            f"{claim.bound:,}: some function of length 1 has a margin of at least "
            f"{rounded_down(_margin(claim))}, and no example a K(x, x) above "
            f"{rounded_up(claim.radius2)}."
        )
    return made + _of_inseparable(claim, "mistakes", "it with a function")


def _of_inseparable(claim: MistakeBound, steps: str, compared: str) -> str:
    return (
        f"The mistake bound for examples that are not separated allows a run with these {steps} no "
        f"more than {claim.bound:,}; it compares {compared} that may fall short of a margin of "
        f"{rounded_up(claim.target)}."
    )


def _margin(claim: MistakeBound) -> float:
    """ρ/‖u‖, rounded down."""
    if not claim.comparator_norm:
        return claim.target
    return exact.below(Fraction(claim.target) / Fraction(claim.comparator_norm))


@writes(
    ExpectedExcess,
    exact="The longest example and the length of short weights; the formula, to fifty digits and "
    "rounded up.",
    rounded="The objective, rounded up. With a kernel: sums of its values, by the error that it "
    "states for each of them.",
    statistical="The excess is an expectation over the draws of the run; that they were made so is "
    "assumed.",
)
def _expected_excess(claim: ExpectedExcess) -> Words:
    risk, nothing, average = "F(w) = mean hinge loss + (λ/2)‖w‖²", "w = 0", "the weights are"
    found = "these weights, and they are"
    if claim.space.kernel is not None:
        penalty = "(λ/2)(‖f‖² + b²)" if claim.lifted else "(λ/2)‖f‖²"
        risk, nothing, average = f"F = mean hinge loss + {penalty}", "f = 0", "the function is"
        found = f"this function of {space_of(claim.space)}, and it is"
    than_zero = than_scores = ""
    if not claim.informative:
        than_zero = f": vacuous, since {nothing} has an F of 1"
        than_scores = ": vacuous, since scores of 0 are as near"
    most, m = rounded_up(claim.bound, 4), examples_of(claim)
    return Words(
        f"{against(claim.labels)}: on these {m} {risk}, with λ = {claim.lam!r}, is at most "
        f"{rounded_up(claim.objective)} for {found} at most X/λ long, like all iterates of "
        "Pegasos, X being the length of the longest example. The average of "
        f"{counted(claim.steps, 'step')}, over all draws, is expected to exceed the least F by at "
        f"most {most}{than_zero}.",
        f"Run like this, the method is expected to end within {most} of the least possible value "
        f"of what it minimises on these {m}, on average over its random draws"
        f"{than_scores}.",
        (
            *functions_are_kernels(claim),
            "each step drew one of these examples uniformly, whatever was drawn before",
            f"{average} the average of the iterates of that many steps, a number set before",
            "the guarantee is one of exact arithmetic; the run was in float64",
        ),
    )


@writes(
    Regret,
    exact="The run is repeated bit for bit, and the regret compared with the bound.",
    rounded="Both sums of losses are computed again in float64, and compared within proved "
    "allowances; the bound is rounded up.",
)
def _regret(claim: Regret) -> Words:
    run, suffered, most = claim.run, readable(claim.suffered), rounded_up(claim.bound)
    ball, limited = "", ""
    if run.radius is not None:
        ball, limited = f" in the ball of radius {run.radius!r}", " of limited size"
    answer = "the average of its weights is this one" if run.average else "it ends here"
    vacuous = "" if claim.informative else ": vacuous, since weights of 0 suffer no more than that"
    nothing = "" if claim.informative else ": vacuous, since scores of 0 cost no more than that"
    return Words(
        f"{against(claim.labels)}: going once over these {examples_of(claim)}, in this order, "
        f"online gradient descent with {run.loss}, λ = {run.lam!r}{ball} suffers a loss of about "
        f"{suffered} in all, with the scores that float64 gave, and {answer}. The fixed weights it "
        f"is compared with suffer about {readable(claim.comparator_loss)}; against no fixed "
        f"weights{ball} does the theorem allow a regret above {most}{vacuous}.",
        f"Learning while predicting, in this order, cost about {suffered} in all; a theorem allows "
        f"no fixed rule{limited} to have cost less than that by more than {most}{nothing}.",
        ("the limit for all fixed weights is one of exact arithmetic; the run was in float64",),
    )
