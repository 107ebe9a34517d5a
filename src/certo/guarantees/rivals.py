"""What is proved about scikit-learn's models, from their fitted vectors alone."""

from __future__ import annotations

import numpy as np
from sklearn import linear_model, svm
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import column_or_1d

from certo.certificates.base import CannotClaim
from certo.certificates.regression.logistic_excess import LogisticExcess
from certo.certificates.sample.examples import Sample, exact_matrix
from certo.certificates.sample.labels import Labels
from certo.certificates.sample.values import Values
from certo.containers import count
from certo.estimators._least_squares import certified
from certo.estimators.new_examples import DEPENDS_ON_ALL
from certo.facts import InputError
from certo.guarantees import multipliers
from certo.guarantees.page import Page
from certo.guarantees.predicting import dense, errors_and_margins
from certo.issue.regression.logistic_excess import issue_logistic_excess
from certo.solvers.least_squares import least_squares
from certo.words import refusals

NO_MULTIPLIERS = (
    "{name} keeps no multipliers of its examples, which a bound from below is made of. certo.SVM "
    "solves the problem with the hinge loss to a proved gap."
)
NOT_OURS = (
    "nothing is known here about the problem that {name} solves, so its answer is not judged."
)
UNKNOWN_METHOD = (
    "it is not known here which examples determine the answer of {name}: only test examples can "
    "bound its errors."
)


def claims(page: Page, machine, X, y) -> None:
    """About any classifier or regressor with scikit-learn's methods."""
    name = type(machine).__name__
    _check_shapes(machine, X, y)
    if is_classifier(machine):
        if np.ndim(y) != 1 and np.shape(y)[-1] != 1:
            page.refuse("TrainingErrors", "an example has several labels.")
            return
        _optimal(page, machine, X, y, name)
        errors_and_margins(page, machine, X, y)
        if isinstance(machine, svm.SVC):
            multipliers.bound(page, machine, X, y)
        else:
            smooth = isinstance(machine, linear_model.LogisticRegression)
            page.refuse("RiskBound", DEPENDS_ON_ALL if smooth else UNKNOWN_METHOD.format(name=name))
    elif is_regressor(machine):
        _regression(page, machine, X, y, name)
        page.refuse("RiskBound", "the losses of a regression are unbounded.")
    else:
        raise TypeError(f"certify needs a classifier or a regressor, got {name}.")


def _check_shapes(machine, X, y) -> None:
    features = getattr(machine, "n_features_in_", None)
    if features is not None and np.ndim(X) == 2 and np.shape(X)[1] != features:
        raise InputError(refusals.other_width, "X", features, np.shape(X)[1])
    if y is None or np.shape(y)[:1] != (count(X),):
        raise InputError(refusals.other_length, "certify", count(X), None if y is None else len(y))


def _optimal(page: Page, machine, X, y, name: str) -> None:
    """How near the classifier is to the best of the problem it was to solve."""
    if type(machine) is linear_model.LogisticRegression:
        page.add("LogisticExcess", lambda: _logistic(machine, X, y))
    elif isinstance(machine, svm.SVC):
        multipliers.gaps(page, machine, X, y)
    elif isinstance(machine, svm.LinearSVC):
        page.refuse("SoftMarginGap", NO_MULTIPLIERS.format(name=name))
    else:
        page.refuse("optimality", NOT_OURS.format(name=name))


def _logistic(machine, X, y) -> LogisticExcess:
    classes = np.asarray(machine.classes_)
    penalised = machine.penalty != "none" and machine.penalty is not None
    mixed = isinstance(machine.l1_ratio, int | float) and machine.l1_ratio > 0
    if machine.penalty in ("l1", "elasticnet") or mixed:
        raise CannotClaim("the penalty is not the square of the weights alone.")
    if machine.solver == "liblinear" and (machine.fit_intercept or len(classes) > 2):
        raise CannotClaim(
            "liblinear penalises the intercept, and fits several classes one by one. Use another "
            "solver, or fit_intercept=False with two classes."
        )
    codes = np.searchsorted(classes, column_or_1d(y))
    codes[codes == len(classes)] = 0
    strange = np.flatnonzero(classes[codes] != column_or_1d(y))
    if strange.size:
        label = np.asarray(y).ravel()[strange[:1]].tolist()[0]
        raise InputError(refusals.unknown_label, label, strange, classes.tolist(), "the fit")
    weights = None
    if machine.class_weight is not None:
        weights = compute_class_weight(machine.class_weight, classes=classes, y=column_or_1d(y))
    total = len(codes) if weights is None else float(np.sum(weights[codes]))
    return issue_logistic_excess(
        Sample(exact_matrix(X), codes),
        Labels(tuple(classes.tolist()), len(classes) - 1),
        coef=dense(machine.coef_).astype(np.float64),
        intercept=np.ravel(machine.intercept_).astype(np.float64)
        if machine.fit_intercept
        else np.zeros(len(np.atleast_2d(machine.coef_))),
        treatment="free" if machine.fit_intercept else "none",
        ridge=1 / (machine.C * total) if penalised and np.isfinite(machine.C) else 0.0,
        class_weight=weights,
    )


def _regression(page: Page, machine, X, y, name: str) -> None:
    kinds = (linear_model.LinearRegression, linear_model.Ridge)
    if type(machine) not in kinds or machine.positive:
        page.refuse("optimality", NOT_OURS.format(name=name))
        return
    labels, X = Values.of(y), exact_matrix(X)
    Y = labels.read(y, X.shape[0])
    alpha = getattr(machine, "alpha", 0.0)
    if np.ndim(alpha):
        page.refuse("LeastSquaresExcess", "every output has a penalty of its own.")
        return
    ridge, lifted = float(alpha) / len(Y), bool(machine.fit_intercept)
    found = least_squares(X, Y, weights=None, lifted=lifted, ridge=ridge)
    coef = np.atleast_2d(dense(machine.coef_)).astype(np.float64)
    own = found._replace(
        coef=coef, intercept=np.broadcast_to(machine.intercept_, len(coef)).astype(np.float64)
    )
    treatment = "free" if lifted else "none"
    proved = certified(own, labels, X, Y, treatment=treatment, ridge=ridge, sample_weight=None)
    page.claims += proved.claims
    page.refusals += proved.not_claimed
