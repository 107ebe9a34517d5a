"""The explicit map of a kernel has its inner products."""

import numpy as np
import pytest
from scipy import sparse

from certo.features import explicit_map
from certo.kernels import Linear, Polynomial
from tests.features.comparing import same


@pytest.mark.parametrize(
    "kernel",
    [
        Linear(),
        Polynomial(3, scale=0.5, offset=2.0),
        Linear() + Polynomial(2),
        3 * Polynomial(2),
        Polynomial(2).normalised(),
        (2 * (Linear() + Polynomial(2))).normalised(),
    ],
    ids=repr,
)
def test_the_explicit_map_of_a_kernel(kernel):
    X = np.random.default_rng(4).standard_normal((6, 3))
    same(explicit_map(kernel).fit_transform(X), kernel(X))
    same(explicit_map(kernel).fit_transform(sparse.csr_array(X)), kernel(X))
