"""One hard-margin machine: solved and certified, as a hyperplane or in a kernel's space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from certo.certificates.base import (
    CannotClaim,
    Certificate,
    NotClaimed,
)
from certo.certificates.margins.maximum_margin import MaximumMargin
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.inseparable import Inseparable
from certo.certificates.separation.separable import Separable
from certo.certificates.spaces.images import KernelSample
from certo.certificates.spaces.vectors import Margins
from certo.estimators import _input
from certo.estimators._errors import NotSeparable
from certo.estimators._kernel import measured, posed
from certo.estimators.verdict import two_class_verdict
from certo.issue.margins.maximum_margin import issue_maximum_margin
from certo.issue.separation.separable import issue_separable
from certo.kernels.base import Kernel
from certo.numbers.digits import rounded_up
from certo.numbers.exact import UNIT, allowance, norm
from certo.solvers.hard_margin import MarginOutcome, MarginTrace, balanced, hard_margin
from certo.solvers.kernel_hard_margin import KernelMarginOutcome, kernel_hard_margin
from certo.words.reader import separability_call

ROUGH = 3e-8  # of the length of examples: margins that float64 cannot tell from 0


class Limits(NamedTuple):
    """When to stop."""

    tol: float
    max_iter: int
    asked: Callable[[], bool]
    after_look: Callable[[], bool]


class Separator(NamedTuple):
    """What was found for one output."""

    coef: np.ndarray | None  # None: a function of a kernel's space
    length: float  # ‖w‖, or ‖f‖; 0: one class alone
    intercept: float
    rows: np.ndarray
    dual_coef: np.ndarray
    claims: list[Certificate | NotClaimed]
    outcome: MarginOutcome | KernelMarginOutcome

    @property
    def gap(self) -> float:
        if self.length == 0:
            return 0.0
        margins = [c for c in self.claims if isinstance(c, MaximumMargin)]
        return margins[0].relative_gap if margins else 1.0


class Space(Protocol):
    """Where separators are looked for."""

    def separator(self, labels: Labels, signs: np.ndarray, limits: Limits) -> Separator: ...

    def alone(self, labels: Labels, signs: np.ndarray) -> Separator:
        """For one class with a free intercept, where w* = 0."""


class VectorSpace:
    """Hyperplanes w·x + b."""

    def __init__(self, machine, X):
        self.X, self.intercept = X, machine.intercept
        self.square = _input.longest_example(machine, X)

    def separator(self, labels: Labels, signs: np.ndarray, limits: Limits) -> Separator:
        radius = float(np.sqrt(self.square))
        outcome = hard_margin(self.X, signs, self.intercept, radius, **limits._asdict())
        sample = Sample(self.X, signs)
        w, b, margins = _feasible(sample, outcome.w, outcome.b, self.square)
        if margins.least()[0] <= 0:
            w, b = self._last_resort(sample, labels, outcome, limits)
            w, b, margins = _feasible(sample, w, b, self.square)
        rows, dual_coef = _multipliers(outcome.rows, outcome.alpha, signs, self.intercept)
        claims: list[Certificate | NotClaimed] = [
            _claimed(Separable, labels, lambda: issue_separable(sample, labels, w, b, margins)),
            _claimed(
                MaximumMargin,
                labels,
                lambda: issue_maximum_margin(
                    sample, labels, coef=w, intercept=b, treatment=self.intercept,
                    rows=rows, dual_coef=dual_coef, margins=margins,
                ),
            ),
        ]  # fmt: skip
        return Separator(w, norm(w), b, rows, dual_coef, claims, outcome)

    def alone(self, labels: Labels, signs: np.ndarray) -> Separator:
        sample = Sample(self.X, signs)
        coef = np.zeros(sample.d)
        claims: list[Certificate | NotClaimed]
        claims = [issue_separable(sample, labels, coef, 1.0), _unbounded(labels)]
        none = np.zeros(0)
        outcome = MarginOutcome(coef, 1.0, none.astype(int), none, 0, False, _EMPTY)
        return Separator(coef, 0.0, 1.0, none.astype(int), none, claims, outcome)

    def _last_resort(
        self, sample: Sample, labels: Labels, outcome: MarginOutcome, limits: Limits
    ) -> tuple[np.ndarray, float]:
        """A separator where the solver found none, or the error that says why there is none."""
        _refuse_unfinished("a hyperplane", labels, outcome, limits)
        try:
            verdict = two_class_verdict(
                sample, labels, "none" if self.intercept == "none" else "free"
            )
        except ArithmeticError as too_fine:
            raise ValueError(
                "HardMarginSVM needs weights that float64 can hold, but every hyperplane found "
                f"that separates {labels.shown} from {labels.rest} is too fine for that: examples "
                "nearly touch, or features differ too much in size, or repeat each other up to "
                "rounding. Rescale, round or drop features."
            ) from too_fine
        if isinstance(verdict, Inseparable):
            raise NotSeparable(
                proof=verdict, labels=labels, rows=verdict.rows.tolist(),
                through_origin=self.intercept == "none",
            )  # fmt: skip
        return verdict.coef, float(verdict.intercept)


class KernelSpace:
    """Functions f(x) + b, f = Σ α_t y_t K(x_t, ·)."""

    def __init__(self, machine, X):
        self.kernel: Kernel = machine.kernel.fitted_to(X)
        self.intercept, self.cache_mb = machine.intercept, float(machine.cache_mb)
        self.X, self.square, self.shift = measured(machine, self.kernel, X)
        self._posed: tuple[Kernel, Any] | None = None

    def separator(self, labels: Labels, signs: np.ndarray, limits: Limits) -> Separator:
        if self._posed is None:
            self._posed = posed(self.kernel, self.X, self.cache_mb, limits.asked)
        outcome = kernel_hard_margin(
            *self._posed, signs, self.intercept, cache_mb=self.cache_mb, **limits._asdict()
        )
        rows, dual_coef = _multipliers(outcome.rows, np.abs(outcome.coef), signs, self.intercept)
        claim = _claimed(
            MaximumMargin,
            labels,
            lambda: issue_maximum_margin(
                KernelSample(self.kernel, self.X, signs, self.shift), labels,
                intercept=outcome.b, treatment=self.intercept,
                rows=rows, dual_coef=dual_coef,
            ),
        )  # fmt: skip
        if isinstance(claim, NotClaimed):
            self._refuse(labels, signs, outcome, limits)
        length = float(np.sqrt(max(outcome.coef @ outcome.scores[outcome.rows], 0.0)))
        return Separator(None, length, outcome.b, rows, dual_coef, [claim], outcome)

    def alone(self, labels: Labels, signs: np.ndarray) -> Separator:
        none = np.zeros(0)
        rows, scores = none.astype(int), np.zeros(signs.size)
        outcome = KernelMarginOutcome(rows, none, 1.0, scores, 0, False, _EMPTY)
        return Separator(None, 0.0, 1.0, rows, none, [_unbounded(labels)], outcome)

    def _refuse(
        self, labels: Labels, signs: np.ndarray, outcome: KernelMarginOutcome, limits: Limits
    ) -> None:
        _refuse_unfinished("a function", labels, outcome, limits)
        length = float(np.sqrt(self.square + (self.intercept == "lifted")))
        raise NotSeparable(
            labels=labels, rows=outcome.rows.tolist(), kernel=self.kernel, length=length,
            margin=max(outcome.trace.upper[-1], ROUGH * length), equal_rows=_twins(self.X, signs),
        )  # fmt: skip


def _twins(X, signs: np.ndarray) -> tuple[int, int] | None:
    """Two rows of numbers that are equal, though their examples are of different classes."""
    if not (sparse.issparse(X) or isinstance(X, np.ndarray)):
        return None
    seen: dict[tuple[bytes, ...], int] = {}
    for t in range(X.shape[0]):
        row = X[[t]]
        parts: tuple = (row.indices, row.data) if sparse.issparse(row) else (row,)
        first = seen.setdefault(tuple((part + 0).tobytes() for part in parts), t)
        if signs[first] != signs[t]:
            return first, t
    return None


def _refuse_unfinished(what: str, labels: Labels, outcome, limits: Limits) -> None:
    if outcome.stopped or outcome.looks >= limits.max_iter:
        advice = f"; {separability_call()} decides whether one exists"
        advice = advice if what == "a hyperplane" else ""
        raise RuntimeError(
            f"HardMarginSVM was stopped before it found {what} that separates "
            f"{labels.shown} from {labels.rest}, so there is nothing to return: the largest "
            f"margin is at most {rounded_up(outcome.trace.upper[-1])}, if there is one at all. "
            f"Allow more time_limit or max_iter{advice}."
        )


def _multipliers(rows, alpha, signs, intercept: str) -> tuple[np.ndarray, np.ndarray]:
    """The rows and signed multipliers other than 0, of sum 0 exactly where b is free."""
    alpha = balanced(alpha, signs[rows]) if intercept == "free" else alpha
    return rows[alpha > 0], (alpha * signs[rows])[alpha > 0]


def _claimed(kind: type, labels: Labels, claim: Callable[[], Any]) -> Certificate | NotClaimed:
    try:
        return claim()
    except CannotClaim as reason:
        return NotClaimed(kind.__name__, f"{labels.shown}: {reason}")


def _unbounded(labels: Labels) -> NotClaimed:
    reason = f"{labels.shown}: there is one class alone, which any margin separates from nothing."
    return NotClaimed(MaximumMargin.__name__, reason)


_EMPTY = MarginTrace(np.zeros(0, int), np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0, int))


def _feasible(
    sample: Sample, w: np.ndarray, b: float, square: float
) -> tuple[np.ndarray, float, Margins]:
    """(w, b) times a number such that all margins are at least 1 in exact arithmetic, and these.

    Rounding the products moves a margin by at most u(‖w‖X + |b|), computing it by no more than its
    allowance; where that is little it is added at once, and one look at the margins is enough.
    """
    square += allowance(sample.d, square)
    radius = float(np.sqrt(square))

    def times(factor):
        return w * factor, b * factor, Margins.of(sample, w * factor, b * factor, square)

    room = 2 * allowance(sample.d, radius * norm(w) + abs(b))
    best = times(1 + room) if room < 1e-9 else times(1.0)
    least, factor = best[2].least()[0], 1.0
    if least >= 1:
        return best
    for _ in range(4 * (least > 0)):
        factor *= (1 + 4 * UNIT * (radius * norm(best[0]) + abs(best[1]))) / float(least)
        best = times(factor)
        least = best[2].least()[0]
        if least >= 1:
            return best
        if least <= 0:
            break
    # too fine for a factor that rounds: a power of two does not
    best = times(1.0)
    least = best[2].least()[0]
    return times(2.0 ** np.ceil(-np.log2(float(least)))) if 0 < least < 1 else best
