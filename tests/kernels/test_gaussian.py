"""The Gaussian kernel's own constructor."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC

from certo.kernels import Gaussian


@pytest.mark.parametrize("make", [np.asarray, np.float32, sparse.csr_array])
def test_fitted_to_examples_it_is_scikit_learns_scale(make):
    random = np.random.default_rng(0)
    X = make(random.normal(3, 2, size=(30, 4)) * random.integers(0, 2, (30, 4)))
    gamma = SVC(gamma="scale").fit(X, np.arange(30) % 2)._gamma
    assert Gaussian.fitted_to(X).variance == pytest.approx(1 / (2 * gamma), rel=1e-5)


def test_there_is_nothing_to_fit_where_all_is_the_same():
    with pytest.raises(ValueError, match="different numbers"):
        Gaussian.fitted_to([[2.0, 2.0], [2.0, 2.0]])
    with pytest.raises(TypeError):
        Gaussian(gamma=1)
