"""Similarities made into kernels: the nearest one, no nearer one, and new points beside the old."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from certo import SVM
from certo.kernels import Gaussian, Precomputed, repair

REPAIRS = ("clip", "flip", "shift", "correlation")


@st.composite
def similarities(draw, most=7, ones=False):
    """Symmetric matrices with eigenvalues of either sign, of repeated and of no size too."""
    n, seed = draw(st.integers(1, most)), draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    if ones:
        K = rng.uniform(-1.2, 1.2, (n, n)).round(draw(st.sampled_from([0, 1, 9])))
        K = np.triu(K, 1) + np.triu(K, 1).T
        return K + np.eye(n)
    Q, _ = np.linalg.qr(rng.standard_normal((n, n)))
    values = rng.choice([-3.0, -1.0, -1e-9, 0.0, 1e-9, 1.0, 2.0], n)
    K = draw(st.sampled_from([1e-100, 1.0, 1e100])) * (Q * values) @ Q.T
    return (K + K.T) / 2


def size_of(K):
    return float(np.linalg.norm(K, 2))


@settings(max_examples=60, deadline=None)
@given(K=similarities(), how=st.sampled_from(REPAIRS[:3]))
def test_each_repair_is_what_it_says(K, how):
    values, U = np.linalg.eigh(K)
    new = {
        "clip": np.maximum(values, 0),
        "flip": np.abs(values),
        "shift": values - min(values[0], 0),
    }
    off, repaired = 1e-13 * size_of(K), repair(K, how)
    np.testing.assert_allclose(repaired.kernel, (U * new[how]) @ U.T, atol=off)
    assert repaired.proof
    assert repaired.proof.verify(repaired.kernel)
    assert repaired.proof.allowance <= off + 1e-300
    assert repaired.moved == pytest.approx(np.linalg.norm(repaired.kernel - K), abs=off)
    assert repaired.eigenvalue_moved == pytest.approx(size_of(repaired.kernel - K), abs=off)
    below = values[values < -off]
    assert repaired.negative == below.size
    sizes = max(np.abs(values).sum(), 1e-300)
    assert repaired.negative_share == pytest.approx(-below.sum() / sizes)


@settings(max_examples=60, deadline=None)
@given(K=similarities(), seed=st.integers(0, 10**6))
def test_clipping_is_the_nearest_psd_matrix(K, seed):
    """⟨K − K₊, X − K₊⟩ ≤ 0 for every positive semi-definite X is what makes K₊ the projection: it
    holds iff K₊ − K is positive semi-definite and orthogonal to K₊."""
    clipped, scale = repair(K), size_of(K) + 1e-300
    assert np.linalg.eigvalsh((clipped.kernel - K) / scale)[0] >= -1e-13
    assert abs(np.vdot(clipped.kernel / scale, (clipped.kernel - K) / scale)) <= 1e-13
    F = np.random.default_rng(seed).standard_normal((len(K), len(K)))
    for other in (
        F @ F.T * scale,
        clipped.kernel + 1e-3 * scale * F @ F.T,
        repair(K, "flip").kernel,
    ):
        assert np.linalg.norm(other / scale - K / scale) >= clipped.moved / scale - 1e-13


@settings(max_examples=60, deadline=None)
@given(K=similarities(ones=True), seed=st.integers(0, 10**6))
def test_the_correlation_matrix_is_the_nearest(K, seed):
    """First order: X − K − Diag(y) =: Z is positive semi-definite and ZX = 0, for some y. Then for
    every correlation matrix X', ½‖X' − K‖² − ½‖X − K‖² ≥ ⟨X − K, X' − X⟩ = ⟨Z, X'⟩ ≥ 0."""
    X = (repaired := repair(K, "correlation")).kernel
    np.testing.assert_array_equal(np.diag(X), 1.0)
    assert repaired.proof.verify(X)
    # (ZX)_ii = 0 gives y: the diagonal of (X − K)X, since that of Diag(y)X is y
    y = np.diag((X - K) @ X)
    Z = X - K - np.diag(y)
    assert np.linalg.eigvalsh(Z)[0] >= -1e-6
    assert abs(np.vdot(Z, X)) <= 1e-6
    F = np.random.default_rng(seed).standard_normal((len(K), len(K) + 1))
    F /= np.linalg.norm(F, axis=1, keepdims=True)
    for other in (F @ F.T, 0.99 * X + 0.01 * F @ F.T, np.eye(len(K))):
        assert np.linalg.norm(other - K) >= repaired.moved - 1e-7


def test_the_correlation_matrix_against_another_solver():
    """X = FFᵀ with rows of length 1, over F, from several starts."""
    K = np.array(
        [[1.0, 0.9, -0.4, 0.2], [0.9, 1.0, 0.8, 0.0], [-0.4, 0.8, 1.0, 0.7], [0.2, 0, 0.7, 1]]
    )

    def distance(f):
        F = f.reshape(4, 4) / np.linalg.norm(f.reshape(4, 4), axis=1, keepdims=True)
        return np.sum((F @ F.T - K) ** 2)

    starts = np.random.default_rng(0).standard_normal((5, 16))
    best = min(minimize(distance, start, tol=1e-14).fun for start in starts)
    assert repair(K, "correlation").moved == pytest.approx(np.sqrt(best), rel=1e-6)


@pytest.mark.parametrize("n", [60, 150])
def test_larger_correlation_matrices(n):
    rng = np.random.default_rng(n)
    K = np.clip(
        np.corrcoef(rng.standard_normal((n, 30))) + 0.4 * rng.standard_normal((n, n)), -1, 1
    )
    K = np.triu(K, 1) + np.triu(K, 1).T + np.eye(n)
    X = repair(K, "correlation").kernel
    Z = X - K - np.diag(np.diag((X - K) @ X))
    assert np.linalg.eigvalsh(Z)[0] >= -1e-9
    assert abs(np.vdot(Z, X)) <= 1e-8


@settings(max_examples=60, deadline=None)
@given(K=similarities())
def test_old_points_as_new_ones_come_out_the_same(K):
    for how in ("clip", "flip"):
        repaired = repair(K, how)
        np.testing.assert_allclose(repaired.transform(K), repaired.kernel, atol=1e-13 * size_of(K))
    np.testing.assert_array_equal(repair(K, "shift").transform(K), K)


@settings(max_examples=40, deadline=None)
@given(K=similarities(), seed=st.integers(0, 10**6), how=st.sampled_from(["clip", "flip"]))
def test_new_points_extend_the_kernel(K, seed, how):
    """Bordered by s' and with s'K'⁺s' in the corner, the matrix stays positive semi-definite."""
    K = K / (size_of(K) + 1e-300)
    repaired = repair(K, how)
    assume(repaired.negative)  # else nothing was repaired
    s = repaired.transform(np.random.default_rng(seed).standard_normal((2, len(K))))
    kernel = repaired.kernel
    # directions next to nothing (1e-9 here) have components that only huge corners can carry
    corner = s @ np.linalg.pinv(kernel, rcond=1e-12, hermitian=True) @ s.T
    whole = np.block([[kernel, s.T], [s, corner]])
    assert np.linalg.eigvalsh((whole + whole.T) / 2)[0] >= -1e-12 * np.linalg.norm(whole)


def test_a_kernel_is_left_as_it_is():
    X = np.random.default_rng(0).standard_normal((80, 2))
    K = Gaussian(variance=30.0)(X)  # singular up to rounding
    K = (K + K.T) / 2
    s = Gaussian(variance=30.0)(np.ones((1, 2)), X)
    for how in REPAIRS[:3]:
        repaired = repair(K, how)
        np.testing.assert_array_equal(repaired.kernel, K)
        np.testing.assert_array_equal(repaired.transform(s), s)
        assert repaired.kernel is not K
        assert repaired.moved == repaired.eigenvalue_moved == repaired.negative == 0
    np.testing.assert_allclose(repair(K, "correlation").kernel, K, atol=1e-12)
    for how in REPAIRS:
        assert repair(np.zeros((0, 0)), how).kernel.shape == (0, 0)
        assert repair([[1.0]], how).kernel.tolist() == [[1.0]]
    assert repair(-np.eye(3)).kernel.tolist() == np.zeros((3, 3)).tolist()
    np.testing.assert_allclose(
        repair(np.ones((2, 2)) - np.eye(2), "flip").kernel, np.eye(2), atol=1e-15
    )


def test_a_shift_is_proved_without_an_allowance():
    d = np.abs(np.subtract.outer(np.arange(50.0), np.arange(50.0)))
    shifted = repair(-d, "shift")
    assert shifted.proof.allowance == 0
    assert shifted.eigenvalue_moved == pytest.approx(-np.linalg.eigvalsh(-d)[0], rel=1e-10)


def test_machines_take_what_was_repaired():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 2))
    y = X[:, 0] * X[:, 1] > 0
    S = np.tanh(3 * X @ X.T - 1)  # no kernel
    train, test = np.arange(40), np.arange(40, 60)
    machine, square = SVM(Precomputed()), S[np.ix_(train, train)]
    with pytest.raises(ValueError, match=r"certo\.kernels\.repair"):
        machine.fit(square, y[train])
    for how in REPAIRS[:3]:
        repaired = repair(square, how)
        machine.fit(repaired.kernel, y[train])
        assert machine.certificate_.verify(repaired.kernel, y[train]).holds
        assert machine.predict(repaired.transform(S[np.ix_(test, train)])).shape == (20,)


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (lambda: repair(np.eye(2), "clip it"), "how must be one of 'clip', 'flip', 'shift', 'corr"),
        (lambda: repair(np.ones((2, 3))), "must be square"),
        (lambda: repair([[1.0, np.nan], [np.nan, 1.0]]), r"K\[0, 1\] is nan"),
        (lambda: repair([[1.0, 0.5], [0.4, 1.0]]), "must be symmetric"),
        (lambda: repair(2 * np.eye(2), "correlation"), r"K\[0, 0\] is 2.0. If the diagonal"),
        (lambda: repair(np.eye(2), "correlation").transform(np.eye(2)), "no transform.*how='clip'"),
        (lambda: repair(np.eye(2)).transform(np.ones(2)), "rows of 2 similarities"),
        (lambda: repair(np.eye(2)).transform(np.ones((1, 3))), r"got shape \(1, 3\)"),
        (lambda: repair(np.eye(2)).transform([[1.0, np.inf]]), r"S\[0, 1\] is inf"),
    ],
)
def test_irreparable_matrices_are_refused(act, says):
    with pytest.raises(ValueError, match=says):
        act()


def test_repair_reports_its_method_and_distance():
    assert repr(repair([[0.0, 1.0], [1.0, 0.0]])) == (
        "2×2 kernel matrix by clip: 1 of 2 eigenvalues were negative (50 % of the sum of sizes); "
        "moved by 1 (Frobenius), no eigenvalue by more than 1"
    )


@pytest.mark.parametrize("scale", [1e-315, 1e-300, 1e200, 1e299])
def test_distance_is_finite_at_every_scale(scale):
    repaired = repair(np.array([[1.0, 2.0], [2.0, 1.0]]) * scale)
    assert repaired.moved == pytest.approx(scale, rel=1e-6, abs=1e-320)


def test_repair_refuses_invalid_input():
    with pytest.raises(ValueError, match="must be a table of numbers"):
        repair(np.eye(2)).transform("ab")
    with pytest.raises(ValueError, match="of a size up to 1e"):
        repair([[1.0, 1e200], [1e200, 1.0]], "correlation")
