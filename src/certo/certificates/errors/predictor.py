"""Rules that give every example a class, as values that a claim can hold, and what they get wrong.

What is right, and what is wrong, is said in `decided`.
"""

from __future__ import annotations

import abc
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from scipy import sparse

from certo.certificates.base import require
from certo.certificates.errors.decided import Wrong, joined, undecided_is_wrong
from certo.certificates.fields import FiniteTable, FiniteVector, Value, WholeVector
from certo.certificates.named import Named
from certo.certificates.sample.examples import Sample, exact_matrix
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.scores import Scores
from certo.numbers import exact
from certo.numbers.rounding import OVERFLOW_LIMIT


class Predictor(Named, Value, abc.ABC):
    """A rule that gives every example one of the classes."""

    name_key = "type"
    modules: ClassVar[dict[str, str]] = {
        "KernelPredictor": "certo.certificates.errors.kernel_predictor",
        **dict.fromkeys(("LinearVotes", "KernelVotes"), "certo.certificates.errors.votes"),
        **dict.fromkeys(("LinearPredictor", "StatedPredictions"), __name__),
    }

    @property
    @abc.abstractmethod
    def outputs(self) -> int | None:
        """How many scores there are; None: it has no scores."""

    def counted(self, errors: int, ties: int, examples: int) -> str:
        """What a check counted."""
        return f"{errors:,} of {examples:,} are wrong, {ties:,} of them by a tie."

    @property
    def reads(self) -> Hashable:
        """The same for two rules that read X in the same way."""
        return None

    def read(self, X) -> Any:
        """X as the rule takes it, or SampleMismatch."""
        return exact_matrix(X)

    @abc.abstractmethod
    def wrong(self, X, codes: np.ndarray, room: float = 1.0) -> Wrong:
        """What it gets wrong of X, as `read` gives it, where codes are the places of the true
        classes, −1 one that is none of them; with so many times the allowance, where there is one,
        in `room` for a checker."""


@final
@dataclass(frozen=True, eq=False)
class LinearPredictor(Predictor):
    """Scores coef·x + intercept, coef having a row for each."""

    coef: FiniteTable
    intercept: FiniteVector

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.intercept.size == len(self.coef) > 0:
            raise ValueError("intercept must hold one number for each row of coef.")

    @property
    def outputs(self) -> int:
        return len(self.coef)

    def wrong(self, X, codes: np.ndarray, room: float = 1.0) -> Wrong:
        sample = self._sample(X, codes)
        parts = (self._wrong(sample.part(a, b), codes[a:b], 2 * room) for a, b in sample.blocks())
        return joined(parts)

    def _sample(self, X, codes: np.ndarray) -> Sample:
        require(
            X.shape[1] == self.coef.shape[1],
            f"the rule has {self.coef.shape[1]:,} features, but X has {X.shape[1]:,} columns.",
        )
        return Sample(X, codes)

    @np.errstate(over="ignore", invalid="ignore")
    def scores(self, X, rows: int) -> Iterator[tuple[int, Scores]]:
        """The scores of at most so many rows at a time, with their slack, and which row comes
        first: each with its own allowance, from Σ|w_j x_j|."""
        sample = self._sample(X, np.zeros(X.shape[0], np.int64))
        size = np.abs(self.coef).T
        for start, stop in sample.blocks():
            for a in range(start, stop, max(1, rows)):
                part = sample.part(a, min(a + max(1, rows), stop))
                products = np.asarray((part != 0).sum(axis=1)).reshape(-1, 1)
                slack = self._allowance(products, abs(part) @ size)
                yield a, Scores(part @ self.coef.T + self.intercept, slack)

    @np.errstate(over="ignore", invalid="ignore")
    def _wrong(self, part, codes: np.ndarray, room: float) -> Wrong:
        """With one allowance for all rows, from max|x_j|·Σ|w_j|; where that leaves a row open, with
        its own, from Σ|w_j x_j|."""
        value, size = part @ self.coef.T + self.intercept, np.abs(self.coef)
        entries = part.data if sparse.issparse(part) else part
        peak = max(entries.max(initial=0.0), -entries.min(initial=0.0))
        slack = self._allowance(self.coef.shape[1], peak * size.sum(axis=1))
        found = undecided_is_wrong(value, np.broadcast_to(room * slack, value.shape), codes)
        close = np.flatnonzero(found.ties)
        if close.size:
            rows = part[close]
            products = np.asarray((rows != 0).sum(axis=1)).reshape(-1, 1)
            slack = self._allowance(products, abs(rows) @ size.T)
            tight = undecided_is_wrong(value[close], room * slack, codes[close])
            found.errors[close], found.ties[close] = tight
        return found

    def _allowance(self, products, magnitude: np.ndarray) -> np.ndarray:
        """What any sum of so many products, and of b·1, may be off; where it may overflow on the
        way, there is no limit."""
        magnitude = magnitude + np.abs(self.intercept)
        slack = exact.allowance(products + 1, magnitude)
        return np.where(magnitude < OVERFLOW_LIMIT, slack, np.inf)


@final
@dataclass(frozen=True, eq=False)
class StatedPredictions(Predictor):
    """Answers that were written down: the place of a class for each example."""

    answers: WholeVector

    def __post_init__(self) -> None:
        super().__post_init__()
        if np.any(self.answers < 0):  # −1 stands for a label that is none of the classes
            raise ValueError("answers must be places of classes, from 0 on.")

    @classmethod
    def of(cls, predictions, classes: Sequence[Any]) -> StatedPredictions:
        """From predicted labels."""
        return cls(Labels(tuple(classes), 0).places(predictions))

    @property
    def outputs(self) -> None:
        return None

    def counted(self, errors: int, ties: int, examples: int) -> str:
        return f"{errors:,} of the {examples:,} stated answers are wrong, whatever X is."

    @property
    def reads(self) -> Hashable:
        return "nothing of X"

    def read(self, X) -> Any:
        """X is not looked at."""
        return None

    def wrong(self, X, codes: np.ndarray, room: float = 1.0) -> Wrong:
        require(
            codes.size == self.answers.size,
            f"there are {self.answers.size:,} answers for {codes.size:,} examples.",
        )
        return Wrong(self.answers != codes, np.zeros(codes.size, bool))
