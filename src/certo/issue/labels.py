"""Which classes a claim is about, from those of a machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.sample.labels import Labels


def all_labels(classes: Sequence[Any], column: int | None = None) -> Labels:
    """All classes, in plain Python values, the last positive."""
    plain = tuple(c.item() if isinstance(c, np.generic) else c for c in classes)
    if len(plain) < 2:
        raise CannotClaim(f"a rule tells at least two classes apart, but there is {len(plain)}.")
    return Labels(plain, len(plain) - 1, column)


def class_labels(classes: tuple[Any, ...]) -> Labels:
    """Of up to two classes the last is positive; more are compared with each other."""
    return Labels(classes, None if len(classes) > 2 else len(classes) - 1)
