"""Figures inside a page: names of rows, no links, few bytes."""

import re

import numpy as np
import pytest

from certo.plots import _canvas as canvas
from certo.report.face import new_axes
from certo.report.svg import inline_svg


@pytest.mark.parametrize("many", [2, 500])
def test_points_say_which_row_they_are(many):
    ax = new_axes()
    points = np.random.default_rng(0).normal(size=(many, 2))
    canvas.scatter(ax, points, "dots", np.arange(many) + 7, s=9, c="red", lw=0)
    text = inline_svg(ax.figure, "p-")
    assert re.findall("<title>(.*?)</title>", text) == [f"row {k + 7}" for k in range(many)]
    assert "<a" not in text
    assert "_blank" not in text
    if many == 500:
        assert text.count("#ff0000") <= 2  # Said once for all points, and in the legend.
        assert len(text) < 120 * many


def test_points_are_where_they_were():
    points = np.random.default_rng(0).normal(size=(300, 2))
    found = []
    for places in (None, np.arange(300)):
        ax = new_axes()
        canvas.scatter(ax, points, None, places, s=9, c="red", lw=0)
        text = inline_svg(ax.figure, "p")
        group = text[text.index("PathCollection") :]
        found.append(re.findall(r'<use href="\S+" x="([\d.]+)" y="([\d.]+)"', group)[:300])
    np.testing.assert_allclose(*(np.array(some, dtype=float) for some in found), atol=0.006)
