"""Pictures of regressions and densities show the numbers of their models."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import sparse, stats

from certo import (
    GaussianDensity,
    LeastSquares,
    LogisticRegression,
    LogLinearDensity,
    plots,
)
from certo.features import BoxPolynomials

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3)) * [1.0, 10.0, 0.1]
Y = X @ [1.0, 0.05, 20.0] + RNG.normal(size=200)
KIND = np.where(Y + RNG.normal(size=200) > 0, "yes", "no")
THREE = np.array(list("abc"))[np.digitize(Y + RNG.normal(size=200), [-1, 1])]


@pytest.fixture(scope="module")
def squares():
    return LeastSquares().fit(X, Y)


@pytest.fixture(scope="module")
def logistic():
    return LogisticRegression().fit(X, KIND)


def named(ax, text):
    return next(part for part in ax.collections if text in str(part.get_label()))


def drawn(ax):
    ax.figure.savefig(io.BytesIO(), format="svg")
    return ax


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_coefficients_are_those_of_the_table_by_the_deviation_of_their_columns(squares, make):
    ax = drawn(plots.coefficients(squares, make(X), names=["a", "b", "c"]))
    values = squares.coef_ * X.std(axis=0)
    order = np.argsort(-np.abs(values))
    assert [text.get_text() for text in ax.get_yticklabels()] == ["abc"[k] for k in order]
    lines = ax.collections[0].get_segments()
    ends = np.array([segment[:, 0] for segment in lines])
    expected = squares.intervals()[:3] * X.std(axis=0)[:, None]
    np.testing.assert_allclose(ends, expected[order], rtol=1e-9)
    points = np.concatenate([part.get_offsets() for part in ax.collections[1:]])
    assert sorted(points[:, 0]) == pytest.approx(sorted(values))


def test_which_intervals_have_zero_in_them():
    noise = RNG.normal(size=(200, 1))
    ax = plots.coefficients(LeastSquares().fit(np.hstack([X, noise]), Y), np.hstack([X, noise]))
    inside = named(ax, "with 0 in it").get_offsets()
    outside = named(ax, "interval without 0 (95%)").get_offsets()
    assert len(inside) + len(outside) == 4
    assert len(outside) >= 2


def test_coefficients_without_errors_and_many_of_them():
    wide = RNG.normal(size=(60, 40))
    model = LeastSquares(ridge=0.1).fit(wide, wide[:, 0])
    ax = drawn(plots.coefficients(model, wide))
    assert len(named(ax, "no standard error").get_offsets()) == plots.MOST_COEFFICIENTS
    assert "the largest 24 of 40" in ax.get_xlabel()
    assert ax.get_yticklabels()[0].get_text() == "x0"


def test_coefficients_of_classes_and_outputs():
    model = LogisticRegression(ridge=0.01).fit(X, THREE)
    titles = [plots.coefficients(model, X, group).get_title() for group in (0, 1)]
    assert titles == ["Coefficients: a against c", "Coefficients: b against c"]
    both = LeastSquares(intercept="none").fit(X, np.column_stack([Y, -Y]))
    first, second = (plots.coefficients(both, X, group) for group in (0, 1))
    assert first.collections[1].get_offsets()[0, 0] == pytest.approx(
        -second.collections[1].get_offsets()[0, 0]
    )


def test_residuals_against_predictions(squares):
    ax = drawn(plots.residuals(squares, X, Y))
    points = named(ax, "examples").get_offsets()
    np.testing.assert_allclose(points[:, 0], squares.predict(X))
    np.testing.assert_allclose(points.sum(axis=1), Y)
    means = next(line for line in ax.lines if line.get_label() == "means of neighbours")
    assert means.get_ydata().mean() == pytest.approx(0, abs=1e-9), "groups are equally large"
    reach = next(line for line in ax.lines if "95 %" in str(line.get_label())).get_ydata()[0]
    assert reach == pytest.approx(1.96 * np.sqrt(squares.residual_variance_))
    penalised = LeastSquares(ridge=1.0).fit(X, np.column_stack([Y, Y]))
    drawn(plots.residuals(penalised, X, np.column_stack([Y, Y]), output=1))


def test_quantiles_beside_normal_ones(squares):
    ax = drawn(plots.normal_quantiles(squares, X, Y))
    points = named(ax, "residuals").get_offsets()
    left = np.sort(Y - squares.predict(X)) / np.sqrt(squares.residual_variance_)
    np.testing.assert_allclose(points[:, 1], left)
    expected = stats.norm.ppf((np.arange(200) + 0.5) / 200)
    np.testing.assert_allclose(points[:, 0], expected, atol=1e-12)
    many = RNG.normal(size=(5000, 1))
    y = RNG.normal(size=5000)
    ax = plots.normal_quantiles(LeastSquares().fit(many, y), many, y)
    points = named(ax, "residuals").get_offsets()
    assert len(points) == 400
    assert np.all(np.diff(points[:, 1]) >= 0)


def test_calibration_counts_all_examples(logistic):
    ax = drawn(plots.calibration(logistic, X, KIND))
    line = next(line for line in ax.lines if line.get_label() == "yes")
    said, came = line.get_xydata().T
    p = logistic.predict_proba(X)[:, 1]
    assert np.all(np.diff(said) > 0)
    assert came.mean() == pytest.approx(np.mean(KIND == "yes"), abs=1e-12), "groups of 20"
    assert said.mean() == pytest.approx(p.mean())
    for (low, high), at in zip(
        [segment[:, 1] for segment in ax.collections[0].get_segments()], came, strict=True
    ):
        assert low <= at <= high


def test_calibration_of_several_classes_and_of_few_probabilities():
    model = LogisticRegression(ridge=0.01).fit(X, THREE)
    ax = drawn(plots.calibration(model, X, THREE))
    assert {"a", "b", "c"} <= {str(line.get_label()) for line in ax.lines}
    alike = LogisticRegression().fit([[0.0], [0.0], [1.0], [1.0]] * 9, [0, 1, 0, 1] * 9)
    drawn(plots.calibration(alike, [[0.0], [1.0]] * 9, [0, 1] * 9))
    many = RNG.integers(0, 12, 200)
    ax = plots.calibration(LogisticRegression(ridge=0.1).fit(X, many), X, many)
    assert "the first 10 of 12 classes" in ax.get_title()


def test_convergence_ends_at_the_gap(logistic):
    ax = drawn(plots.convergence(logistic))
    above = ax.lines[0].get_ydata()
    assert above[0] == pytest.approx(logistic.trace_.objective[0] - logistic.infimum_)
    assert ax.get_yscale() == "log"
    assert any("proved at the end" in str(line.get_label()) for line in ax.lines)
    with warnings.catch_warnings(action="ignore"):
        separated = LogisticRegression().fit(X, X[:, 0] > 0)
    assert "no weights have" in drawn(plots.convergence(separated)).get_title()


def test_densities():
    model = GaussianDensity().fit(X[:, :1])
    ax = drawn(plots.density(model, X[:, :1], names=["height"]))
    curve = ax.lines[0].get_xydata()
    expected = stats.norm(model.mean_[0], np.sqrt(model.covariance_[0, 0])).pdf(curve[:, 0])
    np.testing.assert_allclose(curve[:, 1], expected)
    assert ax.get_xlabel() == "height"
    bars = sum(bar.get_width() * bar.get_height() for bar in ax.patches)
    assert bars == pytest.approx(1.0)
    drawn(plots.density(GaussianDensity().fit(X[:, :2]), X[:, :2]))
    boxed = LogLinearDensity(features=BoxPolynomials(3), box=(-5, 5)).fit(X[:, :1])
    ax = drawn(plots.density(boxed, X[:, :1], ax=Figure().add_subplot()))
    assert ax.get_xlim() == (-5, 5)
    drawn(plots.convergence(boxed))
    with pytest.raises(ValueError, match=r"one or two features, but X has shape \(200, 3\)"):
        plots.density(GaussianDensity().fit(X), X)
