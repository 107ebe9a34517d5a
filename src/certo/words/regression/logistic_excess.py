"""LogisticExcess in words."""

from __future__ import annotations

from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.regression.logistic_excess import LogisticExcess
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence
from certo.words.phrases import no_better

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
