"""The vectors z_i of a separation problem: of examples, of comparisons of classes, of integers.

A separator is a w with w·z_i > 0 for all i. Two classes have z_t = y_t x_t, or y_t (x_t, 1) with an
intercept. Signs of w·z are decided exactly where rounding could matter.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import NamedTuple, final

import numpy as np
from scipy import sparse

from certo.certificates.runs.perceptron_run import PerceptronRun
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.difference_margins import DifferenceMargins
from certo.certificates.spaces.exact_rows import score_signs
from certo.certificates.spaces.vectors import Margins
from certo.compiled.directions import directions
from certo.compiled.perceptron import measure
from certo.compiled.rows import rows_of
from certo.compiled.scan import greatest_square
from certo.numbers.exact import gamma
from certo.numbers.farkas import whole_numbers
from certo.numbers.whole import PRIME
from certo.solvers.farkas import cancelling_weights
from certo.solvers.hard_margin import hard_margin
from certo.solvers.interrupt import NEVER, Watch
from certo.solvers.perceptron import perceptron

Places = np.ndarray | Sequence[int]
GUESS_NUMBERS_AT_ONCE = 2**24  # Numbers that the Perceptron looks at before it asks the watch.


MAX_COMPARISON_NUMBERS = 2**23  # Numbers of all comparisons of classes that are held at once.
MARGIN_TOL = 1.9  # Any separator is near enough to the largest margin.
MARGIN_EFFORT_FACTOR = 8.0  # Multiplications in the search for it, in those of a linear program.


class Cancelling(NamedTuple):
    places: list[int]  # The indices of the vectors.
    #: Σ weight·vector = 0, proved; no vector can be left out. Empty if they only exist for certain.
    weights: list[int]


class Vectors(abc.ABC):
    """The vectors of a problem, never all at once."""

    count: int
    size: int
    groups: np.ndarray  # (count,): a working set takes hard vectors from every group

    def easily_cancelling(self) -> Cancelling | None:
        """Vectors that cancel and are easy to find, if there are any."""
        zeros = np.flatnonzero(self.lengths() == 0)
        return Cancelling([int(zeros[0])], [1]) if zeros.size else None

    def guess(self, watch: Watch = NEVER) -> np.ndarray:
        """A w that may be a separator; the best so far, once the watch asks to stop."""
        return np.zeros(self.size)

    @abc.abstractmethod
    def margins(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """w·z_i, rounded, and how far off they may be."""

    @abc.abstractmethod
    def signs(self, w: Sequence[int], places: np.ndarray | None = None) -> np.ndarray:
        """The signs of w·z at these places, or all, decided exactly."""

    def apart(self, w: Sequence[int], places: np.ndarray | None = None) -> np.ndarray:
        """True only where w·z is not 0; where False, it is so almost certainly."""
        return self.signs(w, places) != 0

    def wrong(self, w: np.ndarray, places: np.ndarray | None = None) -> int | None:
        """A vector (of these places) with w·z_i ≤ 0, decided exactly, or None if there is none."""
        places = np.arange(self.count) if places is None else places
        values, slacks = (part[places] for part in self.margins(w))
        unsure = places[~(values > slacks)]
        if not unsure.size:
            return None
        wrong = unsure[self.signs(whole_numbers(w[None, :])[0], unsure) <= 0]
        return int(wrong[0]) if wrong.size else None

    def centred(self, w: np.ndarray) -> np.ndarray:
        """The same with a better intercept, where there is one to choose."""
        return w

    @abc.abstractmethod
    def lengths(self) -> np.ndarray:
        """‖z_i‖, about."""

    @abc.abstractmethod
    def peaks(self) -> np.ndarray:
        """The largest entry of each column, in size."""

    @abc.abstractmethod
    def part(self, places: Places):
        """The vectors at these places, as rows (dense or CSR)."""

    def whole(self, places: Places) -> np.ndarray:
        """The vectors at these places as integers: all times one power of two."""
        part = self.part(places)
        dense = part.toarray() if sparse.issparse(part) else part
        return np.array(whole_numbers(dense), dtype=object).reshape(dense.shape)

    def cancelling(self, places: np.ndarray, watch: Watch = NEVER) -> Cancelling | None:
        """These vectors with weights that cancel; None if there are none, or fewer would do."""
        if not places.size or places.size > self.size + 1:
            return None
        whole = self.whole(places)
        weights = cancelling_weights(whole[:, np.any(whole != 0, axis=0)].tolist(), watch)
        return None if weights is None else Cancelling(places.tolist(), weights)


@final
class Examples(Vectors):
    """Two classes: z_t = y_t x_t, or y_t (x_t, 1) with an intercept."""

    def __init__(self, sample: Sample, lifted: bool) -> None:
        self.sample, self.lifted = sample, lifted
        self.count, self.size, self.groups = sample.m, sample.d + lifted, sample.signs

    def easily_cancelling(self) -> Cancelling | None:
        """A zero vector, or two that are opposite."""
        keys, turn = np.empty(self.count, np.uint64), np.empty(self.count, np.int8)
        directions(rows_of(self.sample.X), not self.lifted, keys, turn)
        turn *= self.sample.signs
        if not np.all(turn):
            return Cancelling([int(np.flatnonzero(turn == 0)[0])], [1])
        for key in np.intersect1d(keys[turn > 0], keys[turn < 0])[:8]:
            same = keys == key
            pair = [int(np.flatnonzero(same & (turn == side))[0]) for side in (1, -1)]
            found = self.cancelling(np.array(pair))
            if found is not None:
                return found
        return None

    def guess(self, watch: Watch = NEVER) -> np.ndarray:
        """The weights of the Perceptron after a few epochs."""
        square, bad = greatest_square(rows_of(self.sample.X), self.count)
        if bad >= 0 or not 1e-250 < square < 1e250:  # Products would over- or underflow.
            return np.zeros(self.size)
        # About as long as the first linear program would take, but a little in any case.
        X = self.sample.X
        entries = X.nnz if sparse.issparse(X) else X.size
        epochs = 20 * working_set_step(self.size) * self.size**2 // max(entries, 1)
        run = PerceptronRun(epochs=min(max(10, epochs), 2000), lifted=self.lifted)
        at_once = max(1, GUESS_NUMBERS_AT_ONCE // max(entries, 1))
        return perceptron(
            self.sample.X, self.sample.signs, run, epochs_at_once=at_once,
            after_epoch=lambda _: watch.stop(),
        ).w[: self.size]  # fmt: skip

    def split(self, w: np.ndarray) -> tuple[np.ndarray, float]:
        """The coefficients and the intercept."""
        return w[: self.sample.d], float(w[-1]) if self.lifted else 0.0

    def margins(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        margins = Margins.of(self.sample, *self.split(w))
        return margins.value, margins.slack

    def signs(self, w: Sequence[int], places: np.ndarray | None = None) -> np.ndarray:
        sample = self.sample
        if places is not None:
            sample = Sample(sample.X[places], sample.signs[places])
        return score_signs(sample, w, self.lifted)

    def apart(self, w: Sequence[int], places: np.ndarray | None = None) -> np.ndarray:
        X = self.sample.X if places is None else self.sample.X[places]
        return residues(X, np.array(w, dtype=object), self.lifted) != 0

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
        low, high = (
            np.asarray(row.toarray() if sparse.issparse(row) else row, dtype=np.float64).ravel()
            for row in (X.min(axis=0), X.max(axis=0))
        )
        return np.append(np.maximum(high, -low), np.ones(int(self.lifted)))

    def part(self, places: Places):
        places = np.asarray(places)
        signs = self.sample.signs[places].astype(np.float64)[:, None]
        part = self.sample.X[places].astype(np.float64)
        if sparse.issparse(part):
            part = sparse.csr_array(part.multiply(signs))
            return sparse.hstack([part, signs], format="csr") if self.lifted else part
        return np.hstack([part * signs, signs] if self.lifted else [part * signs])


@final
class Comparisons(Vectors):
    """Several classes at once: z_{t,k} = e_y ⊗ x_t − e_k ⊗ x_t for an example t of class y and each
    class k that it is compared with, in terms of w_k − w_K, K the last class: a vector that is the
    same for all classes changes nothing.

    The sample has places among the classes instead of signs; `left`, (m, n_classes), says which
    comparisons there are.
    """

    def __init__(self, sample: Sample, left: np.ndarray, lifted: bool) -> None:
        self.sample, self.left, self.lifted = sample, left, lifted
        self.classes = left.shape[1]
        self.one = Examples(Sample(sample.X, np.ones(sample.m, np.int8)), lifted)
        self.rows, self.others = np.nonzero(left)
        self.count, self.size = self.rows.size, (self.classes - 1) * self.one.size
        self.groups = sample.signs[self.rows]

    def guess(self, watch: Watch = NEVER, tol: float = MARGIN_TOL) -> np.ndarray:
        """The separator of largest margin, or near it, with about the work of the first linear
        program; 0 if none is found so."""
        nothing = np.zeros(self.size)
        lengths = self.one.lengths()
        entries = 2 * self.one.size * float(self.count)
        if entries > MAX_COMPARISON_NUMBERS or not 1e-100 < lengths.min() <= lengths.max() < 1e100:
            return nothing
        effort = MARGIN_EFFORT_FACTOR * working_set_step(self.size) * self.size**2
        ones, radius = np.ones(self.count, np.int8), float(np.sqrt(2) * lengths.max())
        found = hard_margin(
            self.part(np.arange(self.count)), ones, "none", radius, tol=tol,
            effort=effort, asked=watch.stop,
        )  # fmt: skip
        return found.w if found.separates else nothing

    def weights(self, w: Sequence[int]) -> np.ndarray:
        """One vector of Python integers for each class; that of the last is 0."""
        return np.array([*w, *[0] * self.one.size], dtype=object).reshape(self.classes, -1)

    def split(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The weights and the intercepts of the classes."""
        weights = np.append(w, np.zeros(self.one.size)).reshape(self.classes, -1)
        intercepts = weights[:, -1] if self.lifted else np.zeros(self.classes)
        return weights[:, : self.sample.d], intercepts

    def margins(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values, slacks = [], []
        for start, margins, slack in DifferenceMargins(self.sample, *self.split(w)).blocks():
            left = self.left[start : start + len(margins)]
            values.append(margins[left])
            slacks.append(np.repeat(slack, np.count_nonzero(left, axis=1)))
        return np.concatenate(values), np.concatenate(slacks)

    def signs(self, w: Sequence[int], places: np.ndarray | None = None) -> np.ndarray:
        places = np.arange(self.count) if places is None else places
        weights, rows, others = self.weights(w), self.rows[places], self.others[places]
        kind = self.sample.signs[rows] * self.classes + others
        found = np.zeros(len(places), np.int8)
        for pair in np.unique(kind).tolist():
            own, other = divmod(pair, self.classes)
            difference = (weights[own] - weights[other]).tolist()
            if any(difference):
                some = np.flatnonzero(kind == pair)
                sample = Sample(self.sample.X[rows[some]], np.ones(some.size, np.int8))
                found[some] = score_signs(sample, difference, self.lifted)
        return found

    def apart(self, w: Sequence[int], places: np.ndarray | None = None) -> np.ndarray:
        places = np.arange(self.count) if places is None else places
        rows, others = self.rows[places], self.others[places]
        some, back = np.unique(rows, return_inverse=True)
        X = self.sample.X[some]
        scores = np.array([residues(X, weight, self.lifted) for weight in self.weights(w)])
        return scores[self.sample.signs[rows], back] != scores[others, back]

    def lengths(self) -> np.ndarray:
        return self.one.lengths()[self.rows]

    def peaks(self) -> np.ndarray:
        return np.tile(self.one.peaks(), self.classes - 1)

    def part(self, places: Places) -> sparse.csr_array:
        rows, size = self.rows[np.asarray(places)], self.one.size
        part = sparse.coo_array(self.one.part(rows))
        own, other = self.sample.signs[rows], self.others[np.asarray(places)]
        at = np.append(part.row, part.row)
        column = np.append(part.col + own[part.row] * size, part.col + other[part.row] * size)
        data = np.append(part.data, -part.data)
        every = sparse.csr_array((data, (at, column)), shape=(len(rows), self.size + size))
        return every[:, : self.size]


@final
class IntegerVectors(Vectors):
    """Vectors of Python integers, (n, size), as they come out of exact elimination, or in
    coordinates that were chosen so that they are well conditioned."""

    def __init__(self, vectors: np.ndarray, conditioned: bool = False) -> None:
        self.vectors, self.conditioned = vectors, conditioned
        self.count, self.size = vectors.shape
        self.groups = np.zeros(self.count, np.int8)
        self.rows = unit_rows(vectors)

    def easily_cancelling(self) -> None:
        return None

    def guess(self, watch: Watch = NEVER) -> np.ndarray:
        return np.sum(self.rows, axis=0)

    def margins(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        # Entries were rounded, or became zero below 2⁻¹⁰⁷⁴.
        slack = 2 * gamma(self.size + 4) * (np.abs(self.rows) @ np.abs(w))
        return self.rows @ w, slack + 2.0**-1070 * (1 + np.sum(np.abs(w)))

    def signs(self, w: Sequence[int], places: np.ndarray | None = None) -> np.ndarray:
        vectors = self.vectors if places is None else self.vectors[places]
        return np.sign(vectors.dot(np.array(w, dtype=object))).astype(np.int8)

    def lengths(self) -> np.ndarray:
        return np.ones(self.count)

    def peaks(self) -> np.ndarray:
        return np.max(np.abs(self.rows), axis=0)

    def part(self, places: Places) -> np.ndarray:
        return self.rows[np.asarray(places)]

    def whole(self, places: Places) -> np.ndarray:
        return self.vectors[np.asarray(places)]


def unit_rows(vectors: np.ndarray) -> np.ndarray:
    """Vectors of integers as floats, each divided by its largest entry."""
    rows = []
    for vector in vectors.tolist():
        top = max(abs(entry) for entry in vector) or 1
        rows.append([entry / top for entry in vector])
    return np.array(rows).reshape(vectors.shape)


def working_set_step(size: int) -> int:
    """How many vectors join a working set at a time: noisy labels of that many rarely separate."""
    return min(4 * size + 100, 2000)


POWERS = np.array([pow(2, e, PRIME) for e in range(-1200, 1100)])


def residues(X, w: np.ndarray, lifted: bool) -> np.ndarray:
    """w·x̃ modulo a prime: 2⁻¹ has a value there, so that every float does."""
    factors, d = (w % PRIME).astype(np.int64), X.shape[1]
    total = np.full(X.shape[0], factors[d] if lifted else 0)
    if sparse.issparse(X):
        terms = _residues(X.data) * factors[X.indices] % PRIME
        total += np.diff(np.append(0, np.cumsum(terms))[X.indptr])  # below 2⁶³ in 2³² entries
    else:
        for start, stop in Sample(X, total).blocks():
            terms = _residues(X[start:stop]) * factors[:d] % PRIME
            total[start:stop] += np.sum(terms, axis=1)
    return total % PRIME


def _residues(values: np.ndarray) -> np.ndarray:
    mantissas, exponents = np.frexp(values.astype(np.float64))
    whole = np.ldexp(mantissas, 53).astype(np.int64) % PRIME
    return whole * POWERS[exponents + (1200 - 53)] % PRIME
