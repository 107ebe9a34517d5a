"""Tables as maps of weights to scores."""

import numpy as np
import pytest

from certo.solvers.logistic_tables import table_of
from tests.solvers.logistic_scenes import STORAGES, data


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("lift", [True, False])
def test_tables_are_a_map_and_its_transpose(storage, lift):
    X, _ = data(0, storage=storage)
    table = table_of(X, lift)
    dense = X.toarray() if storage == "csr" else X
    Z = dense - table.centre
    Z = np.column_stack([Z, np.ones(len(Z))]) if lift else Z
    rng = np.random.default_rng(1)
    V, R = rng.standard_normal((table.p, 4)), rng.standard_normal((table.m, 4))

    def bend(U, some):
        U *= R[some].astype(U.dtype)

    for kind, off in ((np.float64, 1e-12), (np.float32, 1e-4)):
        W, S = V.astype(kind), R.astype(kind)
        np.testing.assert_allclose(table.times(W), Z @ V, atol=off)
        np.testing.assert_allclose(table.sums(S), Z.T @ R, atol=off)
        np.testing.assert_allclose(table.through(W, bend), Z.T @ (R * (Z @ V)), atol=off)
        np.testing.assert_allclose(table.squared_sums(S), (Z**2).T @ R, atol=off)
    np.testing.assert_allclose(
        table.squares, np.sum((dense - table.centre) ** 2, axis=1), rtol=1e-5
    )
