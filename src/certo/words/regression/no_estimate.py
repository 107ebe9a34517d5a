"""NoEstimate in words."""

from __future__ import annotations

from certo.certificates.encoding import counted
from certo.certificates.regression.no_estimate import NoEstimate
from certo.words.dispatch import RIGOUR, Rigour, assumptions, plainly, sentence
from certo.words.phrases import counting

RIGOUR[NoEstimate] = Rigour(
    exact="All of it: the signs along the direction, in whole numbers.",
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
