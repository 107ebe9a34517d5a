"""Linear programs that are changed and solved again, by HiGHS."""

from __future__ import annotations

import threading

import highspy
import numpy as np
from scipy import sparse

from certo.solvers.interrupt import Watch

MAX_UNWATCHED_ENTRIES = 2**13  # Entries of a program that is solved without a thread,
MAX_UNWATCHED_SECONDS = 0.2  # unless it takes longer than that.


class LinearProgram:
    """min costs·x  s.t.  lower ≤ x ≤ upper, and bounds on rows a·x that are added.

    It runs in one thread and prints nothing. Presolving is off, so that the simplex method starts
    from the basis of the last solution, and since it gains nothing on these programs.
    """

    def __init__(self, lower: np.ndarray, upper: np.ndarray, costs: np.ndarray, **options) -> None:
        self.highs, self.size = highspy.Highs(), len(costs)
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
        """x, or None if HiGHS has no answer in about so many seconds."""
        # HiGHS' clock goes on from one run to the next.
        self.highs.setOptionValue("time_limit", self.highs.getRunTime() + max(seconds, 0.01))
        self.highs.run()
        return self._solution()

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
