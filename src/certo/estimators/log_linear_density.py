"""`LogLinearDensity`: the likeliest density exp(w·φ(x)) on a box, or a proof that there is none."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from certo.certificates.base import CannotClaim
from certo.certificates.composite import Composite, NotClaimed
from certo.certificates.density.box_features import (
    BoxCosines,
    BoxFeatures,
    BoxPolynomials,
    check_box,
    moments,
    positions,
)
from certo.certificates.density.likelihood_gap import weight_vector
from certo.certificates.density.moment_matching import MomentMatching, feature_means
from certo.certificates.sample.examples import Sample
from certo.estimators import _input, description
from certo.estimators._density import DENSITY, Density, NoDensity
from certo.estimators._keywords import answer_keywords
from certo.estimators.new_examples import unbounded_loss
from certo.facts import InputError
from certo.issue.density import find_no_log_linear_density, issue_moment_matching
from certo.kernels.base import whole
from certo.numbers.averages import averages
from certo.solvers.dependence import hyperplanes
from certo.solvers.interrupt import ctrl_c_asks
from certo.solvers.log_linear import LogLinearOutcome, log_linear
from certo.solvers.newton import NewtonTrace
from certo.solvers.quadrature import FeatureTable, draw, feature_values
from certo.stop import Stop
from certo.words import refusals
from certo.words.fitting_status import log_linear_status

# Nodes of an axis for features that are any function: the first, and the last, by number of axes.
MIN_NODES, MAX_NODES = 64, {1: 4096, 2: 512}
MAX_MOMENT_CHANGE = 1e-9  # A doubling of the nodes that changes no moment by more is the last.


@answer_keywords
class LogLinearDensity(Density, BaseEstimator):
    r"""The density p(x) ∝ exp(w·φ(x)) on a box under which the examples are likeliest.

    Maximum likelihood is empirical risk minimisation with the loss −log p(x); here the risk is
    convex, and it is least where the means of the features φ under p are their means over the
    examples. Newton's method finds that; all integrals over the box have a proven error. The
    likeliest density exists exactly if the mean of φ over the examples is interior to the hull of
    φ(box); the certificate proves it. Where examples have too few different values it does not,
    and `fit` raises `NoDensity`, which carries the proof.

    Parameters
    ----------
    features : certo.features.BoxPolynomials, certo.features.BoxCosines or a function
        A function takes points, (n_points, n_features), and returns their features,
        (n_points, any number). The error of its integrals is only estimated, so that nothing is
        proved.
    box : (low, high), or one such pair for each of one or two columns
        Where the density is; no example may lie outside. It should be known before the data are.
    max_iter : int, default=100
        The largest number of Newton steps.

    Attributes
    ----------
    coef_ : ndarray (number of φ,)
        w. The features' names are ``features.names(n_features)``.
    low_, high_ : ndarray (n_features,)
        The corners of the box.
    log_partition_ : float
        log p(x) is w·φ(x) minus this.
    risk_ : float
        The mean −log p over the examples.
    n_iter_ : int
        Newton steps.
    trace_ : certo.solvers.newton.NewtonTrace
        What happened at each step.
    status_ : str
        Why it stopped, and what is proved about the answer.
    certificate_ : certo.certificates.Composite
        MomentMatching, or why it is not claimed.

    Examples
    --------
    >>> from certo import LogLinearDensity
    >>> from certo.features import BoxPolynomials
    >>> X = [[0.1], [0.2], [0.3], [0.3], [0.6], [0.8]]
    >>> model = LogLinearDensity(features=BoxPolynomials(2), box=(0, 1)).fit(X)
    >>> model.score_samples([[0.25], [0.95], [1.5]]).round(3).tolist()
    [0.4, -1.448, -inf]
    >>> bool(model.certificate_.verify(X))
    True
    """

    trace_kind = NewtonTrace
    trace_: NewtonTrace

    def __init__(self, *, features, box, max_iter=100):
        self.features = features
        self.box = box
        self.max_iter = max_iter

    def fit(self, X, y=None, sample_weight=None):
        """Find the likeliest density for the examples X, all of which must lie in the box.

        y is ignored. sample_weight says how often an example counts; those of weight zero do not.
        """
        self._check_settings()
        low, high = box_of(self.box)
        X = self._examples(X, reset=True)
        self._refuse_outside(X, low, high)
        weights = weight_vector(_input.weights(self, sample_weight, X), len(X))
        sample = Sample(X, np.ones(len(X), np.int8))
        claim: MomentMatching | NotClaimed
        with ctrl_c_asks() as asked:
            if isinstance(self.features, BoxFeatures):
                self._refuse_without_likeliest(X, weights, low, high)
                means, _ = feature_means(sample, weights, self.features, low, high)
                outcome = log_linear(
                    means, partial(moments, self.features, d=low.size),
                    max_iter=int(self.max_iter), asked=asked,
                )  # fmt: skip
                claim = self._claim(X, weights, low, high, outcome)
            else:
                means = averages(sample, weights, lambda part, p: p @ self._values(part))
                outcome, claim = self._by_table(means, low, high, asked)
        self.low_, self.high_ = low, high
        self.coef_, self.n_iter_, self.trace_ = outcome.coef, outcome.steps, outcome.trace
        self.log_partition_ = float(outcome.log_mass + np.sum(np.log(high - low)))
        self.risk_ = float(self.log_partition_ - outcome.coef @ means)
        self.certificate_ = (
            Composite((), (claim,)) if isinstance(claim, NotClaimed) else Composite((claim,))
        )
        self.status_ = log_linear_status(self, outcome.stop, claim)
        proved = isinstance(claim, MomentMatching) or not isinstance(self.features, BoxFeatures)
        if outcome.stop is not Stop.CONVERGED or not proved:
            warnings.warn(self.status_, ConvergenceWarning, stacklevel=2)
        return self

    def _check_settings(self) -> None:
        if not (isinstance(self.features, BoxFeatures) or callable(self.features)):
            raise InputError(refusals.unusable_density_features, self.features)
        whole(self.max_iter, "max_iter", 1)

    def _refuse_outside(self, X: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
        if X.shape[1] != low.size:
            raise InputError(refusals.other_box, low.size, X.shape[1])
        away = np.argwhere((low > X) | (high < X))
        if away.size:
            (i, j), rows = away[0].tolist(), np.unique(away[:, 0])
            box = float(low[j]), float(high[j])
            raise InputError(refusals.outside_box, rows.tolist(), j, float(X[i, j]), box)

    def _refuse_without_likeliest(self, X, weights, low, high) -> None:
        counting = X[weights > 0] if weights.size else X
        proof = find_no_log_linear_density(
            X, features=self.features, low=low, high=high, sample_weight=weights,
            hyperplanes=hyperplanes(counting) if X.shape[1] > 1 else (),
        )  # fmt: skip
        if proof is None:
            return
        what = "the examples have so few different values"
        if proof.coef:
            what = f"in {self._columns(list(range(X.shape[1])))} all examples lie on one line, so"
        elif proof.axis is not None and X.shape[1] > 1:
            what = f"{self._columns([proof.axis])} has so few different values"
        raise NoDensity(
            f"There is no likeliest density: {what} that features of degree {proof.degree} can "
            "make a density sharper and sharper at all of them, with a likelihood beyond all "
            "bounds. Use a lower degree, or more examples.",
            proof,
        )

    def _values(self, X: np.ndarray) -> np.ndarray:
        """φ of examples in the box."""
        if isinstance(self.features, BoxFeatures):
            return self.features.at(positions(X.astype(np.float64), *box_of(self.box)))
        return feature_values(self.features, X.astype(np.float64))

    def _claim(
        self, X, weights, low, high, outcome: LogLinearOutcome
    ) -> MomentMatching | NotClaimed:
        try:
            if outcome.factor is None:
                raise CannotClaim("the covariance of the features is singular in float64.")
            return issue_moment_matching(
                X, features=self.features, low=low, high=high, coef=outcome.coef,
                factor=np.triu(outcome.factor), sample_weight=weights,
            )  # fmt: skip
        except CannotClaim as reason:
            advice = "A smaller box, or a lower degree, may help."
            return NotClaimed("MomentMatching", f"{reason} {advice}")

    def _by_table(self, means, low, high, asked) -> tuple[LogLinearOutcome, NotClaimed]:
        """For features that are any function: more nodes until the moments do not change."""
        n, start = MIN_NODES, None
        table = FeatureTable(self.features, low, high, n)
        while True:
            outcome = log_linear(
                means, table.moments, start=start, max_iter=int(self.max_iter), asked=asked
            )
            if outcome.factor is None and outcome.steps == 0:
                raise ValueError(
                    "features must be linearly independent of each other and of a constant on the "
                    "box, but their covariance is singular in float64. Leave some out."
                )
            finer = FeatureTable(self.features, low, high, 2 * n)
            one, two = table.moments(outcome.coef), finer.moments(outcome.coef)
            change = float(max(np.abs(one.mean - two.mean).max(), abs(one.log_mass - two.log_mass)))
            if change <= MAX_MOMENT_CHANGE or 2 * n >= MAX_NODES[low.size]:
                break
            n, table, start = 2 * n, finer, outcome.coef
        reason = (
            "features is a Python function, of which nothing is known between nodes. Twice as many "
            f"nodes as the {n} of each axis change the moments by {change:.1g}."
        )
        return outcome, NotClaimed("MomentMatching", reason)

    def score_samples(self, X):
        """log p(x) for each of the examples X; −inf outside the box."""
        check_is_fitted(self)
        X = self._examples(X, reset=False)
        inside = ~np.any((self.low_ > X) | (self.high_ < X), axis=1)
        scores = np.full(len(X), -np.inf)
        if np.any(inside):
            scores[inside] = self._values(X[inside]) @ self.coef_ - self.log_partition_
        return scores

    def _draw(self, n_samples, random):
        """Exactly, by rejection; with features that are any function, from a density that is
        constant on each of many small cells."""
        d = self.low_.size
        if isinstance(self.features, BoxFeatures):
            places = draw(self.features, self.coef_, d, n_samples, random)
        else:
            n = MAX_NODES[d]
            cells = np.indices((n,) * d).reshape(d, -1).T
            width = (self.high_ - self.low_) / n
            s = self._values(self.low_ + (cells + 0.5) * width) @ self.coef_
            ladder = np.cumsum(np.exp(s - s.max()))
            chosen = np.searchsorted(ladder, random.random_sample(n_samples) * ladder[-1], "right")
            places = (cells[chosen] + random.random_sample((n_samples, d))) / n
        return np.clip(self.low_ + places * (self.high_ - self.low_), self.low_, self.high_)


def box_of(box: Any) -> tuple[np.ndarray, np.ndarray]:
    """The corners of a box given as (low, high) or as one such pair for each axis."""
    try:
        pairs = np.array(box, dtype=np.float64)
        pairs = pairs[None] if pairs.ndim == 1 else pairs
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise ValueError("it is neither (low, high) nor a list of such pairs.")
        low, high = np.ascontiguousarray(pairs.T)
        check_box(low, high)
        return low, high
    except (TypeError, ValueError) as wrong:
        raise InputError(refusals.unusable_box, box) from wrong


def _check_fitted(machine: LogLinearDensity) -> None:
    """Weights and corners are those of the settings."""
    corners, d = box_of(machine.box), machine.n_features_in_
    same = all(map(np.array_equal, (machine.low_, machine.high_), corners))
    description.require(
        same and machine.coef_.size == len(machine.features.orders(d)),
        "its weights or its box are not those of its settings.",
    )


def _is_same_form(claim: MomentMatching, machine: LogLinearDensity, y=None) -> bool:
    form = getattr(machine.features, "family", None), getattr(machine.features, "degree", None)
    return (claim.family, claim.degree) == form and not claim.sample_weight.size


description.register(
    description.Description(
        kind=LogLinearDensity,
        command="log-linear-density",
        learns="densities",
        summary="the likeliest log-linear density on a box",
        bounds=unbounded_loss,
        claims={MomentMatching: _is_same_form},
        spoken_of=lambda machine: ("coef_", "low_", "high_") if len(machine.certificate_) else (),
        fitted=lambda machine: (
            DENSITY
            | {
                "coef_": description.array(None),
                "low_": description.array("features"),
                "high_": description.array("features"),
                "log_partition_": description.FLOAT,
                "n_iter_": description.of_type(int),
                "trace_": description.always,
            }
        ),
        check_fitted=_check_fitted,
        setting_kinds=(BoxCosines, BoxPolynomials),
    )
)
