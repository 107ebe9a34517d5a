"""Pictures of functions: regions end where the score is zero, and every example is counted."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib.contour import ContourSet
from matplotlib.patches import Rectangle
from scipy import sparse

from certo import SVM, HardMarginSVM, KernelPerceptron, Pegasos, plots
from certo.kernels import Function, Gaussian, Polynomial
from tests.plots.scenes import OUT, PLANE, XOR, fitted

RNG = np.random.default_rng(1)


def labelled(ax, text):
    return next(part for part in ax.collections if text in str(part.get_label()))


@pytest.mark.parametrize(
    "machine",
    [
        SVM(Gaussian(0.5)),
        HardMarginSVM(Gaussian(0.5)),
        KernelPerceptron(Polynomial(2), epochs=20),
        Pegasos(lam=0.1, max_iter=200, kernel=Gaussian(1.0), random_state=0),
    ],
    ids=str,
)
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array, np.float32])
def test_regions_show_the_supports_and_end_where_the_score_is_zero(machine, make):
    X = make(PLANE)
    model = machine.fit(X, OUT)
    ax = plots.regions(model, X, OUT, names=["a", "b"])
    rings = labelled(ax, f"supports ({model.support_.size})")
    np.testing.assert_allclose(rings.get_offsets(), PLANE[model.support_], rtol=1e-6)
    boundary = next(p for p in ax.collections if isinstance(p, ContourSet))
    points = np.concatenate([path.vertices for path in boundary.get_paths()])
    scores = model.decision_function(make(points))
    assert np.max(np.abs(scores)) < 0.05 * np.max(np.abs(model.decision_function(X)))
    dashed = sum(isinstance(p, ContourSet) for p in ax.collections) > 1
    assert dashed == (not isinstance(model, KernelPerceptron)), "a sum of mistakes has no scale"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")
    assert repr(model.kernel_) in ax.get_title()


@pytest.mark.parametrize("classes", [3, 12])
def test_regions_of_several_classes(classes):
    y = np.arange(80) % classes
    model = SVM(Gaussian(0.5)).fit(PLANE, y)
    ax = plots.regions(model, PLANE, y)
    ax.figure.savefig(io.BytesIO(), format="svg")
    drawn = [part for part in ax.collections if len(part.get_offsets()) > 1]
    assert sum(len(part.get_offsets()) for part in drawn[:-1]) == 80
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert ("2" in names) == (classes == 3)


def test_regions_between_whole_numbers():
    model = SVM(Gaussian(0.5), C=10).fit(XOR.astype(int), [0, 0, 1, 1])
    ax = plots.regions(model, XOR.astype(int), [0, 0, 1, 1])
    boundary = next(p for p in ax.collections if isinstance(p, ContourSet))
    points = np.concatenate([path.vertices for path in boundary.get_paths()])
    assert np.max(np.abs(model.decision_function(points))) < 0.02


def test_regions_of_a_hyperplane():
    model, X, y = fitted(2)
    ax = plots.regions(model, X, y)
    assert ax.get_title() == "Regions: Perceptron"
    assert not any("supports" in str(part.get_label()) for part in ax.collections)


def test_regions_are_of_two_features():
    X = RNG.normal(size=(20, 3))
    model = SVM(Gaussian(1.0)).fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match=r"two features, but X has shape \(20, 3\)"):
        plots.regions(model, X, X[:, 0] > 0)


@pytest.mark.parametrize("classes", [2, 3])
def test_scores_are_counted_for_each_side(classes):
    X, y = RNG.normal(size=(90, 4)), np.arange(90) % classes
    model = SVM(Gaussian(1.0)).fit(X, y)
    for output in range(len(model.outputs_)):
        ax = plots.scores(model, X, y, output)
        counted = sum(bar.get_height() for bar in ax.patches if bar.__class__ is Rectangle)
        assert counted == (90 if classes == 2 else 60), "those beyond the ends included"
        assert len(ax.lines) == 3
    strings = [f"{a}{b}" for a in "abc" for b in "abcdef"]
    sides = [word[0] == "a" for word in strings]
    objects = KernelPerceptron(Function(lambda a, b: float(len(set(a) & set(b)))))
    ax = plots.scores(objects.fit(strings, sides), strings, sides)
    assert len(ax.lines) == 1
