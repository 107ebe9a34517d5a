"""Pictures of classifiers show what is there: points, bounds and names; nothing hidden, nothing
broken."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from scipy import sparse

from certo import (
    SVM,
    HardMarginSVM,
    KernelPerceptron,
    MinDisagreement,
    Pegasos,
    Perceptron,
    compare_kernels,
    plots,
    separability,
)
from certo.kernels import Function, Gaussian, Linear, Polynomial

RNG = np.random.default_rng(1)


def fitted(d, m=50, classes=2, **settings):
    X = RNG.normal(size=(m, d))
    y = np.clip(np.floor(X[:, 0] + classes / 2), 0, classes - 1).astype(int)
    return Perceptron(**{"epochs": 20} | settings).fit(X, y), X, y


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
    assert sum(len(part.get_offsets()) for part in ax.collections[:2]) == plots.MOST_POINTS
    assert "1,000 of 3,000 examples drawn" in ax.get_xlabel()


def test_the_norm_stays_between_its_curves():
    model, _, _ = fitted(3, m=200, epochs=500)
    assert model.converged_
    ax = plots.squared_norm(model)
    norm, upper, lower = (line.get_xydata() for line in ax.lines)
    for n, value in norm:
        assert value <= np.interp(n, *upper.T) * (1 + 1e-9)
        assert value >= np.interp(n, *lower.T) * (1 - 1e-9)


def test_curves_far_apart_are_drawn_on_a_logarithmic_scale_with_the_norm_in_sight():
    X, y = RNG.normal(size=(300, 2)), RNG.integers(0, 2, 300)
    model = Perceptron(epochs=100).fit(X, y)
    ax = plots.squared_norm(model)
    assert ax.get_yscale() == "log"
    low, high = ax.get_ylim()
    assert low <= np.median(model.trace_.squared_norm) <= high
    near, _, _ = fitted(2, m=5, epochs=1)
    assert plots.squared_norm(near).get_yscale() == "linear"


def test_mistakes_are_those_of_the_trace():
    model, _, _ = fitted(2, classes=3)
    ax = plots.mistakes(model)
    for output, line in enumerate(ax.lines):
        counts = model.trace_.of_output(output).epoch_updates
        assert line.get_ydata().tolist() == counts.tolist()
        assert line.get_label() == str(model.classes_[output])
    many = Perceptron(epochs=3).fit(RNG.normal(size=(60, 2)), np.arange(60) % 12)
    assert plots.mistakes(many).lines[12].get_label() == "mean"


def test_without_weights_or_updates_it_is_said():
    X, y = np.array([[0.0], [0.0]]), np.array([0, 1])
    model = Perceptron(epochs=1, intercept="none").fit(X, y)
    assert "no boundary" in plots.boundary(model, X, y).texts[0].get_text()
    X = np.array([[1.0], [-1.0]])
    settings = {"epochs": 1, "init": "random", "random_state": 0, "intercept": "none"}
    pair = [Perceptron(**settings).fit(X, y) for y in ([1, -1], [-1, 1])]
    (still,) = (model for model in pair if not model.updates_.any())
    assert "no update" in plots.squared_norm(still).texts[0].get_text()


@pytest.mark.parametrize("name", ["$x^2", "$\\frac{a}$", "_hidden", " ", "a\nb", "x" * 200])
def test_any_name_can_be_drawn(name):
    X, y = np.array([[1.0, 2], [2, 1], [-1, 0], [5, 5]]), np.array([name, name, "b", "b"])
    model = Perceptron(epochs=2).fit(X, y)
    for draw in (plots.boundary, plots.squared_norm, plots.mistakes):
        ax = draw(model, *((X, y) if draw is plots.boundary else ()))
        ax.figure.savefig(io.BytesIO(), format="svg")
    legend = plots.boundary(model, X, y).get_legend()
    assert len(legend.get_texts()) >= 3
    assert all(len(text.get_text()) < 60 for text in legend.get_texts())


def test_a_picture_can_be_drawn_into_a_figure_of_ones_own():
    model, X, y = fitted(2)
    ax = Figure().add_subplot()
    assert plots.boundary(model, X, y, ax=ax) is plots.mistakes(model, ax=ax) is ax


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
    (lines,) = (part for part in ax.collections if isinstance(part, LineCollection))
    rings = next(part for part in ax.collections if "supports" in part.get_label())
    segments = np.array(lines.get_segments())
    np.testing.assert_allclose(segments[:, 0], rings.get_offsets())
    ends = (segments[:, 1] - corner) @ normal
    slack = model.slacks(X, y)[model.support_]
    edges = np.minimum(np.abs(ends), np.abs(ends - 1))
    assert np.allclose(edges[slack > 1e-3], 0, atol=1e-6)
    lengths = np.linalg.norm(np.diff(segments, axis=1)[:, 0], axis=1) * np.linalg.norm(model.coef_)
    np.testing.assert_allclose(lengths, slack, atol=1e-6)


@pytest.mark.parametrize("classes", [2, 3, 12])
def test_the_gap_against_time(classes):
    X, y = RNG.normal(size=(120, 3)), np.arange(120) % classes
    model = SVM().fit(X, y)
    ax = plots.gap(model)
    assert ax.get_yscale() == "log"
    first = ax.lines[0].get_xydata()
    mine = model.trace_.output == 0
    np.testing.assert_allclose(first[:, 0], model.trace_.seconds[mine])
    assert np.all(first[:, 1] > 0)
    ax.figure.savefig(io.BytesIO(), format="svg")
    assert "proved at the end: at most" in str([t.get_text() for t in ax.get_legend().get_texts()])


@pytest.mark.slow
@pytest.mark.parametrize("average", [True, False])
def test_the_excess_of_pegasos_is_drawn_with_its_bound(average):
    X = RNG.normal(size=(120, 3))
    for classes in (2, 3, 12):
        y = np.arange(120) % classes
        model = Pegasos(lam=0.1, steps=500, average=average, random_state=0).fit(X, y)
        ax = plots.pegasos_excess(model, X, y)
        assert ax.get_xscale() == ax.get_yscale() == "log"
        drawn = {line.get_label(): line for line in ax.lines}
        bounds = [line for name, line in drawn.items() if name.startswith("at most")]
        assert len(bounds) == average
        assert ax.lines[0].get_xdata()[-1] == 500
        ax.figure.savefig(io.BytesIO(), format="svg")


def test_a_certificate_of_separability_can_be_drawn():
    X, y = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), ["no", "yes", "no", "no"]
    verdict = separability(X, y)
    ax = plots.margin_band(verdict, X, y, names=["a", "b"])
    assert ax.get_xlabel() == "a"
    for point in drawn_line(ax).get_xydata():
        assert verdict.coef @ point + verdict.intercept == pytest.approx(0, abs=1e-9)
    alone = separability(X, [1, 1, 1, 1])
    assert "no boundary" in plots.margin_band(alone, X, [1, 1, 1, 1]).texts[0].get_text()


XOR = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]])


def star(ax):
    return next(line for line in ax.lines if line.get_marker() == "*")


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_the_examples_that_make_separation_impossible_meet_in_a_point(kind):
    proof = separability(kind(XOR), [0, 0, 1, 1])
    ax = plots.conflict(proof, kind(XOR), [0, 0, 1, 1], places=[11, 12, 13, 14])
    assert star(ax).get_xydata().tolist() == [[0.5, 0.5]]
    assert {text.get_text() for text in ax.texts} == {"11", "12", "13", "14"}
    spokes = [line for line in ax.lines if len(line.get_xydata()) == 2]
    assert len(spokes) == 4
    assert all(line.get_xydata()[0].tolist() == [0.5, 0.5] for line in spokes)


def test_without_an_intercept_one_class_is_mirrored():
    X, y = np.array([[1.0, 1], [2, 2], [3, 0]]), np.array(["a", "b", "b"])
    proof = separability(X, y, intercept="none")
    ax = plots.conflict(proof, X, y)
    assert star(ax).get_label() == "the origin"
    assert star(ax).get_xydata() == pytest.approx(np.zeros((1, 2)), abs=1e-12)
    assert "a: mirrored" in ax.get_xlabel()


def test_titles_name_both_sides_and_the_origin_where_it_matters():
    X, y = np.array([[1.0], [2], [3], [2]]), np.array(list("abbc"))
    verdict = separability(X, y)
    rest, pair = verdict.one_against_rest[2], verdict.pair("b", "c")
    assert plots.conflict(rest, X, y).get_title().endswith(":\nc and the rest")
    both = y != "a"
    assert plots.conflict(pair, X[both], y[both]).get_title().endswith(":\nc and b")
    through = separability(X, y, "none").one_against_rest[0]
    assert "hyperplane through the origin" in plots.conflict(through, X, y).get_title()
    alone = separability([[1.0], [-1]], ["p", "p"], "none")
    title = plots.conflict(alone, np.array([[1.0], [-1]]), ["p", "p"]).get_title()
    assert title == "No hyperplane through the origin has these on one side:\np"


@pytest.mark.parametrize("d", [1, 3, 40])
def test_conflicts_in_other_dimensions(d):
    X = RNG.integers(0, 3, (200, d)).astype(float)
    y = RNG.integers(0, 2, 200)
    proof = separability(X, y)
    ax = plots.conflict(proof, X, y)
    ax.figure.savefig(io.BytesIO(), format="svg")
    assert ax.get_xlabel() == ("x1" if d == 1 else "main direction of these examples")
    assert sum(len(part.get_offsets()) for part in ax.collections) == 200


def test_the_bounds_are_steps_that_do_not_cross():
    X, y = RNG.normal(size=(40, 2)), RNG.integers(0, 2, 40)
    model = MinDisagreement(time_limit=20, random_state=0).fit(X, y)
    ax = plots.bounds(model)
    upper, lower = (line.get_xydata() for line in ax.lines[:2])
    assert upper[-1, 1] == model.errors_
    assert lower[-1, 1] == model.lower_bound_
    assert np.all(np.diff(upper[:, 1]) <= 0)
    assert np.all(np.diff(lower[:, 1]) >= 0)
    assert f"at the end: {model.errors_}" in [text.get_text() for text in ax.get_legend().texts]
    low, high = ax.get_ylim()
    assert low < model.lower_bound_ <= model.errors_ < high


def test_bounds_of_an_unfinished_search_and_of_one_over_at_once():
    from types import SimpleNamespace

    trace = SimpleNamespace(seconds=[0.0, 0.1, 70.0], upper=[90.0, 13.0, 11.0], lower=[0, 2, 4.0])
    open_ = SimpleNamespace(trace_=trace, errors_=11, lower_bound_=4, optimal_=False)
    ax = plots.bounds(open_)
    assert ax.get_xscale() == "log"
    assert "between 4 and 11" in ax.lines[2].get_label()
    model = MinDisagreement().fit([[0.0], [1.0]], [0, 1])
    plots.bounds(model).figure.savefig(io.BytesIO(), format="svg")


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


PLANE = RNG.normal(size=(80, 2))
OUT = (PLANE**2).sum(axis=1) > 1.2


def labelled(ax, text):
    return next(part for part in ax.collections if text in str(part.get_label()))


@pytest.mark.parametrize(
    "machine",
    [
        SVM(Gaussian(0.5)),
        HardMarginSVM(Gaussian(0.5)),
        KernelPerceptron(Polynomial(2), epochs=20),
        Pegasos(lam=0.1, steps=200, kernel=Gaussian(1.0), random_state=0),
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
        assert counted == 90, "those beyond the ends included"
        assert len(ax.lines) == 3
    strings = [f"{a}{b}" for a in "abc" for b in "abcdef"]
    sides = [word[0] == "a" for word in strings]
    objects = KernelPerceptron(Function(lambda a, b: float(len(set(a) & set(b)))))
    ax = plots.scores(objects.fit(strings, sides), strings, sides)
    assert len(ax.lines) == 1


@pytest.fixture(scope="module")
def curve():
    kernels = [Gaussian(v) for v in (10.0, 0.1, 1.0)]
    return compare_kernels(PLANE, OUT, kernels, SVM(C=10.0), cv=3, random_state=0)


def test_a_validation_curve_with_its_supports_below(curve):
    ax = plots.validation_curve(curve)
    above, below = ax.figure.axes
    assert above is ax
    assert ax.get_xscale() == below.get_xscale() == "log"
    lines = {str(line.get_label()): line for line in ax.lines}
    order = np.argsort([kernel.variance for kernel in curve.kernels])
    for name, values in (
        ("validation error", curve.validation_error),
        ("training error", curve.training_error),
    ):
        assert lines[name].get_xdata().tolist() == [0.1, 1.0, 10.0]
        np.testing.assert_allclose(lines[name].get_ydata(), 100 * values[order])
    supports = max(below.lines, key=lambda line: len(line.get_xdata()))
    np.testing.assert_allclose(supports.get_ydata(), curve.supports[order])
    near = lines[curve.neighbours.name]
    assert near.get_ydata()[0] == pytest.approx(100 * curve.neighbours.validation_error)
    assert f"least: variance {curve.best.variance:g}" in lines
    assert "over-fitting" in below.get_xlabel()
    ax.figure.savefig(io.BytesIO(), format="svg")


def test_validation_curves_of_degrees_and_of_any_kernels():
    degrees = [Polynomial(n) for n in (1, 2, 3)]
    other = [Linear(), Gaussian(1.0) + Linear(), Function(lambda a, b: float(a @ b))]
    for kernels, scale, label in ((degrees, "linear", "degree"), (other, "linear", "number of")):
        found = compare_kernels(PLANE, OUT, kernels, cv=2, neighbours=None, random_state=0)
        ax = Figure().add_subplot()
        assert plots.validation_curve(found, ax=ax) is ax
        below = ax.figure.axes[1]
        assert ax.get_xscale() == scale
        assert label in below.get_xlabel()
        ax.figure.savefig(io.BytesIO(), format="svg")
    with pytest.raises(ValueError, match="subplots"):
        plots.validation_curve(found, ax=Figure().add_axes((0, 0, 1, 1)))


@pytest.mark.parametrize("draw", [plots.boundary, plots.margin_band])
def test_a_kernel_machine_has_regions_not_a_hyperplane(draw):
    X, y = [[0.0, 0.0], [1.0, 1.0]], [0, 1]
    with pytest.raises(ValueError, match=r"use plots\.regions"):
        draw(SVM(Gaussian(1.0)).fit(X, y), X, y)
