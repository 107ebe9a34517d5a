"""Quasi-separation: no example on the wrong side, some on the right one, the others on the plane.

This is what decides whether logistic regression has a finite minimiser: along a direction with
w·z_i ≥ 0 for all vectors z_i and > 0 for some, the likelihood rises for ever. `QuasiSeparable`
gives such a direction and shows that no other separates more; `Overlapping` shows there is none.

What both rest on. Let Σ a_i z_i = 0 over some vectors R, with every a_i > 0. If w·z_i ≥ 0 for all
vectors, then Σ_R a_i w·z_i = 0 has no negative term: w·z_i = 0 on R, and so on every vector in the
span of these. For two classes z_t = y_t x̃_t; for several, z_{t,k} = (e_y − e_k) ⊗ x̃_t.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from certo.certificates.base import Refuted, require
from certo.certificates.encoding import counted
from certo.certificates.fields import FractionRows, IndexVector
from certo.certificates.sample.examples import Sample
from certo.certificates.separation.inseparable import Cancelling
from certo.certificates.separation.separation import named
from certo.certificates.spaces.directions import check_direction, whole_direction
from certo.certificates.spaces.family import VectorFamily


def _check_span(claim: Cancelling, family: VectorFamily, ties: np.ndarray) -> None:
    """The vectors marked in `ties` lie in the span of those that cancel."""
    out = family.beyond(claim.vectors, ties)
    for first in out[:1].tolist():
        raise Refuted(
            f"{counted(out.size, 'vector')} not separated, such as {named(claim.labels, first)}, "
            "might still be: they are not in the span of those that cancel.",
            first // claim._slots,
        )


@final
@dataclass(frozen=True, repr=False, eq=False)
class QuasiSeparable(Cancelling):
    """Claim: w·z_i, w = `direction`, is positive for the vectors `won`, of which there are some,
    and 0 for all others; and no w with w·z_i ≥ 0 for all i has w·z_i > 0 for any of the others:
    for two classes, no hyperplane that has no example on its wrong side has any of the `ties`
    strictly on its right side.

    `direction` has for each class a fraction for each feature and, if the intercept is free, a last
    one; for two classes once, of the positive one against the other.

    Proof: the signs of all products, exactly; and `vectors` with weights that cancel, in whose span
    all others lie. Without others the examples are separable, with a direction in fractions.
    """

    direction: FractionRows
    won: IndexVector

    def __post_init__(self) -> None:
        super().__post_init__()
        check_direction(self.direction, self._slots, self.features + self.lifted)

    @property
    def strict(self) -> np.ndarray:
        """The examples strictly on their own side; for several classes [t, k]: whether the score of
        class k is below that of the own class of example t."""
        if self.labels.positive is not None:
            return self.won
        strict = np.zeros((self.examples, self._slots), dtype=bool)
        strict.flat[self.won] = True
        return strict

    @property
    def ties(self) -> np.ndarray:
        """The examples on the hyperplane."""
        self._hyperplane()
        return np.setdiff1d(np.arange(self.examples), self.won)

    @property
    def coef(self) -> tuple[Fraction, ...]:
        return self._hyperplane()[: self.features]

    @property
    def bias(self) -> Fraction:
        return self._hyperplane()[-1] if self.lifted else Fraction(0)

    def _hyperplane(self) -> tuple[Fraction, ...]:
        if self.labels.positive is None:
            raise AttributeError(
                "several classes have no one hyperplane: see direction and strict."
            )
        return self.direction[0]

    def _check(self, sample: Sample) -> str:
        family = self._cancelling(sample)
        whole = whole_direction(self.direction)
        if whole is None:
            raise Refuted("the direction has no common denominator of a reasonable size.")
        signs = family.signs(whole).ravel()
        require(self.won.size, "no vector is said to be separated.")
        require(self.won[-1] < signs.size, "a vector is said to be separated that is not there.")
        won = np.zeros(signs.size, dtype=bool)
        won[self.won] = True
        for wrong in np.flatnonzero(signs != won)[:1].tolist():
            raise Refuted(
                f"{named(self.labels, wrong)} is not where it is said to be.", wrong // self._slots
            )
        ties = family.there & ~won
        _check_span(self, family, ties)
        return f"{self.won.size:,} products are positive, {np.count_nonzero(ties):,} are zero."


@final
@dataclass(frozen=True, repr=False, eq=False)
class Overlapping(Cancelling):
    """Claim: a direction w with w·z_i ≥ 0 for all vectors has w·z_i = 0 for all. That is, for two
    classes, a hyperplane that has no example on its wrong side has all of them on itself.

    Proof: `vectors` with weights that cancel, in whose span all vectors lie.
    """

    def _check(self, sample: Sample) -> str:
        family = self._cancelling(sample)
        _check_span(self, family, family.there)
        return (
            f"{counted(self.vectors.size, 'weighted vector')} cancel exactly and span all others."
        )
