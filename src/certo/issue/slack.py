"""How many allowances an issuer adds, so that a checker who rounds otherwise accepts the claim."""

from __future__ import annotations

from fractions import Fraction

from certo.numbers.rounded import Rounded

#: A checker may add in another order: his numbers differ from the issuer's by both allowances, and
#: he then adds his own. His are at most 1.5 times the issuer's, since both are computed alike, so
#: that 1 + 1.5 + 1.5 = 4 of the issuer's are enough.
SLACK_FACTOR = 4


def with_slack(value: Rounded) -> Fraction:
    """What a non-negative number may be claimed not to exceed."""
    return max(value.value + SLACK_FACTOR * value.within, Fraction(0))
