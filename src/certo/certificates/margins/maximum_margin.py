"""MaximumMargin: how large a margin can be on these examples, from below and from above."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, final

import numpy as np
from scipy import sparse

from certo.certificates.base import Certificate, require
from certo.certificates.encoding import rounded_down
from certo.certificates.fields import finite_vector, index_vector
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.vectors import Margins, check_distance, check_weights
from certo.numbers import exact
from certo.numbers.digits import apart

INTERCEPTS = ("free", "lifted", "none")
NEGLIGIBLE = 1e-11  # of ‖v‖²: an allowance that is not worth exact sums
EXACT_PRODUCTS = 2**16  # up to so many products (a column counts as 16 more) are added exactly


@final
@dataclass(frozen=True, repr=False, eq=False)
class MaximumMargin(Certificate):
    r"""Claim: lower ≤ γ* ≤ upper, where γ* is the largest margin min_t y_t (u·x_t + b) of a u with
    ‖u‖ = 1; with a "free" intercept any b, with "none" b = 0, "lifted" with ‖u‖² + b² = 1.

    Proof from below: the margins of (coef, intercept) over all examples, divided by its length.
    From above: let a_t = |dual_coef_t| on `rows` and v = Σ a_t y_t x_t (lifted: of (x_t, 1)). The
    smallest of the margins is at most their mean, so for every u

        γ(u) Σ a_t  ≤  Σ a_t y_t (u·x_t + b)  =  u·v + b Σ a_t y_t  ≤  ‖v‖,

    if Σ a_t y_t = 0, which is required exactly where b is free. Hence γ* ≤ ‖v‖/Σ a_t. In the words
    of duality: ½/lower² is the value of a feasible w, ½/upper² that of feasible multipliers, and
    the relative gap between them is 1 − (lower/upper)².

    Rounding: margins as in Separable; Σ a_t and Σ a_t y_t exactly; ‖v‖ from above, with
    `exact.allowance` for each entry of v, or exactly, where that allowance is more than a
    negligible part of ‖v‖ and the witness is not too long.
    """

    coef: np.ndarray
    intercept: float
    treatment: str
    rows: np.ndarray
    dual_coef: np.ndarray
    examples: int
    lower: float
    upper: float

    describes: ClassVar[dict[str, str]] = {
        "coef": "coef_",
        "intercept": "intercept_",
        "rows": "support_",
        "dual_coef": "dual_coef_",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("coef", "dual_coef"):
            object.__setattr__(self, name, finite_vector(getattr(self, name), name))
        object.__setattr__(self, "rows", index_vector(self.rows, "rows"))
        if self.treatment not in INTERCEPTS:
            raise ValueError(f"treatment must be one of {INTERCEPTS}, got {self.treatment!r}.")
        if self.dual_coef.shape != self.rows.shape or not np.all(self.dual_coef):
            raise ValueError("dual_coef must hold one number other than 0 for each of the rows.")
        if not 0 < self.lower <= self.upper:
            raise ValueError("lower and upper must be positive, and in this order.")

    @property
    def relative_gap(self) -> float:
        """(primal − dual)/primal of ½‖w‖², rounded up."""
        return exact.above(1 - (Fraction(self.lower) / Fraction(self.upper)) ** 2)

    @property
    def numbers(self) -> dict[str, Any]:
        return {
            "examples": self.examples,
            "lower": self.lower,
            "upper": self.upper,
            "relative_gap": self.relative_gap,
        }

    @property
    def _total(self) -> Fraction:
        return exact.dot(np.abs(self.dual_coef), np.ones(self.rows.size))

    def _combined(self, sample: Sample, room: int = 1) -> _Combined:
        """Numbers that ‖Σ a_t y_t x̃_t‖² does not exceed; allowances are multiplied by `room`, for a
        checker who adds in another order."""
        part = sample.X[self.rows].astype(np.float64)
        balance = exact.dot(self.dual_coef, np.ones(self.rows.size))
        square = _extra(balance, self.treatment)
        with np.errstate(over="ignore", invalid="ignore"):
            entries = np.abs(part.T @ self.dual_coef)
            slack = exact.allowance(self.rows.size, abs(part).T @ np.abs(self.dual_coef))
            upper = np.nextafter(entries + room * slack, np.inf)
            sharp = float(slack @ (entries + slack)) <= NEGLIGIBLE * float(entries @ entries)
        finite = bool(np.all(np.isfinite(upper)))
        rounded = square + exact.dot_within(upper, upper)[1] if finite else None
        return _Combined(rounded, sharp and finite, square, part, self.dual_coef)

    def _check(self, sample: Sample) -> str:
        check_weights(self, sample)
        require(not self.rows.size or self.rows[-1] < sample.m, "rows must be rows of X.")
        require(self.treatment != "none" or self.intercept == 0, "there can be no intercept.")
        margins = Margins.of(sample, self.coef, self.intercept)
        check_distance(margins, self.lower, _extra(self.intercept, self.treatment))
        require(self.rows.size > 0, "without multipliers nothing bounds the margin from above.")
        require(
            np.array_equal(np.sign(self.dual_coef), sample.signs[self.rows]),
            "the multipliers must have the signs of their examples.",
        )
        balance = exact.dot(self.dual_coef, np.ones(self.rows.size))
        require(
            self.treatment != "free" or balance == 0,
            "with a free intercept the multipliers of the two classes must have the same sum.",
        )
        combined, most = self._combined(sample), (Fraction(self.upper) * self._total) ** 2
        require(
            any(
                square is not None and square <= most
                for square in (combined.rounded, combined.exactly)
            ),
            f"the multipliers do not prove that no margin exceeds {self.upper!r}.",
        )
        return (
            f"the largest margin is at least {rounded_down(self.lower)}, and exceeds this by at "
            f"most {apart(self.upper, self.lower)}."
        )


@dataclass(frozen=True)
class _Combined:
    """Two numbers that ‖v‖² does not exceed, v = Σ dual_coef_t x̃_t. An issuer takes the first where
    it `is_sharp`; a checker, whose sums may round otherwise, takes either."""

    rounded: Fraction | None  # None after overflow
    is_sharp: bool  # whether its allowance is a negligible part of it
    further: Fraction
    part: Any
    dual_coef: np.ndarray

    @cached_property
    def exactly(self) -> Fraction | None:
        """‖v‖² itself; None, where that would take long."""
        columns = list(_columns(self.part))
        if sum(16 + rows.size for rows, _ in columns) > EXACT_PRODUCTS:
            return None
        terms = (exact.dot(values, self.dual_coef[rows]) ** 2 for rows, values in columns)
        return self.further + sum(terms, Fraction(0))


def _extra(last: float | Fraction, treatment: str) -> Fraction:
    """What the extra feature 1, where there is one, adds to a squared length."""
    return Fraction(last) ** 2 if treatment == "lifted" else Fraction(0)


def _columns(part) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The rows and values of the entries of each column that has any."""
    if sparse.issparse(part):
        part = part.tocsc()
        for start, stop in zip(part.indptr[:-1], part.indptr[1:], strict=True):
            if start < stop:
                yield part.indices[start:stop], part.data[start:stop]
    else:
        for column in part.T:
            rows = np.flatnonzero(column)
            if rows.size:
                yield rows, column[rows]
