r"""Logistic regression by Newton's method (IRLS), from w = 0.

Problem     min F(w) = Σ s_t (log Σ_k e^{f_k(x_t)} − f_y(x_t)) + (ridge/2) Σ_k ‖w_k‖²,  Σ s_t = 1,
            with f_k(x) = w_k·x + b_k; the penalty leaves the intercepts alone. Two classes have one
            score, f, which is that of the second against the first
Step        w ← w − t·H⁺g: where the Hessian is singular (collinear columns) the columns that add
            nothing to those before them stand still. `newton`: t = 1, as in the notes' box, which
            may diverge. `damped`: t is halved until F falls by a share of what it promises, so
            that F never rises, and the method converges. Of several classes a Hessian costs as much
            as many gradients: it is made where a step has ended, not where one is tried, and once
            steps converge fast it serves several of them
Start       many examples: the solution for one in eight of them, found in the same way and held
            back by a prior worth one example, so that a column rare in the part does not run away.
            Several classes and a heavy Hessian: what would be the solution if each class were
            Gaussian, all with the same covariance (linear discriminants). Else, or where that is
            no better, w = 0
Stop        when Newton's decrement promises no more than `tol` (the step is still taken: it is
            known); at a risk threshold; after `max_iter` steps; when steps are whole and yet the
            decrement falls as it does where no minimiser exists, by a factor rather than to its
            square: "runs away"
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve_triangular
from scipy.linalg.lapack import dpstrf

from certo.solvers.logistic_rows import LogisticRows
from certo.solvers.logistic_wide import Wide, descend_wide
from certo.solvers.stop import Asked, go_on

SAMPLE = 8  # one in so many examples is solved for first,
ENOUGH = 40  # if these are so many for each coordinate,
LARGE = 2**20  # and the table has so many numbers
ARMIJO = 1e-4  # the share of the promised fall that a step must bring
SHORTEST = 2.0**-40  # step: below it nothing is gained
SPARE = 1e-2  # the last step is taken where it promises this share of `tol`
WILD = 0.4  # a whole step that leaves more than this of the decrement is not Newton's speed:
PATIENCE = 5  # after so many of them in a row a minimiser is doubted
CALM = 0.01  # a step that leaves less than this of the decrement's square: the next one, and
OLD = 1e4  # a step with an old Hessian does not square the decrement: it must promise so much less
KEPT = 0.1  # those that leave less than this, need no Hessian of their own
ROUNDING = 2.0**-50
MANY, TOO_MANY = 1500, 4000  # coordinates beyond which no Hessian is made; the latter: no ridge
HEAVY = 1e9  # multiplications of a Hessian
SHARES = 1.0, 0.7, 0.5, 0.35, 0.25
MILD = 1e-6  # of a column's variance, added so that its share within classes is not 0
LEFT = 1e-12  # of a column scaled to length 1, the square of what the others must leave: sums round
UNSEEN = 1e-3  # the share of a gradient that a singular Hessian may leave


@dataclass(frozen=True)
class NewtonTrace:
    """After every step, beginning with w = 0: all arrays of one length."""

    seconds: np.ndarray
    risk: np.ndarray  # mean loss
    objective: np.ndarray  # with the penalty
    decrement: np.ndarray  # (g·H⁺g)^½, nan where it was not needed
    step: np.ndarray  # t; 0 at the start


class LogisticOutcome(NamedTuple):
    coef: np.ndarray  # (outputs, d): one output for two classes, K for K, which add up to 0
    intercept: np.ndarray  # (outputs,)
    risk: float  # mean loss of the terms alive
    objective: float  # with the penalty
    gradient: float  # largest entry
    decrement: float  # of the last Newton system
    hessian: np.ndarray | None  # the last one computed, of x̃ = (x, 1), K − 1 vectors stacked;
    # None with many coordinates
    direction: np.ndarray | None  # (K − 1, p): the last Newton step
    steps: int
    stopped: str
    trace: NewtonTrace


class State(Protocol):
    @property
    def objective(self) -> float: ...
    @property
    def loss(self) -> float: ...
    @property
    def gradient(self) -> np.ndarray: ...


class Problem(Protocol):
    """What the damped method asks of a problem."""

    loss_at_zero: float
    dear: bool  # whether a Hessian costs much more than a gradient
    calm: bool  # whether the last one serves once more

    def look(self, W: np.ndarray, again: bool) -> Any:
        """The objective and its gradient at W; with `again`, what a further step needs."""

    def step(self, state: Any) -> tuple[np.ndarray, float]:
        """Newton's step, and the square of its decrement."""


class _Look(NamedTuple):
    objective: float
    loss: float
    gradient: np.ndarray
    hessian: Any = None  # None where it was not asked for, or not needed
    W: Any = None


class Direct:
    """Few coordinates: the Hessian is made and factorised.

    The penalty of K classes is that of the symmetric form: with v_k = w_k − w_K it is
    (ridge/2) Σ_kl (1[k = l] − 1/K) v_k·v_l, and for two classes (ridge/2)‖w‖².
    """

    def __init__(
        self, rows: LogisticRows, ridge: float, prior: np.ndarray | None = None, bare: bool = False
    ):
        self.rows, self.prior, self.bare = rows, prior, bare
        self.loss_at_zero = rows.loss_at_zero
        self.dear = rows.classes > 2
        self.kept: Any = None  # the last Hessian
        self.calm, self._last = False, 1.0  # whether it may serve once more; decrement's square
        K, p, d = rows.classes, rows.p, rows.d
        couple = np.eye(K - 1) - (1 / K if K > 2 else 0.0)
        slopes = np.where(np.arange(p) < d, ridge, 0.0)
        self.penalty = np.kron(couple, np.diag(slopes)) if ridge else None

    def look(self, W: np.ndarray, again: bool) -> _Look:
        return self._look(W, again and not self.calm)

    def _look(self, W: np.ndarray, curvature: bool) -> _Look:
        loss, G, H = self.rows.look(W, curvature)
        w, g, extra = W.ravel(), G.ravel(), 0.0
        if self.penalty is not None:
            pulled = self.penalty @ w
            extra, g = 0.5 * float(w @ pulled), g + pulled
            H = None if H is None else H + self.penalty
        if self.prior is not None:
            extra, g = extra + 0.5 * float(w @ (self.prior * w)), g + self.prior * w
            H = None if H is None else H + np.diag(self.prior)
        return _Look(loss + extra, loss, g, H, W)

    def step(self, state: _Look) -> tuple[np.ndarray, float]:
        if state.hessian is None:
            step, square = self._solved(self.kept, state.gradient)
            self.calm = square <= KEPT * self._last
            if not self.calm:
                state = self._look(state.W, True)
        if state.hessian is not None:
            self.kept = state.hessian
            step, square = self._solved(self.kept, state.gradient)
            self.calm = self.dear and not self.bare and square <= CALM * self._last
        self._last = square
        return step, square

    def _solved(self, H: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, float]:
        step = -solved(H, g, self.rows.noise)
        # what the Hessian does not see, since all that pulls there is far on its wrong side, gets a
        # step by the most that it can be, that of w = 0
        left = g + np.tril(H) @ step + np.tril(H, -1).T @ step
        if not self.bare and not np.max(np.abs(left)) <= UNSEEN * np.max(np.abs(g)):
            step -= left / self._most
        return step.reshape(self.rows.vectors, self.rows.p), -float(step @ g)

    @cached_property
    def _most(self) -> np.ndarray:
        most = np.diag(self._look(np.zeros((self.rows.vectors, self.rows.p)), True).hessian)
        return np.where(most > 0, most, 1.0) * most.size


def solved(H: np.ndarray, g: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """H⁺g on the columns that are not a combination of those before them, 0 on the others and on
    those with nothing but noise on the diagonal; of H the lower triangle is read."""
    scale = np.sqrt(np.maximum(np.diag(H), 0.0))
    scale = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > noise)
    even = H * scale[:, None] * scale
    n = g.size
    limit = max(LEFT, 8 * n * np.finfo(float).eps)
    try:
        factor = cho_factor(even, lower=True, check_finite=False)
        if np.diag(factor[0]).min() ** 2 > limit:
            return scale * cho_solve(factor, scale * g, check_finite=False)
    except LinAlgError:
        pass
    factor, places, rank, _ = dpstrf(even, tol=limit, lower=1)
    kept = places[:rank] - 1
    L = factor[:rank, :rank]
    part = solve_triangular(L, (scale * g)[kept], lower=True, check_finite=False)
    out = np.zeros(n)
    out[kept] = scale[kept] * solve_triangular(L.T, part, lower=False, check_finite=False)
    return out


@dataclass
class _Run:
    """What is known so far, and whether it is time to stop."""

    tol: float
    most: float
    threshold: float
    asked: Callable[[], bool]
    after_step: Callable[[int, float], bool]
    damped: bool = True
    doubts: bool = False  # whether a minimiser may be doubted:
    wild: float = WILD
    patience: int = PATIENCE
    began: float = field(default_factory=time.perf_counter)
    notes: list[tuple[float, ...]] = field(default_factory=list)
    stopped: str = ""

    def note(self, state: State, decrement: float, t: float) -> None:
        now = time.perf_counter() - self.began
        self.notes.append((now, state.loss, state.objective, decrement, t))

    @property
    def trace(self) -> NewtonTrace:
        return NewtonTrace(*(np.array(column) for column in zip(*self.notes, strict=True)))


class _End(NamedTuple):
    W: np.ndarray
    state: Any  # at W
    step: np.ndarray | None
    decrement: float
    steps: int


def _descend(problem: Problem, W: np.ndarray, run: _Run) -> _End:
    """Steps until `run` says why to stop; from 0, where W is no better than that."""
    state = problem.look(W, True)
    if W.any():
        loss = problem.loss_at_zero
        run.note(_Look(loss, loss, state.gradient), np.nan, 0.0)
        if not state.objective <= loss:
            run.notes.clear()
            W = np.zeros_like(W)
            state = problem.look(W, True)
    slow, last, steps = 0, np.inf, 0
    run.note(state, np.nan, 0.0)
    while True:
        step, square = problem.step(state)
        if not run.damped and 0.5 * square <= SPARE * run.tol < np.max(np.abs(state.gradient)):
            square = np.nan  # far out, where the Hessian is 0 and the gradient is not
        decrement = float(np.sqrt(max(square, 0.0)))
        run.notes[-1] = (*run.notes[-1][:3], decrement, run.notes[-1][4])
        end = _End(W, state, step, decrement, steps)
        run.stopped = _why(run, state, square * (OLD if problem.calm else 1.0), steps)
        slow = slow + 1 if decrement > WILD * last and run.notes[-1][4] == 1.0 else 0
        if not run.stopped and run.doubts and slow >= PATIENCE:
            run.stopped = "runs away"
        if run.stopped and run.stopped != "optimal":
            return end
        found = _stepped(problem, W, state, step, square, run)
        if found is None:
            run.stopped = run.stopped or ("no progress" if run.damped else "diverged")
            return end
        W, state, t = found
        steps, last = steps + 1, decrement
        run.note(state, np.nan, t)
        if run.stopped:
            return end._replace(W=W, state=state, steps=steps)


def _why(run: _Run, state: State, square: float, steps: int) -> str:
    if not np.isfinite(state.objective) or not np.isfinite(square):
        return "diverged"
    if state.loss <= run.threshold:
        return "threshold"
    if 0.5 * square <= SPARE * run.tol:
        return "optimal"
    if steps >= run.most:
        return "iterations"
    if run.asked() or run.after_step(steps, state.loss):
        return "interrupted"
    return ""


def _stepped(problem: Problem, W, state, step, square: float, run: _Run):
    """The next point, what is seen there, and the length of the step; None where F does not fall
    (damped) or is no number."""
    t, again = 1.0, run.stopped != "optimal"
    noise = ROUNDING * abs(state.objective) if square < 1e-6 * abs(state.objective) else 0.0
    while t >= SHORTEST:
        trial = W + t * step
        made = again and t == 1 and not problem.dear  # a shorter one is often too long, too
        new = problem.look(trial, made)
        if not run.damped:
            found = problem.look(trial, True) if again and not made else new
            return (trial, found, t) if np.isfinite(new.objective) else None
        if new.objective <= state.objective - ARMIJO * t * square + noise:
            return trial, problem.look(trial, True) if again and not made else new, t
        if not again:
            return None  # what it promised is below rounding
        t /= 2
    return None


def logistic(
    X,
    codes: np.ndarray,
    classes: int,
    *,
    sample_weight: np.ndarray | None = None,
    intercept: str = "free",
    ridge: float = 0.0,
    alive: np.ndarray | None = None,
    start: tuple[np.ndarray, np.ndarray] | None = None,
    solver: str = "damped",
    tol: float = 1e-8,
    risk_threshold: float | None = None,
    max_iter: float = 100,
    doubts: bool = True,
    asked: Asked = go_on,
    after_step: Callable[[int, float], bool] = lambda steps, risk: False,
) -> LogisticOutcome:
    """Minimise F over the terms alive: (m,) examples of two classes, (m, K) classes of K.

    `start` is (coef, intercept) of an outcome. `doubts`: stop with "runs away" where a minimiser
    seems not to exist. `after_step(steps, risk)` may return True to stop, as `asked` may.
    """
    m, lift = X.shape[0], intercept == "free"
    weights = np.ones(m) if sample_weight is None else np.asarray(sample_weight, np.float64)
    shares = weights / weights.sum()
    if alive is not None and classes == 2:
        shares, alive = np.where(alive, shares, 0.0), None
    run = _Run(
        tol, max_iter, -np.inf if risk_threshold is None else risk_threshold, asked, after_step,
        damped=solver == "damped", doubts=doubts and ridge == 0 and solver == "damped",
    )  # fmt: skip
    if (classes - 1) * (X.shape[1] + lift) > (MANY if ridge else TOO_MANY):
        return _wide(Wide(X, codes, classes, shares, lift, ridge, alive), start, run)
    rows = LogisticRows(X, codes, classes, shares, lift, alive)
    W = np.zeros((rows.vectors, rows.p)) if start is None else _inner(rows, *start)
    problem = Direct(rows, ridge, bare=not run.damped)
    if start is None and run.damped:
        W = _coarse(rows, ridge, run)
    end = _descend(problem, W, run)
    coef, bias = _outer(rows, end.W)
    return LogisticOutcome(
        coef=coef,
        intercept=bias,
        risk=float(end.state.loss),
        objective=float(end.state.objective),
        gradient=float(np.max(np.abs(end.state.gradient), initial=0.0)),
        decrement=end.decrement,
        hessian=_uncentred(rows, problem.kept),
        direction=_uncentred_vectors(rows, end.step),
        steps=end.steps,
        stopped=run.stopped,
        trace=run.trace,
    )


def _wide(problem: Wide, start, run: _Run) -> LogisticOutcome:
    end = descend_wide(problem, None if start is None else problem.inner(*start), run)
    coef, bias = problem.outer(end.point.W)
    direction = None
    if end.step is not None:
        direction = np.column_stack(problem.outer(end.step))[:, : problem.p]
        direction = direction if problem.classes == 2 else direction[:-1] - direction[-1]
    return LogisticOutcome(
        coef=coef,
        intercept=bias,
        risk=end.point.loss,
        objective=end.point.objective,
        gradient=float(np.max(np.abs(end.point.gradient))),
        decrement=end.decrement,
        hessian=None,
        direction=direction,
        steps=end.steps,
        stopped=run.stopped,
        trace=run.trace,
    )


def _coarse(rows: LogisticRows, ridge: float, run: _Run) -> np.ndarray:
    """A start: the solution for a part of the examples, if there are many."""
    W, n = np.zeros((rows.vectors, rows.p)), rows.m // SAMPLE
    if n < ENOUGH * W.size or rows.m * rows.p < LARGE:
        dear = rows.classes > 2 and rows.m * W.size**2 > HEAVY
        return discriminants(rows) if dear and rows.lift and rows.alive is None else W
    chosen = np.sort(np.random.default_rng(0).choice(rows.m, n, replace=False))
    if not rows.shares[chosen].any():
        return W
    part = rows.take(chosen)
    W = _coarse(part, ridge, run)
    prior = np.tile(part.peaks**2 / (4 * n), rows.vectors)
    quick = _Run(0.1 / SPARE * W.size / n, 30, -np.inf, run.asked, lambda steps, risk: False)
    return _descend(Direct(part, ridge, prior), W, quick).W


def discriminants(rows: LogisticRows) -> np.ndarray:
    """w_k = S⁻¹μ_k, b_k = log π_k − w_k·μ_k/2 against those of the last class, S the covariance
    within classes; and less of them, where that is better."""
    K, d, pi, means, moments = rows.classes, rows.d, *rows.class_moments()
    within = moments - (means * pi[:, None]).T @ means
    within[np.diag_indices(d)] += MILD * np.diag(moments) + np.finfo(float).tiny
    V = np.zeros((K, d + 1))
    V[:, :d] = np.linalg.lstsq(within, means.T, rcond=None)[0].T
    V[:, d] = np.log(np.maximum(pi, np.finfo(float).tiny)) - 0.5 * np.sum(V[:, :d] * means, axis=1)
    W = V[:-1] - V[-1]
    return min((share * W for share in SHARES), key=lambda W: rows.look(W, False).loss)


def _inner(rows: LogisticRows, coef: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Weights as the passes have them: against the last class, of x − centre."""
    if rows.classes > 2:
        coef, bias = coef[:-1] - coef[-1], bias[:-1] - bias[-1]
    if not rows.lift:
        return coef.copy()
    return np.column_stack([coef, bias + coef @ rows.centre])


def _outer(rows: LogisticRows, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """coef and intercept, of K classes in the symmetric form."""
    coef, bias = W[:, : rows.d], np.zeros(len(W))
    if rows.lift:
        bias = W[:, rows.d] - coef @ rows.centre
    if rows.classes > 2:
        coef, bias = np.vstack([coef, np.zeros(rows.d)]), np.append(bias, 0.0)
        coef, bias = coef - coef.mean(axis=0), bias - bias.mean()
    return coef, bias


def _uncentred_vectors(rows: LogisticRows, step: np.ndarray | None) -> np.ndarray | None:
    if step is None or not rows.lift:
        return step
    return np.column_stack([step[:, : rows.d], step[:, rows.d] - step[:, : rows.d] @ rows.centre])


def _uncentred(rows: LogisticRows, H: np.ndarray | None) -> np.ndarray | None:
    """The Hessian in coordinates of (x, 1): x − centre = x − centre·1."""
    if H is None:
        return None
    H = np.tril(H) + np.tril(H, -1).T
    if not rows.lift:
        return H
    T = np.eye(rows.p)
    T[: rows.d, rows.d] = rows.centre  # x̃ = T (x − centre, 1)
    p = rows.p
    blocks = H.reshape(rows.vectors, p, rows.vectors, p)
    return np.einsum("ab,kblc,dc->kald", T, blocks, T, optimize=True).reshape(H.shape)
