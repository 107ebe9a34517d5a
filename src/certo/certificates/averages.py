r"""Weighted means over the examples, with few roundings however many there are.

The share of example i is p_i = s_i/Σ s, or 1/m without weights: a correctly rounded sum
(`math.fsum`) and a quotient, so p_i is off by a factor 1 ± 2.01u. Rows are averaged ROWS at a time,
and then halves are added to halves, so that a product passes through at most ROUNDINGS roundings:

    |computed Σ p_i a_i b_i − the true mean|  ≤  ROUNDED · Σ p_i |a_i b_i|  ≤  ROUNDED · |a|₂ |b|₂ ,

with |a|₂ = (Σ p_i a_i²)^½, by Cauchy and Schwarz. (Underflow adds at most m·2⁻¹⁰⁷⁴: see `TINIEST`.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from certo.certificates.encoding import counted
from certo.certificates.exact import gamma
from certo.certificates.sample import Sample
from certo.certificates.weights import finite_vector

ROWS = 256
#: ROWS products; 2·40 additions of halves for up to 2⁴⁰ rows; shares, and a product with them
ROUNDINGS = ROWS + 96
ROUNDED = gamma(ROUNDINGS)
#: more than all underflow of products that are added here can amount to
TINIEST = 2.0**-500


def weight_vector(values, examples: int) -> np.ndarray:
    """Weights s_i ≥ 0, one for each example, or none: 1 for each. Those above 0 must not be so
    different that a share underflows."""
    weights = finite_vector(values, "sample_weight")
    if weights.size not in (0, examples):
        raise ValueError("sample_weight must hold one number for each example, or none.")
    if weights.size:
        least, most = np.min(weights[weights > 0], initial=math.inf), np.max(weights)
        if np.any(weights < 0) or not 0 < most < 2.0**900 or least < most * 2.0**-400:
            raise ValueError(
                "sample_weight must not be negative, not all 0, and those above 0 of moderate size."
            )
    return weights


def weighted(examples: int, weights: np.ndarray) -> str:
    """'12 examples', '12 weighted examples'."""
    return counted(examples, "weighted example" if weights.size else "example")


def shares(weights: np.ndarray, m: int) -> np.ndarray:
    return weights / math.fsum(weights.tolist()) if weights.size else np.full(m, 1.0 / m)


def averages(
    sample: Sample, weights: np.ndarray, terms: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> np.ndarray:
    """Σ of terms(rows, their shares) over blocks of ROWS rows."""
    p = shares(weights, sample.m)

    def parts() -> Iterator[np.ndarray]:
        for start in range(0, sample.m, ROWS):
            stop = min(start + ROWS, sample.m)
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
