"""Least squares and logistic regression, in words."""

from __future__ import annotations

from certo.certificates.encoding import counted
from certo.certificates.regression.least_squares_excess import LeastSquaresExcess
from certo.certificates.regression.logistic_excess import LogisticExcess
from certo.certificates.regression.no_estimate import NoEstimate
from certo.numbers.decimals import rounded_down, rounded_up
from certo.words.dispatch import Words, writes
from certo.words.labels import against
from certo.words.phrases import counting, examples_of, no_better


@writes(
    LeastSquaresExcess,
    exact="That some columns are combinations of others.",
    rounded="The objective, its gradient and the curvature, by the error bounds of sums of "
    "products.",
)
def _least_squares_excess(claim: LeastSquaresExcess) -> Words:
    weighted = "weighted " if claim.sample_weight.size else ""
    what = f"{weighted}mean squared error"
    if claim.labels.outputs > 1:
        what += f", summed over {claim.labels.outputs} outputs,"
    if claim.ridge:
        what += f" plus {claim.ridge!r}·‖w‖²"
    others = "linear predictions" if claim.lifted else "linear predictions without intercept"
    text = (
        f"On {examples_of(claim)}, these {others} have a {what} of at most "
        f"{rounded_up(claim.risk)}."
    )
    if claim.lower:
        none = "No others have"
        if claim.reach is not None:
            left_out = claim.coef.shape[1] + claim.lifted - claim.kept.size
            none = (
                f"Others whose coefficients of {counted(left_out, 'column')} differ from these "
                f"by at most {rounded_down(claim.reach)} in all do not have"
            )
        text += f" {none} one that is lower by more than {rounded_up(claim.excess, 2)}."
    if claim.correlation is not None and claim.correlation < 1:
        text += (
            f" The {weighted}correlation of the residual with any linear function of the "
            f"features is at most {rounded_up(claim.correlation, 2)}."
        )
    if claim.distance is not None:
        where = "on examples of positive weight" if weighted else "on them"
        text += (
            f" The coefficients are within {rounded_up(claim.distance, 2)} of the shortest that "
            f"give these predictions {where}."
        )
    if claim.reach is not None:
        others += " with coefficients near these"
    return Words(text, no_better(others, claim.examples, claim._saved))


@writes(
    LogisticExcess,
    exact="That some columns are combinations of others, and what is without effect.",
    rounded="The losses, their gradient and the curvature, by the error bounds of sums, and of "
    "NumPy's exponential and logarithm.",
)
def _logistic_excess(claim: LogisticExcess) -> Words:
    classes = claim.labels.classes
    task = f"for {len(classes)} classes"
    if len(classes) == 2:
        task = f"of {classes[1]!r} against {classes[0]!r}"
    weighted = "weighted " if claim.class_weight.size or claim.sample_weight.size else ""
    penalty = f" plus the penalty {claim.ridge / 2!r}·‖w‖²" if claim.ridge else ""
    intercept = "" if claim.lifted else " without intercept"
    what, near = "its infimum", ""
    if claim.reach is not None:
        near = " near these"
        what = (
            "the infimum over all coefficients of which those of "
            f"{counted(claim.nearly.size, 'column')}, nearly combinations of the others, "
            f"differ from these by at most {rounded_down(claim.reach, 2)} in all"
        )
    if claim._is_limit:
        # "Others lower it by no more than a share" would suggest that some of them are the best.
        plain = (
            f"What the fit minimises on these {examples_of(claim)} is within "
            f"{rounded_up(claim.gap, 2)} of a limit that no coefficients go below."
        )
    else:
        plain = no_better(f"coefficients{near}", claim.examples, claim._saved)
    return Words(
        f"The {weighted}mean logistic loss{penalty} of these coefficients{intercept}, {task}, "
        f"over {examples_of(claim)} is at most {rounded_up(claim.risk, 9)}, and within "
        f"{rounded_up(claim.gap, 2)} of {what}"
        + (", which some coefficients attain." if claim.exists else "."),
        plain,
    )


@writes(NoEstimate, exact="All of it: the signs along the direction, in integers.")
def _no_estimate(claim: NoEstimate) -> Words:
    ignored, rising = claim.ignored.size, claim.rising
    some = counting(claim.examples - ignored, claim.examples)
    if len(claim.labels.classes) == 2:
        moves = (
            f" the score of {against(claim.labels)} moves {rising:,} of {some} further to the side "
            "of their own class for ever, and none away from it."
        )
    else:
        moves = (
            f", over {some}, {counted(rising, 'comparison')} of an example's own class with "
            f"another {'rises' if rising == 1 else 'rise'} for ever, and none falls."
        )
    have = "has" if ignored == 1 else "have"
    return Words(
        f"No coefficients have the least logistic loss: along one direction{moves}",
        f"No coefficients fit these {some} best: along one direction the fit gets better and "
        "better, towards a limit that none reach.",
        (f"{counted(ignored, 'ignored example')} {have} weight 0",) * bool(ignored),
    )
