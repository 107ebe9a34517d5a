"""What the multipliers of scikit-learn's `SVC` prove: how near it is to the best, and what follows.

The sums of the multipliers of the two classes must be the same exactly, so they are moved to a grid
of their last digit. A claim about a function of a kernel is about these multipliers: those of the
model, up to that last digit.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from sklearn.svm import SVC

from certo.certificates.base import CannotClaim
from certo.certificates.errors.predictor import StatedPredictions
from certo.certificates.errors.training_errors import TrainingErrors
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.sample.examples import Sample, exact_matrix, rows_within
from certo.certificates.sample.labels import Labels
from certo.certificates.sample.pairs import pair_labels, pairs_of
from certo.certificates.spaces.images import KernelSample
from certo.estimators._pairs import by_pair, most_votes
from certo.estimators.new_examples import support_bound
from certo.guarantees.belonging import are_equal_rows
from certo.guarantees.page import OtherExamples, Page
from certo.guarantees.predicting import dense, kernel_of, support_classes
from certo.issue.margins.soft_margin_gap import issue_soft_margin_gap
from certo.kernels.base import Kernel
from certo.kernels.linear import Linear
from certo.kernels.semidefinite import NotPositive
from certo.problems.soft_margin import SoftMargin

WEIGHTED = (
    "class_weight={!r} may depend on the examples, so the machine is not a function of few of "
    "them. Fit without class_weight."
)
SCALED_FIRST = (
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
        outputs = len(np.ravel(machine.intercept_))
        support_bound(page, page.claims, X, y, outputs=outputs)


def _other_answers(page: Page, machine: SVC, X) -> str:
    """Why its answers may not be those of its multipliers; nothing, if for X they are."""
    if kernel_of(machine) is None:
        return ""  # Without a gap nothing is claimed, and the page says so.
    if machine.kernel == "precomputed":
        same = _predicts_by_columns(machine, exact_matrix(X))
    else:
        rules = [claim.predictor for claim in page.claims if isinstance(claim, TrainingErrors)]
        same = not any(isinstance(rule, StatedPredictions) for rule in rules)
    return "" if same else OTHERS


def _predicts_by_columns(machine: SVC, X) -> bool:
    """Whether it predicts for a matrix X what its multipliers say, up to rounding."""
    columns, coef = X[:, machine.support_], dense(machine.dual_coef_)
    K = len(machine.classes_)
    if K > 2:
        coef = by_pair(coef, support_classes(machine), K)
    scores = columns @ coef.T + machine.intercept_
    size = abs(columns) @ np.abs(coef.T) + np.abs(machine.intercept_)
    clear = np.all(np.abs(scores) > ZERO_SCORE_SHARE * size, axis=1)
    places = most_votes(scores, K) if K > 2 else (scores[:, 0] > 0).astype(int)
    said = machine.predict(X) == machine.classes_[places]
    return bool(np.all(said | ~clear))


def gaps(page: Page, machine: SVC, X, y) -> None:
    """How near to the best an SVC is, each of its pairs of classes by itself."""
    K = len(machine.classes_)
    if K == 2:
        page.add("SoftMarginGap", lambda: gap(machine, X, y))
        return
    for output in range(len(pairs_of(K))):
        before = len(page.refusals)
        page.add("SoftMarginGap", partial(gap, machine, X, y, output))
        if len(page.refusals) > before:  # The reason is that of all.
            return


def gap(machine: SVC, X, y, output: int | None = None) -> SoftMarginGap:
    """How near to the best an SVC of two classes is, or one of its pairs of several. CannotClaim,
    where that cannot be told."""
    kernel = kernel_of(machine)
    if kernel is None:
        raise CannotClaim(
            f"kernel={machine.kernel!r} is not known to be positive semi-definite with these "
            "settings, and the proof needs a function space."
        )
    classes, k = tuple(machine.classes_.tolist()), output or 0
    labels = Labels(classes, 1) if output is None else pair_labels(classes)[output]
    whole = exact_matrix(X)
    if whole.shape != machine.shape_fit_:
        raise ValueError(STRANGERS.format("the support vectors", "X"))
    if not _same_vectors(machine, whole):
        raise OtherExamples(STRANGERS.format("the support vectors", "X"))
    sample = _sample(kernel, X, y, labels)
    places, signs_of_all = sample.places, labels.signs(y)
    of_classes, every = machine.class_weight_, dense(machine.dual_coef_)[0]
    some = np.arange(every.size)
    if output is not None:
        i, j = pairs_of(len(classes))[output]
        codes = support_classes(machine)
        if not np.array_equal(codes, Labels(classes, 0).places(y)[machine.support_]):
            raise OtherExamples(STRANGERS.format("the labels of support vectors", "y"))
        every = by_pair(dense(machine.dual_coef_), codes, len(classes))[output]
        some, of_classes = np.flatnonzero(every), of_classes[[j, i]]
    some = some[np.argsort(machine.support_[some])]
    rows, signed = machine.support_[some].astype(np.int64), every[some]
    signs = signs_of_all[rows].astype(np.float64)
    if not np.array_equal(np.sign(signed), signs):
        raise OtherExamples(STRANGERS.format("the labels of support vectors", "y"))
    costs = float(machine.C) * of_classes[(signs > 0).astype(int)]
    alpha = SoftMargin(signs, costs, "free").feasible(np.abs(signed))
    kept = alpha > 0
    within = rows_within(sample, rows[kept])
    claim = issue_soft_margin_gap(
        replace(sample, places=None),
        labels,
        coef=dense(machine.coef_)[k] if sample.space.kernel is None else (),
        intercept=float(machine.intercept_[k]),
        treatment="free",
        C=float(machine.C),
        class_weight=of_classes,
        rows=within,
        dual_coef=(alpha * signs)[kept],
    )
    return claim if places is None else replace(claim, rows=rows[kept])


def _objection(machine: SVC) -> str:
    """Why no bound on its errors follows from the settings of an SVC; nothing, if one may."""
    if machine.class_weight is not None:
        return WEIGHTED.format(machine.class_weight)
    if machine.gamma == "scale" and machine.kernel in ("rbf", "poly"):
        return SCALED_FIRST
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
