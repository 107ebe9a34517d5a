"""The geometry of hyperplanes: projection and angle, half-spaces, and lifting."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Arc

from certo.geometry import Hyperplane, angle, lift, projection_length
from certo.geometry.hyperplane import vector
from certo.plots import _canvas as canvas
from certo.plots._canvas import ACCENT, INK, NEGATIVE, POSITIVE, SOFT

ARC_SHARE = 0.32  # Radius of the arc of an angle, as a share of the shorter vector.


def arrow(ax: Axes, start, end, color: str, **look: Any) -> None:
    """An arrow whose head does not grow with the axes."""
    style = {"arrowstyle": "-|>", "color": color, "lw": 1.8, "shrinkA": 0, "shrinkB": 0} | look
    ax.annotate("", xy=tuple(end), xytext=tuple(start), arrowprops=style, zorder=4)


def projection(
    v, x, ax: Axes | None = None, *, names: tuple[str, str] = ("v", "x"), boundary: bool = False
) -> Axes:
    """Two vectors of the plane, the angle θ between them, and the projection of x on v, of length
    ‖x‖cos θ = v·x/‖v‖. With `boundary` also the line v·x = 0, at right angles to v, and its two
    sides: x is on the positive one if θ is less than a right angle."""
    ax = canvas.new_axes(ax, (5.2, 4.4))
    v, x = (_plane_vector("projection", name, value) for name, value in (("v", v), ("x", x)))
    length, theta = float(projection_length(x, v)), float(angle(x, v))
    unit = v / np.linalg.norm(v)
    foot = length * unit
    corners = np.array([[0.0, 0.0], v, x, foot])
    size = _equal_view(ax, corners)
    reach = 4 * size * unit
    if boundary:
        across = np.array([-reach[1], reach[0]])
        for sign, color in ((1, POSITIVE), (-1, NEGATIVE)):
            corners = np.array([-across, across, across + sign * reach, -across + sign * reach])
            ax.fill(*corners.T, color=color, alpha=0.1, lw=0, zorder=0)
        text = "boundary: θ = 90° and 270°"
        ax.plot(*np.array([-across, across]).T, color=INK, lw=1.6, label=text, zorder=1)
    ax.plot(*np.array([-reach, reach]).T, color=SOFT, lw=0.8, ls=":", zorder=1)
    ax.plot(*np.array([x, foot]).T, color=INK, lw=1.0, ls="--", zorder=2)
    text = f"projection, {length:.3g} long"
    ax.plot(*np.array([[0, 0], foot]).T, color=ACCENT, lw=5, alpha=0.55, label=text, zorder=2)
    arrow(ax, (0, 0), v, INK)
    arrow(ax, (0, 0), x, POSITIVE)
    if x.any():
        _right_angle(ax, foot, x - foot, -np.sign(length or 1.0) * unit, 0.04 * size)
        radius = ARC_SHARE * float(min(np.linalg.norm(v), np.linalg.norm(x)))
        first, second = np.degrees(np.arctan2(v[1], v[0])), np.degrees(np.arctan2(x[1], x[0]))
        turn = (second - first + 180) % 360 - 180
        start, end = (first, first + turn) if turn > 0 else (first + turn, first)
        look: dict[str, Any] = {"theta1": start, "theta2": end, "color": NEGATIVE, "lw": 1.4}
        ax.add_patch(Arc((0, 0), 2 * radius, 2 * radius, **look))
        middle = np.radians((start + end) / 2)
        _beside(ax, 1.25 * radius * np.array([np.cos(middle), np.sin(middle)]), "θ", NEGATIVE)
    room = 0.05 * size * max(1.0, 0.5 * max(map(len, names)))
    _beside(ax, v + room * unit, names[0], INK)
    _beside(ax, x + room * x / (np.linalg.norm(x) or 1.0), names[1], POSITIVE)
    ax.plot([], [], color=NEGATIVE, lw=1.4, label=f"θ = {np.degrees(theta):.3g}°")
    first_name, second_name = names
    lengths = f"‖{first_name}‖‖{second_name}‖"
    ax.set_title(f"{first_name}·{second_name} = {lengths}cos θ = {v @ x:.4g}")
    canvas.legend(ax, 2.5)
    return ax


def half_spaces(hyperplane: Hyperplane, points=None, ax: Axes | None = None) -> Axes:
    """A line S(v, c) of the plane with its two half-spaces, its vector v, and its distance from the
    origin; and points, coloured by their side."""
    ax = canvas.new_axes(ax, (5.2, 4.4))
    _plane_vector("half_spaces", "v", hyperplane.v)
    unit, distance = hyperplane.unit_normal, hyperplane.distance_from_origin
    foot = distance * unit
    shown = np.empty((0, 2)) if points is None else np.atleast_2d(np.asarray(points, float))
    tip = foot + hyperplane.v
    size = _equal_view(ax, np.concatenate([[[0.0, 0.0], foot, tip, foot - unit], shown]))
    along = 6 * size * np.array([-unit[1], unit[0]])
    for sign, color, name in ((1, POSITIVE, "S⁺: v·x ≥ c"), (-1, NEGATIVE, "S⁻: v·x < c")):
        far = 6 * size * sign * unit
        corners = np.array([foot - along, foot + along, foot + along + far, foot - along + far])
        ax.fill(*corners.T, color=color, alpha=0.13, lw=0, label=name, zorder=0)
    ax.plot(*np.array([foot - along, foot + along]).T, color=INK, lw=1.8, label="S: v·x = c")
    text = f"c/‖v‖ = {distance:.3g}, signed distance from the origin"
    # Where the distance is negative, v lies over the way from the foot to the origin.
    ax.plot(*np.array([[0, 0], foot]).T, color=ACCENT, lw=1.6, ls="--", label=text, zorder=5)
    ax.plot([0], [0], "+", color=INK, ms=9, zorder=5)
    free = -unit if distance >= 0 else np.array([-unit[1], unit[0]])
    _beside(ax, 0.06 * size * free, "0", INK)
    arrow(ax, foot, tip, INK)
    _beside(ax, tip + 0.05 * size * unit, "v", INK)
    if len(shown):
        for sign, color, marker in ((1, POSITIVE, "o"), (-1, NEGATIVE, "s")):
            mine = shown[hyperplane.side(shown) == sign]
            canvas.scatter(ax, mine, None, s=26, c=color, marker=marker, lw=0, zorder=3)
    ax.set(xlabel="x1", ylabel="x2", title="A hyperplane and its half-spaces")
    canvas.legend(ax)
    return ax


def lifting(hyperplane: Hyperplane, points=None, ax: Axes | None = None) -> Axes:
    """How a threshold on the line, S(v, c) with one coordinate, becomes a line through the origin:
    points x are lifted to (x, 1), and S to the homogeneous S((v, −c), 0)."""
    ax = canvas.new_axes(ax, (5.6, 4.0))
    if hyperplane.v.size != 1:
        raise ValueError(
            f"lifting draws a hyperplane of the line, lifted to the plane, but this one is in "
            f"{hyperplane.v.size} dimensions."
        )
    threshold, lifted = float(hyperplane.c / hyperplane.v[0]), hyperplane.lifted()
    shown = np.linspace(threshold - 3, threshold + 3, 7) if points is None else np.ravel(points)
    shown = shown[:, None]
    side = hyperplane.side(shown)
    flat, high = np.column_stack([shown, np.zeros(len(shown))]), lift(shown)
    for sign, color, marker, text in (
        (1, POSITIVE, "o", "v·x ≥ c"),
        (-1, NEGATIVE, "s", "v·x < c"),
    ):
        mine = side == sign
        for low, up in zip(flat[mine], high[mine], strict=True):
            ax.plot(*np.array([low, up]).T, color=color, lw=0.8, ls=":", zorder=1)
        look: dict[str, Any] = {"s": 30, "c": color, "marker": marker, "lw": 0, "zorder": 3}
        canvas.scatter(ax, flat[mine], None, alpha=0.4, **look)
        canvas.scatter(ax, high[mine], text, **look)
    ends = np.array([-1.0, 3.0])[:, None] * [threshold, 1.0]
    ax.plot(*ends.T, color=INK, lw=1.8, label="(v, −c)·(x, 1) = 0, through the origin")
    ax.axhline(1, color=SOFT, lw=0.8)
    ax.axhline(0, color=SOFT, lw=0.8)
    ax.plot([threshold], [0], "|", color=INK, ms=16, mew=2, label="x = c/v on the line")
    arrow(ax, (0, 0), 0.9 * lifted.v / np.linalg.norm(lifted.v), INK)
    reach = np.abs(np.append(shown[:, 0], threshold)).max() * 1.08
    ax.set(xlim=(-reach, reach), ylim=(-0.75, 1.6), yticks=[0, 1], xlabel="x")
    ax.set_title("A threshold, lifted to a line through the origin")
    canvas.legend(ax)
    return ax


def _plane_vector(what: str, name: str, value) -> np.ndarray:
    found = vector(f"{what}: {name}", value)
    if found.size != 2:
        raise ValueError(f"{what} draws the plane, but {name} has {found.size} entries, not 2.")
    return found


def _equal_view(ax: Axes, points: np.ndarray) -> float:
    """Axes with one scale and room around these points; their size is returned."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = float(max(np.max(high - low), 1e-9))
    middle, half = (low + high) / 2, np.maximum((high - low) / 2, 0.3 * size) + 0.18 * size
    (left, bottom), (right, top) = middle - half, middle + half
    ax.set(xlim=(left, right), ylim=(bottom, top))
    ax.set_aspect("equal")
    return size


def _right_angle(ax: Axes, corner, first, second, size: float) -> None:
    """The small square that marks a right angle between two directions."""
    if not (np.any(first) and np.any(second)):
        return
    a, b = (size * np.asarray(way) / np.linalg.norm(way) for way in (first, second))
    ax.plot(*np.array([corner + a, corner + a + b, corner + b]).T, color=INK, lw=0.8)


def _beside(ax: Axes, place, text: str, color: str) -> None:
    x, y = place
    ax.text(x, y, text, color=color, ha="center", va="center", fontsize="large", zorder=5)
