r"""Directions along which the logistic risk falls for ever: then no estimate exists.

Problem     u with (u_y − u_k)·x̃_t ≥ 0 for every example t, of class y, and every other class k, and
            > 0 in some of these comparisons (two classes: y_t u·x̃_t ≥ 0, u one vector)
Columns     the cheap part, one pass over the data. A value c of a column j, with the classes parted
            in those above and those below: no example of a class above has x_j < c, none of one
            below has x_j > c. Then u_k = (e_j, −c) for the classes above and 0 for the others.
            An indicator that occurs with some classes only is of this kind. Comparisons won this
            way are settled; those left are looked at again, until nothing changes
Then        a guess, and linear programs in exact arithmetic (`quasi_separation`), on what is left
Together    if u settles some comparisons, with margins of at least g, and v more of those left, of
            at least h, then n·u + v settles both for n ≥ (h + max |v·z|)/g, with margins of at
            least h
Exactness   columns are compared, never computed with; sums are fractions
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from certo.certificates.encoding import counted
from certo.certificates.sample import Sample
from certo.compiled.ranges import column_ranges
from certo.compiled.rows import rows_of
from certo.compiled.threads import in_pieces, pieces
from certo.solvers.contrasts import Contrasts, SignedExamples
from certo.solvers.quasi_separation import SignedVectors, partition

SHOWN = 3  # columns, and rows of each, that a message names
BATCH = 2**12  # cuts looked at together
MOST = 2**26  # numbers in the tables of ranges: beyond, what is left is not looked at again


class Cut(NamedTuple):
    """A value of a column that no example passes on its class's wrong side."""

    column: int  # that after the last is the intercept
    value: float
    above: tuple[bool, ...]  # which classes
    rows: np.ndarray  # the first examples not on the cut itself
    many: int  # how many there are


class Recession(NamedTuple):
    """A direction of recession, and what it settles."""

    coef: list[list[Fraction]]  # one row for two classes (of the second), else one for each
    strict: np.ndarray  # (m,), or (m, n_classes) for several: (u_y − u_k)·x̃_t > 0
    gap: Fraction  # all of these are at least that
    cuts: tuple[Cut, ...]  # the columns it was found by
    maximal: bool  # whether it is proved that no direction settles more


def recession(
    X,
    codes: np.ndarray,
    n_classes: int,
    lifted: bool,
    *,
    rows: np.ndarray | None = None,
    known: Recession | None = None,
    guess: np.ndarray | None = None,
) -> Recession | None:
    """A direction that settles all that any can, or None where there is none: both proved.

    Parameters
    ----------
    X : array or CSR (m, d) of float64 or float32
    codes : array (m,)
        The place of every label among the classes.
    lifted : bool
        Whether there is an intercept: the last coordinate.
    rows : array of bool (m,), optional
        The examples that count.
    known : Recession, optional
        What is known already (from `column_recession`, or from a call before): it is extended.
    guess : array (1 or n_classes, d + lifted), optional
        Weights that ran away. If they lead to more than is known, that is returned, which may then
        not be all (`maximal` says so).
    """
    problem = _Problem(X, codes, n_classes, lifted, rows)
    found = _Found(problem) if known is None else _Found.resumed(problem, known)
    if known is None:
        _by_columns(problem, found)
    _by_programs(problem, found)
    return found.recession(True)


def column_recession(
    X, codes: np.ndarray, n_classes: int, lifted: bool, *, rows: np.ndarray | None = None
) -> Recession | None:
    """The same by single columns alone: quick, and None says nothing."""
    problem = _Problem(X, codes, n_classes, lifted, rows)
    found = _Found(problem)
    _by_columns(problem, found)
    return found.recession(False)


class _Problem:
    def __init__(self, X, codes, n_classes: int, lifted: bool, rows: np.ndarray | None) -> None:
        self.X, self.classes, self.lifted = X, n_classes, lifted
        self.codes = np.asarray(codes, dtype=np.int64)
        self.m, self.d = X.shape
        self.rows = np.ones(self.m, dtype=bool) if rows is None else np.asarray(rows, dtype=bool)
        self._low, self._high = np.zeros(0), np.zeros(0)

    def ranges(self, group: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(low, high) of every column in groups of rows of these sizes, (groups, d)."""
        shape, stored = (sizes.size, self.d), sparse.issparse(self.X)
        kind = self.X.dtype
        entries = self.X.nnz if stored else self.m * self.d
        parts = pieces(self.m, entries / 8)

        def widen(k: int, start: int, stop: int):
            low, high = np.full(shape, np.inf, kind), np.full(shape, -np.inf, kind)
            seen = np.zeros(shape if stored else (sizes.size, 0), np.int64)
            column_ranges(rows_of(self.X), group, start, stop, low, high, seen)
            return low, high, seen

        lows, highs, seen = zip(*in_pieces(parts, widen), strict=True)
        low, high = np.min(lows, axis=0).astype(float), np.max(highs, axis=0).astype(float)
        if stored:  # entries that are not stored are zeros
            hidden = np.sum(seen, axis=0) < sizes[:, None]
            low[hidden], high[hidden] = np.minimum(low, 0)[hidden], np.maximum(high, 0)[hidden]
        return low, high

    def values(self, columns: np.ndarray) -> dict[int, np.ndarray]:
        """These columns of X̃."""
        inside = columns[columns < self.d]
        if sparse.issparse(self.X):
            part = self.X.tocsc()[:, inside].toarray(order="F").T
        else:
            part = np.ascontiguousarray(self.X[:, inside].T)
        found = dict(zip(inside.tolist(), part, strict=True))
        return found if inside.size == columns.size else {**found, self.d: np.ones(self.m)}

    def span(self, low: np.ndarray, high: np.ndarray) -> None:
        one = np.ones(int(self.lifted))
        self._low = np.append(np.min(low, axis=0), one)
        self._high = np.append(np.max(high, axis=0), one)

    def reach(self, coef: np.ndarray) -> Fraction:
        """No |(u_y − u_k)·x̃| exceeds this."""
        peaks = [max(Fraction(b), -Fraction(a)) for a, b in zip(*self.extent(), strict=True)]
        spread = np.max(coef, axis=0) - np.min(coef, axis=0)
        return sum((a * b for a, b in zip(spread, peaks, strict=True) if a), Fraction(0))

    def extent(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest value of every column of X̃, among the rows that count."""
        if not self._low.size:
            low, high = self.ranges(np.where(self.rows, 0, -1), np.array([self.rows.sum()]))
            self.span(low, high)
        return self._low, self._high


class _Found:
    """The direction so far, what it settles, and what is left."""

    def __init__(self, problem: _Problem) -> None:
        self.problem, size = problem, problem.d + problem.lifted
        self.coef = np.full((problem.classes, size), Fraction(0), dtype=object)
        self.gap = Fraction(1)
        self.cuts: list[Cut] = []
        # comparisons not settled: (m, classes)
        self.left = np.ones((problem.m, problem.classes), dtype=bool)
        self.left[np.arange(problem.m), problem.codes] = False
        self.left[~problem.rows] = False
        self.nothing = True  # is settled

    @classmethod
    def resumed(cls, problem: _Problem, known: Recession) -> _Found:
        found = cls(problem)
        coef = np.array(known.coef, dtype=object)
        found.coef[1 if problem.classes == 2 else slice(None)] = coef
        strict = known.strict
        if problem.classes == 2:
            strict = strict[:, None] & (np.arange(2) != problem.codes[:, None])
        found.left &= ~strict
        found.gap, found.cuts, found.nothing = known.gap, list(known.cuts), False
        return found

    def groups(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(group of every row or −1, class of every group, what is left of each)."""
        problem, K = self.problem, self.problem.classes
        others = ~np.eye(K, dtype=bool)
        if self.nothing:
            return np.where(problem.rows, problem.codes, -1), np.arange(K), others
        group = np.where(np.any(self.left, axis=1), problem.codes, -1)
        touched = np.flatnonzero((group >= 0) & (np.count_nonzero(self.left, axis=1) < K - 1))
        kinds, which = np.unique(
            np.column_stack([problem.codes[touched], self.left[touched]]),
            axis=0, return_inverse=True,
        )  # fmt: skip
        group[touched] = K + which.ravel()
        owner = np.append(np.arange(K), kinds[:, 0])
        return group, owner, np.vstack([others, kinds[:, 1:].astype(bool)])

    def add(self, coef: np.ndarray, reach: Fraction, gap: Fraction, settled: np.ndarray) -> None:
        """A direction for what is left, that settles some of it with margins of at least `gap`;
        on anything settled before, its margins are at most `reach` in size."""
        times = 1 if self.nothing else math.ceil((gap + reach) / self.gap)
        self.coef = self.coef * times + coef
        self.gap, self.nothing = gap, False
        self.left &= ~settled

    def recession(self, maximal: bool) -> Recession | None:
        if self.nothing:
            return None
        problem = self.problem
        strict = ~self.left & problem.rows[:, None]
        strict[np.arange(problem.m), problem.codes] = False
        coef = self.coef.tolist()
        if problem.classes == 2:
            strict = np.any(strict, axis=1)
            coef = (self.coef[1:] - self.coef[:1]).tolist()
        return Recession(coef, strict, self.gap, tuple(self.cuts), maximal)


def _by_columns(problem: _Problem, found: _Found) -> None:
    """Settle all that single columns can."""
    while True:
        group, owner, left = found.groups()
        sizes = np.bincount(group[group >= 0], minlength=owner.size)
        if problem.lifted:  # a column of ones: a cut at 0 leaves classes out that no row is of
            here = np.where(sizes > 0, 1.0, np.inf)[:, None]
            cuts = [
                (problem.d, value, above)
                for _, value, above in _cuts(*_between(here, here, owner, left), False)
            ]
            if cuts:
                _settle(problem, found, cuts)
                continue
        if (owner.size + problem.classes**2) * problem.d > MOST and not found.nothing:
            return
        low, high = problem.ranges(group, sizes)
        if found.nothing:
            problem.span(low, high)
        cuts = _cuts(*_between(low, high, owner, left), problem.lifted)
        if not cuts:
            return
        _settle(problem, found, cuts)


def _between(
    low: np.ndarray, high: np.ndarray, owner: np.ndarray, left: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """From the ranges of the groups those of the comparisons left: [k, l] those of class k that are
    compared with l; (∞, −∞) if there are none."""
    K, columns = left.shape[1], low.shape[1]
    least, most = np.full((K, K, columns), np.inf), np.full((K, K, columns), -np.inf)
    for k, others, bottom, top in zip(owner, left, low, high, strict=True):
        if bottom[0] < np.inf:
            least[k, others] = np.minimum(least[k, others], bottom)
            most[k, others] = np.maximum(most[k, others], top)
    return least, most


def _cuts(
    least: np.ndarray, most: np.ndarray, anywhere: bool
) -> list[tuple[int, float, np.ndarray]]:
    """(column, value, the classes above) of all cuts that settle anything; at 0 if not anywhere.

    With k above, l must be as well unless those of k compared with l are all ≥ c, and those of l
    compared with k ≤ c. So the classes that k takes along are the fewest with which it can be
    above, and all others are below: what any cut at c settles, these settle.
    """
    under = most.transpose(1, 0, 2)
    parted = (least >= under) & ((most > -np.inf) | (under > -np.inf))
    if anywhere:
        k, other, column = np.nonzero(parted)
        column, value = (
            np.append(column, column),
            np.append(least[k, other, column], under[k, other, column]),
        )
    else:
        column = np.unique(np.nonzero(parted & (least >= 0) & (under <= 0))[2])
        value = np.zeros(column.size)
    column, value = column[np.isfinite(value)], value[np.isfinite(value)]
    column, value = np.unique(np.array([column, value]), axis=1) if column.size else (column, value)
    found = []
    for start in range(0, column.size, BATCH):
        j, c = column[start : start + BATCH].astype(int), value[start : start + BATCH]
        low, high = (np.moveaxis(table[:, :, j], 2, 0) for table in (least, most))
        here = c[:, None, None]
        taken = ~((low >= here) & (high.transpose(0, 2, 1) <= here)) | np.eye(
            len(least), dtype=bool
        )
        for _ in range(len(least).bit_length()):
            taken = _product(taken, taken)
        wins = _product(taken, (high > here) | (low.transpose(0, 2, 1) < here)) & ~taken
        at, of = np.nonzero(np.any(wins, axis=2))
        different = np.unique(np.column_stack([at, taken[at, of]]), axis=0)
        found += [(int(j[row[0]]), float(c[row[0]]), row[1:] > 0) for row in different]
    return found


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of matrices of truth values."""
    return (a.astype(np.float32) @ b.astype(np.float32)) > 0


def _settle(problem: _Problem, found: _Found, cuts: list[tuple[int, float, np.ndarray]]) -> None:
    """Add the cuts, each scaled by a power of two so that the least margin in it is about 1."""
    values = problem.values(np.unique([column for column, _, _ in cuts]))
    low, high = problem.extent()
    coef = np.full_like(found.coef, Fraction(0))
    reach, settled = Fraction(0), np.zeros_like(found.left)
    for column, value, above in cuts:
        x = values[column]
        rows = np.flatnonzero(x != value)
        over = x[rows] > value
        # whom they win against: those above of the classes below, and the other way round
        mine = above[problem.codes[rows]] == over
        rows, over = rows[mine], over[mine]
        wins = (above != over[:, None]) & found.left[rows]
        useful = np.any(wins, axis=1)
        rows, wins = rows[useful], wins[useful]
        settled[rows] |= wins
        found.cuts.append(Cut(column, value, tuple(above.tolist()), rows[: SHOWN + 1], rows.size))
        c = Fraction(value)
        x = x[rows]
        ends = (np.min(x[x > value], initial=np.inf), np.max(x[x < value], initial=-np.inf))
        gap = min(abs(Fraction(float(end)) - c) for end in ends if np.isfinite(end))
        scale = Fraction(2) ** (gap.denominator.bit_length() - gap.numerator.bit_length() + 1)
        coef[above, column] += scale
        if problem.lifted:
            coef[above, -1] -= scale * c
        reach += scale * max(Fraction(high[column]) - c, c - Fraction(low[column]))
    found.add(coef, reach, Fraction(1), settled)


def _by_programs(problem: _Problem, found: _Found) -> None:
    """Settle all that is left and can be: proved to be all."""
    rows = np.flatnonzero(np.any(found.left, axis=1))
    if not rows.size:
        return
    X, left, codes, K = problem.X[rows], found.left[rows], problem.codes[rows], problem.classes
    if K == 2:
        vectors: SignedVectors = SignedExamples(
            Sample(X, np.where(codes == 1, 1, -1).astype(np.int8)), problem.lifted
        )
        at = rows, 1 - codes
    else:
        vectors = Contrasts(Sample(X, codes), left, problem.lifted)
        at = rows[vectors.rows], vectors.others
    parted = partition(vectors)
    if parted.ties.size == vectors.count:
        return
    strict = np.setdiff1d(np.arange(vectors.count), parted.ties)
    gap = _least(vectors, parted.w, strict)
    settled = np.zeros_like(found.left)
    settled[at[0][strict], at[1][strict]] = True
    coef = np.full_like(found.coef, Fraction(0))
    w = np.array(parted.w, dtype=object).reshape(K - 1, -1) / gap
    coef[slice(1, 2) if K == 2 else slice(K - 1)] = w
    found.add(coef, problem.reach(coef), Fraction(1), settled)


def _least(vectors: SignedVectors, w: Sequence[Fraction], places: np.ndarray) -> Fraction:
    """The least of w·z at these places, all of them positive."""
    least = []
    for start in range(0, places.size, BATCH):
        some = places[start : start + BATCH]
        whole = vectors.whole(some)
        # whole numbers are the vectors times a power of two: read it off any of their entries
        part = vectors.part(some[:1])
        entry = part.toarray()[0] if sparse.issparse(part) else part[0]
        at = int(np.flatnonzero(entry)[0])
        scale = Fraction(float(entry[at])) / whole[0, at]
        least.append(min(whole.dot(np.array(w, dtype=object))) * scale)
    return min(least)


def words(found: Recession, names: Sequence[str], classes: Sequence[Any]) -> str:
    """Which columns separate which classes, and where; for a message."""
    said = [_of_cut(cut, names, classes) for cut in found.cuts[:SHOWN]]
    more = len(found.cuts) - SHOWN
    if more > 0:
        said.append(f"and {counted(more, 'column')} more in the same way")
    if not said:
        said = ["a direction of several columns together"]
    return "; ".join(said)


def _of_cut(cut: Cut, names: Sequence[str], classes: Sequence[Any]) -> str:
    shown = ", ".join(map(str, cut.rows[:SHOWN])) + (", …" if cut.many > SHOWN else "")
    place = f"(rows {shown}: {cut.many:,} in all)"
    above = [repr(c) for c, up in zip(classes, cut.above, strict=True) if up]
    below = [repr(c) for c, up in zip(classes, cut.above, strict=True) if not up]
    if cut.column == len(names):
        return f"there is no example of class {' or '.join(below)}"
    column, value = f"column {names[cut.column]!r}", f"{cut.value:g}"
    return (
        f"{column} is at least {value} in class {', '.join(above)} and at most {value} in class "
        f"{', '.join(below)} {place}"
    )
