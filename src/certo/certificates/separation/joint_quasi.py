"""Quasi-separation of several classes: no score above that of an example's own class, some below.

A comparison of the example t, of class y, with another class k is (u_y − u_k)·x̃_t, the product of
the stacked directions with z_{t,k} = e_y ⊗ x̃_t − e_k ⊗ x̃_t. With all of them ≥ 0 and some > 0, the
likelihood of logistic regression rises for ever along u. What `quasi_separable` says of vectors
z_t holds of these: where some cancel with positive weights, they are 0 whatever u, and so is every
one in their span.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from certo.certificates.base import Refuted, require
from certo.certificates.encoding import counted
from certo.certificates.fields import index_vector, whole_vector
from certo.certificates.sample.examples import Sample
from certo.certificates.separation.comparisons import (
    check_classes,
    comparison_signs,
    whole_direction,
)
from certo.certificates.separation.inseparable import check_shape
from certo.certificates.separation.joint import class_sample
from certo.certificates.separation.quasi_separable import Cancelling
from certo.certificates.separation.spans import signed_rows
from certo.numbers.farkas import cancels, whole_numbers
from certo.numbers.whole import independent, null_space


class _JointQuasi(Cancelling):
    """The same of comparisons (`rows`, `against`)."""

    against: np.ndarray

    _reads: ClassVar[str] = "places of classes"

    def _check_rows(self) -> None:
        check_classes(self.labels)
        for name in ("rows", "against"):
            object.__setattr__(self, name, whole_vector(getattr(self, name), name))
        K, most = len(self.labels.classes), 2**62
        if self.rows.size != self.against.size:
            raise ValueError("there must be as many rows as classes that they are compared with.")
        if not (np.all(self.against >= 0) and np.all(self.against < K)):
            raise ValueError("against must hold places of classes.")
        if np.any(self.rows > most // K):
            raise ValueError("rows must be places of examples.")
        index_vector(self.rows * K + self.against, "comparisons")  # each of them once

    @property
    def _scores(self) -> str:
        return "linear scores" if self.lifted else "linear scores without intercepts"

    def _sample(self, X, y) -> Sample:
        return class_sample(X, y, self.labels.classes)

    def _check_settled(self, sample: Sample, ties: np.ndarray) -> None:
        """The comparisons named cancel, and those marked in `ties` lie in their span."""
        check_shape(self, sample)
        require(
            np.all(sample.signs[self.rows] != self.against),
            "an example is compared with its own class.",
        )
        require(np.all(ties[self.rows, self.against]), "a comparison that cancels is not tied.")
        concerned = np.flatnonzero(np.any(ties, axis=1))
        used = np.flatnonzero(np.asarray((sample.X[concerned] != 0).sum(axis=0)).ravel())
        sample = Sample(sample.X[:, used], sample.signs)
        vectors = self._vectors(sample)
        if self.rows.size:
            together = cancels(vectors.tolist(), self.weights)
            require(together, "the weighted comparisons do not cancel exactly.")
        out = self._beyond(sample, vectors, ties)
        require(
            not len(out),
            f"{counted(len(out), 'comparison')} not won, such as that of example "
            f"{out[:1, 0].tolist()} with class {out[:1, 1].tolist()}, might still be: they are not "
            "in the span of those that cancel.",
        )

    def _vectors(self, sample: Sample) -> np.ndarray:
        """z_{t,k} of the comparisons named, without the last class: what is added to all u_k
        changes no comparison. Whole numbers, all times one power of two."""
        K, n = len(self.labels.classes), self.rows.size
        x = signed_rows(Sample(sample.X, np.ones(sample.m, np.int8)), self.rows, self.lifted)
        dense = np.zeros((n, K, x.shape[1]))
        dense[np.arange(n), sample.signs[self.rows]] += x
        dense[np.arange(n), self.against] -= x
        stacked = dense[:, :-1].reshape(n, (K - 1) * x.shape[1])
        return np.array(whole_numbers(stacked), dtype=object).reshape(stacked.shape)

    def _beyond(self, sample: Sample, vectors: np.ndarray, ties: np.ndarray) -> np.ndarray:
        """(t, k) of the ties that are not in the span of the vectors, decided exactly."""
        size, basis = vectors.shape[1], independent(vectors)
        while basis.size < size:
            outside = np.zeros_like(ties)
            for w in null_space(vectors[basis].tolist(), size):
                direction = [
                    *np.reshape(np.array(w, dtype=object), (ties.shape[1] - 1, -1)).tolist()
                ]
                direction.append([0] * len(direction[0]))
                outside |= comparison_signs(sample, direction, self.lifted) != 0
            missed = np.flatnonzero(outside[self.rows, self.against])
            if not missed.size:  # the basis spans all vectors, although it was found modulo a prime
                return np.argwhere(outside & ties)
            basis = np.append(basis, missed[0])
        return np.zeros((0, 2), np.int64)


@final
@dataclass(frozen=True, repr=False, eq=False)
class JointlyQuasiSeparable(_JointQuasi):
    """Claim: (u_y − u_k)·x̃_t, u = `direction`, is positive in the comparisons `won` (written as
    t·n_classes + k), of which there are some, and 0 in all others; and in no direction in which
    none is negative is any of the others positive.

    Proof: the signs of all comparisons, exactly; and `rows` compared with the classes `against`,
    with weights that cancel, in whose span all others lie.
    """

    intercept: str
    examples: int
    features: int
    direction: tuple[tuple[Fraction, ...], ...]
    won: np.ndarray
    rows: np.ndarray
    against: np.ndarray
    weights: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "won", index_vector(self.won, "won"))
        width = self.features + self.lifted
        if len(self.direction) != len(self.labels.classes) or not all(
            len(row) == width and all(isinstance(entry, Fraction) for entry in row)
            for row in self.direction
        ):
            raise ValueError(f"direction must have {width} fractions for each class.")

    @property
    def strict(self) -> np.ndarray:
        """[t, k]: whether the score of class k falls below that of the own class of example t."""
        K = len(self.labels.classes)
        strict = np.zeros(self.examples * K, dtype=bool)
        strict[self.won] = True
        return strict.reshape(-1, K)

    def _check(self, sample: Sample) -> str:
        m, K = sample.m, len(self.labels.classes)
        check_shape(self, sample)
        require(self.won.size, "no comparison is won.")
        require(self.won[-1] < m * K, "a comparison is named that there is not.")
        whole = whole_direction(self.direction)
        if whole is None:
            raise Refuted("the direction has no common denominator of a reasonable size.")
        signs = comparison_signs(sample, whole, self.lifted)
        wrong = np.argwhere(signs != self.strict)
        require(
            not len(wrong),
            f"the comparison of example {wrong[:1, 0].tolist()} with class {wrong[:1, 1].tolist()} "
            "is not what it is said to be.",
        )
        others = np.arange(K) != sample.signs[:, None]
        self._check_settled(sample, others & ~self.strict)
        return f"{self.won.size:,} comparisons are positive, all others are zero."


@final
@dataclass(frozen=True, repr=False, eq=False)
class JointlyOverlapping(_JointQuasi):
    """Claim: in a direction in which no comparison is negative, all are zero.

    Proof: `rows` compared with the classes `against`, with weights that cancel, in whose span all
    comparisons lie.
    """

    intercept: str
    examples: int
    features: int
    rows: np.ndarray
    against: np.ndarray
    weights: tuple[Fraction, ...]

    def _check(self, sample: Sample) -> str:
        others = np.arange(len(self.labels.classes)) != sample.signs[:, None]
        self._check_settled(sample, others)
        return (
            f"{counted(self.rows.size, 'weighted comparison')} cancel exactly and span all others."
        )
