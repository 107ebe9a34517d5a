"""One thin adapter for each rival: the same problem, posed as that library wants it."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC


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
