"""The margins of a separation in float64: of a hyperplane, or of scores of several classes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np
from scipy import sparse

from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.vectors import Margins
from certo.numbers import exact

#: No sum of fewer than 2⁵⁰ products of two floats is below this.
SCORE_LOWER_BOUND = Fraction(-(2**2100))


def margins_of(
    sample: Sample, labels: Labels, coef: np.ndarray, intercept: Any
) -> Margins | DifferenceMargins:
    """The products of floats with the vectors of `family.family_of`, by the same indices."""
    if labels.positive is None:
        return DifferenceMargins(sample, coef, intercept)
    return Margins.of(sample, coef, intercept)


@final
@dataclass(frozen=True)
class DifferenceMargins:
    """score_y − score_k for every example, y being its own class, and every other class k."""

    sample: Sample
    coef: np.ndarray
    intercept: np.ndarray

    def blocks(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """(first row, score_y − score_k, how far off it may be), block by block.

        A margin is a sum of 2(d + 1) products. That of an example's own class means nothing.
        """
        sample = self.sample
        with np.errstate(over="ignore"):
            longest = float(np.max(np.sum(np.abs(self.coef), axis=1)))
        highest = float(np.max(np.abs(self.intercept)))
        for start, stop in sample.blocks():
            part, codes = sample.part(start, stop), sample.signs[start:stop]
            with np.errstate(over="ignore", invalid="ignore"):
                scores = np.asarray(part @ self.coef.T) + self.intercept
                margins = scores[np.arange(stop - start), codes][:, None] - scores
                peaks = np.asarray(abs(part).max(axis=1).toarray() if sparse.issparse(part) else
                                   np.max(np.abs(part), axis=1, initial=0.0)).ravel()  # fmt: skip
                slack = exact.allowance(2 * sample.d + 2, 2 * (peaks * longest + highest))
            yield start, margins, slack

    def _lowest(self) -> Iterator[tuple[int, np.ndarray]]:
        """(first row, what the margins are not below), block by block; NaN after an overflow, and
        infinite for an example's own class."""
        for start, margins, slack in self.blocks():
            with np.errstate(invalid="ignore"):
                lowest = margins - slack[:, None]
            lowest[np.arange(len(lowest)), self.sample.signs[start : start + len(lowest)]] = np.inf
            yield start, lowest

    def exactly(self, index: int) -> Fraction:
        t, k = divmod(index, len(self.coef))
        own, other = (
            self.sample.score(t, self.coef[c], float(self.intercept[c]))
            for c in (int(self.sample.signs[t]), k)
        )
        return own - other

    def below(self, limit: Fraction) -> int | None:
        """The index of a margin below the limit, or None if there is none; decided exactly."""
        edge, K = exact.above(limit), len(self.coef)
        for start, lowest in self._lowest():
            for place in np.flatnonzero(~(lowest > edge)).tolist():
                if self.exactly(start * K + place) < limit:
                    return start * K + place
        return None

    def least(self) -> tuple[Fraction, int]:
        """(γ, i): no margin is below γ, by the allowances alone, and that of i is close to it."""
        found = []
        for start, lowest in self._lowest():
            place = int(np.argmin(lowest))  # The place of a NaN, if there is one.
            low = float(lowest.flat[place])
            known = (
                Fraction(math.nextafter(low, -math.inf))
                if math.isfinite(low)
                else SCORE_LOWER_BOUND
            )
            found.append((known, start * len(self.coef) + place))
        return min(found)

    def margin_at(self, distance: float) -> Fraction:
        raise ValueError("several classes have no one hyperplane to be at a distance from.")
