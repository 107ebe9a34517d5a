r"""Rules that let pairs of classes vote, as scikit-learn's `SVC` does, and what they get wrong.

There is a score for each pair of classes (i, j), i < j, in the order (0, 1), (0, 2), …, (1, 2), ….
Above 0 it is a vote for i, otherwise one for j. The class with the most votes is predicted, of
several the first; with `by_confidence` one of them, and nothing is said of which.

Which votes are certain is decided as in `decided`: with A a bound on the error of any evaluation of
a score, ŝ > 2A is above 0 in all of them, and ŝ ≤ −2A in none. Let a class have c certain votes and
o of pairs that are open. An example is right if for each other class k its own c is above c_k + o_k
(or no less, where its own class comes first and the first is taken), and wrong if so much is known
of another class in its place.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Any, final

import numpy as np

from certo.certificates.errors.decided import Wrong, joined
from certo.certificates.errors.kernel_predictor import KernelPredictor
from certo.certificates.errors.predictor import LinearPredictor, Predictor
from certo.certificates.fields import FiniteTable, FiniteVector, WholeVector
from certo.certificates.sample.pairs import pairs_of
from certo.certificates.spaces.images import scores_at
from certo.certificates.spaces.scores import Scores
from certo.containers import count
from certo.kernels.base import Kernel
from certo.numbers import exact

MAX_BLOCK_SCORES = 2**20  # Scores of pairs that are looked at together.


@dataclass(frozen=True, eq=False)
class Votes(Predictor):
    """A vote of pairs with these intercepts."""

    intercept: FiniteVector
    by_confidence: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.classes < 3 or self.intercept.size != len(pairs_of(self.classes)):
            raise ValueError(
                "intercept must hold one number for each pair of three classes or more."
            )

    @property
    def classes(self) -> int:
        return (1 + isqrt(1 + 8 * self.intercept.size)) // 2

    @property
    def outputs(self) -> int:
        return self.classes

    def _decided(self, scores: Scores, codes: np.ndarray, room: float) -> Wrong:
        first, second = np.array(pairs_of(self.classes)).T
        reach = room * scores.slack
        sure, free = (np.zeros((self.classes, codes.size), dtype=np.int64) for _ in range(2))
        with np.errstate(invalid="ignore"):
            for i, j, value, off in zip(first, second, scores.value.T, reach.T, strict=True):
                up, down = value > off, value <= -off
                sure[i] += up
                sure[j] += down
                free[[i, j]] += ~(up | down)
        rows, most = np.arange(codes.size), sure + free
        own, known = np.where(codes >= 0, codes, 0), codes >= 0
        level = 0 if self.by_confidence else np.arange(self.classes)[:, None]
        first_wins, others = level > own * (not self.by_confidence), np.ones_like(sure, bool)
        others[own, rows] = False
        ahead = sure[own, rows] + first_wins > most
        behind = sure + (level < own) * (not self.by_confidence) > most[own, rows]
        right = known & np.all(ahead | ~others, axis=0)
        lost = ~known | np.any(behind & others, axis=0)
        return Wrong(~right, ~right & ~lost)


@final
@dataclass(frozen=True, eq=False)
class LinearVotes(Votes):
    """Scores coef·x + intercept, coef having a row for each pair."""

    coef: FiniteTable

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self._layer

    @cached_property
    def _layer(self) -> LinearPredictor:
        return LinearPredictor(self.coef, self.intercept)

    def wrong(self, X, codes: np.ndarray, room: float = 1.0) -> Wrong:
        return joined(
            self._decided(scores, codes[start : start + len(scores.value)], 2 * room)
            for start, scores in self._layer.scores(X, MAX_BLOCK_SCORES // self.intercept.size)
        )


@final
@dataclass(frozen=True, eq=False)
class KernelVotes(Votes):
    """Scores f(x) + intercept, f = Σ_t a_t K(vector_t, ·) over the vectors of the two classes.

    `codes` says of which class each vector is. As in scikit-learn, column t of `dual_coef` holds
    the a_t of the pairs of this class with all others, in their order.
    """

    kernel: Kernel
    vectors: np.ndarray
    codes: WholeVector
    dual_coef: FiniteTable

    def __post_init__(self) -> None:
        super().__post_init__()
        wanted = self.classes - 1, count(self.vectors)
        if self.dual_coef.shape != wanted or self.codes.shape != wanted[1:]:
            raise ValueError("dual_coef must have a column for each vector, codes a class.")
        if np.any((self.codes < 0) | (self.codes >= self.classes)):
            raise ValueError("codes must be places of classes.")
        _ = self._layer

    @cached_property
    def _layer(self) -> KernelPredictor:
        """The same vectors as a rule that knows how to read and to write them."""
        return KernelPredictor(
            self.kernel, self.vectors, self.dual_coef, np.zeros(self.classes - 1)
        )

    @property
    def reads(self) -> Hashable:
        return self._layer.reads

    def read(self, X) -> Any:
        return self._layer.read(X)

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"vectors": self._layer.to_dict()["vectors"]}

    def wrong(self, X, codes: np.ndarray, room: float = 1.0) -> Wrong:
        step = max(1, MAX_BLOCK_SCORES // self.intercept.size)
        return joined(
            self._decided(
                self._scores(self.kernel.points(X, slice(start, start + step))),
                codes[start : start + step],
                2 * room,
            )
            for start in range(0, codes.size, step)
        )

    def _scores(self, X) -> Scores:
        """The part of either class in a score, and the sum of both and b: two roundings."""
        K, centres = self.classes, self._layer.centres
        parts = []
        for k in range(K):
            some = np.flatnonzero(self.codes == k)
            own = self.kernel.points(centres, some) if some.size else centres[:0]
            coef = self.dual_coef[:, some]
            parts.append(scores_at(self.kernel, X, own, coef, np.zeros(K - 1)))
        value, slack = np.empty((2, count(X), self.intercept.size))
        with np.errstate(over="ignore", invalid="ignore"):
            for k, (i, j) in enumerate(pairs_of(K)):
                left, right, b = parts[i].value[:, j - 1], parts[j].value[:, i], self.intercept[k]
                value[:, k] = left + right + b
                slack[:, k] = parts[i].slack[:, j - 1] + parts[j].slack[:, i]
                slack[:, k] += exact.allowance(3, np.abs(left) + np.abs(right) + abs(b))
        return Scores(value, slack)
