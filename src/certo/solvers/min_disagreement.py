"""The fewest errors of any hyperplane, from above and from below, until they meet or time is up.

From above: weights of a surrogate, then local search, then solutions of the proof's relaxations.
From below: every cell, where the dimension is low enough for the time there is; else the tree of
packings. What is returned as proved is what the certificates can check.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import sparse

from certo.certificates.errors import cells
from certo.certificates.errors.error_count import is_error, weight_of
from certo.certificates.errors.groups import Groups, grouped
from certo.certificates.errors.least_errors import LeastErrors, proved
from certo.certificates.errors.least_errors_by_cells import LeastErrorsByCells
from certo.certificates.errors.least_errors_by_tree import LeastErrorsByTree, Packing, Subsystem
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.exact_rows import integer_rows
from certo.certificates.spaces.vectors import Margins
from certo.solvers.elastic import Elastic
from certo.solvers.hard_margin import hard_margin
from certo.solvers.hitting_tree import HittingTree, goal
from certo.solvers.local_search import local_search, surrogate
from certo.solvers.separation import Examples, Separator, separate

EFFORT = 1e9  # multiplications for a wide margin: about a second
AT_ONCE = 2e6  # numbers to sort that take no time to speak of
SORTED = 5e6  # of them a second, cautiously
STARTS = 30  # of local search
TRIAL = 0.3  # of the time that looking at all cells would take: the tree may be faster
MOST_GROUPS = 4000  # in linear programs; of more, the hardest ones
MOST_NUMBERS = 2**28  # in memory, as a dense matrix
NOTHING_PROVED = ((), (Packing((), ()),), np.array([-1]))  # a tree that proves 0


@dataclass(frozen=True, repr=False)
class BoundTrace:
    """What was known of the fewest errors, and when: those of the best weights, those proved."""

    seconds: np.ndarray
    upper: np.ndarray
    lower: np.ndarray

    def __len__(self) -> int:
        return len(self.seconds)

    def __repr__(self) -> str:
        return f"BoundTrace({len(self)} changes)"


class Outcome(NamedTuple):
    coef: np.ndarray
    intercept: float
    proof: LeastErrors
    trace: BoundTrace
    optimal: bool
    steps: int  # cases that were split, or looks at all cells
    stopped: str  # "", "time" or "asked"


class _Limits:
    """When to stop, and why."""

    def __init__(self, time_limit: float | None, asked: Callable[[], bool]):
        self.began, self.limit, self.asked = time.monotonic(), time_limit, asked
        self.why = ""

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def left(self) -> float:
        return np.inf if self.limit is None else self.limit - self.seconds

    def stop(self) -> bool:
        if not self.why:
            self.why = "asked" if self.asked() else "time" if self.left() <= 0 else ""
        return bool(self.why)


class _Search:
    """The best weights so far, and what is proved."""

    def __init__(self, sample: Sample, weights: np.ndarray, lifted: bool, limits, rng, report):
        self.lifted, self.limits, self.rng, self.report = lifted, limits, rng, report
        self.whole, self.weights = sample, weights
        self.groups: Groups = grouped(sample, weights, lifted)
        rows = self.groups.rows
        X = sample.X[rows]
        X = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
        self.sample = Sample(np.ascontiguousarray(X), sample.signs[rows])
        largest = max(self.groups.weights, default=1)
        self.costs = np.array([weight / largest for weight in self.groups.weights])
        # standard coordinates, for the search: centred (with an intercept) and of size one
        self.centre = X.mean(axis=0) if lifted and rows.size else np.zeros(sample.d)
        spread = np.sqrt(np.mean((X - self.centre) ** 2, axis=0)) if rows.size else self.centre
        self.spread = np.where(spread > 0, spread, 1.0)
        self.features = (X - self.centre) / self.spread
        ones = np.ones((rows.size, int(lifted)))
        self.standard = np.hstack([self.features, ones]) * self.sample.signs[:, None]
        self.coef, self.intercept = np.zeros(sample.d), 0.0
        self.upper, self.lower = self._cost(np.ones(sample.m, dtype=bool)), 0
        self.changes: list[tuple[float, float, float]] = []
        self.note()

    def note(self) -> None:
        """Write down the bounds, if they changed."""
        now = tuple(
            float((bound + self.groups.constant) * self.groups.unit)
            for bound in (self.upper, self.lower)
        )
        if not self.changes or self.changes[-1][1:] != now:
            self.changes.append((self.limits.seconds, *now))
        self.report(*now, self.limits.seconds)

    def raise_lower(self, lower: int) -> None:
        if lower > self.lower:
            self.lower = lower
            self.note()

    def _cost(self, wrong: np.ndarray) -> int:
        """What errors on these examples cost, in units, beyond the constant."""
        return int(weight_of(wrong, self.weights) / self.groups.unit) - self.groups.constant

    def consider(self, coef: np.ndarray, intercept: float, ties: bool = False) -> None:
        """Keep these weights if their errors cost less than those known, counted exactly (`ties`:
        or as much)."""
        if not (np.all(np.isfinite(coef)) and np.isfinite(intercept)):
            return
        margins = Margins.of(self.whole, coef, float(intercept))
        wrong, also = margins.is_error(+1), margins.is_error(-1)
        cost = self._cost(wrong | also)
        if cost < self.upper or (ties and cost == self.upper):
            self.upper, self.coef, self.intercept = cost, coef, float(intercept)
            self.note()
        if np.any(wrong != also):
            self._move_off(margins, wrong != also)

    def _move_off(self, margins: Margins, zero: np.ndarray) -> None:
        """Examples with a score of exactly zero are errors on either side: turn a little, so that
        no other changes sides."""
        turn = self.rng.normal(size=self.coef.size) / self.spread
        move = np.abs(self.whole.X @ turn)
        scores = np.abs(margins.value)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.min(np.where(zero | (move == 0), np.inf, scores / move))
        step = 0.5 * step if np.isfinite(step) else 1.0
        coef = margins.coef + step * turn
        still = Margins.of(self.whole, coef, margins.intercept)
        wrong = still.is_error(+1) | still.is_error(-1)
        if self._cost(wrong) < self.upper:
            self.upper, self.coef, self.intercept = self._cost(wrong), coef, margins.intercept
            self.note()

    def consider_standard(self, w: np.ndarray) -> None:
        coef = w[: self.spread.size] / self.spread
        self.consider(coef, w[-1] - coef @ self.centre if self.lifted else 0.0)

    def from_standard(self, w: np.ndarray, patience: int, stop: Callable[[], bool]) -> None:
        _, w = local_search(self.standard, self.costs, w, self.rng, stop, patience)
        self.consider_standard(w)

    def standard_weights(self) -> np.ndarray:
        w = self.coef * self.spread
        return np.append(w, self.intercept + self.coef @ self.centre) if self.lifted else w

    def right_on(self, groups: np.ndarray, exact: bool = False) -> None:
        """Look near weights that are right on all of these groups, if such are found; `exact`
        spares no effort."""
        signs = self.sample.signs[groups]
        if self.lifted and np.all(signs == signs[:1]):
            return
        before = self.upper
        wide = self._widest(self.features[groups], signs, 0.5)
        if wide.separates:
            w = np.append(wide.w, wide.b) if self.lifted else wide.w
            self.consider_standard(w)
            self.from_standard(w, 5, self.limits.stop)
        if exact and self.upper == before:
            found = separate(Examples(Sample(self.sample.X[groups], signs), self.lifted))
            if isinstance(found, Separator):
                self.consider(found.w[: self.coef.size], found.w[-1] if self.lifted else 0.0)

    def widen(self) -> None:
        """Among the weights that are right on the same examples, those with the largest margin."""
        right = np.flatnonzero(~is_error(self.sample, self.coef, self.intercept))
        signs = self.sample.signs[right]
        if right.size and not (self.lifted and np.all(signs == signs[:1])):
            wide = self._widest(self.sample.X[right], signs, 1e-3)
            if wide.separates:
                self.consider(wide.w, wide.b, ties=True)

    def _widest(self, X: np.ndarray, signs: np.ndarray, tol: float):
        radius = float(np.sqrt(np.max(np.einsum("ij,ij->i", X, X))))
        mode = "free" if self.lifted else "none"
        return hard_margin(X, signs, mode, radius, tol=tol, effort=EFFORT)


def min_disagreement(
    sample: Sample,
    labels: Labels,
    weights: np.ndarray,
    lifted: bool,
    *,
    enough: Fraction | None = None,
    time_limit: float | None = None,
    rng: np.random.Generator,
    asked: Callable[[], bool] = lambda: False,
    report: Callable[[float, float, float], None] = lambda upper, lower, seconds: None,
) -> Outcome:
    """The best weights found and a proof of how much better any could be.

    `weights` are those of the examples (none: all are 1). It is over when the two meet, when the
    errors are known to be at most, or more than `enough`, when the time is up, or when `asked`.
    `report` is told the upper bound, the lower bound and the time, whenever one of them changes.
    """
    limits = _Limits(time_limit, asked)
    if sample.m * (sample.d + lifted) > MOST_NUMBERS:
        return _separated(sample, labels, weights, lifted, limits)
    search = _Search(sample, weights, lifted, limits, rng, report)
    groups = search.groups
    # costs that decide: at most `wanted` is enough, and more than that is all to be proved
    wanted = None if enough is None else enough // groups.unit - groups.constant
    steps, by_cells, hitting = 0, False, None

    def is_over() -> bool:
        decided = wanted is not None and (search.upper <= wanted or search.lower > wanted)
        return decided or search.lower >= goal(search.upper)

    if not is_over():
        _start(search, wanted)
    if not is_over() and not limits.stop():
        size = cells.work(groups.rows.size, int(np.linalg.matrix_rank(search.standard)))
        affordable = size <= min(cells.MAX_SORTED_NUMBERS, SORTED * limits.left())
        if not affordable or size > AT_ONCE:
            hitting = _Tree(search, wanted)
            hitting.run(TRIAL * size / SORTED if affordable else np.inf)
            steps = hitting.tree.nodes
        if affordable and not is_over() and not limits.stop():
            by_cells = _look_at_cells(search, wanted)
            steps += 1
    search.widen()
    at_least = proved(search.lower, groups)
    proof: LeastErrors
    if by_cells:
        proof = LeastErrorsByCells(labels, lifted, sample.m, weights, at_least)
    else:
        log = NOTHING_PROVED if hitting is None else hitting.proof()
        proof = LeastErrorsByTree(labels, lifted, sample.m, weights, at_least, *log)
    trace = BoundTrace(*np.array(search.changes).T)
    optimal = search.lower >= goal(search.upper)
    return Outcome(search.coef, search.intercept, proof, trace, optimal, steps, limits.why)


def _separated(sample: Sample, labels, weights, lifted: bool, limits: _Limits) -> Outcome:
    """No errors, if a hyperplane separates examples that are too many numbers for the search."""
    found = separate(Examples(sample, lifted))
    if not isinstance(found, Separator):
        raise MemoryError(
            f"MinDisagreement found no hyperplane without errors on {sample.m:,} examples with "
            f"{sample.d:,} features, and to search for the fewest errors it would need a dense "
            "matrix of more than 2 GB. Use fewer features or examples."
        )
    proof = LeastErrorsByTree(labels, lifted, sample.m, weights, 0.0, *NOTHING_PROVED)
    trace = BoundTrace(np.array([limits.seconds]), np.zeros(1), np.zeros(1))
    intercept = float(found.w[-1]) if lifted else 0.0
    return Outcome(found.w[: sample.d], intercept, proof, trace, True, 0, "")


def _start(search: _Search, wanted: int | None) -> None:
    """Local search from the weights of surrogates: logistic, then elastic programs."""
    limits = search.limits
    until = limits.seconds + 0.1 * limits.left()

    def stop() -> bool:
        enough = search.upper <= (wanted or 0)
        return enough or limits.stop() or limits.seconds > until

    if search.lifted:  # all on one side
        search.consider(np.zeros_like(search.coef), +1.0)
        search.consider(np.zeros_like(search.coef), -1.0)
    else:
        search.consider(search.rng.normal(size=search.coef.size) / search.spread, 0.0)
    if stop() or not search.costs.size:
        return
    w = surrogate(search.standard, search.costs, stop)
    search.consider_standard(w)
    search.from_standard(w, 20, stop)
    if search.costs.size > MOST_GROUPS or stop():
        return
    elastic = Elastic(search.standard, search.costs)
    for k in range(STARTS):
        if stop():
            return
        found = elastic.search(search.rng, 0.2 if k else 0.0, lambda: until - limits.seconds)
        if found is not None:
            search.consider_standard(found)
            search.from_standard(found, 5, stop)


def _look_at_cells(search: _Search, wanted: int | None) -> bool:
    """Look at every cell; True if time allowed it."""
    limits = search.limits
    rows = range(search.costs.size)
    vectors = cells.coordinates(integer_rows(search.sample, rows, search.lifted))
    known = search.upper if wanted is None else min(search.upper, wanted + 1)
    weights, unit = cells.coarse(search.groups.weights)
    try:
        found = cells.least(vectors, weights, known // unit, lambda part: limits.stop())
    except cells.Stopped:
        return False
    if found.right is not None:
        search.right_on(np.array(found.right, dtype=np.int64), exact=True)
    search.raise_lower(found.value * unit)
    return True


class _Tree:
    """The tree of packings, over all groups or, if they are many, the hardest ones."""

    def __init__(self, search: _Search, wanted: int | None):
        self.search, self.wanted = search, wanted
        margins = np.abs(search.standard @ search.standard_weights())
        some = np.sort(np.argsort(margins, kind="stable")[:MOST_GROUPS])
        self.some = some
        self.tree = HittingTree(
            search.standard[some],
            lambda members: integer_rows(search.sample, some[members].tolist(), search.lifted),
            [search.groups.weights[g] for g in some.tolist()],
            self._upper(),
            self._improve,
            search.limits.left,
            search.rng,
        )

    def _upper(self) -> int:
        """What has to be proved: that nothing is cheaper than the best known, or than wanted."""
        upper = self.search.upper
        return upper if self.wanted is None else min(upper, self.wanted + 1)

    def _improve(self, wrong: np.ndarray) -> int:
        self.search.right_on(np.delete(self.some, wrong))
        return self._upper()

    def run(self, seconds: float) -> None:
        search, limits = self.search, self.search.limits
        until = limits.seconds + seconds

        def stop() -> bool:
            search.raise_lower(self.tree.lower)
            enough = search.upper <= (self.wanted or 0)
            return enough or limits.stop() or limits.seconds > until

        self.tree.run(stop)
        search.raise_lower(self.tree.lower)

    def proof(self) -> tuple[tuple[Subsystem, ...], tuple[Packing, ...], np.ndarray]:
        rows = self.search.groups.rows[self.some]
        used, packings, tree = self.tree.proof(self.search.lower)
        return (
            tuple(
                Subsystem(rows[self.tree.pool[k]], tuple(map(Fraction, self.tree.weights[k] or ())))
                for k in used
            ),
            tuple(
                Packing(tuple(k for k, _ in packing), tuple(v for _, v in packing))
                for packing in packings
            ),
            np.array([rows[node] if node >= 0 else node for node in tree]),
        )
