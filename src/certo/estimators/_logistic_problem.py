"""A logistic problem as a value: examples, classes, weights, and what is to be made small."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import column_or_1d

from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.estimators import _input, _stream


class Weights(NamedTuple):
    """One row for two classes, that of the second; else one for each class."""

    coef: np.ndarray
    intercept: np.ndarray


class Problem(NamedTuple):
    """(1/S) Σ s_t ℓ_t + (ridge/2)‖w‖², S = Σ s_t; s_t is the product of two weights."""

    X: Any
    codes: np.ndarray  # the place of every label among the classes
    classes: np.ndarray
    class_weight: np.ndarray | None  # None: all 1
    sample_weight: np.ndarray | None
    intercept: str
    ridge: float

    @property
    def weights(self) -> np.ndarray | None:
        if self.class_weight is None:
            return self.sample_weight
        own = self.class_weight[self.codes]
        return own if self.sample_weight is None else own * self.sample_weight

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
        return float(np.sum(self.by_class))

    @property
    def lifted(self) -> bool:
        return self.intercept == "free"

    @property
    def columns(self) -> int:
        """How many x̃ has."""
        return self.X.shape[1] + self.lifted

    @property
    def outputs(self) -> int:
        return 1 if len(self.classes) == 2 else len(self.classes)

    @property
    def labels(self) -> Labels:
        return Labels(tuple(self.classes.tolist()), len(self.classes) - 1)

    @property
    def sample(self) -> Sample:
        return Sample(self.X, self.codes)

    def margins(self, weights: Weights) -> np.ndarray:
        """How far the score of an example's own class is above the others': (m,), or (m, K)."""
        scores = safe_sparse_dot(self.X, weights.coef.T, dense_output=True) + weights.intercept
        if self.outputs == 1:
            return np.where(self.codes == 1, scores[:, 0], -scores[:, 0])
        return scores[np.arange(len(scores)), self.codes][:, None] - scores

    def risk(self, weights: Weights) -> float:
        """The mean loss (1/S) Σ s_t ℓ_t."""
        margins = self.margins(weights)
        two = margins.ndim == 1
        losses = np.logaddexp(0.0, -margins) if two else logsumexp(-margins, axis=1)
        return float(np.average(losses, weights=self.weights))

    @property
    def null_log_likelihood(self) -> float:
        """The highest with intercepts alone, which give the shares of the classes; if there are
        none, that of equal probabilities."""
        sums = self.by_class
        shares = sums / sums.sum() if self.lifted else np.full(sums.size, 1 / sums.size)
        return float(np.sum(sums * np.log(shares)))


def posed(machine, X, y, sample_weight) -> Problem:
    """From the settings of a machine, the labels and the weights of its examples."""
    targets = _stream.one_label_each(machine, _input.targets(machine, y))
    classes, y = targets.classes, column_or_1d(y)
    two = len(classes) == 2
    codes = targets.signs[0] > 0 if two else np.argmax(targets.signs, axis=0)
    weights = by_class = None
    if sample_weight is not None:
        weights = _input.weights(machine, sample_weight, y)
    if machine.class_weight is not None:
        by_class = compute_class_weight(
            machine.class_weight, classes=classes, y=y, sample_weight=weights
        )
    problem = Problem(
        X, codes.astype(np.int64), classes, by_class, weights,
        machine.intercept, float(machine.ridge),
    )  # fmt: skip
    sums = problem.by_class
    missing = np.flatnonzero(sums == 0)
    if missing.size:
        raise ValueError(
            "sample_weight must be positive for some example of every class, but it is zero for "
            f"all of class {classes.tolist()[missing[0]]!r}. Leave these examples out."
        )
    if not np.sum(sums) < np.inf:
        raise ValueError(
            "the weights of the examples must have a sum within float64, but it is infinite. "
            "Divide them by a number: only their ratios matter to the weights found."
        )
    return problem
