"""Nearest combinations, beside SciPy's non-negative least squares on the same columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import nnls

from certo.compiled.nearest_combination import nearest_combination
from certo.compiled.rows import rows_of

TIGHT = 1e-8


def nearest(X, signs, lift, scales, first, short=1.0, order=None):
    m, d = X.shape
    w, weights = np.empty(d + int(lift)), np.empty(m)
    order = np.arange(m) if order is None else order
    apart = nearest_combination(
        rows_of(X), signs, lift, scales, order, first, TIGHT, short, w, weights
    )
    return apart, w, weights


def vectors(X, signs, lift):
    return signs[:, None] * np.hstack([X, np.ones((len(X), int(lift)))])


@given(
    st.integers(0, 2**32 - 1), st.integers(2, 60), st.integers(1, 9), st.sampled_from([0.0, 1.0]),
    st.booleans(), st.booleans(), st.booleans(),
)  # fmt: skip
def test_it_is_as_near_as_that_of_scipy(seed, m, d, lift, whole, noisy, in_csr):
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d))
    X = np.rint(X) if whole else X
    noise = random.standard_normal(m) * noisy
    signs = np.where(X @ random.standard_normal(d) + noise > 0, 1, -1).astype(np.int8)
    Z = vectors(X, signs, lift)
    lengths = np.linalg.norm(Z, axis=1)
    scales = 1 / np.maximum(lengths, 1.0)
    apart, w, weights = nearest(
        sparse.csr_array(X) if in_csr else X, signs, lift, scales,
        int(random.integers(1, m + 1)), order=random.permutation(m),
    )  # fmt: skip
    columns = np.vstack([(scales[:, None] * Z).T, np.ones(m)])
    _, residual = nnls(columns, np.append(np.zeros(Z.shape[1]), 1.0))
    # Columns have a length of at most √2, and there are at most d + 2 of them in use.
    assert apart == pytest.approx(residual, abs=2 * TIGHT)
    assert np.all(weights >= 0)
    np.testing.assert_allclose(w, (scales[:, None] * Z).T @ weights, atol=1e-13 * m)


def test_without_a_largest_margin_it_ends_at_any_separator():
    random = np.random.default_rng(1)
    X = random.standard_normal((300, 4))
    signs = np.where(X @ [1.0, 2.0, -1.0, 0.5] > 0, 1, -1).astype(np.int8)
    Z = vectors(X, signs, 1.0)
    scales = 1 / np.linalg.norm(Z, axis=1)
    apart, w, weights = nearest(X, signs, 1.0, scales, 10, short=0.0)
    assert apart > TIGHT
    assert np.all(Z @ w > 0)
    assert np.count_nonzero(weights) <= 6


def test_opposite_vectors_cancel():
    X = np.array([[1.0, 2.0], [1.0, 2.0], [5.0, -1.0]])
    apart, _, weights = nearest(X, np.array([1, -1, 1], np.int8), 1.0, np.full(3, 0.2), 1)
    assert apart <= TIGHT
    assert weights[2] <= TIGHT < weights[0] == pytest.approx(weights[1])


def test_copies_of_a_vector_are_as_good_as_one():
    X = np.repeat([[1.0, 0.0], [0.0, 1.0]], 40, axis=0)
    apart, w, weights = nearest(X, np.ones(80, np.int8), 0.0, np.ones(80), 80)
    assert np.count_nonzero(weights) == 2
    # min ‖(a, b)‖² + (a + b − 1)² is reached at a = b = 1/3, where it is 1/3.
    assert apart == pytest.approx(np.sqrt(1 / 3))
    np.testing.assert_allclose(w, [1 / 3, 1 / 3])
