"""Linear programs that are changed and solved again, by HiGHS."""

from __future__ import annotations

import threading
from collections.abc import Callable

import highspy
import numpy as np
from scipy import sparse

from certo.solvers.interrupt import Watch

PRICE_ROUNDS = 8
# HiGHS ends later than its caller's clock by this, so that who asks why it ended sees the time up.
SECONDS_LATER = 0.01
MAX_UNWATCHED_ENTRIES = 2**13  # Entries of a program that is solved without a thread.
MAX_UNWATCHED_SECONDS = 0.2  # One that takes longer is watched.
ANSWERS = (
    highspy.HighsModelStatus.kOptimal,
    highspy.HighsModelStatus.kInfeasible,
    highspy.HighsModelStatus.kTimeLimit,
)


class LinearProgram:
    """min costs·x  s.t.  lower ≤ x ≤ upper, and bounds on rows a·x that are added.

    It runs in one thread and prints nothing. Presolving is off, so that the simplex method starts
    from the basis of the last solution, and since it gains nothing on these programs. `pivots` are
    the steps of the simplex method in `solve` so far, a measure of work that no clock disturbs.
    """

    def __init__(self, lower: np.ndarray, upper: np.ndarray, costs: np.ndarray, **options) -> None:
        self.highs, self.size, self.pivots = highspy.Highs(), len(costs), 0
        options = {"output_flag": False, "threads": 1, "presolve": "off", **options}
        for name, value in options.items():
            self.highs.setOptionValue(name, value)
        self._columns = np.arange(self.size, dtype=np.int32)
        self._interrupted, self.entries = threading.Event(), 0
        self.highs.addVars(self.size, lower, upper)
        self.set_costs(costs)

    def set_costs(self, costs: np.ndarray) -> None:
        self.highs.changeColsCost(self.size, self._columns, costs)

    def set_bounds(self, lower: np.ndarray, upper: np.ndarray) -> None:
        self.highs.changeColsBounds(self.size, self._columns, lower, upper)

    def add_rows(self, rows: sparse.csr_array, lower: float, upper: float) -> None:
        """Require lower ≤ a·x ≤ upper for each of these rows a."""
        n = rows.shape[0]
        starts, columns = rows.indptr[:-1].astype(np.int32), rows.indices.astype(np.int32)
        bounds = np.full(n, lower), np.full(n, upper)
        self.entries += rows.nnz
        self.highs.addRows(n, *bounds, rows.nnz, starts, columns, rows.data)

    @property
    def value(self) -> float:
        return self.highs.getInfo().objective_function_value

    @property
    def duals(self) -> np.ndarray:
        """The multipliers of the rows."""
        return np.array(self.highs.getSolution().row_dual)

    def solve(self, seconds: float) -> np.ndarray | None:
        """x, or None if HiGHS has no answer in about so many seconds. Where it fails on the basis
        of the last solution, it begins anew."""
        # HiGHS' clock goes on from one run to the next.
        limit = self.highs.getRunTime() + max(seconds, 0.0) + SECONDS_LATER
        self.highs.setOptionValue("time_limit", limit)
        self.highs.run()
        self.pivots += self.highs.getInfo().simplex_iteration_count
        if self.highs.getModelStatus() not in ANSWERS:
            self.highs.clearSolver()
            self.highs.run()
            self.pivots += self.highs.getInfo().simplex_iteration_count
        return self._solution()

    @property
    def is_infeasible(self) -> bool:
        return self.highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible

    def solve_watched(self, watch: Watch) -> np.ndarray | None:
        """x, or None if HiGHS has no answer; or Stopped is raised. HiGHS runs in a thread, so that
        Ctrl-C arrives here in the meantime, and stops it; unless it takes milliseconds."""
        if self.entries <= MAX_UNWATCHED_ENTRIES:
            found = self.solve(min(watch.seconds_left, MAX_UNWATCHED_SECONDS))
            watch()
            if found is not None:
                return found
        done = threading.Event()  # join() of an interrupted thread takes it to have ended.

        def run() -> None:
            try:
                self.highs.run()
                self.highs.resetGlobalScheduler(False)  # The workers HiGHS keeps for this thread.
            finally:
                done.set()

        def interrupt(event) -> None:
            if self._interrupted.is_set():
                event.interrupt()

        self.highs.setOptionValue("time_limit", highspy.kHighsInf)
        self.highs.cbSimplexInterrupt.subscribe(interrupt)
        threading.Thread(target=run, daemon=True).start()
        try:
            while not done.wait(min(0.1, watch.seconds_left + 1e-3)):
                watch()
        finally:
            self._interrupted.set()
            done.wait()
            self._interrupted.clear()
            self.highs.cbSimplexInterrupt.unsubscribe(interrupt)
        return self._solution()

    def _solution(self) -> np.ndarray | None:
        if self.highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        return np.array(self.highs.getSolution().col_value)


class Elastic:
    """Weights w with few errors on vectors z that cost c: a vector may fall short of a margin, at a
    price.

    The program min Σ p_t s_t, w·z_t + s_t ≥ 1, s ≥ 0 counts nothing, but where the price of being
    short falls with how short one was before, p_t = c_t/(s_t + ε), it soon gives up a few examples
    altogether and has all others right (Candès, Wakin and Boyd, 2008). Simplex bases are kept
    between prices.
    """

    def __init__(self, vectors: np.ndarray, costs: np.ndarray):
        n, self.dimension = vectors.shape
        self.costs, self._free = costs / costs.mean(), np.zeros(self.dimension)
        lower = np.append(self._free - np.inf, np.zeros(n))
        prices = np.append(self._free, self.costs)
        upper = np.full(lower.size, np.inf)
        # The primal simplex method is strategy 4: only the prices change.
        self._program = LinearProgram(lower, upper, prices, simplex_strategy=4)
        rows = sparse.hstack([sparse.csr_array(vectors), sparse.eye_array(n)], format="csr")
        self._program.add_rows(rows, 1.0, np.inf)

    def search(
        self, rng: np.random.Generator, noise: float, left: Callable[[], float]
    ) -> np.ndarray | None:
        """Weights with few errors, others for every draw of the noise on the prices; None if the
        solver fails in the seconds left."""
        n = self.costs.size
        prices = self.costs * np.exp(3 * noise * rng.normal(size=n))
        w = self._free
        for k in range(PRICE_ROUNDS):
            self._program.set_costs(np.append(self._free, prices))
            values = self._program.solve(left())
            if values is None:
                return None
            w, short = np.split(values, [self.dimension])
            prices = self.costs / (short + 0.3 * 0.6**k) * np.exp(noise * rng.normal(size=n))
        return w


class Subsystems:
    """Few vectors z that no w has all on its positive side, cheapest first; `left()` are the
    seconds that may be spent.

    The weights a ≥ 0 with Σ a_g z_g = 0 and Σ a_g = 1 form a polytope, and the vectors at a vertex
    of it are a minimal infeasible subsystem (Gleeson and Ryan). HiGHS walks to the vertex that is
    cheapest for given costs; exact arithmetic then finds the weights as integers.
    """

    def __init__(self, vectors: np.ndarray, left: Callable[[], float]):
        self.left, self._zeros = left, np.zeros(len(vectors))
        # Rows and columns are scaled to size 1: the supports stay the same.
        scaled = vectors / np.maximum(np.abs(vectors).max(axis=0), 1e-300)
        scaled = scaled / np.maximum(np.abs(scaled).max(axis=1, keepdims=True), 1e-300)
        # simplex_strategy 4 is the primal simplex method: costs change, and a vertex stays one.
        free = self._zeros + np.inf
        self.program = LinearProgram(self._zeros, free, self._zeros, simplex_strategy=4)
        self.program.add_rows(sparse.csr_array(scaled.T), 0.0, 0.0)
        self.program.add_rows(sparse.csr_array(np.ones((1, len(vectors)))), 1.0, 1.0)

    def leave_out(self, groups) -> None:
        """Only subsystems without these."""
        upper = self._zeros + np.inf
        upper[groups] = 0.0
        self.program.set_bounds(self._zeros, upper)

    def cheapest(self, costs: np.ndarray) -> np.ndarray | None:
        """A subsystem of about the least cost; None if all vectors left can be right, as far as
        floats can tell; an empty one if HiGHS has no answer."""
        self.program.set_costs(costs)
        weights = self.program.solve(self.left())
        if weights is None and self.program.is_infeasible:
            return None
        return np.flatnonzero(self._zeros if weights is None else weights > 1e-11)
