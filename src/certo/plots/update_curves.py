"""What the theorem says of the squared norm of a perceptron after each number of updates."""

from __future__ import annotations

import numpy as np

from certo.certificates.runs.mistake_bound import MistakeBound
from certo.certificates.runs.update_sums import UpdateSums


def update_curves(claim: MistakeBound, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The two curves between which ‖w‖² stays after n updates, rounded."""
    first, second = rate_sums(claim.sums, n)
    start, u = claim._start_and_u
    rise = np.maximum(float(start @ u) + claim.target * first - claim.shortfall, 0.0)
    upper = float(start @ start) + claim.radius2 * second
    norm = claim.comparator_norm
    return (rise / norm) ** 2 if norm else np.zeros(len(first)), upper


def rate_sums(sums: UpdateSums, n) -> tuple[np.ndarray, np.ndarray]:
    """(Σηᵢ, Σηᵢ²) over the first n updates, each of weight 1/S, rounded."""
    n = np.asarray(n, dtype=np.int64)
    if sums.constant is not None:
        return sums.constant * n / sums.parts, sums.constant**2 * n / sums.parts
    rates = np.append(0.0, sums.rates(int(n.max(initial=0))))
    with np.errstate(over="ignore"):
        return np.cumsum(rates)[n], np.cumsum(rates**2)[n]
