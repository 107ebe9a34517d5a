"""Classes against a reference class: contrasts of coefficients, and their covariance."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from certo.estimators._logistic import Basis


def against(values: np.ndarray, reference: int) -> np.ndarray:
    """w_k − w_ref for every other class k, from one row a class; or from the single row of two
    classes, which is that of the second against the first."""
    if len(values) == 1:
        return values if reference == 0 else -values
    return np.delete(values - values[reference], reference, axis=0)


def covariance(
    hessian: np.ndarray,
    centre: np.ndarray,
    basis: Basis,
    total: float,
    classes: int,
    reference: int,
) -> np.ndarray:
    """(S·H)⁻¹ of the contrasts, all columns of a class after another's; NaN where the examples do
    not decide a coefficient.

    `hessian` is of classes against the last one, and of x − centre: the intercept is that of the
    centred columns less w·centre. Of dependent columns each that is not kept is a combination of
    those kept: what is added to its coefficient can be taken from theirs, which are no more
    decided than its own.
    """
    kept, vectors = basis.kept, classes - 1
    p, d = len(hessian) // vectors, centre.size
    among = np.arange(vectors)[:, None] * p + kept
    part = hessian[np.ix_(among.ravel(), among.ravel())]
    scale = 1 / np.sqrt(np.diag(part))  # columns of very different sizes
    inverse = linalg.inv(part * scale * scale[:, None]) * scale * scale[:, None] / total
    back = np.eye(kept.size)
    if p > d:
        back[-1, :-1] = -centre[kept[:-1]]
    turn = np.kron(against(np.vstack([np.eye(vectors), np.zeros(vectors)]), reference), back)
    turned = (turn @ inverse @ turn.T).reshape(vectors, kept.size, vectors, kept.size)
    combined = np.array(basis.combinations, dtype=object).reshape(p - kept.size, kept.size)
    shared = np.any(combined != 0, axis=0)
    turned[:, shared] = turned[:, :, :, shared] = np.nan
    found = np.full((vectors, p, vectors, p), np.nan)
    every = np.arange(vectors)
    found[np.ix_(every, kept, every, kept)] = turned
    return found.reshape(vectors * p, vectors * p)
