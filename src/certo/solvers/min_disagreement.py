"""The fewest errors of any hyperplane, from above and from below, until they meet or time is up.

From above: local search from surrogates, which goes on beside the proof, and solutions of the
proof's relaxations. From below: every cell, where the dimension is low enough for the time there
is; else the tree of packings. What is returned as proved is what the certificates can check.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from certo.certificates.errors import cells
from certo.certificates.errors.error_count import is_error, weight_of
from certo.certificates.errors.least_errors import Groups, LeastErrors, grouped, proved
from certo.certificates.errors.least_errors_by_cells import LeastErrorsByCells
from certo.certificates.errors.least_errors_by_tree import LeastErrorsByTree, Packing
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.exact_rows import integer_rows
from certo.certificates.spaces.vectors import Margins
from certo.solvers.hard_margin import hard_margin
from certo.solvers.hitting_tree import HittingTree, goal
from certo.solvers.interrupt import Stopped, Watch
from certo.solvers.linear_program import Elastic
from certo.solvers.local_search import local_search, surrogate
from certo.solvers.separation import Separator, separate
from certo.solvers.spacing import rounded_columns
from certo.solvers.vectors import Cancelling, Examples
from certo.stop import Asked, Stop, go_on

MAX_MARGIN_PRODUCTS = 1e9  # Multiplications for a wide margin: about a second.
MAX_QUICK_CELL_WORK = 2e6  # Numbers to sort that take milliseconds: no tree is tried before.
SORTED_PER_SECOND = 5e6  # Numbers, by a cautious estimate.
FIRST_STARTS = 60  # Local searches before the proof.
QUICK_STARTS = 3  # As many where looking at all cells takes milliseconds.
# Of so many local searches one starts from the solution of an elastic program, the others near the
# best weights known, which is quicker and leads to no more errors.
STARTS_PER_PROGRAM = 4
PRICE_NOISE = 0.2  # Relative noise on the prices of elastic programs, for various starts.
WEIGHT_NOISE = 0.03  # Noise on the best weights, relative to their spread, for various starts.
PIVOTS_PER_START = 10_000  # Simplex steps of the proof after which local search starts once more.
# The tree may be faster than looking at all cells: it is tried for this share of their time.
TREE_TRIAL_SHARE = 0.3
MAX_PROGRAM_GROUPS = 4000  # Groups in linear programs; of more, the hardest ones.
MAX_DENSE_NUMBERS = 2**28  # Numbers of a dense matrix in memory.
MAX_TRACED_FEATURES = 16  # Of more, the trace does not keep the weights.
TRIVIAL_TREE = ((), (Packing((), ()),), np.array([-1]))  # A tree that proves 0.


@dataclass(frozen=True, repr=False)
class BoundTrace:
    """What was known of the fewest errors, and when: those of the best weights, those proved; and
    these weights, (changes, d + 1) with the intercept last, for up to 16 features."""

    seconds: np.ndarray
    upper: np.ndarray
    lower: np.ndarray
    weights: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

    @classmethod
    def of(cls, changes: list[tuple[float, float, float]], weights: list) -> BoundTrace:
        seconds, upper, lower = np.array(changes).T
        return cls(seconds, upper, lower, np.array(weights))

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
    steps: int  # Cases that were split, or passes over all cells.
    stop: Stop  # CONVERGED: optimal, or decided whether errors are at most `enough`
    rounded: int = 0  # Columns of whole numbers that were scaled and rounded, if it is not optimal.


class TooLarge(Exception):
    """No hyperplane separates the examples, and a search for one needs more memory than allowed."""


class _Search:
    """The best weights so far, and what is proved. Stopped is raised where the watch asks for it
    before the search can begin."""

    def __init__(
        self, sample: Sample, weights: np.ndarray, lifted: bool, wanted: Fraction | None,
        watch: Watch, rng: np.random.Generator, report: Callable[[float, float, float], None],
    ):  # fmt: skip
        self.lifted, self.watch, self.rng, self.report = lifted, watch, rng, report
        self.whole, self.weights = sample, weights
        self.groups: Groups = grouped(sample, weights, lifted)
        rows = self.groups.rows
        X = sample.X[rows]
        watch()  # Of a large table every line below may take long.
        X = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
        self.sample = Sample(np.ascontiguousarray(X), sample.signs[rows])
        largest = max(self.groups.weights, default=1)
        self.costs = np.array([weight / largest for weight in self.groups.weights])
        # The search has standard coordinates: centred (with an intercept) and of size one.
        self.centre = X.mean(axis=0) if lifted and rows.size else np.zeros(sample.d)
        watch()
        self.features = X - self.centre
        watch()
        squares = np.einsum("ij,ij->j", self.features, self.features)
        spread = np.sqrt(squares / max(1, rows.size))
        self.spread = np.where(spread > 0, spread, 1.0)
        watch()
        self.features /= self.spread
        watch()
        self.standard = np.ones((rows.size, sample.d + int(lifted)))
        self.standard[:, : sample.d] = self.features
        watch()
        self.standard *= self.sample.signs[:, None]
        # A cost of at most `wanted` is enough, and more than that is all that has to be proved.
        units = self.groups.unit, self.groups.constant
        self.wanted = None if wanted is None else wanted // units[0] - units[1]
        self.coef, self.intercept = np.zeros(sample.d), 0.0
        self.upper, self.lower = self._cost(np.ones(sample.m, dtype=bool)), 0
        self.changes: list[tuple[float, float, float]] = []
        self.weights_then: list[np.ndarray] = []
        self.starts = 0  # Local searches so far.
        self._note()

    @property
    def optimal(self) -> bool:
        return self.lower >= goal(self.upper)

    @property
    def is_over(self) -> bool:
        wanted = self.wanted
        decided = wanted is not None and (self.upper <= wanted or self.lower > wanted)
        return decided or self.optimal

    @property
    def to_prove(self) -> int:
        """That nothing is cheaper than the best known, or than what is more than wanted."""
        return self.upper if self.wanted is None else min(self.upper, self.wanted + 1)

    def stop(self, until: float = math.inf) -> bool:
        """Whether errors are few enough, or time is up: after `until` seconds at the latest."""
        enough = self.upper <= (self.wanted or 0)
        return enough or self.watch.stop() is not None or self.watch.seconds > until

    def _note(self) -> None:
        """Write down the bounds, if they changed."""
        upper, lower = (
            float((bound + self.groups.constant) * self.groups.unit)
            for bound in (self.upper, self.lower)
        )
        if not self.changes or self.changes[-1][1:] != (upper, lower):
            self.changes.append((self.watch.seconds, upper, lower))
            if self.coef.size <= MAX_TRACED_FEATURES:
                self.weights_then.append(np.append(self.coef, self.intercept))
        self.report(upper, lower, self.watch.seconds)

    def raise_lower(self, lower: int) -> None:
        if lower > self.lower:
            self.lower = lower
            self._note()

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
        self._keep(coef, intercept, wrong | also, ties)
        if np.any(wrong != also):
            coef, intercept = self._off_zero(margins, wrong != also)
            self._keep(coef, intercept, is_error(self.whole, coef, intercept))

    def _keep(self, coef, intercept: float, wrong: np.ndarray, ties: bool = False) -> None:
        cost = self._cost(wrong)
        if cost < self.upper or (ties and cost == self.upper):
            self.upper, self.coef, self.intercept = cost, coef, float(intercept)
            self._note()

    def _off_zero(self, margins: Margins, zero: np.ndarray) -> tuple[np.ndarray, float]:
        """The hyperplane turned a little, and moved if it may have an intercept, so that none but
        examples with a score of exactly zero change sides: these are errors on either side."""
        turn = self.rng.normal(size=self.coef.size) / self.spread
        shift = float(self.rng.normal()) if self.lifted else 0.0
        move = np.abs(self.whole.X @ turn + shift)
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.where(zero | (move == 0), np.inf, np.abs(margins.value) / move)
        step = float(np.min(steps))
        step = 0.5 * step if np.isfinite(step) else 1.0
        return margins.coef + step * turn, margins.intercept + step * shift

    def consider_standard(self, w: np.ndarray) -> None:
        coef = w[: self.spread.size] / self.spread
        self.consider(coef, w[-1] - coef @ self.centre if self.lifted else 0.0)

    def search_from(self, w: np.ndarray, stop: Callable[[], bool]) -> None:
        """Consider these standard weights, and the best that local search finds near them."""
        self.consider_standard(w)
        _, w = local_search(self.standard, self.costs, w, self.rng, stop)
        self.consider_standard(w)

    @cached_property
    def elastic(self) -> Elastic:
        return Elastic(self.standard, self.costs)

    def start_again(self, until: float = math.inf) -> None:
        """Local search from a solution of the elastic program now and then, unless there are too
        many groups for that; else from near the best weights."""
        if self.stop(until):
            return

        def left() -> float:
            return min(until - self.watch.seconds, self.watch.seconds_left)

        noise, self.starts = PRICE_NOISE if self.starts else 0.0, self.starts + 1
        too_many = self.costs.size > MAX_PROGRAM_GROUPS
        if not too_many and self.starts % STARTS_PER_PROGRAM == 1:
            w = self.elastic.search(self.rng, noise, left)
        else:
            best = self.standard_weights()
            w = best + WEIGHT_NOISE * float(np.std(best)) * self.rng.standard_normal(best.size)
        if w is not None:
            self.search_from(w, lambda: self.stop(until))

    def standard_weights(self) -> np.ndarray:
        w = self.coef * self.spread
        return np.append(w, self.intercept + self.coef @ self.centre) if self.lifted else w

    def right_on(self, groups: np.ndarray, exact: bool = False) -> np.ndarray | None:
        """Look near weights that are right on all of these groups, if such are found. `exact`
        spares no effort but time, and returns those that cannot all be right, if there are any."""
        before, signs = self.upper, self.sample.signs[groups]
        if self.lifted and np.all(signs == signs[:1]):
            return None
        wide = self._widest(self.features[groups], signs, 0.5)
        if wide.separates:
            w = np.append(wide.w, wide.b) if self.lifted else wide.w
            self.search_from(w, self.stop)
        if exact and self.upper == before:
            vectors = Examples(Sample(self.sample.X[groups], signs), self.lifted)
            try:
                found = separate(vectors, self.watch)
            except Stopped:
                return None
            if isinstance(found, Separator):
                self.consider(*vectors.split(found.w))
            elif isinstance(found, Cancelling):
                return groups[found.places]
        return None

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
        return hard_margin(X, signs, mode, radius, tol=tol, effort=MAX_MARGIN_PRODUCTS)


def min_disagreement(
    sample: Sample,
    labels: Labels,
    weights: np.ndarray,
    lifted: bool,
    *,
    enough: Fraction | None = None,
    time_limit: float = math.inf,
    rng: np.random.Generator,
    asked: Asked = go_on,
    report: Callable[[float, float, float], None] = go_on,
) -> Outcome:
    """The best weights found and a proof of how much better any could be.

    `weights` are those of the examples (none: all are 1). It is over when the two meet, when the
    errors are known to be at most, or more than `enough`, when the time is up, or when `asked`.
    `report` is told the upper bound, the lower bound and the time, whenever one of them changes.
    Raises TooLarge.
    """
    watch = Watch(asked, time_limit)
    if sample.m * (sample.d + lifted) > MAX_DENSE_NUMBERS:
        return _separated(sample, labels, weights, lifted, watch)
    try:
        search = _Search(sample, weights, lifted, enough, watch, rng, report)
    except Stopped:
        return _one_side(sample, labels, weights, lifted, watch)
    groups = search.groups
    steps, by_cells, log = 0, False, TRIVIAL_TREE
    if not search.is_over:
        _start(search)
    if not search.is_over and not watch.stop():
        work = cells.work(groups.rows.size, int(np.linalg.matrix_rank(search.standard)))
        affordable = work <= min(cells.MAX_SORTED_NUMBERS, SORTED_PER_SECOND * watch.seconds_left)
        if not affordable or work > MAX_QUICK_CELL_WORK:
            allowed = TREE_TRIAL_SHARE * work / SORTED_PER_SECOND if affordable else math.inf
            tree, log = _grow_tree(search, allowed)
            steps = tree.nodes
        if affordable and not search.is_over and not watch.stop():
            by_cells = _look_at_cells(search)
            steps += 1
    search.widen()
    claim = labels, lifted, sample.m, weights, proved(search.lower, groups)
    proof = LeastErrorsByCells(*claim) if by_cells else LeastErrorsByTree(*claim, *log)
    trace = BoundTrace.of(search.changes, search.weights_then)
    stop = Stop.CONVERGED if search.is_over else watch.stop() or Stop.NO_PROGRESS
    rounded = 0 if search.is_over or not lifted else len(rounded_columns(search.sample.X))
    return Outcome(
        search.coef, search.intercept, proof, trace, search.optimal, steps, stop, rounded
    )


def _one_side(sample: Sample, labels, weights, lifted: bool, watch: Watch) -> Outcome:
    """All examples on the better side: what is known where there was no time for a search. Through
    the origin that is no side at all, and every score of 0 is an error."""
    proof = LeastErrorsByTree(labels, lifted, sample.m, weights, 0.0, *TRIVIAL_TREE)
    each = weights if weights.size else np.ones(sample.m)
    below, above = (float(each[sample.signs == side].sum()) for side in (-1, 1))
    errors = min(below, above) if lifted else below + above
    trace = BoundTrace.of([(watch.seconds, errors, 0.0)], [])
    b = (1.0 if above >= below else -1.0) * lifted
    stop = watch.stop() or Stop.TIME_LIMIT
    return Outcome(np.zeros(sample.d), b, proof, trace, False, 0, stop)


def _separated(sample: Sample, labels, weights, lifted: bool, watch: Watch) -> Outcome:
    """No errors, if a hyperplane separates examples that are too many numbers for the search; all
    examples on one side, if that is not decided in time."""
    vectors = Examples(sample, lifted)
    try:
        found = separate(vectors, watch)
    except Stopped:
        return _one_side(sample, labels, weights, lifted, watch)
    if not isinstance(found, Separator):
        raise TooLarge
    proof = LeastErrorsByTree(labels, lifted, sample.m, weights, 0.0, *TRIVIAL_TREE)
    trace = BoundTrace.of([(watch.seconds, 0.0, 0.0)], [])
    return Outcome(*vectors.split(found.w), proof, trace, True, 0, Stop.CONVERGED)


def _start(search: _Search) -> None:
    """Local search from the weights of surrogates, logistic and elastic, and near the best."""
    until = search.watch.seconds + 0.1 * search.watch.seconds_left

    def stop() -> bool:
        return search.stop(until)

    if search.lifted:  # All examples are on one side.
        search.consider(np.zeros_like(search.coef), +1.0)
        search.consider(np.zeros_like(search.coef), -1.0)
    else:
        search.consider(search.rng.normal(size=search.coef.size) / search.spread, 0.0)
    if stop() or not search.costs.size:
        return
    search.search_from(surrogate(search.standard, search.costs, stop), stop)
    quick = cells.work(*search.standard.shape) <= MAX_QUICK_CELL_WORK
    for _ in range(QUICK_STARTS if quick else FIRST_STARTS):
        search.start_again(until)


def _look_at_cells(search: _Search) -> bool:
    """Look at every cell; True if time allowed it."""
    rows = range(search.costs.size)
    vectors = cells.coordinates(integer_rows(search.sample, rows, search.lifted))
    weights, unit = cells.coarse(search.groups.weights)
    try:
        found = cells.least(
            vectors, weights, search.to_prove // unit, lambda part: search.watch.stop() is not None
        )
    except cells.Stopped:
        return False
    if found.right is not None:
        search.right_on(np.array(found.right, dtype=np.int64), exact=True)
    search.raise_lower(found.value * unit)
    return True


def _grow_tree(search: _Search, seconds: float) -> tuple[HittingTree, tuple]:
    """The tree of packings, grown for so long at most, and its log as a proof: over all groups
    or, if they are many, the hardest ones."""
    margins = np.abs(search.standard @ search.standard_weights())
    some = np.sort(np.argsort(margins, kind="stable")[:MAX_PROGRAM_GROUPS])

    def improve(wrong: np.ndarray) -> tuple[int, np.ndarray | None]:
        cost = sum(search.groups.weights[g] for g in some[wrong].tolist())
        missed = search.right_on(np.delete(some, wrong), exact=cost < search.to_prove)
        return search.to_prove, None if missed is None else np.searchsorted(some, np.sort(missed))

    tree = HittingTree(
        search.standard[some],
        lambda members: integer_rows(search.sample, some[members].tolist(), search.lifted),
        [search.groups.weights[g] for g in some.tolist()],
        search.to_prove,
        improve,
        lambda: search.watch.seconds_left,
        search.rng,
    )
    until, starts = search.watch.seconds + seconds, 0

    def stop() -> bool:
        nonlocal starts
        search.raise_lower(tree.lower)
        if tree.pivots >= PIVOTS_PER_START * (starts + 1):
            starts += 1
            search.start_again(until)
            tree.upper = min(tree.upper, search.to_prove)
        return search.stop(until)

    tree.run(stop)
    search.raise_lower(tree.lower)
    return tree, tree.proof(search.lower, search.groups.rows[some])
