"""NoGaussianDensity and NoLogLinearDensity: all examples lie on one hyperplane, or have so few
different values, that no density of a family is the likeliest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from certo.certificates.base import Refuted, check_shape, require
from certo.certificates.density.box_features import check_box, features_of, outside
from certo.certificates.density.likelihood_gap import COVARIANCES, DensityClaim
from certo.certificates.encoding import counted
from certo.certificates.fields import FiniteVector, Fractions, check_choice
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.exact_rows import score_signs
from certo.numbers.farkas import common_denominator


def check_normal(coef: Fractions, size: int) -> None:
    """ValueError, unless coef·x = level is a hyperplane in that many dimensions."""
    if len(coef) != size or not any(coef):
        raise ValueError("there must be one coef for each feature, and not all may be 0.")


def check_on_hyperplane(X: np.ndarray, coef: Fractions, level: Fraction) -> None:
    """All rows have coef·x = level, in exact arithmetic; or Refuted."""
    common = common_denominator((*coef, level))
    if common is None:
        raise Refuted("coef and level have no common denominator of a reasonable size.")
    numbers = [int(number * common) for number in (*coef, -level)]
    off = np.flatnonzero(score_signs(Sample(X, np.ones(len(X), np.int8)), numbers, True))
    require(not off.size, f"{counted(off.size, 'example')} not on the hyperplane.")


@final
@dataclass(frozen=True, repr=False, eq=False)
class NoGaussianDensity(DensityClaim):
    """Claim: all examples (of positive weight) lie on the hyperplane coef·x = level, so that no
    Gaussian density is likeliest; "diagonal": coef has one entry alone, so a column is constant.
    With an empty coef: there are no more different examples than features (than one, "diagonal").

    Proof: exact arithmetic. A density that is flatter and flatter along coef has a likelihood
    beyond all bounds on these examples. Any d examples lie on some hyperplane.
    """

    features: int
    kind: str
    coef: Fractions
    level: Fraction

    shows = ("examples",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.kind, "covariance", COVARIANCES)
        if self.coef:
            check_normal(self.coef, self.features)
        if self.kind == "diagonal" and sum(number != 0 for number in self.coef) > 1:
            raise ValueError("for a diagonal covariance, only one column may be in the hyperplane.")

    @property
    def columns(self) -> int:
        return self.features

    def _check(self, sample: Sample) -> str:
        check_shape(sample, self.examples, self.columns)
        X = self._counting(sample)
        if not self.coef:
            most = self.features if self.kind == "full" else 1
            few = len(X) <= most or len(np.unique(X, axis=0)) <= most
            require(few, f"there are more than {most:,} different examples.")
            return f"at most {most:,} different examples count."
        check_on_hyperplane(X, self.coef, self.level)
        return "all that count lie on the hyperplane, exactly."


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
    low: FiniteVector
    high: FiniteVector
    axis: int | None
    coef: Fractions
    level: Fraction

    shows = ("examples", "degree")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_box(self.low, self.high)
        features_of(self.family, self.degree)
        if self.axis is not None and not 0 <= self.axis < self.columns:
            raise ValueError("axis must be one of the box, or None.")
        if self.coef:
            check_normal(self.coef, self.columns)
            if self.axis is not None or self.family != "polynomials" or self.degree < 2:
                raise ValueError("a coef is for polynomials of degree 2 or more, without an axis.")

    @property
    def columns(self) -> int:
        return self.low.size

    def _check(self, sample: Sample) -> str:
        check_shape(sample, self.examples, self.columns)
        away = outside(sample, self.low, self.high)
        require(not away.size, f"{counted(away.size, 'example')} outside the box.", *away)
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
