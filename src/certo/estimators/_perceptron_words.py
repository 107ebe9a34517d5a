"""What a run of the Perceptron proves, and why it stopped."""

from __future__ import annotations

import math

import numpy as np
from scipy import sparse

from certo.certificates.base import (
    CannotClaim,
    Certificate,
    NotClaimed,
)
from certo.certificates.encoding import counted
from certo.certificates.risk.compression_bound import CompressionBound
from certo.certificates.risk.perceptron_scheme import PerceptronScheme
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.certificates.runs.perceptron_run import PerceptronRun
from certo.certificates.runs.update_sums import UpdateSums
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.separable import Separable
from certo.certificates.spaces.vectors import Margins
from certo.issue.risk.compression_bound import issue_compression_bound
from certo.issue.runs.mistake_bound import issue_mistake_bound
from certo.issue.separation.separable import issue_separable
from certo.numbers.exact import allowance
from certo.solvers.hard_margin import hard_margin
from certo.solvers.perceptron import PerceptronOutcome


def claims(
    sample: Sample,
    labels: Labels,
    run: PerceptronRun,
    outcome: PerceptronOutcome,
    before: int,
    fresh: bool,
    square: float,
    zero_sign: int,
) -> list[Certificate | NotClaimed]:
    """What the run of one neuron proves, or why not."""
    coef, intercept = outcome.answer[:-1], float(outcome.answer[-1])
    square += allowance(sample.d, square)
    margins = Margins.of(sample, coef, intercept, square)
    rows = outcome.updated
    made: list[Certificate | NotClaimed] = []

    def attempt(kind, claim):
        try:
            made.append(claim())
        except CannotClaim as reason:
            made.append(NotClaimed(kind.__name__, f"{labels.shown}: {reason}"))

    def mistakes():
        last = outcome.w[:-1], float(outcome.w[-1])  # the steps of the run lead to these

        def against(u, u_intercept, u_margins):
            return issue_mistake_bound(
                sample,
                labels,
                coef=last[0],
                intercept=last[1],
                averaged=run.average,
                lifted=run.lifted,
                sums=UpdateSums(run.rate, before),
                start=outcome.start,
                rows=rows,
                counts=outcome.counts[rows],
                totals=outcome.totals[rows] if outcome.totals.size else outcome.totals,
                comparator=u,
                comparator_intercept=u_intercept,
                radius2=square,
                margins=u_margins,
            )

        of_last = Margins.of(sample, *last, square) if run.average else margins
        own = against(*last, of_last)
        if not (own.separable and outcome.converged and own.bound):
            return own
        u = _best_separator(sample, run, outcome, square)
        better = against(*u, Margins.of(sample, *u, square))
        return better if better.separable and (better.bound or 0) < own.bound else own

    def compression():
        if not fresh:
            raise CannotClaim("the run started from weights that depend on other examples.")
        if outcome.interrupted or not run.epochs:
            raise CannotClaim(
                "the run was stopped by hand, not after a number of epochs set before."
            )
        scheme = PerceptronScheme((run,), coef[None], outcome.answer[-1:], zero_sign)
        if 2 * rows.size > sample.m and not scheme.undetermined:
            raise CannotClaim(
                f"the bound needs at most half of the examples to be updated on, but {rows.size:,} "
                f"of {sample.m:,} were."
            )
        wrong = margins.is_mispredicted(zero_sign)
        return issue_compression_bound(sample, labels, scheme, rows, wrong=wrong, rerun=False)

    attempt(Separable, lambda: issue_separable(sample, labels, coef, intercept, margins))
    attempt(MistakeBound, mistakes)
    attempt(CompressionBound, compression)
    return made


def _best_separator(
    sample: Sample, run: PerceptronRun, outcome: PerceptronOutcome, square: float
) -> tuple[np.ndarray, float]:
    """The separator with the largest margin, for which the theorem allows the fewest updates, or
    the best that can be reached in about the time of the run itself."""
    numbers = sample.X.nnz if sparse.issparse(sample.X) else sample.X.size
    best = hard_margin(
        sample.X,
        sample.signs,
        "lifted" if run.lifted else "none",
        math.sqrt(square),
        tol=1e-4,
        effort=max(3e7, numbers * (outcome.epochs + 10.0)),
        start=outcome.w,
    )
    return best.w, best.b


def status(
    outcomes: list[PerceptronOutcome], streamed: bool, average: bool = False, verdict: str = ""
) -> str:
    """Why the run stopped, what is known of those that did not converge, and what the answer is."""
    answer = "The answer is the average of the weights of all looks at examples." * average
    return " ".join(filter(None, (_stop(outcomes, streamed), verdict, answer)))


def _stop(outcomes: list[PerceptronOutcome], streamed: bool) -> str:
    several = len(outcomes) > 1
    done = [outcome for outcome in outcomes if outcome.converged]
    if any(outcome.interrupted for outcome in outcomes):
        return (
            "Stopped by hand. The weights are those reached so far; the certificate says what "
            "they are worth."
        )
    if streamed:
        made = counted(sum(outcome.updates for outcome in outcomes), "update")
        batch = counted(len(outcomes[0].counts), "example")
        return f"One pass over a batch of {batch} made {made}."
    if len(done) == len(outcomes):
        epochs = max(outcome.epochs for outcome in outcomes)
        who = f"All {len(outcomes)} neurons converged" if several else "Converged"
        after = counted(epochs, "epoch")
        return f"{who}: after {after} no example leads to an update any more."
    left = [outcome for outcome in outcomes if not outcome.converged]
    last = sum(int(outcome.trace.epoch_updates[-1]) for outcome in left)
    who = f"{len(left)} of {len(outcomes)} neurons did not converge" if several else "Not converged"
    run = counted(left[0].epochs, "epoch")
    return f"{who}: {run} made, and the last still had {counted(last, 'update')}."
