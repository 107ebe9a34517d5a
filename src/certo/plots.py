"""Pictures of what a machine learned. Each function draws on `ax`, or on a new figure's axes."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from certo.certificates import Labels, MistakeBound
from certo.geometry import PlaneView

POSITIVE, NEGATIVE, INK, SOFT = "#c2410c", "#1d4ed8", "#1f2937", "#9ca3af"
MOST_POINTS = 2000


def _axes(ax: Axes | None) -> Axes:
    return Figure(figsize=(5.2, 3.9), layout="constrained").add_subplot() if ax is None else ax


def _labels(model, output: int) -> Labels | None:
    for claim in model.certificate_.of_kind(MistakeBound)[output : output + 1]:
        return claim.labels
    return None


def boundary(model, X, y, output: int = 0, ax: Axes | None = None, names=None) -> Axes:
    """The examples and the hyperplane of one output: in the plane itself if there are two
    features, else seen from the side, along the weights and the main direction across them."""
    ax = _axes(ax)
    labels = _labels(model, output)
    signs = labels.signs(y)
    w, b = model.coef_[output], float(model.intercept_[output])
    step = max(1, len(signs) // MOST_POINTS)
    some, signs = X[::step], signs[::step]
    if np.any(w):
        view = PlaneView.of(w, b, X)
        points = view.coordinates(some)
        wrong = signs * (view.boundary.score(points)) <= 0
    else:
        ax.text(0.5, 0.5, "all weights are zero: no boundary", ha="center", transform=ax.transAxes)
        ax.set_axis_off()
        return ax
    for sign, color, marker, text in (
        (1, POSITIVE, "o", labels.name()),
        (-1, NEGATIVE, "s", f"not {labels.name()}" if len(labels.classes) != 2 else None),
    ):
        if text is None:
            text = str(labels.classes[0])
        mine = signs == sign
        ax.scatter(*points[mine].T, s=14, c=color, marker=marker, alpha=0.65, lw=0, label=text)
    if wrong.any():
        ax.scatter(
            *points[wrong].T, s=46, facecolors="none", edgecolors=INK, lw=0.8, label="on the wrong side"
        )
    _draw_line(ax, view.boundary, points)
    first, second = ("along the weights", "main direction across them")
    if X.shape[1] == 2:
        first, second = (str(name) for name in (names if names is not None else ("x1", "x2")))
    elif X.shape[1] == 1:
        first, second = (str(names[0]) if names is not None else "x"), ""
    ax.set(xlabel=first, ylabel=second, title=f"Boundary: {labels.name()}")
    ax.legend(loc="best", fontsize="small", framealpha=0.85)
    return ax


def _draw_line(ax: Axes, line, points: np.ndarray) -> None:
    """The boundary a·u + b·v = c across the points, which stay in sight."""
    low, high = points.min(axis=0), points.max(axis=0)
    pad = 0.08 * np.where(high > low, high - low, 1.0)
    foot = line.c * line.v  # the point of the line nearest to the origin; ‖v‖ = 1
    along = np.array([-line.v[1], line.v[0]])
    reach = 4 * float(np.linalg.norm(high - low) + np.linalg.norm(points.mean(axis=0) - foot) + 1)
    ends = np.array([foot - reach * along, foot + reach * along])
    ax.plot(*ends.T, color=INK, lw=1.6, label="boundary")
    ax.set_xlim(low[0] - pad[0], high[0] + pad[0])
    ax.set_ylim(low[1] - pad[1], high[1] + pad[1])


def squared_norm(model, output: int = 0, ax: Axes | None = None) -> Axes:
    """‖w‖² after every update, between the two curves of the convergence theorem."""
    ax = _axes(ax)
    trace = model.trace_.of_output(output)
    ax.plot(trace.update, trace.squared_norm, color=INK, lw=1.4, label="‖w‖²")
    claims = model.certificate_.of_kind(MistakeBound)[output : output + 1]
    for claim in claims:
        if trace.update.size:
            n = np.unique(np.linspace(0, claim.updates, 200).astype(np.int64))
            lower, upper = claim.curves(n)
            ax.plot(n, upper, color=POSITIVE, lw=1.1, ls="--", label="at most ‖w₀‖² + X² Ση²")
            if claim.separable:
                ax.plot(
                    n, lower, color=NEGATIVE, lw=1.1, ls="--", label="at least (w₀·u + γ Ση)² / ‖u‖²"
                )
            ax.fill_between(n, lower if claim.separable else 0, upper, color=SOFT, alpha=0.15, lw=0)
    labels = _labels(model, output)
    name = f": {labels.name()}" if labels is not None else ""
    ax.set(xlabel="updates", ylabel="‖w‖²", title=f"Squared norm between its bounds{name}")
    ax.set_ylim(bottom=0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(loc="best", fontsize="small")
    return ax


def mistakes(model, ax: Axes | None = None) -> Axes:
    """Updates in every epoch, for every output."""
    ax = _axes(ax)
    outputs = len(model.coef_)
    most = 1
    for output in range(outputs):
        counts = model.trace_.of_output(output).epoch_updates
        most = max(most, len(counts))
        labels = _labels(model, output)
        name = labels.name() if labels is not None and outputs > 1 else None
        marker = "o" if len(counts) <= 40 else None
        ax.plot(np.arange(1, len(counts) + 1), counts, marker=marker, ms=3, lw=1.2, label=name)
    ax.set(xlabel="epoch", ylabel="updates", title="Mistakes in each epoch")
    ax.set_ylim(bottom=0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    if 1 < outputs <= 10:
        ax.legend(loc="best", fontsize="small")
    return ax
