r"""Soft margin for many features: coordinate descent on the dual, and conjugate gradients.

Descent     the step of `certo.compiled.dual_descent` for each example in random order: quick to
            find which multipliers are 0, which are c_t, and which lie between (are *free*)
Gradients   on the free multipliers alone the problem is a system of linear equations, K_FF p = r:
            conjugate gradients, until a step gains much less than the best one did; then
            α_F ← clip(α_F + t p) for the first t = 1, ½, ¼ … that gains (Moré & Toraldo 1991).
            Where t is small, the gradients stop at each bound they meet the next time, and go on
            without that multiplier (Polyak 1969)
Fewer rows  after a look at all examples, those at 0 or c_t whose margin is further on the right
            side than any other is on the wrong one are left out until the next look
Intercept   a free one is the multiplier b of Σ α y = 0: β ← b at every look (the method of
            multipliers), κ being less than most ‖x‖², so that Σ α y = 0 does not hold back w; but
            no less than MIN_INTERCEPT_MOVE/Σ c, or b would hardly move where errors are cheap.
            Conjugate gradients keep the sum: what cutting adds to it is taken away again
"""

from __future__ import annotations

import numpy as np

from certo.compiled.dual_descent import combine_at, descend, products_at, shuffle
from certo.compiled.threads import in_pieces, pieces
from certo.problems.free_intercept import rebalanced
from certo.problems.soft_margin import SoftMargin
from certo.solvers.gap_ledger import Ledger
from certo.solvers.hinge_rows import HingeRows

EPOCHS_PER_LOOK = 5  # Epochs of descent between two looks.
SLOW_SHARE = 0.7  # Descent is slow if it leaves more than this share of the gap.
HOPELESS_GAP, HOPELESS_LOOKS = 0.1, 3  # With such a relative gap after so many looks, descent is
HOPELESS_FACTOR = 4  # It is given up if it would take so many times the patience left.
LATE_LOOKS, LATE_WITHIN_GOALS = 5, 100  # Near the goal, so many looks are judged together.
SET_ASIDE_SHARE = 0.1  # Share of the worst violation, as distance from the margin, to be set aside.
EPOCHS_AFTER_FREE_STEP, EPOCHS_AFTER_CUT_STEP = 3, 10  # After gradients that met no bound, or did.
FIRST_CG_STEPS, MAX_CG_STEPS = 5, 50  # Steps of conjugate gradients, doubled in between.
INTERCEPT_SHARE = 0.1  # The price κ of an intercept, as a share of the median of ‖x‖².
MIN_INTERCEPT_MOVE = 10  # How far b moves, at least, in a look that finds Σ α y = Σ c.
FLAT_CURVATURE = 1e-10  # Curvature, relative to that without cancelling, that counts as none.
CAREFUL_STEP = 1e-3  # After a shorter step conjugate gradients stop at bounds.
TINY_SUM = 1e-300  # More than 0, so that a sum over no example may divide.
LAST_GAIN_SHARE = 0.01  # A step that gains less than this share of the best one is the last.


class DualDescent:
    """The state: α, w (its last entry is b), and the best pair so far (`best_w`, `best`)."""

    def __init__(self, rows: HingeRows, intercept: str, rng: np.random.Generator):
        self.rows, self.free = rows, intercept == "free"
        self._random = np.uint64(rng.integers(2**63))  # The state of the generator of orders.
        self.problem = SoftMargin(rows.signs, rows.costs, intercept)
        squares = rows.lengths**2
        price = max(INTERCEPT_SHARE * float(np.median(squares)), MIN_INTERCEPT_MOVE / rows.total)
        self.kappa = {"none": 0.0, "lifted": 1.0, "free": price}[intercept]
        self.squares = squares + self.kappa
        self.alpha, self.w = np.zeros(rows.m), np.zeros(rows.X.shape[1] + 1)
        self.best, self.best_w = self.alpha.copy(), self.w.copy()
        self.careful = False  # Whether conjugate gradients stop at bounds.

    def continue_from(self, alpha: np.ndarray, w: np.ndarray, b: float) -> None:
        """From the solution of a problem much like this one."""
        self.alpha, self.w = alpha.copy(), np.append(w, b)

    @property
    def best_pair(self) -> tuple[np.ndarray, float]:
        return self.best_w[:-1], float(self.best_w[-1])

    def run(self, ledger: Ledger, patience: float = np.inf) -> None:
        """Until the gap is `ledger.goal`, or the ledger says that it is over, or the work of
        `patience` passes over all examples is done or, as it seems, will not be enough by far."""
        m = self.rows.m
        if ledger.looks:  # Many small updates have accumulated rounding errors.
            used = np.flatnonzero(self.alpha)
            v = self._combined(used, self.alpha[used], self.kappa)
            self.w = np.append(v[:-1], self.w[-1] if self.free else v[-1])
        active, every = np.arange(m), np.arange(m)
        r = np.empty(m)
        epochs, rounds, slow, gaps, spent = EPOCHS_PER_LOOK, 0, False, [np.inf], 0.0
        while True:
            epochs = max(0, min(epochs, int(min(ledger.most, 2**31)) - ledger.passes - 1))
            for _ in range(epochs):
                self._descend(active)
            passes, work = epochs + 1, 1 + epochs * active.size / m
            if slow:
                steps = min(FIRST_CG_STEPS * 2**rounds, MAX_CG_STEPS)
                inside = np.count_nonzero((self.alpha > 0) & (self.alpha < self.rows.costs))
                work += 2 * steps * inside / m
                epochs = self._conjugate_gradients(epochs, steps)
                rounds += 1
            np.subtract(1.0, self._products(every, self.w, r), out=r)
            self._note(ledger, r, passes)
            if ledger.over:
                return
            active = self._active(r)
            gap = ledger.primal - ledger.dual
            gaps.append(gap)
            back = LATE_LOOKS if gap <= LATE_WITHIN_GOALS * ledger.goal * ledger.primal else 1
            slow = slow or (len(gaps) > back and gap > SLOW_SHARE * gaps[-1 - back])
            spent += work
            far = gap > HOPELESS_GAP * ledger.primal and len(gaps) > HOPELESS_LOOKS
            looks = (
                np.log(gap / (ledger.goal * ledger.primal)) / np.log(max(gaps[-2] / gap, 1 + 1e-9))
                if far
                else 0
            )
            if spent >= patience or looks * work > HOPELESS_FACTOR * patience:
                return

    def _descend(self, active: np.ndarray) -> None:
        """One step for each of these examples, in random order."""
        rows = self.rows
        self._random = np.uint64(shuffle(active, self._random))
        descend(
            rows.rows, rows.signs, rows.costs, self.squares, self.kappa, active, self.alpha, self.w
        )

    def _products(self, chosen: np.ndarray, w: np.ndarray, out: np.ndarray) -> np.ndarray:
        rows = self.rows
        in_pieces(
            pieces(chosen.size, rows.work * chosen.size / rows.m),
            lambda k, start, stop: products_at(rows.rows, rows.signs, chosen, w, start, stop, out),
        )
        return out

    def _combined(self, chosen: np.ndarray, weights: np.ndarray, kappa: float) -> np.ndarray:
        """Σ weights·y (x, κ)."""
        rows = self.rows
        parts = pieces(chosen.size, rows.work * chosen.size / rows.m - 4 * self.w.size)
        v = np.zeros((len(parts), self.w.size))
        in_pieces(
            parts,
            lambda k, start, stop: combine_at(
                rows.rows, rows.signs, chosen, weights, kappa, start, stop, v[k]
            ),
        )
        return v[0] if len(parts) == 1 else v.sum(axis=0)

    def _product(self, u: np.ndarray, v: np.ndarray) -> float:
        """The inner product of what two vectors of multipliers make: the last entry counts 1/κ, and
        not at all where it is the price of a condition."""
        last = 0.0 if self.free or not self.kappa else float(u[-1] * v[-1]) / self.kappa
        return float(u[:-1] @ v[:-1]) + last

    def _conjugate_gradients(self, epochs: int, steps: int) -> int:
        """A step for the free multipliers; with a free intercept within Σ α y = 0, whose multiplier
        says what b should be."""
        alpha, costs, kappa = self.alpha, self.rows.costs, 0.0 if self.free else self.kappa
        inside = np.flatnonzero((alpha > 0) & (alpha < costs))
        if not inside.size:
            return epochs
        now, room = alpha[inside], costs[inside]
        y, diagonal = self.rows.signs[inside].astype(np.float64), self.squares[inside]
        r = 1.0 - self._products(inside, self.w, np.empty(inside.size))
        p, image, price, even = np.zeros(inside.size), np.empty(inside.size), 0.0, y / diagonal
        if self.free:
            p = -float(alpha @ self.rows.signs) / float(y @ even) * even
            r -= self._products(inside, self._combined(inside, p, kappa), image)
        size, q, best, cuts = 1.0, np.zeros(inside.size), 0.0, 0
        cut, face = True, np.ones(inside.size)  # The face has 0 where a bound has been met.
        for _ in range(steps):
            direction = face * r / diagonal
            if self.free:
                price = float(y @ direction) / max(float(y @ (face * even)), TINY_SUM)
                direction -= price * face * even
            size, before = float(r @ direction), size
            q = direction + (0.0 if cut else size / before) * q
            v = self._combined(inside, q, kappa)
            curve = self._product(v, v)
            if not size > 0:
                break
            flat = curve <= FLAT_CURVATURE * float(q @ (diagonal * q))
            limits, cut = np.empty(0), False
            if self.careful:
                distance = np.where(q > 0, room - now - p, now + p)
                limits = np.divide(distance, np.abs(q), out=np.full(q.size, np.inf), where=q != 0)
                cut = flat or size > float(limits.min()) * curve
            if flat and not cut:  # The step goes straight on until bounds are met.
                p += float(room.max()) / float(np.abs(q).max()) * q
                break
            length = max(float(limits.min()), 0.0) if cut else size / curve
            p += length * q
            r -= length * self._products(inside, v, image)
            if cut:
                face[limits <= length], cuts = 0.0, cuts + 1
                continue
            gain = 0.5 * length * size
            best = max(best, gain)
            if gain <= LAST_GAIN_SHARE * best:
                break
        step = 1.0
        while step > 1e-6:
            trial = alpha.copy()
            trial[inside] = np.clip(now + step * p, 0.0, room)
            if self.free:
                trial = rebalanced(trial, self.rows.signs, costs)
            moved = np.flatnonzero(trial != alpha)
            change = trial[moved] - alpha[moved]
            v = self._combined(moved, change, kappa)
            fall = self._product(self.w, v) + 0.5 * self._product(v, v) - float(change.sum())
            if self.free:
                fall += (float(self.w[-1]) + price) * float(change @ self.rows.signs[moved])
            if fall < 0:
                alpha[:] = trial
                self.w += v
                self.w[-1] += step * price
                break
            step /= 2
        self.careful = 4 * cuts <= steps if self.careful else step < CAREFUL_STEP
        return EPOCHS_AFTER_FREE_STEP if step == 1 else EPOCHS_AFTER_CUT_STEP

    def _note(self, ledger: Ledger, r: np.ndarray, passes: int) -> None:
        """The two values; and for a free intercept, a new β."""
        alpha, signs, problem = self.alpha, self.rows.signs, self.problem
        w, v, b = self.w[:-1], self.w[:-1], float(self.w[-1])
        scores = signs * (1.0 - r) - b
        if self.free:
            alpha = rebalanced(alpha, signs, self.rows.costs)
            moved = np.flatnonzero(alpha != self.alpha)
            v = w + self._combined(moved, alpha[moved] - self.alpha[moved], 0.0)[:-1]
            self.w[-1] += self.kappa * float(self.alpha @ signs)
        b = problem.best_intercept(scores, b)
        primal, dual = problem.primal(float(w @ w), scores, b), problem.dual(float(v @ v), alpha)
        better_w, better = ledger.note(primal, dual, passes)
        if better_w:
            self.best_w = np.append(w, b)
        if better:
            self.best = alpha.copy()

    def _active(self, r: np.ndarray) -> np.ndarray:
        alpha, costs = self.alpha, self.rows.costs
        at_zero, at_cost = alpha <= 0, alpha >= costs
        wrong = np.where(at_zero, r, np.where(at_cost, -r, np.abs(r)))  # KKT violations.
        worst = max(float(wrong.max(initial=0.0)), 0.0)
        return np.flatnonzero(wrong >= -SET_ASIDE_SHARE * worst)
