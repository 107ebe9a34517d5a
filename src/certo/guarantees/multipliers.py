"""What the multipliers of scikit-learn's `SVC` prove: how near it is to the best, and what follows.

The sums of the multipliers of the two classes must be the same exactly, so they are moved to a grid
of their last digit. A claim about a function of a kernel is about these multipliers: those of the
model, up to that last digit.
"""

from __future__ import annotations

import numpy as np
from sklearn.svm import SVC

from certo.certificates.base import CannotClaim
from certo.certificates.errors.predictor import StatedPredictions
from certo.certificates.errors.training_errors import TrainingErrors
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.sample.examples import Sample, exact_matrix
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.images import KernelSample
from certo.estimators.new_examples import support_bound
from certo.guarantees.belonging import are_equal_rows
from certo.guarantees.page import OtherExamples, Page
from certo.guarantees.predicting import dense, kernel_of
from certo.issue.margins.soft_margin_gap import issue_soft_margin_gap
from certo.kernels.base import Kernel
from certo.kernels.linear import Linear
from certo.kernels.semidefinite import NotPositive
from certo.problems.soft_margin import SoftMargin

PAIRS = (
    "with more than two classes SVC decides by a vote of machines for each pair of classes, and "
    "nothing is claimed about a vote. certo.SVM has one machine for each class against the rest."
)
WEIGHTED = (
    "class_weight={!r} may depend on the examples, so the machine is not a function of few of "
    "them. Fit without class_weight."
)
SCALED = (
    "gamma='scale' was computed from the examples of the fit, so the kernel is not one that was "
    "chosen before. Give gamma a number."
)
OTHERS = (
    "the model is not known to predict by its support vectors and their multipliers (it is of "
    "another class than SVC, or was changed after its fit), so a bound from these need not be "
    "about its predictions."
)
ZERO_SCORE_SHARE = 2.0**-40  # A score so small beside its terms is 0 but for rounding.
STRANGERS = "certify needs the very examples of the fit, but {} of the model are not those of {}."


def bound(page: Page, machine: SVC, X, y) -> None:
    """The bound on the errors of an SVC that follows from its gap."""
    objection = _objection(machine) or _other_answers(page, machine, X)
    if objection:
        page.refuse("SupportBound", objection)
    else:
        support_bound(page, page.claims, X, y, outputs=1)


def _other_answers(page: Page, machine: SVC, X) -> str:
    """Why its answers may not be those of its multipliers; nothing, if for X they are."""
    if len(machine.classes_) != 2 or kernel_of(machine) is None:
        return ""  # Without a gap nothing is claimed, and the page says so.
    if machine.kernel == "precomputed":
        same = _predicts_by_columns(machine, exact_matrix(X))
    else:
        rules = [claim.predictor for claim in page.claims if isinstance(claim, TrainingErrors)]
        same = not any(isinstance(rule, StatedPredictions) for rule in rules)
    return "" if same else OTHERS


def _predicts_by_columns(machine: SVC, X) -> bool:
    """Whether it predicts for a matrix X what its multipliers say, up to rounding."""
    columns, coef = X[:, machine.support_], dense(machine.dual_coef_)[0]
    scores = columns @ coef + machine.intercept_[0]
    size = abs(columns) @ np.abs(coef) + abs(machine.intercept_[0])
    said = machine.predict(X) == machine.classes_[(scores > 0).astype(int)]
    return bool(np.all(said | (np.abs(scores) <= ZERO_SCORE_SHARE * size)))


def gap(machine: SVC, X, y) -> SoftMarginGap:
    """How near to the best an SVC of two classes is. CannotClaim, where that cannot be told."""
    if len(machine.classes_) != 2:
        raise CannotClaim(PAIRS)
    kernel = kernel_of(machine)
    if kernel is None:
        raise CannotClaim(
            f"kernel={machine.kernel!r} is not known to be positive semi-definite with these "
            "settings, and the proof needs a function space."
        )
    labels = Labels(tuple(machine.classes_.tolist()), 1)
    sample = _sample(kernel, X, y, labels)
    if sample.X.shape != machine.shape_fit_:
        raise ValueError(STRANGERS.format("the support vectors", "X"))
    if not _same_vectors(machine, sample.X):
        raise OtherExamples(STRANGERS.format("the support vectors", "X"))
    order = np.argsort(machine.support_)
    rows, signed = machine.support_[order].astype(np.int64), dense(machine.dual_coef_)[0, order]
    signs = sample.signs[rows].astype(np.float64)
    if not np.array_equal(np.sign(signed), signs):
        raise OtherExamples(STRANGERS.format("the labels of support vectors", "y"))
    costs = float(machine.C) * machine.class_weight_[(signs > 0).astype(int)]
    alpha = SoftMargin(signs, costs, "free").feasible(np.abs(signed))
    kept = alpha > 0
    return issue_soft_margin_gap(
        sample,
        labels,
        coef=dense(machine.coef_)[0] if sample.space.kernel is None else (),
        intercept=float(machine.intercept_[0]),
        treatment="free",
        C=float(machine.C),
        class_weight=machine.class_weight_,
        rows=rows[kept],
        dual_coef=(alpha * signs)[kept],
    )


def _objection(machine: SVC) -> str:
    """Why no bound on its errors follows from the settings of an SVC; nothing, if one may."""
    if machine.class_weight is not None:
        return WEIGHTED.format(machine.class_weight)
    if machine.gamma == "scale" and machine.kernel in ("rbf", "poly"):
        return SCALED
    return ""


def _sample(kernel: Kernel, X, y, labels: Labels) -> Sample | KernelSample:
    if isinstance(kernel, Linear):
        return Sample.of(X, y, labels)
    try:
        return KernelSample.of(X, y, labels, kernel)
    except NotPositive as reason:
        raise CannotClaim(str(reason)) from reason


def _same_vectors(machine: SVC, X) -> bool:
    rows, vectors = machine.support_, machine.support_vectors_
    if machine.kernel == "precomputed":
        return True  # The model does not keep its examples.
    return are_equal_rows(X[rows], vectors)
