"""PegasosExcess in words."""

from __future__ import annotations

from certo.certificates.encoding import counted, rounded_up
from certo.certificates.runs.pegasos_excess import PegasosExcess
from certo.words.dispatch import plainly


@plainly.register
def _(claim: PegasosExcess) -> str:
    weak = "" if claim.informative else ", which is no better than what scores of 0 have"
    return (
        "Run like this, the method is expected to end within "
        f"{rounded_up(claim.bound, 4)} of the least possible value of what it minimises on "
        f"these {counted(claim.examples, 'example')}, on average over its random draws{weak}."
    )


def assumed_of(claim: PegasosExcess, found: str) -> tuple[str, ...]:
    return (
        "each step drew one of these examples uniformly, whatever was drawn before",
        f"{found} the average of the iterates of that many steps, a number set before",
        "the guarantee is one of exact arithmetic; the run was in float64",
    )


def pegasos_sentence(claim: PegasosExcess, risk: str, found: str, nothing: str) -> str:
    """The claim, where `found` ends with 'is' or 'are'."""
    helps = "" if claim.informative else f", which is no better than what {nothing} has"
    return (
        f"{claim.labels.shown} against {claim.labels.rest}: on these "
        f"{counted(claim.examples, 'example')} {risk}, with λ = {claim.lam!r}, is at most "
        f"{rounded_up(claim.objective)} for {found} no longer than X/λ, like all iterates of "
        f"Pegasos. The average of {counted(claim.steps, 'step')} of Pegasos, over all its "
        f"draws, is expected to exceed the least F by at most {rounded_up(claim.bound, 4)}"
        f"{helps}."
    )
