"""What a run of the Perceptron proves."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from certo.certificates.base import CannotClaim
from certo.certificates.composite import Composite
from certo.certificates.risk.compression_bound import CompressionBound
from certo.certificates.risk.perceptron_scheme import PerceptronScheme
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.certificates.runs.perceptron_run import PerceptronRun
from certo.certificates.runs.update_sums import UpdateSums
from certo.certificates.sample.equal_rows import one_look
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.separable import Separable
from certo.certificates.spaces.space import Machine
from certo.certificates.spaces.vectors import Margins
from certo.estimators._claims import Claim, attempt, composite
from certo.estimators._limits import joint_stop
from certo.estimators._separation_words import Unfinished, verdict_words
from certo.estimators.new_examples import ON_SHARDS
from certo.issue.machines import hyperplane
from certo.issue.risk import issue_compression_bound
from certo.issue.runs.mistake_bound import issue_mistake_bound
from certo.issue.separation import issue_separable
from certo.numbers.exact import TINY, allowance, norm
from certo.solvers.hard_margin import hard_margin
from certo.solvers.perceptron import PerceptronOutcome
from certo.solvers.separation import largest_margin
from certo.solvers.small_soft_margin import MAX_SMALL_NUMBERS
from certo.solvers.vectors import Examples
from certo.stop import Stop
from certo.words import status

SEPARATOR_TOL = 1e-4  # Relative gap to which the best comparator is looked for.


class Learned(NamedTuple):
    """What a neuron learned, `before` updates having been made by earlier calls."""

    labels: Labels
    signs: np.ndarray
    run: PerceptronRun
    outcome: PerceptronOutcome
    before: int
    shards: int


@one_look()
def certificate(
    X: Any, layer: list[Learned], square: float, zero_sign: int, *, fresh: bool
) -> Composite:
    """What the runs of all neurons prove; no ‖x‖² of the rows of X exceeds the square, rounded."""
    square += allowance(X.shape[1], square)
    return composite(
        claim for neuron in layer for claim in _claims(X, neuron, square, zero_sign, fresh)
    )


def status_of(X: Any, layer: list[Learned], seconds: float, *, streamed: bool) -> str:
    """Why the runs, which took so many seconds, ended, and what is known of the examples."""
    outcomes = [neuron.outcome for neuron in layer]
    stop, run = joint_stop(outcome.stop for outcome in outcomes), layer[0].run
    said = status.neurons_status(stop, outcomes, streamed)
    if not streamed and stop is Stop.MAX_ITER:
        left = [
            Unfinished(neuron.labels, neuron.signs, neuron.outcome.w, neuron.outcome.counts)
            for neuron in layer
            if not neuron.outcome.converged
        ]
        said += f" {verdict_words(X, left, len(layer), run.lifted, run.rate, seconds)}"
    return said + status.AVERAGED * run.average


def _claims(X: Any, neuron: Learned, square: float, zero_sign: int, fresh: bool) -> list[Claim]:
    """What the run of one neuron proves, or why not."""
    labels, signs, run, outcome, before, shards = neuron
    sample, coef, intercept = Sample(X, signs), outcome.answer[:-1], float(outcome.answer[-1])
    margins = Margins.of(sample, coef, intercept, square)
    rows = outcome.updated

    def mistakes():
        last = outcome.w[:-1], float(outcome.w[-1])  # The steps of the run lead to these weights.

        def against(u, u_intercept, u_margins):
            return issue_mistake_bound(
                sample,
                labels,
                machine=Machine(last[0], rows, outcome.counts[rows] * sample.signs[rows], last[1]),
                averaged=run.average,
                lifted=run.lifted,
                sums=UpdateSums(run.rate, before, shards if shards > 1 else None),
                start=outcome.start,
                totals=outcome.totals[rows] if outcome.totals.size else outcome.totals,
                comparator=hyperplane(u, u_intercept),
                square=square,
                margins=u_margins,
            )

        of_last = Margins.of(sample, *last, square) if run.average else margins
        if outcome.converged and outcome.updates and (reached := _distance(of_last)) > 0:
            u = _best_separator(sample, run, outcome, square)
            of_u = Margins.of(sample, *u, square)
            if _distance(of_u) > reached:
                better = against(*u, of_u)
                if better.separable and better.bound:
                    return better
        return against(*last, of_last)

    def compression():
        if shards > 1:
            raise CannotClaim(ON_SHARDS)
        if not fresh:
            raise CannotClaim("the run started from weights that depend on other examples.")
        if outcome.stop not in (Stop.CONVERGED, Stop.MAX_ITER) or not run.epochs:
            raise CannotClaim("the run was stopped early, not after a number of epochs set before.")
        scheme = PerceptronScheme((run,), coef[None], outcome.answer[-1:], zero_sign)
        if 2 * rows.size > sample.m and not scheme.undetermined:
            raise CannotClaim(
                f"the bound needs at most half of the examples to be updated on, but {rows.size:,} "
                f"of {sample.m:,} were."
            )
        wrong = margins.is_mispredicted(zero_sign)
        return issue_compression_bound(sample, labels, scheme, rows, wrong=wrong, rerun=False)

    def separable():
        return issue_separable(sample, labels, coef, intercept, margins)

    return [
        attempt(Separable, labels, separable),
        attempt(MistakeBound, labels, mistakes),
        attempt(CompressionBound, labels, compression),
    ]


def _distance(margins: Margins) -> float:
    """The least margin beside the length of (coef, intercept), rounded."""
    return float(np.min(margins.value)) / max(
        norm(np.append(margins.coef, margins.intercept)), TINY
    )


def _best_separator(
    sample: Sample, run: PerceptronRun, outcome: PerceptronOutcome, square: float
) -> tuple[np.ndarray, float]:
    """The separator with the largest margin, for which the theorem allows the fewest updates, or
    the best that can be reached in about the time of the run itself."""
    intercept = "lifted" if run.lifted else "none"
    numbers = sample.X.nnz if sparse.issparse(sample.X) else sample.X.size
    if numbers <= MAX_SMALL_NUMBERS:
        vectors = Examples(sample, run.lifted)
        w = largest_margin(vectors, outcome.counts, SEPARATOR_TOL)
        if w is not None:
            return vectors.split(w)
    best = hard_margin(
        sample.X,
        sample.signs,
        intercept,
        math.sqrt(square),
        tol=SEPARATOR_TOL,
        effort=max(3e7, numbers * (outcome.epochs + 10.0)),
        start=outcome.w,
    )
    return best.w, best.b
