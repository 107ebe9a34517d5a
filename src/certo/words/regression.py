"""Least squares and logistic regression, in words."""

from __future__ import annotations

from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.regression.least_squares_excess import LeastSquaresExcess
from certo.certificates.regression.logistic_excess import LogisticExcess
from certo.certificates.regression.no_estimate import NoEstimate
from certo.words.dispatch import RIGOUR, Rigour, assumptions, plainly, sentence
from certo.words.phrases import counting, no_better

RIGOUR[LeastSquaresExcess] = Rigour(
    exact="That some columns are combinations of others.",
    rounded=(
        "The objective, its gradient and the curvature, by the error bounds of sums of products."
    ),
)


@sentence.register
def _(claim: LeastSquaresExcess) -> str:
    weighted = "weighted " if claim.sample_weight.size else ""
    what = f"{weighted}mean squared error"
    if claim.labels.outputs > 1:
        what += f", summed over {claim.labels.outputs} outputs,"
    if claim.ridge:
        what += f" plus {claim.ridge!r}·‖w‖²"
    through = "" if claim.lifted else " without intercept"
    text = (
        f"On {counted(claim.examples, 'example')}, these linear predictions{through} have a "
        f"{what} of at most {rounded_up(claim.risk)}."
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
        counting = "on examples of positive weight" if weighted else "on them"
        text += (
            f" The coefficients are within {rounded_up(claim.distance, 2)} of the shortest that "
            f"give these predictions {counting}."
        )
    return text


@plainly.register
def _(claim: LeastSquaresExcess) -> str:
    near = " with coefficients near these" if claim.reach is not None else ""
    through = "" if claim.lifted else " without intercept"
    return no_better(f"linear predictions{through}{near}", claim.examples, claim._saved)


RIGOUR[LogisticExcess] = Rigour(
    exact="That some columns are combinations of others, and what is without effect.",
    rounded=(
        "The losses, their gradient and the curvature, by the error bounds of sums, and of "
        "NumPy's exponential and logarithm."
    ),
)


@sentence.register
def _(claim: LogisticExcess) -> str:
    K = len(claim.labels.classes)
    task = f"for {K} classes"
    if K == 2:
        task = f"of {claim.labels.classes[1]!r} against {claim.labels.classes[0]!r}"
    weighted = "weighted " if claim.class_weight.size or claim.sample_weight.size else ""
    penalty = f" plus the penalty {claim.ridge / 2!r}·‖w‖²" if claim.ridge else ""
    intercept = "" if claim.lifted else " without intercept"
    what = "its infimum"
    if claim.reach is not None:
        what = (
            "the infimum over all coefficients of which those of "
            f"{counted(claim.nearly.size, 'column')}, nearly combinations of the others, "
            f"differ from these by at most {rounded_down(claim.reach, 2)} in all"
        )
    return (
        f"The {weighted}mean logistic loss{penalty} of these coefficients{intercept}, {task}, "
        f"over {counted(claim.examples, 'example')} is at most {rounded_up(claim.risk, 9)}, and "
        f"within {rounded_up(claim.gap, 2)} of {what}"
        + (", which some coefficients attain." if claim.exists else ".")
    )


@plainly.register
def _(claim: LogisticExcess) -> str:
    if not claim._is_limit:
        near = " near these" if claim.reach is not None else ""
        return no_better(f"coefficients{near}", claim.examples, claim._saved)
    # That others lower it by no more than a share would suggest that some of them are the best.
    return (
        f"What the fit minimises on these {counted(claim.examples, 'example')} is within "
        f"{rounded_up(claim.gap, 2)} of a limit that no coefficients go below."
    )


RIGOUR[NoEstimate] = Rigour(
    exact="All of it: the signs along the direction, in integers.",
)


@sentence.register
def _(claim: NoEstimate) -> str:
    some = counting(claim.examples - claim.ignored.size, claim.examples)
    shown, rest = claim.labels.shown, claim.labels.rest
    if len(claim.labels.classes) == 2:
        what = f"the score of {shown} against {rest} moves {claim.rising:,} of {some} further to"
        return (
            f"No coefficients have the least logistic loss: along one direction {what} the "
            "side of their own class for ever, and none away from it."
        )
    return (
        f"No coefficients have the least logistic loss: along one direction, over {some}, "
        f"{counted(claim.rising, 'comparison')} of an example's own class with another "
        f"{'rises' if claim.rising == 1 else 'rise'} for ever, and none falls."
    )


@plainly.register
def _(claim: NoEstimate) -> str:
    some = counting(claim.examples - claim.ignored.size, claim.examples)
    return (
        f"No coefficients fit these {some} best: along one direction the fit gets better and "
        "better, towards a limit that none reach."
    )


@assumptions.register
def _(claim: NoEstimate) -> tuple[str, ...]:
    if not claim.ignored.size:
        return ()
    have = "has" if claim.ignored.size == 1 else "have"
    return (f"{counted(claim.ignored.size, 'ignored example')} {have} weight 0",)
