"""What becomes of a soft-margin machine as C grows."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from certo.estimators._path import Path
from certo.plots import _canvas as canvas
from certo.plots._canvas import INK, MAX_NAMED_LINES, NEGATIVE, SOFT


def path(path: Path, output: int = 0, ax: Axes | None = None, names=None) -> Axes:
    """The weights of `SVM.path` against C, and below the number of supports and the margin 1/‖w‖.
    The panel below takes its room from that of `ax`, a subplot."""
    ax = canvas.new_axes(ax, (5.6, 5.2))
    below = canvas.second_panel(ax, "path", 2, 1, height_ratios=[2, 1], hspace=0.08)
    coefs = path.coefs[:, output]
    names = canvas.feature_names(path[0], names)
    names = [f"x{j + 1}" for j in range(coefs.shape[1])] if names is None else list(names)
    largest = set(np.argsort(-np.abs(coefs).max(axis=0))[:MAX_NAMED_LINES].tolist())
    for j in range(coefs.shape[1]):
        named = j in largest
        color = canvas.color_of(sorted(largest).index(j)) if named else SOFT
        label = canvas.short(str(names[j])) if named else None
        ax.plot(path.Cs, coefs[:, j], "o-", ms=3, lw=1.3, color=color, label=label)
    ax.axhline(0, color=INK, lw=0.7)
    ax.set(title="Weights as C grows", ylabel="weights", xscale="log")
    ax.tick_params(labelbottom=False)
    below.plot(path.Cs, path.supports[:, output], "s-", ms=3, lw=1.3, color=INK, label="supports")
    below.set(xlabel="C (logarithmic)", ylabel="supports")
    below.set_ylim(bottom=0)
    canvas.whole_numbers(below.yaxis)
    length = np.linalg.norm(coefs, axis=1)
    margin = below.twinx()
    shown = length > 0
    look: dict[str, Any] = {"ms": 3, "lw": 1.3, "color": NEGATIVE, "label": "margin 1/‖w‖ (right)"}
    margin.plot(path.Cs[shown], 1 / length[shown], "^--", **look)
    margin.set_yscale("log")
    margin.set_ylabel("1/‖w‖", color=NEGATIVE)
    canvas.legend(ax, below=below, of=(below, margin), ncols=3)
    return ax
