"""How far a kernel's value computed in float64 may be from the real number.

γ_n = n·u/(1 − n·u), u = 2⁻⁵³, bounds what n roundings, each a factor 1 + δ with |δ| ≤ u, do to a
number or to a sum of n products (Higham, Accuracy and Stability of Numerical Algorithms, §3.1);
what falls below the least normal number adds at most 2⁻¹⁰⁷⁴ for each operation.
"""

from __future__ import annotations

import math
from typing import NamedTuple

UNIT = 2.0**-53
LEAST = 2.0**-1074
#: no kernel's bound may hide more than this beside its relative part
TINY = 2.0**-600
#: values beyond this may have overflowed on the way
HUGE = 2.0**1000
#: np.exp, np.sqrt and their vectorised forms are within four units in the last place
ULPS = 8.0 * UNIT


def gamma(n: int) -> float:
    """γ_n rounded up: for n·u ≤ 0.005, n·u/(1 − n·u) < 1.01·n·u; beyond that, none is given."""
    return 1.01 * n * UNIT if n * UNIT <= 0.005 else math.inf


class Rounding(NamedTuple):
    """|computed − K(x, z)| ≤ relative·√K(x,x)·√K(z,z) + absolute, for all x, z in question."""

    relative: float
    absolute: float
