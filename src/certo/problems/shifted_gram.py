"""Sums over examples that a least-squares problem is a function of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class ShiftedGram(NamedTuple):
    """Σ_i s_i z_i z_iᵀ for z = (x − shift, y − shift, 1), computed, and how.

    Every entry (j, k) is within γ_roundings·√(g_jj g_kk) of the true g_jk: each product of it was
    rounded no more often than that. `exact` says that those among x and 1 are integers and
    were not rounded at all, as when all x are integers and the sums below 2⁵³.
    """

    shift: np.ndarray  # (d + q,)
    gram: np.ndarray  # (d + q + 1, d + q + 1)
    examples: int
    roundings: int
    exact: bool = False
