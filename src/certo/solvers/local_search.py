"""Fewer errors, step by step: a walk over vertices of the arrangement of all examples.

An example z is right where w·z ≥ 1: the examples that can all be right together are the same as for
w·z > 0, and a best w is a vertex, which has dim(w) independent examples with w·z = 1 (its basis).
From a vertex an edge leads along a line for every basis example that is given up. The errors at all
vertices of a line are found by one sort, in rounded arithmetic: what is found is counted exactly
later. The walk goes to the best vertex on a few lines even where that is worse than the last, and
what was given up may not come back for some steps (tabu search, Glover 1986).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg.blas import dger
from scipy.optimize import minimize
from scipy.special import expit

SORTED_PER_STEP = 2**13  # Numbers: how many lines a step looks at depends on the examples.
MAX_COMPARED = 16  # Equally good vertices of which a step takes the one with least shortfall.
MAX_COMPARED_NUMBERS = 2**17  # Numbers that the compared lines may need.
MAX_TABU_STEPS = 8  # Steps for which an example that left the basis may not return.
REFRESH_STEPS = 64  # Steps after which the scores are computed afresh, without rounding errors.
PARALLEL_BELOW = 1e-9  # A rate below which a score is taken to be constant on a line.
MIN_RATE = 1e-5  # A rate below which an example may not enter the basis.
SHORT_BY = 1e-6  # An excess below minus this is an error; what is tight may have drifted.
TIE = 1e-9  # Places on a line, and costs, that are as close as this are taken to be equal.


def surrogate(vectors: np.ndarray, costs: np.ndarray, stop: Callable[[], bool]) -> np.ndarray:
    """The weights of a logistic regression, or as far as it came: a good start."""
    total = costs.sum()

    def risk(w):
        margins = vectors @ w
        value = costs @ np.logaddexp(0.0, -margins) / total + 1e-6 * (w @ w)
        return value, -(vectors.T @ (costs * expit(-margins))) / total + 2e-6 * w

    def look(intermediate_result):
        if stop():
            raise StopIteration

    start = np.zeros(vectors.shape[1])
    found = minimize(
        risk, start, jac=True, method="L-BFGS-B", callback=look, options={"maxiter": 200}
    )
    return found.x


def cost_of(vectors: np.ndarray, costs: np.ndarray, w: np.ndarray) -> float:
    """What the errors of w cost, in rounded arithmetic."""
    return float(costs[~(vectors @ w > 0)].sum())


def local_search(
    vectors: np.ndarray,
    costs: np.ndarray,
    w: np.ndarray,
    rng: np.random.Generator,
    stop: Callable[[], bool],
    patience: int = 200,
) -> tuple[float, np.ndarray]:
    """The best weights found near w, and what their errors cost. After `patience` steps without a
    gain it is over."""
    n, dimension = vectors.shape
    found = w / max(np.linalg.norm(w), 1e-300)
    best = cost_of(vectors, costs, found)
    scores = vectors @ found
    positive = scores[scores > 0]
    unit = max(np.quantile(positive, 0.02), 1e-6 * np.abs(scores).max()) if positive.size else 1.0
    w, excess = found / unit, scores / unit - 1
    # Lines w + t·lines[j], on which scores change at the rates rates[j]. They begin as the axes;
    # from the first pivot of line j on, it leaves all basis examples but the j-th at their score.
    lines, rates = np.eye(dimension), vectors.T.copy()
    basis = np.full(dimension, -1)
    in_basis, return_step = np.zeros(n, dtype=bool), np.zeros(n, dtype=np.int64)
    leave_step = np.zeros(dimension, dtype=np.int64)
    width = min(dimension, max(1, SORTED_PER_STEP // n))
    compared = min(MAX_COMPARED, max(1, MAX_COMPARED_NUMBERS // n))
    least, idle, step = np.inf, 0, 0
    while idle < patience and best > 0 and not stop():
        step, idle = step + 1, idle + 1
        free = np.flatnonzero(leave_step <= step)
        some = rng.permutation(free if free.size else dimension)[:width]
        some_rates = rates[some]
        places, values = _vertices(excess, some_rates, costs)
        values[:, in_basis] = np.inf
        values[np.abs(some_rates) < MIN_RATE] = np.inf
        values[(return_step > step) & (values > best - TIE)] = np.inf
        value = values.min()
        if value == np.inf:
            continue
        ties = np.flatnonzero(values <= value + TIE)
        line, entering = np.divmod(ties[rng.integers(ties.size, size=compared)], n)
        moves = places[line, entering]
        there = excess + moves[:, None] * some_rates[line]
        short = np.maximum(-there, 0.0)
        chosen = np.argmin((short / (short + 1)) @ costs)
        j, i = some[line[chosen]], entering[chosen]
        w, excess = w + moves[chosen] * lines[j], there[chosen]
        if basis[j] >= 0:
            in_basis[basis[j]] = False
            return_step[basis[j]] = step + rng.integers(1, MAX_TABU_STEPS + 1)
        basis[j], in_basis[i] = i, True
        leave_step[j] = step + rng.integers(1, max(3, dimension // 8))
        column = rates[:, i].copy()
        column[j] = 0.0
        for matrix, pivot in ((lines, rates[j, i]), (rates, rates[j, i])):
            matrix[j] /= pivot
            dger(-1.0, matrix[j], column, a=matrix.T, overwrite_a=True)
        if step % REFRESH_STEPS == 0:
            excess = vectors @ w - 1
        if value < least - TIE:
            least, idle = value, 0
        if costs[excess <= -1].sum() < best:
            candidate = w / np.linalg.norm(w)
            value = cost_of(vectors, costs, candidate)
            if value < best:
                best, found, idle = value, candidate, 0
    return best, found


def _vertices(
    excess: np.ndarray, rates: np.ndarray, costs: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For each line and example: the place where the example is tight, and what the errors cost
    there. Scores above 1 by `excess` change at these rates; an example with a positive rate is
    right from its place on, with a negative rate up to it."""
    rising, falling = rates > PARALLEL_BELOW, rates < -PARALLEL_BELOW
    changing = rising | falling
    places = np.full(rates.shape, 1e300)
    np.divide(-excess, rates, out=places, where=changing)
    # Among equal places those of rising examples come first: all that are tight are right there.
    order = np.argsort(places + np.where(rising, -TIE, TIE) * (1 + np.abs(places)), axis=1)
    order += rates.shape[1] * np.arange(len(rates))[:, None]
    changes = falling * costs - rising * costs
    sorted_changes = changes.ravel()[order]
    before_all = (rising | (~changing & (excess < -SHORT_BY))) @ costs
    values = np.empty(rates.shape)
    values.ravel()[order] = np.cumsum(sorted_changes, axis=1) - np.maximum(sorted_changes, 0.0)
    return places, values + before_all[:, None]
