"""Functions that are not hyperplanes: what they say in the plane, and how their scores fall."""

from __future__ import annotations

import warnings

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from scipy import sparse

from certo.estimators.description import describe
from certo.facts import InputError
from certo.numbers.digits import share_text
from certo.plots import _canvas as canvas
from certo.plots._canvas import INK, MAX_NAMED_LINES, NEGATIVE, POSITIVE
from certo.words import drawings as sentences

SHADES_PER_SIDE = 20  # Few shades keep a file small.
REGION_GRID_POINTS = 201  # In either direction.


def regions(model, X, y, ax: Axes | None = None, names=None, places=None) -> Axes:
    """What a machine predicts everywhere in the plane, the examples, and those that it is made of.

    For two classes the score is drawn as well: darker where it is larger, and for a margin machine
    the lines where it is ±1. X has two features. `places` are numbers of the rows for the points to
    say."""
    ax = canvas.new_axes(ax)
    X, y = canvas.matrix(X), np.asarray(y)
    if X.ndim != 2 or X.shape[1] != 2:
        raise InputError(sentences.no_regions_in_the_plane, X.shape)
    supports = getattr(model, "support_", np.zeros(0, dtype=np.int64))
    kernel = getattr(model, "kernel_", None)
    rows = canvas.some_of(len(y))
    points = X.toarray() if sparse.issparse(X) else X
    points = points if points.dtype == np.float32 else points.astype(np.float64)
    across, up = np.linspace(*canvas.ends(points, 0.06), REGION_GRID_POINTS).T
    square = REGION_GRID_POINTS, REGION_GRID_POINTS
    with warnings.catch_warnings():  # A grid has no names, and needs none.
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        grid = canvas.grid_points(across, up).astype(points.dtype)
        votes = getattr(model, "_votes", None) is not None
        scores = (
            np.searchsorted(model.classes_, model.predict(grid))
            if votes
            else model.decision_function(grid)
        )
    if votes:
        _draw_classes(ax, across, up, scores.reshape(square))
    elif scores.ndim == 1:
        _draw_score(ax, across, up, scores.reshape(square), _has_margin(model))
    else:
        _draw_classes(ax, across, up, scores.argmax(axis=1).reshape(square))
    for label, color, marker in canvas.class_looks(model.classes_):
        mine = rows[y[rows] == label]
        name = canvas.short(str(label)) if len(model.classes_) <= MAX_NAMED_LINES else None
        look = {"s": 13, "c": [color], "marker": marker, "alpha": 0.75, "lw": 0, "zorder": 3}
        canvas.scatter(ax, points[mine], name, canvas.places_of(places, mine), **look)
    shown = np.intersect1d(supports, rows)
    look = {"s": 34, "facecolors": "none", "edgecolors": INK, "lw": 0.8}
    look |= {"alpha": 0.8 if shown.size < 100 else 0.45, "zorder": 4}
    if supports.size:
        canvas.scatter(ax, points[shown], f"supports ({supports.size:,})", **look)
    first, second = canvas.axis_names(2, canvas.feature_names(model, names))
    title = type(model).__name__ if kernel is None else repr(kernel)
    ax.set(xlabel=first + canvas.drawn_note(len(rows), len(y)), ylabel=second)
    ax.set(xlim=across[[0, -1]], ylim=up[[0, -1]], title=f"Regions: {canvas.short(title, 48)}")
    canvas.legend(ax)
    return ax


def _draw_score(ax: Axes, across, up, scores: np.ndarray, margin: bool) -> None:
    """Shades of the two sides, and the boundary between them."""
    size = 2.0 if margin else float(np.max(np.abs(scores))) or 1.0
    shades = LinearSegmentedColormap.from_list("sides", [NEGATIVE, "white", POSITIVE])
    ax.imshow(
        np.round(SHADES_PER_SIDE * np.clip(scores / size, -1, 1)) / SHADES_PER_SIDE,
        extent=(across[0], across[-1], up[0], up[-1]),
        origin="lower", aspect="auto", cmap=shades, vmin=-1, vmax=1, alpha=0.4,
        interpolation="nearest", zorder=0,
    )  # fmt: skip
    for level, look in ((0.0, "-"), (-1.0, "--"), (1.0, "--"))[: 3 if margin else 1]:
        if scores.min() < level < scores.max():
            width = 1.5 if level == 0 else 0.8
            ax.contour(across, up, scores, [level], colors=INK, linewidths=width, linestyles=look)
    ax.plot([], [], color=INK, lw=1.5, label="boundary")
    if margin:
        ax.plot([], [], color=INK, lw=0.8, ls="--", label="score ±1")


def _draw_classes(ax: Axes, across, up, classes: np.ndarray) -> None:
    """A colour for each class, and lines between them."""
    for k in np.unique(classes).tolist():
        inside = (classes == k).astype(float)
        ax.contourf(
            across, up, inside, [0.5, 1.5], colors=[canvas.color_of(k)], alpha=0.22, zorder=0
        )
        if not inside.all():
            ax.contour(across, up, inside, [0.5], colors=INK, linewidths=0.7)
    ax.plot([], [], color=INK, lw=0.7, label="boundaries")


def scores(model, X, y, output: int = 0, ax: Axes | None = None) -> Axes:
    """How the scores of either class are distributed, for one output: whatever the examples are,
    this much of a function can be seen. Right of 0 it says yes."""
    ax = canvas.new_axes(ax)
    labels = model.outputs_[output]
    votes = getattr(model, "_votes", None) is not None
    found = model._pair_scores(X) if votes else model.decision_function(X)
    values, signs = found.reshape(len(y), -1)[:, output], labels.signs(y)
    values, signs = values[signs != 0], signs[signs != 0]  # Of a pair the two classes.
    # A few far ones would leave no room for the others; they are counted at the ends.
    low, high = np.quantile(values, [0.005, 0.995])
    reach = 1.05 * max(abs(low), abs(high), 1.5 if _has_margin(model) else 0.0) or 1.0
    bins = np.linspace(-reach, reach, 49).tolist()  # One bin ends at 0.
    for sign, color, _, text in canvas.sides(labels):
        mine = np.clip(values[signs == sign], -reach, reach)
        ax.hist(mine, bins, color=color, alpha=0.45, label=text)
        ax.hist(mine, bins, color=color, histtype="step", lw=0.9)
    wrong = share_text(np.mean(signs * values <= 0), 1)
    ax.axvline(0, color=INK, lw=1.5, label=f"boundary ({wrong}% on the wrong side)")
    if _has_margin(model):
        for level in (-1, 1):
            ax.axvline(level, color=INK, lw=0.8, ls="--", label="score ±1" if level > 0 else None)
    ax.set(title=f"Scores: {canvas.both_sides(labels)}", xlabel="score", ylabel="examples")
    ax.set_xlim(-reach, reach)
    canvas.whole_numbers(ax.yaxis)
    canvas.legend(ax)
    return ax


def _has_margin(model) -> bool:
    """Whether a score of 1 is what a machine aims at; sums of mistakes have no scale."""
    known = describe(model)
    return known is not None and known.margin is not None
