"""The largest part of the examples that some hyperplane separates, the others lying on it.

Problem     vectors z_i; w with w·z_i ≥ 0 for all i and > 0 for as many as possible
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
from typing import NamedTuple, Protocol

import numpy as np
from flint import fmpz_mat
from scipy import sparse
from scipy.optimize import linprog

from certo.certificates.exact import gamma
from certo.certificates.farkas import whole_numbers
from certo.certificates.spans import independent
from certo.solvers.separation import (
    Cancelling,
    Separator,
    Vectors,
    Verdict,
    scaled,
    separate,
)


class Partition(NamedTuple):
    w: list[Fraction]  # 0 where nothing can be separated
    ties: np.ndarray  # the vectors with w·z = 0
    rows: list[int]  # vectors that cancel, and span all the ties
    weights: list[Fraction]


class SignedVectors(Vectors, Protocol):
    def signs(self, w: Sequence[int], places: np.ndarray | None = None) -> np.ndarray:
        """The signs of w·z at these places, or all, decided exactly."""


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


class Orthogonal:
    """The w orthogonal to a few vectors: anything in the `free` columns, which fix the others."""

    def __init__(self, vectors: np.ndarray) -> None:
        self.size = vectors.shape[1]
        reduced, self.pivots, self.common = _eliminated(vectors)
        self.free = np.setdiff1d(np.arange(self.size), self.pivots)
        self.rest = reduced[:, self.free]

    def direction(self, u: np.ndarray) -> np.ndarray:
        """w, with common·u in the free columns."""
        w = np.zeros(self.size, dtype=object)
        w[self.free], w[self.pivots] = self.common * u, -self.rest.dot(u)
        return w

    def coordinates(self, vectors: np.ndarray) -> np.ndarray:
        """v with v·u = z·direction(u) for every u."""
        return self.common * vectors[:, self.free] - vectors[:, self.pivots].dot(self.rest)

    def outside(self, vectors: SignedVectors, rows: Sequence[int]) -> np.ndarray:
        """Which vectors are not in the span of these rows, those that were eliminated."""
        outside = np.zeros(vectors.count, dtype=bool)
        if not self.free.size:
            return outside
        # one w of all tells most of them; those that it does not tell are asked about every one
        some = np.random.default_rng(0).integers(1, 2**31, self.free.size).astype(object)
        outside = vectors.signs(self.direction(some).tolist()) != 0
        unsure = np.setdiff1d(np.flatnonzero(~outside), rows)
        for u in np.eye(self.free.size, dtype=object) if unsure.size else ():
            outside[unsure] |= vectors.signs(self.direction(u).tolist(), unsure) != 0
        return outside


def _floats(vector: Sequence[int]) -> list[float]:
    """The direction of a vector, its largest entry about 1."""
    top = max(abs(entry) for entry in vector)
    return [entry / top for entry in vector]


def partition(vectors: SignedVectors, tied: np.ndarray | None = None) -> Partition:
    """The largest part that can be separated. If these are `tied`, which is not asked then: there
    are no weights."""
    rows: list[int] = []
    weights: list[Fraction] = []
    if tied is not None:
        rows = _spanning(vectors, tied)
    else:
        found = separate(vectors)
        if not isinstance(found, Cancelling):
            return Partition(_fractions(found), np.zeros(0, np.int64), [], [])
        rows, weights = _joined(vectors, [], [], *_enlarged(vectors, found))
    while True:
        space = Orthogonal(vectors.whole(np.array(rows, dtype=np.int64)))
        outside = space.outside(vectors, rows)
        ties, others = np.flatnonzero(~outside), np.flatnonzero(outside)
        if not others.size:
            return Partition([Fraction(0)] * vectors.size, ties, rows, weights)
        back = _different(vectors.part(others))
        reduced = WholeVectors(space.coordinates(vectors.whole(others[back])))
        found = separate(reduced)
        if not isinstance(found, Cancelling):
            u = np.array(_fractions(found), dtype=object)
            return Partition(list(space.direction(u)), ties, rows, weights)
        places, more = _enlarged(reduced, found)
        places = others[back[places]].tolist()
        if tied is None:
            rows, weights = _joined(vectors, rows, weights, places, more)
        else:
            rows = [*rows, *places]


def _spanning(vectors: SignedVectors, tied: np.ndarray) -> list[int]:
    """Few of these that span all of them."""
    random = np.random.default_rng(0)
    rows = random.permutation(tied)[: 2 * vectors.size + 50]
    while True:
        rows = rows[independent(vectors.whole(rows))]
        space = Orthogonal(vectors.whole(rows))
        if not space.free.size:
            return rows.tolist()
        some = random.integers(1, 2**31, space.free.size).astype(object)
        missed = tied[vectors.signs(space.direction(some).tolist(), tied) != 0]
        if not missed.size:
            return rows.tolist()
        rows = np.append(rows, random.permutation(missed)[: vectors.size])


def _different(part) -> np.ndarray:
    """One place of each of the different rows."""
    dense = part.toarray() if sparse.issparse(part) else part
    return np.unique(dense, axis=0, return_index=True)[1]


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
    basis = independent(whole)
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


def _combination(vectors: np.ndarray, target: np.ndarray) -> list[Fraction] | None:
    """c with Σ c_i z_i = target, zero where it may be; None if there is none."""
    common = math.lcm(*(Fraction(entry).denominator for entry in target))
    whole = np.array([int(entry * common) for entry in target], dtype=object)
    reduced, pivots, divisor = _eliminated(np.column_stack([vectors.T, whole]))
    if len(vectors) in pivots:
        return None
    found = [Fraction(0)] * len(vectors)
    for row, pivot in zip(reduced, pivots, strict=True):
        found[pivot] = Fraction(row[-1], divisor * common)
    return found


def _eliminated(rows: np.ndarray) -> tuple[np.ndarray, list[int], int]:
    """(reduced rows, their pivot columns, c): c in the pivot column, the others 0 there (FLINT)."""
    n, size = rows.shape
    matrix, common, rank = fmpz_mat(n, size, rows.ravel().tolist()).rref()
    reduced = np.array([int(entry) for entry in matrix.entries()], dtype=object).reshape(n, size)
    reduced = reduced[:rank]
    return reduced, [int(np.flatnonzero(row)[0]) for row in reduced], int(common)


def _fractions(found: Verdict) -> list[Fraction]:
    assert not isinstance(found, Cancelling)
    w = found.w.tolist() if isinstance(found, Separator) else found.w
    return [Fraction(weight) for weight in w]


def _joined(
    vectors: Vectors,
    rows: list[int],
    weights: list[Fraction],
    places: list[int],
    more: Sequence[int | Fraction],
) -> tuple[list[int], list[Fraction]]:
    """Rows that cancel, and places that cancel up to the span of those, with weights together.

    What the places leave is a combination c of the rows; −c plus a multiple of the weights, which
    changes nothing, is positive.
    """
    whole = vectors.whole(np.array([*rows, *places], dtype=np.int64))
    left = np.array(more, dtype=object).dot(whole[len(rows) :])
    needed = _combination(whole[: len(rows)], left)
    assert needed is not None, "what is left lies in the span"
    times = max((c / a + 1 for c, a in zip(needed, weights, strict=True)), default=Fraction(1))
    times = max(times, Fraction(1))
    old = [times * a - c for a, c in zip(weights, needed, strict=True)]
    return [*rows, *places], [*old, *(Fraction(a) for a in more)]
