"""DualityGap: how near a hyperplane is to the best soft-margin objective, from both sides."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np
from scipy import sparse

from certo.certificates import exact
from certo.certificates.base import CannotClaim, Certificate, Refuted, require
from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.margins import Margins
from certo.certificates.maximum_margin import INTERCEPTS
from certo.certificates.sample import Labels, Sample
from certo.certificates.weights import check_weights, finite_vector, index_vector

NEGLIGIBLE = 1e-4  # of the gap: an allowance that is not worth more work
EXACT_PRODUCTS = 2**16  # up to so many products (a row or column counts as 16 more) are exact
PIECE = 4096  # rows added in whatever order; the sums of two halves are then added
ROOM = 4  # allowances of the claim, in those of the checker: see `of`
LANES = 64  # so many terms of a long sum are added by NumPy, the rest by `math.fsum`
ABOVE = 1 + 2.0**-20  # pays for the roundings of a sum of up to 2³⁰ non-negative terms


def costs_of(C: float, class_weight, signs: np.ndarray, sample_weight=()) -> np.ndarray:
    """The costs c_t = (C·class_weight)·sample_weight, two float64 products in this order: what the
    problem is about, exactly. `class_weight` has a number for −1 and one for +1; no `sample_weight`
    means 1 for each."""
    with np.errstate(over="ignore", under="ignore"):
        negative, positive = np.float64(C) * np.asarray(class_weight, np.float64)
        costs = np.where(signs > 0, positive, negative)
        return costs * np.asarray(sample_weight, np.float64) if len(sample_weight) else costs


@dataclass(frozen=True)
class _Rounded:
    """A number that is at most `within` away from `value`."""

    value: Fraction
    within: Fraction = Fraction(0)

    def plus(self, other: _Rounded, times: Fraction = Fraction(1)) -> _Rounded:
        return _Rounded(self.value + times * other.value, self.within + abs(times) * other.within)


@final
@dataclass(frozen=True, repr=False, eq=False)
class DualityGap(Certificate):
    r"""Claim: P(coef, intercept) ≤ primal and min P ≥ dual, where

        P(w, b) = ½‖w‖² + Σ_t c_t [1 − y_t (w·x_t + b)]₊ ,      c = `costs_of(C, …)`,

    over all w and, with a "free" intercept, all b; with "none" b = 0; "lifted" with ½b² added. So
    P(coef, intercept) exceeds the minimum by at most gap = primal − dual. Of that gap at most
    `allowance` is due to rounding: P(coef, intercept) − D(α), see below, is at least gap −
    allowance.

    Proof from above: all hinge losses of (coef, intercept). From below: let α_t = |dual_coef_t| on
    `rows`, 0 ≤ α_t ≤ c_t, and v = Σ α_t y_t x_t (lifted: of (x_t, 1)). A hinge loss is at least
    0 and at least 1 − y_t (w·x_t + b), so for all w, b

        P(w, b)  ≥  ½‖w‖² + Σ α_t (1 − y_t (w·x_t + b))  =  Σ α_t + ½‖w‖² − w·v − b Σ α_t y_t
                 ≥  Σ α_t − ½‖v‖²  =  D(α),

    if Σ α_t y_t = 0, which is required exactly where b is free (`math.fsum` rounds the exact sum
    once, and a sum of floats other than 0 does not round to 0). And P ≥ 0.

    Rounding: margins as in Separating; a hinge loss moves no more than its margin. An entry of v
    is added from pieces of PIECE rows in halves, so that no product passes through more than
    PIECE + 64 roundings. Long sums of non-negative products end with `math.fsum`, after few
    roundings. Where these allowances are more than a negligible part of the gap, margins get their
    own, and what is not too long is computed exactly.
    """

    coef: np.ndarray
    intercept: float
    treatment: str
    C: float
    class_weight: np.ndarray
    sample_weight: np.ndarray
    rows: np.ndarray
    dual_coef: np.ndarray
    examples: int
    primal: float
    dual: float
    allowance: float

    describes: ClassVar[dict[str, str]] = {
        "coef": "coef_",
        "intercept": "intercept_",
        "rows": "support_",
        "dual_coef": "dual_coef_",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("coef", "class_weight", "sample_weight", "dual_coef"):
            object.__setattr__(self, name, finite_vector(getattr(self, name), name))
        object.__setattr__(self, "rows", index_vector(self.rows, "rows"))
        if self.treatment not in INTERCEPTS:
            raise ValueError(f"treatment must be one of {INTERCEPTS}, got {self.treatment!r}.")
        if self.treatment == "none" and self.intercept != 0:
            raise ValueError(f"without an intercept it must be 0, got {self.intercept!r}.")
        if self.C <= 0:
            raise ValueError(f"C must be positive, got {self.C!r}.")
        if self.class_weight.size != 2:
            raise ValueError("class_weight must hold a number for −1 and one for +1.")
        if np.any(self.class_weight < 0) or np.any(self.sample_weight < 0):
            raise ValueError("class_weight and sample_weight must not be negative.")
        if self.sample_weight.size not in (0, self.examples):
            raise ValueError("sample_weight must hold one number for each example, or none.")
        if self.dual_coef.shape != self.rows.shape:
            raise ValueError("dual_coef must hold one number for each of the rows.")
        if not 0 <= self.dual <= self.primal or self.allowance < 0:
            raise ValueError("0 ≤ dual ≤ primal and 0 ≤ allowance must hold.")

    @classmethod
    def of(
        cls,
        sample: Sample,
        labels: Labels,
        *,
        coef: np.ndarray,
        intercept: float,
        treatment: str,
        C: float,
        class_weight=(1.0, 1.0),
        sample_weight=(),
        rows: np.ndarray,
        dual_coef: np.ndarray,
        square: float | None = None,
    ) -> DualityGap:
        """The strongest such claim from a hyperplane and signed multipliers α_t y_t of some rows.

        `square`, if known, is a number that no ‖x_t‖² exceeds. CannotClaim, if the multipliers are
        not feasible or numbers overflow.

        A checker may add in another order: his values differ from these by his allowance and ours,
        and he then allows for his own. His are at most 1.5 times ours (they are computed alike), so
        ROOM = 4 of ours is enough.
        """
        huge = np.finfo(np.float64).max
        draft = cls(
            labels, coef, intercept, treatment, C, np.asarray(class_weight),
            np.asarray(sample_weight), rows, dual_coef, sample.m, huge, 0.0, huge,
        )  # fmt: skip
        try:
            costs = draft._costs(sample)
            margins = Margins.of(sample, draft.coef, draft.intercept, square)
            for most_exact in (0, 1, EXACT_PRODUCTS):
                primal, dual = draft._values(margins, costs, most_exact)
                rounding = primal.within + dual.within
                if rounding <= Fraction(NEGLIGIBLE) * (primal.value - dual.value):
                    break
        except Refuted as reason:
            raise CannotClaim(str(reason)) from reason
        upper = exact.above(primal.value + ROOM * primal.within)
        lower = max(0.0, exact.below(dual.value - ROOM * dual.within))
        if upper == math.inf:
            raise CannotClaim("numbers overflow float64.")
        room = ROOM * (primal.within + dual.within)
        rounding = Fraction(upper) - primal.value + dual.value - Fraction(lower) + room
        allowance = max(0.0, exact.above(rounding))
        if allowance == math.inf:
            raise CannotClaim("numbers overflow float64.")
        for name, value in (("primal", upper), ("dual", lower), ("allowance", allowance)):
            object.__setattr__(draft, name, value)
        return draft

    @property
    def gap(self) -> float:
        """primal − dual, rounded up."""
        return exact.above(Fraction(self.primal) - Fraction(self.dual))

    @property
    def relative_gap(self) -> float:
        """(primal − dual)/primal, rounded up; 0 where primal is 0."""
        return exact.above(1 - Fraction(self.dual) / Fraction(self.primal)) if self.primal else 0.0

    @property
    def claim(self) -> str:
        objective, which = {
            "free": ("½‖w‖² + Σ c [1 − y (w·x + b)]₊", "hyperplane"),
            "none": ("½‖w‖² + Σ c [1 − y w·x]₊", "hyperplane through the origin"),
            "lifted": ("½(‖w‖² + b²) + Σ c [1 − y (w·x + b)]₊", "hyperplane"),
        }[self.treatment]
        weighted = self.sample_weight.size or np.any(self.class_weight != 1)
        weights = " times the weight of the example" if weighted else ""
        return (
            f"Telling {self.labels.shown} from {self.labels.rest} on "
            f"{counted(self.examples, 'example')}, this {which} has an objective {objective} of at "
            f"most {rounded_up(self.primal)}, where c = {self.C!r}{weights}. None has one below "
            f"{rounded_down(self.dual)}: the relative gap is at most "
            f"{rounded_up(self.relative_gap, 2)}."
        )

    @property
    def assumes(self) -> tuple[str, ...]:
        return ()

    @property
    def numbers(self) -> dict[str, Any]:
        return {
            "examples": self.examples,
            "primal": self.primal,
            "dual": self.dual,
            "gap": self.gap,
            "relative_gap": self.relative_gap,
            "allowance": self.allowance,
        }

    def _check(self, sample: Sample) -> str:
        check_weights(self, sample)
        costs = self._costs(sample)
        margins = Margins.of(sample, self.coef, self.intercept)
        for most_exact in (0, 1, 2 * EXACT_PRODUCTS):  # what was exact for the issuer is so here
            primal, dual = self._values(margins, costs, most_exact)
            above = primal.value + primal.within
            below = max(dual.value - dual.within, Fraction(0))  # P ≥ 0
            rounding = Fraction(self.primal) - (primal.value - primal.within)
            rounding += dual.value + dual.within - Fraction(self.dual)
            shown = above <= self.primal and below >= self.dual
            if shown and rounding <= self.allowance:
                return (
                    f"the objective is at most {rounded_up(self.primal)}, and nowhere below "
                    f"{rounded_down(self.dual)}."
                )
        require(above <= self.primal, f"the objective is not shown to be at most {self.primal!r}.")
        require(
            below >= self.dual,
            f"the multipliers do not prove that no objective is below {self.dual!r}.",
        )
        raise Refuted(f"more of the gap is due to rounding than {self.allowance!r}.")

    def _costs(self, sample: Sample) -> np.ndarray:
        """The costs, if the multipliers are feasible for them."""
        require(not self.rows.size or self.rows[-1] < sample.m, "rows must be rows of X.")
        costs = costs_of(self.C, self.class_weight, sample.signs, self.sample_weight)
        require(np.all(np.isfinite(costs)), "costs overflow float64.")
        alpha = self.dual_coef * sample.signs[self.rows]
        require(np.all(alpha >= 0), "the multipliers must have the signs of their examples.")
        over = np.flatnonzero(alpha > costs[self.rows])
        require(
            not over.size, f"{counted(over.size, 'multiplier')} above the cost of their examples."
        )
        require(
            self.treatment != "free" or _total(self.dual_coef) == 0,
            "with a free intercept the multipliers of the two classes must have the same sum.",
        )
        return costs

    def _values(
        self, margins: Margins, costs: np.ndarray, most_exact: int = 0
    ) -> tuple[_Rounded, _Rounded]:
        """P(coef, intercept) and D(α); with `most_exact` the allowances are worked on, and sums of
        up to so many products are exact."""
        w = np.append(self.coef, self.intercept) if self.treatment == "lifted" else self.coef
        quickly = not most_exact
        primal = _hinge_losses(margins, costs, most_exact)
        primal = primal.plus(_square(w, quickly=quickly), Fraction(1, 2))
        total = _sum(np.abs(self.dual_coef), quickly)
        return primal, total.plus(self._combination2(margins.sample, most_exact), Fraction(-1, 2))

    def _combination2(self, sample: Sample, most_exact: int) -> _Rounded:
        """‖v‖², v = Σ dual_coef_t x_t over the rows, lifted: of (x_t, 1)."""
        lifted = self.treatment == "lifted"
        if not self.rows.size:
            return _Rounded(Fraction(0))
        if _is_short(sample, self.rows, most_exact - 16 * sample.d):
            turned = sample.X[self.rows].T
            turned = turned.tocsr() if sparse.issparse(turned) else turned
            columns = Sample(turned, np.ones(sample.d))
            v = [columns.score(j, self.dual_coef, 0.0) for j in range(sample.d)]
            v += [exact.dot(self.dual_coef, np.ones(self.rows.size))] * lifted
            return _Rounded(sum((entry**2 for entry in v), Fraction(0)))
        if 16 * self.rows.size < sample.m:
            part, weights = Sample(sample.X[self.rows], sample.signs[self.rows]), self.dual_coef
        else:  # all rows, rather than a copy of many
            part, weights = sample, np.zeros(sample.m)
            weights[self.rows] = self.dual_coef
        step = min(PIECE, next(iter(part.blocks()))[1])
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            entries, sizes = _column_sums(part, weights, 0, part.m, step)
            slack = exact.allowance(PIECE + 64, sizes)
        if lifted:  # the sum is rounded once
            balance = float(_total(self.dual_coef))
            entries, slack = np.append(entries, balance), np.append(slack, abs(balance) * 2.0**-52)
        return _square(entries, slack, quickly=not most_exact)


def _total(terms: np.ndarray) -> Fraction:
    """Σ terms, rounded once."""
    try:
        return Fraction(math.fsum(terms.tolist()))
    except (OverflowError, ValueError) as overflow:
        raise Refuted("numbers overflow float64.") from overflow


def _sum(terms: np.ndarray, quickly: bool = False) -> _Rounded:
    """Σ terms, where each is non-negative and was rounded at most twice, or is off by at most
    2⁻¹⁰⁷⁵ after underflow. `quickly`: of many, first some with each other."""
    n = terms.size
    if quickly and n > LANES**2:
        even = n // LANES * LANES
        terms = np.append(terms[:even].reshape(LANES, -1).sum(axis=0), terms[even:])
    total = _total(terms)
    roundings = 3 + LANES * (terms.size < n)
    relative = Fraction(2 * exact.gamma(roundings))
    return _Rounded(total, total * relative + n * Fraction(exact.TINY))


def _at_most(terms: np.ndarray) -> Fraction:
    """A number that Σ terms, non-negative and rounded a few times, does not exceed."""
    return _total(np.array([np.sum(terms) * ABOVE])) + terms.size * Fraction(exact.TINY)


def _square(
    entries: np.ndarray, slack: np.ndarray | None = None, quickly: bool = False
) -> _Rounded:
    """‖e‖² where each |e_j − entries_j| ≤ slack_j, hence |e_j² − entries_j²| ≤ (2|entries_j| +
    slack_j) slack_j."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        short = entries.size <= exact.SHORT and np.all(np.isfinite(entries))
        square = (
            _Rounded(exact.dot(entries, entries)) if short else _sum(entries * entries, quickly)
        )
        if slack is None:
            return square
        moved = _at_most((2 * np.abs(entries) + slack) * slack)
    return _Rounded(square.value, square.within + moved)


def _hinge_losses(margins: Margins, costs: np.ndarray, most_exact: int) -> _Rounded:
    """Σ c_t [1 − margin_t]₊; a loss is off by at most its margin's slack."""
    near = _below_one(margins, np.flatnonzero(costs))
    precisely = Fraction(0)
    if most_exact:
        margins._tighten(near)
        near = _below_one(margins, near)
        unsure = near[margins.slack[near] > 0]
        if _is_short(margins.sample, unsure, most_exact):
            near = near[margins.slack[near] == 0]
            for margin, t, _ in margins._each_exactly(unsure):
                precisely += Fraction(costs[t]) * max(1 - margin, Fraction(0))
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        losses = np.maximum(1 - margins.value[near], 0.0)
        rest = _sum(costs[near] * losses, quickly=not most_exact)
        moved = _at_most(costs[near] * margins.slack[near])
    return _Rounded(precisely + rest.value, rest.within + moved)


def _below_one(margins: Margins, rows: np.ndarray) -> np.ndarray:
    """Those of the rows whose margin is not shown to be above 1."""
    with np.errstate(over="ignore", invalid="ignore"):
        return rows[~(margins.value[rows] - margins.slack[rows] > 1)]


def _is_short(sample: Sample, rows: np.ndarray, most: int) -> bool:
    """Whether the rows have at most so many entries other than 0, 16 more counted for each row."""
    most -= 16 * rows.size
    entries = (int(np.count_nonzero(sample.row(t)[0])) for t in rows.tolist())
    return most >= 0 and sum(entries) <= most


def _column_sums(sample: Sample, weights: np.ndarray, start: int, stop: int, step: int):
    """Σ weights_t x_t and Σ |weights_t x_t| over rows start … stop − 1, halves added to halves."""
    if stop - start > step:
        middle = (start + stop) // 2
        first = _column_sums(sample, weights, start, middle, step)
        return first + _column_sums(sample, weights, middle, stop, step)
    part, some = sample.part(start, stop), weights[start:stop]
    return np.array([part.T @ some, abs(part).T @ np.abs(some)])
