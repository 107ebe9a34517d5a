"""What is proved about each machine of the house."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from certo.certificates import (
    AverageToBatch,
    CannotClaim,
    ClassCompressionBound,
    CompressionBound,
    DualityGap,
    KernelCompressionBound,
    KernelGap,
    KernelMargin,
    KernelRun,
    MaximumMargin,
    OnlineToBatch,
    PerceptronRun,
    Sample,
    Separating,
    SupportBound,
    TrainingErrors,
)
from certo.certificates.encoding import counted
from certo.certificates.sample import exact_matrix
from certo.estimators import (
    SVM,
    GaussianDensity,
    HardMarginSVM,
    KernelPerceptron,
    LeastSquares,
    LogisticRegression,
    LogLinearDensity,
    MinDisagreement,
    OnlineGradientDescent,
    Pegasos,
    Perceptron,
)
from certo.estimators._input import one_against_rest
from certo.guarantees.page import Page
from certo.guarantees.predicting import dense, is_linear, training_errors

DEPENDS_ON_ALL = (
    "its answer depends on all examples, and no few of them determine it, so that the examples of "
    "the fit bound nothing. Give X_test and y_test."
)

FORGOTTEN = (
    "the run had random numbers that are not known any more. Give random_state a whole number."
)


def _own(page: Page, machine, X, y) -> None:
    """What the fit itself proved, which must be true of these examples."""
    verdict = machine.certificate_.verify(X, y)
    if not verdict:
        wrong = next(part for part in verdict.parts if not part)
        raise ValueError(
            "certify needs the very examples of the fit, but a claim of the fit does not hold of X "
            f"and y: {wrong.name}: {wrong.why}"
        )
    page.claims += [c for c in machine.certificate_ if not isinstance(c, CompressionBound)]
    page.refusals += machine.certificate_.not_claimed


def _classified(page: Page, machine, X, y) -> bool:
    """Errors, and margins where there are any; whether each example has one label."""
    _own(page, machine, X, y)
    if getattr(machine, "_multilabel", False):
        page.refuse("TrainingErrors", "an example has several labels: each output has its claims.")
        return False
    errors_and_margins(page, machine, X, y)
    return True


def perceptron(page: Page, machine: Perceptron, X, y) -> None:
    single = _classified(page, machine, X, y)
    for claim in machine.certificate_.of_kind(CompressionBound):
        page.add_risk("CompressionBound", claim.at)
    if not single:
        return
    classes, weights = machine.classes_.tolist(), (machine.coef_, machine.intercept_)
    if len(classes) > 2:
        page.add_risk(
            "ClassCompressionBound",
            lambda delta: ClassCompressionBound.of(
                X, y, classes, _runs(machine, X), *weights, machine.updated_, delta
            ),
        )
    if machine.epochs == 1:
        page.add_risk(
            "OnlineToBatch",
            lambda delta: OnlineToBatch.of(X, y, classes, _runs(machine, X), *weights, delta),
        )


def _runs(machine: Perceptron, X) -> list[PerceptronRun]:
    """The run of each output. A random one is known only from a claim of the fit about it."""
    claims = machine.certificate_.of_kind(CompressionBound)
    if len(claims) == len(machine.intercept_):
        return [claim.run for claim in claims]
    run = machine.run()
    if (run.order, run.init) != ("cyclic", "zeros") and not _is_seed(machine.random_state):
        raise CannotClaim(FORGOTTEN)
    stored = sparse.issparse(X)
    return [replace(run, output=k, sparse=stored) for k in range(len(machine.intercept_))]


def _is_seed(random_state) -> bool:
    return isinstance(random_state, int | np.integer)


def kernel_perceptron(page: Page, machine: KernelPerceptron, X, y) -> None:
    _classified(page, machine, X, y)
    page.add_risk("KernelCompressionBound", lambda delta: _compressed(machine, X, y, delta))


def _compressed(machine: KernelPerceptron, X, y, delta: float) -> KernelCompressionBound:
    if machine.budget is not None:
        raise CannotClaim("with a budget the function is not one of the examples it is made of.")
    if machine._kernel_to_fit != machine.kernel_:
        raise CannotClaim("the kernel was completed from the examples of the fit. Give it whole.")
    seed = 0
    if machine.order == "shuffled":
        if not _is_seed(machine.random_state):
            raise CannotClaim(FORGOTTEN)
        seed = int(check_random_state(machine.random_state).randint(2**31 - 1))
    run = KernelRun(
        epochs=int(machine.epochs),
        order=machine.order,
        lifted=machine.intercept == "lifted",
        update_at_zero=machine.update_at_zero,
        seed=seed,
    )
    return KernelCompressionBound.of(
        X, y, machine.classes_.tolist(), machine.kernel_, run, machine.support_,
        machine.dual_coef_, delta,
    )  # fmt: skip


def margins(page: Page, machine: SVM | HardMarginSVM, X, y) -> None:
    _classified(page, machine, X, y)
    support_bound(page, page.claims, X, y, outputs=len(machine.intercept_))


def support_bound(page: Page, claims, X, y, *, outputs: int) -> None:
    """What the solutions among the claims prove about new examples."""
    kinds = (DualityGap, KernelGap, MaximumMargin, KernelMargin)
    solutions = tuple(claim for claim in claims if isinstance(claim, kinds))
    if len(solutions) < outputs:
        page.refuse("SupportBound", "nothing is proved about how near the fit is to the best.")
        return
    page.add_risk("SupportBound", lambda delta: SupportBound.of(X, y, solutions, delta))


def stochastic(page: Page, machine: Pegasos, X, y) -> None:
    _classified(page, machine, X, y)
    page.refuse(
        "SupportBound",
        "a run of random steps proves nothing about its own distance from the best weights. "
        f"certo.SVM(lam={machine.lam!r}) solves the same problem to a proved gap.",
    )


def online(page: Page, machine: OnlineGradientDescent, X, y) -> None:
    _classified(page, machine, X, y)
    page.add_risk(
        "AverageToBatch",
        lambda delta: AverageToBatch.of(
            X, y, machine.classes_.tolist(), machine.run(), machine.coef_[0],
            float(machine.intercept_[0]), delta,
        ),
    )  # fmt: skip


def least_errors(page: Page, machine: MinDisagreement, X, y) -> None:
    _own(page, machine, X, y)  # which counts the errors
    page.refuse("RiskBound", DEPENDS_ON_ALL)


def logistic(page: Page, machine: LogisticRegression, X, y) -> None:
    _classified(page, machine, X, y)
    page.refuse("RiskBound", DEPENDS_ON_ALL)


def unlabelled(page: Page, machine, X, y) -> None:
    _own(page, machine, X, y)
    page.refuse(
        "RiskBound",
        "losses of a regression or density have no upper end, so that no number of examples bounds "
        "their mean without more assumptions.",
    )


def errors_and_margins(page: Page, machine, X, y) -> None:
    """How many examples of the fit are errors; if none is, by how much the outputs separate."""
    training_errors(page, machine, X, y)
    said = {item.name for item in (*page.claims, *page.refusals)}
    if not is_linear(machine) or "Separating" in said:
        return
    wrong = sum(claim.errors for claim in page.claims if isinstance(claim, TrainingErrors))
    if wrong:
        page.refuse(
            "Separating",
            f"{counted(wrong, 'example')} of the fit would have to be on another side. Whether "
            "other hyperplanes separate the classes, certo.separability(X, y) decides.",
        )
        return
    X, coef = exact_matrix(X), np.atleast_2d(dense(machine.coef_)).astype(np.float64)
    intercepts = np.ravel(machine.intercept_).tolist()
    for labels, w, b in zip(one_against_rest(machine.classes_), coef, intercepts, strict=True):
        sample = Sample.of(X, y, labels)
        page.add("Separating", partial(Separating.of, sample, labels, w, b))


CLAIMS: dict[type, Any] = {
    Perceptron: perceptron,
    KernelPerceptron: kernel_perceptron,
    SVM: margins,
    HardMarginSVM: margins,
    Pegasos: stochastic,
    OnlineGradientDescent: online,
    MinDisagreement: least_errors,
    LogisticRegression: logistic,
    LeastSquares: unlabelled,
    GaussianDensity: unlabelled,
    LogLinearDensity: unlabelled,
}
