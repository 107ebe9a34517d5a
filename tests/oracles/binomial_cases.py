"""Sizes, supports, errors and confidences for which bounds are computed."""

import math
from fractions import Fraction

from hypothesis import strategies as st

DELTAS = st.one_of(st.sampled_from([0.05, 0.5, 1e-9, 0.999]), st.floats(1e-30, 1, exclude_max=True))


@st.composite
def cases(draw, most=60):
    m = draw(st.integers(1, most))
    k = draw(st.integers(0, m))
    return m, k, draw(st.integers(0, m - k)), draw(DELTAS)


def tail(n: int, e: int, p: Fraction) -> Fraction:
    """P[Bin(n, p) ≤ e], exactly."""
    return sum((math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(e + 1)), Fraction(0))
