"""LeastErrors: that no hyperplane makes fewer errors than so many.

An error is an example with y (coef·x + intercept) ≤ 0, as in `error_count`. The sample as the 0-1
loss sees it has one vector for each line through the origin, with a weight (`Groups`). Write
z_t = y_t x_t, or y_t (x_t, 1) with an intercept; example t is an error of w where w·z_t ≤ 0.
Examples whose z are positive multiples of each other are errors of the same w, so their weights
add up. Of two opposite ones, any w errs on one or on both: the smaller weight is paid in any case,
and the difference is left on the heavier side. z = 0 is always an error. So the least weight of
errors is a constant plus that of the groups left, and these have different lines.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from scipy import sparse

from certo.certificates.base import Certificate, check_count
from certo.certificates.fields import CostVector, check_weights
from certo.certificates.sample.examples import Sample
from certo.containers import BLOCK_NUMBERS
from certo.numbers import exact


@dataclass(frozen=True)
class Groups:
    """Group g costs `weights[g]`, and `rows[g]` is one of its examples. Every w pays `constant`.
    Costs are integers, in units of `unit`."""

    rows: np.ndarray
    weights: list[int]
    constant: int
    unit: Fraction


def grouped(sample: Sample, weights: np.ndarray, lifted: bool) -> Groups:
    """The groups of a sample with these weights (none: all are 1), in the order of their rows."""
    costs, unit = whole_weights(weights, sample.m)
    constant = 0
    lines: list[_Line] = []
    known: dict[bytes, list[_Line]] = {}
    for t, (key, side) in enumerate(_directions(sample, lifted)):
        if not costs[t]:
            continue
        if not side:
            constant += costs[t]
            continue
        alike = known.setdefault(key, [])
        line = next((line for line in alike if lifted or _parallel(sample, line.first, t)), None)
        if line is None:
            line = _Line(t)
            lines.append(line)
            alike.append(line)
        line.add(t, side, costs[t])
    constant += sum(min(line.plus, line.minus) for line in lines)
    unequal = [line for line in lines if line.plus != line.minus]
    left = sorted((line.heavier, abs(line.plus - line.minus)) for line in unequal)
    rows = np.array([row for row, _ in left], dtype=np.int64)
    return Groups(rows, [weight for _, weight in left], constant, unit)


def whole_weights(weights: np.ndarray, m: int) -> tuple[list[int], Fraction]:
    """Weights as integers without a common divisor, and the unit they are in."""
    if not weights.size:
        return [1] * m, Fraction(1)
    fractions = [Fraction(weight) for weight in weights.tolist()]
    common = math.lcm(*(weight.denominator for weight in fractions))
    wholes = [int(weight * common) for weight in fractions]
    divisor = math.gcd(*wholes) or 1
    return [whole // divisor for whole in wholes], Fraction(divisor, common)


class _Line:
    """The examples on one line: what those on either side weigh."""

    def __init__(self, first: int):
        self.first, self.plus, self.minus = first, 0, 0
        self.rows = {1: -1, -1: -1}

    def add(self, t: int, side: int, cost: int) -> None:
        self.plus += cost if side > 0 else 0
        self.minus += cost if side < 0 else 0
        if self.rows[side] < 0:
            self.rows[side] = t

    @property
    def heavier(self) -> int:
        """The first example of the heavier side."""
        return self.rows[1 if self.plus > self.minus else -1]


def _directions(sample: Sample, lifted: bool) -> Iterator[tuple[bytes, int]]:
    """For each example a key, the same for all on one line, and the side of the line z_t is on
    (0: z_t = 0).

    Without an intercept, x is divided by its entry of largest size. Examples on one line have the
    same quotients, and division rounds the same number to the same float; others may share a key.
    """
    step = max(1, BLOCK_NUMBERS // max(sample.d, 1))
    for start in range(0, sample.m, step):
        stop = min(start + step, sample.m)
        part = sample.part(start, stop)
        dense = part.toarray() if sparse.issparse(part) else part
        sides = sample.signs[start:stop].astype(np.int64)
        if not lifted:
            at = np.argmax(np.abs(dense), axis=1)[:, None]
            largest = np.take_along_axis(dense, at, axis=1)
            sides = sides * np.sign(largest[:, 0]).astype(np.int64)
            dense = dense / np.where(largest == 0, 1.0, largest)
        dense = dense + 0.0  # −0 is 0
        for row, side in zip(dense, sides.tolist(), strict=True):
            yield row.tobytes(), side


def _parallel(sample: Sample, s: int, t: int) -> bool:
    """Whether x_s and x_t ≠ 0 are multiples of each other: (x_s·x_t)² = ‖x_s‖² ‖x_t‖², exactly."""
    (a, at), (b, bt) = sample.row(s), sample.row(t)
    both = np.zeros((2, sample.d))
    both[0, at], both[1, bt] = a, b
    return exact.dot(both[0], both[1]) ** 2 == exact.dot(a, a) * exact.dot(b, b)


@dataclass(frozen=True, repr=False, eq=False)
class LeastErrors(Certificate):
    """Claim: every hyperplane (without `lifted`, every one through the origin) makes at least
    `at_least` errors (with `sample_weight`: of that weight)."""

    lifted: bool
    examples: int
    sample_weight: CostVector
    at_least: float

    describes: ClassVar[dict[str, str]] = {"at_least": "lower_bound_"}

    shows: ClassVar[tuple[str, ...]] = ("examples", "at_least")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_weights(self.sample_weight, self.examples)

    @property
    def informative(self) -> bool:
        return self.at_least > 0

    def _check(self, sample: Sample) -> str:
        check_count(self.examples, sample.m)
        groups = grouped(sample, self.sample_weight, self.lifted)
        return self._check_groups(sample, groups, needed(self.at_least, groups))

    @abc.abstractmethod
    def _check_groups(self, sample: Sample, groups: Groups, need: int) -> str:
        """Why the errors among the groups cost at least `need`."""


def needed(at_least: float, groups: Groups) -> int:
    """What has to be proved of the groups: their costs, and so the errors', are integers."""
    return math.ceil(Fraction(at_least) / groups.unit) - groups.constant


def proved(cost: int, groups: Groups) -> float:
    """The claim that follows from errors of at least this cost among the groups."""
    return exact.below((cost + groups.constant) * groups.unit)
