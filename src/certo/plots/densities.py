"""Densities among their examples."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from certo.facts import InputError
from certo.plots import _canvas as canvas
from certo.plots._canvas import NEGATIVE, POSITIVE, SOFT
from certo.words import drawings as sentences

DENSITY_GRID_POINTS = {1: 401, 2: 121}  # In each direction, by the number of features.
SHARES_INSIDE = (0.05, 0.25, 0.5, 0.75, 0.95)  # Shares of the examples inside each line.


def density(model, X, ax: Axes | None = None, names=None) -> Axes:
    """A density with the examples that it was fitted to: over their histogram if there is one
    feature, as lines around so many of them if there are two."""
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] not in (1, 2):
        raise InputError(sentences.no_density_in_the_plane, X.shape)
    ax = canvas.new_axes(ax)
    fine = DENSITY_GRID_POINTS[X.shape[1]]
    lines = [np.linspace(low, high, fine) for low, high in _ends(model, X)]
    grid = np.column_stack([part.ravel() for part in np.meshgrid(*lines)])
    p = np.exp(model.score_samples(grid))
    first, second = canvas.axis_names(X.shape[1], canvas.feature_names(model, names))
    if X.shape[1] == 1:
        ends = (float(lines[0][0]), float(lines[0][-1]))
        bins = int(np.clip(2 * len(X) ** (1 / 3), 5, 60))
        look: dict[str, Any] = {"color": SOFT, "alpha": 0.4, "label": "examples"}
        ax.hist(X[:, 0], bins, range=ends, density=True, **look)
        ax.plot(lines[0], p, color=POSITIVE, lw=1.6, label="density")
        ax.set(xlabel=first, ylabel="density", xlim=ends)
        ax.set_ylim(bottom=0)
    else:
        rows = canvas.some_of(len(X))
        canvas.scatter(ax, X[rows], "examples", s=9, c=NEGATIVE, alpha=0.35, lw=0)
        # The level that so many of the examples are above.
        levels = np.unique(np.quantile(np.exp(model.score_samples(X)), SHARES_INSIDE))
        ax.contour(*lines, p.reshape(len(lines[1]), -1), levels, colors=POSITIVE, linewidths=1.2)
        shares = ", ".join(f"{100 * share:.0f}" for share in SHARES_INSIDE)
        ax.plot([], [], color=POSITIVE, lw=1.2, label=f"around {shares} % of them")
        ax.set(xlabel=first + canvas.drawn_note(len(rows), len(X)), ylabel=second)
    ax.set_title(f"Density: {type(model).__name__}")
    canvas.legend(ax)
    return ax


def _ends(model, X: np.ndarray) -> np.ndarray:
    """The box of the model, if it has one, else that of the examples with room around it."""
    if hasattr(model, "low_"):
        return np.column_stack([model.low_, model.high_])
    return np.column_stack(canvas.ends(X, 0.15))
