"""Grids reach into kernels, and fits settle what was left open."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from certo import SVM, KernelPerceptron
from certo.features import explicit_map
from certo.kernels import Mismatch, Spectrum
from tests.kernels.structures import DATA


def test_grids_reach_into_kernels():
    X, y = [*DATA["sequences"][0], *DATA["sequences"][1]], [0] * 8 + [1] * 8
    search = GridSearchCV(SVM(Spectrum(1).normalised()), {"kernel__kernel__k": [1, 2, 9]}, cv=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(X, y)
    assert search.best_params_["kernel__kernel__k"] in (1, 2)
    machine = SVM(Spectrum(3)).set_params(C=2, kernel__k=4)
    assert machine.kernel == Spectrum(4)
    assert machine.C == 2
    assert clone(machine).kernel == Spectrum(4)
    with pytest.raises(ValueError, match="no setting 'length'"):
        machine.set_params(kernel__length=3)
    unit = make_pipeline(explicit_map(Spectrum(2).normalised()), SVM())
    assert (
        GridSearchCV(unit, {"unitfeatures__kernel__k": [1, 2]}, cv=2).fit(X, y).best_score_ == 1.0
    )
    linear = make_pipeline(explicit_map(Spectrum(2)), SVM()).fit(X, y)
    np.testing.assert_allclose(
        linear.decision_function(X), SVM(Spectrum(2)).fit(X, y).decision_function(X), atol=1e-3
    )


def test_an_alphabet_left_open_is_settled_by_the_fit():
    X, y = [*DATA["sequences"][0], *DATA["sequences"][1]], [0] * 8 + [1] * 8
    model = SVM(Mismatch(2, 1).normalised()).fit(X, y)
    assert model.kernel_ == Mismatch(2, 1, alphabet="abcd").normalised()
    assert model.certificate_.verify(X, y)
    stream = KernelPerceptron(Mismatch(2, 1)).partial_fit(X, y).partial_fit(X[:3], y[:3])
    assert stream.kernel_ == Mismatch(2, 1, alphabet="abcd")
