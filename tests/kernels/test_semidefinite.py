"""Whether a matrix is a Gram matrix: a proof that it is, or a witness that it is not."""

import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import manhattan_distances, rbf_kernel, sigmoid_kernel

from certo.kernels import Definiteness, Gaussian, Linear, NotPositive, is_psd
from certo.kernels.semidefinite import check_gram, is_shown_psd, symmetrised


def exactly(K, z):
    """zᵀKz, which is that of (K + Kᵀ)/2."""
    K, z = np.asarray(K, float).tolist(), [Fraction(v) for v in z.tolist()]
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


@settings(max_examples=90)
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


@settings(max_examples=90)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 6), exponent=st.integers(-17, -1))
def test_verdicts_are_true(seed, n, exponent):
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
def test_invalid_matrices_are_refused(K, says):
    with pytest.raises(ValueError, match=says):
        check_gram(K)


def test_asymmetry_of_rounding_is_evened_out():
    X = np.random.default_rng(3).standard_normal((40, 5))
    K = Gaussian(1.0)(X)
    assert symmetrised(np.eye(3)) is not None
    noisy = K * (1 + 1e-8 * np.random.default_rng(4).standard_normal(K.shape))
    even = symmetrised(noisy)
    np.testing.assert_array_equal(even, even.T)
    shift = check_gram(noisy)
    assert is_shown_psd(noisy, shift)
    assert is_shown_psd(even, shift)
    K = symmetrised(K)
    assert symmetrised(K) is K


@settings(max_examples=90, deadline=None)
@given(seed=st.integers(0, 10**6), ulps=st.integers(-40, 40))
def test_verdicts_are_of_what_was_given_not_of_what_is_rounded(seed, ulps):
    """Of [[a, b], [b', c]] with b + b' odd in the last place, and ac near ((b + b')/2)²."""
    rng = np.random.default_rng(seed)
    a, b = 1.0 + rng.uniform(0, 1e-7), 1.0 + rng.uniform(0, 1e-8)
    other = np.nextafter(b, 2.0)
    c = float((Fraction(b) + Fraction(other)) ** 2 / 4 / Fraction(a))
    c += ulps // 10 * np.spacing(c)
    K = np.array([[a, other], [b, c]])
    verdict = is_psd(K, 0.0)
    determinant = Fraction(a) * Fraction(c) - (Fraction(b) + Fraction(other)) ** 2 / 4
    assert verdict.positive is not (determinant < 0)
    if verdict.positive is False:
        assert exactly(K, verdict.witness) <= verdict.value < 0
    assert verdict.verify(K) is (verdict.positive is not None)
    shift = is_psd(K).allowance
    assert determinant + Fraction(shift) * (Fraction(a) + Fraction(c) + Fraction(shift)) >= 0


def test_a_witness_against_the_rounded_half_is_none():
    entries = [["0x1.0000000182a55p+0", "0x1.000000008306cp+0"],
               ["0x1.000000008306bp+0", "0x1.ffffffff06d05p-1"]]  # fmt: skip
    K = np.array([[float.fromhex(v) for v in row] for row in entries])
    assert is_psd(symmetrised(K), 0).positive is False
    false = is_psd(symmetrised(K), 0)
    assert is_psd(K, 0).positive is None
    assert not false.verify(K)


@settings(max_examples=90, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 6),
    low=st.sampled_from([0, 0, -16, -9, -5, -2]),
    allowance=st.sampled_from([None, 0.0, 1e-12, 1e-6, 0.1, 100.0]),
)
def test_every_verdict_is_true_and_shown_by_the_matrix(seed, n, low, allowance):
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.standard_normal((n, n)))
    values = rng.choice([0.0, 1e-9, 1.0, 30.0], n)
    values[0] = -(10.0**low) if low else values[0]
    K = symmetrised((Q * values) @ Q.T)
    verdict = is_psd(K, allowance)
    assert verdict.verify(K) == (verdict.positive is not None)
    assert bool(verdict) == (verdict.positive is True)
    if verdict:
        assert is_psd_exactly(K, verdict.allowance)
        assert allowance is None or verdict.allowance <= allowance
    if verdict.positive is False:
        assert exactly(K, verdict.witness) <= Fraction(verdict.value) < 0
    if allowance != 0.0 and low in (0, -2):
        assert verdict.positive is not None


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.sampled_from([1, 2, 5, 20]), data=st.data())
def test_a_false_verdict_is_not_shown(seed, n, data):
    """Verdicts for another matrix, and forged ones: whatever verifies is true of the matrix."""
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.standard_normal((n, n)))
    grown = data.draw(st.sampled_from([1e-300, 1e-160, 1.0, 1e160, 1e300]))
    K, other = (
        symmetrised(grown * (Q * rng.choice([-1.0, -1e-6, 0.0, 1.0], n)) @ Q.T) for _ in range(2)
    )
    least = float(np.linalg.eigvalsh(K / grown)[0])
    z = rng.standard_normal(n) * data.draw(st.sampled_from([1e-200, 1.0, 1e150, 1e299, np.inf]))
    forged = [
        is_psd(other),
        replace(is_psd(other), allowance=0.0),
        Definiteness(True, 0.0),
        Definiteness(True, grown),
        Definiteness(True, np.nan),
        Definiteness(True, -1.0),
        Definiteness(True, 1e308),
        Definiteness(False, witness=z, value=-1e-300),
        Definiteness(False, witness=z, value=-np.inf),
        Definiteness(False, witness=z, value=np.nan),
        Definiteness(False, witness=z, value=0.0),
        Definiteness(False, witness=z[:-1], value=-1.0),
        Definiteness(False, witness=z.astype(object), value=-1.0),
        Definiteness(False, witness=z * np.nan, value=-1.0),
        Definiteness(False, witness=z),
        Definiteness(None),
    ]
    for verdict in forged:
        if not verdict.verify(K):
            continue
        if verdict.positive:
            assert least * grown + verdict.allowance >= -1e-12 * grown
        else:
            assert exactly(K, verdict.witness) <= Fraction(verdict.value) < 0


def test_a_quadratic_form_that_underflows_is_no_witness():
    """A product of 2⁻¹⁰⁷⁴ and 0.4 is 0 in float64, and a large entry of z makes that a large error:
    the form is computed below 0, and is above it."""
    K, z = np.zeros((40, 40)), np.full(40, 0.4)
    K[0, 1:] = K[1:, 0] = 2.0**-1074
    K[0, 1] = K[1, 0] = -(2.0**-1074)
    z[0], z[1] = 2.0**600, 8.0
    assert float(z @ K @ z) < 0 < exactly(K, z)
    assert not Definiteness(False, witness=z, value=-1e-300).verify(K)


def test_witnesses_that_would_overflow():
    for K in (
        [[1e-300, 1e5], [1e5, 1.0]],
        [[1e-310, 1e5], [1e5, 1.0]],
        [[1e-300, 1e200], [1e200, 1e300]],
        [[0.0, 1e-300], [1e-300, 1e300]],
    ):
        verdict = is_psd(K)
        assert verdict.verify(K) == (verdict.positive is not None)
        assert verdict or exactly(K, verdict.witness) <= Fraction(verdict.value) < 0


def test_verdict_repr():
    assert repr(is_psd(np.eye(2))) == "positive semi-definite: K is proved to be"
    assert repr(is_psd(np.ones((2, 2)))).startswith("positive semi-definite: K + ")
    assert repr(is_psd(-np.eye(2))) == (
        "not positive semi-definite: zᵀKz is -1 for the z with z[0] = 1"
    )
    singular = is_psd(np.ones((2, 2)), allowance=0.0)
    assert singular.positive is None
    assert not singular
    assert repr(singular).startswith("undecided")
    assert is_psd(np.zeros((0, 0)))
    assert is_psd(-1e-9 * np.eye(2), allowance=1e-8).allowance == pytest.approx(1e-9, rel=10)
    with pytest.raises(ValueError, match="must be symmetric"):
        is_psd([[1.0, 0.5], [0.4, 1.0]])
    with pytest.raises(ValueError, match="must be symmetric"):
        is_psd(np.eye(2)).verify([[1.0, 0.5], [0.4, 1.0]])
    with pytest.raises(ValueError, match="allowance must be"):
        is_psd(np.eye(2), allowance=-1.0)


def test_words_do_not_round_to_the_strong_side():
    allowance = Definiteness(True, 1.2341e-8)
    assert repr(allowance).endswith("K + 1.24e-08·I is proved to be")
    witness = np.array([1.0, -1.0])
    assert "zᵀKz is -1.23456 for" in repr(Definiteness(False, witness=witness, value=-1.2345699))
    assert "zᵀKz is -1.23456 for" in str(NotPositive(witness, -1.2345699))
