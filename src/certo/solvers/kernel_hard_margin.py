r"""The function with the largest margin in a kernel's space, from few rows of the Gram matrix.

Problem     min ½‖f‖²  s.t.  y_t (f(x_t) + b) ≥ 1      (b free, none, or lifted: ½(‖f‖² + b²))
Dual        as without a kernel (`hard_margin`, its bounds too), with z_t = y_t K(x_t, ·), in the
            lifted space (K + 1): p = Σ λ_t z_t and, with G = 2 or 1 groups, f* = G p/‖p‖²
Few rows    solve for some rows through their Gram matrix, look at all, add those that are short
            of the margin, repeat
Memory      of a Gram matrix that would be too large only the rows are taken that are furthest from
            their level; all others with weight stand together as one point for each group, which
            is in the hull too, so that ‖p‖ still falls
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse

from certo.kernels.base import Kernel
from certo.kernels.strips import in_strips
from certo.solvers import gram
from certo.solvers.hard_margin import Budget, Hulls, MarginTrace, Search, hull_numbers
from certo.solvers.interrupt import Stopped
from certo.solvers.nearest_point import Gram, nearest_point
from certo.stop import Asked, Stop, go_on

GRAM_COPIES_PER_STEP = 5  # Gram matrices in memory that a step of `nearest_point` needs.
# Multiplications that a value of a kernel takes besides an inner product (an exponential, say), and
# that a value for two sequences, trees or graphs takes at least.
ENTRY_WORK, OBJECT_WORK = 64.0, 1e4


MAX_UNHEARD_VALUES = 2**13  # Values of a kernel that are made without a look at the time.


class KernelMarginOutcome(NamedTuple):
    rows: np.ndarray  # The supports, in increasing order.
    coef: np.ndarray  # α_t y_t of these; f = Σ coef_t K(x_t, ·)
    b: float  # If f + b separates, margins are at least 1 up to rounding.
    scores: np.ndarray  # The values f(x_t) at all examples.
    looks: int
    stop: Stop
    trace: MarginTrace


def kernel_hard_margin(
    kernel: Kernel,
    X,
    signs: np.ndarray,
    intercept: str,
    *,
    tol: float = 1e-6,
    max_iter: int = 1000,
    effort: float = np.inf,
    cache_mb: float = 1000,
    asked: Asked = go_on,
    after_look: Callable[[], Stop | None] = go_on,
) -> KernelMarginOutcome:
    """The largest margin of the examples X (as `kernel.examples` gives them), signs being ±1, both
    present where the intercept is free.

    It stops as `hard_margin` does (a value of the kernel takes `value_work` multiplications). Where
    no separator was found by then, its scores are zero. Gram matrices are kept within `cache_mb`
    megabytes.
    """
    budget, each = Budget(effort, asked), value_work(kernel, X)
    images = _Images(kernel, X, signs, intercept, budget)
    found = _Functions(images)
    most = max(4, int(np.sqrt(cache_mb * 1e6 / (8 * GRAM_COPIES_PER_STEP))))
    if effort < np.inf:  # One Gram matrix and one check of all examples must fit in.
        affordable = effort / (2 * each)
        most = max(4, int(min(most, np.sqrt(affordable), affordable / signs.size)))
    try:
        return _solve(images, found, budget, each, most, tol, max_iter, after_look)
    except Stopped:
        if not found.looks:  # One point for each hull, at which nothing is known yet.
            found.weights = images.initial(found.weights)
            found.note(images.groups, images.groups)
        return found.outcome(asked() or Stop.BY_HAND)


def _solve(
    images: _Images, found: _Functions, budget: Budget, each: float, most: int, tol: float,
    max_iter: int, after_look: Callable[[], Stop | None],
) -> KernelMarginOutcome:  # fmt: skip
    """The same, unless Stopped is raised in the midst of kernel values that take long."""
    signs = images.signs
    weights, slopes = np.zeros(signs.size), None
    while True:
        rows = images.hardest(weights, slopes)
        if rows.size > most:
            rows = _furthest_rows(images, weights, slopes, rows, most)
        budget.spend(each * rows.size**2)
        weights = _solve_rows(images, weights, rows, tol / 20, budget.spend)
        slopes = found.look(weights)
        budget.stop = budget.stop or after_look()
        budget.spend(each * signs.size * np.count_nonzero(weights))
        if stop := found.stop(tol / 2, budget, max_iter):
            return found.outcome(stop)


def value_work(kernel: Kernel, X) -> float:
    """About as many multiplications in a loop as a value of the kernel takes."""
    if kernel.takes != "vectors":
        return 1.0 if kernel.takes == "matrix" else OBJECT_WORK
    m, d = X.shape
    return ENTRY_WORK + (X.nnz / max(m, 1) if sparse.issparse(X) else d)


class _Images(Hulls):
    """The z_t, known by their inner products. Where the budget is asked to stop while these are
    computed, Stopped is raised."""

    def __init__(self, kernel: Kernel, X, signs: np.ndarray, intercept: str, budget: Budget):
        super().__init__(hull_numbers(signs, intercept))
        self.budget = budget
        self.kernel, self.X, self.signs = kernel, X, signs.astype(np.float64)
        self.lift = float(intercept == "lifted")

    def gram(self, rows: np.ndarray) -> np.ndarray:
        """z_i·z_j among the rows."""
        centres, block = self.kernel.take(self.X, rows), np.empty((rows.size, rows.size))

        def make(i: int, k: int) -> int:
            block[i:k] = self.kernel.plain(self.kernel.points(self.X, rows[i:k]), centres)
            return (k - i) * rows.size

        self._heard(make, rows.size, rows.size)
        block += self.lift
        block *= self.signs[rows, None] * self.signs[rows]
        return block

    def scores(self, of, rows: np.ndarray, coef: np.ndarray) -> np.ndarray:
        """Σ coef_j K(x_j, x_i), for all rows x_i of `of`."""
        some, centres = np.arange(self.signs.size)[of], self.kernel.take(self.X, rows)
        found = np.empty(some.size)

        def make(i: int, k: int) -> int:
            points = self.kernel.points(self.X, some[i:k])
            found[i:k] = gram.scores(self.kernel, points, centres, coef)
            return (k - i) * rows.size

        self._heard(make, some.size, rows.size)
        return found

    def _heard(self, make: Callable[[int, int], int], rows: int, width: int) -> None:
        """What is quick for any kernel is made at once."""
        if rows * width <= MAX_UNHEARD_VALUES:
            make(0, rows)
        elif not in_strips(make, rows, width, rows * width, lambda *_: bool(self.budget.asked())):
            raise Stopped

    def products(self, of, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """z_i·Σ weights_j z_j, for all rows z_i of `of`."""
        coef = weights * self.signs[rows]
        return self.signs[of] * (self.scores(of, rows, coef) + self.lift * coef.sum())


def _furthest_rows(images: _Images, weights, slopes, rows, most: int) -> np.ndarray:
    """As many of the rows as are allowed: those furthest below their level, and, if they have
    weight, above it; at the nearest point all rows with weight are there."""
    if slopes is None:
        return np.union1d(rows[: most - images.groups], images.firsts)
    level = np.bincount(images.group, weights * slopes, images.groups)
    above = (slopes - level[images.group])[rows]
    away = np.where(weights[rows] > 0, np.abs(above), -above)
    return np.sort(rows[np.argpartition(-away, most)[:most]])


def _solve_rows(images: _Images, weights, rows, tol: float, spend) -> np.ndarray:
    """The weights after those of these rows, and what all others have together, were improved."""
    group, weights = images.group, images.initial(weights)
    outside = weights.copy()
    outside[rows] = 0.0
    sums = np.bincount(group, outside, images.groups)
    parts = [np.flatnonzero(outside * (group == g)) for g in np.flatnonzero(sums)]
    n, size = rows.size, rows.size + len(parts)
    among, groups = np.empty((size, size)), np.append(group[rows], np.flatnonzero(sums))
    among[:n, :n] = images.gram(rows)
    shares = [outside[part] / outside[part].sum() for part in parts]
    for k, (part, share) in enumerate(zip(parts, shares, strict=True), n):
        # The rest of a group as one point.
        among[k, :n] = among[:n, k] = images.products(rows, part, share)
        for j, (other, parted) in enumerate(zip(parts, shares, strict=True), n):
            among[k, j] = parted @ images.products(other, part, share)
    now = np.append(weights[rows], sums[sums > 0])
    found = nearest_point(Gram(among), groups, now, tol=tol, spend=spend)
    factor = np.ones(images.groups)
    factor[sums > 0] = found[n:] / sums[sums > 0]
    weights = outside * factor[group]
    weights[rows] = found[:n]
    return weights


class _Functions(Search):
    """The best separator so far."""

    touching, looks_in_vain, digit = 0.0, 5, 1e-12

    def __init__(self, images: _Images):
        super().__init__()
        self.images, self.lower = images, -np.inf
        self.weights = self.slopes = np.zeros(images.signs.size)

    def look(self, weights: np.ndarray) -> np.ndarray:
        """Look at all examples along the point with these weights."""
        images = self.images
        rows = np.flatnonzero(weights)
        slopes = images.products(slice(None), rows, weights[rows])
        length = float(np.sqrt(max(weights[rows] @ slopes[rows], 0.0)))
        self.upper = min(self.upper, length)
        lower = sum(images.lowest(slopes)) / length if length > 0 else 0.0
        if lower > self.lower:
            self.lower, self.weights, self.slopes = lower, weights, slopes
        self.note(images.groups, rows.size)
        return slopes

    def outcome(self, stop: Stop) -> KernelMarginOutcome:
        images, rows = self.images, np.flatnonzero(self.weights)
        lows = images.lowest(self.slopes)
        scale = images.groups / sum(lows) if self.lower > 0 else 1.0
        coef = scale * self.weights[rows] * images.signs[rows]
        b = images.lift * float(coef.sum())
        if images.groups == 2:
            b = (lows[0] - lows[1]) / 2 * scale  # The middle between the classes.
        scores = scale * images.signs * self.slopes - images.lift * coef.sum()
        return KernelMarginOutcome(rows, coef, b, scores, len(self.looks), stop, self.trace)
