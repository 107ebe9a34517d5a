"""Are probabilities what they say?"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from certo.guarantees.empirical_risk import risk
from certo.plots import _canvas as canvas
from certo.plots._canvas import INK, MAX_NAMED_LINES, POSITIVE, SOFT

CALIBRATION_GROUPS = 10  # Groups of examples with neighbouring probabilities.
INTERVAL_CONFIDENCE = 0.95


def calibration(model, X, y, ax: Axes | None = None) -> Axes:
    """How often a class came, against the probability that was given to it, in groups of examples
    with neighbouring probabilities: on the diagonal, probabilities are what they say.

    For two classes the second is drawn, each group with an exact interval for its frequency; for
    more, a line each. Grey: how many examples were given so much."""
    ax = canvas.new_axes(ax)
    p, y, classes = np.asarray(model.predict_proba(X)), np.asarray(y), model.classes_
    shown = [1] if len(classes) == 2 else range(min(len(classes), MAX_NAMED_LINES))
    _draw_shares(ax, p[:, 1] if len(classes) == 2 else p.ravel())
    ax.plot([0, 1], [0, 1], color=INK, lw=1.0, ls="--", label="perfect calibration")
    for k in shown:
        color = POSITIVE if len(classes) == 2 else canvas.color_of(k)
        groups = _groups(p[:, k])
        said = [p[some, k].mean() for some in groups]
        came = [
            risk(np.where(y[some] == classes[k], -1.0, 1.0), None, np.ones(some.size),
                 confidence=INTERVAL_CONFIDENCE)
            for some in groups
        ]  # fmt: skip
        ax.plot(said, came, "o-", ms=4, lw=1.3, color=color, label=canvas.short(str(classes[k])))
        if len(classes) == 2:
            ends = [one.low for one in came], [one.high for one in came]
            ax.vlines(said, *ends, color=color, lw=1.0, alpha=0.7)
    few = (
        f" (the first {len(shown)} of {len(classes)} classes)" if len(shown) < len(classes) else ""
    )
    which = f": {canvas.in_title(str(classes[1]))}" if len(classes) == 2 else few
    ax.set(title=f"Calibration{which}", xlabel="predicted probability", ylabel="observed frequency")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    canvas.legend(ax)
    return ax


def _groups(p: np.ndarray) -> list[np.ndarray]:
    """Rows with neighbouring probabilities, about equally many; equal ones stay together."""
    edges = np.unique(np.quantile(p, np.linspace(0, 1, CALIBRATION_GROUPS + 1)[1:-1]))
    of = np.searchsorted(edges, p, side="right")
    return [np.flatnonzero(of == k) for k in np.unique(of)]


def _draw_shares(ax: Axes, p: np.ndarray) -> None:
    """The distribution of the probabilities, along the bottom."""
    counts, edges = np.histogram(p, 40, (0, 1))
    ax.bar(
        edges[:-1], 0.25 * counts / counts.max(), np.diff(edges), align="edge", color=SOFT,
        alpha=0.3, lw=0,
    )  # fmt: skip
