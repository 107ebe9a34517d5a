"""The examples that no hyperplane has on their own sides."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from scipy import sparse

from certo.certificates.separation.inseparable import Inseparable
from certo.plots import _canvas as canvas
from certo.plots._canvas import INK, MAX_NAMED_LINES


def conflict(proof: Inseparable, X, y, ax: Axes | None = None, names=None, places=None) -> Axes:
    """The few examples that no hyperplane has on their own sides, joined to the point in which
    weighted means of either class meet. If hyperplanes must go through the origin, that is the
    point, and the examples of the negative class are mirrored in it.

    In the plane if there are two features, else along the two main directions of these examples:
    a shadow of the proof, which is in the weights. `places` are names of the rows, if other than
    their numbers."""
    ax = canvas.new_axes(ax)
    X, labels = canvas.matrix(X), proof.labels
    signs, rows = labels.signs(y), proof.rows
    mirrored = proof.intercept == "none"
    task = "tells these apart" if len(labels.classes) > 1 else "has these on one side"
    through = " through the origin" if mirrored else ""
    ax.set_title(f"No hyperplane{through} {task}:\n{canvas.both_sides(labels)}")
    weights = np.array([float(weight) for weight in proof.weights])

    def seen(some: np.ndarray) -> np.ndarray:
        part = X[some].toarray() if sparse.issparse(X) else X[some].astype(np.float64)
        return part * signs[some, None] if mirrored else part

    few = seen(rows)
    side = np.ones(rows.size, bool) if mirrored else signs[rows] > 0
    meeting = (weights * side) @ few / (weights @ side)
    d = X.shape[1]
    axes = np.eye(2, d)
    if d > 2:
        axes = np.linalg.svd(few - few.mean(axis=0), full_matrices=d <= rows.size)[2][:2]
    middle = meeting @ axes.T

    def places_of(some: np.ndarray) -> np.ndarray:
        points = seen(some) @ axes.T
        return canvas.spread(points, signs, some) if d == 1 else points

    others = np.setdiff1d(canvas.some_of(len(signs)), rows)
    everywhere = places_of(np.concatenate([others, rows]))
    span = np.ptp(everywhere, axis=0) + np.finfo(float).tiny
    for sign, color, marker, text in canvas.sides(labels):
        rest, mine = others[signs[others] == sign], rows[signs[rows] == sign]
        canvas.scatter(ax, places_of(rest), None, s=13, c=color, marker=marker, alpha=0.3, lw=0)
        points = places_of(mine)
        look: dict[str, Any] = {"marker": marker, "lw": 1.1, "edgecolors": INK, "zorder": 3}
        canvas.scatter(ax, points, text, s=55, c=color, **look)
        for t, at in zip(mine.tolist(), points, strict=True):
            ax.plot(*np.stack([middle, at]).T, color=color, lw=1.2, alpha=0.7, zorder=2)
            if rows.size <= MAX_NAMED_LINES:
                name = str(t if places is None else places[t])
                away = (at - middle) / span  # Names are on the far side of the point.
                across, up = away / np.hypot(*away) if np.any(away) else (0.7, 0.7)
                look = {"fontsize": 8, "ha": "center", "va": "center"}
                ax.annotate(name, at, (11 * across, 11 * up), textcoords="offset points", **look)
    where = "the origin" if mirrored else "where they meet"
    ax.plot(*middle, "*", ms=11, color=INK, mfc="white", label=where, zorder=4)
    first, second = canvas.axis_names(d, names)
    if d > 2:
        first, second = "main direction of these examples", "second direction"
    if mirrored and np.any(signs < 0):
        first += f" ({canvas.sides(labels)[1][3]}: mirrored)"
    note = canvas.drawn_note(len(others) + len(rows), len(signs))
    ax.set(xlabel=first + note, ylabel=second)
    ax.margins(0.13)
    if d == 1:
        ax.set_yticks([])
    canvas.legend(ax)
    return ax
