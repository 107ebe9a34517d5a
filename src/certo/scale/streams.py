"""Machines that take examples one after another, block after block: the steps of an array in
memory, taken by the same compiled loops, so that the answers are the same bit for bit."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple, TypeVar

import numpy as np

from certo.certificates.runs.gradient_run import GradientRun, Progress
from certo.certificates.runs.perceptron_run import PerceptronRun
from certo.certificates.runs.update_sums import UpdateSums
from certo.certificates.sample.labels import Labels
from certo.compiled.trace import MAX_WINDOWS
from certo.facts import InputError
from certo.scale.blocks import Block, Blocks
from certo.solvers.checkpoints import blocks as checkpoints
from certo.solvers.mixed_perceptron import Standing, average, shard_ends, visit
from certo.solvers.online_gradient import GradientOutcome, RegretTrace, online_gradient
from certo.solvers.pegasos import PegasosOutcome, PegasosState, StepTrace, pegasos
from certo.solvers.perceptron import PerceptronOutcome
from certo.solvers.trace import Trace
from certo.stop import Asked, Stop
from certo.words import blocks as sentences

Notes = TypeVar("Notes", RegretTrace, StepTrace)

MAX_DRAWN_NUMBERS = 2**23  # Numbers in the rows that one pass fetches for Pegasos: 64 MB.


# ---------------------------------------------------------------- online gradient descent


def gradient_rounds(
    reached: list[Progress], block: Block, labels: Sequence[Labels], run: GradientRun
) -> tuple[list[Progress], list[RegretTrace]]:
    """A round of every output on each row of a block."""
    found = [
        online_gradient(block.X, label.signs(block.y), run, before=before)
        for label, before in zip(labels, reached, strict=True)
    ]
    return [each.progress for each in found], [each.trace for each in found]


def fit_online_gradient(
    blocks: Blocks,
    labels: Sequence[Labels],
    run: GradientRun,
    reached: list[Progress],
    after_block: Asked,
) -> list[GradientOutcome]:
    """Go once over all rows, in their order, from where earlier rounds ended."""
    last = reached[0].rounds + len(blocks)
    traces: list[list[RegretTrace]] = []
    stop: Stop | None = None
    relay = blocks.relay(gradient_rounds, [reached], [len(blocks)], list(labels), run)
    for _, now, notes in relay:
        reached = now
        traces.append(notes)
        if stop := after_block():
            break
    end = reached[0].rounds
    why = stop if stop and end < last else Stop.MAX_ITER
    return [
        GradientOutcome(progress, why, _joined(notes, end))
        for progress, notes in zip(reached, zip(*traces, strict=True), strict=True)
    ]


def _joined(parts: Sequence[Notes], last: int, most: int | None = None) -> Notes:
    """The notes of consecutive parts of a run, as the whole run would have kept them: after 1, 2,
    4, 8, … steps and after the last; the later ones, if there are more than `most`."""
    kind = type(parts[0])
    joined = {f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(kind)}
    step = joined["step"]
    kept = np.flatnonzero((step & (step - 1) == 0) | (step == last))
    kept = kept if most is None else kept[-most:]
    return kind(**{name: values[kept] for name, values in joined.items()})


# ---------------------------------------------------------------- Pegasos


def fit_pegasos(
    blocks: Blocks,
    labels: Sequence[Labels],
    lam: float,
    steps: int,
    *,
    lifted: bool,
    seed: int,
    average: bool,
    keep: int,
    after_block: Asked,
) -> list[PegasosOutcome]:
    """Steps on rows that are drawn as from an array in memory. A pass fetches the rows of as many
    steps as MAX_DRAWN_NUMBERS allows."""
    m, d = blocks.shape
    most = MAX_DRAWN_NUMBERS // (max(d, 1) * len(labels))
    random = [np.random.default_rng([seed, k]) for k in range(len(labels))]
    reached: list[PegasosState | None] = [None] * len(labels)
    outcomes: list[PegasosOutcome] = []
    traces: list[list[StepTrace]] = []
    for sizes in _groups(steps, most):
        draws = [np.concatenate([rng.integers(m, size=n) for n in sizes]) for rng in random]
        rows = np.unique(np.concatenate(draws))
        X, y = blocks.pick(rows)
        outcomes = []
        for label, drawn, before in zip(labels, draws, reached, strict=True):
            places = np.searchsorted(rows, drawn)
            outcomes.append(
                pegasos(
                    X[places],
                    label.signs(y)[places],
                    lam,
                    sum(sizes),
                    lifted=lifted,
                    rng=None,
                    average=average,
                    start=before,
                    keep=keep,
                    after_block=after_block,
                )
            )
        reached = [outcome.state for outcome in outcomes]
        traces.append([outcome.trace for outcome in outcomes])
        if any(outcome.stop is not Stop.MAX_ITER for outcome in outcomes):
            break
        if (stop := after_block()) and outcomes[0].state.steps < steps:
            outcomes = [outcome._replace(stop=stop) for outcome in outcomes]
            break
    return [
        outcome._replace(trace=_joined(notes, outcome.state.steps, keep))
        for outcome, notes in zip(outcomes, zip(*traces, strict=True), strict=True)
    ]


def _groups(steps: int, most: int) -> Iterator[list[int]]:
    """The numbers of steps between two looks up of a run, in groups of at most so many steps (or
    of one number): random numbers are the same only if they are drawn so many at a time."""
    sizes: list[int] = []
    done = 0
    for end, _ in checkpoints(0, steps):
        if sizes and sum(sizes) + end - done > most:
            yield sizes
            sizes = []
        sizes.append(end - done)
        done = end
    yield sizes


# ---------------------------------------------------------------- the Perceptron


class Updates(NamedTuple):
    """What looks at some rows made of a neuron."""

    rows: np.ndarray  # Those that were updated on, counting from the first of all,
    counts: np.ndarray  # how often, with the sign of each row,
    totals: np.ndarray  # and with which rates; (0,) for a constant rate.


def looks(
    at: list[Standing], block: Block, labels: Sequence[Labels], runs: Sequence[PerceptronRun]
) -> tuple[list[Standing], list[Updates]]:
    """A look of several neurons at each row of a block."""
    after, found = [], []
    for standing, label, run in zip(at, labels, runs, strict=True):
        signs = label.signs(block.y)
        reached, epoch = visit(block.X, signs, run, standing)
        rows = np.flatnonzero(epoch.counts)
        totals = epoch.totals[rows] if epoch.totals.size else epoch.totals
        after.append(reached)
        found.append(Updates(block.start + rows, (epoch.counts * signs)[rows], totals))
    return after, found


@dataclass
class _Neuron:
    """A neuron under way."""

    run: PerceptronRun
    begin: np.ndarray
    at: Standing
    counts: np.ndarray  # With the signs of the rows.
    totals: np.ndarray
    made: list[int]
    kept: deque[np.ndarray]
    stop: Stop | None = None

    def outcome(self) -> tuple[PerceptronOutcome, np.ndarray]:
        w, at, run = self.at.w, self.at, self.run
        return PerceptronOutcome(
            w=w, start=self.begin, answer=run.answer(w, at.weighted, at.looks),
            weighted=at.weighted, looks=at.looks, updated=np.flatnonzero(self.counts),
            counts=np.abs(self.counts), totals=self.totals, updates=sum(self.made),
            epochs=len(self.made), stop=self.stop or Stop.MAX_ITER,
            trace=Trace.of_epochs(self.made, list(self.kept)),
        ), np.sign(self.counts[self.counts != 0])  # fmt: skip


def fit_perceptron(
    blocks: Blocks,
    labels: Sequence[Labels],
    runs: Sequence[PerceptronRun],
    before: Sequence[Standing | None],
    shards: int,
    after_epoch: Callable[[], Stop | None],
    asked: Asked,
) -> list[tuple[PerceptronOutcome, np.ndarray]]:
    """Epochs over all rows in their order, a pass each, which the neurons share; on `shards`, the
    average of runs through that many parts of the rows. With each outcome come the signs of the
    rows that were updated on."""
    m, d = blocks.shape
    neurons = [_begun(run, at, m, d) for run, at in zip(runs, before, strict=True)]
    while active := [k for k, neuron in enumerate(neurons) if _goes_on(neuron)]:
        some = [neurons[k] for k in active]
        stop = _epoch(blocks, [labels[k] for k in active], some, shards, asked)
        stop = stop or after_epoch()
        for neuron in some:
            neuron.stop = neuron.stop or stop
    return [neuron.outcome() for neuron in neurons]


def _begun(run: PerceptronRun, at: Standing | None, m: int, d: int) -> _Neuron:
    at = at or Standing(run.start(d), weighted=np.zeros((d + 1) * run.average))
    schedule = UpdateSums(run.rate).constant is None
    return _Neuron(
        run, at.w.copy(), at, np.zeros(m, np.int32), np.zeros(m * schedule), [],
        deque(maxlen=max(2, min(MAX_WINDOWS, 2**17 // (d + 1)))),
    )  # fmt: skip


def _goes_on(neuron: _Neuron) -> bool:
    return neuron.stop is None and len(neuron.made) < neuron.run.epochs


def _epoch(
    blocks: Blocks, labels: list[Labels], neurons: list[_Neuron], shards: int, asked: Asked
) -> Stop | None:
    """An epoch of these neurons; why it was left in the middle, if it was."""
    ends = shard_ends(len(blocks), shards)
    states = [[neuron.at for neuron in neurons] for _ in ends]
    updates = np.zeros(len(neurons), np.int64)
    relay = blocks.relay(looks, states, ends.tolist(), labels, [each.run for each in neurons])
    stop: Stop | None = None
    reached = 0
    for part, state, found in relay:
        states[part] = state
        for k, (neuron, new) in enumerate(zip(neurons, found, strict=True)):
            neuron.counts[new.rows] += new.counts
            if neuron.totals.size:
                neuron.totals[new.rows] += new.totals
            updates[k] += np.abs(new.counts).sum()
        reached = sum(each[0].looks - neurons[0].at.looks for each in states)
        if stop := asked():
            break
    by_neuron = zip(*states, strict=True)
    for neuron, made, after in zip(neurons, updates.tolist(), by_neuron, strict=True):
        w = average(each.w for each in after) if shards > 1 else after[0].w
        if not np.all(np.isfinite(w)):
            raise InputError(sentences.weights_overflowed, len(neuron.made) + 1, neuron.run.rate)
        seen = sum(each.looks - neuron.at.looks for each in after)
        neuron.at = Standing(
            w, neuron.at.updates + made, neuron.at.looks + seen, after[0].weighted
        )  # fmt: skip
        neuron.made.append(made)
        neuron.kept.append(w)
        if made == 0 and reached == len(blocks):
            neuron.stop = Stop.CONVERGED
    return stop if reached < len(blocks) else None
