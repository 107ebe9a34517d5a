"""Pictures of hyperplanes: what is drawn is what is computed."""

import numpy as np
import pytest

from certo import plots
from certo.geometry import Hyperplane
from tests.plots.scenes import drawn


def texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize("x", [[1.5, 2.5], [-2.0, 1.0], [3.0, 1.0], [0.0, 0.0]])
def test_the_projection_ends_where_the_perpendicular_meets_v(x):
    v = np.array([3.0, 1.0])
    ax = drawn(plots.projection(v, x))
    perpendicular, along = (line.get_xydata() for line in ax.lines[1:3])
    foot = along[1]
    assert perpendicular[0].tolist() == list(x)
    assert perpendicular[1] == pytest.approx(foot)
    assert (np.array(x) - foot) @ v == pytest.approx(0.0, abs=1e-12)
    assert f"{v @ x:.4g}" in ax.get_title()


def test_the_boundary_is_at_right_angles_to_v():
    ax = drawn(plots.projection([3.0, 1.0], [1.0, 2.0], names=("w", "x(n)"), boundary=True))
    assert ax.get_title().startswith("w·x(n) = ‖w‖‖x(n)‖cos θ = 5")
    ends = ax.lines[0].get_xydata()
    assert (ends[1] - ends[0]) @ [3.0, 1.0] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.slow
def test_half_spaces_have_the_points_on_their_sides():
    line = Hyperplane([1.0, 2.0], 3.0)
    ax = drawn(plots.half_spaces(line, [[0, 0], [2, 2], [3, 0], [-1, 3]]))
    above, below = (part.get_offsets() for part in ax.collections[-2:])
    assert above.tolist() == [[2, 2], [3, 0], [-1, 3]]  # (3, 0) is on the line itself
    assert below.tolist() == [[0, 0]]
    assert any("1.34" in text for text in texts(ax))
    assert drawn(plots.half_spaces(Hyperplane([0.0, -1.0])))


@pytest.mark.slow
def test_the_lifted_line_goes_through_the_origin_and_the_threshold():
    ax = drawn(plots.lifting(Hyperplane([2.0], 3.0), [-1, 0, 1, 2]))
    through = next(line for line in ax.lines if "origin" in str(line.get_label())).get_xydata()
    slope = (through[1] - through[0])[0] / (through[1] - through[0])[1]
    assert slope == pytest.approx(1.5)
    assert drawn(plots.lifting(Hyperplane([-1.0], 0.0)))


def test_other_dimensions_are_refused():
    with pytest.raises(ValueError, match="draws the plane, but v has 3"):
        plots.projection([1.0, 2.0, 3.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="draws the plane"):
        plots.half_spaces(Hyperplane([1.0]))
    with pytest.raises(ValueError, match="in 2 dimensions"):
        plots.lifting(Hyperplane([1.0, 2.0]))
