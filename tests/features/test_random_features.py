"""Random features are within their bound as often as it says."""

import numpy as np
from scipy import sparse

from certo.features import RandomFeatures
from certo.kernels import Gaussian


def test_random_features_are_within_hoeffdings_bound_as_often_as_it_says():
    X = np.random.default_rng(3).standard_normal((15, 4))
    K, outside = Gaussian(4.0)(X), 0
    for seed in range(200):
        phi = RandomFeatures(4.0, 60, random_state=seed).fit(X)
        F = phi.transform(X)
        assert F.shape == (15, 120)
        np.testing.assert_allclose(np.sum(F * F, axis=1), 1.0)
        outside += np.abs(F @ F.T - K).max() > phi.error_bound(15, delta=0.2)
    assert outside <= 40
    np.testing.assert_allclose(phi.transform(sparse.csr_array(X)), F)
