"""Several classes at once, as vectors of which some are left and some are not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.difference_margins import DifferenceMargins
from certo.certificates.spaces.exact_rows import score_signs
from certo.numbers.farkas import whole_numbers
from certo.numbers.whole import PRIME
from certo.solvers.separation import Cancelling, Comparisons, Examples, Verdict

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


class SignedExamples(Examples):
    """Two classes, with the signs of w·z for any w of whole numbers."""

    def apart(self, w: Sequence[int], places: np.ndarray | None = None) -> np.ndarray:
        X = self.sample.X if places is None else self.sample.X[places]
        return residues(X, np.array(w, dtype=object), self.lifted) != 0

    def signs(self, w: Sequence[int], places: np.ndarray | None = None) -> np.ndarray:
        sample = self.sample
        if places is not None:
            sample = Sample(sample.X[places], sample.signs[places])
        return score_signs(sample, w, self.lifted)


class Contrasts(Comparisons):
    """The vectors z_{t,k} of the comparisons that are left, in terms of w_k − w_K, K the last
    class: a vector that is the same for all classes changes nothing.

    The sample has places among the classes instead of signs; left is (m, n_classes).
    """

    def __init__(self, sample: Sample, left: np.ndarray, lifted: bool) -> None:
        super().__init__(sample, left.shape[1], lifted)
        self.left = left
        self.rows, self.others = np.nonzero(left)
        self.count, self.size = self.rows.size, (self.classes - 1) * self.one.size
        self.groups = sample.signs[self.rows]

    def pairs(self, places: np.ndarray | Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        return self.rows[np.asarray(places)], self.others[np.asarray(places)]

    def split(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return super().split(np.append(w, np.zeros(self.one.size)))

    def at_once(self) -> Verdict | None:
        zeros = np.flatnonzero(self.lengths() == 0)
        return Cancelling([int(zeros[0])], [1]) if zeros.size else None

    def margins(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values, slacks = [], []
        for start, margins, slack in DifferenceMargins(self.sample, *self.split(w)).blocks():
            left = self.left[start : start + len(margins)]
            values.append(margins[left])
            slacks.append(np.repeat(slack, np.count_nonzero(left, axis=1)))
        return np.concatenate(values), np.concatenate(slacks)

    def wrong(self, w: np.ndarray) -> int | None:
        values, slacks = self.margins(w)
        unsure = np.flatnonzero(~(values > slacks))
        wrong = self.signs(whole_numbers(w[None, :])[0], unsure) <= 0
        return int(unsure[wrong][0]) if np.any(wrong) else None

    def lengths(self) -> np.ndarray:
        return self.one.lengths()[self.rows]

    def peaks(self) -> np.ndarray:
        return np.tile(self.one.peaks(), self.classes - 1)

    def part(self, places: np.ndarray | Sequence[int]) -> sparse.csr_array:
        rows, others = self.pairs(places)
        part, size = sparse.coo_array(self.one.part(rows)), self.one.size
        at = np.append(part.row, part.row)
        own, other = self.sample.signs[rows][part.row], others[part.row]
        column = np.append(part.col + own * size, part.col + other * size)
        data = np.append(part.data, -part.data)
        whole = sparse.csr_array((data, (at, column)), shape=(len(rows), self.size + size))
        return whole[:, : self.size]

    def apart(self, w: Sequence[int], places: np.ndarray | None = None) -> np.ndarray:
        places = np.arange(self.count) if places is None else places
        weights = np.array([*w, *[0] * self.one.size], dtype=object).reshape(self.classes, -1)
        rows, others = self.pairs(places)
        some, back = np.unique(rows, return_inverse=True)
        X = self.sample.X[some]
        scores = np.array([residues(X, weight, self.lifted) for weight in weights])
        return scores[self.sample.signs[rows], back] != scores[others, back]

    def signs(self, w: Sequence[int], places: np.ndarray | None = None) -> np.ndarray:
        places = np.arange(self.count) if places is None else places
        weights = np.array([*w, *[0] * self.one.size], dtype=object).reshape(self.classes, -1)
        rows, others = self.pairs(places)
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
