"""Standard errors that do not rest on the model of the noise (HC3, MacKinnon and White 1985).

The covariance of an estimate is A⁻¹ (Σ_t g_t g_tᵀ) A⁻¹: A is the curvature of the whole loss and
g_t is the gradient of the loss of example t at weights that do not fit it. HC3 takes the gradient
after one Newton step without example t: its residual is divided by 1 − leverage.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from scipy import sparse
from scipy.special import softmax

from certo.facts import InputError
from certo.words import refusals

ROWS_PER_BLOCK = 4096
MIN_SLACK = 1e-10  # A leverage this near to 1 leaves nothing of a residual.


def check_robust(robust: Any, X: Any, y: Any) -> Literal["HC3"] | None:
    if robust not in (None, "HC3"):
        raise ValueError(f"robust must be None or 'HC3', got {robust!r}.")
    if robust and (X is None or y is None):
        raise ValueError(
            "robust='HC3' needs the examples of the fit, which keeps none: give X and y, and "
            "sample_weight if the fit had it."
        )
    return robust


def other_examples(machine: Any) -> ValueError:
    return ValueError(
        "robust='HC3' is about the examples of the fit, so that X, y and sample_weight must be "
        f"those of the fit, all {machine.n_samples_fit_:,} of them, but these are others: their "
        "number, or the risk of the coefficients differs."
    )


def covariance_of_squares(
    V: np.ndarray, rows: Iterator[tuple[np.ndarray, np.ndarray]]
) -> np.ndarray:
    """HC3 for least squares, one matrix for each output.

    `V` has VVᵀ = (XᵀX)⁻¹ (rows of NaN: undetermined coefficients). `rows` are blocks of the
    examples: (Vᵀx_t, residuals), both multiplied by the root of the weight.
    """
    middle: Any = 0.0
    start = 0
    for image, residuals in rows:
        slack = 1 - np.sum(image**2, axis=1)
        _require_slack(slack, start)
        start += len(image)
        scaled = residuals / slack[:, None]
        middle = middle + np.einsum("tq,ti,tj->qij", scaled**2, image, image, optimize=True)
    return V @ middle @ V.T


def covariance_of_logits(
    covariance: np.ndarray, X: Any, codes: np.ndarray, logits: np.ndarray, weights, lifted: bool
) -> np.ndarray:
    """HC3 for contrasts of logistic regression with a class.

    `covariance` is the inverse Hessian, `logits` are the scores of the other classes against the
    reference class, `codes` the classes (−1: the reference). Weight k means k copies.
    """
    if np.any(np.isnan(covariance)):
        raise ValueError(
            "robust='HC3' needs coefficients that the examples determine, but columns depend on "
            "each other. Leave out those that repeat others."
        )
    m, K = logits.shape
    p = len(covariance) // K
    C, middle = covariance.reshape(K, p, K, p), np.zeros((K * p, K * p))
    for start in range(0, m, ROWS_PER_BLOCK):
        some = slice(start, min(start + ROWS_PER_BLOCK, m))
        x = X[some].toarray() if sparse.issparse(X) else np.asarray(X[some], dtype=np.float64)
        if lifted:
            x = np.column_stack([x, np.ones(len(x))])
        share = softmax(np.column_stack([logits[some], np.zeros(len(x))]), axis=1)[:, :-1]
        left = (codes[some, None] == np.arange(K)) - share
        curvature = share[:, :, None] * (np.eye(K) - share[:, None, :])
        leverage = curvature @ np.einsum("ti,kilj,tj->tkl", x, C, x, optimize=True)
        slack = np.eye(K) - leverage
        _require_slack(np.linalg.det(slack), start)
        left = np.linalg.solve(slack, left[:, :, None])[:, :, 0]
        if weights is not None:
            left = left * np.sqrt(weights[some])[:, None]
        scores = (left[:, :, None] * x[:, None, :]).reshape(len(x), -1)
        middle += scores.T @ scores
    return covariance @ middle @ covariance


def _require_slack(slack: np.ndarray, start: int) -> None:
    """1 − leverage of the examples from `start` on must not be 0."""
    full = np.flatnonzero(slack < MIN_SLACK)
    if full.size:
        raise InputError(refusals.full_leverage, (start + full).tolist())
