"""What makes a kernel of sequences, trees or graphs a kernel, for each of them."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import certo.kernels as kernels
from certo import SVM, KernelPerceptron, Pegasos
from certo.checks import check_kernel
from certo.features import explicit_map
from certo.kernels import (
    Function,
    Mismatch,
    PartialTree,
    RandomWalk,
    ShortestPath,
    Spectrum,
    Subsequence,
    SubsetTree,
    Subtree,
    WeightedDegree,
    WeisfeilerLehman,
)
from certo.kernels.counting import CountingKernel
from certo.kernels.objects import Objects, StructuredKernel
from tests.kernels.structures import DATA, graphs, sequences, trees

SEQUENCES = [
    Spectrum(1),
    Spectrum(2),
    Mismatch(2, 1, alphabet="abcd"),
    Subsequence(2),
    Subsequence(3, decay=0.9, upto=True),
    WeightedDegree(3),
]
TREES = [Subtree(), Subtree(0.5), SubsetTree(decay=0.4), PartialTree(0.5, 0.5)]
GRAPHS = [WeisfeilerLehman(2), ShortestPath(), ShortestPath(labels=False), RandomWalk(0.01)]
ALL = [*SEQUENCES, *TREES, *GRAPHS]


POINTS = {"sequences": sequences, "trees": trees, "graphs": graphs()}


def collections_of(kernel, least=1):
    return st.lists(POINTS[kernel.kind], min_size=least, max_size=5)


def each(test):
    """For every kernel, on any points it takes."""

    @pytest.mark.parametrize("kernel", ALL, ids=repr)
    @settings(max_examples=8, deadline=None)
    @given(data=st.data())
    def run(kernel, data):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of sequences that are all too short
            test(kernel, data)

    return run


def close(K, expected, kernel, X, Z):
    """Within twice what rounding may do."""
    relative, absolute = kernel.rounding(X, Z)
    scale = np.sqrt(np.outer(kernel.diagonal(X), kernel.diagonal(Z)))
    assert np.all(np.abs(K - expected) <= 2 * (relative * scale + absolute) + 1e-300)


def test_no_kernel_escapes_the_laws():
    every = {getattr(kernels, name) for name in kernels.KERNELS}
    ours = {kind for kind in every if issubclass(kind, StructuredKernel)}
    assert {type(kernel) for kernel in ALL} == ours
    assert {kind.__name__ for kind in ours} <= set(kernels.__all__)


@each
def test_it_is_a_kernel(kernel, data):
    X = data.draw(collections_of(kernel))
    check_kernel(kernel, X)
    points = kernel.examples(X)
    assert isinstance(points, Objects)
    assert kernel.examples(points) is points


@each
def test_a_block_is_part_of_the_gram_matrix_however_it_is_made(kernel, data):
    X = data.draw(collections_of(kernel, 2))
    K, points = kernel(X), kernel.examples(X)
    some = data.draw(st.lists(st.integers(0, len(X) - 1), max_size=4))
    inside = kernel(kernel.points(points, some), kernel.take(points, slice(1, None)))
    apart = kernel([X[i] for i in some], X[1:])
    told = kernel(X, progress=lambda done, total: None)
    for block, expected, rows, columns in [
        (inside, K[some, 1:], [X[i] for i in some], X[1:]),
        (apart, K[some, 1:], [X[i] for i in some], X[1:]),
        (told, K, X, X),
    ]:
        assert block.shape == expected.shape
        close(block, expected, kernel, rows, columns)


@each
def test_algebra_and_json(kernel, data):
    X = data.draw(collections_of(kernel))
    K = kernel(X)
    np.testing.assert_allclose((kernel + 2 * kernel)(X), 3 * K, rtol=1e-12)
    np.testing.assert_allclose((kernel * kernel)(X), K**2, rtol=1e-12)
    cosines = kernel.normalised()(X)
    np.testing.assert_allclose(np.diag(cosines), np.diag(K) > 0, rtol=1e-12)
    mixed = Function(lambda a, b: 1.0) + kernel
    np.testing.assert_allclose(mixed(X), K + 1, rtol=1e-12)
    again = pickle.loads(pickle.dumps(kernel.examples(X)))
    assert np.array_equal(kernel(again), K)


@pytest.mark.parametrize("kernel", [k for k in ALL if isinstance(k, CountingKernel)], ids=repr)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_explicit_features_multiply_to_the_kernel(kernel, data):
    X, Z = data.draw(collections_of(kernel)), data.draw(collections_of(kernel))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        kernel = data.draw(st.sampled_from([kernel, kernel.normalised(), kernel + 2 * kernel]))
        features = explicit_map(kernel)
        F = features.fit_transform(X)
        np.testing.assert_allclose((F @ F.T).toarray(), kernel(X), rtol=1e-12)
        G = features.transform(Z)
        np.testing.assert_allclose((G @ F.T).toarray(), kernel(Z, X), rtol=1e-12)
        assert len(features.get_feature_names_out()) == F.shape[1]
        np.testing.assert_allclose(features.transform(X).toarray(), F.toarray(), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", [Spectrum(2), SubsetTree(0.5), WeisfeilerLehman(1)], ids=repr)
def test_machines_pipelines_and_grids_take_them(kernel):
    first, second = DATA[kernel.kind]
    X, y = [*first, *second], [0] * len(first) + [1] * len(second)
    model = SVM(kernel.normalised(), C=10).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.certificate_.verify(X, y)
    assert not model.certificate_.verify(X[::-1], y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    scores = model.expansions_[0](X) + model.intercept_
    np.testing.assert_allclose(scores, model.decision_function(X), atol=1e-12)
    for machine in (KernelPerceptron(kernel), Pegasos(kernel=kernel, lam=0.1)):
        assert machine.fit(X, y).certificate_.verify(X, y)
    assert np.mean(cross_val_score(SVM(kernel), X, y, cv=2)) == 1.0


def test_feature_vectors_suit_scikit_learns_machines():
    X, y = [*DATA["sequences"][0], *DATA["sequences"][1]], [0] * 8 + [1] * 8
    machine = make_pipeline(explicit_map(Spectrum(1)), LinearSVC()).fit(X, y)
    assert machine.score(X, y) == 1.0
    words = explicit_map(Spectrum(2)).fit([["to", "be"], ["or", "not"]])
    assert words.get_feature_names_out().tolist() == ["to be", "or not"]
