"""Several classes at once, as vectors: z_{t,k} = (e_y − e_k) ⊗ x̃_t for the example t of class y and
every other class k. The product with the stacked weights (w_1, …, w_K) is (w_y − w_k)·x̃_t: by how
much the score of the example's own class is above that of k.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from scipy import sparse

from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.exact_rows import score_signs
from certo.certificates.spaces.family import Signed, VectorFamily
from certo.numbers import exact

LOWEST = Fraction(-(2**2100))  # sums of less than 2⁵⁰ products of two floats are not below this


def family_of(sample: Sample, labels: Labels, lifted: bool) -> VectorFamily:
    """The vectors of a sample, which has signs if the labels have a positive class, else places."""
    if labels.positive is None:
        return Differences(sample, lifted, len(labels.classes))
    return Signed(sample, lifted)


def comparison_signs(sample: Sample, direction: list[list[int]], lifted: bool) -> np.ndarray:
    """The signs of all comparisons of a sample with places of classes: (m, K), or for two classes
    (m, 1), the direction being that of the second class against the first."""
    if len(direction) > 1:
        return Differences(sample, lifted, len(direction)).signs(direction)
    signs = np.where(sample.signs == 1, 1, -1).astype(np.int8)
    return Signed(Sample(sample.X, signs), lifted).signs(direction)


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

    def named(self, index: int) -> str:
        t, k = divmod(int(index), self.classes)
        return f"the comparison of example {t} with class {k}"

    def whole(self, indices: np.ndarray, every: bool = False) -> np.ndarray:
        rows, others = np.divmod(indices, self.classes)
        unsigned = Sample(self.sample.X, np.ones(self.sample.m, np.int8))
        x, each = self._whole_rows(unsigned, rows, every), np.arange(rows.size)
        stacked = np.zeros((rows.size, self.classes, x.shape[1]), dtype=object)
        stacked[each, self.sample.signs[rows]] += x
        stacked[each, others] -= x
        return stacked[:, :-1].reshape(rows.size, -1 if rows.size else self.size)

    def signs(self, direction: Sequence[Sequence[int]]) -> np.ndarray:
        sample, codes = self.sample, self.sample.signs
        whole = [*direction, [0] * self._width][: self.classes]
        used = [j for j in range(sample.d) if len({row[j] for row in whole}) > 1]
        X = sample.X.tocsc()[:, used].tocsr() if sparse.issparse(sample.X) else sample.X[:, used]
        places = [*used, sample.d] if self.lifted else used
        groups: dict[tuple[int, ...], list[tuple[int, int, int]]] = {}
        for y, own in enumerate(whole):
            for k, other in enumerate(whole):
                apart = tuple(own[j] - other[j] for j in places)
                if any(apart):  # u_y − u_k and u_k − u_y have one form, and are looked at together
                    side = 1 if next(entry for entry in apart if entry) > 0 else -1
                    form = tuple(side * entry for entry in apart)
                    groups.setdefault(form, []).append((y, k, side))
        signs = np.zeros((sample.m, self.classes), dtype=np.int8)
        for form, pairs in groups.items():
            rows = np.flatnonzero(np.isin(codes, [y for y, _, _ in pairs]))
            if not rows.size:
                continue
            found = score_signs(Sample(X[rows], np.ones(rows.size, np.int8)), form, self.lifted)
            for y, k, side in pairs:
                of_class = codes[rows] == y
                signs[rows[of_class], k] = side * found[of_class]
        return signs

    def margins(self, coef: np.ndarray, intercept: np.ndarray) -> DifferenceMargins:
        return DifferenceMargins(self.sample, coef, intercept)

    def _novel(self, core: np.ndarray, asked: np.ndarray) -> np.ndarray:
        return asked


@final
@dataclass(frozen=True)
class DifferenceMargins:
    """score_y − score_k for every example, y being its own class, and every other class k."""

    sample: Sample
    coef: np.ndarray
    intercept: np.ndarray

    def blocks(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """(first row, score_y − score_k, how far off it may be), block by block.

        A margin is a sum of 2(d + 1) products. That of an example's own class means nothing.
        """
        sample = self.sample
        with np.errstate(over="ignore"):
            longest = float(np.max(np.sum(np.abs(self.coef), axis=1)))
        highest = float(np.max(np.abs(self.intercept)))
        for start, stop in sample.blocks():
            part, codes = sample.part(start, stop), sample.signs[start:stop]
            with np.errstate(over="ignore", invalid="ignore"):
                scores = np.asarray(part @ self.coef.T) + self.intercept
                margins = scores[np.arange(stop - start), codes][:, None] - scores
                peaks = np.asarray(abs(part).max(axis=1).toarray() if sparse.issparse(part) else
                                   np.max(np.abs(part), axis=1, initial=0.0)).ravel()  # fmt: skip
                slack = exact.allowance(2 * sample.d + 2, 2 * (peaks * longest + highest))
            yield start, margins, slack

    def _lowest(self) -> Iterator[tuple[int, np.ndarray]]:
        """(first row, what the margins are not below), block by block; NaN after an overflow, and
        infinite for an example's own class."""
        for start, margins, slack in self.blocks():
            with np.errstate(invalid="ignore"):
                lowest = margins - slack[:, None]
            lowest[np.arange(len(lowest)), self.sample.signs[start : start + len(lowest)]] = np.inf
            yield start, lowest

    def exactly(self, index: int) -> Fraction:
        t, k = divmod(index, len(self.coef))
        own, other = (
            self.sample.score(t, self.coef[c], float(self.intercept[c]))
            for c in (int(self.sample.signs[t]), k)
        )
        return own - other

    def below(self, limit: Fraction) -> int | None:
        """The index of a margin below the limit, or None if there is none; decided exactly."""
        edge, K = exact.above(limit), len(self.coef)
        for start, lowest in self._lowest():
            for place in np.flatnonzero(~(lowest > edge)).tolist():
                if self.exactly(start * K + place) < limit:
                    return start * K + place
        return None

    def least(self) -> tuple[Fraction, int]:
        """(γ, i): no margin is below γ, by the allowances alone, and that of i is close to it."""
        found = []
        for start, lowest in self._lowest():
            place = int(np.argmin(lowest))  # a NaN, if there is one
            low = float(lowest.flat[place])
            known = Fraction(math.nextafter(low, -math.inf)) if math.isfinite(low) else LOWEST
            found.append((known, start * len(self.coef) + place))
        return min(found)

    def distance(self) -> float:
        """0: it takes several hyperplanes to tell several classes apart."""
        return 0.0

    def margin_at(self, distance: float) -> Fraction:
        raise ValueError("several classes have no one hyperplane to be at a distance from.")
