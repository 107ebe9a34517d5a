"""The rule by which a fitted classifier predicts, as a claim can hold it."""

from __future__ import annotations

from functools import partial
from inspect import isroutine
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.svm import SVC, NuSVC

from certo.certificates.base import CannotClaim
from certo.certificates.encoding import counted
from certo.certificates.errors.kernel_predictor import KernelPredictor
from certo.certificates.errors.predictor import LinearPredictor, Predictor, StatedPredictions
from certo.certificates.errors.training_errors import TrainingErrors
from certo.certificates.errors.votes import KernelVotes, LinearVotes
from certo.certificates.sample.examples import Sample, exact_matrix
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.separable import Separable
from certo.estimators._input import one_against_rest
from certo.guarantees.page import Page
from certo.issue.errors import issue_training_errors
from certo.issue.labels import all_labels
from certo.issue.separation import issue_separable
from certo.kernels.base import Kernel
from certo.kernels.gaussian import Gaussian
from certo.kernels.linear import Linear
from certo.kernels.polynomial import Polynomial
from certo.kernels.precomputed import Precomputed
from certo.words.labels import against
from certo.words.reader import separability_call


def predictor_of(machine, X) -> Predictor:
    """Weights or a function of an RKHS, if that is how the model predicts; else what it predicts
    for X. Estimators of Certo do; of others it is seen whether they do so for X."""
    rule = None if has_own_methods(machine) else _rule(machine)
    if rule is not None and _home(machine) == "certo":
        return rule
    classes, said = np.asarray(machine.classes_).tolist(), machine.predict(X)
    if rule is not None:
        wrong, ties = rule.wrong(rule.read(X), all_labels(classes).places(said))
        if not np.any(wrong & ~ties):
            return rule
    return StatedPredictions.of(said, classes)


def has_own_methods(machine) -> bool:
    """Whether somebody has given this one object a method in place of that of its class."""
    return any(
        isroutine(getattr(type(machine), name, None)) for name in getattr(machine, "__dict__", ())
    )


def _home(machine) -> str:
    return type(machine).__module__.split(".")[0]


def _rule(machine) -> Predictor | None:
    """By which it should predict; None for models of kinds that are not known here."""
    if _home(machine) not in ("certo", "sklearn"):
        return None  # A subclass may predict differently.
    is_own = _home(machine) == "certo"
    own_kernel, votes = (
        getattr(machine, n, None) if is_own else None for n in ("kernel_", "_votes")
    )
    if own_kernel is not None:
        if own_kernel.takes == "vectors":
            vectors, coef = machine.support_vectors_, machine.dual_coef_
            if votes is not None:
                return _votes(machine, own_kernel, machine._support_classes, votes != "first")
            return KernelPredictor(own_kernel, vectors, coef, np.asarray(machine.intercept_))
    elif votes is not None:
        return LinearVotes(machine.intercept_, votes != "first", machine.coef_)
    elif isinstance(machine, SVC):
        kernel = kernel_of(machine)
        if kernel is not None and kernel.takes == "vectors":
            if len(machine.classes_) > 2:
                return _votes(machine, kernel, support_classes(machine), machine.break_ties)
            coef = dense(machine.dual_coef_)
            return KernelPredictor(kernel, machine.support_vectors_, coef, machine.intercept_)
    elif is_linear(machine):
        return LinearPredictor(np.atleast_2d(dense(machine.coef_)), np.ravel(machine.intercept_))
    return None


def _votes(machine: Any, kernel: Kernel, codes: np.ndarray, by_confidence: bool) -> KernelVotes:
    """The vote of its pairs; supports without any multiplier are left out."""
    coef = dense(machine.dual_coef_)
    some = np.flatnonzero(np.any(coef != 0, axis=0))
    vectors = kernel.points(machine.support_vectors_, some)
    return KernelVotes(
        np.asarray(machine.intercept_),
        bool(by_confidence),
        kernel,
        vectors,
        codes[some],
        coef[:, some],
    )


def support_classes(machine: SVC) -> np.ndarray:
    """Of which class each support of an SVC is: it has them class by class."""
    return np.repeat(np.arange(len(machine.classes_)), machine.n_support_)


def kernel_of(machine: SVC) -> Kernel | None:
    """Its kernel as ours; None where it is not one of them, or need not be positive semi-definite.

    (The variance of a Gaussian is 1/(2·gamma), rounded.)
    """
    try:
        if machine.kernel == "rbf":
            return Gaussian(0.5 / machine._gamma)
        if machine.kernel == "poly":
            return Polynomial(machine.degree, float(machine._gamma), float(machine.coef0))
    except (ValueError, ZeroDivisionError):  # A gamma of 0, a negative coef0, a degree of 0.
        return None
    if machine.kernel == "linear":
        return Linear()
    return Precomputed() if machine.kernel == "precomputed" else None


def is_linear(machine) -> bool:
    """Whether the highest of coef_·x + intercept_ (or the sign) is what it predicts."""
    if isinstance(machine, SVC | NuSVC):  # SVC has a row for each pair of classes.
        return machine.kernel == "linear" and len(machine.classes_) == 2
    if getattr(machine, "_votes", None) is not None:
        return False
    coef, classes = getattr(machine, "coef_", None), getattr(machine, "classes_", None)
    if coef is None or classes is None or not hasattr(machine, "decision_function"):
        return False
    outputs = np.shape(np.atleast_2d(dense(coef)))[0]
    intercepts = np.size(getattr(machine, "intercept_", ()))
    return (
        np.ndim(classes) == 1
        and outputs == intercepts == (1 if len(classes) == 2 else len(classes))
        and not getattr(machine, "_multilabel", False)
    )


def dense(coef) -> np.ndarray:
    """Numbers of a model, which may be sparse, as an array."""
    return coef.toarray() if sparse.issparse(coef) else np.asarray(coef)


def errors_and_margins(page: Page, machine, X, y) -> None:
    """How many examples of the fit are errors; if none is, by how much the outputs separate."""
    classes: tuple[Any, ...] = tuple(np.asarray(machine.classes_).tolist())
    page.add(
        "TrainingErrors",
        lambda: issue_training_errors(X, y, classes, predictor_of(machine, X)),
    )
    said = {claim.name for claim in page.claims} | {refusal.name for refusal in page.refusals}
    if not is_linear(machine) or "Separable" in said:
        return
    wrong = sum(claim.surely for claim in page.claims if isinstance(claim, TrainingErrors))
    if wrong:
        page.refuse(
            "Separable",
            f"the model is wrong on {counted(wrong, 'example')} of the fit. To decide whether "
            f"other hyperplanes separate the classes: {separability_call()}.",
        )
        return
    X, coef = exact_matrix(X), np.atleast_2d(dense(machine.coef_)).astype(np.float64)
    intercepts = np.ravel(machine.intercept_).tolist()
    for labels, w, b in zip(one_against_rest(machine.classes_), coef, intercepts, strict=True):
        sample = Sample.of(X, y, labels)
        page.add("Separable", partial(_separable, sample, labels, w, b))


def _separable(sample: Sample, labels: Labels, coef: np.ndarray, intercept: float) -> Separable:
    """The claim, or CannotClaim that says which classes it would be about: of several, whose
    highest score is predicted, the score of one may be below 0 where the rule is right."""
    try:
        return issue_separable(sample, labels, coef, intercept)
    except CannotClaim as reason:
        alone = ", by its score alone" if len(labels.classes) > 2 else ""
        raise CannotClaim(f"{against(labels)}{alone}: {reason}") from reason
