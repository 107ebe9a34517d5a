"""The Perceptron on parts of the examples at once: iterative parameter mixing (McDonald, Hall and
Mann 2010).

Problem     find w with y_t ⟨w, x̃_t⟩ > 0 for all t
Epoch       every one of S parts (shards) of the examples is gone through from the same w, in
            order, by the rule of the Perceptron; then w is the average of the S results
Guarantee   Σ over epochs and shards of updates/S is at most (‖u‖X/γ(u))² for every separator u
            (see `MistakeBound`); where a hyperplane separates all examples, some epoch makes no
            update in any shard
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from certo.certificates.runs.perceptron_run import AT_ZERO, PerceptronRun
from certo.certificates.runs.update_sums import UpdateSums
from certo.compiled.perceptron import Rule, Skips, State, visit_all
from certo.compiled.rows import rows_of
from certo.compiled.trace import MAX_WINDOWS, empty_copies, empty_log
from certo.facts import InputError
from certo.solvers.perceptron import PerceptronOutcome
from certo.solvers.trace import Trace
from certo.stop import Stop, go_on
from certo.words import blocks as sentences


class Standing(NamedTuple):
    """Where a run is, between two looks at examples."""

    w: np.ndarray
    updates: int = 0  # Those made so far,
    looks: int = 0  # and looks at examples.
    weighted: np.ndarray = np.zeros(0)  # What an average needs; see `certo.compiled.perceptron`.


class ShardEpoch(NamedTuple):
    """What an epoch made of a part of the examples."""

    counts: np.ndarray  # Updates on each example of the part,
    totals: np.ndarray  # and their rates added up; (0,) for a constant rate.


def visit(
    X, signs: np.ndarray, run: PerceptronRun, at: Standing
) -> tuple[Standing, ShardEpoch]:  # fmt: skip
    """Look once at each of the rows of X, in their order: the run of all examples in their order is
    made of such visits, one after another, whatever parts the rows come in."""
    m, d = X.shape
    constant = UpdateSums(run.rate).constant
    with np.errstate(over="ignore", under="ignore"):  # Unused rates may overflow.
        ahead = at.updates + np.arange(1, m + 1)
        rates = run.rate(ahead) if constant is None else np.array([constant])
    rule = Rule(run.lift, AT_ZERO[run.update_at_zero], 0.0)
    norm2 = float(np.sum(at.w * at.w))
    state = State(
        w=at.w.copy(), counts=np.zeros(m, np.int32), totals=np.zeros(m if constant is None else 0),
        scalars=np.array([norm2, np.sqrt(norm2)]), weighted=at.weighted.copy(),
        squares=np.full(m, -1.0),
    )  # fmt: skip
    made, _, looks = visit_all(
        rows_of(X), rule, signs, np.arange(0), np.zeros(0), 0, rates, 0, at.looks,
        state, Skips(np.zeros(0), np.zeros(0)), empty_log(m), empty_copies(d),
    )  # fmt: skip
    after = Standing(state.w, at.updates + int(made), int(looks), state.weighted)
    return after, ShardEpoch(state.counts, state.totals)


def average(results: Iterable[np.ndarray]) -> np.ndarray:
    """Their mean: added one after another, in their order, and divided once."""
    total, number = None, 0
    for w in results:
        total = w.copy() if total is None else total + w
        number += 1
    assert total is not None
    return total / number


def shard_ends(m: int, shards: int) -> np.ndarray:
    """Where the parts of m examples end, which differ in length by at most 1."""
    return np.arange(1, shards + 1) * m // shards


def mixed_perceptron(
    X,
    signs: np.ndarray,
    run: PerceptronRun,
    shards: int,
    *,
    start: np.ndarray | None = None,
    after_epoch: Callable[[np.ndarray], Stop | None] = go_on,
) -> PerceptronOutcome:
    """Run on the rows of X (C-ordered array, or CSR), cut into `shards` consecutive parts.

    The other arguments are those of `perceptron`. Of the trace, the updates of every epoch and the
    averages after them are kept.
    """
    m, d = X.shape
    ends = shard_ends(m, shards)
    parts = [(X[a:b], signs[a:b]) for a, b in zip(np.append(0, ends[:-1]), ends, strict=True)]
    w = run.start(d) if start is None else start.copy()
    begin, counts = w.copy(), np.zeros(m, np.int64)
    made: list[int] = []
    averages: deque[np.ndarray] = deque(maxlen=MAX_WINDOWS)
    stop: Stop | None = None
    while len(made) < run.epochs and stop is None:
        results = [visit(*part, run, Standing(w)) for part in parts]
        w = average(reached.w for reached, _ in results)
        if not np.all(np.isfinite(w)):
            raise InputError(sentences.weights_overflowed, len(made) + 1, run.rate)
        updates = np.concatenate([epoch.counts for _, epoch in results])
        counts += updates
        made.append(int(updates.sum()))
        averages.append(w)
        try:
            stop = after_epoch(w)
        except KeyboardInterrupt:
            stop = Stop.BY_HAND
        if made[-1] == 0:
            stop = Stop.CONVERGED
    return PerceptronOutcome(
        w=w,
        start=begin,
        answer=w,
        weighted=np.zeros(0),
        looks=m * len(made),
        updated=np.flatnonzero(counts),
        counts=counts,
        totals=np.zeros(0),
        updates=sum(made),
        epochs=len(made),
        stop=stop or Stop.MAX_ITER,
        trace=Trace.of_epochs(made, list(averages)),
    )
