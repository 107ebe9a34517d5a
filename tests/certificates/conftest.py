"""Certificates of a fit that several tests look at."""

from __future__ import annotations

import numpy as np
import pytest

from certo import Perceptron
from certo.rates import Power


def fitted(**options):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 3)) * np.array([0.1, 1, 0.3])
    X[:, 1] += np.sign(X[:, 1])
    y = np.where(X[:, 1] > 0, "è", "no")
    certificate = Perceptron(epochs=50, **options).fit(X, y).certificate_
    assert len(certificate) == 3
    return X, y, certificate


@pytest.fixture(scope="module", params=[1.0, Power(1 / 3, 0.5)], ids=["constant", "schedule"])
def known(request):
    return fitted(learning_rate=request.param)
