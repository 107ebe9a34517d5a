"""Parts of the examples, by whichever way their problems are solved."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC

from certo import SVM
from certo.certificates.sample.labels import Labels
from certo.estimators._limits import Limits
from certo.estimators._pair_spaces import MIN_WIDE_FEATURES, VectorPart, part_of
from certo.estimators._prices import Prices
from certo.estimators._soft_margin import machine_for
from certo.estimators._spaces import space_for
from certo.kernels import Gaussian
from certo.stop import Stop


def table(m, d, seed=0, classes=3):
    random = np.random.default_rng(seed)
    y = np.resize(np.arange(classes), m)
    return random.standard_normal((m, d)) + 1.5 * random.standard_normal((classes, d))[y], y


@pytest.mark.parametrize("mode", ["free", "lifted", "none"])
@pytest.mark.parametrize("away", [0.0, 50.0])
def test_many_features_by_inner_products(mode, away):
    X, y = table(500, MIN_WIDE_FEATURES)
    X += away
    model = SVM(C=0.01, intercept=mode, tol=1e-6).fit(X, y)
    assert model.certificate_.verify(X, y)
    assert max(claim.relative_gap for claim in model.certificate_) <= 1e-6
    if mode == "free":
        theirs = SVC(C=0.01, kernel="linear", tol=1e-8).fit(X, y)
        gap = max(claim.gap for claim in model.certificate_)
        # w is within √(2·gap) of the optimum, and SVC's is as near as its slopes of 1e-8 let it be.
        assert np.max(np.abs(model.coef_ - theirs.coef_)) <= np.sqrt(2 * gap) + 1e-4


def test_examples_of_classes_that_a_fit_does_not_come_to_are_not_gathered():
    X, y = table(60, 5)
    part = part_of(space_for(SVM(), X), np.flatnonzero(y < 2))
    signs = np.where(y[y < 2] == 0, 1, -1).astype(np.int8)
    prices = Prices(1.0, (1.0, 1.0), np.zeros(0))
    stopped = Limits(1e-4, 1000, lambda: Stop.TIME_LIMIT)
    labels = Labels((0, 1, 2), 0, None, 1)
    found = machine_for(part, labels, signs, prices, None, stopped, claim=False)
    assert found.outcome.w.shape == (5,)
    assert "X" not in vars(part)


@pytest.mark.parametrize("store", [np.float32, sparse.csr_array])
@pytest.mark.parametrize("kernel", [None, Gaussian(40.0)])
def test_every_storage_has_the_same_optimum(store, kernel):
    X, y = table(300, MIN_WIDE_FEATURES)
    X = X.astype(np.float32).astype(float)
    dense = SVM(kernel, C=0.1, tol=1e-6).fit(X, y)
    other = SVM(kernel, C=0.1, tol=1e-6).fit(store(X), y)
    np.testing.assert_allclose(other.objective_, dense.objective_, rtol=2e-6)
    assert other.certificate_.verify(store(X), y)
    np.testing.assert_array_equal(other.predict(store(X)), dense.predict(X))


def test_a_part_is_a_space_of_its_rows():
    X, y = table(60, 3)
    space = space_for(SVM(), X)
    rows = np.flatnonzero(y != 1)
    part = part_of(space, rows)
    assert isinstance(part, VectorPart)
    assert part.m == rows.size
    assert part.square == space.square  # A bound for all holds for some.
    np.testing.assert_array_equal(part.X, X[rows])
    assert part_of(space, None) is space
