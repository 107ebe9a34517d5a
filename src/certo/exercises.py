"""Answers found by hand, made into claims that a certificate grades.

Each function takes an answer (weights of a hyperplane, multipliers, weights that cancel) and
returns the strongest certificate that can be claimed of it; `claim.verify(X, y)` then grades the
answer from the data alone, as it grades that of any machine. An answer of which nothing can be
claimed raises `CannotClaim`, and the message says what is wrong with it.

>>> from certo.exercises import claim_separator
>>> X, y = [[0, 0], [1, 0], [0, 1], [1, 1]], [-1, -1, -1, 1]  # AND
>>> claim_separator(X, y, coef=[1, 1], intercept=-1.5).verify(X, y).holds
True
>>> claim_separator(X, y, coef=[1, 1], intercept=-1)
Traceback (most recent call last):
certo.certificates.base.CannotClaim: example 1 (counting from 0) has margin 0: ...
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.errors.error_count import ErrorCount
from certo.certificates.errors.predictor import StatedPredictions
from certo.certificates.errors.training_errors import TrainingErrors
from certo.certificates.margins.maximum_margin import MaximumMargin
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.regression.least_squares_excess import LeastSquaresExcess
from certo.certificates.regression.logistic_excess import LogisticExcess
from certo.certificates.risk.compression_bound import CompressionBound, Scheme
from certo.certificates.risk.kernel_scheme import KernelScheme
from certo.certificates.risk.perceptron_scheme import PerceptronScheme
from certo.certificates.runs.gradient_run import GradientRun, replay
from certo.certificates.runs.kernel_run import KernelRun
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.certificates.runs.perceptron_run import PerceptronRun
from certo.certificates.runs.regret import Regret
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.sample.values import Values
from certo.certificates.separation.inseparable import Inseparable
from certo.certificates.separation.separable import Separable
from certo.certificates.spaces.space import Machine
from certo.facts import InputError
from certo.issue.errors import issue_error_count, issue_training_errors
from certo.issue.machines import hyperplane
from certo.issue.margins.maximum_margin import issue_maximum_margin
from certo.issue.margins.soft_margin_gap import issue_soft_margin_gap
from certo.issue.regression.least_squares_excess import issue_least_squares_excess
from certo.issue.regression.logistic_excess import issue_logistic_excess
from certo.issue.risk import issue_compression_bound
from certo.issue.runs.mistake_bound import issue_mistake_bound
from certo.issue.runs.regret import issue_regret
from certo.issue.separation import issue_inseparable, issue_separable
from certo.kernels.base import Kernel
from certo.words import refusals

__all__ = [
    "CannotClaim",
    "claim_answers",
    "claim_descent",
    "claim_errors",
    "claim_gap",
    "claim_inseparable",
    "claim_kernel_perceptron",
    "claim_least_squares",
    "claim_logistic",
    "claim_margin",
    "claim_mistakes",
    "claim_perceptron",
    "claim_separator",
]


def claim_separator(X, y, coef, intercept: float = 0.0) -> Separable:
    """That the hyperplane coef·x + intercept = 0 has every example on its own side."""
    sample, labels = _two_classes(X, y)
    return issue_separable(sample, labels, _weights(coef, sample), float(intercept))


def claim_inseparable(
    X, y, weights: Mapping[int, int | float | Fraction], intercept: str = "free"
) -> Inseparable:
    """That no hyperplane separates the examples, since some of them cancel: Σ a_t y_t (x_t, 1) = 0.

    weights : {row: a_t > 0}; fractions and integers are taken exactly
    intercept : "none" if only hyperplanes through the origin are meant, Σ a_t y_t x_t = 0
    """
    sample, labels = _two_classes(X, y)
    rows = _weighted_rows(weights, sample)
    if not rows:
        raise CannotClaim("no example has a weight above 0.")
    return issue_inseparable(
        sample, labels, intercept, rows, [Fraction(weights[row]) for row in rows]
    )


def claim_errors(X, y, coef, intercept: float = 0.0) -> ErrorCount:
    """How many examples the hyperplane has on the wrong side, or on itself: `claim.errors`."""
    sample, labels = _two_classes(X, y)
    weights = _weights(coef, sample)
    return issue_error_count(sample, labels, weights, float(intercept), np.zeros(0))


def claim_answers(X, y, answers) -> TrainingErrors:
    """How many of these answers, one for each example, are wrong: `claim.errors`. Whatever gave
    them (a network of neurons, a person) has no part in the check."""
    _, labels = _two_classes(X, y)
    stated = StatedPredictions.of(answers, labels.classes)
    return issue_training_errors(X, y, labels.classes, stated)


def claim_margin(
    X, y, coef, intercept: float, multipliers: Mapping[int, float], treatment: str = "free"
) -> MaximumMargin:
    """That the margin of this hyperplane is at least `claim.lower`, and that no hyperplane has more
    than `claim.upper`, by multipliers a_t > 0 of some examples (Σ a_t y_t = 0 if the intercept is
    free).

    treatment : "free", "lifted" or "none", of the intercept
    """
    sample, labels = _two_classes(X, y)
    rows, signed = _signed(multipliers, sample)
    return issue_maximum_margin(
        sample, labels, coef=_weights(coef, sample), intercept=float(intercept),
        treatment=treatment, rows=rows, dual_coef=signed,
    )  # fmt: skip


def claim_gap(
    X, y, coef, intercept: float, multipliers: Mapping[int, float], C: float = 1.0,
    treatment: str = "free",
) -> SoftMarginGap:  # fmt: skip
    """That ½‖w‖² + C Σ [1 − y_t(w·x_t + b)]₊ of this hyperplane is within `claim.gap` of the least
    there is, by multipliers 0 ≤ α_t ≤ C of some examples (Σ α_t y_t = 0 if the intercept is free).

    treatment : "free", "lifted" or "none", of the intercept
    """
    sample, labels = _two_classes(X, y)
    rows, signed = _signed(multipliers, sample)
    return issue_soft_margin_gap(
        sample, labels, coef=_weights(coef, sample), intercept=float(intercept), C=float(C),
        treatment=treatment, rows=rows, dual_coef=signed,
    )  # fmt: skip


def claim_least_squares(X, y, coef, intercept: float | None = None) -> LeastSquaresExcess:
    """How far the mean squared error of coef·x + intercept can be above the least there is:
    `claim.excess`. Without an intercept (None) functions through the origin are meant."""
    X, labels = _matrix(X), Values.of(y)
    sample = Sample(X, labels.read(y, len(X)))
    columns = X if intercept is None else np.column_stack([X, np.ones(len(X))])
    try:  # The witness that the mean of squares curves upwards in all directions.
        lower = np.linalg.cholesky(columns.T @ columns / len(X))
        factor = np.linalg.inv(lower).T
    except np.linalg.LinAlgError:  # Columns depend on each other.
        factor = None
    return issue_least_squares_excess(
        sample, labels, coef=_weights(coef, sample)[None], intercept=np.array([intercept or 0.0]),
        treatment="none" if intercept is None else "free",
        factor=factor,
    )  # fmt: skip


def claim_logistic(X, y, coef, intercept: float | None = None) -> LogisticExcess:
    """How far the mean logistic loss of coef·x + intercept can be above the least there is:
    `claim.gap`. Without an intercept (None) functions through the origin are meant."""
    signed, labels = _two_classes(X, y)
    sample = Sample(signed.X, (signed.signs > 0).astype(np.int64))
    return issue_logistic_excess(
        sample, labels, coef=_weights(coef, sample)[None], intercept=np.array([intercept or 0.0]),
        treatment="none" if intercept is None else "free",
    )  # fmt: skip


def claim_perceptron(X, y, coef, epochs: int = 1000) -> CompressionBound:
    """That the Perceptron of the notes (from 0, hyperplanes through the origin, the examples in
    their order, at most so many epochs) ends with these weights: `verify` runs it again. The bound
    on the error rate is vacuous, since no example is held out."""
    sample, labels = _two_classes(X, y)
    run = PerceptronRun(epochs, lifted=False)
    scheme = PerceptronScheme((run,), _weights(coef, sample)[None], np.zeros(1), zero_sign=1)
    return _of_all(sample, labels, scheme)


def claim_kernel_perceptron(
    X, y, kernel: Kernel, mistakes: Sequence[int], epochs: int = 1
) -> CompressionBound:
    """That the kernel Perceptron of the notes (with S empty, the examples in their order, so many
    epochs) makes these mistakes, a row as often as it is listed, in any order: `verify` runs it
    again, and refuses a run in which a score is too near 0 to be decided. The bound on the error
    rate is vacuous, since no example is held out."""
    sample, labels = _two_classes(X, y)
    counts = np.bincount(np.asarray(mistakes, dtype=np.int64), minlength=sample.m)
    if counts.size > sample.m:
        raise InputError(refusals.other_rows, "mistakes", sample.m)
    scheme = KernelScheme(kernel, KernelRun(epochs), (counts * sample.signs)[None].astype(float))
    return _of_all(scheme.sample(sample.X, y, labels), labels, scheme)


def claim_mistakes(
    X, y, updates: Mapping[int, int], comparator, start: np.ndarray | None = None
) -> MistakeBound:
    """That a run of the Perceptron from the weights `start` (default: 0) through the origin makes
    at most `claim.bound` updates, by a comparator u, and that it made these.

    updates : {row: number of updates on it}
    """
    sample, labels = _two_classes(X, y)
    rows, signed = _signed(updates, sample)
    w = np.zeros(sample.d) if start is None else _weights(start, sample)
    return issue_mistake_bound(
        sample, labels, lifted=False, start=np.append(w, 0.0),
        machine=Machine(w + signed @ sample.X[rows], rows, signed, 0.0),
        comparator=hyperplane(_weights(comparator, sample)),
    )  # fmt: skip


def claim_descent(X, y, lam: float, coef) -> Regret:
    """That online gradient descent with the hinge loss, going once over the examples, ends with
    these weights w_{T+1}, with hyperplanes through the origin: `verify` runs it again."""
    sample, labels = _two_classes(X, y)
    run = GradientRun("Hinge()", float(lam), None, lifted=False, average=False)
    made, coef = replay(run, sample), _weights(coef, sample)
    return issue_regret(
        sample, labels, run, coef=coef, intercept=0.0, suffered=made.suffered,
        bound=run.bound(made.squares, made.budget, made.rounds), comparator=coef,
    )  # fmt: skip


def _of_all(sample, labels: Labels, scheme: Scheme) -> CompressionBound:
    """What the scheme says of a run on all examples, which only `verify` repeats."""
    return issue_compression_bound(sample, labels, scheme, np.arange(sample.m), rerun=False)


def _two_classes(X, y) -> tuple[Sample, Labels]:
    """The examples; of the two labels the larger is +1."""
    X, classes = _matrix(X), tuple(np.unique(np.asarray(y)).tolist())
    if len(classes) != 2:
        raise InputError(refusals.not_two_classes, len(classes))
    labels = Labels(classes, 1)
    return Sample(X, labels.read(y, len(X))), labels


def _matrix(X) -> np.ndarray:
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise InputError(refusals.no_table, X.shape)
    return X


def _weights(coef, sample: Sample) -> np.ndarray:
    coef = np.asarray(coef, dtype=np.float64)
    if coef.shape != (sample.d,):
        raise InputError(refusals.other_weights, sample.d)
    return coef


def _signed(multipliers: Mapping[int, float], sample: Sample) -> tuple[np.ndarray, np.ndarray]:
    """Rows with a positive multiplier, and α_t y_t."""
    kept = _weighted_rows(multipliers, sample)
    rows = np.array(kept, dtype=np.int64)
    return rows, np.array([multipliers[row] for row in kept]) * sample.signs[rows]


def _weighted_rows(weights: Mapping[int, Any], sample: Sample) -> list[int]:
    """The rows whose weights, or multipliers, are not 0, in increasing order."""
    if not isinstance(weights, Mapping):
        raise InputError(refusals.no_mapping_of_rows, weights)
    kept = sorted(row for row, value in weights.items() if value)
    for row in kept:
        if not 0 <= row < sample.m or weights[row] < 0:
            raise InputError(refusals.unusable_row, row, weights[row], sample.m)
    return kept
