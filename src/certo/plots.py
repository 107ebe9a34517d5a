"""Pictures of what a machine learned. Each function draws on `ax`, or on a new figure's axes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import EngFormatter, LogLocator, MaxNLocator
from scipy import sparse

from certo.certificates import (
    DualityGap,
    Inseparable,
    KernelGap,
    KernelMistakeBound,
    MistakeBound,
    Separable,
)
from certo.certificates.encoding import rounded_down, rounded_up
from certo.certificates.exact import UNIT
from certo.certificates.margins import norm
from certo.estimators import SVM, HardMarginSVM, Pegasos
from certo.estimators._kernel import union_of
from certo.geometry import PlaneView
from certo.selection import ValidationCurve

POSITIVE, NEGATIVE, INK, SOFT = "#c2410c", "#1d4ed8", "#1f2937", "#9ca3af"
MOST_POINTS = 1000  # more hide each other
MOST_NAMED = 10  # lines with a colour and a name of their own
SHADES = 20  # of either side: few keep a file small
FINENESS = 201  # points of a region's grid in either direction
TOO_SIMPLE_OR_RICH = {
    "variance": ("← over-fitting", "under-fitting →"),
    "degree": ("← under-fitting", "over-fitting →"),
}
FAR_APART = 20  # curves whose ratio is beyond this are drawn on a logarithmic scale


def boundary(model, X, y, output: int = 0, ax: Axes | None = None, names=None) -> Axes:
    """The examples and the hyperplane of one output: in the plane itself if there are two
    features, else seen from the side, along the weights and the main direction across them."""
    _needs_hyperplane(model, "boundary")
    ax = _axes(ax)
    if names is None:
        names = getattr(model, "feature_names_in_", None)
    labels = model.outputs_[output]
    ax.set_title(f"Boundary: {_short(labels.name())}")
    w, b = model.coef_[output], float(model.intercept_[output])
    _draw_side_view(ax, w, b, X, y, labels, names)
    return ax


def margin_band(model, X, y, output: int = 0, ax: Axes | None = None, names=None) -> Axes:
    """The hyperplane between the classes, the band of its margin, and the supports that keep it
    from being wider.

    `model` is a HardMarginSVM, which has no examples in the band; or an SVM, where a line joins
    every example with slack to the edge of the band beyond which it would have none; or a Separable
    certificate, whose band is as wide as is proved."""
    _needs_hyperplane(model, "margin_band")
    ax = _axes(ax)
    soft = isinstance(model, SVM)
    if isinstance(model, Separable):
        labels, w, b, margin = model.labels, model.coef, model.intercept, model.margin
        supports = np.zeros(0, dtype=np.int64)
    else:
        labels, w, b = model.outputs_[output], model.coef_[output], float(model.intercept_[output])
        margin, supports = 1 / (norm(w) or np.inf), model.support_[output]
        names = getattr(model, "feature_names_in_", None) if names is None else names
    ax.set_title(f"Margin: {_named(labels)}")
    shown = supports if not soft else np.intersect1d(supports, _some(len(y)))
    text = f"margin {margin:.4g}" if soft else f"no example within {rounded_down(margin, 4)}"
    view = _draw_side_view(ax, w, b, X, y, labels, names, shown, (margin, text), rings=not soft)
    if view is not None and supports.size:
        look = {"s": 60, "facecolors": "none", "edgecolors": INK, "lw": 1.1}
        points = view.coordinates(_matrix(X)[shown])
        if np.size(w) == 1:
            points = _spread(points, labels.signs(y), shown)
        if soft:
            look |= {"s": 30, "lw": 0.8, "alpha": 0.8 if shown.size < 100 else 0.4}
            _draw_slacks(ax, view, points, labels.signs(y)[shown], _matrix(X)[shown] @ w + b, w)
        _scatter(ax, points, f"supports ({supports.size:,})", **look)
        _legend(ax)
    return ax


def regions(model, X, y, ax: Axes | None = None, names=None) -> Axes:
    """What a machine predicts everywhere in the plane, the examples, and those that it is made of.

    For two classes the score is drawn as well: darker where it is larger, and for a margin machine
    the lines where it is ±1. X has two features."""
    ax = _axes(ax)
    X, y = _matrix(X), np.asarray(y)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"regions are drawn of two features, but X has shape {X.shape}.")
    names = getattr(model, "feature_names_in_", None) if names is None else names
    supports = union_of(getattr(model, "support_", []))
    kernel = getattr(model, "kernel_", None)
    rows = _some(len(y))
    points = X.toarray() if sparse.issparse(X) else X
    points = points if points.dtype == np.float32 else points.astype(np.float64)
    (left, bottom), (right, top) = points.min(axis=0), points.max(axis=0)
    pads = 0.06 * np.where([right > left, top > bottom], [right - left, top - bottom], 1.0)
    across = np.linspace(left - pads[0], right + pads[0], FINENESS)
    up = np.linspace(bottom - pads[1], top + pads[1], FINENESS)
    grid = np.column_stack([part.ravel() for part in np.meshgrid(across, up)])
    with warnings.catch_warnings():  # a grid has no names, and needs none
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        scores = model.decision_function(grid.astype(points.dtype))
    if scores.ndim == 1:
        _draw_score(ax, across, up, scores.reshape(FINENESS, FINENESS), _has_margin(model))
    else:
        _draw_classes(ax, across, up, scores.argmax(axis=1).reshape(FINENESS, FINENESS))
    for label, color, marker in _class_looks(model.classes_):
        mine = rows[y[rows] == label]
        name = _short(str(label)) if len(model.classes_) <= MOST_NAMED else None
        _scatter(ax, points[mine], name, s=13, c=[color], marker=marker, alpha=0.75, lw=0, zorder=3)
    shown = np.intersect1d(supports, rows)
    look = {"s": 34, "facecolors": "none", "edgecolors": INK, "lw": 0.8}
    look |= {"alpha": 0.8 if shown.size < 100 else 0.45, "zorder": 4}
    if supports.size:
        _scatter(ax, points[shown], f"supports ({supports.size:,})", **look)
    drawn = f" ({len(rows):,} of {len(y):,} examples drawn)" if len(rows) < len(y) else ""
    first, second = _axis_names(2, names)
    title = type(model).__name__ if kernel is None else repr(kernel)
    ax.set(xlabel=first + drawn, ylabel=second, title=f"Regions: {_short(title, 48)}")
    ax.set(xlim=across[[0, -1]], ylim=up[[0, -1]])
    _legend(ax)
    return ax


def _draw_score(ax: Axes, across, up, scores: np.ndarray, margin: bool) -> None:
    """Shades of the two sides, and the boundary between them."""
    size = 2.0 if margin else float(np.max(np.abs(scores))) or 1.0
    shades = LinearSegmentedColormap.from_list("sides", [NEGATIVE, "white", POSITIVE])
    ax.imshow(
        np.round(SHADES * np.clip(scores / size, -1, 1)) / SHADES,
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
    last = int(classes.max())
    for k in range(last + 1):
        inside = (classes == k).astype(float)
        if not inside.any():
            continue
        ax.contourf(across, up, inside, [0.5, 1.5], colors=[_color(k)], alpha=0.22, zorder=0)
        if not inside.all():
            ax.contour(across, up, inside, [0.5], colors=INK, linewidths=0.7)
    ax.plot([], [], color=INK, lw=0.7, label="boundaries")


def _class_looks(classes) -> list[tuple[Any, Any, str]]:
    """A label, its colour and its marker: for two classes those of the two sides."""
    if len(classes) == 2:
        return [(classes[0], NEGATIVE, "s"), (classes[1], POSITIVE, "o")]
    return [(label, _color(k), "osD^vP*Xph"[k % 10]) for k, label in enumerate(classes)]


def _color(k: int):
    return colormaps["tab10"](k % 10)


def _needs_hyperplane(model, what: str) -> None:
    if getattr(model, "kernel_", None) is not None:
        raise ValueError(
            f"{what} draws a hyperplane, but this machine has the kernel {model.kernel_!r}: use "
            "plots.regions (of two features) or plots.scores."
        )


def _has_margin(model) -> bool:
    """Whether a score of 1 is what a machine aims at; sums of mistakes have no scale."""
    return isinstance(model, SVM | HardMarginSVM | Pegasos)


def scores(model, X, y, output: int = 0, ax: Axes | None = None) -> Axes:
    """How the scores of either class are distributed, for one output: whatever the examples are,
    this much of a function can be seen. Right of 0 it says yes."""
    ax = _axes(ax)
    labels = model.outputs_[output]
    values = model.decision_function(X).reshape(len(y), -1)[:, output]
    signs = labels.signs(y)
    # a few far ones would leave no room for the others; they are counted at the ends
    low, high = np.quantile(values, [0.005, 0.995])
    reach = 1.05 * max(abs(low), abs(high), 1.5 if _has_margin(model) else 0.0) or 1.0
    bins = np.linspace(-reach, reach, 49).tolist()  # 0 is where one ends
    for sign, color, _, text in _sides(labels):
        mine = np.clip(values[signs == sign], -reach, reach)
        ax.hist(mine, bins, color=color, alpha=0.45, label=text)
        ax.hist(mine, bins, color=color, histtype="step", lw=0.9)
    wrong = np.mean(signs * values <= 0)
    ax.axvline(0, color=INK, lw=1.5, label=f"boundary ({wrong:.1%} on the wrong side)")
    if _has_margin(model):
        for level in (-1, 1):
            ax.axvline(level, color=INK, lw=0.8, ls="--", label="score ±1" if level > 0 else None)
    ax.set(title=f"Scores: {_named(labels)}", xlabel="score", ylabel="examples")
    ax.set_xlim(-reach, reach)
    _whole_numbers(ax.yaxis)
    _legend(ax)
    return ax


def validation_curve(curve: ValidationCurve, ax: Axes | None = None) -> Axes:
    """Training and validation error of each kernel, the nearest neighbours beside them, and below
    the number of supports. Where both errors are high the kernel is too simple; where they part,
    too rich.

    The panel of supports takes its room from that of `ax`, a subplot."""
    ax = _axes(ax, (5.6, 5.2))
    place = ax.get_subplotspec()
    if place is None:
        raise ValueError("validation_curve needs an ax made by subplots() or add_subplot().")
    two = place.subgridspec(2, 1, height_ratios=[3, 1], hspace=0.08)
    ax.set_subplotspec(two[0])
    below = ax.figure.add_subplot(two[1], sharex=ax)
    known = curve.parameter
    name, at = (
        known
        if known is not None
        else ("number of the kernel", np.arange(1.0, len(curve.kernels) + 1))
    )
    order = np.argsort(at, kind="stable")
    at, best = at[order], at[curve.best_index]
    train, valid, spread = (
        100 * part[order]
        for part in (curve.training_error, curve.validation_error, curve.standard_error)
    )
    look: dict[str, Any] = {"lw": 1.4 if known else 0, "ms": 4}
    ax.plot(at, valid, "o-", color=POSITIVE, label="validation error", **look)
    if np.any(spread):
        text = "± its standard error"
        edges = valid - spread, valid + spread
        ax.fill_between(at, *edges, color=POSITIVE, alpha=0.15, lw=0, label=text)
    ax.plot(at, train, "s-", color=NEGATIVE, label="training error", **look)
    near = curve.neighbours
    if near is not None:
        text = near.name
        ax.axhline(100 * near.validation_error, color=INK, lw=1.0, ls="--", label=text)
    text = f"least: {name} {best:g}" if known else f"least: {_short(repr(curve.best), 40)}"
    for panel in (ax, below):
        panel.axvline(best, color=SOFT, lw=1.0, ls=":", label=text if panel is ax else None)
    below.plot(at, curve.supports[order], "o-", color=INK, **look)
    what = curve.machine
    if known is not None:
        what += f", {type(curve.kernels[0]).__name__}"
    ax.set(title=f"Choosing a kernel: {_short(what, 40)}", ylabel="error (%)")
    ax.set_ylim(bottom=0)
    below.set_ylabel("supports")
    below.set_ylim(0, 1.15 * max(1.0, float(np.nanmax(curve.supports))))
    _whole_numbers(below.yaxis)
    ax.tick_params(labelbottom=False)
    if known is None:
        below.set_xticks(at, [str(k + 1) for k in order.tolist()])
    elif np.all(at == np.rint(at)) and name != "variance":
        _whole_numbers(below.xaxis)
    elif at[0] > 0:
        ax.set_xscale("log")
        name += " (logarithmic)"
    left, right = TOO_SIMPLE_OR_RICH.get(name.split()[0], ("", ""))
    below.set_xlabel("\u2003".join((left, name, right)).strip())  # a space that SVG keeps
    if ax.figure.get_layout_engine() is None:
        ax.legend(loc="best", fontsize="small")
    else:  # below the label of the axis
        look = {"bbox_to_anchor": (0.5, 0), "borderaxespad": 4.5, "frameon": False}
        handles = ax.get_legend_handles_labels()
        below.legend(*handles, loc="upper center", ncols=2, fontsize="small", **look)
    return ax


def _draw_slacks(
    ax: Axes, view: PlaneView, points: np.ndarray, signs: np.ndarray, scores: np.ndarray, w
) -> None:
    """ξ/‖w‖ is how far, along w, an example is from its edge of the band."""
    slack = np.maximum(1 - signs * scores, 0.0) * (1 / norm(w))
    ends = points + (signs * slack)[:, None] * view.boundary.v
    lines = np.stack([points, ends], axis=1)
    colors = [POSITIVE if sign > 0 else NEGATIVE for sign in signs]
    ax.add_collection(
        LineCollection(list(lines), colors=colors, lw=0.8, alpha=0.45, zorder=1), autolim=False
    )
    if np.any(slack > 1e-6):
        ax.plot([], [], color=SOFT, lw=0.8, label="slack")


def conflict(proof: Inseparable, X, y, ax: Axes | None = None, names=None, places=None) -> Axes:
    """The few examples that no hyperplane has on their own sides, joined to the point in which
    weighted means of either class meet. If hyperplanes must go through the origin, that is the
    point, and the examples of the negative class are mirrored in it.

    In the plane if there are two features, else along the two main directions of these examples:
    a shadow of the proof, which is in the weights. `places` are names of the rows, if other than
    their numbers."""
    ax = _axes(ax)
    X, labels = _matrix(X), proof.labels
    signs, rows = labels.signs(y), proof.rows
    mirrored = proof.intercept == "none"
    task = "tells these apart" if len(labels.classes) > 1 else "has these on one side"
    through = " through the origin" if mirrored else ""
    ax.set_title(f"No hyperplane{through} {task}:\n{_named(labels)}")
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
        return _spread(points, signs, some) if d == 1 else points

    others = np.setdiff1d(_some(len(signs)), rows)
    everywhere = places_of(np.concatenate([others, rows]))
    span = np.ptp(everywhere, axis=0) + np.finfo(float).tiny
    for sign, color, marker, text in _sides(labels):
        rest, mine = others[signs[others] == sign], rows[signs[rows] == sign]
        _scatter(ax, places_of(rest), None, s=13, c=color, marker=marker, alpha=0.3, lw=0)
        points = places_of(mine)
        look: dict[str, Any] = {"marker": marker, "lw": 1.1, "edgecolors": INK, "zorder": 3}
        _scatter(ax, points, text, s=55, c=color, **look)
        for t, at in zip(mine.tolist(), points, strict=True):
            ax.plot(*np.stack([middle, at]).T, color=color, lw=1.2, alpha=0.7, zorder=2)
            if rows.size <= MOST_NAMED:
                name = str(t if places is None else places[t])
                away = (at - middle) / span  # on the far side of the point
                across, up = away / np.hypot(*away) if np.any(away) else (0.7, 0.7)
                look = {"fontsize": 8, "ha": "center", "va": "center"}
                ax.annotate(name, at, (11 * across, 11 * up), textcoords="offset points", **look)
    where = "the origin" if mirrored else "where they meet"
    ax.plot(*middle, "*", ms=11, color=INK, mfc="white", label=where, zorder=4)
    first, second = _axis_names(d, names)
    if d > 2:
        first, second = "main direction of these examples", "second direction"
    if mirrored and np.any(signs < 0):
        first += f" ({_sides(labels)[1][3]}: mirrored)"
    drawn = len(others) + len(rows)
    note = f" ({drawn:,} of {len(signs):,} examples drawn)" if drawn < len(signs) else ""
    ax.set(xlabel=first + note, ylabel=second)
    ax.margins(0.13)
    if d == 1:
        ax.set_yticks([])
    _legend(ax)
    return ax


def bounds(model, ax: Axes | None = None) -> Axes:
    """The fewest errors of any hyperplane against time: the best found so far, from above, and
    what was proved to be necessary, from below."""
    ax = _axes(ax)
    trace = model.trace_
    seconds, upper, lower = (
        np.asarray(getattr(trace, name), dtype=np.float64) for name in ("seconds", "upper", "lower")
    )
    ax.set(title="The fewest errors, from above and from below", ylabel="errors")
    look: dict[str, Any] = {"where": "post", "lw": 1.5}
    known = np.isfinite(upper)
    ax.step(seconds[known], upper[known], color=POSITIVE, label="best found", **look)
    ax.step(seconds, lower, color=NEGATIVE, label="proved necessary", **look)
    ax.fill_between(
        seconds[known], lower[known], upper[known], step="post", color=SOFT, alpha=0.18, lw=0
    )
    end = f"{model.errors_:,.6g}"
    if not model.optimal_:
        end = f"between {model.lower_bound_:,.6g} and {end}"
    ax.plot(seconds[-1:], upper[-1:], "o", ms=5, color=INK, label=f"at the end: {end}")
    top = min(
        float(np.max(upper[known], initial=0.0)), 2.5 * upper[-1] + 5
    )  # the start is not news
    ax.set_ylim(-0.02 * top - 0.02, 1.08 * top + 0.2)
    later = seconds[seconds > 0]
    if later.size and seconds[-1] > 100 * later[0]:  # most happens early
        ax.set_xscale("log")
        ax.set_xlim(later[0], 1.1 * seconds[-1])
    ax.set_xlabel("seconds" + (" (logarithmic)" if ax.get_xscale() == "log" else ""))
    _whole_numbers(ax.yaxis)
    _legend(ax)
    return ax


def gap(model, ax: Axes | None = None) -> Axes:
    """How far from the best an SVM's objective can be, (primal − dual)/primal, against time, for
    every output; and what is proved of it at the end."""
    ax = _axes(ax)
    outputs, trace = len(model.outputs_), model.trace_
    named = 1 < outputs <= MOST_NAMED
    gaps = model.certificate_.of_kind(DualityGap) + model.certificate_.of_kind(KernelGap)
    proved = {claim.labels: claim for claim in gaps}
    ends = []
    for output, labels in enumerate(model.outputs_):
        mine = trace.output == output
        color = None if named else INK if outputs == 1 else SOFT
        marker = "o" if np.count_nonzero(mine) <= 40 else None
        name = (
            _short(labels.name()) if named else "relative gap, computed" if outputs == 1 else None
        )
        look: dict[str, Any] = {"lw": 1.3, "ms": 3, "marker": marker, "color": color}
        ax.plot(trace.seconds[mine], np.maximum(trace.gap[mine], UNIT), label=name, **look)
        if labels in proved and np.any(mine):
            ends.append((trace.seconds[mine][-1], proved[labels].relative_gap))
    ends = [(at, value) for at, value in ends if value > 0]
    if ends:
        worst = rounded_up(max(value for _, value in ends), 2)
        look = {"s": 60, "facecolors": "none", "edgecolors": INK, "lw": 1.1, "zorder": 3}
        _scatter(ax, np.array(ends), f"proved at the end: at most {worst}", **look)
    if model.tol > 0:
        ax.axhline(model.tol, color=NEGATIVE, lw=0.9, ls="--", label=f"tol = {model.tol:g}")
    ax.set(title="Duality gap against time", xlabel="seconds", ylabel="relative gap (logarithmic)")
    ax.set_yscale("log")
    ax.set_xlim(left=0)
    ax.yaxis.set_major_locator(LogLocator(numticks=8))
    ax.xaxis.set_major_locator(MaxNLocator(nbins=6))
    _legend(ax)
    return ax


def pegasos_excess(model, X, y, ax: Axes | None = None) -> Axes:
    """How much F, of the average of the iterates of Pegasos, exceeded its minimum after 1, 2, 4, …
    steps, for every output; and what the theorem allows in expectation.

    X and y are the examples of the fit: the minimum is found, and proved, by an SVM."""
    ax = _axes(ax)
    found, outputs = model.excess(X, y), len(model.outputs_)
    named = 1 < outputs <= MOST_NAMED
    for output, labels in enumerate(model.outputs_):
        mine = (found.output == output) & (found.excess > 0)
        color = None if named else INK if outputs == 1 else SOFT
        name = _short(labels.name()) if named else "measured" if outputs == 1 else None
        look: dict[str, Any] = {"lw": 1.3, "ms": 3, "marker": "o", "color": color}
        ax.plot(found.step[mine], found.excess[mine], label=name, **look)
    if outputs > MOST_NAMED:
        ax.plot([], [], color=SOFT, label=f"each of {outputs} outputs")
    first = (found.output == 0) & np.isfinite(found.bound)  # the same for all
    if np.any(first):
        text = "at most, in expectation: 2X²(1 + ln T)/(λT)"
        steps, bound = found.step[first], found.bound[first]
        ax.plot(steps, bound, color=POSITIVE, lw=1.1, ls="--", label=text)
        low = found.excess[found.excess > 0].min(initial=bound.min())
        ax.fill_between(steps, 0.5 * low, bound, color=SOFT, alpha=0.15, lw=0)
    what = "average" if model.average else "last iterate"
    ax.set(title=f"Excess of the {what} over the minimum", xlabel="steps T (logarithmic)")
    ax.set(xscale="log", yscale="log", ylabel="F(w) − min F (logarithmic)")
    ax.yaxis.set_major_locator(LogLocator(numticks=8))
    _legend(ax)
    return ax


def _matrix(X) -> Any:
    return X.tocsr() if sparse.issparse(X) else np.asarray(X)


def _sides(labels) -> tuple[tuple[int, str, str, str], ...]:
    """Sign, colour, marker and name of the two sides."""
    rest = f"not {labels.name()}" if len(labels.classes) != 2 else str(labels.classes[0])
    return (1, POSITIVE, "o", _short(labels.name())), (-1, NEGATIVE, "s", _short(rest))


def _named(labels) -> str:
    """Both sides, or the only class."""
    if len(labels.classes) == 1 or labels.column is not None:
        return _short(labels.name())
    rest = str(labels.classes[1 - labels.positive]) if len(labels.classes) == 2 else "the rest"
    return f"{_short(labels.name(), 24)} and {_short(rest, 24)}"


def _spread(points: np.ndarray, signs: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Points on a line hide each other: they are spread, a side for each class."""
    height = np.random.default_rng(0).uniform(0.1, 0.9, len(signs))
    return np.column_stack([points[:, 0], (signs * height)[rows]])


def _draw_side_view(
    ax: Axes,
    w: np.ndarray,
    b: float,
    X,
    y,
    labels,
    names,
    always=(),
    band: tuple[float, str] | None = None,
    rings: bool = True,
) -> PlaneView | None:
    """Examples of two colours, those on the wrong side ringed (unless rings mean something else),
    and the hyperplane between them, with a band around it so wide and of that name."""
    if not np.any(w):
        ax.text(0.5, 0.5, "all weights are zero: no boundary", ha="center", transform=ax.transAxes)
        ax.set_axis_off()
        return None
    X, signs = _matrix(X), labels.signs(y)
    wrong = signs * (X @ w + b) <= 0
    rows = np.union1d(_some(len(signs)), always).astype(np.int64)
    view = PlaneView.of(w, b, X)
    points = view.coordinates(X[rows])
    if X.shape[1] == 1:
        points = _spread(points, signs, rows)
    for sign, color, marker, text in _sides(labels):
        mine = signs[rows] == sign
        _scatter(ax, points[mine], text, s=13, c=color, marker=marker, alpha=0.6, lw=0)
    if wrong.any() and rings:
        look = {"s": 30, "facecolors": "none", "edgecolors": INK, "lw": 0.6, "alpha": 0.7}
        _scatter(ax, points[wrong[rows]], f"on the wrong side ({np.mean(wrong):.1%})", **look)
    _draw_line(ax, view.boundary, points, band)
    drawn = f" ({len(rows):,} of {len(y):,} examples drawn)" if len(rows) < len(y) else ""
    first, second = _axis_names(X.shape[1], names)
    ax.set(xlabel=first + drawn, ylabel=second)
    if X.shape[1] == 1:
        ax.set_yticks([])
    _legend(ax)
    return view


def _axis_names(d: int, names) -> tuple[str, str]:
    if d > 2:
        return "along the weights", "main direction across them"
    given = [_short(str(name)) for name in names] if names is not None else ["x1", "x2"]
    return given[0], given[1] if d == 2 else ""


def _scatter(ax: Axes, points: np.ndarray, label: str | None, **look: Any) -> None:
    ax.scatter(points[:, 0], points[:, 1], label=label, **look)


def _draw_line(ax: Axes, line, points: np.ndarray, band: tuple[float, str] | None) -> None:
    """The boundary a·u + b·v = c across the points, which stay in sight, and the band around it."""
    low, high = points.min(axis=0), points.max(axis=0)
    pad = 0.06 * np.where(high > low, high - low, 1.0)
    foot = line.c * line.v  # the point of the line nearest to the origin; ‖v‖ = 1
    along = np.array([-line.v[1], line.v[0]])
    reach = 4 * float(np.linalg.norm(high - low) + np.linalg.norm(points.mean(axis=0) - foot) + 1)
    ends = np.array([foot - reach * along, foot + reach * along])
    if abs(line.v[1]) < 1e-9:  # upright: in sight even if all points are on one side
        low[0], high[0] = min(low[0], line.c * line.v[0]), max(high[0], line.c * line.v[0])
    ax.plot(*ends.T, color=INK, lw=1.6, label="boundary")
    if band is not None:
        margin, text = band
        edges = [ends + shift * line.v for shift in (-margin, margin)]
        ax.fill(
            *np.concatenate([edges[0], edges[1][::-1]]).T,
            color=SOFT,
            alpha=0.22,
            lw=0,
            label=text,
            zorder=0,
        )
        if margin > 0.02 * float(np.max(high - low)):  # else the three lines would be one
            for edge in edges:
                ax.plot(*edge.T, color=INK, lw=0.8, ls="--")
    ax.set_xlim(low[0] - pad[0], high[0] + pad[0])
    ax.set_ylim(low[1] - pad[1], high[1] + pad[1])


def squared_norm(model, output: int = 0, ax: Axes | None = None) -> Axes:
    """‖w‖² after every update (with a kernel ‖f‖²), between the two curves of the theorem."""
    ax = _axes(ax)
    kernel = getattr(model, "kernel_", None) is not None
    square = "‖f‖²" if kernel else "‖w‖²"
    trace = model.trace_.of_output(output)
    claim = _bound(model, output)
    name = _short(model.outputs_[output].name())
    ax.set(xlabel="updates", ylabel=square, title=f"Squared norm between its bounds: {name}")
    if not len(trace):
        ax.text(0.5, 0.5, "no update was made", ha="center", transform=ax.transAxes)
        ax.set_axis_off()
        return ax
    curves = [trace.squared_norm]
    ax.plot(trace.update, trace.squared_norm, color=INK, lw=1.4, label=square)
    if claim is not None:
        n = np.unique(np.linspace(1, claim.updates, 200).astype(np.int64))
        lower, upper = claim.curves(n)
        most = "at most n max K(x, x)" if kernel else "at most ‖w₀‖² + X² Ση²"
        ax.plot(n, upper, color=POSITIVE, lw=1.1, ls="--", label=most)
        curves.append(upper)
        if claim.separable:
            formula = "at least (n γ)² / ‖u‖²" if kernel else "at least (w₀·u + γ Ση)² / ‖u‖²"
            ax.plot(n, lower, color=NEGATIVE, lw=1.1, ls="--", label=formula)
            curves.append(lower)
        ax.fill_between(n, lower if claim.separable else 0, upper, color=SOFT, alpha=0.15, lw=0)
    peaks = [float(np.max(curve)) for curve in curves]
    if min(peaks) > 0 and max(peaks) > FAR_APART * min(peaks):
        _logarithmic(ax, curves, square)
    else:
        ax.set_ylim(bottom=0)
        ax.yaxis.set_major_formatter(EngFormatter(sep=""))
    _whole_numbers(ax.xaxis)
    _legend(ax)
    return ax


def _logarithmic(ax: Axes, curves: list[np.ndarray], name: str) -> None:
    positive = np.concatenate([curve[curve > 0] for curve in curves])
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(numticks=8))
    # what is many orders below everything else is the start of a lower bound: cut there
    floor = max(positive.min(), min(float(np.max(curve)) for curve in curves) / 1e3)
    ax.set_ylim(0.7 * floor, 1.6 * positive.max())
    ax.set_ylabel(f"{name} (logarithmic)")


def mistakes(model, ax: Axes | None = None) -> Axes:
    """Updates in every epoch, for every output."""
    ax = _axes(ax)
    outputs = len(model.outputs_)
    lines = [model.trace_.of_output(output).epoch_updates for output in range(outputs)]
    named = 1 < outputs <= MOST_NAMED
    for output, counts in enumerate(lines):
        name = _short(model.outputs_[output].name()) if named else None
        color = None if named else INK if outputs == 1 else SOFT
        marker = "o" if len(counts) <= 40 else None
        epochs = np.arange(1, len(counts) + 1)
        ax.plot(epochs, counts, marker=marker, ms=3, lw=1.2, color=color, label=name)
    if outputs > MOST_NAMED:
        longest = max(map(len, lines))
        padded = [np.pad(counts, (0, longest - len(counts))) for counts in lines]
        ax.plot(range(1, longest + 1), np.mean(padded, axis=0), color=INK, lw=1.8, label="mean")
        ax.plot([], [], color=SOFT, label=f"each of {outputs} neurons")
    ax.set(xlabel="epoch", ylabel="updates", title="Mistakes in each epoch")
    ax.set_ylim(0, 1.08 * max(1, *(int(np.max(counts, initial=0)) for counts in lines)))
    _whole_numbers(ax.xaxis)
    _whole_numbers(ax.yaxis)
    if outputs > 1:
        _legend(ax)
    return ax


def _axes(ax: Axes | None, size: tuple[float, float] = (5.2, 4.2)) -> Axes:
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=size, layout="constrained")[1]


def _bound(model, output: int) -> MistakeBound | KernelMistakeBound | None:
    """The mistake bound of one output, where there is one."""
    claims = model.certificate_
    found = claims.of_kind(MistakeBound) + claims.of_kind(KernelMistakeBound)
    return next((claim for claim in found if claim.labels == model.outputs_[output]), None)


def _some(m: int) -> np.ndarray:
    """A bounded number of the rows, spread at random so that no order in them matters."""
    if m <= MOST_POINTS:
        return np.arange(m)
    return np.sort(np.random.default_rng(0).choice(m, MOST_POINTS, replace=False))


def _short(text: str, most: int = 32) -> str:
    """A user's word in a picture: one line, not too long, no mathematics, seen in a legend."""
    text = " ".join(text.split()) or "(blank)"
    text = text if len(text) <= most else text[: most - 1] + "…"
    return ("'" + text + "'" if text.startswith("_") else text).replace("$", r"\$")


def _whole_numbers(axis) -> None:
    axis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    axis.set_major_formatter(EngFormatter(sep=""))


def _legend(ax: Axes) -> None:
    """Below the picture, where it hides nothing, if the figure makes room for it."""
    if ax.figure.get_layout_engine() is None:
        ax.legend(loc="best", fontsize="small")
        return
    ax.legend(
        loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2, fontsize="small", frameon=False
    )
