"""Pictures of a run of the Perceptron: the norm between its curves, mistakes of each epoch."""

from __future__ import annotations

import numpy as np

from certo import Perceptron, plots
from tests.plots.scenes import fitted

RNG = np.random.default_rng(1)


def test_the_norm_stays_between_its_curves():
    model, _, _ = fitted(3, m=200, epochs=500)
    assert model.converged_
    ax = plots.squared_norm(model)
    norm, upper, lower = (line.get_xydata() for line in ax.lines)
    for n, value in norm:
        assert value <= np.interp(n, *upper.T) * (1 + 1e-9)
        assert value >= np.interp(n, *lower.T) * (1 - 1e-9)


def test_curves_far_apart_are_drawn_on_a_logarithmic_scale_with_the_norm_in_sight():
    random = np.random.default_rng(0)
    model = Perceptron(epochs=100).fit(random.normal(size=(300, 2)), random.integers(0, 2, 300))
    ax = plots.squared_norm(model)
    assert ax.get_yscale() == "log"
    low, high = ax.get_ylim()
    assert low <= np.median(model.trace_.squared_norm) <= high
    near = Perceptron(epochs=1).fit([[0, 1], [1, 2], [0, -1], [-1, -2], [1, 1]], [1, 1, 0, 0, 1])
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
