r"""Logistic regression by Newton's method (IRLS), from w = 0.

Problem     min F(w) = Σ s_t (log Σ_k e^{f_k(x_t)} − f_y(x_t)) + (ridge/2) Σ_k ‖w_k‖²,  Σ s_t = 1,
            with f_k(x) = w_k·x + b_k; the penalty leaves the intercepts alone. Two classes have one
            score, f, which is that of the second against the first
Step        w ← w − t·H⁺g: where the Hessian is singular (collinear columns) the columns that add
            nothing to those before them stand still. `newton`: t = 1, as in the usual form, which
            may diverge. `damped`: t is halved until F falls by a share of what it promises, so
            that F never rises, and the method converges. Of several classes a Hessian costs as much
            as many gradients: it is made where a step has ended, not where one is tried, and once
            steps converge fast it serves several of them
Start       many examples: the solution for one in eight of them, found in the same way and held
            back by a prior worth one example, so that a column rare in the part does not run away.
            Several classes and a heavy Hessian: what would be the solution if each class were
            Gaussian, all with the same covariance (linear discriminants). Else, or where that is
            no better, w = 0
            Several classes with a ridge, many coordinates and not many more examples: the inexact
            steps of `logistic_wide`, whose stop is by strong convexity
Stop        when Newton's decrement promises no more than `tol` (the step is still taken: it is
            known); at a risk threshold; after `max_iter` steps; when steps are whole and yet the
            decrement falls as it does where no minimiser exists, by a factor rather than to its
            square (`Stop.RUNS_AWAY`)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve_triangular
from scipy.linalg.lapack import dpstrf

from certo.blas import few_threads, one_thread
from certo.certificates.regression.logistic_curvature import partial_stride
from certo.problems.logistic import LogisticProblem, Weights, against
from certo.solvers.interrupt import Stopped
from certo.solvers.logistic_rows import LogisticRows, RowSums, centred_weights, plain_weights
from certo.solvers.logistic_wide import Point, Wide, descend_wide
from certo.solvers.newton import (
    ARMIJO_SHARE,
    LAST_STEP_SHARE,
    MIN_STEP,
    ROUNDING,
    SLOW_RATIO,
    NewtonLimits,
    NewtonRun,
    NewtonTrace,
)
from certo.stop import Stop, go_on

SAMPLED_ONE_IN = 6  # One in so many examples is solved for first.
MIN_SAMPLED_ROWS = 12  # A sample must have so many rows for each coordinate.
MIN_SAMPLED_NUMBERS = 2**18  # The table must have so many numbers.
MAX_SAMPLE_STEPS = 30  # Newton steps for a sample.
# After a step that leaves less than this share of the decrement's square the Hessian is not made
# again, the second number being for a heavy one; and while further steps leave less than the next.
CALM_RATIO, HEAVY_CALM_RATIO = 0.01, 0.3
REUSED_RATIO = 0.3
REUSED_FACTOR = 1e5  # A step with an old Hessian does not square the decrement: what it leaves, if
# it leaves the share that the last one left, must be so many times less for it to be the last.
# Coordinates beyond which no Hessian is made, with a ridge and without.
MAX_RIDGE_DIM, MAX_DIM = 1500, 4000
# Several classes with a ridge: from so many coordinates on, and with at most so many examples for
# each, inexact steps cost less than Hessians; below this tol the ridge alone proves too little.
MIN_INEXACT_DIM, MAX_INEXACT_ROWS_PER_DIM, MIN_INEXACT_TOL = 100, 40, 1e-9
# Where the square of the last decrement was more, the Hessian of one example in so many leads a
# step, if there are so many of these for each coordinate.
MIN_ROUGH_SQUARE, ROUGH_ONE_IN, MIN_ROUGH_ROWS = 0.002, 4, 8
DISCRIMINANT_SHARES = 1.0, 0.7, 0.5, 0.35, 0.25
WITHIN_SHARE = 1e-6  # Of a column's variance, added so that its share within classes is not 0.
MIN_PIVOT = 1e-12  # What the others must leave of a column scaled to length 1, squared.
UNSEEN_SHARE = 1e-3  # The share of a gradient that a singular Hessian may leave.


class LogisticOutcome(NamedTuple):
    coef: np.ndarray  # (outputs, d): one output for two classes, K for K, which add up to 0.
    intercept: np.ndarray  # (outputs,)
    risk: float  # Mean loss of the terms alive.
    objective: float  # Mean loss with the penalty.
    hessian: np.ndarray | None  # The last one computed, of x̃ = (x, 1), K − 1 vectors stacked;
    # None with many coordinates.
    direction: np.ndarray | None  # (K − 1, p): the last Newton step.
    steps: int
    stop: Stop
    trace: NewtonTrace


class State(NamedTuple):
    """What is seen at W."""

    W: np.ndarray
    objective: float
    loss: float
    gradient: np.ndarray
    hessian: Any = None  # None where it was not asked for, or not needed.


class Direct:
    """Few coordinates: the Hessian is made and factorised.

    The penalty of K classes is that of the symmetric form: with v_k = w_k − w_K it is
    (ridge/2) Σ_kl (1[k = l] − 1/K) v_k·v_l, and for two classes (ridge/2)‖w‖². To it belongs the
    diagonal `prior`, if there is one. `bare`: Newton's steps as they are.
    """

    def __init__(
        self,
        rows: RowSums,
        ridge: float,
        prior: np.ndarray | None = None,
        bare: bool = False,
        known: np.ndarray | None = None,
    ):
        self.rows, self.bare = rows, bare
        self.several = rows.classes > 2  # A Hessian then costs much more than a gradient.
        self.hessian: Any = known  # The last Hessian.
        self.calm = known is not None  # Whether it serves once more.
        self.of_part = known is not None  # Whether it is one of a part of the examples.
        self._inverse: Any = None if known is None else inverse_of(known, rows.noise)
        self._pairs: list[tuple[np.ndarray, np.ndarray]] = []  # Steps since it was made.
        self._last: State | None = None  # Where the last step began.
        self._square = 1.0  # The square of the last decrement.
        self.ratio = 1.0  # The share that the last step left of it.
        # Whether the last step needs a Hessian of all examples: a larger table begins with that of
        # its sample, and without a ridge it shows which columns are dependent. Without a ridge,
        # besides, steps with an old one must not be so slow that a minimiser is doubted.
        self._rough = False  # Whether the Hessian that was last made is one of a part.
        self._renewed = prior is not None or not ridge
        self._max_ratio = REUSED_RATIO if ridge else SLOW_RATIO**2
        K, slopes = rows.classes, np.where(np.arange(rows.p) < rows.d, ridge, 0.0)
        self.penalty = None
        if ridge:
            coupling = np.eye(K - 1) - (1 / K if self.several else 0.0)
            self.penalty = np.kron(coupling, np.diag(slopes))
        if prior is not None:
            self.penalty = np.diag(prior) + (0.0 if self.penalty is None else self.penalty)

    def look(self, W: np.ndarray, again: bool) -> State:
        """The objective and its gradient at W; with `again`, what a further step needs."""
        return self._look(W, again and not self.calm, self._may_be_rough)

    def _look(self, W: np.ndarray, curvature: bool, rough: bool = False) -> State:
        self._rough = curvature and rough
        loss, G, H = self.rows.look(W, curvature and not self._rough)
        if self._rough:
            H = self._part.look(W, True).hessian
        w, g, extra = W.ravel(), G.ravel(), 0.0
        if self.penalty is not None:
            pulled = self.penalty @ w
            extra, g = 0.5 * float(w @ pulled), g + pulled
            H = None if H is None else H + self.penalty
        return State(W, loss + extra, loss, g, H)

    @property
    def _may_be_rough(self) -> bool:
        """Whether the Hessian of a part of the examples is as good: far from the end, where it
        costs much and there are many examples for each coordinate."""
        rows = self.rows
        if not isinstance(rows, LogisticRows) or not rows.heavy or self.bare or not self.several:
            return False
        many = rows.m >= ROUGH_ONE_IN * MIN_ROUGH_ROWS * rows.vectors * rows.p
        return many and self._square > MIN_ROUGH_SQUARE

    @cached_property
    def _part(self) -> LogisticRows:
        assert isinstance(self.rows, LogisticRows)
        return self.rows.take(_some_of(self.rows.m, ROUGH_ONE_IN))

    def look_at_curvature(self, W: np.ndarray) -> np.ndarray:
        """The Hessian at W, that of the penalty included."""
        return np.asarray(self._look(W, True).hessian)

    def step(self, state: State, enough: float) -> tuple[np.ndarray, float]:
        """Newton's step, and the square of its decrement.

        With an old Hessian the step is that of L-BFGS, the Hessian being its first matrix. The
        last step promises no more than `enough`.
        """
        if state.hessian is None:
            self._note_pair(state)
            step, square = self._solved(state.gradient)
            last = self.of_part and self._renewed and 0.5 * square <= enough
            self.calm = square <= self._max_ratio * self._square and not last
            if not self.calm:
                state = self._look(state.W, True, self._may_be_rough)
        if state.hessian is not None:
            self.hessian, self._pairs, self.of_part = state.hessian, [], self._rough
            self._inverse = inverse_of(self.hessian, self.rows.noise)
            step, square = self._solved(state.gradient)
            ratio = HEAVY_CALM_RATIO if self.rows.heavy else CALM_RATIO
            self.calm = self.several and not self.bare and square <= ratio * self._square
        self.ratio, self._square = square / self._square, square
        self._last = state._replace(hessian=None)
        return step, square

    def sharpened(self, state: State) -> State:
        """Where the next step leads, if it moves the objective by less than that is rounded by: the
        gradient at the end of the last step is known, so this needs no look at the examples. The
        coefficients get the digits that steps with an old Hessian leave out."""
        if self.penalty is None or self._last is None:
            return state
        self._note_pair(state)
        step, square = self._solved(state.gradient)
        unseen = 0 <= 0.5 * square <= min(ROUNDING * abs(state.objective), self._square)
        return state._replace(W=state.W + step) if unseen else state

    def _note_pair(self, state: State) -> None:
        """Note the last step, and how the gradient changed over it."""
        if self._last is not None:
            pair = (state.W - self._last.W).ravel(), state.gradient - self._last.gradient
            self._pairs += [pair] if pair[0] @ pair[1] > 0 else []

    def _solved(self, g: np.ndarray) -> tuple[np.ndarray, float]:
        """The two loops of L-BFGS (Nocedal and Wright 2006, algorithm 7.4) around H⁺."""
        q, shares = g, []
        for s, y in reversed(self._pairs):
            shares.append(float(s @ q) / float(s @ y))
            q = q - shares[-1] * y
        step = -self._inverse(q)
        # Where a pull is all from examples far on their wrong side the Hessian does not see it:
        # there the step is that of the largest Hessian possible, the one of w = 0.
        H = self.hessian
        left = q + np.tril(H) @ step + np.tril(H, -1).T @ step
        if not self.bare and not np.max(np.abs(left)) <= UNSEEN_SHARE * np.max(np.abs(q)):
            step -= left / self._largest
        for (s, y), share in zip(self._pairs, reversed(shares), strict=True):
            step -= s * (share + float(y @ step) / float(s @ y))
        return step.reshape(self.rows.vectors, self.rows.p), -float(step @ g)

    @cached_property
    def _largest(self) -> np.ndarray:
        at_zero = np.diag(self._look(np.zeros((self.rows.vectors, self.rows.p)), True).hessian)
        return np.where(at_zero > 0, at_zero, 1.0) * at_zero.size


def inverse_of(H: np.ndarray, noise: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """g ↦ H⁺g on the columns that are not a combination of those before them, 0 on the others and
    on those with nothing but noise on the diagonal; of H the lower triangle is read."""
    scale = np.sqrt(np.maximum(np.diag(H), 0.0))
    scale = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > noise)
    even = H * scale[:, None] * scale
    limit = max(MIN_PIVOT, 8 * len(H) * np.finfo(float).eps)
    try:
        with few_threads(len(even)):
            whole = cho_factor(even, lower=True, check_finite=False)
        if np.diag(whole[0]).min() ** 2 > limit:
            return lambda g: scale * cho_solve(whole, scale * g, check_finite=False)
    except LinAlgError:
        pass
    factor, places, rank, _ = dpstrf(even, tol=limit, lower=1)
    kept, L = places[:rank] - 1, factor[:rank, :rank]

    def solve(g: np.ndarray) -> np.ndarray:
        out = np.zeros(len(H))
        part = solve_triangular(L, (scale * g)[kept], lower=True, check_finite=False)
        out[kept] = scale[kept] * solve_triangular(L.T, part, lower=False, check_finite=False)
        return out

    return solve


def descend(problem: Direct, W: np.ndarray, run: NewtonRun) -> State:
    """Steps until `run` says why to stop; from 0, where W is no better than that. Where it is asked
    to stop in the midst of a Hessian, the steps so far count."""
    problem.rows.asked, reached = run.limits.asked, [W]
    try:
        return _steps(problem, W, run, reached)
    except Stopped:
        run.stop = run.limits.asked() or Stop.BY_HAND
        state = problem.look(reached[-1], False)
        if not run.notes:
            run.note(state.loss, state.objective, 0.0)
        return state
    finally:
        problem.rows.asked = go_on


def _steps(problem: Direct, W: np.ndarray, run: NewtonRun, reached: list[np.ndarray]) -> State:
    """The same; `reached` has the weights after every step, and Stopped may be raised."""
    state = problem.look(W, True)
    if W.any():
        loss = problem.rows.loss_at_zero
        run.note(loss, loss, 0.0)
        if not state.objective <= loss:
            run.notes.clear()
            problem.calm = False
            reached.append(np.zeros_like(W))
            state = problem.look(np.zeros_like(W), True)
    run.note(state.loss, state.objective, 0.0)
    while True:
        enough = LAST_STEP_SHARE * run.limits.tol
        step, square = problem.step(state, enough)
        if not run.limits.damped and 0.5 * square <= enough < np.max(np.abs(state.gradient)):
            square = np.nan  # Far out the Hessian is 0 and the gradient is not.
        run.note_next(step, square)
        promised = 0.5 * square * (REUSED_FACTOR * problem.ratio if problem.calm else 1.0)
        run.stop = run.reason(state.loss, state.objective, promised <= enough)
        if not np.isfinite(square):
            run.stop = Stop.DIVERGED
        elif run.stop is None and run.runs_away:
            run.stop = Stop.RUNS_AWAY
        if run.stop not in (None, Stop.CONVERGED):
            return state
        found = _stepped(problem, state, step, square, run)
        if found is None:
            run.stop = run.stop or (Stop.NO_PROGRESS if run.limits.damped else Stop.DIVERGED)
            return state
        state, length = found
        reached.append(state.W)
        run.steps += 1
        run.note(state.loss, state.objective, length)
        if run.stop is not None:
            return problem.sharpened(state) if run.stop is Stop.CONVERGED else state


def _stepped(
    problem: Direct, state: State, step: np.ndarray, square: float, run: NewtonRun
) -> tuple[State, float] | None:
    """What is seen after the step, and its length; None where F does not fall (damped) or is no
    number."""
    t, again = 1.0, run.stop is None
    noise = ROUNDING * abs(state.objective) if square < 1e-6 * abs(state.objective) else 0.0
    while t >= MIN_STEP:
        trial = state.W + t * step
        # Where a whole step is too long, half of it often is, too: no Hessian is made for it.
        complete = again and t == 1 and not problem.several
        new = problem.look(trial, complete)
        if not run.limits.damped and not np.isfinite(new.objective):
            return None
        if (
            not run.limits.damped
            or new.objective <= state.objective - ARMIJO_SHARE * t * square + noise
        ):
            return problem.look(trial, True) if again and not complete else new, t
        if not again:
            return None  # What the step promised is below rounding.
        t /= 2
    return None


def logistic(
    problem: LogisticProblem,
    limits: NewtonLimits,
    *,
    alive: np.ndarray | None = None,
    start: Weights | None = None,
    doubts: bool = True,
) -> LogisticOutcome:
    """Minimise F over the terms alive: (m,) examples of two classes, (m, K) classes of K.

    `doubts`: stop with `Stop.RUNS_AWAY` where a minimiser seems not to exist.
    """
    X, codes, lift, ridge = problem.X, problem.codes, problem.lifted, problem.ridge
    classes, weights = len(problem.classes), problem.weights
    shares = np.full(len(codes), 1 / len(codes)) if weights is None else weights / weights.sum()
    if alive is not None and classes == 2:
        shares, alive = np.where(alive, shares, 0.0), None
    run = NewtonRun(limits, doubts=doubts and ridge == 0 and limits.damped)
    end: State | Point
    hessian = None
    n, fresh = (classes - 1) * problem.columns, alive is None and start is None
    inexact = (
        ridge and classes > 2 and fresh and limits.damped and isinstance(X, np.ndarray)
        and limits.tol > MIN_INEXACT_TOL and n > MIN_INEXACT_DIM
        and len(codes) <= MAX_INEXACT_ROWS_PER_DIM * n
    )  # fmt: skip
    if inexact or n > (MAX_RIDGE_DIM if ridge else MAX_DIM):
        with one_thread():  # The rows are shared out between the cores.
            wide = Wide(X, codes, classes, shares, lift, ridge, alive)
            end = descend_wide(wide, None if start is None else wide.inner(start), run)
        found = wide.outer(end.W)
        direction = None if run.step is None else np.column_stack(wide.outer(run.step))
        if direction is not None:
            direction = against(direction[:, : wide.p], wide.outputs - 1)
    else:
        rows = LogisticRows(X, codes, classes, shares, lift, alive)
        W, known = np.zeros((rows.vectors, rows.p)), None
        if start is not None:
            last = Weights(*(against(part, len(part) - 1) for part in start))
            W = centred_weights(last, rows.centre, lift)
        elif limits.damped:
            W, known = _coarse(rows, ridge, run)
            if known is not None and ridge:
                # Steps with an old Hessian cost little, and a point so near to the minimum is
                # proved to be by the curvature of one row in so many.
                stride = partial_stride(rows.m, rows.vectors * rows.p)
                run.limits = limits._replace(tol=limits.tol / stride)
        direct = Direct(rows, ridge, bare=not limits.damped, known=known)
        end = descend(direct, W, run)
        found = plain_weights(end.W, rows.centre, lift)
        if classes > 2:
            coef = np.vstack([found.coef, np.zeros(rows.d)])
            found = Weights(coef, np.append(found.intercept, 0.0)).symmetric
        direction = None
        if run.step is not None:
            direction = np.column_stack(plain_weights(run.step, rows.centre, lift))[:, : rows.p]
        if direct.hessian is not None:
            hessian = uncentred(rows, direct.hessian)
    assert run.stop is not None
    return LogisticOutcome(
        *found, float(end.loss), float(end.objective), hessian, direction, run.steps, run.stop,
        run.trace,
    )  # fmt: skip


def _some_of(m: int, one_in: int) -> np.ndarray:
    """One in so many of m rows, drawn with a fixed seed."""
    return np.sort(np.random.default_rng(0).choice(m, m // one_in, replace=False))


def _coarse(
    rows: LogisticRows, ridge: float, run: NewtonRun
) -> tuple[np.ndarray, np.ndarray | None]:
    """A start: the solution for a part of the examples, if there are many, and its Hessian."""
    W, n = np.zeros((rows.vectors, rows.p)), rows.m // SAMPLED_ONE_IN
    if n < MIN_SAMPLED_ROWS * W.size or rows.m * rows.p < MIN_SAMPLED_NUMBERS:
        several = rows.classes > 2 and rows.lift and rows.alive is None
        return discriminants(rows) if several and rows.heavy else W, None
    chosen = _some_of(rows.m, SAMPLED_ONE_IN)
    if not rows.shares[chosen].any():
        return W, None
    part = rows.take(chosen)
    W, known = _coarse(part, ridge, run)
    prior = np.tile(part.peaks**2 / (4 * n), rows.vectors)
    tol = 0.1 / LAST_STEP_SHARE * W.size / n
    quick = NewtonLimits(tol, MAX_SAMPLE_STEPS, asked=run.limits.asked)
    direct = Direct(part, ridge, prior, known=known)
    return descend(direct, W, NewtonRun(quick)).W, direct.hessian


def discriminants(rows: LogisticRows) -> np.ndarray:
    """w_k = S⁻¹μ_k, b_k = log π_k − w_k·μ_k/2 against those of the last class, S the covariance
    within classes; and less of them, where that is better."""
    K, d, pi, means, moments = rows.classes, rows.d, *rows.class_moments()
    within = moments - (means * pi[:, None]).T @ means
    within[np.diag_indices(d)] += WITHIN_SHARE * np.diag(moments) + np.finfo(float).tiny
    V = np.zeros((K, d + 1))
    V[:, :d] = np.linalg.lstsq(within, means.T, rcond=None)[0].T
    V[:, d] = np.log(np.maximum(pi, np.finfo(float).tiny)) - 0.5 * np.sum(V[:, :d] * means, axis=1)
    W = V[:-1] - V[-1]
    return min((share * W for share in DISCRIMINANT_SHARES), key=lambda W: rows.look(W, False).loss)


def uncentred(rows: RowSums, H: np.ndarray) -> np.ndarray:
    """The Hessian in coordinates of (x, 1): x − centre = x − centre·1."""
    H = np.tril(H) + np.tril(H, -1).T
    if not rows.lift:
        return H
    T, p = np.eye(rows.p), rows.p
    T[: rows.d, rows.d] = rows.centre  # x̃ = T (x − centre, 1)
    blocks = H.reshape(rows.vectors, p, rows.vectors, p)
    return np.einsum("ab,kblc,dc->kald", T, blocks, T, optimize=True).reshape(H.shape)
