"""The Taylor map of the Gaussian kernel is within its bound."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.features import GaussianTaylor
from certo.kernels import Gaussian
from tests.features.comparing import points


@settings(max_examples=40)
@given(X=points(2), variance=st.sampled_from([0.5, 2.0, 20.0]), degree=st.integers(1, 8))
def test_the_taylor_map_is_within_its_bound(X, variance, degree):
    phi = GaussianTaylor(variance, degree).fit(X)
    F = phi.transform(X)
    assert np.abs(F @ F.T - Gaussian(variance)(X)).max() <= phi.error_bound(X) + 1e-12
    assert phi.error_bound(X, X[:1]) <= phi.error_bound(X) + 1e-12
    assert F.shape[1] == math.comb(degree + 2, degree)
    np.testing.assert_allclose(phi.transform(sparse.csr_array(X)).toarray(), F, atol=1e-15)


def test_the_taylor_bound_is_reached_and_falls_with_the_degree():
    X = np.array([[2.0]])  # x·z = ‖x‖‖z‖: all the inequalities are equalities
    bounds = []
    for degree in range(1, 9):
        phi = GaussianTaylor(2.0, degree).fit(X)
        bounds.append(phi.error_bound(X))
        assert 1.0 - np.sum(phi.transform(X) ** 2) == pytest.approx(bounds[-1])
    assert bounds == sorted(bounds, reverse=True)
