"""Nyström's map is within its residuals."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.features import Nystroem
from certo.kernels import Function, Gaussian, Linear, Polynomial


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), size=st.integers(1, 30))
def test_nystroem_is_within_its_residuals(seed, size):
    rng = np.random.default_rng(seed)
    X, Z = rng.standard_normal((20, 2)), rng.standard_normal((5, 2))
    for kernel in (Gaussian(2.0), Polynomial(3), Linear() + Gaussian(1.0), Function(np.dot)):
        phi = Nystroem(kernel, size, random_state=seed).fit(X)
        F, G = phi.transform(X), phi.transform(Z)
        room = 1e-8 * np.max(kernel.diagonal(np.vstack([X, Z])))
        error = np.abs(F @ G.T - kernel(X, Z))
        assert np.all(error <= np.sqrt(np.outer(phi.residuals(X), phi.residuals(Z))) + room)
        assert np.abs(F @ F.T - kernel(X)).max() <= phi.residual_ + room
        assert np.all(phi.residuals(X)[phi.indices_] <= room)  # nothing of a centre is left out
        assert len(phi.get_feature_names_out()) == F.shape[1] <= size


def test_nystroem_of_objects_and_of_all_examples():
    def shared(a, b):
        return len(set(a) & set(b))

    words = ["tea", "coffee", "meat", "team"]
    phi = Nystroem(Function(shared), 10, random_state=0).fit(words)
    F = phi.transform(words)
    np.testing.assert_allclose(F @ F.T, Function(shared)(words), atol=1e-9)
    assert phi.residual_ < 1e-9
    X = sparse.random_array((30, 8), density=0.3, rng=np.random.default_rng(2), format="csr")
    F = Nystroem(Gaussian(1.0), 30).fit_transform(X)
    np.testing.assert_allclose(F @ F.T, Gaussian(1.0)(X), atol=1e-9)
