r"""Weighted means over the examples, with few roundings however many there are.

The share of example i is p_i = s_i/Σ s, or 1/m without weights: a correctly rounded sum
(`math.fsum`) and a quotient, so p_i is off by a factor 1 ± 2.01u. Blocks of AVERAGED_ROWS rows
are averaged, then halves are added, so that a product passes through at most ROUNDINGS roundings:

    |computed Σ p_i a_i b_i − the true mean|  ≤  ROUNDED · Σ p_i |a_i b_i|  ≤  ROUNDED · |a|₂ |b|₂ ,

with |a|₂ = (Σ p_i a_i²)^½, by Cauchy and Schwarz. (Underflow adds at most m·2⁻¹⁰⁷⁴: see `TINIEST`.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from certo.numbers.exact import gamma

AVERAGED_ROWS = 256  # Rows averaged at a time.
#: The products; 2·40 additions of halves for up to 2⁴⁰ rows; shares, and a product with them.
ROUNDINGS = AVERAGED_ROWS + 96
ROUNDED = gamma(ROUNDINGS)
#: More than all underflow of products that are added here can amount to.
TINIEST = 2.0**-500


def shares(weights: np.ndarray, m: int) -> np.ndarray:
    return weights / math.fsum(weights.tolist()) if weights.size else np.full(m, 1.0 / m)


def averages(
    sample: Any, weights: np.ndarray, terms: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> np.ndarray:
    """Σ of terms(rows, their shares) over blocks of AVERAGED_ROWS rows of a `Sample`."""
    p = shares(weights, sample.m)

    def parts() -> Iterator[np.ndarray]:
        for start in range(0, sample.m, AVERAGED_ROWS):
            stop = min(start + AVERAGED_ROWS, sample.m)
            yield terms(sample.part(start, stop), p[start:stop])

    return pairwise(parts())


def pairwise(terms: Iterable[Any]) -> Any:
    """Σ terms, halves added to halves: of n terms none is in more than 2·log₂ n + 1 additions."""
    waiting: list[tuple[int, Any]] = []
    for term in terms:
        level = 0
        while waiting and waiting[-1][0] == level:
            term = waiting.pop()[1] + term
            level += 1
        waiting.append((level, term))
    total = waiting.pop()[1]
    while waiting:
        total = waiting.pop()[1] + total
    return total
