"""AverageToBatch in words."""

from __future__ import annotations

from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.risk.average_to_batch import AverageToBatch
from certo.words.dispatch import RIGOUR, Rigour, assumptions, condition, plainly, sentence
from certo.words.risk.risk_bound import DRAWN, IN_ORDER, bounded, in_plain, untouched

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
    if claim.vacuous:
        return words + (
            f"The bound on the error rate that follows is {rounded_up(claim.bound, 4)}: "
            "vacuous, since it is not below 1."
        )
    return words + (
        f"Suppose that no example, new ones included, is longer than {_reach(claim)}. "
        + bounded(claim, "these weights")
    )


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
    return (DRAWN, untouched(claim), IN_ORDER, longest)
