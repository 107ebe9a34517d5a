"""Points to map, and whether inner products are those of a kernel."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse


def points(d, reach=3.0):
    shape = st.tuples(st.integers(1, 5), st.just(d))
    return arrays(np.float64, shape, elements=st.floats(-reach, reach, width=32))


def same(F, K):
    F = F.toarray() if sparse.issparse(F) else F
    np.testing.assert_allclose(F @ F.T, K, rtol=1e-9, atol=1e-9 * max(1.0, np.max(np.abs(K))))
