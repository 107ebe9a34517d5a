"""Exact weights for examples that cannot all be on their own side."""

from __future__ import annotations

import math
from collections.abc import Sequence


def cancelling_weights(vectors: Sequence[Sequence[int]]) -> list[int] | None:
    """Positive whole numbers a, without a common divisor, with Σ a_i v_i = 0.

    None unless the combinations that cancel are the multiples of one vector, and that is positive
    (then no vector can be left out: a minimal infeasible subsystem). Elimination without fractions
    (Bareiss): every entry stays a minor of the matrix, so that none grows beyond need.
    """
    n = len(vectors)
    columns = [list(column) for column in zip(*vectors, strict=True)]  # one equation each
    pivots: list[int] = []  # the variable solved for by equation k
    before = 1
    for variable in range(n):
        k = len(pivots)
        at = next((i for i in range(k, len(columns)) if columns[i][variable]), None)
        if at is None:
            continue
        columns[k], columns[at] = columns[at], columns[k]
        row, pivot = columns[k], columns[k][variable]
        for i, other in enumerate(columns):
            if i != k:
                factor = other[variable]
                columns[i] = [
                    (pivot * entry - factor * own) // before
                    for entry, own in zip(other, row, strict=True)
                ]
        before = pivot
        pivots.append(variable)
    free = [variable for variable in range(n) if variable not in pivots]
    if len(free) != 1:
        return None
    # every equation now reads pivot·a_variable + entry·a_free = 0, with the same pivot
    weights = [0] * n
    weights[free[0]] = before
    for k, variable in enumerate(pivots):
        weights[variable] = -columns[k][free[0]]
    if before < 0:
        weights = [-weight for weight in weights]
    if min(weights) <= 0:
        return None
    divisor = math.gcd(*weights)
    return [weight // divisor for weight in weights]
