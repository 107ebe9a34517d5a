"""MomentMatching: a log-linear density has the moments of the examples, so none is likelier."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from certo.certificates.base import Refuted, require
from certo.certificates.density import box_features
from certo.certificates.density.box_features import BoxFeatures, Moments, check_box, features_of
from certo.certificates.density.likelihood_gap import LikelihoodGap, Shown
from certo.certificates.encoding import counted
from certo.certificates.fields import FiniteTable, FiniteVector
from certo.certificates.sample.examples import Sample
from certo.numbers.averages import ROUNDED, averages
from certo.numbers.exact import ROUND_UP, UNIT, gamma


@final
@dataclass(frozen=True, repr=False, eq=False)
class MomentMatching(LikelihoodGap):
    r"""Claim: the density p(x) ∝ exp(coef·φ(x)) on the box low ≤ x ≤ high, and 0 outside, φ being
    the features of this `family` and `degree` (see `box_features`), has R(p) ≤ risk, and the mean
    of every feature under p is within `moment_error` of its mean over the examples. A likeliest
    density of this form exists, and its risk is at least `lower`.

    Proof: R(w) = A(w) + log vol − w·φ̄, A(w) = log of the mean of e^(w·φ) over the box, φ̄ the mean
    of φ over the examples. Its gradient at coef is g = E_p φ − φ̄, its Hessian H the covariance of φ
    under p. Along v, the third derivative of A is the third cumulant of v·φ, at most the range of
    v·φ on the box times its variance. With L = `factor` and η ≥ ‖I − LᵀHL‖ below 1, every v has
    ‖v‖_H ≥ √(1 − η)·‖L⁻¹v‖. So with λ = ‖Lᵀg‖/√(1 − η) and, since |φ| ≤ 1, with
    r = 2 ‖(Σ_k |L_kj|)_j‖/√(1 − η), for every v and h = ‖v‖_H: |g·v| ≤ λh, the range is at most rh,
    and

        R(coef + v)  ≥  R(coef) − λh + (e^(−rh) + rh − 1)/r² .

    If rλ < 1 the right side grows without bound, so a minimiser exists, and its least value is
    R(coef) − (a + (1 − a) log(1 − a))/r², a = rλ, at least R(coef) − ½λ²(1 + a/(3(1 − a))).

    All means under p come from a quadrature whose error is bounded, see `box_features`.
    """

    family: str
    degree: int
    low: FiniteVector
    high: FiniteVector
    coef: FiniteVector
    factor: FiniteTable
    moment_error: float

    shows = (*LikelihoodGap.shows, "moment_error")
    describes: ClassVar[dict[str, str]] = {"low": "low_", "high": "high_", "coef": "coef_"}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_box(self.low, self.high)
        size, factor = len(features_of(self.family, self.degree).orders(self.columns)), self.factor
        if self.coef.size != size or factor.shape != (size, size):
            raise ValueError(
                f"coef and factor must hold a number, a row for each of {size} features."
            )
        if np.any(np.tril(factor, -1)) or np.any(np.diag(factor) == 0):
            raise ValueError("factor must be upper triangular, with no 0 on its diagonal.")
        if self.moment_error < 0:
            raise ValueError("moment_error must not be negative.")

    @property
    def columns(self) -> int:
        return self.low.size

    def _shown(self, sample: Sample, times: float) -> Shown:
        away = box_features.outside(sample, self.low, self.high)
        require(not away.size, f"{counted(away.size, 'example')} outside the box.", *away)
        family = features_of(self.family, self.degree)
        means, slack = feature_means(sample, self.sample_weight, family, self.low, self.high)
        slack *= times
        try:
            own = box_features.moments(family, self.coef, self.columns, times)
        except box_features.TooSharp as reason:
            raise Refuted(str(reason)) from reason
        with np.errstate(over="ignore", invalid="ignore"):
            gap = np.abs(own.mean - means)
            error = own.mean_error + slack + times * 2 * UNIT
            excess = self._excess(own, own.mean - means, error, times)
            risk, off = self._risk(own, means, slack, times)
        return Shown(
            risk + off,
            risk - off - excess,
            {"moment_error": (float(gap.max()) + error) * ROUND_UP},
        )

    def _risk(
        self, own: Moments, means: np.ndarray, slack: float, times: float
    ) -> tuple[float, float]:
        """R(coef), and how far it may be off."""
        products = self.coef * means
        logs = np.log(self.high - self.low)
        risk = own.log_mass + math.fsum([*logs.tolist(), *(-products).tolist()])
        size = abs(own.log_mass) + float(np.sum(np.abs(logs)) + np.sum(np.abs(products)) + 1)
        off = own.mass_error + slack * float(np.sum(np.abs(self.coef))) + times * 16 * UNIT * size
        return risk, off * ROUND_UP

    def _excess(self, own: Moments, g: np.ndarray, error: float, times: float) -> float:
        """What R(coef) exceeds its least value by at most; Refuted, if that is not shown."""
        L, k = self.factor, len(self.coef)
        length = float(np.linalg.norm(np.sum(np.abs(L), axis=0))) * ROUND_UP
        # An entry of LᵀHL is off by at most c_i c_j, c the column sums of |L|, times this.
        off = own.covariance_error + times * gamma(2 * k + 4)
        eta = (
            float(np.linalg.norm(np.eye(k) - L.T @ own.covariance @ L)) + off * length**2
        ) * ROUND_UP
        eta += times * 8 * UNIT * k
        require(
            eta < 1,
            "the covariance of the features under this density is not shown to be what the factor "
            "says.",
        )
        root = math.sqrt(1 - eta) / ROUND_UP
        gradient = float(np.linalg.norm(L.T @ g)) + (error + times * 2 * gamma(k + 2)) * length
        decrement = gradient / root * ROUND_UP
        a = 2 * length / root * decrement * ROUND_UP
        require(a < 1, "the moments are not near enough for a likeliest density to be shown.")
        return 0.5 * decrement**2 * (1 + a / (3 * (1 - a))) * ROUND_UP


def feature_means(
    sample: Sample, weights: np.ndarray, features: BoxFeatures, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, float]:
    """The means of all features over the examples, and how far each may be off; |φ| ≤ 1."""
    means = averages(
        sample, weights, lambda part, p: p @ features.at(box_features.positions(part, low, high))
    )
    return means, (ROUNDED + features.rounding) * ROUND_UP
