"""A prediction does not depend on the rows beside it; nor, with a kernel, on the storage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import certo
from certo.estimators import _scores
from certo.kernels import (
    Frobenius,
    Function,
    Gaussian,
    Linear,
    Polynomial,
    Precomputed,
    Spectrum,
    Subsequence,
)

SIZES = (1, 2, 3, 5, 17)
VECTOR_KERNELS = [
    Linear(),
    Polynomial(2),
    Gaussian(4.0),
    Gaussian(0.3) + 0.1 * Polynomial(3),
    Linear() * Polynomial(2, scale=0.1),
    (Gaussian(2.0) * Linear()).normalised(),
]


def in_batches(ask, X, size: int):
    rows = range(0, len(X) if isinstance(X, list) else X.shape[0], size)
    return np.concatenate([np.asarray(ask(X[i : i + size])) for i in rows])


def tied_machine(kernel, X, outputs: int):
    """A machine whose scores tie everywhere, but for rounding: every example is there twice. With
    one output the coefficients of the copies cancel; several outputs divide the same coefficients
    among the copies, each in its own way."""
    m, random = len(X), np.random.default_rng(outputs)
    twice = np.concatenate([X, X])
    y = np.resize(np.arange(outputs), 2 * m)
    model = certo.KernelPerceptron(kernel).fit(twice, y)
    share = random.standard_normal(m)
    if outputs == 2:
        coef = [np.concatenate([share, -share])]
    else:
        first = random.random((outputs, m)) < 0.5
        coef = [np.concatenate([share * some, share * ~some]) for some in first]
    model.support_, model.dual_coef_ = np.arange(2 * m), np.array(coef)
    model.support_vectors_ = model.kernel_.take(model.kernel_.examples(twice), np.arange(2 * m))
    return model


@pytest.mark.parametrize("kernel", VECTOR_KERNELS, ids=repr)
@pytest.mark.parametrize("outputs", [2, 3, 12])
def test_kernel_predictions_where_scores_tie(kernel, outputs):
    random = np.random.default_rng(0)
    X, other = random.standard_normal((2, 20, 7))
    model = tied_machine(kernel, X, outputs)
    new = np.concatenate([other, 1e-9 * other, X, np.round(other), 0 * other[:2]])
    whole = model.predict(new)
    for size in SIZES:
        np.testing.assert_array_equal(in_batches(model.predict, new, size), whole)
    for store in (sparse.csr_array, sparse.csr_matrix, np.asfortranarray):
        np.testing.assert_array_equal(model.predict(store(new)), whole)
        one = np.concatenate([model.predict(store(new[[i]])) for i in range(0, len(new), 7)])
        np.testing.assert_array_equal(one, whole[::7])


@pytest.mark.parametrize("classes", [2, 3, 40])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scores_of_hyperplanes_to_the_last_bit(classes, dtype):
    random = np.random.default_rng(classes)
    X = random.standard_normal((90, 37)).astype(dtype)
    X[random.random(X.shape) < 0.5] = 0
    y = np.resize(np.arange(classes), 90)
    model = certo.Perceptron(epochs=1).fit(X, y)
    model.coef_ = np.repeat(random.standard_normal((1, 37)), len(model.coef_), axis=0)
    new = X if classes <= _scores.MAX_SUMMED_OUTPUTS else X[:, random.permutation(37)]
    whole, scores = model.predict(new), model.decision_function(new)
    for size in SIZES:
        np.testing.assert_array_equal(in_batches(model.predict, new, size), whole)
        if classes <= _scores.MAX_SUMMED_OUTPUTS:
            np.testing.assert_array_equal(in_batches(model.decision_function, new, size), scores)
    rows = sparse.csr_array(new)
    one = np.concatenate([model.decision_function(rows[[i]]) for i in range(len(new))])
    np.testing.assert_array_equal(one, model.decision_function(rows))


@pytest.mark.parametrize("outputs", [1, 3, 20])
def test_regression_to_the_last_bit(outputs):
    random = np.random.default_rng(outputs)
    X, y = random.standard_normal((60, 9)), random.standard_normal((60, outputs))
    model = certo.LeastSquares().fit(X, y[:, 0] if outputs == 1 else y)
    whole = model.predict(X)
    for size in SIZES:
        np.testing.assert_array_equal(in_batches(model.predict, X, size), whole)
    rows = sparse.csr_array(X)
    one = np.concatenate([model.predict(rows[[i]]) for i in range(len(X))])
    np.testing.assert_array_equal(one, model.predict(rows))


def words(seed: int, m: int) -> list[str]:
    random = np.random.default_rng(seed)
    return ["".join(random.choice(list("abc"), random.integers(3, 9))) for _ in range(m)]


@pytest.mark.parametrize(
    "kernel",
    [Spectrum(2), Subsequence(2, decay=0.3), Function(lambda a, b: len(set(a) & set(b)) / 3)],
    ids=["counts", "decay", "function"],
)
def test_objects(kernel):
    model, new = tied_machine(kernel, words(0, 12), 3), words(1, 30)
    whole = model.predict(new)
    for size in SIZES:
        np.testing.assert_array_equal(in_batches(model.predict, new, size), whole)


def test_matrices():
    X, new = np.random.default_rng(0).standard_normal((2, 16, 3, 3))
    model = tied_machine(Frobenius(), X, 3)
    whole = model.predict(new)
    for size in SIZES:
        np.testing.assert_array_equal(in_batches(model.predict, new, size), whole)


@pytest.mark.parametrize("seed", range(4))
def test_precomputed_to_the_last_bit(seed):
    random = np.random.default_rng(seed)
    X = random.standard_normal((40, 5))
    y = np.resize(np.arange(2 + 6 * (seed % 2)), 40)
    model = certo.SVM(Precomputed()).fit(X @ X.T, y)
    new = random.standard_normal((50, 5)) @ X.T
    whole = model.decision_function(new)
    for size in SIZES:
        np.testing.assert_array_equal(in_batches(model.decision_function, new, size), whole)


def test_rows_far_away_change_nothing():
    """A row so long that the Gaussian is taken by differences beside it."""
    random = np.random.default_rng(0)
    X = random.standard_normal((30, 3))
    model = certo.SVM(Gaussian(1.0)).fit(X, np.where(X[:, 0] * X[:, 1] > 0, 1, -1))
    model.dual_coef_ = np.resize([0.1, -0.1], (1, model.support_.size))
    model.intercept_ = np.zeros(1)
    new = np.concatenate([X, 30 + 0.1 * X, [[1e9, 0, 0]]])
    whole = model.predict(new)
    for size in SIZES:
        np.testing.assert_array_equal(in_batches(model.predict, new, size), whole)
    np.testing.assert_array_equal(model.predict(sparse.csr_array(new)), whole)
