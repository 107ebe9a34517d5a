"""Logistic regression as a value: examples, classes, weights, and what is to be made small."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp

from certo.losses.logistic import Logistic


class Weights(NamedTuple):
    """One row for two classes, that of the second; else one for each class."""

    coef: np.ndarray
    intercept: np.ndarray

    @property
    def symmetric(self) -> Weights:
        """The weights of several classes with the same probabilities that add up to 0."""
        if len(self.coef) == 1:
            return self
        return Weights(self.coef - self.coef.mean(axis=0), self.intercept - self.intercept.mean())


def against(values: np.ndarray, reference: int) -> np.ndarray:
    """w_k − w_ref for every other class k, from one row a class; or from the single row of two
    classes, which is that of the second against the first."""
    if len(values) == 1:
        return values if reference == 0 else -values
    return np.delete(values - values[reference], reference, axis=0)


class WorkingResponse(NamedTuple):
    """What a Newton step of two classes fits by least squares: z = s + (y − p)/(p(1 − p)) at the
    scores s, y being 0 or 1, with the weights p(1 − p). Infinite where a weight is 0 in float64."""

    response: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, signs: np.ndarray, scores: np.ndarray) -> WorkingResponse:
        loss = Logistic()
        weights = loss.curvature(scores)
        with np.errstate(divide="ignore", over="ignore"):
            return cls(scores - loss.gradient(signs, scores) / weights, weights)


class LogisticProblem(NamedTuple):
    """(1/S) Σ s_t ℓ_t + (ridge/2)‖w‖², S = Σ s_t; s_t is the product of two weights."""

    X: Any
    codes: np.ndarray  # The index of every label among the classes.
    classes: np.ndarray
    class_weight: np.ndarray | None  # None: all 1.
    sample_weight: np.ndarray | None  # None: all 1.
    intercept: str  # "free" or "none"
    ridge: float

    @property
    def weights(self) -> np.ndarray | None:
        """The s_t; None: all 1."""
        if self.class_weight is None:
            return self.sample_weight
        of_class = self.class_weight[self.codes]
        return of_class if self.sample_weight is None else of_class * self.sample_weight

    @property
    def counting(self) -> np.ndarray | None:
        """The examples of positive weight; None: all."""
        weights = self.weights
        return None if weights is None else weights > 0

    @property
    def by_class(self) -> np.ndarray:
        """Σ s_t over the examples of each class."""
        return np.bincount(self.codes, self.weights, len(self.classes)).astype(np.float64)

    @property
    def total(self) -> float:
        """S."""
        return float(np.sum(self.by_class))

    @property
    def lifted(self) -> bool:
        return self.intercept == "free"

    @property
    def columns(self) -> int:
        """The number of columns of x̃ = (x, 1), or of x without an intercept."""
        return self.X.shape[1] + self.lifted

    @property
    def outputs(self) -> int:
        return 1 if len(self.classes) == 2 else len(self.classes)

    def margins(self, weights: Weights) -> np.ndarray:
        """How far the score of an example's own class is above the others': (m,), or (m, K)."""
        scores = np.asarray(self.X @ weights.coef.T) + weights.intercept
        if self.outputs == 1:
            return np.where(self.codes == 1, scores[:, 0], -scores[:, 0])
        return scores[np.arange(len(scores)), self.codes][:, None] - scores

    def risk(self, weights: Weights) -> float:
        """The mean loss (1/S) Σ s_t ℓ_t."""
        margins = self.margins(weights)
        two = margins.ndim == 1
        losses = np.logaddexp(0.0, -margins) if two else logsumexp(-margins, axis=1)
        return float(np.average(losses, weights=self.weights))

    def penalty(self, weights: Weights) -> float:
        """(ridge/2)‖w‖²."""
        return 0.5 * self.ridge * float(np.sum(weights.coef**2))

    @property
    def null_log_likelihood(self) -> float:
        """The highest with intercepts alone, which give the shares of the classes; if there are
        none, that of equal probabilities."""
        sums = self.by_class
        shares = sums / sums.sum() if self.lifted else np.full(sums.size, 1 / sums.size)
        return float(np.sum(sums * np.log(shares)))
