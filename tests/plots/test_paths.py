"""Weights as C grows."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from certo import SVM, plots
from certo.worlds import GaussianClasses
from tests.plots.scenes import drawn


def test_the_lines_are_the_weights_the_supports_and_the_margins():
    X, y = GaussianClasses().draw(60, rng=0)
    path = SVM.path(X, y, [0.01, 0.1, 1.0])
    ax = drawn(plots.path(path, names=["left", "right"]))
    for j, line in enumerate(ax.lines[:2]):
        assert line.get_ydata() == pytest.approx(path.coefs[:, 0, j])
    below, margin = ax.figure.axes[1:]
    assert below.lines[0].get_ydata().tolist() == path.supports[:, 0].tolist()
    assert margin.lines[0].get_ydata() == pytest.approx(
        1 / np.linalg.norm(path.coefs[:, 0], axis=1)
    )
    assert "left" in [text.get_text() for text in below.get_legend().get_texts()]
    with pytest.raises(ValueError, match="made by subplots"):
        plots.path(path, ax=Figure().add_axes((0, 0, 1, 1)))
