r"""Which examples may have a margin of at most 1 at the exact optimum, from a solution near it.

Let (w*, b*) be the exact optimum of a margin machine in the space of φ: of ½‖w‖² +
C Σ_t [1 − y_t (w·φ(x_t) + b)]₊ (soft), or of ½‖w‖² such that all margins are at least 1 (hard). w*
is unique; with a "free" intercept b* is the smallest best b. Let (w, b) be a solution, scaled for
the hard margin so that its margins are at least 1.

How near it is. Soft: P(w, b) − ½‖w‖² is convex, and −w*, 0 among its subgradients at the optimum,
so P(w, b) ≥ P(w*, b*) + ½‖w − w*‖², and ‖w − w*‖ ≤ r = √(2·gap). Hard: w* is the shortest of the
convex set of all w that have margins of at least 1 with some b, so w*·(w − w*) ≥ 0 and ‖w − w*‖² ≤
‖w‖² − ‖w*‖² ≤ ‖w‖² − 1/upper², where no margin of a vector of length 1 exceeds `upper`. "lifted":
the same of (w, b), over (φ(x), 1). So no score w·φ(x_t) is further than ρ_t = r·‖φ(x_t)‖ from
that of w*.

Where b* is. Soft: the slope of Σ [1 − y_t (s_t + b)]₊ to the right of b is #{t : κ_t ≤ b} − n₊,
where κ_t = y_t − s_t, and n₊ examples are positive. So b* is the n₊-th smallest κ*_t. Hard: with
both classes there, one of each has a margin of 1 (or w* could be shorter), so that b* is the
largest κ* of the positive ones, none of a negative one is smaller, and b* is the n₊-th smallest
again. As |κ_t − κ*_t| ≤ ρ_t, and the n-th smallest number does not fall when numbers grow, b* is
between the n₊-th smallest κ_t − ρ_t and the n₊-th smallest κ_t + ρ_t.

Together: the margin of t at the optimum is at least y_t s_t − ρ_t + (the least of y_t b* there).

Rounding: outward, everywhere; scores have their slack.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from certo.certificates.base import require
from certo.certificates.margins.solution import MarginSolution
from certo.certificates.spaces.space import Scores
from certo.numbers import exact
from certo.numbers.exact import ROUND_UP_8

MAX_FACTOR = 2.0**500  # Products of larger numbers might overflow.


@dataclass(frozen=True)
class Near:
    """A solution near the optimum: scores w·φ(x_t) and their slack, its b, numbers that no
    ‖φ(x_t)‖ exceeds (lifted: no ‖(φ(x_t), 1)‖), r, and what computed scores are off by, on all
    examples that are no longer."""

    signs: np.ndarray
    scores: Scores
    intercept: Fraction
    lengths: np.ndarray
    radius: float
    computed: float
    free: bool

    @cached_property
    def unsure(self) -> np.ndarray:
        """What the score of an example at the optimum is off by, at most."""
        moved = (self.scores.slack + self.lengths * self.radius) * ROUND_UP_8
        require(np.all(moved < MAX_FACTOR), "numbers overflow float64.")
        return moved

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Two numbers between which b* is."""
        if not self.free:  # The lengths contain b, or b is 0.
            return exact.below(self.intercept), exact.above(self.intercept)
        kinks = self.signs - self.scores.value
        unsure = (self.unsure + 2.0**-52 * np.abs(kinks)) * ROUND_UP_8
        place = int(np.count_nonzero(self.signs > 0)) - 1
        low = np.partition(np.nextafter(kinks - unsure, -np.inf), place)[place]
        high = np.partition(np.nextafter(kinks + unsure, np.inf), place)[place]
        return float(low), float(high)

    @cached_property
    def supports(self) -> np.ndarray:
        """Which examples are not shown to have a margin above 1 at the optimum."""
        low, high = self.ends
        margins = self.signs * self.scores.value + np.where(self.signs > 0, low, -high)
        unsure = (self.unsure + 2.0**-52 * np.abs(margins)) * ROUND_UP_8
        return ~(margins - unsure > 1)  # A comparison with 1 survives the last rounding.

    @cached_property
    def furthest(self) -> Fraction:
        """How far margins at the optimum are from the computed ones of (w, b) at most, on all new
        examples whose φ(x) is no longer than the longest of these."""
        moved = Fraction(float(self.lengths.max())) * Fraction(self.radius)
        moved += Fraction(self.computed)
        return moved + max(abs(self.intercept - Fraction(end)) for end in self.ends) * self.free


def nearby(solution: MarginSolution, sample, room: int = 1) -> Near:
    """What is known of the optimum from a solution that holds of the sample."""
    space, intercept = solution.space, Fraction(solution.intercept)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        margins = space.margins(sample, solution.machine._replace(intercept=0.0))
        lengths = space.lengths(sample)
        if solution.treatment == "lifted":
            lengths = np.sqrt((lengths * lengths + 1.0) * ROUND_UP_8) * ROUND_UP_8
        scores = Scores(sample.signs * margins.value, room * margins.slack)
        computed = room * space.computed(sample, solution.machine, margins, lengths)
        unit, radius = solution.nearness(sample.signs, margins, scores)
        if unit != 1:
            value = scores.value / unit
            slack = (scores.slack / unit + 2.0**-52 * np.abs(value)) * ROUND_UP_8 + 4 * exact.TINY
            scores, intercept = Scores(value, slack), intercept / Fraction(unit)
            small = computed < MAX_FACTOR
            computed = exact.above(Fraction(computed) / Fraction(unit)) if small else math.inf
    sizes = (*scores, lengths, radius, exact.above(abs(intercept)), computed)
    require(all(np.all(np.abs(part) < MAX_FACTOR) for part in sizes), "numbers overflow float64.")
    radius *= 1 + (room - 1) * 2.0**-40
    is_free = solution.treatment == "free"
    return Near(sample.signs, scores, intercept, lengths, radius, computed, is_free)
