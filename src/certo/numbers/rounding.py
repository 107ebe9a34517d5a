r"""How far a number computed in float64 may be from the real one. The one fact used:

A sum of products Σ_{j≤n} a_j b_j, computed in float64 in *any* order, with or without fused
multiply-add, differs from the true value by at most
                  γ_n Σ|a_j b_j| + n·2⁻¹⁰⁷⁴,      γ_n = n·u/(1 − n·u),  u = 2⁻⁵³,
if nothing overflows: a product passes through at most n roundings, each a factor 1 + δ with
|δ| ≤ u (Higham, Accuracy and Stability of Numerical Algorithms, §3.1), and a product that
underflows is off by at most 2⁻¹⁰⁷⁵ (sums do not underflow inexactly).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

UNIT = 2.0**-53
TINY = 2.0**-1074  # The smallest positive float64.
MAX_FLOAT = np.finfo(np.float64).max
OVERFLOW_LIMIT = 2.0**1000  # Intermediate results of larger values may have overflowed.
#: np.exp, np.sqrt and their vectorised forms are within four units in the last place.
ULPS = 8.0 * UNIT


def gamma(n: Any) -> Any:
    """γ_n rounded up: for n·u ≤ 0.005, n·u/(1 − n·u) < 1.01·n·u; beyond that, none is given."""
    most = n if isinstance(n, int | np.integer) else np.max(n, initial=0)
    return 1.01 * n * UNIT if most * UNIT <= 0.005 else math.inf


class Rounding(NamedTuple):
    """|computed − K(x, z)| ≤ relative·√K(x,x)·√K(z,z) + absolute, for all x, z in question."""

    relative: float
    absolute: float


#: The error of values that may have overflowed.
UNBOUNDED = Rounding(math.inf, math.inf)
