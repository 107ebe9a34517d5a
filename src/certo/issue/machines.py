"""Machines as claims give them."""

from __future__ import annotations

import numpy as np

from certo.certificates.spaces.space import Machine


def hyperplane(coef: np.ndarray, intercept: float = 0.0) -> Machine:
    """The machine with these weights, in a space with coordinates."""
    return Machine(np.asarray(coef), np.zeros(0, np.int64), np.zeros(0), intercept)


def function(rows: np.ndarray, dual_coef: np.ndarray, intercept: float = 0.0) -> Machine:
    """The machine Σ dual_coef_i φ(x_rows_i) + intercept, in a space without coordinates."""
    return Machine(np.zeros(0), np.asarray(rows), np.asarray(dual_coef), intercept)
