"""Separable or not: a separator, or examples that cancel, whichever there is.

Problem     vectors z_i (two classes: y_t x_t, or y_t (x_t, 1) with an intercept); find w with
            w·z_i > 0 for all i, or a ≥ 0, a ≠ 0, with Σ a_i z_i = 0 (Gordan: just one exists)
Strategy    a cheap pass (vectors that are zero or opposite, a few epochs of the Perceptron); then a
            working set of hard vectors: max s s.t. w·z_i ≥ s on it, −1 ≤ w ≤ 1 (HiGHS); vectors
            that this w has on the wrong side join the set, until there are none, or until s = 0,
            when the multipliers are the weights that cancel
Exactness   a separator counts once every margin is proved positive, weights once they cancel in
            whole numbers. Where floats cannot tell, the exact simplex method goes on from there.
"""

from __future__ import annotations

import functools
import math
import operator
import threading
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, Protocol

import highspy
import numpy as np
from scipy import sparse

from certo.certificates.runs.perceptron_run import PerceptronRun
from certo.certificates.sample.examples import Sample
from certo.certificates.separation.separable import LEAST
from certo.certificates.spaces.difference_margins import DifferenceMargins
from certo.certificates.spaces.vectors import Margins
from certo.compiled.directions import directions
from certo.compiled.perceptron import measure
from certo.compiled.rows import rows_of
from certo.compiled.scan import greatest_square
from certo.numbers.exact import TINY
from certo.numbers.farkas import whole_numbers
from certo.solvers.exact_simplex import ExactSimplex
from certo.solvers.farkas import cancelling_weights
from certo.solvers.interrupt import NEVER, Stopped, Watch
from certo.solvers.perceptron import perceptron

CANCELLING_SECONDS = 4e-7  # what exact weights of n vectors take, over n³: measured up to n = 300
TIGHT = 1e-8  # margins up to this, of vectors of length about 1, may be rounding


class Separator(NamedTuple):
    w: np.ndarray  # w·z > 0 for all vectors, proved


class Cancelling(NamedTuple):
    places: list[int]  # which vectors
    weights: list[int]  # Σ weight·vector = 0, proved; no vector can be left out


class FineSeparator(NamedTuple):
    w: list[int]  # w·z > 0 for all vectors, proved, but not when rounded to floats


Verdict = Separator | Cancelling | FineSeparator


class Vectors(Protocol):
    """The vectors z_i of a problem, never all at once."""

    count: int
    size: int
    groups: np.ndarray  # (count,): a working set takes hard vectors from every group

    def at_once(self) -> Verdict | None:
        """A verdict that is easy to find, if there is one."""

    def guess(self) -> np.ndarray:
        """A w that may be a separator."""

    def margins(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """w·z_i, rounded, and how far off they may be."""

    def wrong(self, w: np.ndarray) -> int | None:
        """A vector with w·z_i ≤ 0, decided exactly, or None if there is none."""

    def centred(self, w: np.ndarray) -> np.ndarray:
        """The same with a better intercept, where there is one to choose."""

    def lengths(self) -> np.ndarray:
        """‖z_i‖, about."""

    def peaks(self) -> np.ndarray:
        """The largest entry of each column, in size."""

    def part(self, places: np.ndarray | Sequence[int]):
        """The vectors at these places, as rows (dense or CSR)."""

    def whole(self, places: np.ndarray | Sequence[int]) -> np.ndarray:
        """The same in whole numbers, all times one power of two."""


class Examples:
    """Two classes: z_t = y_t x_t, or y_t (x_t, 1) with an intercept."""

    def __init__(self, sample: Sample, lifted: bool) -> None:
        self.sample, self.lifted = sample, lifted
        self.count, self.size, self.groups = sample.m, sample.d + lifted, sample.signs

    def at_once(self) -> Verdict | None:
        """A zero vector, two that are opposite, or a separator that the Perceptron finds."""
        keys, turn = np.empty(self.count, np.uint64), np.empty(self.count, np.int8)
        directions(rows_of(self.sample.X), not self.lifted, keys, turn)
        turn *= self.sample.signs
        if not np.all(turn):
            return Cancelling([int(np.flatnonzero(turn == 0)[0])], [1])
        for key in np.intersect1d(keys[turn > 0], keys[turn < 0])[:8]:
            same = keys == key
            pair = [int(np.flatnonzero(same & (turn == side))[0]) for side in (1, -1)]
            found = _cancelling(self, np.array(pair))
            if found is not None:
                return found
        return None

    def guess(self) -> np.ndarray:
        square, bad = greatest_square(rows_of(self.sample.X), self.count)
        if bad >= 0 or not 1e-250 < square < 1e250:  # products would over- or underflow
            return np.zeros(self.size)
        # about as long as the first linear program would take, but a little in any case
        X = self.sample.X
        entries = X.nnz if sparse.issparse(X) else X.size
        epochs = 20 * _step(self.size) * self.size**2 // max(entries, 1)
        run = PerceptronRun(epochs=min(max(10, epochs), 2000), lifted=self.lifted)
        return perceptron(self.sample.X, self.sample.signs, run).w[: self.size]

    def _margins(self, w: np.ndarray) -> Margins:
        return Margins.of(self.sample, w[: self.sample.d], float(w[-1]) if self.lifted else 0.0)

    def margins(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        margins = self._margins(w)
        return margins.value, margins.slack

    def wrong(self, w: np.ndarray) -> int | None:
        return self._margins(w).below(LEAST)

    def centred(self, w: np.ndarray) -> np.ndarray:
        """Halfway between the highest score of the negative and the lowest of the positive."""
        if not self.lifted:
            return w
        low, high = (
            Margins.of(Sample(self.sample.X[some], self.sample.signs[some]), w[:-1], 0.0).least()[0]
            for some in (self.sample.signs > 0, self.sample.signs < 0)
        )
        try:
            return np.append(w[:-1], float((high - low) / 2))
        except OverflowError:
            return w

    def lengths(self) -> np.ndarray:
        lengths = np.empty(self.count)
        measure(rows_of(self.sample.X), float(self.lifted), lengths)
        return lengths

    def peaks(self) -> np.ndarray:
        X = self.sample.X
        peaks = np.maximum(_flat(X.max(axis=0)), -_flat(X.min(axis=0)))
        return np.append(peaks, 1.0) if self.lifted else peaks

    def part(self, places: np.ndarray | Sequence[int]):
        places = np.asarray(places)
        signs = self.sample.signs[places].astype(np.float64)[:, None]
        part = self.sample.X[places].astype(np.float64)
        if sparse.issparse(part):
            part = sparse.csr_array(part.multiply(signs))
            return sparse.hstack([part, signs], format="csr") if self.lifted else part
        return np.hstack([part * signs, signs] if self.lifted else [part * signs])

    def whole(self, places: np.ndarray | Sequence[int]) -> np.ndarray:
        return _whole(self.part(places))


class Comparisons:
    """Several classes at once: z_{t,k} = e_y ⊗ x_t − e_k ⊗ x_t for every class k but y, that of t.

    The sample has places among the classes instead of signs.
    """

    def __init__(self, sample: Sample, classes: int, lifted: bool) -> None:
        self.sample, self.classes, self.lifted = sample, classes, lifted
        self.one = Examples(Sample(sample.X, np.ones(sample.m, np.int8)), lifted)
        self.count, self.size = sample.m * (classes - 1), classes * self.one.size
        self.groups = np.repeat(sample.signs, classes - 1)

    def pairs(self, places: np.ndarray | Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """(t, k) for these places."""
        rows, rest = np.divmod(np.asarray(places), self.classes - 1)
        return rows, rest + (rest >= self.sample.signs[rows])

    def split(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The weights and the intercepts of the classes."""
        w = w.reshape(self.classes, -1)
        return w[:, : self.sample.d], w[:, -1] if self.lifted else np.zeros(self.classes)

    def at_once(self) -> Verdict | None:
        return None

    def guess(self) -> np.ndarray:
        return np.zeros(self.size)

    def margins(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values, slacks = [], []
        for start, margins, slack in DifferenceMargins(self.sample, *self.split(w)).blocks():
            codes = self.sample.signs[start : start + len(margins)]
            others = np.arange(self.classes) != codes[:, None]
            values.append(margins[others])
            slacks.append(np.repeat(slack, self.classes - 1))
        return np.concatenate(values), np.concatenate(slacks)

    def wrong(self, w: np.ndarray) -> int | None:
        found = DifferenceMargins(self.sample, *self.split(w)).below(LEAST)
        if found is None:
            return None
        t, k = divmod(found, self.classes)
        return int(t * (self.classes - 1) + k - (k > self.sample.signs[t]))

    def centred(self, w: np.ndarray) -> np.ndarray:
        return w

    def lengths(self) -> np.ndarray:
        return np.repeat(self.one.lengths(), self.classes - 1)

    def peaks(self) -> np.ndarray:
        return np.tile(self.one.peaks(), self.classes)

    def part(self, places: np.ndarray | Sequence[int]) -> sparse.csr_array:
        rows, others = self.pairs(places)
        part = sparse.coo_array(self.one.part(rows))
        own = self.sample.signs[rows]
        at = np.append(part.row, part.row)
        column = np.append(
            part.col + own[part.row] * self.one.size, part.col + others[part.row] * self.one.size
        )
        data = np.append(part.data, -part.data)
        return sparse.csr_array((data, (at, column)), shape=(len(rows), self.size))

    def whole(self, places: np.ndarray | Sequence[int]) -> np.ndarray:
        return _whole(self.part(places))


def _whole(part) -> np.ndarray:
    dense = part.toarray() if sparse.issparse(part) else part
    return np.array(whole_numbers(dense), dtype=object).reshape(dense.shape)


def _flat(row) -> np.ndarray:
    return np.asarray(row.toarray() if sparse.issparse(row) else row, dtype=np.float64).ravel()


class _MarginProgram:
    """max s  s.t.  w·z_i ≥ s on a growing set of vectors, −1 ≤ w ≤ 1; columns scaled."""

    def __init__(self, size: int, watch: Watch = NEVER) -> None:
        self.size, self.watch, self.solver = size, watch, highspy.Highs()
        self.solver.silent()
        # Dense programs of a few hundred rows, solved again with more rows each time: presolving
        # took a third to a half of the time of small ones and gained nothing on large ones.
        self.solver.setOptionValue("presolve", "off")
        self.stop = threading.Event()
        self.solver.cbSimplexInterrupt += self._interrupt
        for tolerance in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            self.solver.setOptionValue(tolerance, 1e-9)
        program = highspy.HighsLp()
        program.num_col_ = size + 1
        program.col_cost_ = np.append(np.zeros(size), -1.0)
        program.col_lower_ = np.append(-np.ones(size), -highspy.kHighsInf)
        program.col_upper_ = np.append(np.ones(size), highspy.kHighsInf)
        program.a_matrix_.start_ = np.zeros(size + 2, np.int32)
        self.solver.passModel(program)

    def add(self, part: sparse.csr_array) -> None:
        n = part.shape[0]
        rows = sparse.hstack([part, np.full((n, 1), -1.0)], format="csr")
        self.solver.addRows(
            n, np.zeros(n), np.full(n, highspy.kHighsInf),
            rows.nnz, rows.indptr[:-1].astype(np.int32), rows.indices.astype(np.int32), rows.data,
        )  # fmt: skip

    def solve(self) -> tuple[np.ndarray, float, np.ndarray] | None:
        """(w, s, the multipliers of the vectors), or None if HiGHS has no answer."""
        self._run()
        if self.solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        found = self.solver.getSolution()
        values = np.array(found.col_value)
        return values[:-1], float(values[-1]), np.array(found.row_dual)

    def _run(self) -> None:
        """Solve in a thread, so that Ctrl-C arrives here while it runs, and stops it."""
        done = threading.Event()  # join() of an interrupted thread takes it to have ended
        thread = threading.Thread(target=self._run_here, args=(done,), daemon=True)
        thread.start()
        try:
            while not done.wait(min(0.1, self.watch.seconds_left + 1e-3)):
                self.watch()
        finally:
            self.stop.set()
            done.wait()
            self.stop.clear()

    def _run_here(self, done: threading.Event) -> None:
        try:
            self.solver.run()
            self.solver.resetGlobalScheduler(False)  # the workers HiGHS keeps for this thread
        finally:
            done.set()

    def _interrupt(self, event) -> None:
        if self.stop.is_set():
            event.interrupt()


def separate(vectors: Vectors, watch: Watch = NEVER) -> Verdict:
    """A separator of all vectors, or some that cancel; proved either way. Stopped is raised if the
    watch asks for it."""
    found = vectors.at_once()
    if found is not None:
        return found
    w = vectors.guess()
    margins, _ = vectors.margins(w)
    if np.all(margins > 0) and vectors.wrong(w) is None:
        return Separator(w)
    return _by_working_set(vectors, margins, watch)


def separate_after(vectors: Vectors, w: np.ndarray, watch: Watch) -> Verdict:
    """The same where a long search has ended with weights w that do not separate the vectors: no
    other guess is made. Exact arithmetic that would outlast the watch is not begun."""
    if np.any(vectors.lengths() == 0):
        found = vectors.at_once()
        if found is not None:
            return found
    return _by_working_set(vectors, vectors.margins(w)[0], watch)


def _by_working_set(vectors: Vectors, margins: np.ndarray, watch: Watch) -> Verdict:
    lengths, exponents = vectors.lengths(), np.frexp(vectors.peaks())[1]
    step = _step(vectors.size)
    inside = np.zeros(vectors.count, dtype=bool)
    program, places = _MarginProgram(vectors.size, watch), np.zeros(0, int)
    multipliers = np.zeros(0)
    # hard vectors of one w alone are easy for −w: some of any kind go with them
    some = np.random.default_rng(0).permutation(vectors.count)[:step]
    new = np.union1d(some, _hardest(margins / lengths, vectors.groups, inside, step))
    while new.size:
        watch()
        program.add(scaled(vectors.part(new), exponents))
        inside[new], places = True, np.append(places, new)
        solved = program.solve()
        if solved is None:
            break
        w, margin, multipliers = solved
        if margin <= TIGHT:
            if CANCELLING_SECONDS * np.count_nonzero(multipliers > 1e-12) ** 3 > watch.seconds_left:
                raise Stopped
            found = _cancelling(vectors, places[multipliers > 1e-12])
            if found is not None:
                return found
            break
        w = _unscaled(w, exponents)
        margins, _ = vectors.margins(w)
        new = _hardest(
            np.where(margins > 0, np.inf, margins / lengths), vectors.groups, inside, step
        )
        if not new.size:
            wrong = vectors.wrong(w)
            if wrong is None:
                return Separator(w)
            new = np.array([wrong] if not inside[wrong] else [], dtype=int)
    return _exactly(vectors, places, multipliers, watch)


def _step(size: int) -> int:
    """How many vectors join a working set at a time: noisy labels of that many rarely separate."""
    return min(4 * size + 100, 2000)


def _hardest(margins: np.ndarray, groups: np.ndarray, inside: np.ndarray, most: int) -> np.ndarray:
    """Up to `most` vectors outside the set with the least margins that are not infinite, as many
    from each group."""
    found = []
    names = np.unique(groups)
    for name in names:
        places = np.flatnonzero((groups == name) & ~inside & ~(margins == np.inf))
        count = -(-most // names.size)
        if places.size > count:
            places = places[np.argpartition(margins[places], count)[:count]]
        found.append(places)
    return np.sort(np.concatenate(found))


def scaled(part, exponents: np.ndarray) -> sparse.csr_array:
    """Columns, then rows, times powers of two that bring their largest entries to about 1."""
    part = sparse.csr_array(part)
    data = np.ldexp(part.data, -exponents[part.indices])
    part = sparse.csr_array((data, part.indices, part.indptr), shape=part.shape)
    peaks = np.frexp(abs(part).max(axis=1).toarray().ravel())[1]
    data = np.ldexp(data, -np.repeat(peaks, np.diff(part.indptr)))
    return sparse.csr_array((data, part.indices, part.indptr), shape=part.shape)


def _unscaled(w: np.ndarray, exponents: np.ndarray) -> np.ndarray:
    """The same for the columns as they were, with entries of at most about 1."""
    used = w != 0
    shift = int(np.min(exponents[used], initial=2000))
    return np.ldexp(w, np.where(used, shift - exponents, 0))


def _cancelling(vectors: Vectors, places: np.ndarray) -> Cancelling | None:
    """These vectors with weights that cancel, if there are any and no vector can be left out."""
    if not places.size or places.size > vectors.size + 1:
        return None
    whole = vectors.whole(places)
    weights = cancelling_weights(whole[:, np.any(whole != 0, axis=0)].tolist())
    return None if weights is None else Cancelling(places.tolist(), weights)


def _exactly(
    vectors: Vectors, places: np.ndarray, multipliers: np.ndarray, watch: Watch
) -> Verdict:
    """The same with the exact simplex method, from the vectors that HiGHS found to matter."""
    heaviest = np.argsort(-multipliers, kind="stable")[: vectors.size + 1]
    known = (places[heaviest] if multipliers.size else places[: vectors.size + 1]).tolist()
    while True:
        simplex, scale = _exact_simplex(vectors.whole(known), watch)
        weights = simplex.weights()
        if weights is not None:
            found = _cancelling(vectors, np.array(known)[list(weights)])
            assert found is not None, "the vectors of a vertex are independent but for one relation"
            return found
        # back to the columns as they were: each weight times its column's power of two
        w = [weight << power for weight, power in zip(simplex.separator(), scale, strict=True)]
        rounded = _rounded(w)
        if vectors.wrong(rounded) is None:
            return Separator(rounded)
        new = _wrong_exactly(vectors, w, rounded)
        if not new:
            return _rounded_well(vectors, w)
        # the basic vectors first: they make up the basis to start from
        basic = [known[b - simplex.first] for b in simplex.basis if b >= simplex.first]
        known = basic + [t for t in known if t not in set(basic)] + new


def _exact_simplex(vectors: np.ndarray, watch: Watch) -> tuple[ExactSimplex, np.ndarray]:
    """The simplex method, finished, on these vectors; and by which power of two each column is
    smaller in it than in the others."""
    low = np.array([_trailing_zeros(column) for column in vectors.T], dtype=object)
    vectors = vectors >> low
    vectors //= np.array([[max(1, math.gcd(*vector))] for vector in vectors], dtype=object)
    size = vectors.shape[1]
    simplex = ExactSimplex(size, 1 + size * int(np.max(np.abs(vectors))), watch)
    simplex.add(vectors)
    simplex.crash(range(len(vectors)))
    simplex.solve()
    return simplex, np.max(low, initial=0) - low


def _trailing_zeros(column: np.ndarray) -> int:
    together = functools.reduce(operator.or_, column.tolist(), 0)
    return (together & -together).bit_length() - 1 if together else 0


def _rounded(w: Sequence[int]) -> np.ndarray:
    """The nearest floats, after division by a power of two: the largest becomes about 1, or where
    the others would then underflow, large."""
    lengths = [abs(weight).bit_length() for weight in w if weight]
    shift = max(lengths) - max(0, min(1020, max(lengths) - min(lengths) - 960))
    scale = Fraction(2) ** -shift
    return np.array([float(weight * scale) for weight in w])


def _rounded_well(vectors: Vectors, w: Sequence[int]) -> Separator | FineSeparator:
    """Multiples of w round in other ways, and shorter weights have exact products: some of these
    may still separate."""
    top = max(abs(weight) for weight in w).bit_length()
    tries = [[factor * weight for weight in w] for factor in range(65, 129)]
    tries += [[weight >> (top - bits) for weight in w] for bits in range(2, min(top, 64))]
    for some in tries:
        if any(some):
            rounded = vectors.centred(_rounded(some))
            if vectors.wrong(rounded) is None:
                return Separator(rounded)
    return FineSeparator(list(w))


def _wrong_exactly(vectors: Vectors, w: Sequence[int], rounded: np.ndarray) -> list[int]:
    """Vectors with w·z ≤ 0 in whole numbers, as many as w has entries at most."""
    values, slacks = vectors.margins(rounded)
    # beside the slack there is the rounding of w: relative, or where it underflowed at most TINY
    with np.errstate(over="ignore", invalid="ignore"):
        clear = values > 2 * slacks + vectors.size * TINY * float(np.max(vectors.peaks()))
    unsure = np.flatnonzero(~clear)
    unsure = unsure[np.argsort(values[unsure], kind="stable")]
    found: list[int] = []
    for start in range(0, unsure.size, 64):
        places = unsure[start : start + 64]
        margins = vectors.whole(places).dot(w)
        found += places[margins <= 0].tolist()
        if len(found) >= vectors.size:
            break
    return found
