"""Exact weights for examples that cannot all be on their own side."""

from __future__ import annotations

import math
from collections.abc import Sequence

from flint import fmpz_mat


def cancelling_weights(vectors: Sequence[Sequence[int]]) -> list[int] | None:
    """Positive integers a, without a common divisor, with Σ a_i v_i = 0.

    None unless the combinations that cancel are the multiples of one vector, and that is positive
    (then no vector can be left out: a minimal infeasible subsystem). The null space of a matrix of
    integers is found by FLINT.
    """
    if not any(map(any, vectors)):
        return [1] if len(vectors) == 1 else None
    basis, dimension = fmpz_mat([list(v) for v in vectors]).transpose().nullspace()
    if dimension != 1:
        return None
    weights = [int(basis[i, 0]) for i in range(len(vectors))]
    if all(weight < 0 for weight in weights):
        weights = [-weight for weight in weights]
    if min(weights) <= 0:
        return None
    divisor = math.gcd(*weights)
    return [weight // divisor for weight in weights]
