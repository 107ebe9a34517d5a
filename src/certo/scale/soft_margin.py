"""The soft margin by blocks: the smoothed problem of `solvers`, and its claim, from block sums."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from certo.certificates.base import CannotClaim, Certificate
from certo.certificates.blocks.sums import Sums
from certo.certificates.composite import NotClaimed
from certo.certificates.margins.soft_margin_gap import costs_of
from certo.certificates.sample.labels import Labels
from certo.facts import InputError
from certo.issue.by_blocks import issue_soft_margin, soft_margin_draft, totals_of
from certo.scale.blocks import MAX_SUMMED_COLUMNS, Block, Blocks
from certo.scale.first_look import FirstLook, in_float64
from certo.solvers.gap_ledger import GapTrace, Ledger
from certo.solvers.interrupt import Stopped
from certo.solvers.smoothed_hinge import (
    MAX_WIDTH,
    WINDOW_SHARE,
    Look,
    Point,
    Smoothed,
    look,
    minimise,
    widest,
)
from certo.solvers.soft_margin import soft_margin
from certo.stop import Asked, Stop
from certo.words import blocks as sentences
from certo.words.labels import shown_of

SAMPLE_TOL = 1e-3  # The gap to which the problem of the sample is solved.


class Prices(NamedTuple):
    """The slack of a row costs C times the weight of its side, −1 or +1."""

    C: float
    class_weight: tuple[float, float]


class Output(NamedTuple):
    """What was found for one output."""

    point: Point
    claim: Certificate | NotClaimed
    stop: Stop
    passes: int
    trace: GapTrace

    @property
    def gap(self) -> float:
        return getattr(self.claim, "relative_gap", np.inf)


def looks_at(
    block: Block, labels: Sequence[Labels], prices: Sequence[Prices], points: Sequence[Point]
) -> Sums:
    """A `Look` for each of several outputs."""
    X, places = in_float64(block.X), labels[0].places(block.y)
    found = []
    for label, price, point in zip(labels, prices, points, strict=True):
        signs = np.where(places == label.positive, 1, -1).astype(np.int8)
        found.append(look(X, signs, costs_of(price.C, price.class_weight, signs), point))
    return Sums(found)


def fit(
    blocks: Blocks,
    first: FirstLook,
    labels: Sequence[Labels],
    prices: Sequence[Prices],
    intercept: str,
    *,
    tol: float,
    max_iter: int,
    asked: Asked,
    after_look: Callable[..., Stop | None],
) -> list[Output]:
    """Hyperplanes for all outputs, which share the passes, and their claims."""
    if blocks.shape[1] > MAX_SUMMED_COLUMNS:
        raise InputError(
            sentences.too_many_columns,
            blocks.shape[1],
            MAX_SUMMED_COLUMNS,
            "Pegasos takes any number.",
        )
    ledgers = [Ledger(tol, max_iter, asked, after_look) for _ in labels]
    runs = [
        minimise(
            _start(first, label, price, intercept, tol, asked), intercept, ledger, tol,
            float(np.sqrt(first.square)), _least_costs(first, label, price),
        )
        for label, price, ledger in zip(labels, prices, ledgers, strict=True)
    ]  # fmt: skip
    ends = _run_together(blocks, runs, ledgers, labels, prices, asked)
    drafts = [
        soft_margin_draft(
            label, len(blocks), end.point.w, end.point.b, treatment=intercept, C=price.C,
            class_weight=price.class_weight, width=end.point.width,
        )
        for label, price, end in zip(labels, prices, ends, strict=True)
    ]  # fmt: skip
    totals = totals_of(blocks, drafts)
    outputs = []
    for draft, total, end, ledger in zip(drafts, totals, ends, ledgers, strict=True):
        claim: Certificate | NotClaimed
        try:
            claim = issue_soft_margin(draft, total)
        except CannotClaim as reason:
            claim = NotClaimed("SoftMarginGap", f"{shown_of(draft.labels)}: {reason}")
        gap = end.primal - end.dual
        stop = ledger.stop(gap, tol * end.primal if np.isfinite(end.primal) else 0.0)
        if not ledger.looks:
            ledger.note(end.primal, end.dual, 0)
        outputs.append(Output(end.point, claim, stop, ledger.passes, ledger.trace))
    return outputs


def _run_together(
    blocks: Blocks,
    runs: list[Generator[Point, Look, Smoothed]],
    ledgers: list[Ledger],
    labels: Sequence[Labels],
    prices: Sequence[Prices],
    asked: Asked,
) -> list[Smoothed]:
    """All runs, each pass giving all that are not at their end what they ask for."""
    wanted = {k: next(run) for k, run in enumerate(runs)}
    ends = {k: Smoothed(point, np.inf, 0.0, 0) for k, point in wanted.items()}
    while wanted:
        active = list(wanted)
        try:
            with blocks.stopping(asked):
                found = blocks.total(
                    looks_at, [labels[k] for k in active], [prices[k] for k in active],
                    list(wanted.values()),
                )  # fmt: skip
        except Stopped:  # In the middle of a pass: the best so far is the answer.
            for k in active:
                ends[k] = _closed(runs[k], ends[k])
                ledgers[k].asked_to = ledgers[k].asked_to or asked()
            break
        for k, seen in zip(active, found, strict=True):
            try:
                wanted[k] = runs[k].send(seen)
            except StopIteration as end:
                ends[k] = end.value
                del wanted[k]
    return [ends[k] for k in range(len(runs))]


def _closed(run: Generator[Point, Look, Smoothed], otherwise: Smoothed) -> Smoothed:
    """The best of a run that gets no more looks."""
    try:
        run.throw(Stopped)
    except StopIteration as end:
        return end.value
    except Stopped:
        pass
    return otherwise


def _least_costs(first: FirstLook, labels: Labels, prices: Prices) -> float:
    """The costs of the class whose rows cost less."""
    own = first.counts[labels.classes[labels.positive or 0]]
    negative, positive = prices.class_weight
    return prices.C * min(positive * own, negative * (first.rows - own))


def _start(
    first: FirstLook, labels: Labels, prices: Prices, intercept: str, tol: float, asked: Asked
) -> Point:
    """The solution for the sample, slack in which costs as much as in all rows; and a window that
    is as wide as the gap aimed at allows, by the sample's margins."""
    X, y = first.sample
    signs = labels.signs(y)
    nothing = Point(np.zeros(X.shape[1]), 0.0, MAX_WIDTH)
    if np.all(signs == signs[0]):
        return nothing
    costs = costs_of(prices.C, prices.class_weight, signs) * (first.rows / len(signs))
    X = X if sparse.issparse(X) else np.ascontiguousarray(X)
    found = soft_margin(X, signs, costs, intercept, tol=min(SAMPLE_TOL, tol), asked=asked)
    r = 1.0 - signs * (X @ found.w + found.b)
    allowed = WINDOW_SHARE * tol * found.primal
    return Point(np.asarray(found.w, np.float64), float(found.b), widest(r, costs, allowed))
