"""Supports and their coefficients have the shapes and meanings that scikit-learn gives them."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.svm import SVC

import certo
from certo import SVM, HardMarginSVM, KernelPerceptron, Pegasos
from certo.kernels import Function, Gaussian, Linear, Precomputed

X, CLASSES = load_iris(return_X_y=True)
SPECIES = np.array(["setosa", "versicolor", "virginica"])[CLASSES]
SETOSA = np.where(CLASSES == 0, "setosa", "other")
LABELS = {"two classes": SETOSA, "three classes": SPECIES}
MACHINES = [
    SVM(multiclass="rest"),
    SVM(C=100.0, intercept="lifted", multiclass="rest"),
    SVM(lam=0.1, intercept="none", class_weight="balanced", multiclass="rest"),
    SVM(Gaussian(1.0), multiclass="rest"),
    SVM(Linear(), intercept="lifted", multiclass="rest"),
    KernelPerceptron(Gaussian(1.0), epochs=3),
    KernelPerceptron(Gaussian(1.0), intercept="lifted", budget=20),
    Pegasos(Gaussian(1.0), max_iter=300, random_state=0),
    Pegasos(Gaussian(1.0), max_iter=300, average=False, intercept="none", random_state=0),
]


@pytest.mark.parametrize("y", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("machine", MACHINES, ids=repr)
def test_supports_of_all_outputs_are_arrays(machine, store, y):
    given = store(X)
    model = machine.fit(given, y)
    rows, outputs = model.support_, len(model.intercept_)
    assert rows.dtype.kind == "i"
    assert np.all(np.diff(rows) > 0)
    assert model.dual_coef_.dtype == np.float64
    assert model.dual_coef_.shape == (outputs, rows.size)
    assert sparse.issparse(model.support_vectors_) == sparse.issparse(given)
    assert np.abs(model.support_vectors_ - given[rows]).max() == 0
    assert model.n_support_.tolist() == [np.sum(y[rows] == c) for c in model.classes_]
    pd.DataFrame(X).iloc[rows]
    each = [model.supports_of_output(k) for k in range(outputs)]
    assert np.array_equal(np.unique(np.concatenate([own for own, _ in each])), rows)
    for (own, coef), line in zip(each, model.dual_coef_, strict=True):
        assert np.array_equal(line[np.isin(rows, own)], coef)
        assert not np.any(line[~np.isin(rows, own)])


@pytest.mark.parametrize("y", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("intercept", ["free", "lifted", "none"])
def test_dual_coefficients_of_hyperplanes_make_the_weights(intercept, store, y):
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    model = SVM(intercept=intercept, tol=1e-9, multiclass="rest")
    model.fit(store(X), y, sample_weight=weights)
    made = model.dual_coef_ @ model.support_vectors_
    np.testing.assert_allclose(made, model.coef_, rtol=1e-6, atol=1e-7)
    assert not np.any(weights[model.support_] == 0)


@pytest.mark.parametrize("intercept", ["free", "lifted", "none"])
def test_dual_coefficients_of_the_largest_margin_make_the_weights(intercept):
    y = np.where(X[:, 2] > 2.5, 1, 0)
    model = HardMarginSVM(intercept=intercept).fit(X - [0, 0, 2.5, 0], y)
    np.testing.assert_allclose(model.dual_coef_ @ model.support_vectors_, model.coef_, rtol=1e-5)
    assert model.n_support_.sum() == model.support_.size


def test_they_mean_what_they_mean_in_scikit_learn():
    ours, theirs = SVM(Gaussian(1.0), tol=1e-9), SVC(gamma=0.5, tol=1e-9)
    ours.fit(X, SETOSA)
    theirs.fit(X, SETOSA)
    assert set(ours.support_) == set(theirs.support_)
    assert ours.n_support_.tolist() == theirs.n_support_.tolist()
    order = np.argsort(theirs.support_)
    assert np.array_equal(ours.support_vectors_, theirs.support_vectors_[order])
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_[:, order], atol=1e-6)


def test_the_example_that_fixes_an_intercept_is_a_support_of_its_output():
    points = np.array([[2.0], [-1.0], [-2.0], [3.0], [-2.0], [-1.0], [1.0]])
    model = SVM(C=0.1, multiclass="rest").fit(points, [2, 1, 2, 0, 1, 1, 1])
    assert np.argwhere((model.dual_coef_ == 0) & model._in_output).tolist() == [[1, 4]]
    for k, claim in enumerate(model.certificate_):
        rows, dual_coef = model.supports_of_output(k)
        assert np.array_equal(claim.rows, rows)
        assert np.array_equal(claim.dual_coef, dual_coef)


def test_objects_and_precomputed_matrices():
    words = ["tea", "teas", "cat", "cats", "tee"]
    y = ["t", "t", "c", "c", "t"]
    model = SVM(Function(lambda a, b: float(len(set(a) & set(b))))).fit(words, y)
    assert model.support_vectors_ == [words[i] for i in model.support_]
    gram = SVM(Precomputed()).fit(X @ X.T, SETOSA)
    assert np.array_equal(gram.support_vectors_, gram.support_)


def test_vectors_of_hyperplanes_are_gathered_when_they_are_read():
    model = SVM().fit(X, SPECIES)
    assert model._fit_examples is X  # nothing is copied
    assert "support_vectors_" not in vars(model)
    first = model.support_vectors_
    assert model.support_vectors_ is first
    assert "_fit_examples" not in vars(model)  # and X is let go


@pytest.mark.parametrize("is_read", [False, True])
def test_files_do_not_hold_vectors_of_hyperplanes(is_read, tmp_path):
    model = SVM().fit(X, SPECIES)
    if is_read:
        assert model.support_vectors_.size
    certo.save(model, tmp_path / "model")
    for copy in (pickle.loads(pickle.dumps(model)), certo.load(tmp_path / "model")):
        with pytest.raises(
            AttributeError, match=r"take X\[model.support_\] of the examples of the"
        ):
            _ = copy.support_vectors_
        assert np.array_equal(copy.support_, model.support_)
        assert np.array_equal(copy.dual_coef_, model.dual_coef_)
        assert np.array_equal(copy.n_support_, model.n_support_)


def test_another_kernel_in_the_next_fit():
    model = SVM().fit(X, SETOSA)
    model.set_params(kernel=Gaussian(1.0)).fit(X[1:], SETOSA[1:])
    assert np.array_equal(model.support_vectors_, X[1:][model.support_])
    model.set_params(kernel=None).fit(X, SETOSA)
    assert np.array_equal(model.support_vectors_, X[model.support_])
    steps = (
        Pegasos(Gaussian(1.0), max_iter=50).fit(X, SETOSA).set_params(kernel=None).fit(X, SETOSA)
    )
    for name in ("support_", "dual_coef_", "support_vectors_", "n_support_"):
        assert not hasattr(steps, name)


def test_a_stream_counts_the_classes_of_its_supports():
    stream = Pegasos(Gaussian(1.0), lam=0.1)
    order = np.random.default_rng(0).permutation(len(X))
    for part in np.array_split(order, 7):
        stream.partial_fit(X[part], SPECIES[part], classes=np.unique(SPECIES))
    own = SPECIES[order][stream.support_]
    assert stream.n_support_.tolist() == [np.sum(own == c) for c in stream.classes_]
    assert np.array_equal(stream.support_vectors_, X[order][stream.support_])
