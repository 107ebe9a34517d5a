"""What is proved about each machine of the house."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from certo.certificates.encoding import counted
from certo.certificates.errors.training_errors import TrainingErrors
from certo.certificates.margins.maximum_margin import MaximumMargin
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.model import Model, strangers
from certo.certificates.risk.compression_bound import CompressionBound
from certo.certificates.sample.examples import Sample, exact_matrix
from certo.containers import count
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
from certo.estimators._kernel import union_of
from certo.guarantees import runs
from certo.guarantees.page import OtherExamples, Page
from certo.guarantees.predicting import dense, is_linear, training_errors
from certo.issue.model import model_of
from certo.issue.risk.support_bound import issue_support_bound
from certo.issue.separation.separable import issue_separable

DEPENDS_ON_ALL = (
    "its answer depends on all examples, and no few of them determine it: only test examples can "
    "bound its errors."
)

RANDOM_ITERATE = (
    "the mistakes of the one pass bound the error rate of a rule that draws one of the earlier "
    "weights at random for every example, which is not how the model predicts. "
    "certo.certificates.OnlineToBatch makes that claim about the pass itself."
)


VECTORS = (
    "certify needs the very examples of the fit, and the model as it was after it, but its support "
    "vectors are not those examples of X."
)


def _own(page: Page, machine, X, y) -> None:
    """What the fit itself proved, which must be true of these examples."""
    claims = machine.certificate_
    verdict = claims.verify(X, y)
    wrong = next((f"{part.name}: {part.why}" for part in verdict.parts if not part), "")
    if wrong or not same_vectors(machine, X):
        error = OtherExamples(
            "certify needs the very examples of the fit, but a claim of the fit does not hold of X "
            f"and y: {wrong}"
            if wrong
            else VECTORS
        )
        m = count(X)
        if any(getattr(claim, "examples", m) != m for claim in claims):
            raise error  # no step is the reason
        own = [claim.name for claim in claims if not isinstance(claim, CompressionBound)]
        page.refuse_others(dict.fromkeys(own), error)
        page.refusals += claims.not_claimed
        return
    with suppress(_NoJson):
        if strange := strangers(
            machine.certificate_, _numbers(machine), X, partly_claimed(machine)
        ):
            raise ValueError(f"the model was changed after its fit. {strange[0]}")
    page.claims += [c for c in machine.certificate_ if not isinstance(c, CompressionBound)]
    page.refusals += machine.certificate_.not_claimed


def partly_claimed(machine) -> tuple[str, ...]:
    """What the fit itself may prove something about for some outputs and not for others."""
    is_average = isinstance(machine, Perceptron) and machine.average
    return ("coef_", "intercept_") if is_average else ()


def same_vectors(machine, X) -> bool:
    """Claims speak of rows of X; the vectors that predictions use must be these rows. Of objects,
    whatever they are, texts alone are compared."""
    kernel = getattr(machine, "kernel_", None)
    if kernel is None or kernel.takes == "matrix":
        return True
    rows, vectors = union_of(machine.support_), machine.support_vectors_
    if rows.size != count(vectors) or (rows.size and rows[-1] >= count(X)):
        return False
    if kernel.takes == "objects":
        own = zip([X[row] for row in rows.tolist()], vectors, strict=True)
        return all(one == other for one, other in own if isinstance(one, str))
    own = exact_matrix(X)[rows]
    if sparse.issparse(own) or sparse.issparse(vectors):
        different = sparse.csr_array(own) != sparse.csr_array(vectors)
        return own.shape == vectors.shape and different.nnz == 0
    return np.array_equal(own, vectors)


class _NoJson(Exception):
    """A kernel that is a Python function: its model cannot be compared with claims."""


def _numbers(machine) -> Model:
    try:
        return model_of(machine.certificate_, machine)
    except ValueError as wrong:
        raise _NoJson from wrong


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
    found = machine.certificate_.of_kind(CompressionBound)
    for claim in found:
        if claim.scheme.zero_sign != machine.zero_sign:
            raise ValueError(
                "the model was changed after its fit. CompressionBound speaks of another zero_sign "
                "than the model's."
            )
        make = partial(runs.compression, claim, X, y)
        page.add_risk("CompressionBound", make, of_predictions=claim.of_predictions)
    page.asked += not found and len(machine.classes_) == 2  # the fit tried for it
    if single and len(machine.classes_) > 2:
        page.add_risk("CompressionBound", partial(runs.layer_compression, machine, X, y))
    if single and machine.epochs == 1:
        page.refuse("OnlineToBatch", RANDOM_ITERATE)


def kernel_perceptron(page: Page, machine: KernelPerceptron, X, y) -> None:
    _classified(page, machine, X, y)
    if _complete(page, machine, "CompressionBound"):
        page.add_risk("CompressionBound", partial(runs.kernel_compression, machine, X, y))


def _complete(page: Page, machine, claim: str) -> bool:
    """Whether the kernel was the one of the settings, rather than completed from the examples."""
    complete = machine._kernel_to_fit == machine.kernel_
    if not complete:
        page.refuse(
            claim,
            f"the kernel was completed from the examples of the fit. Give {machine.kernel_!r}, if "
            "that was known before.",
        )
    return complete


def margins(page: Page, machine: SVM | HardMarginSVM, X, y) -> None:
    _classified(page, machine, X, y)
    if _complete(page, machine, "SupportBound"):
        support_bound(page, page.claims, X, y, outputs=len(machine.intercept_))


def support_bound(page: Page, claims, X, y, *, outputs: int) -> None:
    """What the solutions among the claims prove about new examples."""
    solutions = tuple(c for c in claims if isinstance(c, SoftMarginGap | MaximumMargin))
    if len(solutions) < outputs:
        page.asked += 1
        page.refuse("SupportBound", "nothing is proved about how near the fit is to the best.")
        return
    page.add_risk("SupportBound", lambda delta: issue_support_bound(X, y, solutions, delta))


def stochastic(page: Page, machine: Pegasos, X, y) -> None:
    _classified(page, machine, X, y)
    page.refuse(
        "SupportBound",
        "a run of random steps proves nothing about its own distance from the best weights. "
        f"certo.SVM(lam={machine.lam!r}) solves the same problem to a proved gap.",
    )


def online(page: Page, machine: OnlineGradientDescent, X, y) -> None:
    _classified(page, machine, X, y)
    page.add_risk("AverageToBatch", partial(runs.average, machine, X, y))


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
    said = {claim.name for claim in page.claims} | {refusal.name for refusal in page.refusals}
    if not is_linear(machine) or "Separable" in said:
        return
    wrong = sum(claim.surely for claim in page.claims if isinstance(claim, TrainingErrors))
    if wrong:
        page.refuse(
            "Separable",
            f"{counted(wrong, 'example')} of the fit would have to be on another side. Whether "
            "other hyperplanes separate the classes, certo.separability(X, y) decides.",
        )
        return
    X, coef = exact_matrix(X), np.atleast_2d(dense(machine.coef_)).astype(np.float64)
    intercepts = np.ravel(machine.intercept_).tolist()
    for labels, w, b in zip(one_against_rest(machine.classes_), coef, intercepts, strict=True):
        sample = Sample.of(X, y, labels)
        page.add("Separable", partial(issue_separable, sample, labels, w, b))


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
