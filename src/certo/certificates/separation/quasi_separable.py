"""Quasi-separation: no example on the wrong side, some on the right one, the others on the plane.

This is what decides whether logistic regression has a finite minimiser: along a direction with
y_t (w·x_t + b) ≥ 0 for all t and > 0 for some, the likelihood rises for ever. `QuasiSeparable`
gives such a direction and shows that no other separates more; `Overlapping` shows there is none.

What both rest on. Let z_t = y_t x_t, or y_t (x_t, 1), and let Σ a_t z_t = 0 over some rows R, with
every a_t > 0. If w·z_t ≥ 0 for all examples, then Σ_R a_t w·z_t = 0 has no negative term: w·z_t = 0
on R, and so on every example whose z lies in the span of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np

from certo.certificates.base import Certificate, Refuted, require
from certo.certificates.encoding import counted
from certo.certificates.fields import index_vector
from certo.certificates.sample.examples import Sample
from certo.certificates.separation.inseparable import check_shape, convex_weights, intercept_mode
from certo.certificates.separation.spans import beyond_span, integer_rows, score_signs
from certo.numbers.farkas import cancels, common_denominator


class Cancelling(Certificate):
    """Rows that cancel with weights, and hence are on the plane of every direction."""

    intercept: str
    examples: int
    features: int
    rows: np.ndarray
    weights: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        intercept_mode(self.intercept)
        self._check_rows()
        if self.rows.size or self.weights:
            object.__setattr__(self, "weights", convex_weights(self.weights, self.rows.size))

    def _check_rows(self) -> None:
        object.__setattr__(self, "rows", index_vector(self.rows, "rows"))

    @property
    def lifted(self) -> bool:
        return self.intercept == "free"

    @property
    def numbers(self) -> dict[str, Any]:
        return {"examples": self.examples}


class _Quasi(Cancelling):
    def _check_inseparable(self, sample: Sample, ties: np.ndarray) -> None:
        """`rows` cancel, and the examples marked in `ties` lie in their span."""
        if self.rows.size:
            vectors = integer_rows(sample, self.rows.tolist(), self.lifted)
            require(cancels(vectors, self.weights), "the weighted examples do not cancel exactly.")
        out = beyond_span(sample, self.rows, self.lifted, np.flatnonzero(ties))
        require(
            not out.size,
            f"{counted(out.size, 'example')} not separated, such as {out[:1].tolist()}, might "
            "still be: they are not in the span of those that cancel.",
        )


@final
@dataclass(frozen=True, repr=False, eq=False)
class QuasiSeparable(_Quasi):
    """Claim: y_t (coef·x_t + bias) is zero on `ties` and positive on all other examples, of which
    there are some; and no hyperplane that has no example on its wrong side has any of the ties
    strictly on its right side.

    Proof: the signs of all scores, exactly; and `rows` with weights that cancel, in whose span all
    ties lie. Without ties the examples are separable, with coef and bias as fractions.
    """

    intercept: str
    examples: int
    features: int
    coef: tuple[Fraction, ...]
    bias: Fraction
    ties: np.ndarray
    rows: np.ndarray
    weights: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "ties", index_vector(self.ties, "ties"))
        numbers = (*self.coef, self.bias)
        if not all(isinstance(number, Fraction) for number in numbers):
            raise ValueError("coef and bias must be fractions.")
        if len(self.coef) != self.features or (self.bias and not self.lifted):
            raise ValueError("there must be one coef for each feature, and no bias without one.")

    @property
    def strict(self) -> np.ndarray:
        """The examples strictly on their own side."""
        return np.setdiff1d(np.arange(self.examples), self.ties)

    def _check(self, sample: Sample) -> str:
        check_shape(self, sample)
        require(self.ties.size < sample.m, "no example is strictly on its own side.")
        ties = np.zeros(sample.m, dtype=bool)
        require(np.all(self.ties < sample.m), "a tie is named that is no example.")
        ties[self.ties] = True
        numbers = (*self.coef, self.bias) if self.lifted else self.coef
        common = common_denominator(numbers)
        if common is None:
            raise Refuted("coef and bias have no common denominator of a reasonable size.")
        signs = score_signs(sample, [int(number * common) for number in numbers], self.lifted)
        wrong = np.flatnonzero(np.where(ties, signs != 0, signs <= 0))
        require(not wrong.size, f"example {wrong[:1].tolist()} is not where it is said to be.")
        self._check_inseparable(sample, ties)
        return f"{sample.m - self.ties.size:,} scores are positive, {self.ties.size:,} are zero."


@final
@dataclass(frozen=True, repr=False, eq=False)
class Overlapping(_Quasi):
    """Claim: a hyperplane that has no example on its wrong side has all of them on itself.

    Proof: `rows` with weights that cancel, in whose span all examples lie.
    """

    intercept: str
    examples: int
    features: int
    rows: np.ndarray
    weights: tuple[Fraction, ...]

    def _check(self, sample: Sample) -> str:
        check_shape(self, sample)
        self._check_inseparable(sample, np.ones(sample.m, dtype=bool))
        return f"{counted(self.rows.size, 'weighted example')} cancel exactly and span all others."
