"""One thin adapter for each rival: the same problem, posed as that library wants it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp
from sklearn.linear_model import LinearRegression, LogisticRegression, SGDClassifier
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.svm import SVC, LinearSVC


def sklearn_perceptron(epochs: int):
    """The box of the notes: no shuffling, no early stop, no intercept."""
    return SklearnPerceptron(max_iter=epochs, tol=None, shuffle=False, fit_intercept=False)


def big_m(X, y, time_limit: float):
    """The textbook mixed-integer model of the 0-1 loss on HiGHS: e_t = 1 where example t may be on
    the wrong side, weights in [−1, 1] on standardised features, a margin of 1e-3.

    Returns the errors of its weights (a zero score is one) and its lower bound.
    """
    m, d = X.shape
    spread = X.std(axis=0)
    Z = np.hstack([(X - X.mean(axis=0)) / np.where(spread > 0, spread, 1), np.ones((m, 1))])
    signs = np.where(y == np.unique(y)[1], 1.0, -1.0)
    Z *= signs[:, None]
    slack = np.abs(Z).sum(axis=1) + 1e-3
    found = milp(
        np.append(np.zeros(d + 1), np.ones(m)),
        constraints=LinearConstraint(sparse.hstack([Z, sparse.diags_array(slack)]), lb=1e-3),
        integrality=np.append(np.zeros(d + 1), np.ones(m)),
        bounds=Bounds(np.append(-np.ones(d + 1), np.zeros(m)), 1.0),
        options={"time_limit": time_limit},
    )
    errors = m if found.x is None else int(np.sum(Z @ found.x[: d + 1] <= 0))
    return errors, int(np.ceil((found.mip_dual_bound or 0.0) - 1e-6))


def linear_svc(loss: str, intercept: str, iterations: int):
    """So large a C that the margin is hard. The intercept is penalised; "free": nearly not."""
    return LinearSVC(
        C=1e6,
        loss=loss,
        dual=loss == "hinge",
        intercept_scaling=100 if intercept == "free" else 1,
        tol=1e-12,
        max_iter=iterations,
    )


def sgd_classifier(lam: float, passes: int, average: bool):
    """The hinge loss with scikit-learn's own rate; a pass looks at every example once."""
    return SGDClassifier(
        loss="hinge",
        alpha=lam,
        max_iter=passes,
        tol=None,
        fit_intercept=False,
        average=average,
        random_state=0,
    )


class Hyperplane(NamedTuple):
    w: np.ndarray
    b: float
    out_of_passes: bool  # it stopped at its largest number of passes, not at its tolerance


SoftMargin = Callable[[float, float], Hyperplane]  # of C and the rival's own tolerance


def soft_linear_svc(X, y, intercept: str) -> SoftMargin:
    """scikit-learn's LIBLINEAR, with as many passes as it wants; "lifted" or "none"."""

    def fit(C, tol):
        model = LinearSVC(
            C=C,
            loss="hinge",
            dual=True,
            fit_intercept=intercept == "lifted",
            intercept_scaling=1,
            tol=tol,
            max_iter=100_000_000,
            random_state=0,
        ).fit(X, y)
        return Hyperplane(model.coef_[0], float(np.ravel(model.intercept_)[0]), False)

    return fit


def soft_liblinear(X, y, intercept: str) -> SoftMargin | None:
    """LIBLINEAR itself, its copy of X made beforehand; "lifted" or "none". None if absent.

    It stops after 300 passes, which no option changes.
    """
    try:
        from liblinear.liblinear import PRINT_STRING_FUN
        from liblinear.liblinearutil import parameter, problem, train
    except ImportError:
        return None
    bias = 1 if intercept == "lifted" else -1
    stored = problem(np.asarray(y, dtype=float), sparse.csr_matrix(X), bias)
    d = X.shape[1]

    def fit(C, tol):
        options = parameter(f"-s 3 -c {C!r} -e {tol!r} -B {bias} -q")
        said: list[bytes] = []
        options.print_func = PRINT_STRING_FUN(said.append)
        model = train(stored, options)
        w = model.label[0] * np.ctypeslib.as_array(model.w, (d + (bias > 0),))  # labels are ±1
        b = float(w[d]) if bias > 0 else 0.0
        return Hyperplane(w[:d], b, b"max number of iterations" in b"".join(said))

    return fit


def soft_svc(X, y, intercept: str) -> SoftMargin:
    """LIBSVM, the only one of them whose intercept is "free"."""

    def fit(C, tol):
        model = SVC(C=C, kernel="linear", tol=tol, cache_size=1000).fit(X, y)
        w = model.coef_
        w = w.toarray() if sparse.issparse(w) else w
        return Hyperplane(w[0], float(model.intercept_[0]), False)

    return fit


def gaussian_svc(C: float, gamma: float):
    """LIBSVM with K = exp(−γ‖x − x'‖²), at its own tolerance."""
    return SVC(C=C, gamma=gamma, cache_size=2000)


def gaussian_onedal(C: float, gamma: float):
    """The same of Intel's oneDAL. None if absent."""
    try:
        from sklearnex.svm import SVC as OneDAL  # noqa: N811
    except ImportError:
        return None
    return OneDAL(C=C, gamma=gamma, cache_size=2000)


def least_squares_rivals(X) -> dict[str, Callable]:
    """Each as fit(X, y) → (coef, intercept), all with an intercept."""

    def sklearn(X, y):
        model = LinearRegression().fit(X, y)
        return model.coef_, model.intercept_

    def numpy_lstsq(X, y):
        mean = X.mean(axis=0)
        coef = np.linalg.lstsq(X - mean, y - y.mean())[0]
        return coef, y.mean() - mean @ coef

    rivals: dict[str, Callable] = {"LinearRegression": sklearn}
    if not sparse.issparse(X):
        try:
            from sklearnex.linear_model import LinearRegression as OneDAL

            def onedal(X, y):
                model = OneDAL().fit(X, y)
                return model.coef_, model.intercept_

            rivals["oneDAL"] = onedal
        except ImportError:
            pass
        if X.size < 10**8:
            rivals["lstsq"] = numpy_lstsq
    return rivals


class Fitted(NamedTuple):
    coef: np.ndarray  # (outputs, d)
    intercept: np.ndarray


Logit = Callable[[float], Fitted]  # of the rival's own tolerance


def logistic_rivals(X, y, ridge: float) -> dict[str, Logit]:
    """Logistic regression with an intercept, mean loss + (ridge/2)‖w‖²; those that are there."""
    C = 1 / (ridge * len(y)) if ridge else np.inf
    classes = np.unique(y)
    rivals: dict[str, Logit] = {}

    def sklearn(kind, solver: str) -> Logit:
        def fit(tol):
            model = kind(C=C, solver=solver, tol=tol, max_iter=100_000).fit(X, y)
            return Fitted(model.coef_, np.ravel(model.intercept_))

        return fit

    for solver in ("lbfgs", "newton-cg", "newton-cholesky"):
        if solver != "newton-cholesky" or (len(classes) - 1) * X.shape[1] <= 5_000:
            rivals[solver] = sklearn(LogisticRegression, solver)
    try:
        from sklearnex.linear_model import LogisticRegression as OneDAL

        rivals["oneDAL"] = sklearn(OneDAL, "lbfgs")
    except ImportError:
        pass
    if len(classes) > 2:
        return rivals
    target = (y == classes[1]).astype(float)
    try:
        from glum import GeneralizedLinearRegressor

        def glum(tol):
            model = GeneralizedLinearRegressor(
                family="binomial", alpha=ridge, gradient_tol=tol, max_iter=1000
            ).fit(X, target)
            return Fitted(model.coef_[None, :], np.ravel(model.intercept_))

        rivals["glum"] = glum
    except ImportError:
        pass
    if ridge or sparse.issparse(X):
        return rivals
    try:
        from statsmodels.api import Logit as StatsLogit  # type: ignore[import-untyped]

        def statsmodels(tol):
            lifted = np.column_stack([X, np.ones(len(target))])
            w = StatsLogit(target, lifted).fit(method="newton", tol=tol, disp=0).params
            return Fitted(w[None, :-1], w[-1:])

        rivals["statsmodels"] = statsmodels
    except ImportError:
        pass
    return rivals
