"""LogisticExcess: how near the risk of a logistic regression is to the least there is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, final

import numpy as np

from certo.certificates import exact
from certo.certificates.base import CannotClaim, Certificate, Refuted, require
from certo.certificates.curvature import inverse_factor, kept_columns, triangle
from certo.certificates.dependence import exactly, remainders
from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.inseparable import intercept_mode
from certo.certificates.joint import class_sample
from certo.certificates.logistic_curvature import (
    Decrement,
    Hessian,
    decrement,
    hessian,
    slopes_moved,
)
from certo.certificates.logistic_idle import idle_coordinates, moves_nothing
from certo.certificates.logistic_ridge import strong_convexity
from certo.certificates.logistic_terms import LogisticProblem, Terms
from certo.certificates.rounded import ABOVE, Rounded, at_most, positive_sum, total
from certo.certificates.sample import Labels, Sample
from certo.certificates.weights import finite_vector, index_vector

PROOFS = ("curvature", "ridge", "none")
ROOM = 4  # allowances of the claim, in those of the checker, who may add in another order
ALIKE = 1 + 2.0**-16  # what else may differ: an inverse factor that was rounded in another way
LOSS = 2.0**-34  # of the bound, at most, where columns are nearly combinations of others
HUGE = np.finfo(np.float64).max
MOST = 1200  # coordinates for which curvature is looked at, if there is a ridge to fall back on,
MOST_EVER = 4000  # and if there is none
_NONE = np.zeros(0, np.int64)
NEAR_ONE = 0.5  # a Gram matrix that is so near the identity needs no better factor


class _Point(NamedTuple):
    """The problem, and what there is at (coef, intercept)."""

    problem: LogisticProblem
    terms: Terms

    @property
    def risks(self) -> tuple[Rounded, Rounded]:
        """The mean loss, and that of what is alive. Weights are off by 4 roundings, relatively."""
        shares, terms = self.problem.shares, self.terms
        risks = []
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            for losses, off in ((terms.losses, terms.losses_off), (terms.left, terms.left_off)):
                mean = positive_sum(shares * losses, quickly=True)
                slack = at_most(shares * (off + 4 * exact.UNIT * losses))
                risks.append(Rounded(mean.value, mean.within + slack))
        return risks[0], risks[1]


@final
@dataclass(frozen=True, repr=False, eq=False)
class LogisticExcess(Certificate):
    r"""Claim: F(coef, intercept) ≤ risk and inf F ≥ lower, where over m examples of K classes

        F(w, b) = (1/S) Σ_t s_t (log Σ_k e^{f_k(x_t)} − f_y(x_t)) + (ridge/2) Σ_k ‖w_k‖² ,

    f_k(x) = w_k·x + b_k, y the class of t, S = Σ s_t; for two classes there is one score, f, that of
    the second class, and the first has 0. All w are meant and, with a "free" intercept, all b. The
    weights are s_t = class_weight·sample_weight, one float64 product (none: 1). If `exists`, some
    (w, b) attains the infimum.

    Proof from above: all losses. From below, over what is left when the terms `dropped` are taken
    out: examples, for more than two classes terms e^{f_k(x_t)}, as k + K·t. Losses are positive, and
    a loss falls when a term is taken out of its sum, so what is left, F', has no larger infimum.

    `proof` "curvature": see `logistic_curvature`; of the columns `kept` (d is that of the ones) all
    others are `combinations` on what is left, so that F' is a function of the scores that these
    have. Exactly so, if `reach` is None; else the claim is about weights with Σ_j range_k(w_kj) ≤
    reach over these others (range: the largest minus the smallest, for two classes |w_j|), and
    `lower` is less by what that can move a mean loss at most. With more than two classes some
    coordinates, `fixed` = k·r + a for column kept[a] of class k against the last, may be without
    effect: moving one of them and others by its `ties` leaves all scores left unmoved, exactly.
    "ridge": see `logistic_ridge`. "none": losses are not negative.
    """

    treatment: str
    ridge: float
    class_weight: np.ndarray
    sample_weight: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    dropped: np.ndarray
    kept: np.ndarray
    combinations: tuple[tuple[Fraction, ...], ...]
    fixed: np.ndarray
    ties: tuple[tuple[Fraction, ...], ...]
    factors: tuple[np.ndarray, ...]
    reach: float | None
    proof: str
    examples: int
    risk: float
    lower: float

    describes: ClassVar[dict[str, str]] = {"coef": "coef_", "intercept": "intercept_"}
    _reads: ClassVar[str] = "places of classes"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("class_weight", "sample_weight", "intercept"):
            object.__setattr__(self, name, finite_vector(getattr(self, name), name))
        for name in ("dropped", "fixed"):
            object.__setattr__(self, name, index_vector(getattr(self, name), name))
        intercept_mode(self.treatment)
        if len(self.labels.classes) < 2 or self.labels.column is not None:
            raise ValueError("labels must have at least two classes, and no column.")
        coef, outputs = np.array(self.coef, dtype=np.float64), self.outputs
        if coef.ndim != 2 or len(coef) != outputs or not np.all(np.isfinite(coef)):
            raise ValueError(f"coef must be a table of finite numbers with {outputs} rows.")
        coef.flags.writeable = False
        object.__setattr__(self, "coef", coef)
        if self.intercept.size != outputs or (not self.lifted and np.any(self.intercept)):
            raise ValueError(f"intercept must hold {outputs} numbers, all 0 if there is none.")
        if self.proof not in PROOFS:
            raise ValueError(f"proof must be one of {PROOFS}, got {str(self.proof)[:40]!r}.")
        if self.ridge < 0 or np.any(self.class_weight < 0) or np.any(self.sample_weight < 0):
            raise ValueError("ridge, class_weight and sample_weight must not be negative.")
        if self.class_weight.size not in (0, len(self.labels.classes)):
            raise ValueError("class_weight must hold one number for each class, or none.")
        if self.sample_weight.size not in (0, self.examples):
            raise ValueError("sample_weight must hold one number for each example, or none.")
        if not 0 <= self.lower <= self.risk:
            raise ValueError("0 ≤ lower ≤ risk must hold.")
        if self.reach is not None and self.reach < 0:
            raise ValueError(f"reach must not be negative, got {self.reach!r}.")
        if self.proof == "curvature":
            self._check_basis()
        elif self.kept.size or self.fixed.size or any(
            (self.combinations, self.ties, self.factors, self.reach)
        ):  # fmt: skip
            raise ValueError("a basis is nothing but part of a proof by curvature.")

    def _check_basis(self) -> None:
        d, r = self.coef.shape[1], np.size(self.kept)
        object.__setattr__(self, "kept", kept_columns(self.kept, d, self.lifted))
        if np.any(self.fixed >= self.vectors * r) or (self.fixed.size and self.ridge):
            raise ValueError("fixed must be coordinates, and there are none with a ridge.")
        free = self.vectors * r - self.fixed.size
        for lines, rows, width in (
            (self.combinations, d + self.lifted - r, r),
            (self.ties, self.fixed.size, free),
        ):
            if len(lines) != rows or not all(
                len(line) == width and all(isinstance(term, Fraction) for term in line)
                for line in lines
            ):
                raise ValueError(f"there must be {rows} combinations of {width} fractions.")
        if self.combinations and self.ridge:
            raise ValueError("with a ridge all columns must be kept.")
        if len(self.factors) != self.vectors:
            raise ValueError(f"there must be {self.vectors} factors, one for each vector.")
        triangles = zip(self.factors, self._free, strict=True)
        factors = tuple(triangle(factor, places.size) for factor, places in triangles)
        object.__setattr__(self, "factors", factors)

    @property
    def lifted(self) -> bool:
        return self.treatment == "free"

    @property
    def outputs(self) -> int:
        """How many scores there are: one for two classes."""
        return 1 if len(self.labels.classes) == 2 else len(self.labels.classes)

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
    def exists(self) -> bool:
        """Whether it is proved that some coefficients have the least risk."""
        whole = not self.dropped.size and self.reach is None
        return self.proof == "ridge" or (self.proof == "curvature" and whole)

    @classmethod
    def of(
        cls,
        sample: Sample,
        labels: Labels,
        *,
        coef: np.ndarray,
        intercept: np.ndarray,
        treatment: str,
        ridge: float = 0.0,
        class_weight: Sequence[float] | np.ndarray | None = None,
        sample_weight: Sequence[float] | np.ndarray | None = None,
        alive: np.ndarray | None = None,
        kept: np.ndarray | None = None,
        combinations: Sequence[Sequence[Fraction]] = (),
        factor: np.ndarray | None = None,
        reach: float | None = None,
    ) -> LogisticExcess:
        """The strongest such claim; with lower = 0, if nothing better can be shown.

        `sample` has the places of the classes as signs. `alive` marks what is not dropped: (m,) for
        two classes, (m, K) for more. `kept` and `combinations` are those of `solvers.dependence`
        for the columns, on what is alive. `factor`, if known, is L with LLᵀ near the inverse Hessian
        over the columns kept, class after class: without it one is found, at the cost of one or two
        passes more. `reach`, where combinations are not exact: by default, as far as costs LOSS.
        CannotClaim, if numbers overflow.
        """
        draft = cls(
            labels=labels, treatment=treatment, ridge=ridge,
            class_weight=_given(class_weight), sample_weight=_given(sample_weight),
            coef=coef, intercept=intercept,
            dropped=_NONE, kept=_NONE, combinations=(), fixed=_NONE, ties=(), factors=(), reach=None,
            proof="none", examples=sample.m, risk=HUGE, lower=0.0,
        )  # fmt: skip
        p = sample.d + draft.lifted
        kept = np.arange(p) if kept is None else np.asarray(kept)
        lines = tuple(tuple(line) for line in combinations)
        try:
            if alive is not None:
                weights = draft._weights(sample) > 0
                weights = weights if draft.outputs == 1 else weights[:, None]
                draft = replace(draft, dropped=np.flatnonzero(~np.asarray(alive) & weights))
            point = draft._point(sample)
            draft, excess = _best_proof(draft, point, kept, lines, factor, reach)
            risk, left = draft._risks(point, ROOM)
        except Refuted as reason:
            raise CannotClaim(str(reason)) from reason
        upper, lower = exact.above(risk), exact.below(left - Fraction(excess))
        if upper == math.inf:
            raise CannotClaim("numbers overflow float64.")
        return replace(draft, risk=upper, lower=max(0.0, lower if draft.proof != "none" else 0.0))

    def _check(self, sample: Sample) -> str:
        m, d = self.examples, self.coef.shape[1]
        require(sample.m == m, f"the claim is about {m:,} examples, but X has {sample.m:,} rows.")
        require(sample.d == d, f"the claim is about {d:,} features, but X has {sample.d:,}.")
        last = int(max(self.dropped, default=-1))
        require(last < m * self.outputs, "a term is dropped that is not there.")
        point = self._point(sample)
        risk, left = self._risks(point, 1)
        require(risk <= self.risk, f"the risk is not shown to be at most {self.risk!r}.")
        lower = Fraction(0)
        if self.proof != "none":
            lower = max(lower, left - Fraction(self._excess(point, 1)))
        require(lower >= self.lower, f"it is not shown that no risk is below {self.lower!r}.")
        return (
            f"the risk is at most {rounded_up(self.risk)}, and nowhere below "
            f"{rounded_down(self.lower)}."
        )

    def _weights(self, sample: Sample) -> np.ndarray:
        weights = self.class_weight[sample.signs] if self.class_weight.size else np.ones(sample.m)
        with np.errstate(over="ignore", under="ignore"):
            return weights * self.sample_weight if self.sample_weight.size else weights

    def _point(self, sample: Sample) -> _Point:
        weights = self._weights(sample)
        whole = total(weights)
        require(whole > 0, "the weights of all examples are 0.")
        alive = None
        if self.dropped.size:
            alive = np.ones(sample.m * self.outputs, dtype=bool)
            alive[self.dropped] = False
            alive = alive if self.outputs == 1 else alive.reshape(-1, self.outputs)
        shares = weights / float(whole)
        problem = LogisticProblem(sample, len(self.labels.classes), self.lifted, shares, alive)
        return _Point(problem, problem.terms(self.coef, self.intercept))

    def _risks(self, point: _Point, room: int) -> tuple[Fraction, Fraction]:
        """F(w) rounded up, F'(w) rounded down; allowances `room` times.

        F' is meant over the vectors against the last class, each of which stands for the best w it
        comes from, with Σ_k w_k = 0: there the penalty is less by (ridge/2)·K·‖mean of w_k‖²."""
        risk, left = point.risks
        half, squares = Fraction(self.ridge) / 2, _square(self.coef)
        risk, left = risk.plus(squares, half), left.plus(squares, half)
        spare = Fraction(0)
        if self.ridge and self.outputs > 1 and self.proof == "curvature":
            K = self.outputs
            size = np.abs(self.coef.sum(axis=0))
            size = size + exact.allowance(K, np.abs(self.coef).sum(axis=0))
            spare = half * at_most(size * size) / K
        return risk.value + room * risk.within, left.value - room * (left.within + spare)

    def _excess(self, point: _Point, room: int) -> float:
        """How far F'(w) is above its infimum, at most."""
        if self.proof == "ridge":
            value = exact.above(self._risks(point, room)[0])
            here = (self.coef, self.intercept, self.ridge)
            return strong_convexity(*point, *here, value, room)
        found = self._decrement(point, self._hessian(point), room)
        require(found.shown, "gradient and curvature do not show that a least risk exists.")
        return (found.excess + self._missed(point)) * ABOVE

    def _hessian(self, point: _Point, coupled: bool = True) -> Hessian:
        p, free = self.coef.shape[1] + self.lifted, self._free
        sizes = [places.size for places in free]
        starts = np.cumsum([0, *sizes])[:-1]
        beside = np.zeros((p, sum(sizes)))
        for start, factor, places in zip(starts, self.factors, free, strict=True):
            beside[self.kept[places], start : start + places.size] = factor
        return hessian(*point, beside, starts, self.ridge, self.coef, coupled)

    def _decrement(self, point: _Point, found: Hessian, room: int) -> Decrement:
        size, reach = decrement(found, room)
        moved = room * slopes_moved(*point, reach)
        return Decrement((size + moved) * ABOVE, reach)

    def _missed(self, point: _Point) -> float:
        """What the bound loses to columns that are no combinations of those kept; Refuted if they
        ought to be, or if ties are none."""
        problem, sample = point.problem, point.problem.sample
        counts = problem.counts.any(axis=1)
        require(
            moves_nothing(problem, self.kept, self.fixed, self.ties),
            "a coordinate that is fixed has an effect.",
        )
        if not self.combinations:
            return 0.0
        apart = "columns that are not kept are no combinations of those that are."
        if self.reach is None:
            for start, stop in sample.blocks():
                rows, some = sample.X[start:stop], counts[start:stop]
                rows = rows if some.all() else rows[some]
                part = Sample(rows, np.ones(rows.shape[0], np.int8))
                same = exactly(part, self.kept, self.combinations, self.lifted)
                require(same or not rows.shape[0], apart)
            return 0.0
        weights = np.where(counts, problem.shares, 0.0) * ABOVE
        off = remainders(sample, self.kept, self.combinations, self.lifted, weights, 1.0)
        lost = float(np.max(off.mean_size)) * self.reach
        require(lost < math.inf, apart)
        return lost * ABOVE

    def _sample(self, X, y) -> Sample:
        return class_sample(X, y, self.labels.classes)

    @property
    def claim(self) -> str:
        return (
            f"The mean logistic loss of these coefficients over {counted(self.examples, 'example')} "
            f"is at most {rounded_up(self.risk)}. None has one below {rounded_down(self.lower)}."
        )

    @property
    def assumes(self) -> tuple[str, ...]:
        return ()

    @property
    def gap(self) -> float:
        """risk − lower, rounded up."""
        return exact.above(Fraction(self.risk) - Fraction(self.lower))

    @property
    def numbers(self) -> dict[str, Any]:
        return {
            "examples": self.examples,
            "risk": self.risk,
            "lower": self.lower,
            "gap": self.gap,
            "exists": self.exists,
        }


def _given(values: Any) -> np.ndarray:
    return np.zeros(0) if values is None else np.asarray(values)


def _square(coef: np.ndarray) -> Rounded:
    flat = coef.ravel()
    with np.errstate(over="ignore", under="ignore"):
        return positive_sum(flat * flat, quickly=True)


def _best_proof(
    draft: LogisticExcess, point: _Point, kept, lines, factor, reach
) -> tuple[LogisticExcess, float]:
    """The claim with the proof that shows most, and the excess that it shows."""
    if not np.any(point.problem.counts) and not draft.ridge:
        return draft, 0.0
    found = [(draft, math.inf)]
    most = MOST if draft.ridge else MOST_EVER
    if draft.vectors * kept.size <= most and np.any(point.problem.counts):
        found.append(_by_curvature(draft, point, kept, lines, factor, reach))
    if draft.ridge and found[-1][1] == math.inf:
        try:
            by_ridge = replace(draft, proof="ridge")
            found.append((by_ridge, by_ridge._excess(point, ROOM) * ALIKE))
        except Refuted:
            pass
    best, excess = min(found, key=lambda pair: pair[1])
    return (best, excess) if excess < math.inf else (draft, 0.0)


def _by_curvature(
    draft: LogisticExcess, point: _Point, kept, lines, factor, reach
) -> tuple[LogisticExcess, float]:
    r = kept.size
    fixed, ties = idle_coordinates(point.problem, kept) if draft.dropped.size else (_NONE, ())
    claim = replace(
        draft, proof="curvature", kept=kept, combinations=lines, reach=reach, fixed=fixed,
        ties=ties, factors=_first_factors(draft.vectors, r, fixed, factor),
    )  # fmt: skip
    known = factor is not None and not fixed.size
    looks = claim._hessian(point, coupled=known)
    for _ in range(4):
        if known and all(np.linalg.norm(g - np.eye(len(g))) < NEAR_ONE for g in looks.diagonal):
            break
        better = [_inverse_factor(gram) for gram in looks.diagonal]
        if any(one is None for one in better):
            return claim, math.inf
        pairs = zip(claim.factors, better, strict=True)
        claim = replace(claim, factors=tuple(np.triu(T @ one) for T, one in pairs))
        looks, known = claim._hessian(point), True
    else:
        return claim, math.inf
    shown = claim._decrement(point, looks, ROOM)
    if not shown.shown:
        return claim, math.inf
    try:
        missed = claim._missed(point)
    except Refuted:
        if not lines or reach is not None:
            return claim, math.inf
        one = replace(claim, reach=1.0)._missed(point)
        claim = replace(claim, reach=LOSS / max(one, LOSS / 2.0**200))
        missed = claim._missed(point)
    return claim, (shown.excess + missed) * ALIKE


def _inverse_factor(gram: np.ndarray) -> np.ndarray | None:
    """L with LᵀGL = I, or, where G is positive but for rounding, nearly so."""
    if not len(gram):
        return gram
    found = inverse_factor(gram)
    return found if found is not None else inverse_factor(gram + np.diag(1e-12 * np.diag(gram)))


def _first_factors(
    vectors: int, r: int, fixed: np.ndarray, factor: np.ndarray | None
) -> tuple[np.ndarray, ...]:
    """Factors of the parts of the classes, from one of all of them."""
    if factor is None or fixed.size:
        free = np.setdiff1d(np.arange(vectors * r), fixed)
        return tuple(np.eye(np.count_nonzero(free // max(r, 1) == k)) for k in range(vectors))
    if vectors == 1:
        return (np.asarray(factor),)
    root = np.linalg.inv(factor)
    blocks = np.split(root, vectors, axis=1)
    found = [_inverse_factor(block.T @ block) for block in blocks]
    return tuple(np.eye(r) if one is None else one for one in found)


