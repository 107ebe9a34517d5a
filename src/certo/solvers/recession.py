r"""Directions along which the logistic risk falls for ever: then no estimate exists.

Problem     u with (u_y − u_k)·x̃_t ≥ 0 for every example t, of class y, and every other class k, and
            > 0 in some of these comparisons (two classes: y_t u·x̃_t ≥ 0, u one vector)
Columns     the cheap part, one pass over the data. A value c of a column j, with the classes parted
            in those above and those below: no example of a class above has x_j < c, none of one
            below has x_j > c. Then u_k = (e_j, −c) for the classes above and 0 for the others.
            An indicator that occurs with some classes only is of this kind. Comparisons won this
            way are settled; those left are looked at again, until nothing changes
Guess       weights that ran away. They may separate all that is left; or classes from others: then
            the mean of the vectors of classes that they do not separate, for each of these classes
Then        linear programs in exact arithmetic (`quasi_separation`), on what is left
Together    if u settles some comparisons, and v more of those left, all with margins of at least
            1, then n·u + v settles both for n ≥ 1 + max |v·z|, with margins of at least 1
Exactness   columns are compared, never computed with; sums are fractions
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from certo.certificates.sample.examples import Sample
from certo.compiled.rows import rows_of
from certo.compiled.scan import column_ranges
from certo.compiled.threads import in_pieces, pieces
from certo.solvers.interrupt import NEVER, Watch
from certo.solvers.quasi_separation import Partition, as_fractions, partition, partition_with
from certo.solvers.vectors import Comparisons, Examples, Vectors

MAX_TIED_MOVE = 0.01  # A step moves a comparison by at most this where nothing separates it.
MAX_ROWS_PER_CUT = 3  # A cut names so many of the rows beside it.
ZERO = Fraction(0)
MAX_RANGE_NUMBERS = 2**22  # With larger tables of ranges a second look is not worth it.
MAX_COMPARED_RANGES = 2**18  # Ranges of comparisons that are made at a time.


class Cut(NamedTuple):
    """A value of a column that no example passes on its class's wrong side."""

    column: int  # The index after the last column is the intercept.
    value: float
    above: tuple[bool, ...]  # The classes above the cut.
    rows: np.ndarray  # The first examples that are not on the cut.
    many: int  # How many examples are not on the cut.
    over: int  # How many of these are above the cut.
    everywhere: bool  # False: only among rows that earlier cuts leave.


class Core(NamedTuple):
    """Comparisons that cancel with these weights, in whose span lie all that are left."""

    rows: np.ndarray
    against: np.ndarray
    weights: tuple[Fraction, ...]


class Recession(NamedTuple):
    """A direction of recession, and what it settles."""

    coef: list[list[Fraction]]  # One row for two classes (of the second), else one for each.
    strict: np.ndarray  # (m,), or (m, n_classes) for several: (u_y − u_k)·x̃_t ≥ 1, else it is 0
    cuts: tuple[Cut, ...]  # The columns that the direction was found by.


class Direction(NamedTuple):
    """One for the comparisons left: ≥ 1 where it settles them, and within ± `reach` on all."""

    coef: dict[tuple[int, int], Fraction]  # The coefficients by class and column.
    reach: Fraction


def decide_recession(
    X,
    codes: np.ndarray,
    n_classes: int,
    lifted: bool,
    *,
    rows: np.ndarray | None = None,
    known: Recession | None = None,
    guess: np.ndarray | None = None,
    step: np.ndarray | None = None,
    watch: Watch = NEVER,
) -> tuple[Recession | None, Core | None]:
    """A direction that settles all that any can, or None where there is none, and why no direction
    settles more. Stopped is raised if the watch asks for it before.

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
        not be all, and with None in place of the reason.
    step : array like the guess, optional
        How the weights run: what the step does not move is taken to be tied.
    """
    search = _Search(X, codes, n_classes, lifted, rows, known)
    if known is None:
        _by_columns(search, watch)
        watch()
    if guess is not None and _by_guess(search, guess, step, watch):
        return search.recession(), None
    core = _by_programs(search, watch)
    return search.recession(), core


def column_recession(
    X,
    codes: np.ndarray,
    n_classes: int,
    lifted: bool,
    *,
    rows: np.ndarray | None = None,
    watch: Watch = NEVER,
) -> Recession | None:
    """The same by single columns alone: quick, and None says nothing. What was found when the watch
    asks to stop is a direction, too."""
    search = _Search(X, codes, n_classes, lifted, rows)
    _by_columns(search, watch)
    return search.recession()


def guessed_recession(
    X,
    codes: np.ndarray,
    n_classes: int,
    lifted: bool,
    *,
    guess: np.ndarray,
    rows: np.ndarray | None = None,
    known: Recession | None = None,
) -> Recession | None:
    """What is known, with what weights that ran away separate beyond it without any search: all
    that is left, or classes from others. Quick; None, if that is nothing, says nothing."""
    search = _Search(X, codes, n_classes, lifted, rows, known)
    if not np.any(search.left):
        return None
    rest = _Rest(search)
    return search.recession() if _at_once(rest, rest.weights(guess)) else None


class _Search:
    """The direction so far, what it settles, and what is left."""

    def __init__(
        self, X, codes, n_classes: int, lifted: bool, rows: np.ndarray | None,
        known: Recession | None = None,
    ) -> None:  # fmt: skip
        self.X, self.classes, self.lifted = X, n_classes, lifted
        self.codes = np.asarray(codes, dtype=np.int64)
        self.m, self.d = X.shape
        self.rows = np.ones(self.m, dtype=bool) if rows is None else np.asarray(rows, dtype=bool)
        self.cuts: list[Cut] = []
        self.directions: list[Direction] = []  # Each separates what those before it have left.
        others = np.arange(n_classes)[:, None] != self.codes
        self.left = others & self.rows  # (n_classes, m): comparisons that are not decided.
        if known is not None:
            self.cuts = list(known.cuts)
            lines = enumerate(known.coef, start=int(n_classes == 2))
            coef = {(k, j): v for k, line in lines for j, v in enumerate(line) if v}
            self.directions = [Direction(coef, ZERO)]
            self.left &= ~known.strict.T

    def ranges(self, group: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(low, high) of every column in groups of rows of these sizes, (groups, d)."""
        shape, stored = (sizes.size, self.d), sparse.issparse(self.X)
        entries = self.X.nnz if stored else self.m * self.d

        def widen(k: int, start: int, stop: int):
            low = np.full(shape, np.inf, self.X.dtype)
            high, seen = -low, np.zeros(shape if stored else (sizes.size, 0), np.int64)
            column_ranges(rows_of(self.X), group, start, stop, low, high, seen)
            return low, high, seen

        lows, highs, seen = zip(*in_pieces(pieces(self.m, entries), widen), strict=True)
        low, high = np.min(lows, axis=0).astype(float), np.max(highs, axis=0).astype(float)
        if stored:  # Entries that are not stored are zeros.
            hidden = np.sum(seen, axis=0) < sizes[:, None]
            low[hidden], high[hidden] = np.minimum(low, 0)[hidden], np.maximum(high, 0)[hidden]
        return low, high

    @cached_property
    def extent(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest value of every column of X̃, among the rows that count."""
        low, high = self.ranges(np.where(self.rows, 0, -1), np.array([np.sum(self.rows)]))
        one = np.ones(int(self.lifted))
        return np.append(low, one), np.append(high, one)

    def reach(self, coef: dict[tuple[int, int], Fraction]) -> Fraction:
        """No |(u_y − u_k)·x̃| exceeds this."""
        low, high = self.extent
        peaks = {j: max(Fraction(high[j]), -Fraction(low[j])) for _, j in coef}
        # A difference of two weights of one column is at most the sum of all in size.
        return sum((abs(weight) * peaks[j] for (_, j), weight in coef.items()), ZERO)

    @cached_property
    def by_columns(self):
        return self.X.tocsc() if sparse.issparse(self.X) else self.X

    def apart(self, column: int, value: float) -> tuple[np.ndarray, np.ndarray]:
        """The rows that have another value in a column of X̃, and which."""
        if column == self.d:
            x = np.ones(self.m)
        elif sparse.issparse(self.X):
            stored = self.by_columns
            here = slice(stored.indptr[column], stored.indptr[column + 1])
            rows, x = stored.indices[here], stored.data[here]
            if value == 0:
                return rows[x != 0], x[x != 0]
            x = np.zeros(self.m)
            x[rows] = stored.data[here]
        else:
            x = self.X[:, column]
        rows = np.flatnonzero(x != value)
        return rows, x[rows]

    def groups(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows with the same comparisons left: (group of every row or −1, class of every group,
        what is left of each)."""
        codes, K = self.codes, self.classes
        owner, left = np.arange(K), ~np.eye(K, dtype=bool)
        group = np.where(np.any(self.left, axis=0), codes, -1)
        if self.directions and K > 2:
            many = np.sum(self.left, axis=0, dtype=np.int64)
            some = np.flatnonzero((many > 0) & (many < K - 1))
            first, which = np.arange(some.size), codes[some]
            for row in self.left[:, some]:
                _, first, which = np.unique(2 * which + row, return_index=True, return_inverse=True)
            group[some] = K + which
            owner = np.append(owner, codes[some[first]])
            left = np.vstack([left, self.left[:, some[first]].T])
        return group, owner, left

    def add(self, direction: Direction, settled: np.ndarray) -> None:
        self.directions.append(direction)
        self.left &= ~settled

    def recession(self) -> Recession | None:
        if not self.directions:
            return None
        K, times = self.classes, 1
        coef = [[ZERO] * (self.d + self.lifted) for _ in range(K)]
        # n·u + v, from the last to the first: n times the product of those that come after.
        for direction in reversed(self.directions):
            for (row, column), value in direction.coef.items():
                coef[row][column] += times * value
            times *= math.ceil(1 + direction.reach)
        strict = ~self.left & self.rows & (np.arange(K)[:, None] != self.codes)
        if K == 2:
            coef = [[a - b if b else a for a, b in zip(coef[1], coef[0], strict=True)]]
            return Recession(coef, np.any(strict, axis=0), tuple(self.cuts))
        return Recession(coef, np.ascontiguousarray(strict.T), tuple(self.cuts))


def _by_columns(search: _Search, watch: Watch) -> None:
    """Settle all that single columns can, or as much as the watch allows."""
    while not watch.stop():
        group, owner, left = search.groups()
        sizes = np.bincount(group[group >= 0], minlength=owner.size)
        if search.lifted:  # A column of ones: a cut at 0 leaves classes out that no row is of.
            here = np.where(sizes > 0, 1.0, np.inf)[:, None]
            cuts = _cuts(here, here, owner, left, False, watch)
            if cuts:
                _settle(search, [(search.d, value, above) for _, value, above in cuts], watch)
                continue
        if (owner.size + search.classes**2) * search.d > MAX_RANGE_NUMBERS and search.directions:
            return
        low, high = search.ranges(group, sizes)
        if not search.directions:
            one = np.ones(int(search.lifted))
            search.extent = np.append(low.min(axis=0), one), np.append(high.max(axis=0), one)
        cuts = _cuts(low, high, owner, left, search.lifted, watch)
        if not cuts:
            return
        _settle(search, cuts, watch)


def _comparison_ranges(
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
    low: np.ndarray, high: np.ndarray, owner: np.ndarray, left: np.ndarray, anywhere: bool,
    watch: Watch,
) -> list[tuple[int, float, np.ndarray]]:  # fmt: skip
    """(column, value, the classes above) of cuts that settle all that any can, or those before the
    watch asks to stop; at 0 if not anywhere. Some columns at a time: the ranges of all comparisons
    of all columns may be more numbers than X has."""
    found: list[tuple[int, float, np.ndarray]] = []
    step = max(1, MAX_COMPARED_RANGES // left.shape[1] ** 2)
    for start in range(0, low.shape[1], step):
        if watch.stop():
            break
        part = slice(start, start + step)
        ranges = _comparison_ranges(low[:, part], high[:, part], owner, left)
        here = _cuts_of_columns(*ranges, anywhere, watch)
        found += [(start + column, value, above) for column, value, above in here]
    return found


def _cuts_of_columns(
    least: np.ndarray, most: np.ndarray, anywhere: bool, watch: Watch
) -> list[tuple[int, float, np.ndarray]]:
    """The same for the columns of these ranges of comparisons.

    With k above, l must be as well unless those of k compared with l are all ≥ c, and those of l
    compared with k ≤ c. So the classes that k takes along are the fewest with which it can be
    above, and all others are below: what any cut at c settles, these settle.
    """
    K, under = len(least), most.transpose(1, 0, 2)
    # Class k is not below l, and not all examples of both have one value.
    parted = (least >= under) & ((most > under) | (least.transpose(1, 0, 2) < least))
    if anywhere:
        k, other, column = np.nonzero(parted)
        value = np.append(least[k, other, column], under[k, other, column])
        column = np.append(column, column)
    else:
        column = np.nonzero(parted & (least >= 0) & (under <= 0))[2]
        value = np.zeros(column.size)
    candidates = np.column_stack([column, value])[np.isfinite(value)]
    candidates = candidates[np.lexsort(candidates.T[::-1])]
    new = np.any(candidates[1:] != candidates[:-1], axis=1)
    candidates = candidates[np.append(np.ones(len(candidates[:1]), dtype=bool), new)]
    found = []
    step = max(1, 2**20 // K**3)
    for start in range(0, len(candidates), step):
        if watch.stop():
            break
        j, c = candidates[start : start + step].T
        here = c[:, None, None]
        low, high = (np.moveaxis(table[:, :, j.astype(int)], 2, 0) for table in (least, most))
        taken = ~((low >= here) & (high.transpose(0, 2, 1) <= here)) | np.eye(K, dtype=bool)
        for _ in range(K.bit_length()):
            taken = _product(taken, taken)
        strict = (high > here) | (low.transpose(0, 2, 1) < here)
        # Which classes win against which, if k is above.
        wins = taken[:, :, :, None] & ~taken[:, :, None, :] & strict[:, None]
        for n, own in np.argwhere(_maximal_sets(wins.reshape(len(c), K, -1))).tolist():
            found.append((int(j[n]), float(c[n]), taken[n, own]))
    return found


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of matrices of truth values."""
    return (a.astype(np.float32) @ b.astype(np.float32)) > 0


def _maximal_sets(sets: np.ndarray) -> np.ndarray:
    """Which of the sets [n, k], of one n, are not empty and not part of another (or of an equal one
    before)."""
    part = ~_product(sets, ~sets.transpose(0, 2, 1))  # [n, k, l]: k is part of l
    before = np.tri(sets.shape[1], k=-1, dtype=bool)
    covered = part & (before | ~part.transpose(0, 2, 1))
    return np.any(sets, axis=2) & ~np.any(covered, axis=2)


def _settle(
    search: _Search, cuts: list[tuple[int, float, np.ndarray]], watch: Watch = NEVER
) -> None:
    """Add the cuts, each scaled by a power of two so that the least margin in it is about 1; those
    before the watch asks to stop."""
    low, high = search.extent
    coef: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    reach, settled = ZERO, np.zeros_like(search.left)
    everywhere = not search.directions and bool(np.all(search.rows))
    for column, value, above in cuts:
        if watch.stop():
            break
        rows, x = search.apart(column, value)
        over = x > value
        mine = above[search.codes[rows]] == over
        # Those over it win against the classes below, those under it against those above.
        wins = (above[:, None] != over) & mine & search.left[:, rows]
        useful = np.any(wins, axis=0)
        rows, over, x = rows[useful], over[useful], x[useful]
        settled[:, rows] |= wins[:, useful]
        classes, some = tuple(above.tolist()), rows[:MAX_ROWS_PER_CUT]
        many = rows.size, int(np.count_nonzero(over))
        search.cuts.append(Cut(column, value, classes, some, *many, everywhere))
        c = Fraction(value)
        ends = np.min(x[over], initial=np.inf), np.max(x[~over], initial=-np.inf)
        gap = min(abs(Fraction(float(end)) - c) for end in ends if np.isfinite(end))
        scale = Fraction(2) ** (gap.denominator.bit_length() - gap.numerator.bit_length() + 1)
        for k in np.flatnonzero(above).tolist():
            coef[k, column] += scale
            if search.lifted and c:
                coef[k, search.d] -= scale * c
        reach += scale * max(Fraction(high[column]) - c, c - Fraction(low[column]))
    if coef:
        search.add(Direction(coef, reach), settled)


class _Rest:
    """The comparisons left, as vectors."""

    def __init__(self, search: _Search) -> None:
        self.search = search
        left = np.any(search.left, axis=0)
        self.rows = np.flatnonzero(left)
        # A column that is constant there is as good as the intercept, or nothing.
        low, high = search.ranges(np.where(left, 0, -1), np.array([self.rows.size]))
        low, high = (low, high) if search.lifted else (np.minimum(low, 0), np.maximum(high, 0))
        self.columns = np.flatnonzero(low[0] < high[0])
        self.columns = self.columns if self.columns.size else np.zeros(1, np.int64)
        codes = search.codes[self.rows]
        X = search.X[np.ix_(self.rows, self.columns)]
        if search.lifted:
            self.columns = np.append(self.columns, search.d)
        if search.classes == 2:
            signs = np.where(codes == 1, 1, -1).astype(np.int8)
            self.vectors: Vectors = Examples(Sample(X, signs), search.lifted)
            self.others = 1 - codes
        else:
            comparisons = search.left[:, self.rows].T
            self.vectors = vectors = Comparisons(Sample(X, codes), comparisons, search.lifted)
            self.rows, self.others = self.rows[vectors.rows], vectors.others

    def weights(self, guess: np.ndarray) -> np.ndarray:
        """A guess in the coordinates of the vectors."""
        guess = guess[:, self.columns]
        return (guess[:-1] - guess[-1]).ravel() if len(guess) > 1 else guess[0]

    def settle(self, parted: Partition) -> None:
        strict = np.delete(np.arange(self.vectors.count), parted.ties)
        if not strict.size:
            return
        search, K = self.search, self.search.classes
        w = np.array(parted.w, dtype=object) / _least_margin(self.vectors, parted.w, strict)
        classes = range(1, 2) if K == 2 else range(K - 1)
        places = itertools.product(classes, self.columns.tolist())
        coef = {place: weight for place, weight in zip(places, w, strict=True) if weight}
        settled = np.zeros_like(search.left)
        settled[self.others[strict], self.rows[strict]] = True
        search.add(Direction(coef, search.reach(coef)), settled)


def _by_programs(search: _Search, watch: Watch) -> Core:
    """Settle all that is left and can be, and why that is all."""
    if not np.any(search.left):
        return Core(np.zeros(0, np.int64), np.zeros(0, np.int64), ())
    rest = _Rest(search)
    parted = partition(rest.vectors, watch)
    rest.settle(parted)
    places = np.array(parted.rows, dtype=np.int64)
    order = np.lexsort([rest.others[places], rest.rows[places]])
    total, places = sum(parted.weights), places[order]
    weights = tuple(parted.weights[k] / total for k in order.tolist())
    return Core(rest.rows[places], rest.others[places], weights)


def _by_guess(search: _Search, guess: np.ndarray, step: np.ndarray | None, watch: Watch) -> bool:
    """Along weights that run away, what is separated wins by more and more, and the rest by no more
    than it ever will: those that the step does not move, or those that win by much less than the
    most, are taken to be ties. Whether that leads to anything."""
    if not np.any(search.left):
        return False
    rest = _Rest(search)
    vectors, w = rest.vectors, rest.weights(guess)
    if _at_once(rest, w):
        return True
    margins, _ = vectors.margins(w)
    choices = [(margins < np.max(margins) / share, w) for share in (2, 4, 8, 16, 32)]
    if step is not None:
        along = rest.weights(step)
        still = np.abs(vectors.margins(along)[0]) <= MAX_TIED_MOVE
        choices = [*([(still, along)] if not np.all(still) else []), *choices]
    for tied, along in choices:
        parted = partition_with(vectors, np.flatnonzero(tied), watch, along)
        if parted is not None:
            rest.settle(parted)
            return True
    return False


def _at_once(rest: _Rest, w: np.ndarray) -> bool:
    """Settle what w separates without a search: all vectors, or classes from others."""
    vectors = rest.vectors
    margins, _ = vectors.margins(w)
    if np.all(margins > 0) and vectors.wrong(w) is None:
        rest.settle(Partition(as_fractions(w.tolist()), np.zeros(0, np.int64), [], []))
        return True
    if not isinstance(vectors, Comparisons):
        return False
    own = vectors.sample.signs[vectors.rows]
    for groups in _groupings(own, vectors.others, margins, vectors.classes):
        across = groups[own] != groups[vectors.others]
        merged, places = _merge_classes(w, groups), np.flatnonzero(across)
        if places.size and vectors.wrong(merged, places) is None:
            rest.settle(Partition(as_fractions(merged.tolist()), np.flatnonzero(~across), [], []))
            return True
    return False


def _groupings(
    own: np.ndarray, others: np.ndarray, margins: np.ndarray, K: int
) -> Iterator[np.ndarray]:
    """Numbers of groups of classes, (K,), from many groups to two: the two classes whose least
    margin is the least of all between different groups are put into one (single linkage)."""
    least = np.full((K, K), np.inf)
    np.minimum.at(least, (own, others), margins)
    least = np.minimum(least, least.T)
    groups = np.arange(K)
    while True:
        between = np.where(groups[:, None] != groups, least, np.inf)
        a, b = np.unravel_index(np.argmin(between), between.shape)
        if between[a, b] == np.inf:
            return
        groups = np.where(groups == groups[b], groups[a], groups)
        if np.all(groups == groups[0]):
            return
        yield groups


def _merge_classes(w: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The weights against the last class with their mean over its group for each class: equal
    numbers for classes of one group, so that comparisons within it are exactly 0."""
    table = np.vstack([w.reshape(len(groups) - 1, -1), np.zeros(w.size // (len(groups) - 1))])
    for group in np.unique(groups):
        table[groups == group] = table[groups == group].mean(axis=0)
    return (table[:-1] - table[-1]).ravel()


def _least_margin(vectors: Vectors, w: Sequence[Fraction], places: np.ndarray) -> Fraction:
    """The least of w·z at these places, all of them positive: exactly, where rounding leaves more
    than one that may be it."""
    least, weights = [], np.array(w, dtype=object)
    with contextlib.suppress(OverflowError), np.errstate(over="ignore", invalid="ignore"):
        margins, slack = (part[places] for part in vectors.margins(weights.astype(float)))
        slack = 4 * slack  # The rounding of the weights is part of it.
        may = ~(margins - slack > np.min(margins + slack))  # So may what overflows.
        places = places[may] if np.any(may) else places
    for start in range(0, places.size, 4096):
        some = places[start : start + 4096]
        whole, part = vectors.whole(some), vectors.part(some[:1])
        # The vectors times a power of two: it can be seen in any entry.
        entries = part.toarray()[0] if sparse.issparse(part) else part[0]
        at = int(np.flatnonzero(entries)[0])
        least.append(min(whole.dot(weights)) * Fraction(float(entries[at])) / whole[0, at])
    return min(least)
