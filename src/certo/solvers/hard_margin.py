r"""The separator with the largest margin, from few of the examples.

Problem     min ½‖w‖²  s.t.  y_t (w·x_t + b) ≥ 1      (b free, none, or lifted: ½(‖w‖² + b²))
Dual        the nearest points of the two classes' hulls (free), or the point of the hull of the
            y_t x̃_t nearest to the origin: p = Σ λ_t y_t x̃_t (`nearest_point`). With G = 2 or 1
            groups, w* = G p/‖p‖² and the multipliers are α = G λ/‖p‖²
Bounds      every λ gives γ* ≤ ‖p‖/G, and with h = Σ_g min_{t in g} y_t p·x̃_t over *all* examples,
            p separates if h > 0, with γ* ≥ h/(G‖p‖): the relative gap of ½‖w‖² is 1 − (h/‖p‖²)²
Few rows    solve for some rows, look at all, add those that are short of the margin, repeat.
            The same again for the rows looked at, until a set is small enough for its Gram
            matrix. A random sample of r rows is the first: then about m·(d+1)/r rows can be
            short of its margin (Clarkson 1995), so that few looks at all rows are needed
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import lstsq, svd

from certo.compiled.rows import rows_of
from certo.compiled.soft_margin import signed_products
from certo.compiled.threads import one_thread
from certo.solvers.layered import Layered
from certo.solvers.nearest_point import (
    MATRIX_SPEED,
    MAX_LSTSQ_NUMBERS,
    TOUCHING_DISTANCE,
    Vectors,
    nearest_point,
)
from certo.stop import Asked, Stop, go_on

MAX_GRAM_ROWS = 1000  # Rows that are solved for together, through their Gram matrix.
FIRST_ROWS_PART = 32  # Of more rows than that, one in so many is taken first.
LEVEL_BELOW = 1e-3  # Points nearer to the origin than this, in lengths of examples, are levelled.


@dataclass(frozen=True, repr=False)
class MarginTrace(Layered):
    """What was known of γ* after every look at all examples.

    Attributes
    ----------
    output : integer array
        Whose separator.
    seconds : array
        Since the start.
    lower, upper : arrays
        γ* lies between them (as computed; lower is 0 while no separator is found).
    rows : integer array
        How many examples had a positive weight.
    """

    output: np.ndarray
    seconds: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    rows: np.ndarray

    @property
    def gap(self) -> np.ndarray:
        """(primal − dual)/primal of ½‖w‖²: 1 − (lower/upper)²."""
        return 1 - (self.lower / self.upper) ** 2

    def __repr__(self) -> str:
        return f"MarginTrace({len(self)} looks at all examples)"


class MarginOutcome(NamedTuple):
    w: np.ndarray  # (d,); margins of at least 1, up to rounding; zero if no separator was found
    b: float
    rows: np.ndarray  # The supports, in increasing order.
    alpha: np.ndarray  # The positive multipliers of the supports.
    looks: int
    stop: Stop
    trace: MarginTrace

    @property
    def separates(self) -> bool:
        return bool(self.trace.lower.max(initial=0.0) > 0)


def hard_margin(
    X,
    signs: np.ndarray,
    intercept: str,
    radius: float,
    *,
    tol: float = 1e-6,
    max_iter: int = 1000,
    effort: float = np.inf,
    start: np.ndarray | None = None,
    asked: Asked = go_on,
    after_look: Callable[[], Stop | None] = go_on,
) -> MarginOutcome:
    """The largest margin of the rows of X (C-ordered array, or CSR), signs being int8 in {−1, +1},
    both present where the intercept is free; `radius` is max ‖x_t‖.

    Stops at a relative gap of `tol`, after `max_iter` looks at all examples, after about as much
    work as `effort` multiplications in a loop, when `asked()` (often) or `after_look()` says why,
    or when nothing improves any more. If no separator was found by then, the examples may
    have none: that is for exact arithmetic to say. `start` are the weights (intercept last) of a
    separator known before.
    """
    examples = _Examples(X, signs, intercept, radius)
    budget = Budget(effort, asked)
    weights = np.zeros(signs.size)
    found = _Separators(examples)
    slopes = None if start is None else found.start(start)
    pool = np.zeros(0, np.int64)
    while True:
        pool = np.union1d(pool, examples.hardest(weights, slopes))
        weights[pool] = _solve(examples.take(pool), weights[pool], tol / 20, budget)
        slopes = found.look(weights)
        budget.stop = budget.stop or after_look()
        budget.spend(examples.numbers)
        if stop := found.stop(tol / 2, budget, max_iter):
            return found.outcome(weights, stop)


class Search:
    """What is known of γ*, look by look; the hulls meet at a distance of `touching`, and looks that
    improve nothing by a factor of 1 + `digit` are in vain."""

    touching, looks_in_vain, digit = TOUCHING_DISTANCE, 3, 1e-13

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.lower, self.upper = 0.0, np.inf
        self.looks: list[tuple[float, float, float, int]] = []

    def note(self, unit: float, rows: int) -> None:
        """After a look: γ* is between lower and upper, divided by the unit."""
        now = time.perf_counter() - self.began
        self.looks.append((now, max(self.lower, 0.0) / unit, self.upper / unit, rows))

    @property
    def gap(self) -> float:
        return 1 - (max(self.lower, 0.0) / self.upper) ** 2 if self.upper > 0 else 1.0

    def stop(self, goal: float, budget: Budget, max_iter: int) -> Stop | None:
        """Why to stop now, or None."""
        if self.gap <= goal:
            return Stop.CONVERGED
        if budget.stop:
            return budget.stop
        if len(self.looks) >= max_iter:
            return Stop.MAX_ITER
        return Stop.NO_PROGRESS if self._stalled else None

    @property
    def _stalled(self) -> bool:
        """Whether the hulls meet, or nearly, or the last looks found nothing better."""
        if self.upper <= self.touching or len(self.looks) <= self.looks_in_vain:
            return self.upper <= self.touching
        _, lower, upper, _ = self.looks[-1 - self.looks_in_vain]
        _, low, high, _ = self.looks[-1]
        return low <= lower * (1 + self.digit) and high >= upper * (1 - self.digit)

    @property
    def trace(self) -> MarginTrace:
        columns = map(np.array, zip(*self.looks, strict=True))
        return MarginTrace(np.zeros(len(self.looks), np.int64), *columns)


class _Separators(Search):
    """The best separator so far."""

    def __init__(self, examples: _Examples):
        super().__init__()
        self.examples, self.best = examples, np.zeros(0)

    def look(self, weights: np.ndarray) -> np.ndarray:
        """Look at all examples along the point with these weights."""
        rows = np.flatnonzero(weights)
        part = self.examples.take(rows)
        p = part.Z.T @ weights[rows]
        self.upper = min(self.upper, float(np.linalg.norm(p)))
        slopes = self._look_along(_level_slopes(part, p))
        self.note(self.examples.scale * self.examples.groups, rows.size)
        return slopes

    def start(self, weights: np.ndarray) -> np.ndarray:
        """Look at all examples along a separator known before."""
        p = weights if self.examples.lift else weights[:-1]
        return self._look_along(p / np.abs(weights).max())

    def _look_along(self, p: np.ndarray) -> np.ndarray:
        slopes = self.examples.slopes(p)
        lows = self.examples.lowest(slopes)
        length = float(np.linalg.norm(p))
        if sum(lows) > self.lower * length:
            self.lower = sum(lows) / length
            shift = (lows[0] - lows[-1]) / 2  # A free b is the middle between the classes.
            self.best = np.append(p, shift) / sum(lows)
        return slopes

    def outcome(self, weights: np.ndarray, stop: Stop) -> MarginOutcome:
        examples = self.examples
        rows = np.flatnonzero(weights)
        kept = _fewest_rows(examples.take(rows), weights[rows])
        rows, weights = rows[kept > 0], kept[kept > 0]
        w, b = examples.separator(self.best)
        with np.errstate(over="ignore", divide="ignore"):
            factor = examples.groups * (examples.scale / np.float64(self.upper)) ** 2
        alpha = weights * (factor if np.isfinite(factor) else 1.0)
        return MarginOutcome(w, b, rows, alpha, len(self.looks), stop, self.trace)


class Budget:
    """Multiplications that are left, and why to stop, if so."""

    def __init__(self, effort: float, asked: Asked):
        self.left, self.asked = effort, asked
        self.stop: Stop | None = None

    def spend(self, multiplications: float) -> bool:
        """Whether to stop after these."""
        self.left -= multiplications
        self.stop = self.stop or (Stop.MAX_ITER if self.left < 0 else self.asked())
        return self.stop is not None


class Hulls:
    """Points of one hull, or of two; `group` numbers the hull that each belongs to."""

    def __init__(self, group: np.ndarray):
        self.group, self.groups = group, int(group.max()) + 1

    @property
    def firsts(self) -> np.ndarray:
        """One point of each hull."""
        return np.array([np.argmax(self.group == g) for g in range(self.groups)])

    def lowest(self, slopes: np.ndarray) -> list[float]:
        return [float(slopes[self.group == g].min()) for g in range(self.groups)]

    def initial(self, weights: np.ndarray) -> np.ndarray:
        """The weights, or if there are none yet, one point for each hull."""
        if not weights.any():
            weights = weights.copy()
            weights[self.firsts] = 1.0
        return weights

    def hardest(self, weights: np.ndarray, slopes: np.ndarray | None) -> np.ndarray:
        """The rows to solve for next: those with weight, and those furthest below their level."""
        n, used = self.group.size, np.flatnonzero(weights)
        part = max(MAX_GRAM_ROWS // 2, n // FIRST_ROWS_PART, used.size // 2) // self.groups
        if n <= MAX_GRAM_ROWS:
            return np.arange(n)
        if slopes is None:
            sample = min(n, max(MAX_GRAM_ROWS, n // FIRST_ROWS_PART))
            some = np.random.default_rng(0).choice(n, sample, replace=False)
            return np.union1d(some, self.firsts)
        level = np.bincount(self.group, weights * slopes, self.groups)
        picked = [used]
        for g in range(self.groups):
            below = (slopes < level[g]) | (used.size == 0)
            short = np.flatnonzero((self.group == g) & below)
            if short.size > part:
                short = short[np.argpartition(slopes[short], part)[:part]]
            picked.append(short)
        return np.unique(np.concatenate(picked))


def hull_numbers(signs: np.ndarray, intercept: str) -> np.ndarray:
    """The hull of each example: its class's own if the intercept is free, else one for all."""
    return (signs > 0).astype(np.int64) * (intercept == "free")


class _Block(Hulls):
    """Some rows z_t = y_t x̃_t, scaled, in float64."""

    def __init__(self, Z, group: np.ndarray):
        super().__init__(group)
        self.Z = Z
        self.numbers = float(Z.nnz if sparse.issparse(Z) else Z.size)

    def take(self, rows: np.ndarray) -> _Block:
        return _Block(self.Z[rows], self.group[rows])

    def nearest(self, weights: np.ndarray, budget: Budget) -> np.ndarray:
        """The weights of the nearest point of these rows, by their Gram matrix, from these on."""
        budget.spend(self.numbers * self.group.size / MATRIX_SPEED)
        points = Vectors(self.Z, self.group)
        weights = self.initial(weights)
        return nearest_point(points, self.group, weights, spend=budget.spend)


class _Examples(Hulls):
    """All examples, as they are given: scaled by a power of two, so that the longest is near 1."""

    def __init__(self, X, signs: np.ndarray, intercept: str, radius: float):
        super().__init__(hull_numbers(signs, intercept))
        self.X, self.signs, self.lift = X, signs, float(intercept == "lifted")
        self.numbers = float(X.nnz if sparse.issparse(X) else X.size)
        self.scale = 2.0 ** -float(np.round(np.log2(np.hypot(radius, self.lift) or 1.0)))

    def take(self, rows: np.ndarray) -> _Block:
        part = self.X[rows].astype(np.float64)
        factor = self.scale * self.signs[rows]
        if sparse.issparse(part):
            part = sparse.csr_array(part)
            part.data *= np.repeat(factor, np.diff(part.indptr))
            if self.lift:
                part = sparse.hstack([part, sparse.csr_array(factor[:, None])], format="csr")
        else:
            part *= factor[:, None]
            if self.lift:
                part = np.column_stack([part, factor])
        return _Block(part, self.group[rows])

    def slopes(self, p: np.ndarray) -> np.ndarray:
        out = np.empty(self.signs.size)
        signed_products(rows_of(self.X), self.signs, p, self.lift, 0, out.size, out)
        return out * self.scale

    def separator(self, best: np.ndarray) -> tuple[np.ndarray, float]:
        """(w, b) from the direction (p, shift)/h."""
        d = self.X.shape[1]
        if not best.size:
            return np.zeros(d), 0.0
        w = best[:d] * (self.groups * self.scale)
        if self.groups == 2:
            return w, float(best[-1] * 2)
        return w, float(best[d] * self.scale) if self.lift else 0.0


def _solve(block: _Block, weights: np.ndarray, tol: float, budget: Budget) -> np.ndarray:
    """The weights of the nearest point of a block, to a relative gap of `tol`."""
    n = block.group.size
    if n <= MAX_GRAM_ROWS:
        return block.nearest(weights, budget)
    weights, pool, slopes = weights.copy(), np.zeros(0, np.int64), None
    least, idle = np.inf, 0
    while True:
        if weights.any():
            rows = np.flatnonzero(weights)
            p = block.Z[rows].T @ weights[rows]
            slopes = block.Z @ p
            size = float(p @ p)
            gap = size - sum(block.lowest(slopes))
            idle = 0 if size < least * (1 - 1e-13) else idle + 1
            least = min(least, size)
            small = gap <= tol * size or size <= TOUCHING_DISTANCE**2
            if small or idle >= 3 or budget.spend(block.numbers):
                return weights
        pool = np.union1d(pool, block.hardest(weights, slopes))
        if n <= MAX_GRAM_ROWS * FIRST_ROWS_PART or 2 * pool.size > n:
            if pool.size > 2 * MAX_GRAM_ROWS:
                pool = block.hardest(weights, slopes)
            weights[pool] = block.take(pool).nearest(weights[pool], budget)
        else:
            weights[pool] = _solve(block.take(pool), weights[pool], tol / 4, budget)


def _level_slopes(block: _Block, p: np.ndarray) -> np.ndarray:
    """p moved as little as makes the slopes of all rows of a group the same, where they nearly are.

    Weights λ in float64 leave p = Σ λ z with an error of the size of u‖z‖, which is much where p is
    short; p itself can be more exact than that.
    """
    own = block.firsts[block.group]
    others = np.flatnonzero(own != np.arange(own.size))
    length = float(np.linalg.norm(p))
    if not 0 < others.size * p.size <= MAX_LSTSQ_NUMBERS or length > LEVEL_BELOW:
        return p
    steps = block.Z[others] - block.Z[own[others]]
    steps = steps.toarray() if sparse.issparse(steps) else steps
    steps /= np.maximum(np.sqrt(np.einsum("ij,ij->i", steps, steps)), 1e-150)[:, None]
    if np.abs(steps @ p).max() > 1e-3 * length:
        return p
    with one_thread():
        for _ in range(2):
            p = p - lstsq(steps, steps @ p, 1e-12, lapack_driver="gelsy", check_finite=False)[0]
    return p


def _fewest_rows(block: _Block, weights: np.ndarray) -> np.ndarray:
    """Weights of the same point on rows that are affinely independent (Carathéodory).

    Along each direction in which p and the sums of the groups stay as they are, weight is moved
    until a row has none.
    """
    n, d = block.Z.shape
    if n * (d + block.groups) > MAX_LSTSQ_NUMBERS:
        return weights
    Z = block.Z.toarray() if sparse.issparse(block.Z) else block.Z
    with one_thread():
        columns = np.vstack([Z.T, np.eye(block.groups)[block.group].T])
        # All n right singular vectors are needed, the left ones, which are (d + groups)², are not.
        _, sizes, directions = svd(columns, full_matrices=len(columns) < n)
    still = directions[np.count_nonzero(sizes > 1e-12 * sizes[0]) :]
    weights = weights.copy()
    for k in range(len(still)):
        move = still[k] if still[k].max() > -still[k].min() else -still[k]
        ratio = np.where(move > 1e-9, weights, np.inf) / np.maximum(move, 1e-9)
        gone = int(np.argmin(ratio))
        weights = np.maximum(weights - ratio[gone] * move, 0.0)
        weights[gone] = 0.0
        still[k + 1 :] -= np.outer(still[k + 1 :, gone] / move[gone], move)
        still[k + 1 :, gone] = 0.0
    return weights


def balance_exactly(alpha: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """The multipliers rounded so that Σ α_t y_t = 0 *exactly*: to multiples of 2⁻⁵⁰ of the size of
    the largest, and what is then missing added to the largest one of the lighter class."""
    unit = 2.0 ** (np.ceil(np.log2(alpha.max())) - 50)
    whole = np.rint(alpha / unit).astype(np.int64)
    excess = int(np.sum(whole * signs))
    lighter = np.flatnonzero(signs == (-1 if excess > 0 else 1))
    whole[lighter[np.argmax(whole[lighter])]] += abs(excess)
    return whole * unit
