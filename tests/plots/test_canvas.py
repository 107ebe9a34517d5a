"""What all pictures have in common: any name can be drawn, on any axes, or why there is nothing."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib.figure import Figure

from certo import Perceptron, plots
from tests.plots.scenes import fitted


def test_without_weights_or_updates_it_is_said():
    X, y = np.array([[0.0], [0.0]]), np.array([0, 1])
    model = Perceptron(epochs=1, intercept="none").fit(X, y)
    assert "no boundary" in plots.boundary(model, X, y).texts[0].get_text()
    X = np.array([[1.0], [-1.0]])
    settings = {"epochs": 1, "init": "random", "random_state": 0, "intercept": "none"}
    pair = [Perceptron(**settings).fit(X, y) for y in ([1, -1], [-1, 1])]
    (still,) = (model for model in pair if not model.updates_.any())
    assert "no update" in plots.squared_norm(still).texts[0].get_text()


@pytest.mark.slow
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
