"""Whether a matrix is a Gram matrix: a proof that it is, or a witness that it is not."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import manhattan_distances, rbf_kernel, sigmoid_kernel

from certo.kernels import Gaussian, Linear, NotPositive
from certo.kernels.semidefinite import check_gram, is_shown_psd, symmetrised


def exactly(K, z):
    K, z = symmetrised(np.asarray(K, float)).tolist(), [Fraction(v) for v in z.tolist()]
    return sum(
        a * b * Fraction(K[i][j]) for i, a in enumerate(z) if a for j, b in enumerate(z) if b
    )


def is_psd_exactly(K, shift):
    """Whether K + shift·I is positive semi-definite, by elimination in rational numbers."""
    A = [[Fraction(v) for v in row] for row in K.tolist()]
    for i, row in enumerate(A):
        row[i] += Fraction(shift)
    for k in range(len(A)):
        if A[k][k] < 0 or (A[k][k] == 0 and any(A[k][k:])):
            return False
        if A[k][k]:
            for i in range(k + 1, len(A)):
                factor = A[i][k] / A[k][k]
                A[i] = [a - factor * b for a, b in zip(A[i], A[k], strict=True)]
    return True


@settings(max_examples=150)
@given(
    seed=st.integers(0, 10**6), n=st.integers(1, 6), low=st.sampled_from([0, 0, -16, -9, -5, -2])
)
def test_each_answer_is_true(seed, n, low):
    """Matrices with a lowest eigenvalue of −10^low, 0, or more."""
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.standard_normal((n, n)))
    values = rng.choice([0.0, 1e-9, 1.0, 30.0], n)
    values[0] = -(10.0**low) if low else values[0]
    K = symmetrised((Q * values) @ Q.T)
    shift, refusal = _answer(K)
    if refusal is not None:
        assert exactly(K, refusal.witness) <= Fraction(refusal.value) < 0
        assert low
        return
    assert is_shown_psd(K, shift)
    assert is_psd_exactly(K, shift)
    assert shift <= 8 * np.sqrt(n) * 2.0**-24 * np.max(np.diag(K)) + 1e-300


def _answer(K):
    try:
        return check_gram(K), None
    except NotPositive as refusal:
        return None, refusal


@settings(max_examples=150)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 6), exponent=st.integers(-17, -1))
def test_what_is_shown_is_true(seed, n, exponent):
    """The checker, asked about matrices near the border with shifts near the border."""
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.standard_normal((n, n)))
    values = rng.random(n)
    values[0] = -(10.0**exponent)
    K = symmetrised((Q * values) @ Q.T)
    for shift in (0.0, 10.0**exponent, 1.001 * 10.0**exponent, 2 * 10.0**exponent):
        if is_shown_psd(K, shift):
            assert is_psd_exactly(K, shift)


def test_gram_matrices_are_accepted_with_a_shift_that_is_stated():
    X = np.random.default_rng(0).standard_normal((150, 3))
    assert check_gram(np.eye(7)) == 0.0
    assert check_gram(Gaussian(variance=0.01)(X)) == 0.0  # far from singular
    for K in (Gaussian(variance=100.0)(X), Linear()(X), np.ones((9, 9)), np.zeros((4, 4))):
        shift = check_gram(K)
        assert 0 < shift <= 1e-11 * max(np.max(np.diag(K)), 1e-300)
        assert is_shown_psd(K, shift)
        assert not is_shown_psd(K, 0.0)
    assert check_gram(rbf_kernel(X)) < 1e-11
    single = Linear()(X).astype(np.float32)
    assert 1e-11 < check_gram(single) < 1e-4 * np.max(single)
    assert check_gram(np.zeros((0, 0))) == 0.0
    assert is_shown_psd(np.zeros((0, 0)), 0.0)


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, -np.inf])
def test_a_shift_must_be_a_shift(bad):
    assert not is_shown_psd(np.eye(3), bad)


def test_an_indefinite_matrix_is_refused_with_its_witness():
    X = np.random.default_rng(1).standard_normal((60, 4))
    hidden = np.eye(60)
    Q, _ = np.linalg.qr(np.random.default_rng(2).standard_normal((60, 60)))
    values = np.ones(60)
    values[7] = -1e-3
    for K in (
        -np.eye(3),
        [[1.0, 2.0], [2.0, 1.0]],
        [[0.0, 1.0], [1.0, 0.0]],
        [[0.0, 1.0], [1.0, 5.0]],
        [[5.0, 0.1], [0.1, 0.0]],
        sigmoid_kernel(X, gamma=1.0, coef0=-1.0),
        -manhattan_distances(X),
        symmetrised((Q * values) @ Q.T),
        hidden - 2.0 / 60,
        1e-200 * np.array([[1.0, 2.0], [2.0, 1.0]]),
        1e200 * np.array([[1.0, 2.0], [2.0, 1.0]]),
    ):
        with pytest.raises(NotPositive, match="zᵀKz is -") as caught:
            check_gram(K)
        z, value = caught.value.witness, caught.value.value
        assert z.shape == (len(K),)
        assert exactly(K, z) <= Fraction(value) < 0
        assert isinstance(caught.value, ValueError)
        again = pickle.loads(pickle.dumps(caught.value))
        assert again.value == value


@pytest.mark.parametrize(
    ("K", "says"),
    [
        (np.ones((2, 3)), r"must be square.*got shape \(2, 3\)"),
        (np.ones(3), "must be square"),
        ([[1.0, 0.5], [0.4, 1.0]], r"K\[0, 1\] is 0.5 and K\[1, 0\] is 0.4"),
        ([[1.0, np.nan], [0.0, 1.0]], r"K\[0, 1\] is nan"),
        ([[1.0, 0.0], [0.0, np.inf]], r"K\[1, 1\] is inf"),
        ([["a"]], "must hold numbers"),
    ],
)
def test_what_is_no_kernel_matrix_at_all_is_refused(K, says):
    with pytest.raises(ValueError, match=says):
        check_gram(K)


def test_asymmetry_of_rounding_is_evened_out():
    X = np.random.default_rng(3).standard_normal((40, 5))
    K = Gaussian()(X)
    assert symmetrised(np.eye(3)) is not None
    noisy = K * (1 + 1e-8 * np.random.default_rng(4).standard_normal(K.shape))
    even = symmetrised(noisy)
    np.testing.assert_array_equal(even, even.T)
    shift = check_gram(noisy)
    assert is_shown_psd(noisy, shift)
    assert is_shown_psd(even, shift)
    K = symmetrised(K)
    assert symmetrised(K) is K
