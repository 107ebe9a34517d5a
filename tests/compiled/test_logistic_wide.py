"""Loops of the logistic loss in many dimensions, beside NumPy."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import softmax

from certo.compiled.logistic_wide import along_several, along_two, bend_several, times
from certo.compiled.rows import rows_of


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("outputs", [1, 2, 3, 7, 8, 9, 20])
def test_products_of_sparse_rows(outputs, kind):
    rng = np.random.default_rng(outputs)
    A = sparse.random_array((30, 40), density=0.2, format="csr", rng=rng).astype(kind)
    V = rng.standard_normal((40, outputs)).astype(kind)
    out = np.full((30, outputs), np.nan, kind)
    times(rows_of(A), V, out, 0, 30)
    np.testing.assert_allclose(out, A @ V, atol=1e-5 if kind == np.float32 else 1e-12)


def test_losses_along_a_line_have_the_derivatives_they_say():
    rng = np.random.default_rng(3)
    F, U = rng.standard_normal((20, 4)) * 3, rng.standard_normal((20, 4))
    codes, shares = rng.integers(4, size=20), rng.random(20)
    alive = rng.random((20, 4)) < 0.8
    alive[np.arange(20), codes] = True
    signs = np.where(codes < 2, 1.0, -1.0)
    h = 1e-5
    for at in (
        lambda t: along_several(F, U, t, codes, shares, alive),
        lambda t: along_two(F[:, :1], U[:, :1], t, signs, shares),
    ):
        loss, slope, curve = at(0.3)
        after, before = at(0.3 + h), at(0.3 - h)
        assert slope == pytest.approx((after[0] - before[0]) / (2 * h), rel=1e-6)
        assert curve == pytest.approx((after[1] - before[1]) / (2 * h), rel=1e-6)
        assert loss > 0
    P = softmax(F, axis=1)
    bent = U.copy()
    bend_several(bent, P, shares)
    H = [s * (np.diag(p) - np.outer(p, p)) for s, p in zip(shares, P, strict=True)]
    np.testing.assert_allclose(bent, np.einsum("tkl,tl->tk", H, U), atol=1e-14)
