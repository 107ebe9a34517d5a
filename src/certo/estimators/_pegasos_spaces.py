"""Where Pegasos runs: in the space of the features, or in that of a kernel."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from certo.certificates.base import (
    CannotClaim,
    Certificate,
    NotClaimed,
)
from certo.certificates.runs.expected_excess import ExpectedExcess
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.images import KernelSample
from certo.certificates.spaces.space import function, hyperplane
from certo.certificates.spaces.vectors import Margins
from certo.estimators import _input, _stream
from certo.estimators._kernel import measured, union_of
from certo.estimators._kernel_stream import KernelBatch, quick_margins
from certo.issue.runs.expected_excess import issue_expected_excess, objective_to_claim
from certo.numbers.exact import allowance
from certo.numbers.rounded import NotShown
from certo.solvers.kernel_pegasos import kernel_pegasos
from certo.solvers.kernel_steps import GramRows
from certo.solvers.pegasos import KEPT_NUMBERS, PegasosOutcome, PegasosState, pegasos

Certified = tuple[float, Certificate | NotClaimed]


class Space(Protocol):
    X: Any
    targets: _input.Targets
    fresh: bool
    m: int  # examples of this call

    def run(self, output: int, lam: float, steps: int, **settings) -> PegasosOutcome:
        """The steps of one output, from where an earlier call ended."""

    def certified(
        self, output: int, outcome: PegasosOutcome, lam: float, lifted: bool, reason: str
    ) -> Certified:
        """F of the answer, rounded up, and what is claimed; nothing, if there is a reason."""

    def keep(self, model, outcomes: list[PegasosOutcome]) -> None:
        """Set what predictions and later steps need, except for what all spaces share."""


class VectorSpace:
    """Weights w, one for each feature and one for the intercept."""

    def __init__(self, model, batch: _stream.Batch):
        self.X, self.targets, self.fresh = batch
        self.m, self._model = self.X.shape[0], model
        square = _input.longest_example(model, self.X)
        self._square = square + allowance(self.X.shape[1], square)

    def run(self, output: int, lam: float, steps: int, **settings) -> PegasosOutcome:
        start = None if self.fresh else _state(self._model, output, self._model._sums[output])
        most = KEPT_NUMBERS // (len(self.targets.outputs) * (self.X.shape[1] + 1))
        signs = self.targets.signs[output]
        return pegasos(self.X, signs, lam, steps, start=start, keep=most, **settings)

    def certified(
        self, output: int, outcome: PegasosOutcome, lam: float, lifted: bool, reason: str
    ) -> Certified:
        sample = Sample(self.X, self.targets.signs[output])
        coef, intercept = outcome.w[:-1], float(outcome.w[-1])
        margins = Margins.of(sample, coef, intercept, self._square)

        def claim() -> Certificate:
            return issue_expected_excess(
                sample,
                self.targets.outputs[output],
                machine=hyperplane(coef, intercept),
                lifted=lifted,
                lam=lam,
                steps=outcome.state.steps,
                square=self._square,
                margins=margins,
            )

        objective = objective_to_claim(margins, lam, np.arange(self.m), intercept)
        return objective, _attempt(claim, self.targets.outputs[output], reason)

    def keep(self, model, outcomes: list[PegasosOutcome]) -> None:
        _forget(model, "support_vectors_", "support_", "dual_coef_", "n_support_", "_seen")
        model.kernel_ = None
        model.coef_ = np.array([outcome.w[:-1] for outcome in outcomes])
        model._sums = np.array([outcome.state.sums for outcome in outcomes])


class KernelSpace:
    """Functions Σ dual_coef_i K(x_i, ·), and an intercept."""

    def __init__(self, model, batch: KernelBatch, steps: int):
        self.X, _, self._shift = measured(model, batch.kernel, batch.X)
        batch = batch._replace(X=self.X)
        self.targets, self.fresh = batch.targets, batch.before is None
        self.m, self._batch, self._model = batch.new, batch, model
        # with fewer steps than examples, rows of the Gram matrix are hardly needed twice
        cache = float(model.cache_mb) if steps > self.m else 0.0
        joint = batch.joint(self._shift)
        self._rows = GramRows(batch.kernel, joint, batch.old + batch.new, cache)

    def run(self, output: int, lam: float, steps: int, **settings) -> PegasosOutcome:
        start, batch = None, self._batch
        if not self.fresh:
            sums = np.zeros((2, self._rows.m))
            sums[:, batch.places(output)] = self._model._sums[output]
            start = _state(self._model, output, sums)
        most = KEPT_NUMBERS // (len(self.targets.outputs) * (self._rows.m + 1))
        return kernel_pegasos(
            self._rows,
            batch.signs(output),
            lam,
            steps,
            start=start,
            first=batch.old,
            keep=most,
            **settings,
        )

    def certified(
        self, output: int, outcome: PegasosOutcome, lam: float, lifted: bool, reason: str
    ) -> Certified:
        labels, batch = self.targets.outputs[output], self._batch
        rows, intercept = np.flatnonzero(outcome.state.sums[0]), float(outcome.w[-1])
        machine = function(rows, outcome.w[rows], intercept)
        # in a later call f is made of older examples, too, and F that on the new ones
        X = self.X if self.fresh else self._rows.X
        sample = KernelSample(batch.kernel, X, batch.signs(output), self._shift)
        try:
            margins = quick_margins(sample, self._rows.X, machine)
            new = np.arange(batch.old, sample.m)
            objective = objective_to_claim(margins, lam, new, intercept)
        except NotShown as overflow:
            objective, reason = np.inf, reason or str(overflow)

        def claim() -> Certificate:
            return issue_expected_excess(
                sample,
                labels,
                machine=machine,
                lifted=lifted,
                lam=lam,
                steps=outcome.state.steps,
                margins=margins,
            )

        return objective, _attempt(claim, labels, reason)

    def keep(self, model, outcomes: list[PegasosOutcome]) -> None:
        batch = self._batch
        places = [np.flatnonzero(outcome.state.sums[0]) for outcome in outcomes]
        both = list(zip(outcomes, places, strict=True))
        seen, numbers = batch.seen + batch.new, batch.numbers
        _forget(model, "coef_")
        model.kernel_ = batch.kernel
        model.support_vectors_ = batch.kernel.take(self._rows.X, union_of(places))
        model.support_ = [numbers[some] for some in places]
        model.dual_coef_ = [outcome.w[some] for outcome, some in both]
        model.n_support_ = np.array([some.size for some in places])
        model._sums = [outcome.state.sums[:, some] for outcome, some in both]
        model._seen = seen


def _forget(model, *names: str) -> None:
    """What an earlier fit in another space left."""
    for name in names:
        vars(model).pop(name, None)


def _state(model, output: int, sums: np.ndarray) -> PegasosState:
    return PegasosState(sums, int(model.steps_[output]), float(model._harmonics[output]))


def _attempt(claim, labels: Labels, reason: str) -> Certificate | NotClaimed:
    try:
        if reason:
            raise CannotClaim(reason)
        return claim()
    except CannotClaim as why:
        return NotClaimed(ExpectedExcess.__name__, f"{labels.shown}: {why}")
