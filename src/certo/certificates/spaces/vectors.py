"""The margins y_t (coef·x_t + intercept) of a sample: rounded first, exact where it matters.

The allowance of a margin is that of `exact.allowance` for the d + 1 products of coef·x + b·1.
For a whole block of rows it comes from a number that is at least Σ|coef_j x_j| and cheap:
max|x|·Σ|coef|, or max‖x‖·‖coef‖ where that is known. Where it proves too coarse, single rows get
their own, from Σ|coef_j x_j| and the number of products other than 0; and none at all where no
operation can round: where rows, coef and intercept are integers with Σ|coef_j x_j| + |b| < 2⁵³, and
where all products are zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, final

import numpy as np
from scipy import sparse

from certo.certificates.base import require
from certo.certificates.sample.examples import Sample, exact_matrix
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces import combinations
from certo.certificates.spaces.space import Machine, MachineMargins, Space
from certo.numbers import exact, twofold
from certo.numbers.exact import ROUND_UP_8, norm
from certo.numbers.lanes import lane_scores
from certo.numbers.rounded import NotShown, Rounded, hinge_losses
from certo.row_keys import exact_key

EXACT_ROWS = 256  # More tied rows than this are bounded, not computed.


@dataclass(eq=False)
class Margins(MachineMargins):
    """value[t] is within slack[t] of the true margin. The slack shrinks where more is asked."""

    sample: Sample
    coef: np.ndarray
    intercept: float
    value: np.ndarray
    slack: np.ndarray

    @classmethod
    def of(
        cls,
        sample: Sample,
        coef: np.ndarray,
        intercept: float,
        square: float | None = None,
        scores: np.ndarray | None = None,
    ) -> Margins:
        """`square`, if known, is a number that no ‖x_t‖² exceeds, and `scores` are the coef·x_t as
        float64 gives them, added in any order."""
        scored = scores is not None or sample.X.dtype == np.float64  # Nothing to convert.
        if square is not None and scored:
            with np.errstate(over="ignore", invalid="ignore"):
                value = (sample.X @ coef if scores is None else scores) + intercept
                value *= sample.signs
                magnitude = math.sqrt(square) * norm(coef) + abs(intercept)
                slack = np.broadcast_to(exact.allowance(sample.d, magnitude), sample.m)
            return cls(sample, coef, intercept, value, slack)
        value, slack = np.empty(sample.m), np.empty(sample.m)
        length = float(np.sum(np.abs(coef)))
        with np.errstate(over="ignore", invalid="ignore"):
            for start, stop in sample.blocks():
                part = sample.part(start, stop)
                entries = part.data if sparse.issparse(part) else part
                peak = max(entries.max(), -entries.min()) if entries.size else 0.0
                scores = part @ coef
                scores += intercept
                np.multiply(scores, sample.signs[start:stop], out=value[start:stop])
                slack[start:stop] = exact.allowance(sample.d, peak * length + abs(intercept))
        return cls(sample, coef, intercept, value, slack)

    def exactly(self, t: int) -> Fraction:
        return self.sample.score(t, self.coef, self.intercept) * int(self.sample.signs[t])

    def _each_exactly(self, rows: np.ndarray) -> Iterator[tuple[Fraction, int, int]]:
        """(margin, t, how many different rows so far); rows that repeat are computed once."""
        known: dict[tuple[int, bytes], Fraction] = {}
        for t in rows.tolist():
            key = (int(self.sample.signs[t]), exact_key(*self.sample.row(t)))
            if key not in known:
                known[key] = self.exactly(t)
            yield known[key], t, len(known)

    def _tighten(self, rows: np.ndarray) -> None:
        """Replace the allowances of these rows by their own."""
        if not self.slack.flags.writeable:  # One number for all examples.
            self.slack = self.slack.copy()
        integers = float(self.intercept).is_integer() and np.all(self.coef == np.rint(self.coef))
        size = np.abs(self.coef)
        for k in range(0, rows.size, 4096):
            some = rows[k : k + 4096]
            part = self.sample.X[some].astype(np.float64)
            with np.errstate(over="ignore", invalid="ignore"):
                magnitude = abs(part) @ size + abs(self.intercept)
                products = _count(part, lambda entries: entries != 0, size != 0)
                slack = exact.allowance(products, magnitude)  # A product of 0 is exact.
            if integers:
                # The magnitude is rounded by far less than a factor 2: below 2⁵² it is below 2⁵³.
                whole = _count(part, lambda entries: entries != np.rint(entries)) == 0
                slack[whole & (magnitude < 2.0**52)] = 0.0
            slack[products == 0] = 0.0
            self.slack[some] = np.fmin(self.slack[some], slack)

    def least(self, room: int = 1) -> tuple[Fraction, int]:
        """(γ, t): no margin is below γ, and that of t is γ, or next to it where many tie. It is
        exact, or bounded alike by all who check, so that no `room` is needed."""
        return self._least

    @cached_property
    def _least(self) -> tuple[Fraction, int]:
        rows = self._rivals(None)
        if rows.size > 1:
            self._tighten(rows)
            rows = self._rivals(rows)
        if rows.size > 1 and self.sample.d * rows.size <= combinations.EXACT_PRODUCTS:
            part = combinations.dense_rows(self.sample, rows), self.sample.signs[rows]
            rows = rows[twofold.may_be_least(*part, self.coef, self.intercept)]
        rows = rows[np.argsort(self.value[rows], kind="stable")]
        if not np.any(self.slack[rows]):
            rows = rows[:1]  # Nothing was rounded.
        with np.errstate(invalid="ignore", over="ignore"):
            lower = self.value[rows] - self.slack[rows]
        most = EXACT_ROWS if np.all(np.isfinite(lower)) else rows.size  # After overflow: all.
        margins = self._each_exactly(rows)
        least, where, _ = next(margins)
        for k, (margin, t, different) in enumerate(margins, start=1):
            if different > most:
                rest = Fraction(math.nextafter(float(np.min(lower[k:])), -math.inf))
                return min(least, rest), where
            least, where = min((least, where), (margin, t))
        return least, where

    def _rivals(self, rows: np.ndarray | None) -> np.ndarray:
        """The rows (None: all) that could have the least margin."""
        value, slack = (
            (self.value, self.slack) if rows is None else (self.value[rows], self.slack[rows])
        )
        with np.errstate(invalid="ignore", over="ignore"):
            if slack.flags.writeable:
                ceiling = np.nextafter(np.min(value + slack, initial=np.inf), np.inf)
                out = value - slack > ceiling
            else:  # One number for all examples.
                ceiling = np.nextafter(np.min(value) + slack[0], np.inf)
                out = value > np.nextafter(ceiling + slack[0], np.inf)
        # A NaN, from overflow, is out of nothing.
        found = np.flatnonzero(~out)
        return found if rows is None else rows[found]

    def margin_at(self, distance: float) -> Fraction:
        """A margin that is enough to be at that distance from the hyperplane, or a ValueError."""
        length = exact.root_above(exact.dot(self.coef, self.coef))
        if not 0 < length < math.inf:
            raise ValueError("without a finite direction there is no distance.")
        return Fraction(distance) * Fraction(length)

    def below(self, limit: Fraction) -> int | None:
        """An example whose margin is below the limit, or None if there is none; decided exactly."""
        edge = exact.above(limit)
        rows = np.arange(self.sample.m)
        for tighten in (False, True):
            if tighten and rows.size:
                self._tighten(rows)
            value, slack = self.value[rows], self.slack[rows]
            with np.errstate(invalid="ignore", over="ignore"):
                clear = (value - slack > edge) | ((slack == 0) & (value >= edge))
            rows = rows[~clear]
        return next((t for margin, t, _ in self._each_exactly(rows) if margin < limit), None)

    @property
    def efforts(self) -> tuple[int, ...]:
        """Quickly, unless the table is short; with allowances that are worked on; and with short
        sums that are exact."""
        quickly = () if combinations.is_short_table(self.sample) else (0,)
        return (*quickly, 1, combinations.EXACT_PRODUCTS)

    def square(self, effort: int = 1) -> Rounded:
        """‖coef‖²."""
        return combinations.squared_length(self.coef, quickly=not effort)

    def hinge_losses(self, costs: np.ndarray, effort: int = 1) -> Rounded:
        """Σ c_t [1 − margin_t]₊; a loss is off by at most its margin's slack."""
        near, sample = self._below_one(np.flatnonzero(costs)), self.sample
        precisely = Fraction(0)
        short = combinations.is_short_table(sample)
        if 0 < effort < combinations.EXACT_PRODUCTS and short:
            with suppress(NotShown):  # After overflow.
                part = combinations.dense_rows(sample, near), sample.signs[near]
                return twofold.hinge_losses(*part, self.coef, self.intercept, costs[near])
        if effort:
            self._tighten(near)
            near = self._below_one(near)
            # Of a short table nothing is rounded, not even the sum.
            unsure = near if short else near[self.slack[near] > 0]
            if combinations.is_short(self.sample, unsure, effort):
                near = near[:0] if short else near[self.slack[near] == 0]
                for margin, t, _ in self._each_exactly(unsure):
                    precisely += Fraction(costs[t]) * max(1 - margin, Fraction(0))
        rest = hinge_losses(self.value[near], self.slack[near], costs[near], quickly=not effort)
        return Rounded(precisely + rest.value, rest.within)

    def _below_one(self, rows: np.ndarray) -> np.ndarray:
        """Those of the rows whose margin is not shown to be above 1."""
        with np.errstate(over="ignore", invalid="ignore"):
            return rows[~(self.value[rows] - self.slack[rows] > 1)]

    def is_error(self, zero_sign: int) -> np.ndarray:
        """Which examples sgn(score) gets wrong, sgn(0) being `zero_sign`; decided exactly."""
        wrong = self.value < 0
        close = np.flatnonzero(~(np.abs(self.value) > self.slack))
        if not close.size:
            return wrong
        self._tighten(close)
        sign = np.sign(self.value[close])
        value, slack = self.value[close], self.slack[close]
        unsure = np.flatnonzero((slack != 0) & ~(np.abs(value) > slack))
        for k, (margin, _, _) in zip(unsure, self._each_exactly(close[unsure]), strict=True):
            sign[k] = (margin > 0) - (margin < 0)
        wrong[close] = (sign < 0) | ((sign == 0) & (self.sample.signs[close] != zero_sign))
        return wrong

    def is_mispredicted(self, zero_sign: int) -> np.ndarray:
        """The same, and which examples it gets wrong if scores are computed as models of Certo
        compute them: each as a sum by itself, rounded as in `lane_scores`.

        Both evaluations are within their allowance of the truth, so that they agree on the sign of
        a score beyond twice that, and where nothing rounds.
        """
        wrong = self.is_error(zero_sign)
        close = np.flatnonzero((self.slack != 0) & ~(np.abs(self.value) > 2 * self.slack))
        if close.size:
            self._tighten(close)
            value, slack = self.value[close], self.slack[close]
            close = close[(slack != 0) & ~(np.abs(value) > 2 * slack)]
        for k in range(0, close.size, 4096):
            some = close[k : k + 4096]
            part = self.sample.X[some].astype(np.float64)
            part = part.toarray() if sparse.issparse(part) else part
            with np.errstate(over="ignore", invalid="ignore"):
                score = lane_scores(part, self.coef) + self.intercept
            said = np.where(score > 0, 1, np.where(score < 0, -1, zero_sign))
            wrong[some] |= (said != self.sample.signs[some]) | np.isnan(score)
        return wrong

    def shortfall(self, target: float, rows, weights, roundings: int, room: int = 1) -> float:
        """A float that Σ_k w_k·[target − margin_k]₊ over `rows` does not exceed, where each w_k
        differs from weights_k by at most `roundings` roundings; +inf if there is none. With `room`,
        neither does that of a checker whose margins are off by as much more of their slack.

        Each margin is rounded down (its slack off, then one float further), and so each difference
        rounded up; then all terms are non-negative, and what is left are the roundings of the
        weights, the products and the sum.
        """
        value, slack = self.value[rows], self.slack[rows]
        with np.errstate(over="ignore", invalid="ignore"):
            lowest = np.where(slack > 0, np.nextafter(value - slack, -np.inf), value)
            missing = target - lowest  # The sign of the difference is exact.
            missing = np.where(missing <= 0, 0.0, np.nextafter(missing, np.inf))
            total = float(np.sum(missing * weights))
            bound = math.nextafter(
                total + exact.allowance(rows.size + roundings + 1, total), math.inf
            )
            if room > 1:
                bound = (bound + room * float(np.sum(slack * weights))) * (1 + 2.0**-40)
        return bound if math.isfinite(bound) else math.inf

    def falls_short_by_at_most(self, claimed, target: float, rows, weights, roundings: int) -> bool:
        """Whether Σ_k w_k·[target − margin_k]₊ ≤ claimed can be shown."""
        if self.shortfall(target, rows, weights, roundings) <= claimed:
            return True
        self._tighten(rows)
        return self.shortfall(target, rows, weights, roundings) <= claimed


def _count(part, which, columns: np.ndarray | None = None) -> np.ndarray:
    """How many entries of each row, in these columns, are of the kind `which` tells."""
    if columns is None:
        columns = np.ones(part.shape[1], dtype=bool)
    if sparse.issparse(part):
        marks = part.copy()
        marks.data = which(part.data).astype(np.float64)
        return np.asarray(marks @ columns.astype(np.float64)).ravel()
    return np.count_nonzero(which(part) & columns, axis=1)


@final
@dataclass(frozen=True)
class Vectors(Space):
    """The space of the features: φ(x) = x, a machine is a hyperplane, and w is given by `coef`."""

    describes: ClassVar[dict[str, str]] = {"coef": "coef_"}
    kernel: ClassVar[None] = None  # type: ignore[misc]
    shift: ClassVar[float] = 0.0  # type: ignore[misc]

    def read(self, X):
        return exact_matrix(X)

    def check_values(self, X) -> None:
        pass  # Vectors are given exactly.

    def sample(self, X, y, labels: Labels) -> Sample:
        return Sample.of(X, y, labels)

    def coordinates(self, sample: Sample) -> int:
        return sample.d

    def looks(self, sample: Sample, machine: Machine, known=None) -> Iterator[Margins]:
        """`known` is a number that no ‖x_t‖² exceeds, or that and the scores coef·x_t."""
        known = known if isinstance(known, tuple) else (known,)
        yield Margins.of(sample, machine.coef, machine.intercept, *known)

    def combined(self, margins: Margins, machine: Machine, effort: int = 1) -> Rounded:
        return combinations.squared_combination(
            margins.sample, machine.rows, machine.dual_coef, effort
        )

    def longer_than(self, sample: Sample, square: Fraction) -> int | None:
        return sample.longer_than(square)

    def longest2(self, sample: Sample, known: float | None = None, room: int = 1) -> Fraction:
        square = sample.square_bound() if known is None else known
        square += exact.allowance(sample.d, square)
        require(square < math.inf, "squares of the examples overflow float64.")
        return Fraction(square)

    def check_sum(self, sample, machine: Machine, start, steps, lifted: bool, updates: int) -> None:
        """The run rounds each of its steps and sums: at most γ_{updates + 1}(|w₀_j| + Σ|η x̃_j|) in
        place j. The sum here is off by at most γ_n of the same, n counting the rounded totals,
        products and sums."""
        part = sample.X[machine.rows].astype(np.float64)
        size = np.abs(steps)
        with np.errstate(over="ignore", invalid="ignore"):
            moved = np.append(part.T @ steps, lifted * steps.sum())
            moves = np.abs(start) + np.append(abs(part).T @ size, lifted * size.sum())
            off = np.abs(np.append(machine.coef, machine.intercept) - (start + moved))
            slack = exact.allowance(updates + machine.rows.size + 4, moves)
        require(
            np.all(np.isfinite(slack)) and np.all(off <= slack),
            "the weights are not the start plus the listed updates.",
        )

    def lengths(self, sample: Sample) -> np.ndarray:
        squares = np.concatenate([sample._squares(*block) for block in sample.blocks()])
        return np.sqrt((squares + exact.allowance(sample.d, squares)) * ROUND_UP_8) * ROUND_UP_8

    def computed(
        self, sample: Sample, machine: Machine, margins: Margins, lengths: np.ndarray
    ) -> float:
        size = norm(machine.coef) * float(lengths.max(initial=0.0)) + abs(machine.intercept)
        return exact.allowance(sample.d + 1, size * ROUND_UP_8)
