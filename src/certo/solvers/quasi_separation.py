"""The largest part of the examples that some hyperplane separates, the others lying on it.

Problem     vectors z_t; w with w·z_t ≥ 0 for all t and > 0 for as many as possible
Step        look for w with w·z_t > 0 for all t. Where vectors cancel instead, w·z = 0 on them and
            on their span whatever w: restrict w to what is orthogonal to them, drop the vectors
            in their span, and ask again of the others, in the coordinates that are left
Returns     after at most as many steps as there are features: w (or 0), and vectors that cancel
            with positive weights, in whose span lies all that w does not separate
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from certo.certificates.exact import gamma
from certo.certificates.farkas import whole_numbers
from certo.certificates.sample import Sample
from certo.certificates.spans import eliminate, null_space, score_signs, signed_rows
from certo.solvers.separation import (
    Cancelling,
    Examples,
    Separator,
    Vectors,
    Verdict,
    scaled,
    separate,
)


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
    vectors = Examples(sample, lifted)
    found = separate(vectors)
    if not isinstance(found, Cancelling):
        return Partition(_fractions(found), np.zeros(0, np.int64), [], [])
    places, more = _enlarged(vectors, found)
    while True:
        rows, weights = _joined(sample, lifted, rows, weights, places, more)
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
        reduced = WholeVectors(np.array(whole_numbers(signed), dtype=object).dot(coordinates))
        found = separate(reduced)
        if not isinstance(found, Cancelling):
            u = np.array(_fractions(found), dtype=object)
            return Partition(list(coordinates.dot(u)), ties, rows, weights)
        places, more = _enlarged(reduced, found)
        places = others[back[places]].tolist()


def _enlarged(vectors: Vectors, found: Cancelling) -> tuple[list[int], Sequence[int | Fraction]]:
    """More vectors that cancel, spanning more, with positive weights; or just those found.

    Of a random part, max Σ s_i s.t. w·z_i ≥ s_i, 0 ≤ s_i ≤ 1 leaves s_i = 0 where no w separates.
    Those have positive weights that cancel (they are the multipliers), as few as possible beside a
    basis of them: min Σ_{i ∉ basis} a_i s.t. Σ a_i z_i = 0, a_i ≥ 1 on the basis. At a vertex,
    all a_i at their bounds are known, and the others solve a system in whole numbers.
    """
    if len(found.places) > vectors.size:  # they span all there is
        return found.places, found.weights
    random = np.random.default_rng(0)
    some = random.permutation(vectors.count)[: 4 * vectors.size + 200]
    some = np.union1d(some, found.places)
    exponents = np.frexp(vectors.peaks())[1]
    part = scaled(vectors.part(some), exponents)
    n, size = part.shape
    parted = linprog(
        np.append(np.zeros(size), -np.ones(n)),
        A_ub=sparse.hstack([-part, sparse.eye_array(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1e4, 1e4)] * size + [(0, 1)] * n,
    )
    if parted.x is None:
        return found.places, found.weights
    tied = np.flatnonzero(parted.x[size:] < 1e-6)
    whole, part = vectors.whole(some[tied]), part[tied]
    basis = _independent(whole)
    least = np.zeros(tied.size)
    least[basis] = 1.0
    cancelled = linprog(
        1 - least, A_eq=part.T, b_eq=np.zeros(size), bounds=[(low, None) for low in least]
    )
    if cancelled.x is None:
        return found.places, found.weights
    free = np.flatnonzero(cancelled.x > least + 1e-9)
    fixed = np.setdiff1d(basis, free)
    shares = np.array([_factor(part[[k]], exponents, whole[k]) for k in fixed], dtype=object)
    solved = _combination(whole[free], -shares.dot(whole[fixed]))
    if solved is None or min(solved, default=Fraction(1)) <= 0:
        return found.places, found.weights
    return some[tied[np.append(fixed, free)]].tolist(), [*shares, *solved]


def _factor(scaled_row: sparse.csr_array, exponents: np.ndarray, whole: np.ndarray) -> Fraction:
    """By how much a weight of the scaled vector is larger than that of the whole numbers."""
    top = int(np.argmax(np.abs(scaled_row.data)))
    column = int(scaled_row.indices[top])
    value = Fraction(float(scaled_row.data[top])) * Fraction(2) ** int(exponents[column])
    return value / int(whole[column])


def _independent(vectors: np.ndarray) -> np.ndarray:
    """Places of as many independent vectors as there are, found modulo a prime."""
    prime = 2**31 - 1
    left = (vectors % prime).astype(np.int64)
    places, found = np.arange(len(left)), []
    for column in range(left.shape[1]):
        at = np.flatnonzero(left[:, column])
        if at.size:
            own = left[at[0]] * pow(int(left[at[0], column]), -1, prime) % prime
            found.append(places[at[0]])
            left = (left - left[:, column : column + 1] * own % prime) % prime
            left, places = np.delete(left, at[0], axis=0), np.delete(places, at[0])
    return np.array(found, dtype=np.int64)


def _combination(vectors: np.ndarray, target: np.ndarray) -> list[Fraction] | None:
    """c with Σ c_i z_i = target, if there is just one."""
    common = math.lcm(*(Fraction(entry).denominator for entry in target))
    whole = [int(entry * common) for entry in target]
    reduced, pivots, divisor = eliminate([[*column, entry] for column, entry in
                                          zip(vectors.T.tolist(), whole, strict=True)])  # fmt: skip
    if pivots != list(range(len(vectors))):
        return None
    return [Fraction(row[-1], divisor * common) for row in reduced]


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
    more: Sequence[int | Fraction],
) -> tuple[list[int], list[Fraction]]:
    """Rows that cancel, and places that cancel up to the span of those, with weights together.

    What the places leave is a combination c of the rows; −c plus a multiple of the weights, which
    changes nothing, is positive.
    """
    together = signed_rows(sample, [*rows, *places], lifted)
    vectors = np.array(whole_numbers(together), dtype=object).reshape(together.shape)
    left = np.array(more, dtype=object).dot(vectors[len(rows) :])
    basis = _independent(vectors[: len(rows)])
    solved = _combination(vectors[basis], left)
    assert solved is not None, "what is left lies in the span"
    needed = [Fraction(0)] * len(rows)
    for place, c in zip(basis, solved, strict=True):
        needed[place] = c
    times = max((c / a + 1 for c, a in zip(needed, weights, strict=True)), default=Fraction(1))
    times = max(times, Fraction(1))
    old = [times * a - c for a, c in zip(weights, needed, strict=True)]
    return [*rows, *places], [*old, *(Fraction(a) for a in more)]
