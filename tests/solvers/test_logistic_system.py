"""A Newton step solves the system of the Hessian that its definition gives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import softmax

from certo.solvers.logistic_system import NewtonSystem, conjugate_gradients
from certo.solvers.logistic_tables import table_of

RANDOM = np.random.default_rng(0)
M, D, RIDGE = 60, 4, 0.05
X = RANDOM.normal(size=(M, D)) * [1.0, 3.0, 0.3, 1.0]
SHARES = np.full(M, 1 / M)


def hessian(Z: np.ndarray, parts: np.ndarray) -> np.ndarray:
    """For vectors (p, outputs) as one list, the outputs of a coordinate beside each other."""
    p, K = Z.shape[1], parts.shape[1]
    bend = np.zeros((M, K, K))
    for t, share in enumerate(SHARES):
        q = parts[t]
        bend[t] = q[:, None] if K == 1 else share * (np.diag(q) - np.outer(q, q))
    H = np.einsum("ti,tkl,tj->ikjl", Z, bend, Z).reshape(p * K, p * K)
    penalty = np.where(np.arange(p) < D, RIDGE, 0.0)
    return H + np.diag(np.repeat(penalty, K))


@pytest.mark.parametrize("lift", [True, False])
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_the_system_is_that_of_the_hessian(store, outputs, lift):
    table = table_of(store(X), lift)
    q = RANDOM.uniform(0.1, 0.9, M)
    parts = (
        (SHARES * q * (1 - q))[:, None]
        if outputs == 1
        else softmax(RANDOM.normal(size=(M, 3)), axis=1)
    )
    b = RANDOM.normal(size=(table.p, outputs))
    if lift:  # The same added to all intercepts changes nothing.
        b[D] -= b[D].mean() if outputs > 1 else 0.0
    Z = np.column_stack([X - table.centre, np.ones(M)])[:, : table.p]
    system = NewtonSystem(table, SHARES, RIDGE)
    for _ in range(2):  # The second time with the preconditioner that was kept.
        x = system.solve(parts, b, 1e-4, 0.0)
        left = hessian(Z, parts) @ x.ravel() - b.ravel()
        # The residual is measured by the preconditioner, whose condition is moderate here.
        assert np.linalg.norm(left) <= 0.01 * np.linalg.norm(b)


def test_conjugate_gradients_end_where_there_is_no_curvature():
    b = np.array([[1.0], [0.0]])
    x = conjugate_gradients(lambda V: 0 * V, lambda R: R, b, 1e-3, 0.0)
    assert not x.any()
