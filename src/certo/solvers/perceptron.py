"""The Perceptron: the box of the notes, epoch by epoch."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from certo.certificates.exact import gamma
from certo.certificates.perceptron_run import AT_ZERO, PerceptronRun
from certo.certificates.update_sums import UpdateSums
from certo.compiled.perceptron import Rule, State, among_mistakes, in_order
from certo.compiled.rows import rows_of
from certo.compiled.trace import trace_buffers
from certo.solvers.trace import Trace


class PerceptronOutcome(NamedTuple):
    w: np.ndarray  # (d + 1,): the intercept's weight last
    start: np.ndarray  # (d + 1,)
    counts: np.ndarray  # (m,): updates on each example
    totals: np.ndarray  # (m,): their rates added up; (0,) for a constant rate
    updates: int
    epochs: int
    converged: bool  # the last epoch made no update
    interrupted: bool
    trace: Trace


def perceptron(
    X,
    signs: np.ndarray,
    run: PerceptronRun,
    *,
    start: np.ndarray | None = None,
    before: int = 0,
    after_epoch: Callable[[np.ndarray], bool] = lambda w: False,
) -> PerceptronOutcome:
    """Run on the rows of X (C-ordered array, or CSR), signs being int8 in {−1, +1}.

    `start` and `before` continue an earlier run: its weights and how many updates led to them.
    `after_epoch(w)` is told the weights after every epoch and may return True to stop.
    Ctrl-C ends the run after the epoch at hand, with the weights reached.
    """
    m, d = X.shape
    w = run.start(d) if start is None else start.copy()
    begin = w.copy()
    sums = UpdateSums(run.rate, before)
    constant = sums.constant
    rows = rows_of(X)
    rule = Rule(run.lift, AT_ZERO[run.update_at_zero], 8 * gamma(d + 16))
    norm = float(np.linalg.norm(w))
    state = State(
        w=w,
        counts=np.zeros(m, np.int32),
        totals=np.zeros(m if constant is None else 0),
        safe_until=np.zeros(0),
        updates=np.zeros(1, np.int64),
        norm2=np.array([float(w @ w)]),
        path=np.array([norm * (1 + rule.kappa)]),
    )
    trace = trace_buffers(d)
    random, order = run.random_order(), np.zeros(0, np.int64)
    deck, cleared = np.arange(m if run.order == "misclassified" else 0), 0
    per_epoch: list[int] = []
    interrupted = False
    while len(per_epoch) < run.epochs and not interrupted:
        epoch, path = len(per_epoch) + 1, float(state.path[0])
        if constant is not None:
            rates = np.array([constant])
        else:
            rates = run.rate(before + int(state.updates[0]) + np.arange(1, m + 2))
        try:
            if run.order == "misclassified":
                done, cleared = among_mistakes(
                    rows, rule, signs, deck, cleared, random.random(m), rates, epoch, state, trace
                )
            else:
                if run.order == "shuffled":
                    order = random.permutation(m)
                done = in_order(rows, rule, signs, order, rates, epoch, state, trace)
            per_epoch.append(done)
            interrupted = after_epoch(w)
        except KeyboardInterrupt:
            interrupted = True
            if len(per_epoch) < epoch:  # it came before the epoch, or right after it
                per_epoch.append(int(state.updates[0]) - sum(per_epoch))
        if not np.isfinite(state.norm2[0]):
            raise ValueError(
                "the weights overflowed float64 in epoch "
                f"{epoch}: the learning rate {run.rate} is too large for these examples."
            )
        if cleared == m if run.order == "misclassified" else per_epoch[-1] == 0:
            break
        # Examples can be skipped once w moves little in an epoch, compared with its length.
        if not state.safe_until.size and state.path[0] - path <= 4 * np.sqrt(state.norm2[0]):
            state = state._replace(safe_until=np.full(m, -np.inf))
    converged = not interrupted and bool(per_epoch) and (cleared == m or per_epoch[-1] == 0)
    updates = int(state.updates[0])
    return PerceptronOutcome(
        w=w,
        start=begin,
        counts=state.counts,
        totals=state.totals,
        updates=updates,
        epochs=len(per_epoch),
        converged=converged,
        interrupted=interrupted,
        trace=Trace.of(trace, updates, per_epoch),
    )
