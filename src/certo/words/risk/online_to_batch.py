"""OnlineToBatch in words."""

from __future__ import annotations

from certo.certificates.encoding import counted
from certo.certificates.risk.online_to_batch import OnlineToBatch
from certo.words.dispatch import RIGOUR, Rigour, assumptions, plainly, sentence
from certo.words.risk.risk_bound import DRAWN, IN_ORDER, SEEDED, bounded, in_plain, untouched

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
    return (DRAWN, untouched(claim), IN_ORDER, *((SEEDED,) if seeded else ()))
