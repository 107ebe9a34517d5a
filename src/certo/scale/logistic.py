"""Logistic regression by blocks: Newton's method of `solvers.logistic`, whose rows are sums."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from certo.certificates.base import CannotClaim
from certo.certificates.blocks.sums import Sums
from certo.certificates.composite import NotClaimed
from certo.certificates.regression.factors import inverse_factor
from certo.certificates.regression.logistic_excess import LogisticExcess
from certo.certificates.sample.labels import Labels
from certo.issue.by_blocks import issue_logistic, logistic_draft, totals_of
from certo.problems.logistic import LogisticProblem, Weights, against
from certo.scale.blocks import Block, Blocks
from certo.scale.first_look import FirstLook
from certo.scale.logistic_wide import WideBlocks
from certo.solvers.interrupt import Stopped
from certo.solvers.logistic import (
    Direct,
    LogisticOutcome,
    State,
    descend,
    logistic,
    uncentred,
)
from certo.solvers.logistic_rows import (
    HEAVY_HESSIAN,
    LogisticRows,
    Look,
    centre_of,
    centred_weights,
    noise_of,
    plain_weights,
)
from certo.solvers.logistic_wide import descend_wide
from certo.solvers.newton import NewtonLimits, NewtonRun
from certo.stop import Asked, Stop, go_on

MAX_DIM = 4000  # More coordinates make a Hessian that is too large to be summed.


def look_at(
    block: Block, labels: Labels, m: int, W: np.ndarray, lift: bool, centre, curvature: bool
) -> Sums:
    """Loss, gradient and Hessian of a block, each row with the share 1/m of all."""
    X = block.X if sparse.issparse(block.X) else np.ascontiguousarray(block.X)
    codes, K = labels.places(block.y), len(labels.classes)
    rows = LogisticRows(X, codes, K, np.full(len(codes), 1 / m), lift, None, centre)
    seen = rows.look(W, curvature)
    return Sums([seen.loss, seen.gradient, seen.hessian if curvature else 0.0])


class BlockRows:
    """What Newton's method asks of `LogisticRows`, from passes over blocks."""

    alive = None
    asked: Asked = staticmethod(go_on)  # A pass asks by `blocks.stopping` whether to stop.

    def __init__(self, blocks: Blocks, labels: Labels, lift: bool, centre: np.ndarray):
        self.blocks, self.labels, self.lift, self.centre = blocks, labels, lift, centre
        self.m, self.d = blocks.shape
        self.classes = len(labels.classes)
        self.p, self.vectors = self.d + int(lift), self.classes - 1

    @property
    def heavy(self) -> bool:
        """Whether a Hessian costs so much that much is worth doing without one: not beside a pass
        over files."""
        return self.vectors > 1 and self.m * (self.vectors * self.p) ** 2 > HEAVY_HESSIAN

    @property
    def noise(self) -> np.ndarray:
        return noise_of(self.centre, self.lift, self.vectors)

    @property
    def loss_at_zero(self) -> float:
        return float(np.log(self.classes))

    def look(self, W: np.ndarray, curvature: bool) -> Look:
        found = self.blocks.total(
            look_at, self.labels, self.m, W, self.lift, self.centre, curvature
        )
        return Look(float(found[0]), found[1], found[2] if curvature else None)


class Found(NamedTuple):
    outcome: LogisticOutcome
    claim: LogisticExcess | NotClaimed
    risk: float


def fit(
    blocks: Blocks,
    first: FirstLook,
    labels: Labels,
    intercept: str,
    ridge: float,
    limits: NewtonLimits,
) -> Found:
    """Weights of the least risk, begun from the sample's, and their claim."""
    lift, K = intercept == "free", len(labels.classes)
    n = (K - 1) * (blocks.shape[1] + lift)
    if n > MAX_DIM:
        return _fit_wide(blocks, first, labels, intercept, ridge, limits)
    X, y = first.sample
    X = X if sparse.issparse(X) else np.ascontiguousarray(X)
    centre = centre_of(X, lift)
    rows = BlockRows(blocks, labels, lift, centre)
    start = _start(X, labels, labels.places(y), intercept, ridge)
    run = NewtonRun(limits, doubts=ridge == 0)
    direct = Direct(rows, ridge)
    with blocks.stopping(limits.asked):
        end = _descended(direct, centred_weights(start, centre, lift), run)
    plain = plain_weights(end.W, centre, lift)
    last = direct.hessian
    if run.stop is Stop.CONVERGED:  # The last step was made without a look at the curvature.
        last = direct.look_at_curvature(end.W)
    hessian = None if last is None else uncentred(rows, last)
    found = plain
    if K > 2:
        coef = np.vstack([plain.coef, np.zeros(blocks.shape[1])])
        found = Weights(coef, np.append(plain.intercept, 0.0)).symmetric
    assert run.stop is not None
    outcome = LogisticOutcome(
        *found, float(end.loss), float(end.objective), hessian, None, run.steps, run.stop, run.trace
    )
    claim, risk = _claimed(blocks, labels, outcome, intercept, ridge, rows)
    return Found(outcome, claim, risk)


def _fit_wide(
    blocks: Blocks, first: FirstLook, labels: Labels, intercept: str, ridge: float,
    limits: NewtonLimits,
) -> Found:  # fmt: skip
    """By conjugate gradients. The claim is that of the ridge; without one there is none."""
    X, y = first.sample
    start = _start(X, labels, labels.places(y), intercept, ridge)
    last = len(labels.classes) > 2
    if last:  # The last class has 0 in `start`.
        coef = np.vstack([start.coef, np.zeros(blocks.shape[1])])
        start = Weights(coef, np.append(start.intercept, 0.0))
    run = NewtonRun(limits, doubts=ridge == 0)
    with blocks.stopping(limits.asked):
        wide: Any = WideBlocks(blocks, labels, intercept == "free", ridge)
        try:
            end = descend_wide(wide, wide.inner(start), run)
            W, loss, objective = end.W, end.loss, end.objective
        except Stopped:
            run.stop = run.limits.asked() or Stop.BY_HAND
            W, loss, objective = wide.best
    assert run.stop is not None
    coef, b = wide.outer(W)
    outcome = LogisticOutcome(
        coef, b, float(loss), float(objective), None, None, run.steps, run.stop, run.trace
    )
    draft = logistic_draft(
        labels,
        len(blocks),
        coef=outcome.coef,
        intercept=outcome.intercept,
        treatment=intercept,
        ridge=ridge,
    )
    claim, risk = _issued(blocks, replace(draft, proof="ridge") if ridge else draft)
    return Found(outcome, claim, risk)


def _descended(direct: Direct, W: np.ndarray, run: NewtonRun) -> State:
    """Where Newton's method ends, or where it was when a pass was stopped."""
    try:
        return descend(direct, W, run)
    except Stopped:
        run.stop = run.limits.asked() or Stop.BY_HAND
        last = direct._last
        if not run.notes:
            run.note(np.nan, np.nan, 0.0)
        if last is None:
            return State(W, np.nan, np.nan, np.zeros(W.size))
        return last


def _start(X: Any, labels: Labels, codes: np.ndarray, intercept: str, ridge: float) -> Weights:
    """The solution for the sample, held back by a small ridge, so that a column that is rare in it
    does not run away; 0, if it lacks a class."""
    K, (n, d) = len(labels.classes), X.shape
    nothing = Weights(np.zeros((K - 1, d)), np.zeros(K - 1))
    if np.unique(codes).size < K:
        return nothing
    squares = X.multiply(X).sum() if sparse.issparse(X) else np.sum(X * X, dtype=np.float64)
    prior = max(ridge, float(squares) / n / d / n)
    problem = LogisticProblem(X, codes, np.array(labels.classes), None, None, intercept, prior)
    quick = NewtonLimits(tol=1e-3 / n, max_iter=30)  # Whatever the time: 0 would be no answer.
    found = logistic(problem, quick, doubts=False)
    last = (K - 1) if K > 2 else 0
    return Weights(*(against(part, last) for part in (found.coef, found.intercept)))


def _claimed(
    blocks: Blocks, labels: Labels, outcome: LogisticOutcome, treatment: str, ridge: float, rows
) -> tuple[LogisticExcess | NotClaimed, float]:
    """The claim, and the risk without its penalty."""
    draft = logistic_draft(
        labels, rows.m, coef=outcome.coef, intercept=outcome.intercept, treatment=treatment,
        ridge=ridge, factors=_factors(outcome.hessian, rows.vectors, rows.p),
    )  # fmt: skip
    return _issued(blocks, draft)


def _issued(blocks: Blocks, draft: LogisticExcess) -> tuple[LogisticExcess | NotClaimed, float]:
    (total,) = totals_of(blocks, [draft])
    risk = float(total["risk"].value)
    try:
        return issue_logistic(draft, total), risk
    except CannotClaim as reason:
        return NotClaimed("LogisticExcess", str(reason)), risk


def _factors(hessian: np.ndarray | None, vectors: int, p: int) -> tuple[np.ndarray, ...]:
    """T_k with T_kᵀH_kkT_k = I, for each class but the last; none, if H is singular."""
    if hessian is None or not np.all(np.isfinite(hessian)):
        return ()
    blocks = hessian.reshape(vectors, p, vectors, p)
    found = [inverse_factor(np.ascontiguousarray(blocks[k, :, k, :])) for k in range(vectors)]
    return () if any(factor is None for factor in found) else tuple(found)  # type: ignore[arg-type]
