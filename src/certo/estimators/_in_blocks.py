"""Fits and predictions of examples in blocks: `scale` does the passes, the machines keep what they
keep of a table in memory."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from certo.certificates.sample.values import Values
from certo.estimators import _input
from certo.estimators._claims import composite
from certo.estimators._limits import gap_stop, running
from certo.estimators._pairs import are_paired
from certo.facts import InputError
from certo.issue.labels import all_labels
from certo.problems.logistic import Weights
from certo.scale.blocks import Blocks
from certo.scale.first_look import FirstLook, first_look
from certo.scale.opening import as_blocks, is_in_blocks
from certo.solvers.gap_ledger import GapTrace
from certo.solvers.newton import NewtonLimits
from certo.stop import Stop, go_on
from certo.words import blocks as sentences
from certo.words import refusals, status
from certo.words.fitting_status import least_squares_status, logistic_status

__all__ = ["by_blocks", "fit_least_squares", "fit_logistic", "fit_svm", "is_in_blocks"]

MAX_KEPT_COLUMNS = 500  # Up to so many, a fit keeps what partial_fit can go on from.
CLAIMED_SHARE_OF_TOL = 1e-3  # Left for the rounding that a claim pays for.


def by_blocks(X: Any, predict: Callable[[Any], np.ndarray]) -> np.ndarray:
    """The predictions for all blocks, one below another."""
    return np.concatenate([predict(block.X) for block in as_blocks(X)])


def _opened(machine: Any, X: Any, y: Any, sample_weight: Any) -> Blocks:
    name = type(machine).__name__
    if sample_weight is not None:
        raise InputError(sentences.no_weights, name)
    if getattr(machine, "kernel", None) is not None:
        raise InputError(sentences.no_kernel, name)
    if getattr(machine, "warm_start", False):
        raise InputError(sentences.no_warm_start, name)
    blocks = as_blocks(X, y)
    machine.n_features_in_ = blocks.shape[1]
    vars(machine).pop("feature_names_in_", None)
    vars(machine).pop("_seen_rows", None)
    return blocks


def unlabelled(machine: Any, X: Any, sample_weight: Any) -> Blocks:
    """The blocks of a fit that looks at X alone."""
    return _opened(machine, X, None, sample_weight)


def _classes(machine: Any, first: FirstLook) -> np.ndarray:
    classes = np.array(sorted(first.counts))
    if len(classes) < 2:
        raise InputError(refusals.one_class, type(machine).__name__, classes.tolist()[0])
    _input.require_plain_labels(classes.tolist(), type(machine).__name__)
    return classes


def _weights_of_classes(machine: Any, classes: np.ndarray, first: FirstLook) -> np.ndarray:
    """One number for each class, by scikit-learn's rules."""
    given = machine.class_weight
    if given is None:
        return np.ones(len(classes))
    counts = np.array([first.counts[label] for label in classes.tolist()], float)
    if isinstance(given, str):
        return first.rows / (len(classes) * counts)
    return np.array([float(given.get(label, 1.0)) for label in classes.tolist()])


def fit_svm(machine: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """Hyperplanes of the soft margin, one against the rest."""
    from certo.scale import soft_margin

    machine._check_settings()
    blocks = _opened(machine, X, y, sample_weight)
    with running(machine, blocks, "look") as run:
        rng = np.random.default_rng(check_random_state(machine.random_state).randint(2**31 - 1))
        first = first_look(blocks, rng, classes=True)
        classes = _classes(machine, first)
        if are_paired(machine, classes):
            raise InputError(sentences.no_pairs, classes.tolist())
        by_class = _weights_of_classes(machine, classes, first)
        if len(classes) > 2 and machine.class_weight is not None:
            raise ValueError("class_weight takes two classes where examples come in blocks.")
        C = float(machine.C) if machine.lam is None else 1 / (float(machine.lam) * first.rows)
        pair = (float(by_class[0]), float(by_class[1])) if len(classes) == 2 else (1.0, 1.0)
        labels = _input.one_against_rest(classes)
        limits = run.limits((1 - CLAIMED_SHARE_OF_TOL) * float(machine.tol))
        found = soft_margin.fit(
            blocks, first, labels, [soft_margin.Prices(C, pair)] * len(labels), machine.intercept,
            tol=limits.tol, max_iter=limits.max_iter, asked=limits.asked,
            after_look=limits.after_look,
        )  # fmt: skip
    machine.classes_, machine._multilabel, machine.kernel_ = classes, False, None
    machine._paired = False
    machine.coef_ = np.array([one.point.w for one in found])
    machine.intercept_ = np.array([one.point.b for one in found])
    nothing = [np.zeros(0, np.int64)] * len(found)
    machine._set_supports(nothing, [np.zeros(0)] * len(found))
    machine._support_classes = np.zeros(0, np.int64)
    for name in ("slack_", "_fit_examples", "support_vectors_"):
        vars(machine).pop(name, None)
    machine.C_ = C
    machine.certificate_ = composite(one.claim for one in found)
    machine.objective_ = np.array([getattr(one.claim, "primal", np.inf) for one in found])
    if machine.lam is not None:
        machine.objective_ *= float(machine.lam)
    machine.n_iter_ = blocks.passes
    machine.n_samples_fit_ = first.rows
    machine.trace_ = GapTrace.layer([one.trace for one in found])
    machine._stop = gap_stop(found, machine.tol)
    machine.converged_ = machine._stop is Stop.CONVERGED
    reason = ""
    if not machine.converged_:
        what = "passes over the examples"
        reason = status.stop_reason(machine._stop, int(machine.max_iter), what, machine.time_limit)
    gap = max(one.gap for one in found)
    machine.status_ = status.gap_status(reason, gap, machine.tol, "the objective", "smallest")
    if not machine.converged_:
        warnings.warn(machine.status_, ConvergenceWarning, stacklevel=5)
    return machine


def fit_least_squares(machine: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """Linear regression of one target."""
    from certo.scale import least_squares

    blocks = _opened(machine, X, y, sample_weight)
    machine._flat = True
    with machine._threads():
        found, claim = least_squares.fit(blocks, Values(), machine.intercept, float(machine.ridge))
    machine._note_weights(None, True)
    machine._store(found)
    known = found.moments
    machine._seen = None
    if blocks.shape[1] <= MAX_KEPT_COLUMNS and found.factor is not None:
        machine._seen = (known.rows, known.weight, known.mean, known.products)
    machine._seen_factored, machine._sums = False, None
    vars(machine).pop("_later", None)
    machine.certificate_ = composite([claim])
    machine._stop = found.stop
    machine.status_ = least_squares_status(machine, found.stop, machine._exact_outputs)
    return machine


@dataclass(frozen=True)
class BlockProblem:
    """What a `LogisticProblem` says of examples that are not here."""

    blocks: Blocks
    counts: np.ndarray  # Rows of each class.
    classes: np.ndarray
    intercept: str
    ridge: float
    mean_loss: float

    @property
    def codes(self) -> range:
        """Something with a place for each row."""
        return range(int(self.counts.sum()))

    @property
    def total(self) -> float:
        return float(self.counts.sum())

    @property
    def lifted(self) -> bool:
        return self.intercept == "free"

    @property
    def columns(self) -> int:
        return int(self.blocks.shape[1]) + self.lifted

    @property
    def null_log_likelihood(self) -> float:
        shares = self.counts / self.counts.sum()
        if not self.lifted:
            shares = np.full(len(shares), 1 / len(shares))
        return float(np.sum(self.counts * np.log(shares)))

    def risk(self, weights: Weights) -> float:
        return self.mean_loss

    def penalty(self, weights: Weights) -> float:
        return 0.5 * self.ridge * float(np.sum(weights.coef**2))


def fit_logistic(machine: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """Logistic regression of two or more classes."""
    from certo.estimators._logistic import Basis, Fitted
    from certo.scale import logistic

    blocks = _opened(machine, X, y, sample_weight)
    for name, needed in (("class_weight", None), ("risk_threshold", None), ("solver", "damped")):
        if getattr(machine, name) != needed:
            came = getattr(machine, name)
            raise InputError(sentences.other_setting, "LogisticRegression", name, needed, came)
    with running(machine, blocks, "step") as run:
        first = first_look(blocks, np.random.default_rng(0), classes=True)
        classes = _classes(machine, first)
        reference = machine._reference(classes)
        limits = NewtonLimits(
            float(machine.tol), int(machine.max_iter), asked=run.asked,
            after_step=run.tell if run.is_heard else go_on,
        )  # fmt: skip
        ridge, labels = float(machine.ridge), all_labels(classes.tolist())
        found = logistic.fit(blocks, first, labels, machine.intercept, ridge, limits)
        counts = np.array([first.counts[label] for label in classes.tolist()], float)
        problem: Any = BlockProblem(blocks, counts, classes, machine.intercept, ridge, found.risk)
        outcome = found.outcome
        basis = Basis(np.arange(problem.columns), (), None)
        weights = Weights(outcome.coef, outcome.intercept)
        fitted = Fitted(weights, problem, (outcome,), basis, found.claim)
        machine._store(fitted, reference)
        machine._stop = Stop.CONVERGED if machine.converged_ else fitted.stop
        machine.status_ = logistic_status(machine, fitted, "")
    if not machine.converged_:
        warnings.warn(machine.status_, ConvergenceWarning, stacklevel=3)
    return machine
