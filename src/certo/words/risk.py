"""Bounds on the error rate on new data, in words."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.risk.average_to_batch import AverageToBatch
from certo.certificates.risk.compression_bound import CompressionBound
from certo.certificates.risk.online_to_batch import OnlineToBatch
from certo.certificates.risk.risk_bound import RiskBound
from certo.certificates.risk.support_bound import SupportBound
from certo.certificates.spaces.images import functions_of
from certo.numbers import exact
from certo.numbers.digits import confidence
from certo.words.dispatch import RIGOUR, Rigour, assumptions, condition, plainly, sentence

DRAWN = "the examples are independent draws from one distribution, and new ones are too"
IN_ORDER = "they are visited in the order of their draw, or in one that does not depend on them"
UNTOUCHED = "nothing was fitted on them before (scaling, selection, tuning, choice of settings)"
COMPARED = (
    "nothing was fitted on them before, but that {:,} settings, which had been fixed before, were "
    "compared on them: the bound is corrected for that, by sharing delta among them"
)

SEEDED = "the random seed was chosen without looking at the examples"


def in_plain(claim: RiskBound, whose: str = "", least: float | None = None) -> str:
    """The sentence about new data, and whether the majority class does as well."""
    weak = "" if claim.informative else f" The upper bound is {weaker(claim)}."
    return f"{rate_sentence(claim.delta, claim.best, whose, condition(claim), least)}.{weak}"


def assumed(claim: RiskBound, *more: str) -> tuple[str, ...]:
    """What is assumed of the draw and of the time before the fit, and what else."""
    return (DRAWN, UNTOUCHED if claim.tried == 1 else COMPARED.format(claim.tried), *more)


def if_drawn(claim: RiskBound) -> str:
    """The beginning of what follows for new examples."""
    paid = (
        "" if claim.tried == 1 else f" but the best of {claim.tried:,} settings, corrected for here"
    )
    return (
        f"If these are independent draws and nothing was fitted or tuned on them before{paid}, "
        f"then with probability at least 1 − {claim.delta!r} over their draw"
    )


def bounded(claim: RiskBound, whose: str, of: str = "the") -> str:
    """What follows for new examples, as a claim says it; or that nothing does."""
    if claim.vacuous:
        return (
            f"The bound on {of} error rate that follows is {rounded_up(claim.best, 4)}: vacuous, "
            "since it is not below 1."
        )
    return (
        f"{if_drawn(claim)} the error rate of {whose} on new examples is at most "
        f"{rounded_up(claim.best, 4)}."
    )


def weaker(claim: RiskBound) -> str:
    """What an uninformative bound is weaker than."""
    return (
        "weaker than always answering the majority class, which is wrong on "
        f"{float(100 * claim.majority_error):.3g} % of these examples"
    )


def rate_sentence(
    delta: float, most: float, whose: str = "", where: str = "", least: float | None = None
) -> str:
    """What is said of new data, everywhere in these words: the error rate is bounded, not the
    number of errors among so many new examples; the confidence is that of the draw of the examples.

    >>> rate_sentence(0.05, 0.1105)
    'With 95 % confidence, the error rate on new data from the same population is at most 11.1 %'
    """
    low = "" if least is None else f", and at least {percentage(least, rounded_down)} %"
    return (
        f"With {confidence(delta)} % confidence, the error rate{whose} on new data from the same "
        f"population{where} is at most {percentage(most, rounded_up)} %{low}"
    )


def percentage(rate: float, rounded: Callable[[float, int], str]) -> str:
    """A rate in percent, to three digits, rounded as wanted."""
    exactly = 100 * Fraction(rate)
    return rounded(exact.above(exactly) if rounded is rounded_up else exact.below(exactly), 3)


RIGOUR[CompressionBound] = Rigour(
    exact=(
        "The run of perceptrons on the updated examples, bit for bit; of a kernel perceptron its "
        "steps, which are integers; the errors of a single output on the others; the printed "
        "formula, to fifty digits and rounded up."
    ),
    rounded=(
        "What several outputs or a kernel are not shown to get right beyond rounding counts as an "
        "error; with a kernel, every decision of the re-run is certain beyond the proved allowance "
        "of its score. The exact tail is shown with the rounding of its sum accounted for."
    ),
    statistical=(
        "The bound fails with probability at most delta over the draw of the examples, which "
        "must be independent."
    ),
)


@sentence.register
def _(claim: CompressionBound) -> str:
    scheme, k, m = claim.scheme, claim.updated.size, counted(claim.examples, "example")
    if scheme.zero_sign is None:
        about = f"{len(claim.labels.classes)} classes"
        rule, level = "the rule", ", ties included"
    else:
        about = f"{claim.labels.shown} against {claim.labels.rest}"
        rule = f"this one output (sign at score 0: {scheme.zero_sign:+d})"
        level = ", by exact scores and by computed ones"
    if not claim.is_rerun:
        made = f"{k:,} of {m} are left out."
    elif scheme.kernel is not None:
        made = f"running the kernel perceptron with {scheme.kernel!r} on {k:,} of {m} alone gives "
        made += "this rule."
    else:
        neurons = "the neuron" if scheme.outputs == 1 else f"the {scheme.outputs} neurons"
        placed = ", each at its place among all looks," * scheme.averaged
        made = f"running {neurons} on {k:,} of {m} alone{placed} gives these weights."
    words = (
        f"{about}: {made} Of the {claim.examples - k:,} others, {rule} gets at most "
        f"{claim.errors:,} wrong{level}. "
    )
    whose = "the rule" if scheme.zero_sign is None else "this output"
    return words + bounded(claim, whose, "its")


@plainly.register
def _(claim: CompressionBound) -> str:
    if claim.vacuous:
        return "Nothing is proved about new data: the bound on the error rate is not below 1."
    if not claim.of_predictions:
        return in_plain(claim, f" of telling {claim.labels.shown} from {claim.labels.rest}")
    return (
        f"The rule was made of {counted(claim.updated.size, 'example')} of {claim.examples:,} and "
        f"is wrong on {claim.errors:,} of the others. {in_plain(claim)}"
    )


@assumptions.register
def _(claim: CompressionBound) -> tuple[str, ...]:
    kernel = claim.scheme.kernel
    is_matrix = kernel is not None and kernel.takes == "matrix"
    return assumed(
        claim,
        *((SEEDED,) if claim.scheme.seeded else ()),
        *(("the matrix holds values of a kernel that was fixed before the draw",) * is_matrix),
        *(f"the function {part!r} is always the same" for part in functions_of(kernel)),
    )


RIGOUR[SupportBound] = Rigour(
    exact="The sums of a free intercept's multipliers, and what is made of bounds on numbers.",
    rounded="Margins, lengths, gaps, the ends of the intercept and the tails of the binomial, "
    "each rounded to the safe side.",
    statistical="The bound holds for a share of at least 1 − delta of all samples.",
)


@sentence.register
def _(claim: SupportBound) -> str:
    near = (
        "This machine is near an exact optimum that depends"
        if len(claim.solutions) == 1
        else "The outputs of this machine are near exact optima that depend"
    )
    words = (
        f"{near} on at most {claim.supports:,} of {counted(claim.examples, 'example')}, the "
        f"longest counted in; {claim.support_vectors:,} are support vectors, with a dual "
        "variable that is not 0. "
    )
    return words + bounded(claim, "the machine")


@plainly.register
def _(claim: SupportBound) -> str:
    if claim.vacuous:
        return (
            "The model depends on too many of its examples for a bound on its error rate on "
            "new data."
        )
    return in_plain(claim)


@assumptions.register
def _(claim: SupportBound) -> tuple[str, ...]:
    kernel = claim._first.space.kernel
    matrix = "the matrix holds the values of one kernel that was chosen before"
    return assumed(
        claim,
        f"every new example is of one of the {len(claim.labels.classes)} classes",
        *((matrix,) if kernel is not None and kernel.takes == "matrix" else ()),
        *claim._first.assumes,
    )


RIGOUR[OnlineToBatch] = Rigour(
    exact="The pass is repeated bit for bit.",
    rounded=(
        "A round is a mistake unless its score is right beyond the allowance; the formula is "
        "rounded up."
    ),
    statistical="The inequality of Azuma and Hoeffding, for independent draws in this order.",
)


@sentence.register
def _(claim: OnlineToBatch) -> str:
    words = (
        f"{len(claim.labels.classes)} classes: one pass over "
        f"{counted(claim.examples, 'example')} ends with these weights, and in at most "
        f"{claim.mistakes:,} rounds the weights so far were wrong, ties included. "
    )
    if claim.vacuous:
        return words + "The bound that follows for a random one of them is vacuous."
    random = (
        f"the rule that draws one of these {claim.examples:,} sets of weights at random for "
        "every example"
    )
    return f"{words}{bounded(claim, random)} Nothing is said of the last weights alone."


@plainly.register
def _(claim: OnlineToBatch) -> str:
    if claim.vacuous:
        return "The rule was wrong too often while it learned for a bound on an error rate."
    random = " of the rule that draws one of its earlier states at random for every example"
    return (
        f"While it learned, the rule was wrong {counted(claim.mistakes, 'time')} in "
        f"{claim.examples:,}. {in_plain(claim, random)}"
    )


@assumptions.register
def _(claim: OnlineToBatch) -> tuple[str, ...]:
    seeded = any(run.seeded for run in claim.runs)
    return assumed(claim, IN_ORDER, *((SEEDED,) if seeded else ()))


RIGOUR[AverageToBatch] = Rigour(
    rounded=(
        "Losses are rounded up, and the distance between the average and these weights is "
        "paid for; the formula is rounded up."
    ),
    statistical="The inequality of Azuma and Hoeffding, for independent draws in this order.",
)


@sentence.register
def _(claim: AverageToBatch) -> str:
    words = (
        f"{claim.labels.shown} against {claim.labels.rest}: one pass of online gradient descent "
        f"with {claim.run.loss} over {counted(claim.examples, 'example')}, in this order, "
        f"suffers losses of at most {rounded_up(claim.loss)}, and its weights are on average "
        f"within {rounded_up(claim.off, 2)} of these. "
    )
    suppose = f"Suppose that no example, new ones included, is longer than {_reach(claim)}. "
    return words + suppose * (not claim.vacuous) + bounded(claim, "these weights")


@condition.register
def _(claim: AverageToBatch) -> str:
    return f", if no example is longer than {_reach(claim)},"


def _reach(claim: AverageToBatch) -> str:
    text = f"{claim.reach:.6g}"
    return text if float(text) <= claim.reach else rounded_down(claim.reach)


@plainly.register
def _(claim: AverageToBatch) -> str:
    if claim.vacuous:
        return "The losses while it learned are too large for a bound on the error rate."
    return in_plain(claim)


@assumptions.register
def _(claim: AverageToBatch) -> tuple[str, ...]:
    longest = f"no example, seen or new, is longer than {_reach(claim)}"
    return assumed(claim, IN_ORDER, longest)
