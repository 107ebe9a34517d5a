"""Matrices of values that were computed before."""

import numpy as np
import pytest

from certo.kernels import Gaussian, Precomputed


def test_precomputed_blocks_are_columns():
    X = np.random.default_rng(4).standard_normal((6, 2))
    K, kernel = Gaussian(1.0)(X), Precomputed()
    assert kernel.takes == (2 * kernel).takes == "matrix"
    np.testing.assert_array_equal(kernel(K), K)
    np.testing.assert_array_equal(kernel(K[:2], [3, 0]), K[:2][:, [3, 0]])
    rows, columns = [1, 4], [0, 0, 5]
    block = kernel.plain(kernel.points(K, rows), kernel.take(K, columns))
    np.testing.assert_array_equal(block, K[np.ix_(rows, columns)])
    np.testing.assert_array_equal((kernel + kernel)(K, [1]), 2 * K[:, [1]])
    np.testing.assert_array_equal(K, Gaussian(1.0)(X))  # sums are not made in place of the data
    np.testing.assert_array_equal(kernel.diagonal(K), np.diag(K))
    np.testing.assert_array_equal((3 * kernel)(K), 3 * K)
    for bad, says in (
        (K[0], "rows of a Gram matrix"),
        (np.full((2, 2), np.nan), r"entry \[0, 0\] is nan"),
        ([["a"]], "matrix of numbers"),
    ):
        with pytest.raises(ValueError, match=says):
            kernel(bad)
    with pytest.raises(ValueError, match="numbers of columns"):
        kernel(K, K)
    with pytest.raises(ValueError, match="square matrix"):
        kernel.diagonal(K[:2])
