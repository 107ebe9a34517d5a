"""How long the examples of a run are."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from certo.certificates.base import Refuted


def check_lengths(claim: Any, sample: Any) -> None:
    """No ‖φ(x)‖², + 1 if the claim is lifted, exceeds its radius2."""
    far = claim.space.longer_than(sample, Fraction(claim.radius2) - claim.lifted)
    if far is not None:
        raise Refuted(
            f"example {far} is not shown to be as short as the square root of {claim.radius2!r}.",
            far,
        )
