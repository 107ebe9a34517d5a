"""The largest part of the examples that some hyperplane separates, the others lying on it.

Problem     vectors z_t; w with w·z_t ≥ 0 for all t and > 0 for as many as possible
Step        look for w with w·z_t > 0 for all t. Where vectors cancel instead, w·z = 0 on them and
            on their span whatever w: restrict w to what is orthogonal to them, drop the vectors
            in their span, and ask again of the others, in the coordinates that are left
Returns     after at most as many steps as there are features: w (or 0), and vectors that cancel
            with positive weights, in whose span lies all that w does not separate
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from certo.certificates.exact import gamma
from certo.certificates.farkas import whole_numbers
from certo.certificates.sample import Sample
from certo.certificates.spans import eliminate, null_space, score_signs, signed_rows
from certo.solvers.separation import Cancelling, Examples, Separator, Verdict, separate


class Partition(NamedTuple):
    w: list[Fraction]  # 0 where nothing can be separated
    ties: np.ndarray  # the examples with w·z = 0
    rows: list[int]  # examples that cancel, and span all the ties
    weights: list[Fraction]


class WholeVectors:
    """Vectors of whole numbers, as they come out of exact elimination."""

    def __init__(self, vectors: np.ndarray) -> None:
        self.vectors = vectors  # (n, size) of Python integers
        self.count, self.size = vectors.shape
        self.groups = np.zeros(self.count, np.int8)
        self.rows = np.array([_floats(vector) for vector in vectors.tolist()])

    def at_once(self) -> Verdict | None:
        return None

    def guess(self) -> np.ndarray:
        return np.sum(self.rows, axis=0)

    def margins(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        # entries were rounded, or became zero below 2⁻¹⁰⁷⁴
        slack = 2 * gamma(self.size + 4) * (np.abs(self.rows) @ np.abs(w))
        return self.rows @ w, slack + 2.0**-1070 * (1 + np.sum(np.abs(w)))

    def wrong(self, w: np.ndarray) -> int | None:
        values, slacks = self.margins(w)
        whole = whole_numbers(w[None, :])[0]
        for place in np.flatnonzero(~(values > slacks)).tolist():
            if sum(a * b for a, b in zip(self.vectors[place], whole, strict=True)) <= 0:
                return int(place)
        return None

    def centred(self, w: np.ndarray) -> np.ndarray:
        return w

    def lengths(self) -> np.ndarray:
        return np.ones(self.count)

    def peaks(self) -> np.ndarray:
        return np.max(np.abs(self.rows), axis=0)

    def part(self, places: np.ndarray | Sequence[int]) -> np.ndarray:
        return self.rows[np.asarray(places)]

    def whole(self, places: np.ndarray | Sequence[int]) -> np.ndarray:
        return self.vectors[np.asarray(places)]


def _floats(vector: Sequence[int]) -> list[float]:
    """The direction of a vector, its largest entry about 1."""
    top = max(abs(entry) for entry in vector)
    return [entry / top for entry in vector]


def partition(sample: Sample, lifted: bool) -> Partition:
    size = sample.d + lifted
    rows: list[int] = []
    weights: list[Fraction] = []
    found = separate(Examples(sample, lifted))
    if not isinstance(found, Cancelling):
        return Partition(_fractions(found), np.zeros(0, np.int64), [], [])
    places = found.places
    while True:
        rows, weights = _joined(sample, lifted, rows, weights, places, found.weights)
        basis = null_space(whole_numbers(signed_rows(sample, rows, lifted)), size)
        outside = np.zeros(sample.m, dtype=bool)
        for w in basis:
            outside |= score_signs(sample, w, lifted) != 0
        ties, others = np.flatnonzero(~outside), np.flatnonzero(outside)
        if not others.size:
            return Partition([Fraction(0)] * size, ties, rows, weights)
        coordinates = np.array(basis, dtype=object).T
        signed = signed_rows(sample, others, lifted)
        signed, back = np.unique(signed, axis=0, return_index=True)
        vectors = np.array(whole_numbers(signed), dtype=object).dot(coordinates)
        found = separate(WholeVectors(vectors))
        if not isinstance(found, Cancelling):
            u = np.array(_fractions(found), dtype=object)
            return Partition(list(coordinates.dot(u)), ties, rows, weights)
        places = others[back[found.places]].tolist()


def _fractions(found: Verdict) -> list[Fraction]:
    assert not isinstance(found, Cancelling)
    w = found.w.tolist() if isinstance(found, Separator) else found.w
    return [Fraction(weight) for weight in w]


def _joined(
    sample: Sample,
    lifted: bool,
    rows: list[int],
    weights: list[Fraction],
    places: list[int],
    more: Sequence[int],
) -> tuple[list[int], list[Fraction]]:
    """Rows that cancel, and places that cancel up to the span of those, with weights together.

    What the places leave is a combination c of the rows; −c plus a multiple of the weights, which
    changes nothing, is positive.
    """
    together = signed_rows(sample, [*rows, *places], lifted)
    vectors = np.array(whole_numbers(together), dtype=object).reshape(together.shape)
    left = np.array(more, dtype=object).dot(vectors[len(rows) :])
    augmented = np.column_stack([vectors[: len(rows)].T, left]) if rows else left[:, None]
    reduced, pivots, common = eliminate(augmented.tolist())
    assert len(rows) not in pivots, "what is left lies in the span"
    needed = [Fraction(0)] * len(rows)
    for row, pivot in zip(reduced, pivots, strict=True):
        needed[pivot] = Fraction(row[-1], common)
    times = max((c / a + 1 for c, a in zip(needed, weights, strict=True)), default=Fraction(1))
    times = max(times, Fraction(1))
    old = [times * a - c for a, c in zip(weights, needed, strict=True)]
    return [*rows, *places], [*old, *(Fraction(a) for a in more)]
