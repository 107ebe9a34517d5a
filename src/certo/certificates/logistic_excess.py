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
from certo.certificates.curvature import inverse_factor, kept_columns, pieces, triangle
from certo.certificates.dependence import exactly, remainders
from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.inseparable import intercept_mode
from certo.certificates.joint import class_sample
from certo.certificates.logistic_curvature import (
    Decrement,
    decrement,
    slopes_moved,
    two_classes,
)
from certo.certificates.logistic_terms import LogisticProblem, Terms
from certo.certificates.rounded import ABOVE, Rounded, at_most, positive_sum, total
from certo.certificates.sample import Labels, Sample
from certo.certificates.weights import finite_vector, index_vector

PROOFS = ("curvature", "ridge", "none")
ROOM = 4  # allowances of the claim, in those of the checker, who may add in another order
ALIKE = 1 + 2.0**-16  # what else may differ: an inverse factor that was rounded in another way
LOSS = 2.0**-34  # of the bound, at most, where columns are nearly combinations of others
HUGE = np.finfo(np.float64).max


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
            for losses, off in (
                (terms.losses, terms.losses_off + 4 * exact.UNIT * terms.losses),
                (terms.left, terms.left_off + 4 * exact.UNIT * terms.left),
            ):
                mean = positive_sum(shares * losses, quickly=True)
                risks.append(Rounded(mean.value, mean.within + at_most(shares * off)))
        return risks[0], risks[1]


@final
@dataclass(frozen=True, repr=False, eq=False)
class LogisticExcess(Certificate):
    r"""Claim: F(coef, intercept) ≤ risk and inf F ≥ lower.
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
    factor: np.ndarray
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
        coef = np.array(self.coef, dtype=np.float64)
        outputs = self.outputs
        if coef.ndim != 2 or len(coef) != outputs or not np.all(np.isfinite(coef)):
            raise ValueError(f"coef must be a table of finite numbers with {outputs} rows.")
        coef.flags.writeable = False
        object.__setattr__(self, "coef", coef)
        object.__setattr__(self, "dropped", index_vector(self.dropped, "dropped"))
        intercept_mode(self.treatment)
        if len(self.labels.classes) < 2 or self.labels.column is not None:
            raise ValueError("labels must have at least two classes, and no column.")
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
        d = coef.shape[1]
        object.__setattr__(self, "kept", kept_columns(self.kept, d, self.lifted))
        object.__setattr__(self, "factor", triangle(self.factor, self.kept.size))
        lines = self.combinations
        if len(lines) != d + self.lifted - self.kept.size or any(
            len(line) != self.kept.size or not all(isinstance(c, Fraction) for c in line)
            for line in lines
        ):
            raise ValueError("combinations must have a fraction for each column kept, in a row "
                             "for each that is not.")  # fmt: skip
        if lines and self.ridge:
            raise ValueError("with a ridge all columns must be kept.")

    @property
    def lifted(self) -> bool:
        return self.treatment == "free"

    @property
    def outputs(self) -> int:
        """How many scores there are: one for two classes."""
        return 1 if len(self.labels.classes) == 2 else len(self.labels.classes)

    @property
    def exists(self) -> bool:
        """Whether it is proved that some coefficients have the least risk."""
        if self.proof == "ridge":
            return True
        return self.proof == "curvature" and not self.dropped.size and self.reach is None

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
        """The strongest such claim. `sample` has the places of the classes as signs."""
        d, m = sample.d, sample.m
        kept = np.arange(d + (treatment == "free")) if kept is None else np.asarray(kept)
        draft = cls(
            labels=labels, treatment=treatment, ridge=ridge,
            class_weight=_given(class_weight), sample_weight=_given(sample_weight),
            coef=coef, intercept=intercept,
            dropped=np.zeros(0, np.int64) if alive is None else np.flatnonzero(~alive),
            kept=kept, combinations=tuple(tuple(line) for line in combinations),
            factor=np.eye(kept.size) if factor is None else factor, reach=reach,
            proof="none", examples=m, risk=HUGE, lower=0.0,
        )  # fmt: skip
        try:
            point = draft._point(sample)
            draft = draft._proved(point, factor is None)
            risk, lower = draft._values(point, ROOM)
        except Refuted as reason:
            raise CannotClaim(str(reason)) from reason
        upper = exact.above(risk)
        if upper == math.inf:
            raise CannotClaim("numbers overflow float64.")
        return replace(draft, risk=upper, lower=max(0.0, exact.below(lower)))

    def _check(self, sample: Sample) -> str:
        m, d = self.examples, self.coef.shape[1]
        require(sample.m == m, f"the claim is about {m:,} examples, but X has {sample.m:,} rows.")
        require(sample.d == d, f"the claim is about {d:,} features, but X has {sample.d:,}.")
        last = int(max(self.dropped, default=-1))
        require(last < m * (1 if self.outputs == 1 else self.outputs), "terms that are not there.")
        risk, lower = self._values(self._point(sample), 1)
        require(risk <= self.risk, f"the risk is not shown to be at most {self.risk!r}.")
        require(lower >= self.lower, f"it is not shown that no risk is below {self.lower!r}.")
        return f"the risk is at most {rounded_up(self.risk)}, and nowhere below {rounded_down(self.lower)}."

    def _point(self, sample: Sample) -> _Point:
        K, codes = len(self.labels.classes), sample.signs
        weights = np.ones(sample.m)
        if self.class_weight.size:
            weights = self.class_weight[codes]
        if self.sample_weight.size:
            with np.errstate(over="ignore", under="ignore"):
                weights = weights * self.sample_weight
        whole = total(weights)
        require(whole > 0, "all weights are 0.")
        alive = None
        if self.dropped.size:
            alive = np.ones(sample.m * self.outputs, dtype=bool)
            alive[self.dropped] = False
            alive = alive if self.outputs == 1 else alive.reshape(-1, self.outputs)
        problem = LogisticProblem(sample, K, self.lifted, weights / float(whole), alive)
        return _Point(problem, problem.terms(self.coef, self.intercept))

    def _values(self, point: _Point, room: int) -> tuple[Fraction, Fraction]:
        """F(w) rounded up, and what inf F is at least; allowances `room` times."""
        risk, left = point.risks
        penalty = Fraction(self.ridge) / 2
        squares = _square(self.coef)
        risk = risk.plus(squares, penalty)
        above = risk.value + room * risk.within
        if self.proof == "none":
            return above, Fraction(0)
        left = left.plus(squares, penalty)
        excess = self._excess(point, room)
        return above, left.value - room * left.within - excess

    def _excess(self, point: _Point, room: int) -> Fraction:
        """What F over what is alive is above its infimum, at most."""
        found = self._decrement(point, room)
        require(found.shown, "gradient and curvature do not show that a least risk exists.")
        missed = self._missed(point)
        spare = 1.0 if room == 1 else ALIKE
        return total(np.array([found.excess * spare, missed * spare]))

    def _decrement(self, point: _Point, room: int) -> Decrement:
        problem, terms = point
        hessian = two_classes(problem, terms, self.kept, self.factor, self.ridge, self.coef)
        found = decrement(hessian, room)
        moved = room * slopes_moved(problem, terms, found.reach)
        return Decrement((found.size + moved) * ABOVE, found.reach)

    def _missed(self, point: _Point) -> float:
        """What the bound may lose to columns that are no combinations of those kept."""
        if not self.combinations:
            return 0.0
        problem, sample = point.problem, point.problem.sample
        counts = problem.counts.any(axis=1)
        if self.reach is None:
            for start, stop in pieces(sample):
                some = counts[start:stop]
                rows = sample.X[start:stop]
                rows = rows if some.all() else rows[some]
                part = Sample(rows, np.ones(rows.shape[0], np.int8))
                require(rows.shape[0] == 0 or exactly(part, self.kept, self.combinations, self.lifted),
                    "columns that are not kept are no combinations of those that are.")
            return 0.0
        weights = np.where(counts, problem.shares, 0.0)
        off = remainders(sample, self.kept, self.combinations, self.lifted, weights, 1.0)
        with np.errstate(over="ignore", invalid="ignore"):
            lost = float(np.max(off.mean_size)) * self.reach * ABOVE
        require(lost < math.inf, "columns that are not kept are no combinations of those that are.")
        return lost

    def _proved(self, point: _Point, search: bool) -> LogisticExcess:
        """This claim with a proof, if there is one."""
        draft = replace(self, proof="curvature")
        if not np.any(point.problem.counts):
            return self
        for _ in range(4):
            problem, terms = point
            hessian = two_classes(problem, terms, draft.kept, draft.factor, self.ridge, self.coef)
            if not search and np.linalg.norm(hessian.gram - np.eye(len(hessian.gram))) < 0.5:
                break
            search = False
            L = inverse_factor(hessian.gram)
            if L is None:
                L = inverse_factor(hessian.gram + np.diag(1e-12 * np.diag(hessian.gram)))
            if L is None:
                return self
            draft = replace(draft, factor=np.triu(draft.factor @ L))
        if draft.combinations and draft.reach is None:
            try:
                draft._missed(point)
            except Refuted:
                one = replace(draft, reach=1.0)
                draft = replace(draft, reach=LOSS / max(one._missed(point), LOSS / HUGE))
        return draft if draft._decrement(point, ROOM).shown else self

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
    return positive_sum(flat * flat, quickly=True)
