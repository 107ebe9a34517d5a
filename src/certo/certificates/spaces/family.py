"""The vectors z_i that a separation is about: a direction w separates them if w·z_i > 0 for all i.

For two classes there is one for each example, z_t = y_t x̃_t (`Signed`); for several classes one for
each comparison of an example's own class with another (`Differences`). x̃ is x, or (x, 1) where
there is an intercept (`lifted`). All that is said here holds of either.

A vector has an index t·slots + k: t is its example, and k, with several classes, the other class.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.directions import comparison_signs
from certo.certificates.spaces.exact_rows import integer_rows, score_signs
from certo.numbers.whole import independent, null_space
from certo.row_keys import exact_key


@dataclass(frozen=True)
class VectorFamily(abc.ABC):
    """The vectors of a sample, never all at once."""

    sample: Sample
    lifted: bool

    @property
    @abc.abstractmethod
    def slots(self) -> int:
        """How many indices an example has."""

    @property
    @abc.abstractmethod
    def size(self) -> int:
        """The length of the vectors."""

    @property
    @abc.abstractmethod
    def there(self) -> np.ndarray:
        """Which of all m·slots indices a vector has."""

    @abc.abstractmethod
    def whole(self, indices: np.ndarray, every: bool = False) -> np.ndarray:
        """These vectors, all times one power of two that makes them integers, without the
        columns of X that are zero in all of their examples, unless `every` is wanted."""

    @abc.abstractmethod
    def signs(self, direction: Sequence[Sequence[int]]) -> np.ndarray:
        """The signs of all products with a direction of integers (int8), decided exactly:
        (m, slots), with 0 where there is no vector."""

    @abc.abstractmethod
    def _novel(self, core: np.ndarray, asked: np.ndarray) -> np.ndarray:
        """Those asked for that are not, up to their sign, seen at a glance to be in the core."""

    def missing(self, indices: np.ndarray) -> np.ndarray:
        """Those of the indices that no vector has."""
        there = self.there
        known = (indices < there.size) & there[np.minimum(indices, there.size - 1)]
        return np.asarray(indices[~known])

    def beyond(self, core: np.ndarray, marked: np.ndarray) -> np.ndarray:
        """The indices of those vectors, among the marked ones (of all indices), that are not in the
        span of the core, decided exactly.

        A vector is in the span of a basis exactly if it is orthogonal to all that the basis is
        orthogonal to.
        """
        none, slots = core[:0], self.slots
        marked = marked.copy()
        marked[core] = False
        if not marked.any():
            return none
        concerned = np.asarray(marked.reshape(-1, slots).any(axis=1))
        concerned[core // slots] = True
        used = np.flatnonzero(np.asarray((self.sample.X[concerned] != 0).sum(axis=0)).ravel())
        narrow = replace(self, sample=Sample(self.sample.X[:, used], self.sample.signs))
        vectors = narrow.whole(core, every=True)
        basis = independent(vectors)
        if basis.size == narrow.size:
            return none
        asked = narrow._novel(core, np.flatnonzero(marked))
        named = np.append(core, asked)
        some = np.zeros(self.sample.m, dtype=bool)
        some[named // slots] = True
        places = (np.cumsum(some) - 1)[named // slots] * slots + named % slots
        few = replace(narrow, sample=Sample(narrow.sample.X[some], narrow.sample.signs[some]))
        while asked.size and basis.size < narrow.size:
            outside = np.zeros(named.size, dtype=bool)
            for w in null_space(vectors[basis].tolist(), narrow.size):
                direction = [w[k : k + few._width] for k in range(0, len(w), few._width)]
                outside |= few.signs(direction).ravel()[places] != 0
            missed = np.flatnonzero(outside[: core.size])
            if not missed.size:  # The basis spans the core, although it was found modulo a prime.
                return named[outside]
            basis = np.append(basis, missed[0])
        return none

    @property
    def _width(self) -> int:
        return self.sample.d + self.lifted

    def _whole_rows(self, sample: Sample, rows: np.ndarray, every: bool) -> np.ndarray:
        whole = integer_rows(sample, rows.tolist(), self.lifted, every)
        return np.array(whole, dtype=object).reshape(
            rows.size, len(whole[0]) if whole else self._width
        )


@final
@dataclass(frozen=True)
class Signed(VectorFamily):
    """Two classes: z_t = y_t x̃_t, the sample having the signs y_t."""

    slots = 1

    @property
    def size(self) -> int:
        return self._width

    @property
    def there(self) -> np.ndarray:
        return np.ones(self.sample.m, dtype=bool)

    def whole(self, indices: np.ndarray, every: bool = False) -> np.ndarray:
        return self._whole_rows(self.sample, indices, every)

    def signs(self, direction: Sequence[Sequence[int]]) -> np.ndarray:
        return score_signs(self.sample, direction[0], self.lifted)[:, None]

    def _novel(self, core: np.ndarray, asked: np.ndarray) -> np.ndarray:
        known = {exact_key(*self.sample.row(t)) for t in core.tolist()}
        return asked[[exact_key(*self.sample.row(t)) not in known for t in asked.tolist()]]


def family_of(sample: Sample, labels: Labels, lifted: bool) -> VectorFamily:
    """The vectors of a sample, which has signs if the labels have a positive class, else places."""
    if labels.positive is None:
        return Differences(sample, lifted, len(labels.classes))
    return Signed(sample, lifted)


@final
@dataclass(frozen=True)
class Differences(VectorFamily):
    """Several classes at once: z_{t,k} = (e_y − e_k) ⊗ x̃_t for the example t of class y and every
    other class k. The product with the stacked weights (w_1, …, w_K) is (w_y − w_k)·x̃_t: by how
    much the score of the example's own class is above that of k. The sample has, instead of signs,
    the place of every example's class among the classes.

    What is added to all w_k changes no product: so vectors are written without their entries for
    the last class, which are minus the sum of the others, and a direction may leave its own out.
    """

    classes: int

    @property
    def slots(self) -> int:
        return self.classes

    @property
    def size(self) -> int:
        return (self.classes - 1) * self._width

    @property
    def there(self) -> np.ndarray:
        return np.ravel(np.arange(self.classes) != self.sample.signs[:, None])

    def whole(self, indices: np.ndarray, every: bool = False) -> np.ndarray:
        rows, others = np.divmod(indices, self.classes)
        unsigned = Sample(self.sample.X, np.ones(self.sample.m, np.int8))
        x, each = self._whole_rows(unsigned, rows, every), np.arange(rows.size)
        stacked = np.zeros((rows.size, self.classes, x.shape[1]), dtype=object)
        stacked[each, self.sample.signs[rows]] += x
        stacked[each, others] -= x
        return stacked[:, :-1].reshape(rows.size, -1 if rows.size else self.size)

    def signs(self, direction: Sequence[Sequence[int]]) -> np.ndarray:
        whole = [*direction, [0] * self._width][: self.classes]
        return comparison_signs(self.sample, whole, self.lifted)

    def _novel(self, core: np.ndarray, asked: np.ndarray) -> np.ndarray:
        return asked
