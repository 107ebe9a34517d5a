"""The kernels of matrices: those of vectors, on the entries."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.model_selection import GridSearchCV

from certo import SVM
from certo.features import explicit_map
from certo.kernels import Frobenius, Function, Gaussian, Kernel, Linear, Polynomial, Precomputed

entries = st.floats(-8, 8, width=32)
VECTORS = [Linear(), Polynomial(2), Gaussian(3.0), Linear() + 2 * Gaussian(1.0).normalised()]


def matrices(most=5):
    return arrays(
        np.float64, st.tuples(st.integers(1, most), st.just(2), st.just(3)), elements=entries
    )


@settings(max_examples=40, deadline=None)
@given(X=matrices(), Z=matrices())
def test_equals_the_kernel_of_the_flattened_entries(X, Z):
    trace = [[np.trace(a.T @ b) for b in Z] for a in X]
    np.testing.assert_allclose(Frobenius()(X, Z), trace, atol=1e-12)
    for of in VECTORS:
        kernel, rows = Frobenius(of), (X.reshape(-1, 6), Z.reshape(-1, 6))
        np.testing.assert_array_equal(kernel(X, Z), of(*rows))
        np.testing.assert_array_equal(kernel.plain(X, Z), of.plain(*rows))
        np.testing.assert_array_equal(kernel.diagonal(X), of.diagonal(rows[0]))
        assert kernel.rounding(X, Z) == of.rounding(*rows)
        assert kernel.closeness(X, Z) == of.closeness(*rows)


@settings(max_examples=20, deadline=None)
@given(X=matrices(), kind=st.sampled_from([list, tuple, np.ndarray.tolist, np.float32, "csr", "O"]))
def test_every_storage_gives_the_same_values(X, kind):
    same = X.astype(kind) if kind in (np.float32, "O") else None
    if same is None:
        same = [sparse.csr_array(x) for x in X] if kind == "csr" else kind(X)
    K = Frobenius(Gaussian(1.0))(X)
    np.testing.assert_array_equal(Frobenius(Gaussian(1.0))(same), K)
    assert Frobenius(Gaussian(1.0))(same).dtype == np.float64
    np.testing.assert_array_equal((Function(np.vdot) + Frobenius())(list(X)), Frobenius()(X) * 2)


def test_kernel_is_a_value_object():
    kernel = Frobenius(2 * Gaussian(3.0))
    assert Kernel.from_dict(json.loads(json.dumps(kernel.to_dict()))) == kernel
    assert Frobenius().to_dict() == {"name": "Frobenius", "of": {"name": "Linear"}}
    assert repr(Frobenius()) == "Frobenius(of=Linear())"
    for of in (Precomputed(), Frobenius(), Function(np.dot), "rbf", None, Gaussian):
        with pytest.raises(ValueError, match="Frobenius takes a kernel of vectors"):
            Frobenius(of)
    for data in ({"name": "Precomputed"}, 3, {"name": "Frobenius", "of": {"name": "Linear"}}):
        with pytest.raises(ValueError, match=r"takes a kernel of vectors|'name' must be"):
            Kernel.from_dict({"name": "Frobenius", "of": data})


@pytest.mark.parametrize(
    ("X", "says"),
    [
        (np.ones((2, 3)), r"one matrix of shape \(2, 3\). Put a single matrix in a list"),
        (sparse.eye_array(3), "Put a single matrix in a list"),
        ([np.ones((2, 3)), np.ones((3, 2))], "item 0 is 2×3 and item 1 is 3×2"),
        ([np.ones((2, 3)), np.ones(6)], "item 1 has 1 dimensions"),
        (np.ones((2, 2, 2, 2)), "item 0 has 3 dimensions"),
        ([[[1.0, 2.0], [3.0]]], "item 0"),
        ([[[1.0, np.nan]]], r"nan at X\[0, 0, 1\]"),
        ([[["a", "b"]]], r"X\[0\]\[0, 0\] is the text 'a'"),
        ([np.array([[10**400]])], "is huge"),
        ([np.array([[2**53 + 1]]), np.array([[0.5]])], "is 9007199254740993"),
        ("ab", "Put a single point in a list"),
        (3.0, "Put a single point in a list"),
    ],
)
def test_matrices_are_looked_at(X, says):
    with pytest.raises(ValueError, match=says):
        Frobenius()(X)


def test_points_and_centres_have_one_shape():
    with pytest.raises(ValueError, match="one shape, got 2×3 and 3×2"):
        Frobenius()(np.ones((4, 2, 3)), np.ones((4, 3, 2)))
    assert Frobenius()(np.ones((0, 2, 3)), np.ones((4, 2, 3))).shape == (0, 4)


def test_a_machine_learns_from_matrices():
    """Bright bars, upright or lying: no entry tells, only products of two do."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = 0.1 * rng.standard_normal((60, 4, 4))
    for image, upright, place in zip(X, y, rng.integers(0, 4, 60), strict=True):
        (image.T if upright else image)[place] += 1.0
    grid = GridSearchCV(SVM(), {"kernel": [Frobenius(), Frobenius(Polynomial(2))]}, cv=3)
    grid.fit(X, y)
    assert grid.best_params_["kernel"] == Frobenius(Polynomial(2))
    assert grid.best_score_ > 0.9
    model = grid.best_estimator_
    assert model.certificate_.verify(X, y).holds
    np.testing.assert_array_equal(model.predict(list(X)), model.predict(X))


def test_its_explicit_map_is_that_of_the_entries():
    X = np.random.default_rng(0).normal(size=(4, 2, 3))
    kernel = Frobenius(Polynomial(2)).normalised()
    F = explicit_map(kernel).fit_transform(X)
    np.testing.assert_allclose(F @ F.T, kernel(X), atol=1e-12)
