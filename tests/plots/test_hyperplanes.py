"""Pictures of hyperplanes: points on their side, errors ringed, the band of the margin."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from scipy import sparse

from certo import SVM, HardMarginSVM, Perceptron, plots, separability
from certo.kernels import Gaussian
from tests.plots.scenes import fitted

RNG = np.random.default_rng(1)


def drawn_line(ax):
    return next(line for line in ax.lines if line.get_label() == "boundary")


def test_in_the_plane_the_boundary_is_where_the_score_is_zero():
    model, X, y = fitted(2)
    ax = plots.boundary(model, X, y, names=["height", "weight"])
    for point in drawn_line(ax).get_xydata():
        assert model.decision_function([point])[0] == pytest.approx(0, abs=1e-9)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("height", "weight")
    assert sum(len(part.get_offsets()) for part in ax.collections[:2]) == len(X)


@pytest.mark.parametrize("d", [1, 2, 3, 20])
def test_points_are_seen_on_their_side(d):
    model, X, y = fitted(d)
    ax = plots.boundary(model, X, y)
    low, high = ax.get_xlim()
    for part, positive in zip(ax.collections[:2], (True, False), strict=True):
        points = part.get_offsets()
        assert np.all((points[:, 0] >= low) & (points[:, 0] <= high))
        assert len(points) == np.count_nonzero((y == 1) == positive)


def test_wrong_points_are_ringed_and_counted():
    X, y = np.array([[1.0, 0], [2, 1], [-1, 0], [5, 5]]), np.array([1, 1, 0, 0])
    model = Perceptron(epochs=1).fit(X, y)
    wrong = int(np.sum((model.decision_function(X) * (2 * y - 1)) <= 0))
    assert wrong
    rings = plots.boundary(model, X, y).collections[2]
    assert len(rings.get_offsets()) == wrong
    assert f"{wrong / 4:.1%}" in rings.get_label()


def test_sparse_and_many_examples():
    X = sparse.random_array((3000, 40), density=0.05, format="csr", rng=RNG)
    y = (X.sum(axis=1) > 0.9).astype(int)
    model = Perceptron(epochs=3).fit(X, y)
    ax = plots.boundary(model, X, y)
    assert sum(len(part.get_offsets()) for part in ax.collections[:2]) == plots.MAX_POINTS_DRAWN
    assert "1,000 of 3,000 examples drawn" in ax.get_xlabel()


def band(ax):
    return next(part for part in ax.patches if "no example within" in part.get_label())


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_band_is_empty_and_touches_the_supports(d):
    X = RNG.normal(size=(60, d))
    X[:, 0] += np.sign(X[:, 0])
    y = (X[:, 0] > 0).astype(int)
    model = HardMarginSVM().fit(X, y)
    ax = plots.margin_band(model, X, y)
    corner, along, _, across = band(ax).get_xy()[:4]
    normal = np.array([corner[1] - along[1], along[0] - corner[0]])
    normal = normal / (normal @ (across - corner))  # 0 on one edge of the band, 1 on the other
    points = np.concatenate([part.get_offsets() for part in ax.collections[:2]])
    assert len(points) == 60
    place = (points - corner) @ normal
    assert np.all((place < 1e-6) | (place > 1 - 1e-6))
    rings = next(part for part in ax.collections if "supports" in part.get_label())
    place = (rings.get_offsets() - corner) @ normal
    assert place.size == model.support_.size
    assert np.allclose(np.minimum(np.abs(place), np.abs(place - 1)), 0, atol=1e-4)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_slack_ends_at_the_edge_of_the_band(d):
    X = RNG.normal(size=(60, d))
    y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)
    model = SVM().fit(X, y)
    ax = plots.margin_band(model, X, y)
    corner, along, _, across = next(p for p in ax.patches if "margin" in p.get_label()).get_xy()[:4]
    normal = np.array([corner[1] - along[1], along[0] - corner[0]])
    normal = normal / (normal @ (across - corner))
    lines = [part for part in ax.collections if isinstance(part, LineCollection)]
    rings = next(part for part in ax.collections if "supports" in part.get_label())
    segments = np.concatenate([part.get_segments() for part in lines])
    order = [np.flatnonzero(model.outputs_[0].signs(y)[model.support_] == s) for s in (1, -1)]
    segments[np.concatenate(order)] = segments.copy()
    np.testing.assert_allclose(segments[:, 0], rings.get_offsets())
    ends = (segments[:, 1] - corner) @ normal
    slack = model.slacks(X, y)[model.support_]
    edges = np.minimum(np.abs(ends), np.abs(ends - 1))
    assert np.allclose(edges[slack > 1e-3], 0, atol=1e-6)
    lengths = np.linalg.norm(np.diff(segments, axis=1)[:, 0], axis=1) * np.linalg.norm(model.coef_)
    np.testing.assert_allclose(lengths, slack, atol=1e-6)


def test_a_certificate_of_separability_can_be_drawn():
    X, y = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), ["no", "yes", "no", "no"]
    verdict = separability(X, y)
    ax = plots.margin_band(verdict, X, y, names=["a", "b"])
    assert ax.get_xlabel() == "a"
    for point in drawn_line(ax).get_xydata():
        assert verdict.coef @ point + verdict.intercept == pytest.approx(0, abs=1e-9)
    alone = separability(X, [1, 1, 1, 1])
    assert "no boundary" in plots.margin_band(alone, X, [1, 1, 1, 1]).texts[0].get_text()


def test_a_data_frame_is_drawn_with_its_own_names():
    import pandas as pd

    X = pd.DataFrame(RNG.normal(size=(30, 2)), columns=["height", "weight"])
    y = (X["height"] > 0).to_numpy()
    ax = plots.boundary(Perceptron(epochs=5).fit(X, y), X, y)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("height", "weight")
    curved = SVM(Gaussian(1.0)).fit(X, y)
    ax = plots.regions(curved, X, y)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("height", "weight")
    assert plots.scores(curved, X, y).get_xlabel() == "score"


@pytest.mark.parametrize("draw", [plots.boundary, plots.margin_band])
def test_a_kernel_machine_has_regions_not_a_hyperplane(draw):
    X, y = [[0.0, 0.0], [1.0, 1.0]], [0, 1]
    with pytest.raises(ValueError, match=r"use plots\.regions"):
        draw(SVM(Gaussian(1.0)).fit(X, y), X, y)


def test_a_rule_that_gives_all_rows_one_score_has_no_boundary():
    X, y = np.arange(40.0)[:, None] % 7, np.array([0] * 38 + [1] * 2)
    model = SVM(C=1.0).fit(X, y)
    model.coef_ = np.full((1, 1), 1e-16)
    ax = plots.margin_band(model, X, y)
    assert [text.get_text() for text in ax.texts] == [
        "but for rounding all rows have the same score: no boundary"
    ]
    assert not ax.lines
