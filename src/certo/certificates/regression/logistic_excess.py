"""LogisticExcess: how near the risk of a logistic regression is to the least there is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from certo.certificates.base import Certificate, check_shape, require
from certo.certificates.encoding import says_nothing
from certo.certificates.fields import (
    SEPARATION_INTERCEPTS,
    CostVector,
    FiniteTable,
    FiniteTables,
    FiniteVector,
    FractionRows,
    IndexVector,
    check_choice,
    check_weights,
)
from certo.certificates.regression import logistic_curvature
from certo.certificates.regression.dependence import exact_columns, others, remainders
from certo.certificates.regression.factors import check_kept, check_triangle
from certo.certificates.regression.logistic_curvature import Hessian, decrement, partial_stride
from certo.certificates.regression.logistic_idle import moves_nothing
from certo.certificates.regression.logistic_ridge import strong_convexity
from certo.certificates.regression.logistic_terms import LogisticProblem, Point
from certo.certificates.sample.classes import check_classes, class_sample
from certo.certificates.sample.examples import Sample
from certo.numbers import exact
from certo.numbers.decimals import rounded_up
from certo.numbers.rounded import ABOVE, Rounded, at_most, positive_sum, total

PROOFS = ("curvature", "ridge", "none")
LIMIT_GAP = 0.01  # A gap of a mean loss that is told, though no share of the loss is proved.
LEAST_SHARE = 2.0**-900  # Share of an example in all weights below which products underflow.


@final
@dataclass(frozen=True, repr=False, eq=False)
class LogisticExcess(Certificate):
    r"""Claim: F(coef, intercept) ≤ risk and inf F ≥ lower, where over m examples of K classes

        F(w, b) = (1/S) Σ_t s_t (log Σ_k e^{f_k(x_t)} − f_y(x_t)) + (ridge/2) Σ_k ‖w_k‖² ,

    f_k(x) = w_k·x + b_k, y the class of t, S = Σ s_t; for two classes there is one score, that of
    the second class, and the first has 0. All w are meant and, with a "free" intercept, all b. The
    weights are s_t = class_weight·sample_weight, one float64 product (none: 1). If `exists`, some
    (w, b) attains the infimum.

    Proof from above: all losses. From below, over what is left when the terms `dropped` are taken
    out: examples, for more than two classes terms e^{f_k(x_t)}, as k + K·t. Losses are positive,
    and fall when a term is taken out of their sums, so what is left, F', has no larger infimum.

    `proof` "curvature": see `logistic_curvature`; of the columns `kept` (d is that of the ones) all
    others are `combinations` on what is left, so that F' is a function of the scores that these
    have. Exactly so, but for some that are `nearly` combinations. What these miss, E, moves a loss
    by at most Σ_j |E_tj|·range_k(Δw_kj) (range: the largest minus the smallest, for two classes
    |Δw_j|), if their coefficients are changed by Δw; `lower` is less by the mean of that, and the
    claim is about weights for which Σ_j range_k(Δw_kj) ≤ `reach`. With more than two classes some
    coordinates may be without effect: see `logistic_idle` for `fixed` and `ties`. "ridge": see
    `logistic_ridge`. "none": losses are not negative.
    """

    treatment: str
    ridge: float
    class_weight: CostVector
    sample_weight: CostVector
    coef: FiniteTable
    intercept: FiniteVector
    dropped: IndexVector
    kept: IndexVector
    combinations: FractionRows
    fixed: IndexVector
    ties: FractionRows
    nearly: IndexVector
    factors: FiniteTables
    reach: float | None
    proof: str
    examples: int
    risk: float
    lower: float

    describes: ClassVar[dict[str, str]] = {"coef": "coef_", "intercept": "intercept_"}
    shows = ("examples", "risk", "lower", "gap", "attained")
    _reads: ClassVar[str] = "places of classes"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.treatment, "treatment", SEPARATION_INTERCEPTS)
        check_classes(self.labels)
        outputs = self.labels.outputs
        if len(self.coef) != outputs:
            raise ValueError(f"coef must be a table of finite numbers with {outputs} rows.")
        if self.intercept.size != outputs or (not self.lifted and np.any(self.intercept)):
            raise ValueError(f"intercept must hold {outputs} numbers, all 0 if there is none.")
        check_choice(self.proof, "proof", PROOFS)
        if self.ridge < 0:
            raise ValueError("ridge must not be negative.")
        if self.class_weight.size not in (0, len(self.labels.classes)):
            raise ValueError("class_weight must hold one number for each class, or none.")
        check_weights(self.sample_weight, self.examples)
        if not 0 <= self.lower <= self.risk:
            raise ValueError("0 ≤ lower ≤ risk must hold.")
        if self.reach is not None and self.reach < 0:
            raise ValueError(f"reach must not be negative, got {self.reach!r}.")
        if self.proof == "curvature":
            self._check_basis()
        elif self.kept.size or self.fixed.size or self.nearly.size or any(
            (self.combinations, self.ties, self.factors, self.reach)
        ):  # fmt: skip
            raise ValueError("a basis is nothing but part of a proof by curvature.")

    def _check_basis(self) -> None:
        d, r = self.coef.shape[1], self.kept.size
        check_kept(self.kept, d, self.lifted)
        if np.any(self.fixed >= self.vectors * r):
            raise ValueError("fixed must be coordinates.")
        if self.fixed.size and (self.ridge or self.vectors == 1):
            raise ValueError("no coordinates are fixed with a ridge, or for two classes.")
        free = self.vectors * r - self.fixed.size
        for lines, rows, width in (
            (self.combinations, d + self.lifted - r, r),
            (self.ties, self.fixed.size, free),
        ):
            if len(lines) != rows or any(len(line) != width for line in lines):
                raise ValueError(f"there must be {rows} combinations of {width} fractions.")
        if (self.reach is None) != (not self.nearly.size) or not np.all(
            np.isin(self.nearly, others(self.kept, d))
        ):
            raise ValueError("nearly must be columns that are not kept, with a reach if any.")
        if self.combinations and self.ridge:
            raise ValueError("with a ridge all columns must be kept.")
        if len(self.factors) != self.vectors:
            raise ValueError(f"there must be {self.vectors} factors, one for each vector.")
        for factor, places in zip(self.factors, self._free, strict=True):
            check_triangle(factor, places.size)

    @property
    def lifted(self) -> bool:
        return self.treatment == "free"

    @property
    def vectors(self) -> int:
        """How many there are against the last class (for two classes against the first)."""
        return len(self.labels.classes) - 1

    @property
    def _free(self) -> list[np.ndarray]:
        """For each class but the last, the places in `kept` that are not fixed."""
        r = self.kept.size
        free = np.setdiff1d(np.arange(self.vectors * r), self.fixed)
        return [free[free // max(r, 1) == k] - k * r for k in range(self.vectors)]

    @property
    def coordinates(self) -> int:
        """How many numbers move the scores that are left."""
        return self.vectors * self.kept.size - self.fixed.size

    @property
    def exists(self) -> bool:
        """Whether it is proved that some coefficients have the least risk."""
        whole = not self.dropped.size and self.reach is None
        return self.proof == "ridge" or (self.proof == "curvature" and whole)

    def _check(self, sample: Sample) -> str:
        check_shape(sample, self.examples, self.coef.shape[1])
        last = int(max(self.dropped, default=-1))
        require(last < sample.m * self.labels.outputs, "a term is dropped that is not there.")
        point = self._point(sample)
        (risk, left), excess = self._risks(point, 1), math.inf
        if self.proof != "none":
            excess = self.excess(point, 1, exact.below(left - Fraction(self.lower)))
        return self._compared(risk, left, excess)

    def _compared(self, risk: Fraction, left: Fraction, excess: float) -> str:
        """Whether risk and excess are no more than is claimed."""
        require(risk <= self.risk, f"the risk is not shown to be at most {self.risk!r}.")
        lower = left - Fraction(excess) if excess < math.inf else Fraction(0)
        require(
            max(lower, Fraction(0)) >= self.lower,
            f"it is not shown that no risk is below {self.lower!r}.",
        )
        return (
            f"the risk is at most {rounded_up(self.risk)}, and its infimum is lower by at most "
            f"{rounded_up(self.gap, 2)}."
        )

    def _weights(self, sample: Sample) -> np.ndarray:
        weights = self.class_weight[sample.signs] if self.class_weight.size else np.ones(sample.m)
        with np.errstate(over="ignore", under="ignore"):
            return weights * self.sample_weight if self.sample_weight.size else weights

    def _point(self, sample: Sample) -> Point:
        weights = self._weights(sample)
        whole = total(weights)
        require(whole > 0, "the weights of all examples are 0.")
        shares = weights / float(whole)
        require(not np.any((weights > 0) & (shares < LEAST_SHARE)), "weights are too different.")
        outputs, left = self.labels.outputs, None
        if self.dropped.size:
            alive = np.isin(np.arange(sample.m * outputs), self.dropped, invert=True)
            left = alive if outputs == 1 else alive.reshape(-1, outputs)
        problem = LogisticProblem(sample, len(self.labels.classes), self.lifted, shares, left)
        return Point.at(problem, self.coef, self.intercept, self.ridge)

    def _risks(self, point: Point, room: int) -> tuple[Fraction, Fraction]:
        shares, terms = point.problem.shares, point.terms
        risk = mean_loss(shares, terms.losses, terms.losses_off)
        return self._risks_of(risk, mean_loss(shares, terms.left, terms.left_off), room)

    def _risks_of(self, risk: Rounded, left: Rounded, room: int) -> tuple[Fraction, Fraction]:
        """F(w) rounded up, F'(w) rounded down; allowances `room` times.

        F' is meant over the vectors against the last class, each of which stands for the best w it
        comes from, with Σ_k w_k = 0: there the penalty is less by (ridge/2)·K·‖mean of w_k‖²."""
        half = Fraction(self.ridge) / 2
        with np.errstate(over="ignore", under="ignore"):
            squares = positive_sum((self.coef * self.coef).ravel(), quickly=True)
        risk, left = risk.plus(squares, half), left.plus(squares, half)
        spare = Fraction(0)
        if self.ridge and self.labels.outputs > 1 and self.proof == "curvature":
            slack = exact.allowance(self.labels.outputs, np.abs(self.coef).sum(axis=0))
            size = np.abs(self.coef.sum(axis=0)) + slack
            spare = half * at_most(size * size) / self.labels.outputs
        return risk.value + room * risk.within, left.value - room * (left.within + spare)

    def excess(self, point: Point, room: int, enough: float = 0.0) -> float:
        """How far F'(w) is above its infimum, at most; no less than `enough` need be shown."""
        if self.proof == "ridge":
            return strong_convexity(point, exact.above(self._risks(point, room)[0]), room)
        if not self.coordinates:
            return self.missed(point, room) * ABOVE
        missed, shown = self.missed(point, room), math.inf
        for stride in dict.fromkeys((partial_stride(self.examples, self.coordinates), 1)):
            found = decrement(point, self.hessian(point, stride=stride), room)
            shown = (found.excess + missed) * ABOVE if found.shown else math.inf
            if shown <= enough:
                break
        require(shown < math.inf, "gradient and curvature do not show that a least risk exists.")
        return shown

    def hessian(self, point: Point, coupled: bool = True, stride: int = 1) -> Hessian:
        wide = []
        for factor, places in zip(self.factors, self._free, strict=True):
            wide.append(np.zeros((point.problem.columns, places.size)))
            wide[-1][self.kept[places]] = factor
        return logistic_curvature.hessian(point, wide, coupled, stride)

    def missed(self, point: Point, room: int) -> float:
        """What the bound loses to columns that are not combinations of those kept; Refuted if they
        ought to be, or if ties are none."""
        problem, sample = point.problem, point.problem.sample
        if self.kept.size == problem.columns and not self.fixed.size:
            return 0.0
        idle = moves_nothing(problem, self.kept, self.fixed, self.ties)
        require(idle, "a coordinate that is fixed has an effect.")
        same = exact_columns(sample, self.kept, self.combinations, self.lifted, problem.left)
        wrong = np.setdiff1d(others(self.kept, sample.d)[~same], self.nearly).tolist()
        require(not wrong, f"column {wrong[:1]} is not a combination of those kept.")
        return 0.0 if self.reach is None else self.lost(point, room)

    def lost(self, point: Point, room: int) -> float:
        """What the bound loses to columns that are nearly combinations; allowances `room` times."""
        problem, rest = point.problem, others(self.kept, self.coef.shape[1])
        weights = np.where(problem.left, problem.shares, 0.0) * ABOVE
        off = remainders(problem.sample, self.kept, self.combinations, weights, room)
        lost = float(np.max(off[np.isin(rest, self.nearly)])) * (self.reach or 0.0)
        require(lost < math.inf, "what columns that are not kept are apart overflows float64.")
        return lost * ABOVE

    def _sample(self, X, y) -> Sample:
        return class_sample(X, y, self.labels.classes)

    @property
    def _saved(self) -> Fraction:
        """The share of the objective that others might save, for all that is proved."""
        return 1 - Fraction(self.lower) / Fraction(self.risk) if self.risk else Fraction(0)

    @property
    def _is_limit(self) -> bool:
        """Whether it is near a limit that perhaps no coefficients reach."""
        return not self.exists and self.reach is None and self.gap <= LIMIT_GAP

    @property
    def informative(self) -> bool:
        return self._is_limit or not says_nothing(self._saved)

    @property
    def gap(self) -> float:
        """risk − lower, rounded up."""
        return exact.above(Fraction(self.risk) - Fraction(self.lower))

    @property
    def attained(self) -> str:
        """Whether it is proved that some coefficients have the least risk, for people."""
        return "proved" if self.exists else "not proved by this claim"


def mean_loss(shares: np.ndarray, losses: np.ndarray, off: np.ndarray) -> Rounded:
    """Σ share·loss, each loss being off by `off` at most and its share by 4 roundings."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        mean = positive_sum(shares * losses, quickly=True)
        slack = at_most(shares * (off + 4 * exact.UNIT * losses))
    return Rounded(mean.value, mean.within + slack)
