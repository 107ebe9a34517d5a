r"""The soft-margin SVM in a kernel's space, to a gap between primal and dual.

Problem     min ½‖f‖² + Σ c_t [1 − y_t (f(x_t) + b)]₊     (b free, none, or lifted: ½(‖f‖² + b²))
Dual        max Σ y_t β_t − ½ βᵀKβ,   0 ≤ β_t y_t ≤ c_t, and Σ β_t = 0 where b is free;
            f = Σ β_t K(x_t, ·), and v_t = y_t − f(x_t) is the slope of β_t
Blocks      take some thousands of the examples that violate optimality, at random (the worst are
            too often alike), and those strictly inside their box; solve for them alone by pairs
            (`smo`) on their own Gram matrix in float32, or where that takes too many steps by
            `solve_box`; then move all scores in float64, by rows of K that are made for it and
            kept only where they are dear. The step is cut where the dual, now computed
            precisely, is highest: it never falls, whatever float32 did
Few         examples are one block; problems that differ in labels and costs share its Gram matrix
Shrinking   once few violate, only examples near the margin are followed, until all is well with
            them; then the scores of the others are brought up to date at once
Repeated    examples with the same label are one, whose slack costs their sum (`repetitions`)
Memory      the Gram matrix of a block, copies of the examples, and vectors

Since every score is kept in float64 from beginning to end, what is known of the gap is what a
certificate will say.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import isqrt
from typing import NamedTuple

import numpy as np

from certo.compiled.smo import smo_pairs, smo_single
from certo.kernels.base import Kernel
from certo.problems.soft_margin import SoftMargin
from certo.solvers.box_interior import solve_box
from certo.solvers.gap_ledger import GapTrace, Ledger
from certo.solvers.gram import Images, images_of
from certo.solvers.repetitions import Repetitions
from certo.stop import Asked, Stop, go_on

MIN_BLOCK_ROWS, MAX_BLOCK_ROWS = 1024, 8192  # Examples in a block.
BLOCKS_PER_PASS = 8  # A block is this part of all examples, or larger where many are inside.
BLOCK_ACCURACY = 0.1  # Share of the violation down to which a block is solved.
WHOLE_ACCURACY = 0.0003  # The same for a first block of all examples, which no other one disturbs.
MAX_WHOLE_ROWS = 4096  # Examples whose Gram matrix is kept for several problems.
NEGLIGIBLE_VIOLATION = 0.005  # Share of the violation below which an example does not violate.
FOLLOWED_DISTANCE = 4.0  # Examples within so many violations from the margin are followed.
MAX_PAIR_STEPS_PER_ROW = 60  # Steps by pairs after which Newton steps take over.
MAX_NEWTON_ROWS = 4096  # Examples of the largest block for it: its cost grows as their cube.
MAX_SCANNED_PER_CALL = 2**28  # Slopes read by pair steps between two questions whether to stop.
NEWTON_ACCURACY = 0.01  # Newton steps go on further, since that costs them little.
BOX_ROUNDING = 1e-15  # Distance from a bound, relative to its box, that is rounding.
LONG_BLOCK_SECONDS = 0.1  # Once somebody waits, a step ends at its block if that took longer.
MAX_BLOCKS_PER_LOOK = 30  # Blocks between two looks at all examples.
SHRUNK_GOAL = 0.7  # Share of the goal that is aimed at before all examples are looked at.


class KernelOutcome(NamedTuple):
    alpha: np.ndarray  # (m,); 0 ≤ alpha ≤ costs, and free: Σ alpha·signs = 0, both exactly
    b: float  # The smallest minimiser of P(f, ·) if free; Σ alpha·signs if lifted.
    scores: np.ndarray  # f(x_t), without b
    primal: float
    dual: float
    passes: int
    stop: Stop
    trace: GapTrace

    @property
    def gap(self) -> float:
        return self.primal - self.dual


def kernel_soft_margin(
    kernel: Kernel,
    X,
    signs: np.ndarray,
    costs: np.ndarray,
    intercept: str,
    *,
    tol: float = 1e-4,
    max_iter: int = 1000,
    cache_mb: float = 1000,
    start: np.ndarray | None = None,
    shared: dict[str, Images] | None = None,
    asked: Asked = go_on,
    after_look: Callable[[float, float], Stop | None] = go_on,
) -> KernelOutcome:
    """The best function for examples X (as `kernel.examples` gives them), signs being ±1.

    Besides copies of X in float64 and float32 and some vectors, `cache_mb` megabytes are used at
    most (and 8 or so): half for a block's Gram matrix, half for rows that are kept. `start` holds
    multipliers to begin with. Problems with the same kernel, X and intercept may be given the same
    dictionary `shared`, empty at first, for what they have in common. `after_look` is told primal
    and dual after every look at all examples, and may return True to stop, as `asked` may.
    """
    same = Repetitions.of(kernel, X, signs, costs)
    if same is not None:
        found = kernel_soft_margin(
            kernel, X[same.first], signs[same.first], same.total(costs), intercept,
            tol=tol, max_iter=max_iter, cache_mb=cache_mb,
            start=None if start is None else same.total(start), asked=asked, after_look=after_look,
        )  # fmt: skip
        alpha = SoftMargin(signs, costs, intercept).feasible(same.spread(found.alpha, costs))
        return found._replace(alpha=alpha, scores=found.scores[same.group])
    largest = max(16, min(MAX_BLOCK_ROWS, isqrt(int(cache_mb * 2**20) // 16)))
    most_at_once = min(MIN_BLOCK_ROWS if shared is None else MAX_WHOLE_ROWS, largest)
    shared = {} if shared is None else shared
    if "images" not in shared:
        shared["images"] = images_of(kernel, X, cache_mb / 2)
    search = _Search(shared["images"], signs, costs, intercept, start, largest, asked)
    search.whole = signs.size <= most_at_once
    ledger = Ledger(tol, max_iter, asked, after_look)
    best, before = None, -np.inf
    while True:
        b, primal, dual = search.values()
        ledger.note(primal, dual, passes=search.rounds - ledger.passes)
        if best is None or primal - dual < best.primal - best.dual:
            best = _Found(search.beta.copy(), search.f.copy(), b, primal, dual)
        vain, before = search.stuck and not dual > before, dual
        if best.primal - best.dual <= tol * best.primal or ledger.spent or vain:
            break
        search.improve(SHRUNK_GOAL * tol * best.primal, ledger)
    alpha = search.problem.feasible(best.beta * signs)
    return KernelOutcome(
        alpha, best.b, best.f, best.primal, best.dual, ledger.passes,
        ledger.stop(best.primal - best.dual, tol * best.primal), ledger.trace,
    )  # fmt: skip


class _Found(NamedTuple):
    beta: np.ndarray
    f: np.ndarray
    b: float
    primal: float
    dual: float


class _Search:
    """Multipliers β, and the scores f of all examples that belong to them."""

    def __init__(self, images: Images, signs, costs, intercept: str, start, largest: int, asked):
        self.largest, self.asked = largest, asked
        self.images, self.signs, self.costs, self.intercept = images, signs, costs, intercept
        self.problem = SoftMargin(signs, costs, intercept)
        self.low, self.high = np.where(signs > 0, 0.0, -costs), np.where(signs > 0, costs, 0.0)
        self.beta, self.f = np.zeros(signs.size), np.zeros(signs.size)
        if start is not None:
            self.beta = self.problem.feasible(start) * signs
            some = np.flatnonzero(self.beta)
            images.add(self.f, None, some, self.beta[some])
            curve = float(self.beta @ self.f) + self.lift**2
            if curve > 2 * float(self.beta @ self.signs):  # f is far too long.
                length = max(0.0, float(self.beta @ self.signs) / curve)
                self.beta, self.f = length * self.beta, length * self.f
        self.precision = images.single
        self.rounds, self.stuck, self.whole = 1, False, False
        self.rng = np.random.default_rng(0)

    @property
    def lift(self) -> float:
        return float(self.beta.sum()) if self.intercept == "lifted" else 0.0

    def values(self) -> tuple[float, float, float]:
        """The best b for f, and the two objectives."""
        problem, square = self.problem, float(self.beta @ self.f)
        b = problem.best_intercept(self.f, self.lift)
        return b, problem.primal(square, self.f, b), problem.dual(square, self.beta * self.signs)

    def improve(self, goal: float, ledger: Ledger) -> None:
        """A step on a block of all examples; or, where few violate, several on those near the
        margin, until their part of the gap is at most `goal`."""
        look = _Look.of(self, None, self.f)
        self.stuck = look.violation == 0  # The rest of the gap is rounding.
        if not self.stuck:
            self._improve(np.arange(self.f.size), self.f, look, goal, ledger)

    def _improve(self, rows, f: np.ndarray, look: _Look, goal: float, ledger: Ledger) -> None:
        inside = int(np.count_nonzero(look.inside))
        size = min(max(MIN_BLOCK_ROWS, self.f.size // BLOCKS_PER_PASS, 2 * inside), self.largest)
        size = rows.size if self.whole else size
        near = np.flatnonzero(look.excess > -FOLLOWED_DISTANCE * look.typical)
        if near.size > rows.size // 2 or rows.size <= size:
            self._step(rows, f, look, self._choose_block(look, size))
            return
        some, scores = rows[near], f[near]
        before = self.beta[some]
        for _ in range(MAX_BLOCKS_PER_LOOK):
            look = _Look.of(self, some, scores)
            done = look.gap <= goal or look.violation == 0 or self.stuck
            if done or ledger.asked() or self.rounds >= ledger.most:
                break
            self._improve(some, scores, look, goal, ledger)
        f[near] = scores
        change = self.beta[some] - before
        moved, rest = np.flatnonzero(change), np.ones(rows.size, bool)
        rest[near] = False
        if moved.size:
            scores = f[rest]
            self.images.add(scores, rows[rest], some[moved], change[moved])
            f[rest] = scores

    def _choose_block(self, look: _Look, size: int) -> np.ndarray:
        """Which of the examples looked at to solve for: those inside their box, others that
        violate, at random if they are many, and with room left the nearest to violating."""
        if look.excess.size <= size:
            return np.arange(look.excess.size)
        inside = np.flatnonzero(look.inside)
        if inside.size > 3 * size // 4:  # Take only the worst violators.
            inside = _greatest(look.excess, inside, 3 * size // 4)
        room = size - inside.size
        outside = ~look.inside
        violating = outside & (look.excess > look.slight)
        risers = np.flatnonzero(violating & (look.slopes > 0))
        fallers = np.flatnonzero(violating & (look.slopes < 0))
        if risers.size + fallers.size > room:
            half = max(room // 2, room - min(risers.size, fallers.size))
            risers, fallers = (
                self.rng.choice(some, half, replace=False) if some.size > half else some
                for some in (risers, fallers)
            )
            others = np.concatenate([risers, fallers])[:size]
        else:
            others = np.concatenate([risers, fallers])
            rest = np.flatnonzero(outside & ~violating)
            extra = min(room - others.size, others.size + inside.size, rest.size)
            others = np.concatenate([others, _greatest(look.excess, rest, extra)])
        return np.unique(np.concatenate([inside, others, look.worst]))

    def _step(self, rows, f: np.ndarray, look: _Look, chosen: np.ndarray) -> None:
        """Solve for the chosen ones of `rows`, whose scores are f; move β and f."""
        at, slopes = rows[chosen], look.slopes[chosen]
        began, beta = time.perf_counter(), self.beta[at]
        gram = self._gram(at, self.precision)
        if time.perf_counter() - began > LONG_BLOCK_SECONDS and self.asked():
            return  # What is left of the step takes longer still.
        accuracy = WHOLE_ACCURACY if self.whole and self.rounds == 1 else BLOCK_ACCURACY
        now = self._solve_block(gram, at, slopes, accuracy * look.violation)
        low, high = self.low[at], self.high[at]
        # A multiplier that is nearly at its bound would seem able to move.
        last = BOX_ROUNDING * (high - low)
        now = np.where(now - low <= last, low, np.where(high - now <= last, high, now))
        self.rounds += 1
        change = now - beta
        moved, step = np.flatnonzero(change), np.zeros(f.size)
        everyone = rows.size == self.f.size
        self.images.add(step, None if everyone else rows, at[moved], change[moved])
        added = float(change.sum()) if self.intercept == "lifted" else 0.0
        slope = float(slopes @ change)
        curve = float(change @ step[chosen]) + added * added
        if not slope > 0:  # The working precision allows no further progress.
            self.stuck = self.precision is np.float64
            self.precision = np.float64
            return
        length = min(1.0, slope / curve) if curve > 0 else 1.0
        some = np.clip(beta + length * change, low, high)
        self.beta[at] = now if length == 1 else some
        f += length * step

    def _solve_block(
        self, gram: np.ndarray, at: np.ndarray, slopes: np.ndarray, eps: float
    ) -> np.ndarray:
        """β of these examples, the others being what they are, until none violates by more than
        eps: by pairs, and where that would take too many steps, by Newton's."""
        return solve_block(
            gram, self.beta[at], self.low[at], self.high[at], slopes, eps,
            free=self.intercept == "free", asked=self.asked,
            precise=lambda: self._gram(at, np.float64),
        )  # fmt: skip

    def _gram(self, at: np.ndarray, dtype) -> np.ndarray:
        if self.whole and dtype == self.images.single:
            return self.images.whole(float(self.intercept == "lifted"))
        gram = self.images.block(at, dtype)
        if self.intercept == "lifted":
            gram += 1
        return gram


def solve_block(
    gram: np.ndarray,
    beta: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    slopes: np.ndarray,
    eps: float,
    *,
    free: bool,
    asked: Asked = go_on,
    precise: Callable[[], np.ndarray],
) -> np.ndarray:
    """The multipliers β with the given slopes, moved until none violates by more than eps: by
    pairs, and where that would take too many steps, by Newton's, on the Gram matrix in float64."""
    before, beta, m = beta, beta.copy(), beta.size
    smo = smo_pairs if free else smo_single
    diagonal, v = np.ascontiguousarray(gram.diagonal()), slopes.astype(gram.dtype)
    left, call = MAX_PAIR_STEPS_PER_ROW * m, MAX_SCANNED_PER_CALL // m
    while left > 0:
        steps = min(left, call)
        made = smo(gram, diagonal, beta, low, high, v, gram.dtype.type(eps), steps)
        if made < steps or asked():
            return beta
        left -= steps
    if m > MAX_NEWTON_ROWS:
        return beta
    gram = gram if gram.dtype == np.float64 else precise()
    slopes = slopes - gram @ (beta - before)
    return solve_box(
        gram, beta, low, high, slopes, free=free, eps=NEWTON_ACCURACY * eps, asked=asked
    )


class _Look(NamedTuple):
    """Some examples and how far each violates optimality."""

    slopes: np.ndarray  # v_t − b
    excess: np.ndarray  # How far β_t can and should move; negative: its distance from moving.
    inside: np.ndarray  # Whether β_t is strictly between its bounds.
    worst: np.ndarray  # The largest that can rise, and the largest that can fall.
    violation: float
    gap: float  # Their share of primal − dual.

    @property
    def slight(self) -> float:
        return NEGLIGIBLE_VIOLATION * self.violation

    @property
    def typical(self) -> float:
        """The mean violation of those that violate."""
        return float(np.mean(self.excess, where=self.excess > self.slight))

    @classmethod
    def of(cls, search: _Search, rows, f: np.ndarray) -> _Look:
        some = slice(None) if rows is None else rows
        beta, signs = search.beta[some], search.signs[some]
        can_rise, can_fall = beta < search.high[some], beta > search.low[some]
        slopes = signs - f
        b = search.lift
        if search.intercept == "free":
            b = _middle_slope(slopes, can_rise, can_fall)
        slopes = slopes - b
        rise = np.where(can_rise, slopes, -np.inf)
        fall = np.where(can_fall, -slopes, -np.inf)
        worst = np.array([np.argmax(rise), np.argmax(fall)])
        excess = np.maximum(rise, fall)
        most = (
            float(rise[worst[0]] + fall[worst[1]])
            if search.intercept == "free"
            else max(float(rise[worst[0]]), float(fall[worst[1]]))
        )
        hinge = signs * slopes  # 1 − y (f + b)
        gap = float(search.costs[some] @ np.maximum(hinge, 0.0) - (beta * signs) @ hinge)
        return cls(slopes, excess, can_rise & can_fall, worst, max(most, 0.0), gap)


def _middle_slope(slopes: np.ndarray, can_rise: np.ndarray, can_fall: np.ndarray) -> float:
    """A b between the slopes of those inside their box, or between those that can rise and those
    that can fall."""
    inside = can_rise & can_fall
    if inside.any():
        return float(np.median(slopes[inside]))
    most = float(np.max(slopes, where=can_rise, initial=-np.inf))
    least = float(np.min(slopes, where=can_fall, initial=np.inf))
    return (most + least) / 2 if np.isfinite(most + least) else 0.0


def _greatest(values: np.ndarray, some: np.ndarray, count: int) -> np.ndarray:
    """Those of `some` that have the greatest values."""
    if count >= some.size:
        return some
    return some[np.argpartition(-values[some], count)[:count]] if count > 0 else some[:0]
