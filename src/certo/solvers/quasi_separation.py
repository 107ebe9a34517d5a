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
from typing import NamedTuple

import numpy as np
from flint import fmpz_mat
from scipy import linalg, sparse

from certo.blas import one_thread
from certo.numbers.whole import independent
from certo.solvers.farkas import most_bits, require_time
from certo.solvers.interrupt import NEVER, Watch
from certo.solvers.linear_program import LinearProgram
from certo.solvers.separation import (
    EXACT_BLOCK_ROWS,
    Cancelling,
    Separator,
    Verdict,
    scaled,
    separate,
)
from certo.solvers.vectors import IntegerVectors, Vectors, unit_rows

MIN_INDEPENDENT_RATIO = 1e-6  # Columns that add this share of the largest are independent.
GUESS_BITS = 40  # Binary digits of a guess.


class Partition(NamedTuple):
    w: list[Fraction]  # It is 0 where nothing can be separated.
    ties: np.ndarray  # The vectors with w·z = 0.
    rows: list[int]  # Vectors that cancel and span all ties.
    weights: list[Fraction]


class Orthogonal:
    """The w orthogonal to a few vectors: anything in the `free` columns, which fix the others.

    Which columns are free is chosen so that the others depend on them moderately: else a direction
    that is short in the free columns may be very long, although it moves nothing by much.
    """

    def __init__(self, vectors: np.ndarray, watch: Watch = NEVER) -> None:
        self.size, self.watch = vectors.shape[1], watch
        floats = unit_rows(vectors)
        order, _ = _well_conditioned(floats, np.max(np.abs(floats), axis=0, initial=0.0))
        reduced, pivots, self.common = _eliminate(vectors[:, order], watch)
        self.pivots = order[np.array(pivots, dtype=np.int64)]
        self.free = np.setdiff1d(np.arange(self.size), self.pivots)
        back = np.argsort(order)
        self.rest = reduced[:, back[self.free]]

    def direction(self, u: np.ndarray) -> np.ndarray:
        """w, with common·u in the free columns."""
        w = np.zeros(self.size, dtype=object)
        w[self.free], w[self.pivots] = self.common * u, -self.rest.dot(u)
        return w

    def whole_direction(self, u: np.ndarray) -> list[int]:
        """w for fractions u, times what makes it integers without a common divisor."""
        common = math.lcm(*(Fraction(weight).denominator for weight in u))
        w = self.direction(np.array([int(weight * common) for weight in u], dtype=object))
        return (w // max(1, math.gcd(*w.tolist()))).tolist()

    def near(self, w: np.ndarray) -> list[int] | None:
        """The w, in integers, that a w of floats is in the free columns; None if that is 0."""
        top = float(np.max(np.abs(w[self.free]), initial=0.0))
        if not 0 < top < math.inf:
            return None
        digits = np.rint(w[self.free] / top * 2.0**GUESS_BITS)
        return self.whole_direction(np.array([int(digit) for digit in digits], dtype=object))

    def coordinates(self, vectors: np.ndarray) -> np.ndarray:
        """v with v·u = z·direction(u) for every u."""
        parts = []
        for start in range(0, len(vectors), EXACT_BLOCK_ROWS):
            self.watch()
            part = vectors[start : start + EXACT_BLOCK_ROWS]
            parts.append(self.common * part[:, self.free] - part[:, self.pivots].dot(self.rest))
        return np.vstack(parts)

    def apart(self, vectors: Vectors, places: np.ndarray | None = None) -> np.ndarray:
        """Which vectors are not in the span of those eliminated; almost certainly all of them."""
        some = np.random.default_rng(0).integers(1, 2**31, self.free.size).astype(object)
        return vectors.apart(self.direction(some).tolist(), places)

    def outside(self, vectors: Vectors, rows: Sequence[int], known: np.ndarray) -> np.ndarray:
        """The same, certainly all of them: those known, and of the others, but these rows, those
        that some w orthogonal to the rows tells."""
        outside, unsure = known.copy(), ~known
        unsure[np.array(rows, dtype=np.int64)] = False
        places = np.flatnonzero(unsure)
        for u in np.eye(self.free.size, dtype=object) if places.size else ():
            self.watch()
            outside[places] |= vectors.signs(self.direction(u).tolist(), places) != 0
        return outside


def _well_conditioned(rows: np.ndarray, units: np.ndarray) -> tuple[np.ndarray, bool]:
    """An order of the columns in which each adds much to the span of those before it, with the
    first ones a basis of all, by an orthogonal factorisation with pivoting; and whether they are
    clearly independent. Columns are measured in these units."""
    columns = rows.shape[1]
    with np.errstate(over="ignore"):  # Units may be subnormal.
        rows = rows[: 2 * columns + 50] / np.where(units > 0, units, 1.0)
    if not rows.size or not np.all(np.isfinite(rows)):
        return np.arange(columns), False
    with one_thread():
        left, order = linalg.qr(rows, mode="r", pivoting=True)
    sizes = np.abs(np.diag(left))
    return order, sizes.size == columns and sizes[-1] > MIN_INDEPENDENT_RATIO * sizes[0]


def partition(vectors: Vectors, watch: Watch = NEVER) -> Partition:
    """The largest part that is separated, and why no more can be; or Stopped is raised."""
    found = separate(vectors, watch)
    if not isinstance(found, Cancelling):
        return Partition(_weights(found), np.zeros(0, np.int64), [], [])
    rows, weights = _join(vectors, [], [], *_enlarge(vectors, found, watch))
    while True:
        watch()
        space = Orthogonal(vectors.whole(np.array(rows, dtype=np.int64)), watch)
        outside = space.apart(vectors)
        w, places, more = _separate_others(vectors, space, np.flatnonzero(outside))
        if w is not None:
            known, outside = outside, space.outside(vectors, rows, outside)
            if not np.array_equal(known, outside):
                w, places, more = _separate_others(vectors, space, np.flatnonzero(outside))
            if w is not None:
                return Partition(w, np.flatnonzero(~outside), rows, weights)
        rows, weights = _join(vectors, rows, weights, places, more)


def partition_with(
    vectors: Vectors,
    tied: np.ndarray,
    watch: Watch = NEVER,
    guess: np.ndarray | None = None,
) -> Partition | None:
    """What some w separates that is orthogonal to these; None if it finds nothing. Whether more can
    be separated is not asked: there are no weights. `guess` is a w that may nearly do. Stopped is
    raised if the watch asks for it."""
    random = np.random.default_rng(0)
    rows = random.permutation(tied)[: 2 * vectors.size + 50]
    while True:
        watch()
        rows = rows[independent(vectors.whole(rows))]
        if rows.size == vectors.size:
            return None
        space = Orthogonal(vectors.whole(rows), watch)
        missed = tied[space.apart(vectors, tied)] if space.free.size else tied[:0]
        if missed.size:  # Add rows until they span all ties.
            rows = np.append(rows, random.permutation(missed)[: vectors.size])
            continue
        others = np.flatnonzero(space.apart(vectors)) if space.free.size else tied[:0]
        if not others.size:
            return None
        w, places, _ = _separate_others(vectors, space, others, guess)
        if w is not None:
            common = math.lcm(*(weight.denominator for weight in w))
            signs = vectors.signs([int(weight * common) for weight in w])
            return None if np.any(signs < 0) else Partition(w, np.flatnonzero(signs == 0), [], [])
        rows = np.append(rows, places)


def _separate_others(
    vectors: Vectors, space: Orthogonal, others: np.ndarray, guess: np.ndarray | None = None
) -> tuple[list[Fraction] | None, list[int], Sequence[int | Fraction]]:
    """A w orthogonal to what was eliminated that separates all others; or some of them, and
    weights, that cancel up to the span of what was. A few of them cancel, if all do, mostly; and
    what separates these leaves few others, which join them. `guess` is a w that may nearly do."""
    if not others.size:
        return [Fraction(0)] * vectors.size, [], []
    few, units = 4 * space.free.size + 200, vectors.peaks()[space.free]
    some = np.random.default_rng(0).permutation(others)[:few]
    if guess is not None:
        w = space.near(guess)
        if w is not None and np.all(vectors.signs(w, others) > 0):
            return as_fractions(w), [], []
        hard = vectors.margins(guess)[0][others] / vectors.lengths()[others]
        some = np.union1d(some[: few // 2], others[np.argsort(hard, kind="stable")[: few // 2]])
    while True:
        space.watch()
        part = vectors.part(some)
        dense = part.toarray() if sparse.issparse(part) else part
        some = some[np.unique(dense, axis=0, return_index=True)[1]]  # Each different row once.
        short, used = _reduce_columns(space.coordinates(vectors.whole(some)), units)
        found = separate(short, space.watch)
        if isinstance(found, Cancelling):
            places, more = _enlarge(short, found, space.watch)
            return None, some[places].tolist(), more
        u = np.zeros(space.free.size, dtype=object)
        u[used] = _shorten(short, _weights(found))
        w = space.whole_direction(u)
        wrong = others[vectors.signs(w, others) <= 0]
        if not wrong.size:
            return as_fractions(w), [], []
        some = np.union1d(some, np.random.default_rng(0).permutation(wrong)[:few])


def _reduce_columns(vectors: np.ndarray, units: np.ndarray) -> tuple[IntegerVectors, np.ndarray]:
    """The vectors in columns that all others are combinations of, and which these are: what the
    others add to w moves nothing new, but may make it long."""
    part = IntegerVectors(vectors)
    order, clear = _well_conditioned(part.rows, units)
    if clear:
        return part, np.arange(part.size)
    used = np.sort(order[independent(vectors[:, order].T)])
    return IntegerVectors(vectors[:, used]), used


def _shorten(vectors: IntegerVectors, u: Sequence[Fraction]) -> np.ndarray:
    """A separator with few digits, if it can be: what it is used for is then quick to compute."""
    top = max(abs(weight) for weight in u)
    for bits in (1, 2, 4, 8, 16, 32):
        short = np.array([round(weight / top * 2**bits) for weight in u], dtype=object)
        if min(vectors.vectors.dot(short)) > 0:
            return short
    return np.array(u, dtype=object)


def _enlarge(
    vectors: Vectors, found: Cancelling, watch: Watch
) -> tuple[list[int], Sequence[int | Fraction]]:
    """More vectors that cancel, spanning more, with positive weights; or just those found.

    Of a random part, max Σ s_i s.t. w·z_i ≥ s_i, 0 ≤ s_i ≤ 1 leaves s_i = 0 where no w separates.
    Those have positive weights that cancel (they are the multipliers), as few as possible beside a
    basis of them: min Σ_{i ∉ basis} a_i s.t. Σ a_i z_i = 0, a_i ≥ 1 on the basis. At a vertex,
    all a_i at their bounds are known, and the others solve a system in integers.
    """
    if len(found.places) > vectors.size:  # They span the whole space.
        return found.places, found.weights
    random = np.random.default_rng(0)
    some = random.permutation(vectors.count)[: 4 * vectors.size + 200]
    some = np.union1d(some, found.places)
    exponents = np.frexp(vectors.peaks())[1]
    part = scaled(vectors.part(some), exponents)
    n, size = part.shape
    wide, one = np.full(size, 1e4), np.ones(n)
    program = LinearProgram(
        np.append(-wide, 0 * one), np.append(wide, one), np.append(0 * wide, -one), presolve="on"
    )
    program.add_rows(sparse.hstack([part, -sparse.eye_array(n)], format="csr"), 0.0, np.inf)
    parted = program.solve_watched(watch)
    if parted is None:
        return found.places, found.weights
    tied = np.flatnonzero(parted[size:] < 1e-6)
    whole, part = vectors.whole(some[tied]), part[tied]
    basis = independent(whole)
    least = np.zeros(tied.size)
    least[basis] = 1.0
    program = LinearProgram(least, np.full(tied.size, np.inf), 1 - least, presolve="on")
    program.add_rows(sparse.csr_array(part.T), 0.0, 0.0)
    cancelled = program.solve_watched(watch)
    if cancelled is None:
        return found.places, found.weights
    free = np.flatnonzero(cancelled > least + 1e-9)
    fixed = np.setdiff1d(basis, free)
    shares = np.array([_factor(part[[k]], exponents, whole[k]) for k in fixed], dtype=object)
    solved = _combination(whole[free], -shares.dot(whole[fixed]), watch)
    if solved is None or min(solved, default=Fraction(1)) <= 0:
        return found.places, found.weights
    return some[tied[np.append(fixed, free)]].tolist(), [*shares, *solved]


def _factor(scaled_row: sparse.csr_array, exponents: np.ndarray, whole: np.ndarray) -> Fraction:
    """By how much a weight of the scaled vector is larger than that of the integers."""
    top = int(np.argmax(np.abs(scaled_row.data)))
    column = int(scaled_row.indices[top])
    value = Fraction(float(scaled_row.data[top])) * Fraction(2) ** int(exponents[column])
    return value / int(whole[column])


def _combination(
    vectors: np.ndarray, target: np.ndarray, watch: Watch = NEVER
) -> list[Fraction] | None:
    """c with Σ c_i z_i = target, zero where it may be; None if there is none."""
    common = math.lcm(*(Fraction(entry).denominator for entry in target))
    whole = np.array([int(entry * common) for entry in target], dtype=object)
    reduced, pivots, divisor = _eliminate(np.column_stack([vectors.T, whole]), watch)
    if len(vectors) in pivots:
        return None
    found = [Fraction(0)] * len(vectors)
    for row, pivot in zip(reduced, pivots, strict=True):
        found[pivot] = Fraction(row[-1], divisor * common)
    return found


def _eliminate(rows: np.ndarray, watch: Watch = NEVER) -> tuple[np.ndarray, list[int], int]:
    """(reduced rows, their pivot columns, c): c in the pivot column, the others 0 there (FLINT).

    FLINT cannot be stopped: Stopped is raised before, where it would be too late after. What it
    finds are minors, of about rank·bits bits each, by rank²·(size − rank) multiplications."""
    n, size = rows.shape
    rank = min(n, size)
    require_time(watch, float(rank) ** 3 * max(1, size - rank), most_bits(rows.tolist()))
    matrix, common, rank = fmpz_mat(n, size, rows.ravel().tolist()).rref()
    reduced = np.array([int(entry) for entry in matrix.entries()], dtype=object).reshape(n, size)
    reduced = reduced[:rank]
    return reduced, [int(np.flatnonzero(row)[0]) for row in reduced], int(common)


def _weights(found: Verdict) -> list[Fraction]:
    assert not isinstance(found, Cancelling)
    return as_fractions(found.w.tolist() if isinstance(found, Separator) else found.w)


def as_fractions(w: Sequence[float]) -> list[Fraction]:
    return [Fraction(weight) for weight in w]


def _join(
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
