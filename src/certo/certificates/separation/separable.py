"""Separable: every example is strictly on its own side, of a hyperplane or by scores of classes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from certo.certificates.base import Refuted, check_shape
from certo.certificates.encoding import counted
from certo.certificates.fields import FiniteArray, FiniteVector
from certo.certificates.sample.examples import Sample
from certo.certificates.separation.separation import Separation, named, slots_of
from certo.certificates.spaces.difference_margins import margins_of
from certo.numbers import exact

# A score is a sum of products of two floats, hence a multiple of 2⁻²¹⁴⁸: positive is at least that.
LEAST_SCORE = Fraction(1, 2**2148)


@final
@dataclass(frozen=True, repr=False, eq=False)
class Separable(Separation):
    """Claim: all margins are positive, and at least `functional_margin`. The margin of the example
    t is γ_t = y_t (coef·x_t + intercept). For several classes coef has a row w_k and intercept a
    number b_k for each, and there is a margin (w_y − w_k)·x_t + b_y − b_k for the example t of
    class y and every other class k: the highest score is that of the right class, and alone.
    No example is nearer to the hyperplane than `margin`, the geometric margin:
    γ_t ≥ margin·‖coef‖.

    Proof: the margins of all m examples, each rounded with a proven allowance, those too close to
    call in exact arithmetic. Both numbers are rounded down, ‖coef‖ up. They are 0 where nothing
    better can be said: `functional_margin` where it is too small for a float; `margin` there, where
    coef = 0 (one class alone needs no hyperplane, and has no distance to it), and for several
    classes, which no one hyperplane tells apart. The examples are separated all the same.
    """

    coef: FiniteArray
    intercept: float | FiniteVector
    examples: int
    functional_margin: float
    margin: float

    shows = ("examples", "functional_margin", "margin")
    _of_pairs: ClassVar[bool] = True

    describes: ClassVar[dict[str, str]] = {"coef": "coef_", "intercept": "intercept_"}

    def __post_init__(self) -> None:
        super().__post_init__()
        several = self.labels.positive is None
        shapes = self.coef.shape[:-1], np.shape(self.intercept)
        if several and shapes != ((len(self.labels.classes),),) * 2:
            raise ValueError("there must be a row of coef and an intercept for each class.")
        if not several and shapes != ((), ()):
            raise ValueError("coef must be a list of finite numbers, and intercept one number.")
        if self.margin < 0 or self.functional_margin < 0:
            raise ValueError(
                "margin and functional_margin must not be negative, got "
                f"{self.margin!r} and {self.functional_margin!r}."
            )

    def _check(self, sample: Sample) -> str:
        check_shape(sample, self.examples, self.coef.shape[-1])
        margins = margins_of(sample, self.labels, self.coef, self.intercept)
        enough = max(LEAST_SCORE, Fraction(self.functional_margin))
        if self.margin > 0:
            try:
                enough = max(enough, margins.margin_at(self.margin))
            except ValueError as no_distance:
                raise Refuted(str(no_distance)) from no_distance
        low = margins.below(enough)
        if low is not None:
            found = exact.below(margins.exactly(low))
            need = "positive" if enough == LEAST_SCORE else f"at least {exact.above(enough):.17g}"
            low = low if sample.places is None else int(sample.places[low])
            raise Refuted(
                f"{named(self.labels, low)} has margin {found:.17g}, which is not {need}.",
                low // slots_of(self.labels),
            )
        return f"all {counted(sample.m, 'example')} are strictly on their own side."
