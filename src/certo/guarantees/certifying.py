"""certify: one page with everything that can be proved about a model."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, validate_data

from certo.certificates.base import CannotClaim
from certo.certificates.certified import Certified
from certo.certificates.errors.held_out_errors import TestErrors
from certo.certificates.risk.held_out_distances import TestDistances
from certo.certificates.risk.risk_bound import LEAST_DELTA
from certo.certificates.sample.draws import images_of
from certo.certificates.sample.equal_rows import one_look
from certo.certificates.sample.shared_rows import Known, known_examples
from certo.certificates.sample.values import Values
from certo.containers import canonical_csr, count
from certo.estimators.description import describe
from certo.facts import InputError
from certo.guarantees import own_machines, rivals
from certo.guarantees.by_blocks import page_of_blocks
from certo.guarantees.page import Page
from certo.guarantees.predicting import has_own_methods, predictor_of
from certo.guarantees.unwrapping import Wrapped, title_of, unwrapped
from certo.issue.errors import issue_test_errors
from certo.issue.labels import all_labels
from certo.issue.risk import error_cap, issue_test_distances
from certo.scale.opening import is_in_blocks
from certo.words import refusals


def certify(model, X, y=None, *, delta=0.05, X_test=None, y_test=None, tried=1) -> Certified:
    """Everything that can be proved about a fitted model, each claim with its proof.

    How near the fit is to the best, margins, mistakes, errors; and what follows for new examples,
    from the examples of the fit (compression and support vectors) and from test examples. What
    cannot be claimed is on the page, too, with the reason.

    Parameters
    ----------
    model : fitted estimator
        One of Certo's, or of scikit-learn's: for linear models and SVC as much is claimed as their
        fitted vectors allow, for others what their predictions allow. Or a pipeline, or a search
        over settings, that ends in one.
    X, y
        The examples of the fit, as they were given to it. Densities need no y, nor do
        `certo.scale.Blocks`, of which a few passes are made.
    delta : float, default=0.05
        The probability of being wrong that each claim about new examples may have. Each alone:
        `best`, the sharpest of them, pays for the choice.
    X_test, y_test : optional
        Examples that nothing was fitted to or chosen by.
    tried : int or "data", default=1
        How many settings were compared on these examples, if the model is the best of them: claims
        about new examples that come from the examples of the fit pay for the choice. The settings
        of a search over settings need no number: they are counted, and `tried` is how many such
        searches were compared. "data" says that settings were computed from the examples: then
        there are no such claims.

    Returns
    -------
    certo.certificates.Certified
        Iterable; `verify(X, y, X_test, y_test)` checks every claim again.

    Examples
    --------
    >>> from certo import SVM, certify
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> y = np.where(X[:, 0] > 0, "right", "left")
    >>> page = certify(SVM(C=1, intercept="none", tol=1e-8).fit(X, y), X, y)
    >>> [claim.name for claim in page]
    ['SoftMarginGap', 'TrainingErrors', 'SupportBound']
    >>> bool(page.verify(X, y))
    True
    """
    _check(model, delta, X_test, y_test)
    wrapped = unwrapped(model).compared(tried)
    if is_in_blocks(X):
        return page_of_blocks(wrapped, model, X, y, float(delta), X_test, y_test)
    X, X_test = (canonical_csr(Z) if sparse.issparse(Z) else Z for Z in (X, X_test))
    columns = _columns(model, X)
    if X_test is not None:
        _named(model, X_test)
    return page_about(wrapped, model, X, y, delta, X_test, y_test, columns)


@one_look()
def page_about(
    wrapped: Wrapped, model, X, y, delta: float, X_test=None, y_test=None, columns=()
) -> Certified:
    """The page of a machine that is known already, with what became of examples before it."""
    machine, wrapped = wrapped.machine, wrapped.seeing(X)
    page, tested = Page(wrapped, float(delta)), Page(wrapped, float(delta))
    is_own = describe(machine) is not None and not has_own_methods(machine)
    claims = own_machines.claims if is_own else rivals.claims
    with images_of(X if wrapped.steps else None):
        claims(page, machine, wrapped.prepare(X), y)
    if X_test is not None:
        _test(tested, machine, X, y, X_test, y_test)
    elif is_classifier(machine):
        tested.refuse("TestErrors", "no test examples were given.")
    return Certified(
        title_of(model),
        page.composite(),
        tested.composite(),
        tuple(columns),
        float(delta),
        wrapped.tried,
        wrapped.prepare if wrapped.steps else None,
        (*page.remarks, *tested.remarks),
        page.asked + tested.asked,
    )


def _check(model, delta, X_test, y_test) -> None:
    if isinstance(model, type) or not hasattr(model, "fit"):
        raise TypeError(f"certify needs a fitted estimator, got {model!r}.")
    try:
        check_is_fitted(model)
        is_classifier(unwrapped(model).machine)
    except NotFittedError:
        raise
    except AttributeError as wrong:  # The model has no scikit-learn tags.
        raise TypeError(
            f"certify needs an estimator that follows scikit-learn's conventions, but for "
            f"{type(model).__name__} scikit-learn says: {wrong}"
        ) from wrong
    is_number = isinstance(delta, int | float | np.floating | np.integer)
    if not is_number or isinstance(delta, bool) or not LEAST_DELTA <= delta < 1:
        raise ValueError(f"delta must be a number from {LEAST_DELTA} to below 1, got {delta!r}.")
    if (X_test is None) != (y_test is None) and not hasattr(X_test, "in_blocks"):
        raise ValueError("certify needs both X_test and y_test, or neither.")


def _columns(model, X) -> tuple[str, ...]:
    _named(model, X)
    names = getattr(X, "columns", getattr(model, "feature_names_in_", ()))
    return tuple(str(name) for name in names)


def _named(model, X):
    """X, if the names of its columns, where it has any, are those of the fit."""
    if hasattr(model, "feature_names_in_"):
        validate_data(model, X, reset=False, skip_check_array=True)
    return X


def _test(page: Page, machine, X, y, X_test, y_test) -> None:
    if not is_classifier(machine):
        _test_numbers(page, machine, X, y, X_test, y_test)
        return
    if np.ndim(y_test) > 1 and np.shape(y_test)[1] > 1:
        page.refuse("TestErrors", "an example has several labels.")
        return
    examples, m = page.wrapped.prepare(X_test), np.size(y_test)
    if count(examples) != m:
        raise InputError(refusals.other_length, "certify", count(examples), m, "X_test", "y_test")
    classes = tuple(machine.classes_.tolist())

    def make() -> TestErrors:
        try:
            machine.predict(_safe_indexing(examples, [0]))  # It knows what it does not take.
            known = _known(page, all_labels(classes), X, y, X_test, y_test)
            rows = np.flatnonzero(~known.left_out)
            new = _safe_indexing(examples, rows) if known.left_out.any() else examples
            rule, labels = predictor_of(machine, new), known.of_the_others(y_test)
            with images_of(known.of_the_others(X_test) if page.wrapped.steps else None):
                claim = issue_test_errors(new, labels, classes, rule, page.delta)
        except ValueError as wrong:
            raise InputError(refusals.unlike_the_fit, "X_test", str(wrong)) from wrong
        page.remarks += filter(None, [known.remark])
        return claim

    page.asked += 1
    page.add("TestErrors", make)


def _test_numbers(page: Page, machine, X, y, X_test, y_test) -> None:
    """How far a linear regression with one target is off."""
    known_kind = describe(machine)
    if known_kind is None or known_kind.learns != "numbers" or np.ndim(machine.coef_) != 1:
        page.refuse(
            "TestDistances",
            "it is made of regressions of Certo with one target. (The losses of others have no "
            "upper end, so that no number of test examples bounds their mean.)",
        )
        return

    def make() -> TestDistances:
        known = _known(page, Values(), X, y, X_test, y_test)
        new = known.of_the_others(page.wrapped.prepare(X_test))
        with images_of(known.of_the_others(X_test) if page.wrapped.steps else None):
            claim = issue_test_distances(
                new, known.of_the_others(y_test), machine.coef_, machine.intercept_, page.delta,
                error_cap(y - machine.predict(page.wrapped.prepare(X))),
            )  # fmt: skip
        page.remarks += filter(None, [known.remark])
        return claim

    page.add("TestDistances", make)


def _known(page: Page, labels, X, y, X_test, y_test) -> Known:
    """Which test examples are copies of examples of the fit; CannotClaim, if all are."""
    prepare = page.wrapped.prepare if page.wrapped.steps else None
    known = known_examples(labels, X, y, X_test, y_test, prepare)
    if known.why:
        raise CannotClaim(known.why)
    return known
