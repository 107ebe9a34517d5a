"""The kernel perceptron (Aizerman et al. 1964), block by block."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from certo.certificates.runs.perceptron_run import AT_ZERO
from certo.compiled.kernel_steps import Edges, Supports, visit_within
from certo.compiled.trace import Copies, Log, empty_records, keep
from certo.facts import InputError
from certo.solvers.kernel_steps import BLOCK_VISITS, MAX_PIECE_NUMBERS, GramRows, Growing, blocks
from certo.solvers.trace import Trace
from certo.stop import Asked, Stop, go_on
from certo.words import refusals


class Terms(NamedTuple):
    """f = Σ coef_s K̃(x_s, ·) over all examples at hand."""

    coef: np.ndarray  # (m,): the sum of the signs of updates.
    updated: np.ndarray  # (m,) int64: the update that touched it last, from 1; 0: no term
    updates: int
    norm2: float  # ‖f‖²

    @classmethod
    def none(cls, m: int) -> Terms:
        return cls(np.zeros(m), np.zeros(m, np.int64), 0, 0.0)


class KernelPerceptronOutcome(NamedTuple):
    terms: Terms
    updates: int  # Updates of this run.
    epochs: int
    stop: Stop
    trace: Trace

    @property
    def converged(self) -> bool:
        """Whether the last epoch made no update."""
        return self.stop is Stop.CONVERGED


def kernel_perceptron(
    rows: GramRows,
    signs: np.ndarray,
    *,
    epochs: int = 1,
    visits: np.ndarray | None = None,
    random: np.random.Generator | None = None,
    lifted: bool = False,
    update_at_zero: str = "negative",
    budget: int | None = None,
    start: Terms | None = None,
    after_block: Asked = go_on,
    after_epoch: Asked = go_on,
) -> KernelPerceptronOutcome:
    """Run on the examples of `rows`, signs being int8 in {−1, +1}.

    Every epoch visits the examples `visits` (None: all), in that order, or in one that `random`
    permutes anew. `start` continues an earlier run. With a `budget`, the term updated least
    recently leaves where there would be more. `after_block` and `after_epoch` may say why to
    stop.
    """
    visits = np.arange(rows.m) if visits is None else visits
    start = Terms.none(rows.m) if start is None else start
    edge, lift = AT_ZERO[update_at_zero] * signs >= 0, float(lifted)
    given = rows, signs, lift, edge, start
    run = _Unbounded(*given, visits) if budget is None else _Bounded(*given, budget)
    records = empty_records()
    epoch_updates: list[int] = []
    updates = 0
    stop: Stop | None = None
    while len(epoch_updates) < epochs and stop is None:
        order = visits if random is None else random.permutation(visits)
        last, seen, notes = len(epoch_updates) + 1 == epochs, 0, []
        for block in blocks(order, run.size):
            seen += block.size
            notes.append(run.visit(block, order[seen:] if last else None))
            stop = after_block() if seen < order.size else None
            if stop:
                break
        log = Log(*map(np.concatenate, zip(*notes, strict=True)))
        made = log.example.size
        keep(records, log, made, updates, len(epoch_updates) + 1)
        epoch_updates.append(made)
        updates += made
        if not np.isfinite(run.terms.norm2):
            raise InputError(refusals.kernel_overflowed, len(epoch_updates))
        if stop is None:
            stop = after_epoch()
            stop = Stop.CONVERGED if made == 0 else stop
    nothing = Copies(np.empty((0, 0)), np.array([0, 1]))
    trace = Trace.of(records, nothing, np.array(epoch_updates, np.int64))
    stop = stop or Stop.MAX_ITER
    return KernelPerceptronOutcome(run.terms, updates, len(epoch_updates), stop, trace)


class _Run:
    terms: Terms

    def note(self, made: np.ndarray, margins, squares, norms2: np.ndarray) -> Log:
        """Count the updates on the examples `made`, after which ‖f‖² was `norms2`; and what
        happened: with v = y φ̃(x), old f · new f = ‖f‖² + ⟨f, v⟩, and so on."""
        norms = np.append(self.terms.norm2, norms2)
        before, updates = norms[:-1], self.terms.updates + made.size
        self.terms = self.terms._replace(updates=updates, norm2=float(norms[-1]))
        across2 = np.maximum(before * squares - margins**2, 0.0)
        return Log(made.astype(np.int64), norms2, before + margins, across2)


class _Unbounded(_Run):
    """Scores of all examples still to be visited are kept, and grow with the function."""

    def __init__(self, rows: GramRows, signs, lift, edge, start: Terms, visits):
        self.size = BLOCK_VISITS[rows.kernel.takes]
        self.growing = Growing(rows, signs, lift, start.coef.copy())
        self.growing.start(visits)
        self.terms = start._replace(coef=self.growing.coef, updated=start.updated.copy())
        self.edge = edge

    def visit(self, block: np.ndarray, needed) -> Log:
        edges = Edges(np.zeros(block.size), self.edge[block])
        steps, margins, squares = self.growing.visit(block, edges, needed)
        terms, made = self.terms, block[steps]
        norms2 = terms.norm2 + np.cumsum(2.0 * margins + squares)
        # Rounding may make ‖f‖² negative. A sum that overflowed, to either side, becomes NaN and
        # stays so: cut at 0, an overflow to −∞ would look like the norm of f = 0.
        norms2 = np.where(np.isfinite(norms2), np.maximum(norms2, 0.0), np.nan)
        terms.updated[made] = terms.updates + 1 + np.arange(made.size)
        return self.note(made, margins, squares, norms2)


class _Bounded(_Run):
    """Within a budget: the scores of a block are computed from the few terms when it comes."""

    def __init__(self, rows: GramRows, signs, lift, edge, start: Terms, budget: int):
        self.rows, self.signs, self.lift, self.edge, self.budget = rows, signs, lift, edge, budget
        self.size = max(16, min(BLOCK_VISITS[rows.kernel.takes], MAX_PIECE_NUMBERS // (budget + 1)))
        self.terms = start._replace(coef=start.coef.copy(), updated=start.updated.copy())
        self.held = np.flatnonzero(start.updated)
        self.place = np.full(rows.m, -1)  # The place of each term while a block is visited.

    def visit(self, block: np.ndarray, needed) -> Log:
        terms, signs = self.terms, self.signs[block]
        old = self.held[np.argsort(terms.updated[self.held])]
        first, places = min(old.size, block.size), np.append(old, block)
        gram = self.rows.block(np.append(old[:first], block), places)
        self.place[old] = np.arange(old.size)
        home = np.where(self.place[block] >= 0, self.place[block], old.size + np.arange(block.size))
        self.place[old] = -1
        none = np.zeros(block.size)
        updated = np.append(terms.updated[old], none.astype(np.int64))
        supports = Supports(np.append(terms.coef[old], none), updated, home)
        scores = (gram[first:, : old.size] + self.lift) @ terms.coef[old]
        steps, norms2 = np.empty(block.size, np.int64), np.empty(block.size)
        made = visit_within(
            self.budget, gram, self.lift, signs, Edges(none, self.edge[block]), scores, steps,
            supports, terms.updates, terms.norm2, norms2,
        )  # fmt: skip
        steps, norms2 = steps[:made], norms2[:made]
        terms.coef[places], terms.updated[places] = 0.0, 0
        held = np.flatnonzero(supports.updated)
        terms.coef[places[held]] = supports.coef[held]
        terms.updated[places[held]] = supports.updated[held]
        self.held = places[held]
        squares = gram[first + steps, old.size + steps] + self.lift
        return self.note(block[steps], signs[steps] * scores[steps], squares, norms2)
