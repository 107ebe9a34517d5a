"""Several classes at once, as vectors: z_{t,k} = (e_y − e_k) ⊗ x̃_t for the example t of class y and
every other class k. The product with the stacked weights (w_1, …, w_K) is (w_y − w_k)·x̃_t: by how
much the score of the example's own class is above that of k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.comparisons import comparison_signs
from certo.certificates.spaces.family import Signed, VectorFamily


def family_of(sample: Sample, labels: Labels, lifted: bool) -> VectorFamily:
    """The vectors of a sample, which has signs if the labels have a positive class, else places."""
    if labels.positive is None:
        return Differences(sample, lifted, len(labels.classes))
    return Signed(sample, lifted)


@final
@dataclass(frozen=True)
class Differences(VectorFamily):
    """The sample has, instead of signs, the place of every example's class among the classes.

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
