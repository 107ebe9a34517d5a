r"""A run of the kernel perceptron as a value, and its re-run on a few examples, for the auditor.

A machine sums kernel values in an order of its own, so that a decision which rounding could turn
would prove nothing. Every score of the re-run has an allowance, and every decision must be certain
beyond it: then the run in real numbers decides alike, and the functions are determined by the
examples, whatever rounding did. Example t has after n updates

    |f̂(x_t) − f(x_t)|  ≤  γ_{n+1} Σ|k̂(x_i, x_t)| + ε s_t Σ s_i + nδ + n·2⁻¹⁰⁷⁰ ,

sums being over updates (see `spaces.images`); and nothing is off where all k̂ are exact whole
numbers, summed below 2⁵². The kernel need not be positive semi-definite for any of this.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from certo.certificates.base import require
from certo.certificates.fields import check_choice
from certo.certificates.runs.perceptron_run import AT_ZERO
from certo.certificates.spaces.images import lengths_of, rounding_of
from certo.kernels.base import Kernel
from certo.numbers import exact

MAX_RERUN_PRODUCTS = 10**10  # Updates times examples, which takes about a minute.
MAX_RERUN_STEPS = 3 * 10**5  # Updates and epochs, which take some seconds.
MAX_EXACT_SUM = 2.0**52  # Sums of integers below it are exact.


@dataclass(frozen=True)
class KernelRun:
    """All that decides a run of the kernel perceptron besides the examples; `lifted`: the kernel
    plus 1. The order of output k is drawn by NumPy's `default_rng([seed, k])`."""

    epochs: int
    order: str = "cyclic"
    lifted: bool = False
    update_at_zero: str = "negative"
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice(self.order, "order", ("cyclic", "shuffled"))
        check_choice(self.update_at_zero, "update_at_zero", AT_ZERO)
        if self.epochs < 0 or self.seed < 0:
            raise ValueError("epochs and seed must not be negative.")


@dataclass(frozen=True)
class Gram:
    """The kernel's values at some of the examples, and how far sums of them may be off."""

    kernel: Kernel
    X: Any
    rows: np.ndarray
    lift: float

    @cached_property
    def values(self) -> np.ndarray:
        points, centres = self._sides
        return self.kernel.plain(points, centres) + self.lift

    @property
    def _sides(self) -> tuple[Any, Any]:
        return self.kernel.points(self.X, self.rows), self.kernel.take(self.X, self.rows)

    @cached_property
    def _off(self) -> tuple[float, float, float]:
        """ε, δ, η."""
        sides = self._sides
        return *rounding_of(self.kernel, *sides), self.kernel.closeness(*sides)

    @cached_property
    def lengths(self) -> np.ndarray:
        epsilon, delta, _ = self._off
        if not epsilon:
            return np.zeros(self.rows.size)
        return lengths_of(self.kernel, self._sides[1], delta)

    @cached_property
    def _whole(self) -> bool:
        """Whether all values are integers, and exact."""
        epsilon, delta, _ = self._off
        return epsilon == delta == 0 and bool(np.all(self.values == np.rint(self.values)))

    @np.errstate(over="ignore", invalid="ignore")
    def slack(self, updates: int, size: np.ndarray, pull: float, t: np.ndarray) -> np.ndarray:
        """How far the scores of examples t may be off after so many updates, where `size` are sums
        of |k̂| over these, and `pull` is that of the lengths."""
        epsilon, delta, eta = self._off
        if not updates:
            return np.zeros(t.size)
        slack = exact.allowance(updates + 1, size[t]) + updates * (1.01 * delta + 16 * exact.TINY)
        if epsilon:
            slack += 1.02 * np.fmin(epsilon * self.lengths[t] * pull, eta * size[t])
        return np.where(size[t] < MAX_EXACT_SUM, 0.0, slack) if self._whole else slack


@np.errstate(over="ignore", invalid="ignore")
def rerun(gram: Gram, run: KernelRun, signs: np.ndarray, output: int) -> np.ndarray:
    """The signed numbers of mistakes on the rows of `gram` in a run on these alone, in the order of
    the whole run; Refuted, if a decision is not certain."""
    rows = gram.rows
    y, edge = signs[rows].astype(np.float64), (AT_ZERO[run.update_at_zero] * signs >= 0)[rows]
    made, value, size = np.zeros(rows.size), np.zeros(rows.size), np.zeros(rows.size)
    updates, pull = 0, 0.0
    random = np.random.default_rng([run.seed, output])
    place = np.full(signs.size, -1)
    place[rows] = np.arange(rows.size)
    for epoch in range(run.epochs):
        cost = updates * rows.size + epoch * (signs.size if run.order == "shuffled" else rows.size)
        short = cost <= MAX_RERUN_PRODUCTS and epoch + updates <= MAX_RERUN_STEPS
        require(short, "the run is longer than a checker is asked to repeat.")
        visits, before = place[rows], updates
        if run.order == "shuffled":
            visits = place[random.permutation(np.arange(signs.size))]
            visits = visits[visits >= 0]
        while visits.size:
            margin, slack = y[visits] * value[visits], gram.slack(updates, size, pull, visits)
            level = (margin == 0) & (slack == 0)
            going = np.where(level, ~edge[visits], margin > slack)
            if np.all(going):
                break
            first = int(np.argmin(going))
            t = int(visits[first])
            require(
                level[first] or margin[first] < -slack[first],
                f"example {rows[t]} is too close to a score of 0 in the run to be decided.",
                rows[t],
            )
            updates += 1
            pull += float(gram.lengths[t])
            made[t] += y[t]
            value += y[t] * gram.values[:, t]
            size += np.abs(gram.values[:, t])
            visits = visits[first + 1 :]
        if updates == before:
            break
    return made
