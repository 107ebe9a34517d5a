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
    hessian: np.ndarray, basis: Basis, total: float, classes: int, reference: int
) -> np.ndarray:
    """(S·H)⁻¹ of the contrasts, all columns of a class after another's; NaN where the examples do
    not decide a coefficient.

    `hessian` is of classes against the last one. Of dependent columns each that is not kept is a
    combination of those kept: what is added to its coefficient can be taken from theirs, which are
    no more decided than its own.
    """
    kept, vectors = basis.kept, classes - 1
    p = len(hessian) // vectors
    among = np.arange(vectors)[:, None] * p + kept
    part = hessian[np.ix_(among.ravel(), among.ravel())]
    scale = 1 / np.sqrt(np.diag(part))  # columns of very different sizes
    inverse = linalg.inv(part * scale * scale[:, None]) * scale * scale[:, None] / total
    turn = against(np.vstack([np.eye(vectors), np.zeros(vectors)]), reference)
    turned = np.einsum(
        "ak,kilj,bl->aibj", turn, inverse.reshape(vectors, kept.size, vectors, kept.size), turn,
        optimize=True,
    )  # fmt: skip
    combined = np.array(basis.combinations, dtype=object).reshape(-1, kept.size)
    turned[:, np.any(combined != 0, axis=0)] = np.nan
    turned[:, :, :, np.any(combined != 0, axis=0)] = np.nan
    found = np.full((vectors, p, vectors, p), np.nan)
    every = np.arange(vectors)
    found[np.ix_(every, kept, every, kept)] = turned
    return found.reshape(vectors * p, vectors * p)
