"""What machines minimise: losses of the margin, and the space of the weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle

from certo.losses.base import Loss, MarginLoss
from certo.plots import _canvas as canvas
from certo.plots._canvas import ACCENT, INK, NEGATIVE, POSITIVE, SOFT
from certo.plots.vectors import arrow

MARGIN_POINTS = 601


def losses(*losses: Loss, ax: Axes | None = None) -> Axes:
    """Losses of the margin z = y·f(x), such as ZeroOne(), Hinge() and Logistic(base=2)."""
    ax = canvas.new_axes(ax, (5.2, 3.8))
    z = np.linspace(-2, 3, MARGIN_POINTS)
    colors = [INK, POSITIVE, NEGATIVE, ACCENT, SOFT]
    for k, loss in enumerate(losses):
        if not isinstance(loss, MarginLoss):
            raise ValueError(f"losses draws losses of the margin, and {loss!r} is none.")
        values = np.asarray(loss.value(z), dtype=np.float64)
        jumps = np.abs(np.diff(values)) > 0.5
        values[1:][jumps] = np.nan  # A jump is no slope.
        ax.plot(z, values, color=colors[k % len(colors)], lw=1.8, label=repr(loss))
    ax.axvline(0, color=SOFT, lw=0.8)
    ax.set(xlabel="margin y·f(x)", ylabel="loss", title="Losses of the margin", ylim=(-0.1, 3.2))
    canvas.legend(ax)
    return ax


def weight_space(model, X, y, output: int = 0, ax: Axes | None = None) -> Axes:
    """The plane of the weights (w1, w2) of a HardMarginSVM with two features and no intercept: each
    example allows a half-plane y_t w·x_t ≥ 1, and the solution is the point of their intersection
    that is nearest to 0. Arrows show the supports, y_t x_t, which add up to w with the multipliers
    as weights."""
    ax = canvas.new_axes(ax, (5.2, 4.6))
    X, labels = np.asarray(canvas.matrix(X), dtype=np.float64), model.outputs_[output]
    if X.shape[1] != 2 or np.any(model.intercept_):
        raise ValueError("weight_space needs two features and a machine with intercept='none'.")
    z = labels.signs(y)[:, None] * X
    w = model.coef_[output]
    supports, dual = model.supports_of_output(output)
    size = float(np.linalg.norm(w))
    reach = 2.4 * size
    grid = np.linspace(-reach, reach, 401)
    allowed = np.min(canvas.grid_points(grid, grid) @ z.T, axis=1).reshape(401, 401)
    ax.contourf(grid, grid, allowed, [1.0, np.inf], colors=[ACCENT], alpha=0.18)
    for t in range(len(z)):
        held = t in supports
        look: dict[str, Any] = {"color": INK if held else SOFT, "lw": 1.4 if held else 0.6}
        foot = z[t] / max(float(z[t] @ z[t]), 1e-300)
        along = np.array([-z[t, 1], z[t, 0]])
        name = "y·w·x = 1 of a support" if held and t == supports[0] else None
        if np.any(z[t]):
            ends = tuple(foot.tolist()), tuple((foot + along).tolist())
            ax.axline(*ends, label=name, zorder=1 + held, **look)
    style: dict[str, Any] = {"fill": False, "ec": NEGATIVE, "lw": 1.4, "ls": "--"}
    ax.add_patch(Circle((0, 0), size, **style))
    ax.plot([], [], color=NEGATIVE, lw=1.4, ls="--", label="‖w‖ = ‖w*‖")
    for t, multiplier in zip(supports.tolist(), np.abs(dual).tolist(), strict=True):
        step = multiplier * z[t]
        arrow(ax, w, w + step * 0.6 * size / max(float(np.linalg.norm(step)), 1e-300), POSITIVE)
    arrow(ax, (0, 0), w, INK)
    ax.plot(*w[:, None], "o", ms=6, color=INK, label="w*", zorder=5)
    ax.plot([], [], color=POSITIVE, lw=1.8, label="directions y·x of the supports")
    ax.fill([], [], color=ACCENT, alpha=0.18, label="all margins at least 1")
    ax.set(xlim=(-reach / 2, reach), ylim=(-reach / 2, reach), xlabel="w1", ylabel="w2")
    if w[0] < 0:
        ax.set_xlim(-reach, reach / 2)
    if w[1] < 0:
        ax.set_ylim(-reach, reach / 2)
    ax.set(title="The weights that separate, and the shortest of them", aspect="equal")
    canvas.legend(ax)
    return ax
