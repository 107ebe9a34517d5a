"""What a run over the examples says of new ones: perceptrons, and online gradient descent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from certo.certificates.base import CannotClaim
from certo.certificates.risk.compression_bound import CompressionBound
from certo.certificates.risk.kernel_scheme import KernelScheme
from certo.certificates.risk.perceptron_scheme import PerceptronScheme
from certo.certificates.risk.risk_bound import RiskBound
from certo.certificates.risk.scheme import Scheme
from certo.certificates.runs.perceptron_run import PerceptronRun
from certo.estimators import KernelPerceptron, OnlineGradientDescent, Perceptron
from certo.estimators._kernel import union_of
from certo.issue.labels import all_labels
from certo.issue.risk.average_to_batch import issue_average_to_batch
from certo.issue.risk.compression_bound import issue_compression_bound
from certo.issue.risk.formulas import of_draws
from certo.issue.risk.online_to_batch import issue_online_to_batch


def compression(claim: CompressionBound, X, y, delta: float) -> RiskBound:
    """The bound that the fit made, with another delta: a vacuous one may then say something."""
    return of_draws(claim.at(delta), claim._sample(claim._read(X), y))


def layer_compression(machine: Perceptron, X, y, delta: float) -> RiskBound:
    """One bound for all neurons together."""
    runs = tuple(_perceptron_runs(machine, X))
    scheme = PerceptronScheme(runs, machine.coef_, machine.intercept_)
    return _compression(machine, scheme, union_of(machine.updated_), X, y, delta)


def one_pass(machine: Perceptron, X, y, delta: float) -> RiskBound:
    """The bound for a random iterate of a single epoch. It is not about the model's predictions, so
    `certify` leaves it out."""
    classes, runs = machine.classes_.tolist(), _perceptron_runs(machine, X)
    return issue_online_to_batch(X, y, classes, runs, machine.coef_, machine.intercept_, delta)


def average(machine: OnlineGradientDescent, X, y, delta: float) -> RiskBound:
    """The bound for the average of the iterates."""
    classes, run = machine.classes_.tolist(), replace(machine.run(), sparse=sparse.issparse(X))
    weights = machine.coef_[0], float(machine.intercept_[0])
    return issue_average_to_batch(X, y, classes, run, *weights, delta)


def kernel_compression(machine: KernelPerceptron, X, y, delta: float) -> RiskBound:
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
    updated = union_of(machine.support_)
    dual_coef = np.zeros((len(machine.support_), updated.size))
    for line, rows, coef in zip(dual_coef, machine.support_, machine.dual_coef_, strict=True):
        line[np.searchsorted(updated, rows)] = coef
    scheme = KernelScheme(machine.kernel_, replace(machine.run(), seed=seed), dual_coef)
    return _compression(machine, scheme, updated, X, y, delta)


def _compression(
    machine, scheme: Scheme, updated: np.ndarray, X, y, delta: float
) -> CompressionBound:
    """The bound for all outputs together, if the run can be repeated: it may have been stopped by
    hand, or been continued by `partial_fit`."""
    labels = all_labels(machine.classes_.tolist())
    sample = scheme.sample(scheme.read(X), y, labels)
    return issue_compression_bound(sample, labels, scheme, updated, delta)


def _perceptron_runs(machine: Perceptron, X) -> list[PerceptronRun]:
    """The run of each neuron: as a claim of the fit has it, which knows the seed, or from the
    settings."""
    known = machine.certificate_.of_kind(CompressionBound)
    if len(known) == len(machine.coef_):
        return [claim.scheme.runs[0] for claim in known]
    if machine.order != "cyclic" or machine.init == "random":
        _seed(machine)
    run, is_sparse = machine.run(), sparse.issparse(X)
    return [replace(run, output=k, sparse=is_sparse) for k in range(len(machine.coef_))]


def _seed(machine) -> int:
    if machine.random_state is None:
        raise CannotClaim(
            "what was drawn at random is not known any more, so that the run cannot be repeated. "
            "Give random_state a number."
        )
    return int(check_random_state(machine.random_state).randint(2**31 - 1))
