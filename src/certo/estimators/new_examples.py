"""What a fit proves about new examples: bounds that `certify` asks each machine for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from certo.certificates.base import CannotClaim
from certo.certificates.margins.maximum_margin import MaximumMargin
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.risk.compression_bound import CompressionBound, Scheme
from certo.certificates.risk.kernel_scheme import KernelScheme
from certo.certificates.risk.perceptron_scheme import PerceptronScheme
from certo.certificates.risk.risk_bound import RiskBound
from certo.certificates.runs.perceptron_run import PerceptronRun
from certo.estimators.description import Page, kernel_was_given
from certo.issue.labels import all_labels
from certo.issue.risk import (
    issue_average_to_batch,
    issue_compression_bound,
    issue_online_to_batch,
    issue_support_bound,
    of_draws,
)

if TYPE_CHECKING:
    from certo.estimators.kernel_perceptron import KernelPerceptron
    from certo.estimators.online_gradient_descent import OnlineGradientDescent
    from certo.estimators.perceptron import Perceptron

ON_SHARDS = (
    "the run was on shards, and only runs through all examples in one order are repeated by the "
    "check of this bound."
)
DEPENDS_ON_ALL = (
    "the model depends on all examples and is not determined by a few of them, so that only test "
    "examples can bound its error rate."
)
RANDOM_ITERATE = (
    "the mistakes of the one pass bound the error rate of a rule that draws one of the earlier "
    "weights at random for every example, which is not how the model predicts. "
    "certo.certificates.OnlineToBatch makes that claim about the pass itself."
)
UNBOUNDED_LOSS = (
    "the losses of a regression or density are unbounded, so that no number of examples bounds "
    "their mean without further assumptions."
)


def no_few_examples(page: Page, machine: Any, X: Any, y: Any) -> None:
    """No bound: the answer depends on all examples."""
    page.refuse("RiskBound", DEPENDS_ON_ALL)


def unbounded_loss(page: Page, machine: Any, X: Any, y: Any) -> None:
    """No bound: the loss of a regression or density may be of any size."""
    page.refuse("RiskBound", UNBOUNDED_LOSS)


def by_supports(page: Page, machine: Any, X: Any, y: Any) -> None:
    """The bound that follows from the supports of a machine with a margin."""
    if _kernel_was_given(page, machine, "SupportBound"):
        support_bound(page, page.claims, X, y, outputs=len(machine.intercept_))


def support_bound(page: Page, claims: Iterable[Any], X: Any, y: Any, *, outputs: int) -> None:
    """What the solutions among the claims prove about new examples."""
    solutions = tuple(c for c in claims if isinstance(c, SoftMarginGap | MaximumMargin))
    if len(solutions) < outputs:
        page.asked += 1
        page.refuse("SupportBound", "nothing is proved about how near the fit is to the best.")
        return
    page.add_risk("SupportBound", lambda delta: issue_support_bound(X, y, solutions, delta))


def by_updates(page: Page, machine: Perceptron, X: Any, y: Any) -> None:
    """The bound that follows from the examples that a Perceptron was updated on."""
    single = not machine._multilabel
    found = machine.certificate_.of_kind(CompressionBound)
    for claim in found:
        if claim.scheme.zero_sign != machine.zero_sign:
            raise ValueError(
                "the model was changed after its fit. CompressionBound speaks of another zero_sign "
                "than the model's."
            )
        make = partial(_with_delta, claim, X, y)
        page.add_risk("CompressionBound", make, of_predictions=claim.of_predictions)
    page.asked += not found and len(machine.classes_) == 2  # The fit tried for this bound, too.
    if single and len(machine.classes_) > 2:
        page.add_risk("CompressionBound", partial(_layer_compression, machine, X, y))
    if single and machine.epochs == 1:
        page.refuse("OnlineToBatch", RANDOM_ITERATE)


def _with_delta(claim: CompressionBound, X: Any, y: Any, delta: float) -> RiskBound:
    """The bound that the fit made, with another delta: a vacuous one may then say something."""
    return of_draws(claim.at(delta), claim._sample(claim._read(X), y))


def _layer_compression(machine: Perceptron, X: Any, y: Any, delta: float) -> RiskBound:
    """One bound for all neurons together."""
    runs = tuple(_perceptron_runs(machine, X))
    scheme = PerceptronScheme(runs, machine.coef_, machine.intercept_)
    return _compression(machine, scheme, np.unique(np.concatenate(machine.updated_)), X, y, delta)


def one_pass(machine: Perceptron, X: Any, y: Any, delta: float) -> RiskBound:
    """The bound for a random iterate of a single epoch. It is not about the model's predictions, so
    `certify` leaves it out."""
    classes, runs = machine.classes_.tolist(), _perceptron_runs(machine, X)
    return issue_online_to_batch(X, y, classes, runs, machine.coef_, machine.intercept_, delta)


def by_kernel_updates(page: Page, machine: KernelPerceptron, X: Any, y: Any) -> None:
    """The same for a KernelPerceptron."""
    if _kernel_was_given(page, machine, "CompressionBound"):
        page.add_risk("CompressionBound", partial(_kernel_compression, machine, X, y))


def _kernel_compression(machine: KernelPerceptron, X: Any, y: Any, delta: float) -> RiskBound:
    if machine.budget is not None:
        raise CannotClaim(
            "examples may have left the function for the sake of the budget, so that those it is "
            "made of do not determine it."
        )
    if any(claim.shift for claim in machine.certificate_ if hasattr(claim, "shift")):
        raise CannotClaim(
            "something was added to the diagonal of the matrix, which the kernel of new examples "
            "does not have."
        )
    seed = _seed(machine) if machine.order == "shuffled" else 0
    run = replace(machine.run(), seed=seed)
    scheme = KernelScheme(machine.kernel_, run, machine.dual_coef_)
    return _compression(machine, scheme, machine.support_, X, y, delta)


def of_average(page: Page, machine: OnlineGradientDescent, X: Any, y: Any) -> None:
    """The bound for the average of the iterates."""

    def make(delta: float) -> RiskBound:
        classes, run = machine.classes_.tolist(), replace(machine.run(), sparse=sparse.issparse(X))
        weights = machine.coef_[0], float(machine.intercept_[0])
        return issue_average_to_batch(X, y, classes, run, *weights, delta)

    page.add_risk("AverageToBatch", make)


def _kernel_was_given(page: Page, machine: Any, claim: str) -> bool:
    """Whether the kernel was the one of the settings, rather than completed from the examples."""
    given = kernel_was_given(machine)
    if not given:
        page.refuse(
            claim,
            f"the kernel was completed from the examples of the fit. Give {machine.kernel_!r}, if "
            "that was known before.",
        )
    return given


def _compression(
    machine: Any, scheme: Scheme, updated: np.ndarray, X: Any, y: Any, delta: float
) -> CompressionBound:
    """The bound for all outputs together, if the run can be repeated: it may have been stopped by
    hand, or been continued by `partial_fit`."""
    labels = all_labels(machine.classes_.tolist())
    sample = scheme.sample(scheme.read(X), y, labels)
    return issue_compression_bound(sample, labels, scheme, updated, delta)


def _perceptron_runs(machine: Perceptron, X: Any) -> list[PerceptronRun]:
    """The run of each neuron: as a claim of the fit has it, which knows the seed, or from the
    settings."""
    if machine.shards > 1:
        raise CannotClaim(ON_SHARDS)
    known = machine.certificate_.of_kind(CompressionBound)
    if len(known) == len(machine.coef_):
        return [claim.scheme.runs[0] for claim in known]
    if machine.order != "cyclic" or machine.init == "random":
        _seed(machine)
    run, is_sparse = machine.run(), sparse.issparse(X)
    return [replace(run, output=k, sparse=is_sparse) for k in range(len(machine.coef_))]


def _seed(machine: Any) -> int:
    if machine.random_state is None:
        raise CannotClaim(
            "what was drawn at random is not known any more, so that the run cannot be repeated. "
            "Give random_state a number."
        )
    return int(check_random_state(machine.random_state).randint(2**31 - 1))
