"""Pictures of regressions show the numbers of their models."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse, stats

from certo import LeastSquares, LogisticRegression, plots
from tests.plots.scenes import THREE, X, Y, drawn

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def squares():
    return LeastSquares().fit(X, Y)


def named(ax, text):
    return next(part for part in ax.collections if text in str(part.get_label()))


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
    assert len(named(ax, "no standard error").get_offsets()) == plots.MAX_COEFFICIENTS_DRAWN
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


@pytest.mark.slow
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


def test_leverage_against_studentised_residuals(squares):
    ax = drawn(plots.leverage(squares, X, Y, places=np.arange(len(Y)) + 1))
    Z = np.column_stack([X, np.ones(len(X))])
    hat = Z @ np.linalg.inv(Z.T @ Z) @ Z.T
    h, left = np.diag(hat), Y - hat @ Y
    variance = left @ left / (len(Y) - Z.shape[1])
    points = named(ax, "examples").get_offsets()
    wanted = np.column_stack([h, left / np.sqrt(variance * (1 - h))])
    np.testing.assert_allclose(points, wanted[: len(points)], rtol=1e-6)
    np.testing.assert_allclose(squares.leverages(X), h)
    assert named(ax, "examples").get_urls()[0] == "row 1"
    at, edge = ax.lines[1].get_xydata()[100]
    assert edge**2 * at / (1 - at) / Z.shape[1] == pytest.approx(1)  # Cook's distance
