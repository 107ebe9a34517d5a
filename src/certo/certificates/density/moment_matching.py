"""MomentMatching: a log-linear density has the moments of the examples, so none is likelier;
NoLogLinearDensity: the examples have so few values that there is no likeliest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from certo.certificates.base import Refuted, require
from certo.certificates.density.box_features import (
    ABOVE,
    FAMILIES,
    BoxFeatures,
    Moments,
    TooSharp,
    moments,
)
from certo.certificates.density.gaussian_likelihood import (
    check_on_hyperplane,
    hyperplane_of,
    square_matrix,
)
from certo.certificates.density.likelihood_gap import DensityClaim, LikelihoodGap, Shown
from certo.certificates.encoding import counted
from certo.certificates.fields import FiniteVector, finite_vector
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.values import Unlabelled
from certo.numbers.averages import ROUNDED, averages
from certo.numbers.exact import UNIT, gamma

AXES = (1, 2)


def checked_box(low, high) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest corner of a box, or a ValueError."""
    low, high = finite_vector(low, "low"), finite_vector(high, "high")
    with np.errstate(over="ignore"):
        widths = high - low if low.shape == high.shape else np.zeros(1)
    if low.size not in AXES or not np.all((widths > 2.0**-900) & (widths < 2.0**900)):
        raise ValueError(
            "a box must have one or two axes, with low < high of moderate size on each."
        )
    return low, high


def checked_family(family: Any, degree: int) -> BoxFeatures:
    if not (isinstance(family, str) and family in FAMILIES):
        raise ValueError(f"family must be one of {sorted(FAMILIES)}, got {family!r}.")
    return FAMILIES[family](degree)


def family_of(features: BoxFeatures) -> str:
    return next(name for name, kind in FAMILIES.items() if type(features) is kind)


def positions(X: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """τ = (x − low)/(high − low): three roundings, each by a factor 1 ± u; in [0, 1] where x is in
    the box, since rounding keeps order."""
    return (X - low) / (high - low)


def outside(sample: Sample, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The examples that are not in the box."""
    return np.flatnonzero(np.any((low > sample.X) | (high < sample.X), axis=1))


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
    low: np.ndarray
    high: np.ndarray
    coef: FiniteVector
    factor: np.ndarray
    moment_error: float

    describes: ClassVar[dict[str, str]] = {
        "low": "low_",
        "high": "high_",
        "coef": "coef_",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        low, high = checked_box(self.low, self.high)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        size = len(checked_family(self.family, self.degree).orders(self.columns))
        if self.coef.size != size:
            raise ValueError(f"coef must hold a number for each of the {size} features.")
        factor = square_matrix(self.factor, size, "factor")
        if np.any(np.tril(factor, -1)) or np.any(np.diag(factor) == 0):
            raise ValueError("factor must be upper triangular, with no 0 on its diagonal.")
        object.__setattr__(self, "factor", factor)
        if self.moment_error < 0:
            raise ValueError("moment_error must not be negative.")

    @property
    def columns(self) -> int:
        return self.low.size

    @property
    def numbers(self) -> dict[str, Any]:
        return super().numbers | {"moment_error": self.moment_error}

    def _shown(self, sample: Sample, times: float) -> Shown:
        away = outside(sample, self.low, self.high)
        require(not away.size, f"{counted(away.size, 'example')} outside the box.")
        family = checked_family(self.family, self.degree)
        means, slack = feature_means(sample, self.sample_weight, family, self.low, self.high)
        slack *= times
        try:
            own = moments(family, self.coef, self.columns, times)
        except TooSharp as reason:
            raise Refuted(str(reason)) from reason
        with np.errstate(over="ignore", invalid="ignore"):
            gap = np.abs(own.mean - means)
            error = own.mean_error + slack + times * 2 * UNIT
            excess = self._excess(own, own.mean - means, error, times)
            risk, off = self._risk(own, means, slack, times)
        return Shown(
            risk + off,
            risk - off - excess,
            {"moment_error": (float(gap.max()) + error) * ABOVE},
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
        return risk, off * ABOVE

    def _excess(self, own: Moments, g: np.ndarray, error: float, times: float) -> float:
        """What R(coef) exceeds its least value by at most; Refuted, if that is not shown."""
        L, k = self.factor, len(self.coef)
        length = float(np.linalg.norm(np.sum(np.abs(L), axis=0))) * ABOVE
        # an entry of LᵀHL is off by at most c_i c_j, c the column sums of |L|, times this
        off = own.covariance_error + times * gamma(2 * k + 4)
        eta = (
            float(np.linalg.norm(np.eye(k) - L.T @ own.covariance @ L)) + off * length**2
        ) * ABOVE
        eta += times * 8 * UNIT * k
        require(
            eta < 1,
            "the covariance of the features under this density is not shown to be what the factor "
            "says.",
        )
        root = math.sqrt(1 - eta) / ABOVE
        gradient = float(np.linalg.norm(L.T @ g)) + (error + times * 2 * gamma(k + 2)) * length
        decrement = gradient / root * ABOVE
        a = 2 * length / root * decrement * ABOVE
        require(a < 1, "the moments are not near enough for a likeliest density to be shown.")
        return 0.5 * decrement**2 * (1 + a / (3 * (1 - a))) * ABOVE


def feature_means(
    sample: Sample, weights: np.ndarray, features: BoxFeatures, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, float]:
    """The means of all features over the examples, and how far each may be off; |φ| ≤ 1."""
    means = averages(sample, weights, lambda part, p: p @ features.at(positions(part, low, high)))
    return means, (ROUNDED + features.rounding) * ABOVE


@final
@dataclass(frozen=True, repr=False, eq=False)
class NoLogLinearDensity(DensityClaim):
    r"""Claim: among the densities exp(w·φ) on the box, φ being of this `family` and of total degree
    up to `degree`, none is the likeliest for these examples (those of positive weight).

    Proof: in t = cos θ for each axis (see `box_features`) both families are the polynomials of
    total degree up to `degree`. If q ≥ 0 is one of them that is 0 at all examples, and not 0 almost
    everywhere on the box, the density exp(w·φ − αq) is likelier the larger α is, without end: its
    integral falls to 0. There is such a q,

    - with an `axis`: if its different values v, those inside counted twice, are at most `degree`
      many: q = Π (t − t_v)² over those inside, times 1 ± t for those at an end of the box;
    - without: if the different examples are fewer than the polynomials of half the degree have
      coefficients, C(⌊degree/2⌋ + d, d): one of these polynomials is 0 at all of them, and q its
      square;
    - with a `coef`, for polynomials of degree 2 or more: if all examples lie on the hyperplane
      coef·x = level, exactly: q = (coef·x − level)².
    """

    family: str
    degree: int
    low: np.ndarray
    high: np.ndarray
    axis: int | None
    coef: tuple[Fraction, ...]
    level: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        low, high = checked_box(self.low, self.high)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        checked_family(self.family, self.degree)
        if self.axis is not None and not 0 <= self.axis < low.size:
            raise ValueError("axis must be one of the box, or None.")
        if self.coef:
            hyperplane_of(self.coef, self.level, low.size)
            if self.axis is not None or self.family != "polynomials" or self.degree < 2:
                raise ValueError("a coef is for polynomials of degree 2 or more, without an axis.")

    @property
    def columns(self) -> int:
        return self.low.size

    @classmethod
    def find(
        cls, X, *, features: BoxFeatures, low, high, sample_weight=(), hyperplanes=()
    ) -> NoLogLinearDensity | None:
        """The claim, if it can be made; `hyperplanes` (coef, level) are tried, too."""
        d, family = np.shape(X)[1], family_of(features)
        ways: list[tuple] = [(axis, (), Fraction(0)) for axis in (*range(d), None)]
        if family == "polynomials" and features.degree > 1:
            ways += [(None, tuple(coef), level) for coef, level in hyperplanes]
        for way in ways:
            weights = np.asarray(sample_weight)
            claim = cls(Unlabelled(), weights, len(X), family, features.degree, low, high, *way)
            if claim.verify(X):
                return claim
        return None

    @property
    def numbers(self) -> dict[str, Any]:
        return {"examples": self.examples, "degree": self.degree}

    def _check(self, sample: Sample) -> str:
        self._check_shape(sample)
        away = outside(sample, self.low, self.high)
        require(not away.size, f"{counted(away.size, 'example')} outside the box.")
        X = self._counting(sample)
        if self.axis is not None:
            values = np.unique(X[:, self.axis])
            inside = (values > self.low[self.axis]) & (values < self.high[self.axis])
            count = values.size + int(np.sum(inside))
            require(
                count <= self.degree,
                f"the values, those inside the box counted twice, are {count:,} many, more than "
                f"the degree {self.degree}.",
            )
            return f"{counted(values.size, 'different value')} on the axis."
        if self.coef:
            check_on_hyperplane(X, self.coef, self.level)
            return "all that count lie on the hyperplane, exactly."
        different = len(np.unique(X, axis=0))
        fewer = math.comb(self.degree // 2 + self.low.size, self.low.size)
        require(
            different < fewer, f"there are {different:,} different examples, not below {fewer}."
        )
        return f"{counted(different, 'different example')}, fewer than {fewer}."
