"""LeastSquaresExcess in words."""

from __future__ import annotations

from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.regression.least_squares_excess import LeastSquaresExcess
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence
from certo.words.phrases import no_better

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
