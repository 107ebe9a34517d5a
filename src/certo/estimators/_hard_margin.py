"""One hard-margin machine: solved and certified, as a hyperplane or in a kernel's space."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from certo.certificates.composite import NotClaimed
from certo.certificates.margins.maximum_margin import MaximumMargin
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.inseparable import Inseparable
from certo.certificates.separation.separable import Separable
from certo.certificates.spaces.vectors import Margins
from certo.estimators._claims import Claim, attempt
from certo.estimators._errors import NotSeparable
from certo.estimators._limits import Limits
from certo.estimators._pair_spaces import part_of
from certo.estimators._pairs import Pair
from certo.estimators._separation_words import equal_rows
from certo.estimators._spaces import Functions, Space, Vectors
from certo.estimators.verdict import two_class_verdict
from certo.facts import InputError
from certo.issue.margins.maximum_margin import issue_maximum_margin
from certo.issue.separation import issue_separable
from certo.numbers.decimals import rounded_up
from certo.numbers.exact import UNIT, allowance, norm
from certo.solvers.hard_margin import MarginTrace, balance_exactly
from certo.solvers.interrupt import Stopped, Watch
from certo.stop import Stop
from certo.words import refusals
from certo.words.labels import shown_of, sides_of
from certo.words.reader import separability_call

# Float64 cannot tell a margin from 0 that is a smaller share of the length of examples.
MIN_RELATIVE_MARGIN = 3e-8


class Separator(NamedTuple):
    """What was found for one output."""

    coef: np.ndarray | None  # None: a function of a kernel's space
    length: float  # ‖w‖, or ‖f‖; 0: one class alone
    intercept: float
    rows: np.ndarray
    dual_coef: np.ndarray
    claims: list[Claim]
    looks: int
    stop: Stop
    trace: MarginTrace

    @property
    def gap(self) -> float:
        if self.length == 0:
            return 0.0
        margins = [c for c in self.claims if isinstance(c, MaximumMargin)]
        return margins[0].relative_gap if margins else 1.0


def separator_for(
    space: Space, labels: Labels, signs: np.ndarray, limits: Limits, watch: Watch
) -> Separator:
    """The separator of largest margin between the examples of sign +1 and the others."""
    if isinstance(space, Vectors):
        return _hyperplane(space, labels, signs, limits, watch)
    return _function(space, labels, signs, limits)


def separator_of_pair(space: Space, pair: Pair, limits: Limits, watch: Watch) -> Separator:
    """That of two of several classes, its rows counted among all examples."""
    try:
        found = separator_for(part_of(space, pair.rows), pair.labels, pair.signs, limits, watch)
    except NotSeparable as reason:
        raise reason.among(pair.rows) from None
    claims = [
        replace(claim, rows=pair.rows[claim.rows]) if isinstance(claim, MaximumMargin) else claim
        for claim in found.claims
    ]
    return found._replace(rows=pair.rows[found.rows], claims=claims)


def one_class(space: Space, labels: Labels, signs: np.ndarray) -> Separator:
    """For one class with a free intercept, where w* = 0."""
    why = "there is one class alone, which any margin separates from nothing."
    claims: list[Claim] = [NotClaimed(MaximumMargin.__name__, f"{shown_of(labels)}: {why}")]
    coef = None
    if isinstance(space, Vectors):
        coef = np.zeros(space.X.shape[1])
        claims.insert(0, issue_separable(space.sample(signs), labels, coef, 1.0))
    none, rows = np.zeros(0), np.zeros(0, int)
    trace = MarginTrace(rows, none, none, none, rows)
    return Separator(coef, 0.0, 1.0, rows, none, claims, 0, Stop.CONVERGED, trace)


def _hyperplane(
    space: Vectors, labels: Labels, signs: np.ndarray, limits: Limits, watch: Watch
) -> Separator:
    outcome = space.hard_margin(signs, limits)
    sample, square = space.sample(signs), space.computed_square
    w, b, margins = _feasible(sample, outcome.w, outcome.b, square)
    if margins.least()[0] <= 0:
        _refuse_unfinished("a hyperplane", labels, outcome)
        try:
            w, b = _exact_separator(sample, labels, space.intercept, watch)
        except Stopped:
            raise RuntimeError(_unfinished("a hyperplane", labels, outcome)) from None
        w, b, margins = _feasible(sample, w, b, square)
    rows, dual_coef = _multipliers(outcome.rows, outcome.alpha, signs, space.intercept)
    claims = [
        attempt(Separable, labels, lambda: issue_separable(sample, labels, w, b, margins)),
        attempt(
            MaximumMargin,
            labels,
            lambda: issue_maximum_margin(
                sample, labels, coef=w, intercept=b, treatment=space.intercept,
                rows=rows, dual_coef=dual_coef, margins=margins,
            ),
        ),
    ]  # fmt: skip
    return Separator(
        w, norm(w), b, rows, dual_coef, claims, outcome.looks, outcome.stop, outcome.trace
    )


def _exact_separator(
    sample: Sample, labels: Labels, intercept: str, watch: Watch
) -> tuple[np.ndarray, float]:
    """A separator where the solver found none, or the error that says why there is none; or Stopped
    is raised."""
    treatment = "none" if intercept == "none" else "free"
    try:
        verdict = two_class_verdict(sample, labels, treatment, watch)
    except ArithmeticError as too_fine:
        raise InputError(refusals.too_fine, labels) from too_fine
    if isinstance(verdict, Inseparable):
        raise NotSeparable(
            proof=verdict, labels=labels, rows=verdict.rows.tolist(),
            through_origin=intercept == "none",
        )  # fmt: skip
    return verdict.coef, float(verdict.intercept)


def _function(space: Functions, labels: Labels, signs: np.ndarray, limits: Limits) -> Separator:
    outcome = space.hard_margin(signs, limits)
    rows, dual_coef = _multipliers(outcome.rows, np.abs(outcome.coef), signs, space.intercept)
    claim = attempt(
        MaximumMargin,
        labels,
        lambda: issue_maximum_margin(
            space.sample(signs), labels, intercept=outcome.b, treatment=space.intercept,
            rows=rows, dual_coef=dual_coef,
        ),
    )  # fmt: skip
    if isinstance(claim, NotClaimed):
        _refuse_unfinished("a function", labels, outcome)
        length = float(np.sqrt(space.square + (space.intercept == "lifted")))
        raise NotSeparable(
            labels=labels, rows=outcome.rows.tolist(), kernel=space.kernel, length=length,
            margin=max(outcome.trace.upper[-1], MIN_RELATIVE_MARGIN * length),
            equal_rows=equal_rows(space.X, [signs]),
        )  # fmt: skip
    length = float(np.sqrt(max(outcome.coef @ outcome.scores[outcome.rows], 0.0)))
    return Separator(
        None, length, outcome.b, rows, dual_coef, [claim], outcome.looks, outcome.stop,
        outcome.trace,
    )  # fmt: skip


def _refuse_unfinished(what: str, labels: Labels, outcome) -> None:
    if outcome.stop not in (Stop.CONVERGED, Stop.NO_PROGRESS):
        raise RuntimeError(_unfinished(what, labels, outcome))


def _unfinished(what: str, labels: Labels, outcome) -> str:
    advice = f"; {separability_call()} decides whether one exists"
    advice = advice if what == "a hyperplane" else ""
    most = outcome.trace.upper[-1]
    known = f": the largest margin is at most {rounded_up(most)}, if there is one at all"
    return (
        f"HardMarginSVM was stopped before it found {what} that separates {sides_of(labels)}, so "
        f"there is nothing to return{known * bool(np.isfinite(most))}. Allow more time_limit or "
        f"max_iter{advice}."
    )


def _multipliers(rows, alpha, signs, intercept: str) -> tuple[np.ndarray, np.ndarray]:
    """The rows and signed multipliers other than 0, of sum 0 exactly where b is free."""
    alpha = balance_exactly(alpha, signs[rows]) if intercept == "free" else alpha
    return rows[alpha > 0], (alpha * signs[rows])[alpha > 0]


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
    # Margins are too fine for a factor that rounds; a power of two does not round.
    best = times(1.0)
    least = best[2].least()[0]
    return times(2.0 ** np.ceil(-np.log2(float(least)))) if 0 < least < 1 else best
