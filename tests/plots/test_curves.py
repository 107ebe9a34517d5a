"""Predictions of one feature as a curve."""

import numpy as np
import pytest

from certo import LeastSquares, LogisticRegression, plots
from certo.worlds import LogisticLine, NoisyLine
from tests.plots.scenes import drawn


@pytest.mark.slow
def test_the_line_is_the_prediction_between_its_intervals():
    X, y = NoisyLine().draw(40, rng=0)
    model = LeastSquares().fit(X, y)
    ax = drawn(plots.fitted_curve(model, X, y))
    x, values = ax.lines[0].get_data()
    assert values == pytest.approx(model.predict(x[:, None]))
    assert len(ax.get_legend().get_texts()) == 4
    ridge = drawn(plots.fitted_curve(LeastSquares(ridge=0.1).fit(X, y), X, y))
    assert len(ridge.get_legend().get_texts()) == 2


@pytest.mark.parametrize("classes", [2, 3])
def test_the_curves_are_probabilities(classes):
    X, _ = LogisticLine().draw(60, rng=0)
    y = np.digitize(
        X[:, 0] + np.random.default_rng(0).normal(0, 0.2, 60), [0.2, 0.35][: classes - 1]
    )
    model = LogisticRegression(ridge=1e-3).fit(X, y)
    ax = drawn(plots.fitted_curve(model, X, y))
    assert len(ax.lines) == (1 if classes == 2 else 3)
    x, values = ax.lines[-1].get_data()
    assert values == pytest.approx(model.predict_proba(x[:, None])[:, -1])


def test_two_features_are_refused():
    model = LeastSquares().fit([[1.0, 2.0], [2.0, 1.0], [0.0, 1.0]], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="draws one feature, but X has 2"):
        plots.fitted_curve(model, [[1.0, 2.0]], [1.0])
