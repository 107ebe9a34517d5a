"""What a run over the examples says of new ones: perceptrons, and online gradient descent."""

from __future__ import annotations

from dataclasses import replace

from scipy import sparse
from sklearn.utils import check_random_state

from certo.certificates.base import CannotClaim
from certo.certificates.risk.compression_bound import CompressionBound
from certo.certificates.risk.kernel_compression import (
    KernelRun,
)
from certo.certificates.risk.risk_bound import RiskBound
from certo.certificates.runs.perceptron_run import PerceptronRun
from certo.estimators import KernelPerceptron, OnlineGradientDescent, Perceptron
from certo.issue.risk.average_to_batch import issue_average_to_batch
from certo.issue.risk.class_compression import issue_class_compression_bound
from certo.issue.risk.kernel_compression import issue_kernel_compression_bound
from certo.issue.risk.online_to_batch import issue_online_to_batch


def compression(claim: CompressionBound, X, y, delta: float) -> RiskBound:
    """The bound that the fit made, with another delta: a vacuous one may then say something."""
    return claim.at(delta).of_draws(claim._sample(claim._read(X), y))


def class_compression(machine: Perceptron, X, y, delta: float) -> RiskBound:
    """One bound for all neurons together."""
    classes = machine.classes_.tolist()
    weights = machine.coef_, machine.intercept_
    runs = _perceptron_runs(machine, X)
    return _shown(
        issue_class_compression_bound(X, y, classes, runs, *weights, machine.updated_, delta), X, y
    )


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
    run = KernelRun(
        int(machine.epochs), machine.order, machine.intercept == "lifted",
        machine.update_at_zero, seed,
    )  # fmt: skip
    made_of = machine.support_, machine.dual_coef_
    classes = machine.classes_.tolist()
    return issue_kernel_compression_bound(X, y, classes, machine.kernel_, run, *made_of, delta)


def _perceptron_runs(machine: Perceptron, X) -> list[PerceptronRun]:
    """The run of each neuron: as a claim of the fit has it, which knows the seed, or from the
    settings."""
    known = machine.certificate_.of_kind(CompressionBound)
    if len(known) == len(machine.coef_):
        return [claim.run for claim in known]
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


def _shown(claim: RiskBound, X, y) -> RiskBound:
    """The claim, if the run can be repeated: it may have been stopped by hand, or been continued by
    `partial_fit`."""
    verdict = claim.verify(X, y)
    if not verdict:
        raise CannotClaim(verdict.why)
    return claim
