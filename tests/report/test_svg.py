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


@pytest.mark.slow
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


def test_no_point_is_clipped_by_itself():
    ax = new_axes()
    ax.plot([0.5], [0.5], "o")
    ax.plot([0, 1, 2], [0, 1, 0], "s-")
    canvas.scatter(ax, np.ones((1, 2)), None, [4], s=9)
    canvas.scatter(ax, np.eye(2), None, s=9)
    text = inline_svg(ax.figure, "p")
    points = re.findall("<use[^>]*>", text)
    assert len(points) > 6
    assert not any("clip-path" in point for point in points)
    assert text.count("<title>row 4</title>") == 1
