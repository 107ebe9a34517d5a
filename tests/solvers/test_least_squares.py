"""Least squares against LAPACK on centred, scaled columns, and its choice of method."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.numbers.rounding import gamma
from certo.solvers import least_squares as module
from certo.solvers.least_squares import least_squares
from certo.stop import Stop


def reference(X, Y, s, lifted, ridge, scaled=True):
    """By the singular values of the centred columns; of the same length, if they are independent
    (else the shortest coefficients would be other ones)."""
    S, d = s.sum(), X.shape[1]
    mean = s @ X / S if lifted else np.zeros(d)
    middle = s @ Y / S if lifted else np.zeros(Y.shape[1])
    A, B = np.sqrt(s)[:, None] * (X - mean), np.sqrt(s)[:, None] * (Y - middle)
    if ridge:
        A = np.vstack([A, np.sqrt(ridge * S) * np.eye(d)])
        B = np.vstack([B, np.zeros((d, Y.shape[1]))])
    scale = np.linalg.norm(A, axis=0) if scaled else np.ones(d)
    coef = (np.linalg.lstsq(A / scale, B, rcond=None)[0] / scale[:, None]).T
    singular = np.linalg.svd(A / scale, compute_uv=False)
    condition = singular[0] / singular[singular > 1e-10 * singular[0]][-1]
    return coef, middle - coef @ mean, condition


def check(X, Y, s, lifted, ridge, *, scaled=True, atol=1e-11):
    """Both solve problems that are off by γ_nd relatively, which moves coefficients by at most
    γ_nd·κ² of their size (Higham, §20.1)."""
    coef, intercept, condition = reference(X, Y, s, lifted, ridge, scaled)
    atol = max(atol, 2 * gamma(X.size) * condition**2)
    found = least_squares(X, Y, weights=s, lifted=lifted, ridge=ridge)
    deviation = np.std(X, axis=0) + np.abs(np.mean(X, axis=0)) * (not lifted)
    size = np.max(np.abs(Y)) + 1e-300
    assert np.max(np.abs(found.coef - coef) * deviation) <= atol * size
    squares = s @ (Y - X @ coef.T - intercept) ** 2
    np.testing.assert_allclose(found.squares, squares, rtol=1e-9, atol=atol * size**2)
    return found


def predictions_within(X, found, length, size, condition, bare):
    """How far X·coef may be from LAPACK's, by backward errors of a relative size of γ.

    Orthogonal factors of n rows and d columns, and refinement, solve a problem whose rows are off
    by γ_nd·‖X‖, which moves X·coef by γ_nd·(‖X‖‖coef‖ + κ‖r‖ + ‖y‖) at most (Higham, §20.1); so
    does LAPACK, hence 2. Normal equations alone, with A = XᵀX, are off by γ_{n+d²}·‖X‖_F·size in
    Aδ = δb − δA·coef, and ‖XA⁻¹‖ is the inverse of the smallest singular value: κ/‖X‖.
    """
    n, d = X.shape
    lengths = np.linalg.norm(X) * np.linalg.norm(found.coef) + condition * length + size
    within = 2 * gamma(n * d) * lengths
    return within + bare * gamma(n + d * d) * condition * np.sqrt(d) * size


def squares_within(n, d, length, size, bare):
    """How far Σr² may be off, `size` being ‖|y| + |X||coef|‖.

    From the rows, each r is within γ_{d+2} of its part of `size`, and the sum within γ_n. From
    sums of squares alone, Σr² = yᵀy − bᵀA⁻¹b, where errors δ of relative size γ_{n+d²} of the
    entries of A, b and yᵀy make δ(yᵀy) − 2coefᵀδb + coefᵀδA·coef, at most γ_{n+d²}·size². Twice:
    the expected value is rounded as well.
    """
    by_rows = gamma(n) * length**2 + gamma(d + 2) * size * (2 * length + gamma(d + 2) * size)
    return 2 * (by_rows + bare * gamma(n + d * d) * size**2)


def exact_dual(X, y, ridge):
    """Coefficients of centred rows with a ridge, in exact arithmetic, then rounded."""
    n = len(X)
    X, y = ([[Fraction(v) for v in row] for row in part.tolist()] for part in (X, y))
    X, y = (
        [[v - sum(column) / n for v, column in zip(row, zip(*part, strict=True), strict=True)]
         for row in part]
        for part in (X, y)
    )  # fmt: skip
    rows = [[sum(a * b for a, b in zip(x, z, strict=True)) for z in X] + t
            for x, t in zip(X, y, strict=True)]  # fmt: skip
    for i in range(n):
        rows[i][i] += Fraction(ridge) * n
    for i in range(n):
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for j in set(range(n)) - {i}:
            rows[j] = [a - rows[j][i] * b for a, b in zip(rows[j], rows[i], strict=True)]
    return np.array([float(sum(r[n] * x[j] for r, x in zip(rows, X, strict=True)))
                     for j in range(len(X[0]))])  # fmt: skip


KINDS = {
    "plain": lambda r: r.standard_normal((60, 5)),
    "offset": lambda r: 1e6 + r.standard_normal((60, 5)),
    "scales": lambda r: r.standard_normal((60, 4)) * [1e8, 1e-8, 1.0, 1e3],
    "duplicate": lambda r: r.standard_normal((60, 3))[:, [0, 1, 2, 0]],
    "constant": lambda r: np.column_stack([r.standard_normal((60, 2)), np.full(60, 0.3)]),
    "indicators": lambda r: np.eye(4)[np.r_[:4, r.integers(0, 4, 56)]],
    "wide": lambda r: r.standard_normal((10, 25)),
    "square": lambda r: r.standard_normal((8, 8)),
}


@pytest.mark.parametrize("kind", KINDS)
@given(
    seed=st.integers(0, 200),
    weighted=st.booleans(),
    lifted=st.booleans(),
    ridge=st.sampled_from([0.0, 0.1]),
)
@settings(max_examples=12)
def test_coefficients_are_lapacks(kind, seed, weighted, lifted, ridge):
    random = np.random.default_rng(seed)
    X = KINDS[kind](random)
    Y = random.standard_normal((len(X), 2)) + X[:, :1] / np.std(X[:, 0])
    s = random.random(len(X)) + 0.1 if weighted else np.ones(len(X))
    full = kind in ("plain", "offset", "scales")
    if kind == "offset" and not lifted:
        return  # nearly one column: the test below
    check(
        X, Y, s, lifted, ridge, scaled=full or ridge > 0, atol=1e-9 if kind == "scales" else 1e-11
    )


@pytest.mark.parametrize("lifted", [True, False])
def test_every_storage_gives_the_same(lifted):
    random = np.random.default_rng(0)
    X = random.standard_normal((80, 6)) * (random.random((80, 6)) < 0.3)
    X, Y = X.astype(np.float32), random.standard_normal((80, 1))
    expected = least_squares(X.astype(np.float64), Y, lifted=lifted)
    few = sparse.random_array((80, 6), density=0.05, rng=0).tocsr()
    for store in (np.asarray, np.asfortranarray, sparse.csr_array, sparse.csr_matrix):
        found = least_squares(store(X), Y, lifted=lifted)
        np.testing.assert_allclose(found.coef, expected.coef, atol=1e-13)
        assert found.rank == expected.rank
    dense, thin = (least_squares(part, Y, lifted=lifted) for part in (few.toarray(), few))
    np.testing.assert_allclose(dense.coef, thin.coef, atol=1e-12)


class TestMethod:
    def matrix(self, condition, n=200, d=5):
        random = np.random.default_rng(0)
        Q, _ = np.linalg.qr(random.standard_normal((n, d)))
        P, _ = np.linalg.qr(random.standard_normal((d, d)))
        return (Q * np.geomspace(1, 1 / condition, d)) @ P, random.standard_normal((n, 1))

    @pytest.mark.parametrize(
        ("condition", "method"),
        [(10, "cholesky"), (1e4, "cholesky"), (1e6, "qr"), (1e9, "qr"), (1e12, "qr")],
    )
    def test_it_follows_the_condition(self, condition, method):
        X, Y = self.matrix(condition)
        Y = X @ np.ones((5, 1)) + 1e-3 * Y
        found = least_squares(X, Y, lifted=False)
        assert found.method == method
        assert found.rank == 5
        assert condition / 30 < found.condition < 30 * condition
        expected, _, _ = reference(X, Y, np.ones(200), False, 0.0)
        fitted, residual = X @ found.coef.T, Y - X @ found.coef.T
        squares, length = np.sum(residual**2), np.linalg.norm(residual)
        size = np.linalg.norm(np.abs(Y) + np.abs(X) @ np.abs(found.coef.T))
        bare = method == "cholesky" and found.condition <= module.UNREFINED_CONDITION
        within = predictions_within(X, found, length, size, condition, bare)
        np.testing.assert_allclose(fitted, X @ expected.T, rtol=0, atol=within)
        within = squares_within(*X.shape, length, size, bare)
        np.testing.assert_allclose(found.squares, squares, rtol=0, atol=within)

    def test_refinement_makes_cholesky_as_good_as_qr(self, monkeypatch):
        X, Y = self.matrix(3e4)
        truth = np.linalg.lstsq(X.astype(np.longdouble).astype(float), Y, rcond=None)[0].T
        refined = least_squares(X, Y, lifted=False)
        assert refined.method == "cholesky"
        monkeypatch.setattr(module, "UNREFINED_CONDITION", np.inf)
        bare = least_squares(X, Y, lifted=False)
        error, before = (np.linalg.norm(found.coef - truth) for found in (refined, bare))
        assert error < before / 100

    def test_a_small_residual_is_found_to_all_its_digits(self):
        random = np.random.default_rng(1)
        X = random.standard_normal((500, 3))
        noise = random.standard_normal((500, 1))
        Y = 5 + X @ np.ones((3, 1)) + 1e-7 * noise
        found = least_squares(X, Y, lifted=True)
        Q, _ = np.linalg.qr(np.column_stack([X, np.ones(500)]))
        left = noise - Q @ (Q.T @ noise)
        assert found.squares[0] == pytest.approx(1e-14 * np.sum(left**2), rel=1e-6)

    def test_nearly_dependent_is_not_dependent(self):
        random = np.random.default_rng(2)
        x, e = random.standard_normal((2, 300, 1))
        found = least_squares(np.hstack([x, x + 1e-9 * e]), x + e, lifted=True)
        assert (found.method, found.rank) == ("qr", 2)
        found = least_squares(np.hstack([x, x * (1 + 2e-16)]), x + e, lifted=True)
        assert found.rank == 1

    def test_a_large_sparse_table_is_iterated(self, monkeypatch):
        monkeypatch.setattr(module, "MAX_DENSE_DIM", 20)
        X = sparse.random_array((60, 40), density=0.2, rng=3).tocsr()
        Y = np.random.default_rng(0).standard_normal((60, 2))
        for ridge in (0.0, 0.01):
            for lifted in (True, False):
                found = least_squares(X, Y, lifted=lifted, ridge=ridge)
                assert found.method == "lsqr"
                expected, middle, _ = reference(
                    X.toarray(), Y, np.ones(60), lifted, ridge, scaled=False
                )
                np.testing.assert_allclose(found.coef, expected, atol=1e-9)
                np.testing.assert_allclose(found.intercept, middle, atol=1e-9)

    def test_iterations_that_end_early_say_so(self, monkeypatch):
        monkeypatch.setattr(module, "MAX_DENSE_DIM", 20)
        monkeypatch.setattr(module, "LSQR_MAX_ITER", 3)
        X = sparse.random_array((60, 40), density=0.2, rng=3).tocsr()
        found = least_squares(X, np.arange(60.0)[:, None], lifted=True)
        assert found.stop == Stop.MAX_ITER

    @pytest.mark.parametrize("ridge", [1.0, 1e-14])
    def test_many_columns_with_a_ridge(self, ridge):
        random = np.random.default_rng(4)
        X, Y = random.standard_normal((12, 50)), random.standard_normal((12, 1))
        found = least_squares(X, Y, lifted=True, ridge=ridge)
        # Centred rows have rank 11. Their singular values are off by γ_nd of the largest, so that
        # the coefficients are off by κ times that; LAPACK on rows with √ridge·I below them, whose
        # condition number is 3e7, would be off by 1e-9.
        singular = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
        expected = exact_dual(X, Y, ridge)
        within = gamma(X.size) * singular[0] / singular[-2] * np.linalg.norm(expected)
        np.testing.assert_allclose(found.coef[0], expected, rtol=0, atol=within)
        assert found.method == "dual"
        assert found.rank == 11


class TestWitness:
    @given(seed=st.integers(0, 200), lifted=st.booleans(), ridge=st.sampled_from([0.0, 0.1]))
    @settings(max_examples=30)
    def test_the_factor_whitens_the_columns_kept(self, seed, lifted, ridge):
        random = np.random.default_rng(seed)
        kind = list(KINDS)[seed % 6]
        if kind == "offset" and not lifted:
            return
        X = KINDS[kind](random)
        s, Y = random.random(60) + 0.1, random.standard_normal((60, 1))
        found = least_squares(X, Y, weights=s, lifted=lifted, ridge=ridge)
        full = np.column_stack([X - found.moments.mean[: X.shape[1]], np.ones(60)])[:, found.kept]
        A = full.T @ (s[:, None] * full) / s.sum()
        A += ridge * np.diag(found.kept < X.shape[1])
        L = found.factor
        assert np.array_equal(L, np.triu(L))
        np.testing.assert_allclose(L.T @ A @ L, np.eye(len(L)), atol=1e-8)

    def test_tied_coefficients_are_those_that_others_can_take_over(self):
        random = np.random.default_rng(0)
        x = random.standard_normal((50, 3))
        X = np.column_stack([x, x[:, 0] + x[:, 1]])
        Y = random.standard_normal((50, 1))
        found = least_squares(X, Y, lifted=True)
        assert found.tied.tolist() == [True, True, False, True, False]
        X[:, 3] += 1
        found = least_squares(X, Y, lifted=True)
        assert found.tied.tolist() == [True, True, False, True, True]


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
@pytest.mark.parametrize("shape", [(30, 3), (3, 30)])
@pytest.mark.parametrize("ridge", [0.0, 1.0])
def test_numbers_that_do_not_fit_are_refused(bad, shape, ridge):
    X = np.random.default_rng(0).standard_normal(shape)
    Y = np.ones((shape[0], 1))
    X[2, 1] = bad
    with pytest.raises(FloatingPointError):
        least_squares(X, Y, lifted=True, ridge=ridge)
