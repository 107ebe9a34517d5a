"""Checks of what a world is given when it is made."""

from __future__ import annotations

import math

from certo.facts import InputError
from certo.words import points as sentences


def require(world, name: str, value, least: float, most: float = math.inf) -> None:
    """Raise ValueError unless `value` is a number from `least` to `most`."""
    if not isinstance(value, (int, float)) or not least <= value <= most or math.isinf(value):
        limits = f"from {least:g} to {most:g}" if most < math.inf else f"of at least {least:g}"
        raise ValueError(
            f"{type(world).__name__}: {name} must be a number {limits}, got {value!r}."
        )


def require_dimension(world, d) -> None:
    """Raise ValueError unless d is a number of features."""
    if not isinstance(d, int) or d < 1:
        raise InputError(sentences.no_feature_count, type(world).__name__, d)
