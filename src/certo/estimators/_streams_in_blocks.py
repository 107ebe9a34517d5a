"""Fits of machines that take examples one after another, where examples come in blocks."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from certo.certificates.base import CannotClaim, Certificate
from certo.certificates.composite import Composite
from certo.certificates.risk.compression_bound import CompressionBound
from certo.certificates.runs.expected_excess import ExpectedExcess
from certo.certificates.runs.gradient_run import GradientRun, Progress
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.certificates.runs.perceptron_run import PerceptronRun
from certo.certificates.runs.regret import Regret
from certo.certificates.runs.update_sums import UpdateSums
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.separable import Separable
from certo.certificates.spaces.space import Machine
from certo.estimators import _input
from certo.estimators._claims import Claim, attempt, composite
from certo.estimators._in_blocks import _classes, _opened
from certo.estimators._limits import running
from certo.estimators._perceptron_claims import Learned
from certo.estimators._spaces import answers_kept, keep_hyperplane_steps
from certo.facts import InputError
from certo.issue.by_blocks import totals_of
from certo.issue.runs import by_blocks as issue
from certo.scale import streams
from certo.scale.blocks import Blocks
from certo.scale.first_look import first_look
from certo.solvers.perceptron import PerceptronOutcome
from certo.stop import Stop
from certo.words import blocks as sentences
from certo.words import status

NO_RERUN = (
    "the check of this bound repeats the run on some of the rows, which is done with all examples "
    "in memory."
)


def _targets(machine: Any, blocks: Blocks) -> _input.Targets:
    """The classes, found in a first pass, which refuses what no fit can use; signs are read block
    by block."""
    first = first_look(blocks, np.random.default_rng(0), classes=True)
    classes = _classes(machine, first)
    return _input.Targets(classes, _input.one_against_rest(classes), [], False)


def _is_sparse(blocks: Blocks) -> bool:
    return sparse.issparse(blocks.first().X)


def fit_online_gradient(machine: Any, X: Any, y: Any) -> Any:
    """One pass over the rows in their order."""
    run = machine.run()
    blocks = _opened(machine, X, y, None)
    targets = _targets(machine, blocks)
    with running(machine, blocks, "block of rounds", blocks.count) as fit:
        start = [Progress.start(blocks.shape[1]) for _ in targets.outputs]
        outcomes = streams.fit_online_gradient(blocks, targets.outputs, run, start, fit.tell)
        run = replace(run, sparse=_is_sparse(blocks))
        learned = [
            (outcome, *_regret(blocks, labels, run, outcome))
            for labels, outcome in zip(targets.outputs, outcomes, strict=True)
        ]
        machine._store(targets, machine.run(), learned)
    return machine


def _regret(blocks: Blocks, labels: Labels, run: GradientRun, outcome) -> tuple[float, Claim]:
    reached = outcome.progress
    w = reached.answer(run)
    bound = run.bound(reached.squares, reached.budget, reached.rounds)

    def claim() -> Certificate:
        if outcome.stop is not Stop.MAX_ITER:
            raise CannotClaim("the run was stopped by hand before its last example.")
        return issue.regret(blocks, labels, run, w, reached.suffered, bound)

    return bound, attempt(Regret, labels, claim)


def fit_pegasos(machine: Any, X: Any, y: Any) -> Any:
    """Steps on rows that are drawn as from a table in memory."""
    blocks = _opened(machine, X, y, None)
    targets = _targets(machine, blocks)
    lam, lifted = float(machine.lam), machine.intercept == "lifted"
    seed = int(check_random_state(machine.random_state).randint(2**31 - 1))
    with running(machine, blocks, "block of steps") as run:
        outcomes = streams.fit_pegasos(
            blocks, targets.outputs, lam, int(machine.max_iter), lifted=lifted, seed=seed,
            average=bool(machine.average), keep=answers_kept(targets, blocks.shape[1]),
            after_block=run.tell,
        )  # fmt: skip
        drafts = [
            issue.excess_draft(
                labels, len(blocks), outcome.w, lifted=lifted, lam=lam, steps=outcome.state.steps
            )
            for labels, outcome in zip(targets.outputs, outcomes, strict=True)
        ]
        totals = totals_of(blocks, drafts)
        learned = []
        for draft, total, outcome in zip(drafts, totals, outcomes, strict=True):
            reason = machine._no_guarantee(outcome, False)
            objective = issue.objective_of(draft, total)

            def claim(draft=draft, total=total, reason=reason) -> Certificate:
                if reason:
                    raise CannotClaim(reason)
                return issue.issue_excess(draft, total)

            learned.append((outcome, objective, attempt(ExpectedExcess, draft.labels, claim)))
        keep_hyperplane_steps(machine, outcomes)
        machine._store(targets, learned)
    return machine


def fit_perceptron(machine: Any, X: Any, y: Any) -> Any:
    """Epochs over the rows in their order, a pass each."""
    run = machine.run()
    if run.order != "cyclic":
        raise ValueError(
            f'Perceptron goes through blocks in their order: order="cyclic", got {run.order!r}.'
        )
    blocks = _opened(machine, X, y, None)
    targets = _targets(machine, blocks)
    shards = int(machine.shards)
    if shards > len(blocks):
        raise InputError(sentences.too_many_shards, shards, len(blocks))
    stored = _is_sparse(blocks)
    runs = [replace(run, output=k, sparse=stored) for k in range(len(targets.outputs))]
    with running(machine, blocks, "epoch", run.epochs) as fit:
        found = streams.fit_perceptron(
            blocks, targets.outputs, runs, [None] * len(runs), shards, fit.tell, fit.asked
        )
        outcomes = [outcome for outcome, _ in found]
        learned = [
            Learned(labels, np.zeros(0, np.int8), own, outcome, 0, shards)
            for labels, own, outcome in zip(targets.outputs, runs, outcomes, strict=True)
        ]
        machine._store(targets, learned, fresh=True)
        machine.certificate_ = _perceptron_claims(blocks, targets.outputs, runs, found, shards)
        said = status.neurons_status(machine._stop, outcomes, False)
        machine.status_ = said + status.AVERAGED * run.average
        if machine._stop not in (Stop.CONVERGED, Stop.MAX_ITER):
            warnings.warn(machine.status_, ConvergenceWarning, stacklevel=5)
    return machine


def _perceptron_claims(
    blocks: Blocks, labels: list[Labels], runs: list[PerceptronRun],
    found: list[tuple[PerceptronOutcome, np.ndarray]], shards: int,
) -> Composite:  # fmt: skip
    """What the runs prove: two passes, and a third for runs that did not converge."""
    drafts = []
    for label, run, (outcome, signs) in zip(labels, runs, found, strict=True):
        rows = outcome.updated
        machine = Machine(
            outcome.w[:-1], rows, outcome.counts[rows] * signs, float(outcome.w[-1])
        )  # fmt: skip
        totals = outcome.totals[rows] if outcome.totals.size else outcome.totals
        sums = UpdateSums(run.rate, 0, shards if shards > 1 else None)
        steps = issue.Steps(machine, run.lifted, sums, outcome.start, totals, run.average)
        drafts.append(issue.bound_draft(label, len(blocks), steps, outcome.w))
    looked = list(blocks.total(issue.look_at_margins, drafts))
    drafts = [issue.with_target(*pair) for pair in zip(drafts, looked, strict=True)]
    missing = None if all(draft.separable for draft in drafts) else totals_of(blocks, drafts)
    claims: list[Claim] = []
    for k, (draft, (outcome, _)) in enumerate(zip(drafts, found, strict=True)):

        def separable(draft=draft, outcome=outcome, k=k) -> Certificate:
            least = issue.least_of(looked[k])
            if runs[k].average:
                raise CannotClaim("of blocks, this is looked at for the last weights alone.")
            return issue.issue_separable(
                draft.labels, len(blocks), outcome.w[:-1], float(outcome.w[-1]), least
            )

        def mistakes(draft=draft, k=k) -> Certificate:
            return issue.issue_mistakes(draft, None if missing is None else missing[k])

        def compression() -> Certificate:
            raise CannotClaim(NO_RERUN)

        claims += [
            attempt(Separable, draft.labels, separable),
            attempt(MistakeBound, draft.labels, mistakes),
            attempt(CompressionBound, draft.labels, compression),
        ]
    return composite(claims)
