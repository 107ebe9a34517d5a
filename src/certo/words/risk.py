"""Bounds on the error rate on new data, in words."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from certo.certificates.encoding import counted
from certo.certificates.risk.average_to_batch import AverageToBatch
from certo.certificates.risk.compression_bound import CompressionBound
from certo.certificates.risk.held_out_distances import TestDistances
from certo.certificates.risk.online_to_batch import OnlineToBatch
from certo.certificates.risk.risk_bound import RiskBound
from certo.certificates.risk.support_bound import SupportBound
from certo.certificates.spaces.images import functions_of
from certo.numbers import exact
from certo.numbers.decimals import rounded_down, rounded_up
from certo.numbers.digits import at_most_text, confidence
from certo.words.dispatch import Words, writes
from certo.words.labels import against, sides_of
from certo.words.phrases import examples_of
from certo.words.reader import counted_examples, example

IN_ORDER = "they are visited in the order of their draw, or in one that does not depend on them"
UNTOUCHED = "nothing was fitted on them before (scaling, selection, tuning, choice of settings)"
COMPARED = (
    "nothing was fitted on them before, but that {:,} settings, which had been fixed before, were "
    "compared on them: the bound is corrected for that, by sharing delta among them"
)


def drawn(kind: str = "") -> str:
    """What is assumed of the examples, or of those of some kind."""
    some = f"{kind} {example()}s".lstrip()
    return f"the {some} are independent draws from one distribution, and new ones are too"


def test_draws() -> tuple[str, str]:
    """What is assumed of test examples."""
    some = f"test {example()}s"
    return drawn("test"), f"the {some} were not used to fit, to scale, or to choose anything"


def seeded() -> str:
    return f"the random seed was chosen without looking at the {example()}s"


def in_plain(
    claim: RiskBound, whose: str = "", condition: str = "", least: float | None = None
) -> str:
    """The sentence about new data, and whether the majority class does as well."""
    weak = "" if claim.informative else f" The upper bound is {weaker(claim)}."
    return f"{rate_sentence(claim.delta, claim.best, whose, condition, least)}.{weak}"


def assumed(claim: RiskBound, *more: str) -> tuple[str, ...]:
    """What is assumed of the draw and of the time before the fit, and what else."""
    return (drawn(), UNTOUCHED if claim.tried == 1 else COMPARED.format(claim.tried), *more)


def bounded(claim: RiskBound, whose: str, of: str = "the") -> str:
    """What follows for new examples, as a claim says it; or that nothing does."""
    if claim.vacuous:
        return (
            f"The bound on {of} error rate that follows is {rounded_up(claim.best, 4)}: vacuous, "
            "since it is not below 1."
        )
    tried = f" but the best of {claim.tried:,} settings, corrected for here"
    paid = tried if claim.tried > 1 else ""
    return (
        f"If these are independent draws and nothing was fitted or tuned on them before{paid}, "
        f"then with probability at least 1 − {claim.delta!r} over their draw the error rate of "
        f"{whose} on new examples is at most {rounded_up(claim.best, 4)}."
    )


def weaker(claim: RiskBound) -> str:
    """What an uninformative bound is weaker than."""
    return (
        "weaker than always answering the majority class, which is wrong on "
        f"{float(100 * claim.majority_error):.3g} % of these {example()}s"
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


@writes(
    CompressionBound,
    exact="The run of perceptrons on the updated examples, bit for bit; of a kernel perceptron its "
    "steps, which are integers; the errors of a single output on the others; the printed formula, "
    "to fifty digits and rounded up.",
    rounded="What several outputs or a kernel are not shown to get right beyond rounding counts as "
    "an error; with a kernel, every decision of the re-run is certain beyond the proved allowance "
    "of its score. The exact tail is shown with the rounding of its sum accounted for.",
    statistical="The bound fails with probability at most delta over the draw of the examples, "
    "which must be independent.",
)
def _compression_bound(claim: CompressionBound) -> Words:
    scheme, kernel, k, m = claim.scheme, claim.scheme.kernel, claim.updated.size, examples_of(claim)
    if scheme.zero_sign is None:
        about, rule = f"{len(claim.labels.classes)} classes", "the rule"
        whose, level = "the rule", ", ties included"
    else:
        about = against(claim.labels)
        rule = f"this one output (sign at score 0: {scheme.zero_sign:+d})"
        whose, level = "this output", ", by exact scores and by computed ones"
    if not claim.is_rerun:
        made = f"{k:,} of {m} are left out."
    elif kernel is not None:
        run = f"running the kernel perceptron with {kernel!r} on {k:,} of {m} alone"
        made = f"{run} gives this rule."
    else:
        neurons = "the neuron" if scheme.outputs == 1 else f"the {scheme.outputs} neurons"
        placed = ", each at its place among all looks," * scheme.averaged
        made = f"running {neurons} on {k:,} of {m} alone{placed} gives these weights."
    if claim.vacuous:
        plain = "Nothing is proved about new data: the bound on the error rate is not below 1."
    elif not claim.of_predictions:
        plain = in_plain(claim, f" of telling {sides_of(claim.labels)}")
    else:
        plain = (
            f"The rule was made of {counted_examples(k)} of {claim.examples:,} and is wrong on "
            f"{claim.errors:,} of the others. {in_plain(claim)}"
        )
    is_matrix = kernel is not None and kernel.takes == "matrix"
    return Words(
        f"{about}: {made} Of the {claim.examples - k:,} others, {rule} gets at most "
        f"{claim.errors:,} wrong{level}. {bounded(claim, whose, 'its')}",
        plain,
        assumed(
            claim,
            *((seeded(),) if scheme.seeded else ()),
            *(("the matrix holds values of a kernel that was fixed before the draw",) * is_matrix),
            *(f"the function {part!r} is always the same" for part in functions_of(kernel)),
        ),
    )


@writes(
    SupportBound,
    exact="The sums of a free intercept's multipliers, and what is made of bounds on numbers.",
    rounded="Margins, lengths, gaps, the ends of the intercept and the tails of the binomial, "
    "each rounded to the safe side.",
    statistical="The bound holds for a share of at least 1 − delta of all samples.",
)
def _support_bound(claim: SupportBound) -> Words:
    near = "The outputs of this machine are near exact optima that depend"
    if len(claim.solutions) == 1:
        near = "This machine is near an exact optimum that depends"
    if claim.vacuous:
        plain = (
            f"The model depends on too many of its {example()}s for a bound on its error rate on "
            "new data."
        )
    else:
        plain = in_plain(claim)
    kernel = claim._first.space.kernel
    is_matrix = kernel is not None and kernel.takes == "matrix"
    return Words(
        f"{near} on at most {claim.supports:,} of {examples_of(claim)}, the longest counted in; "
        f"{claim.support_vectors:,} are support vectors, with a dual variable that is not 0. "
        f"{bounded(claim, 'the machine')}",
        plain,
        assumed(
            claim,
            f"every new {example()} is of one of the {len(claim.labels.classes)} classes",
            *(("the matrix holds the values of one kernel that was chosen before",) * is_matrix),
            *claim._first.assumes,
        ),
    )


@writes(
    OnlineToBatch,
    exact="The pass is repeated bit for bit.",
    rounded="A round is a mistake unless its score is right beyond the allowance; the formula is "
    "rounded up.",
    statistical="The inequality of Azuma and Hoeffding, for independent draws in this order.",
)
def _online_to_batch(claim: OnlineToBatch) -> Words:
    if claim.vacuous:
        follows = "The bound that follows for a random one of them is vacuous."
        plain = "The rule was wrong too often while it learned for a bound on an error rate."
    else:
        draws = f"the rule that draws one of {{}} at random for every {example()}"
        bound = bounded(claim, draws.format(f"these {claim.examples:,} sets of weights"))
        follows = f"{bound} Nothing is said of the last weights alone."
        rate = in_plain(claim, " of " + draws.format("its earlier states"))
        wrong = f"{counted(claim.mistakes, 'time')} in {claim.examples:,}"
        plain = f"While it learned, the rule was wrong {wrong}. {rate}"
    is_seeded = any(run.seeded for run in claim.runs)
    return Words(
        f"{len(claim.labels.classes)} classes: one pass over {examples_of(claim)} ends with these "
        f"weights, and in at most {claim.mistakes:,} rounds the weights so far were wrong, ties "
        f"included. {follows}",
        plain,
        assumed(claim, IN_ORDER, *((seeded(),) if is_seeded else ())),
    )


@writes(
    AverageToBatch,
    rounded="Losses are rounded up, and the distance between the average and these weights is "
    "paid for; the formula is rounded up.",
    statistical="The inequality of Azuma and Hoeffding, for independent draws in this order.",
)
def _average_to_batch(claim: AverageToBatch) -> Words:
    reach = f"{claim.reach:.6g}"
    if float(reach) > claim.reach:
        reach = rounded_down(claim.reach)
    condition = f", if no {example()} is longer than {reach},"
    if claim.vacuous:
        suppose = ""
        plain = "The losses while it learned are too large for a bound on the error rate."
    else:
        suppose = f"Suppose that no example, new ones included, is longer than {reach}. "
        plain = in_plain(claim, condition=condition)
    return Words(
        f"{against(claim.labels)}: one pass of online gradient descent with {claim.run.loss} over "
        f"{examples_of(claim)}, in this order, suffers losses of at most "
        f"{rounded_up(claim.loss)}, and its weights are on average within "
        f"{rounded_up(claim.off, 2)} of these. {suppose}{bounded(claim, 'these weights')}",
        plain,
        assumed(claim, IN_ORDER, f"no {example()}, seen or new, is longer than {reach}"),
        condition=condition,
    )


@writes(
    TestDistances,
    exact="Examples are counted.",
    rounded="A distance is larger than computed by a proved allowance; the share and the mean are "
    "shown by sums rounded to the weak side.",
    statistical="An order statistic of independent draws, exact for each n and any distribution; "
    "for the mean, Markov's inequality for products.",
)
def _test_distances(claim: TestDistances) -> Words:
    distance, least = rounded_up(claim.distance), percentage(1 - claim.beyond, rounded_down)
    mean = plain_mean = ""
    if claim.cap:
        cap = f"{claim.cap:,.12g}"
        mean = (
            f", and the mean over new examples of how far they are off, or of {cap} where that is "
            f"more, is at most {rounded_up(claim.mean)}"
        )
        plain_mean = (
            f"the mean absolute error on new data from the same population is at most "
            f"{at_most_text(claim.mean)} (an error above {cap} counts as {cap}), and "
        )
    return Words(
        f"The predictions of this linear rule are within {distance} of y for at least "
        f"{claim.within:,} of {examples_of(claim)}, whether computed exactly or in float64. If the "
        "examples are independent draws, not used to fit or to choose anything, then with "
        f"probability at least 1 − {claim.delta!r} over their draw a share of at most "
        f"{rounded_up(claim.beyond, 4)} of new examples is farther off{mean}.",
        f"With {confidence(claim.delta)} % confidence, {plain_mean}at least {least} % of new "
        f"values {'' if plain_mean else 'from the same population '}are within "
        f"{at_most_text(claim.distance)} of the prediction, as at least {claim.within:,} of the "
        f"{counted_examples(claim.examples, 'test')} are.",
        test_draws()
        + (f"the cap of the mean was fixed before the test {example()}s were seen",)
        * bool(claim.cap),
    )
