"""Rows of Gram matrices are added as they are, kept or computed again."""

from __future__ import annotations

import numpy as np
import pytest

from certo.kernels import Function, Gaussian, Polynomial, Precomputed
from certo.solvers.kernel_steps import GramRows, blocks

X = np.random.default_rng(0).normal(size=(12, 2))


@pytest.mark.parametrize("size", [1, 5, 12, 100])
def test_blocks_are_the_order_in_pieces(size):
    order = np.random.default_rng(1).permutation(12)
    parts = list(blocks(order, size))
    assert np.concatenate(parts).tolist() == order.tolist()
    assert max(map(len, parts)) <= size


@pytest.mark.parametrize("kernel", [Gaussian(1.0), Polynomial(2), Function(np.dot), Precomputed()])
@pytest.mark.parametrize("cache_mb", [0, 12 * 8 * 3 / 2**20, 1])
def test_what_is_added_is_the_sum_of_rows(kernel, cache_mb):
    data = Gaussian(1.0)(X) if isinstance(kernel, Precomputed) else X
    gram, rows = kernel(data), GramRows(kernel, kernel.examples(data), 12, cache_mb)
    scores, expected = np.zeros(12), np.zeros(12)
    for some in ([3, 7, 3], [0], [7, 11, 5, 2]):
        coef = np.arange(1.0, len(some) + 1)
        rows.add(scores, np.array(some), coef)
        expected += coef @ gram[some]
        np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)
