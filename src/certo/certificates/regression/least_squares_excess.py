"""LeastSquaresExcess: how near linear predictions are to the least mean squared error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from certo.certificates.base import Certificate, check_shape, require
from certo.certificates.encoding import says_nothing
from certo.certificates.fields import (
    SEPARATION_INTERCEPTS,
    CostVector,
    FiniteTable,
    FiniteVector,
    FractionRows,
    IndexVector,
    check_choice,
    check_weights,
)
from certo.certificates.regression.dependence import exact_columns, others
from certo.certificates.regression.factors import check_kept, check_triangle
from certo.certificates.regression.least_squares_evidence import Evidence, by_rows, off_row_space
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.values import Values
from certo.numbers import exact
from certo.numbers.decimals import rounded_up
from certo.numbers.rounding import MAX_FLOAT


@final
@dataclass(frozen=True, repr=False, eq=False)
class LeastSquaresExcess(Certificate):
    r"""Claim: F(coef, intercept) ≤ risk, min F ≥ lower, F(coef, intercept) − min F ≤ excess, where

        F(W, b) = (1/S) Σ_i s_i ‖y_i − W x_i − b‖² + ridge·‖W‖² ,       S = Σ s_i ,

    over all W and, with a "free" intercept, all b; with "none" b = 0. With a `reach`, over those
    only whose coefficients of the columns not `kept` differ from these by at most `reach` in all.
    With a `distance`, also: coef is no further than that from the shortest W that gives the same
    predictions on the examples that count, s_i > 0 (with a free intercept: for some b).

    Proof, in the notation of `least_squares_evidence`.

    - All columns kept: F(W + V) = F(W) − 2 g·V + V·AV, whose minimum over V is F(W) − gᵀA⁻¹g, so
      the excess is gᵀA⁻¹g ≤ ‖Lᵀg‖²/(1 − η) =: λ².
    - Some not kept, ridge = 0. If, on examples that count, they are exactly the `combinations` of
      those kept, X̃V takes no other values than X̃_J a: the same bound. If not, let P project on the
      span of X̃_J, and v = V on the other columns, Σ|v_j| ≤ reach. ‖Pr‖² = g_JᵀA⁻¹g_J ≤ λ² by the
      same computation, X̃V and Σ v_j x̃_j have the same (1 − P)-part, and so
          F(W + V) ≥ ‖(1 − P)(r − Σ v_j x̃_j)‖² ≥ ‖r‖² − ‖Pr‖² − 2 Σ v_j ⟨(1 − P)r, x̃_j⟩
                   ≥ F(W) − λ² − 2·reach·max_j (|g_j| + λ‖x̃_j‖) .
    - No factor, ridge > 0: minimised over b first, A − ridge is the covariance of X, which is not
      negative, so the excess is at most ḡ² + ‖g_W − x̄ḡ‖²/ridge, ḡ the mean residual and x̄ the mean
      of X; without intercept ‖g_W‖²/ridge.
    - Neither: F ≥ 0.

    The shortest coefficients: those with the same predictions are coef + N, N being spanned by the
    n_j = e_j − (slopes of the combination of j), if X̃_J is independent, which η < 1 shows. The
    part of coef in N is no longer than (Σ_j (n_j·coef)²)^½, since the Gram matrix of the n_j is at
    least the identity. With `multipliers` z instead: Σ z_i (x_i − x̄) is orthogonal to N, so that
    the part is no longer than ‖coef − Σ z_i (x_i − x̄)‖.
    """

    labels: Values  # type: ignore[assignment]
    treatment: str
    ridge: float
    sample_weight: CostVector
    coef: FiniteTable
    intercept: FiniteVector
    shift: FiniteVector
    kept: IndexVector
    combinations: FractionRows
    factor: FiniteTable
    multipliers: FiniteTable
    reach: float | None
    examples: int
    risk: float
    lower: float
    excess: float
    distance: float | None

    describes: ClassVar[dict[str, str]] = {"coef": "coef_", "intercept": "intercept_"}
    shows = ("examples", "risk", "lower", "excess", "correlation", "reach", "distance")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.treatment, "treatment", SEPARATION_INTERCEPTS)
        q, d = self.labels.outputs, self.coef.shape[1]
        if len(self.coef) != q or self.multipliers.shape not in ((0, 0), (q, self.examples)):
            raise ValueError("coef and multipliers must have a row of numbers for each output.")
        check_kept(self.kept, d, self.lifted and self.kept.size > 0)
        check_triangle(self.factor, self.kept.size)
        for name, size in (("intercept", q), ("shift", d + q)):
            value = getattr(self, name)
            if value.size != size or (np.any(value) and not self.lifted):
                raise ValueError(f"{name} must hold {size} numbers, 0 without an intercept.")
        check_weights(self.sample_weight, self.examples)
        self._check_columns(d + self.lifted - self.kept.size)
        if not (0 <= self.lower <= self.risk and 0 <= self.excess <= self.risk):
            raise ValueError("0 ≤ lower ≤ risk and 0 ≤ excess ≤ risk must hold.")
        proved = self.combinations or self.multipliers.size
        if self.distance is not None and (self.distance < 0 or not proved):
            raise ValueError("distance must not be negative; it needs combinations or multipliers.")

    def _check_columns(self, rest: int) -> None:
        """Whatever columns are not kept, there are `rest`, is accounted for."""
        lines, kept = self.combinations, self.kept.size
        if lines and (len(lines) != rest or any(len(line) != kept for line in lines)):
            raise ValueError("combinations must have a term for each column kept and not kept.")
        if self.ridge < 0 or (self.ridge and (lines or self.reach is not None or (kept and rest))):
            raise ValueError("ridge must not be negative; with one all columns are kept, or none.")
        if self.reach is not None and (self.reach < 0 or lines or not rest):
            raise ValueError("reach must not be negative; it is for columns not kept.")
        if (lines or self.reach is not None) and self.lifted and not kept:
            raise ValueError("with combinations or a reach, the intercept must be kept.")
        if kept and rest and not lines and self.reach is None and not self.ridge:
            raise ValueError("columns that are not kept need combinations, or a reach.")

    @property
    def lifted(self) -> bool:
        return self.treatment == "free"

    @property
    def is_curved(self) -> bool:
        """Whether the proof is by a factor, if only of the intercept or of nothing."""
        return bool(self.kept.size or self.combinations) or self.reach is not None

    @property
    def correlation(self) -> float | None:
        """No linear function of the features has a larger correlation with the residual; None where
        that is not shown: with a ridge or a reach, for several outputs, and without an intercept.

        With one, a function less its mean is still in the span of X̃, so that correlation is at most
        ‖Pr‖/‖r‖, ‖Pr‖² being the excess and ‖r‖² = F ≥ lower."""
        if self.ridge or self.reach is not None or self.labels.outputs > 1 or not self.lifted:
            return None
        if not self.excess:
            return 0.0
        if not self.lower:
            return 1.0
        return min(1.0, exact.root_above(Fraction(self.excess) / Fraction(self.lower)))

    @property
    def _saved(self) -> Fraction:
        """The share of the objective that others might save, for all that is proved."""
        return 1 - Fraction(self.lower) / Fraction(self.risk) if self.risk else Fraction(0)

    @property
    def informative(self) -> bool:
        return not says_nothing(self._saved)

    @property
    def numbers(self) -> dict[str, Any]:
        return {name: value for name, value in super().numbers.items() if value is not None}

    def _check(self, sample: Sample) -> str:
        check_shape(sample, self.examples, self.coef.shape[1])
        require(
            self._is_exact(sample),
            "a column is not exactly the combination of others that it is said to be.",
        )
        evidence = by_rows(self, sample)
        if self.distance is not None:
            independent = evidence.excess(1, None) < math.inf  # η < 1
            apart = self._distance(sample, 1) if independent or self.multipliers.size else None
            require(
                apart is not None and apart <= self.distance,
                f"the coefficients are not shown to be within {self.distance!r} of the shortest.",
            )
        return self._compared(evidence)

    def _compared(self, evidence: Evidence) -> str:
        """Whether objective and excess are no more than is claimed."""
        F, excess = evidence.objective, evidence.excess(1, self.reach)
        require(F.above <= self.risk, f"the objective is not shown to be at most {self.risk!r}.")
        require(
            excess <= self.excess or F.above <= self.excess,
            f"the gradient does not prove an excess of at most {self.excess!r}.",
        )
        lowest = F.below - Fraction(excess) if excess < math.inf else Fraction(0)
        require(
            max(lowest, Fraction(0)) >= self.lower,
            f"it is not shown that no objective is below {self.lower!r}.",
        )
        return (
            f"the objective is at most {rounded_up(self.risk)}, and its infimum is lower "
            f"by at most {rounded_up(self.excess, 2)}."
        )

    def _is_exact(self, sample: Sample) -> bool:
        """Whether the combinations are exact on all examples that count."""
        if not self.combinations:
            return True
        counts = self.sample_weight > 0 if self.sample_weight.size else None
        found = exact_columns(sample, self.kept, self.combinations, self.lifted, counts)
        return bool(np.all(found))

    def _distance(self, sample: Sample | None, allowances: int) -> float | None:
        """How far coef is at most from the shortest with its predictions; None if not shown."""
        if self.multipliers.size and sample is not None:
            found = off_row_space(self, sample, allowances)
        elif self.combinations:
            found = self._off_null_space()
        else:
            return None
        return found if found < MAX_FLOAT else None

    def _off_null_space(self) -> float:
        """(Σ_j (n_j·coef)²)^½, rounded up."""
        d = self.coef.shape[1]
        slopes, square = self.kept[self.kept < d], Fraction(0)
        for w in self.coef:
            known = [Fraction(float(v)) for v in w[slopes]]
            for j, line in zip(others(self.kept, d).tolist(), self.combinations, strict=True):
                pairs = zip(line[: slopes.size], known, strict=True)
                inner = sum((c * v for c, v in pairs if c), Fraction(0))
                square += (Fraction(float(w[j])) - inner) ** 2
        return exact.root_above(square)
