"""Losses of the margin, and the space of the weights."""

import numpy as np
import pytest

from certo import HardMarginSVM, plots
from certo.losses import Hinge, Logistic, Squared, ZeroOne
from certo.worlds import SplitCloud
from tests.plots.scenes import drawn

X, Y = SplitCloud(gap=0.3).draw(20, rng=0)


def test_losses_are_those_of_the_objects():
    ax = drawn(plots.losses(ZeroOne(), Hinge(), Logistic(base=2)))
    for loss, line in zip((ZeroOne(), Hinge(), Logistic(base=2)), ax.lines, strict=False):
        z, values = line.get_data()
        there = ~np.isnan(values)
        assert values[there] == pytest.approx(loss.value(z[there]))
        assert np.mean(there) > 0.99
    with pytest.raises(ValueError, match="losses of the margin"):
        plots.losses(Squared())


@pytest.mark.parametrize("turn", [0.0, 2.5])
def test_the_solution_touches_the_weights_that_separate(turn):
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    Z = X @ rotation
    model = HardMarginSVM(intercept="none").fit(Z, Y)
    ax = drawn(plots.weight_space(model, Z, Y))
    (point,) = [line.get_xydata()[0] for line in ax.lines if line.get_label() == "w*"]
    assert point == pytest.approx(model.coef_[0])
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert left < point[0] < right
    assert bottom < point[1] < top
    with pytest.raises(ValueError, match="two features"):
        plots.weight_space(HardMarginSVM().fit(Z, Y), Z, Y)
