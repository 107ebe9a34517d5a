"""Hyperplanes among their examples."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from certo.certificates.separation.separable import Separable
from certo.estimators.description import describe
from certo.facts import InputError
from certo.geometry import PlaneView
from certo.losses.hinge import Hinge
from certo.numbers.decimals import rounded_down
from certo.numbers.digits import share_text
from certo.numbers.exact import norm
from certo.plots import _canvas as canvas
from certo.plots._canvas import INK, NEGATIVE, POSITIVE, SOFT
from certo.words import drawings as sentences


def boundary(model, X, y, output: int = 0, ax: Axes | None = None, names=None, places=None) -> Axes:
    """The examples and the hyperplane of one output: in the plane itself if there are two
    features, else seen from the side, along the weights and the main direction across them.
    `places` are numbers of the rows for the points to say."""
    _needs_hyperplane(model, "boundary")
    ax = canvas.new_axes(ax)
    labels = model.outputs_[output]
    ax.set_title(f"Boundary: {canvas.side_name(labels)}")
    w, b = model.coef_[output], float(model.intercept_[output])
    _draw_side_view(ax, w, b, X, y, labels, canvas.feature_names(model, names), places=places)
    return ax


def margin_band(
    model, X, y, output: int = 0, ax: Axes | None = None, names=None, places=None
) -> Axes:
    """The hyperplane between the classes, the band of its margin, and the supports that keep it
    from being wider.

    `model` is a HardMarginSVM, which has no examples in the band; or an SVM, where a line joins
    every example with slack to the edge of the band beyond which it would have none; or a Separable
    certificate, whose band is as wide as is proved. `places` are numbers of the rows for the points
    to say."""
    _needs_hyperplane(model, "margin_band")
    ax = canvas.new_axes(ax)
    known = describe(model)
    soft = not (isinstance(model, Separable) or (known is not None and known.margin == "hard"))
    if isinstance(model, Separable):
        labels, w, b, margin = model.labels, model.coef, float(model.intercept), model.margin
        supports = np.zeros(0, dtype=np.int64)
    else:
        labels, w, b = model.outputs_[output], model.coef_[output], float(model.intercept_[output])
        margin, (supports, _) = 1 / (norm(w) or np.inf), model.supports_of_output(output)
        names = canvas.feature_names(model, names)
    ax.set_title(f"Margin: {canvas.both_sides(labels)}")
    shown = supports if not soft else np.intersect1d(supports, canvas.some_of(len(y)))
    text = f"margin {margin:.3g}" if soft else f"no example within {rounded_down(margin, 3)}"
    view = _draw_side_view(ax, w, b, X, y, labels, names, shown, (margin, text), not soft, places)
    if view is not None and supports.size:
        look = {"s": 60, "facecolors": "none", "edgecolors": INK, "lw": 1.1}
        points = view.coordinates(canvas.matrix(X)[shown])
        if np.size(w) == 1:
            points = canvas.spread(points, labels.signs(y), shown)
        if soft:
            look |= {"s": 30, "lw": 0.8, "alpha": 0.8 if shown.size < 100 else 0.4}
            _draw_slacks(
                ax, view, points, labels.signs(y)[shown], canvas.matrix(X)[shown] @ w + b, w
            )
        canvas.scatter(ax, points, f"supports ({supports.size:,})", **look)
        canvas.legend(ax)
    return ax


def _needs_hyperplane(model, what: str) -> None:
    if getattr(model, "kernel_", None) is not None:
        raise InputError(sentences.no_hyperplane_of_a_kernel, what, model.kernel_)
    if isinstance(model, Separable) and model.labels.positive is None:
        raise InputError(sentences.no_common_hyperplane, what)


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
    places=None,
) -> PlaneView | None:
    """Examples of two colours, those on the wrong side ringed (unless rings mean something else),
    and the hyperplane between them, with a band around it so wide and of that name."""
    if not np.any(w):
        ax.text(0.5, 0.5, "all weights are zero: no boundary", ha="center", transform=ax.transAxes)
        ax.set_axis_off()
        return None
    X, signs = canvas.matrix(X), labels.signs(y)
    scores = X @ w + b
    if canvas.are_same(scores):
        text = "but for rounding all rows have the same score: no boundary"
        ax.text(0.5, 0.5, text, ha="center", transform=ax.transAxes)
        ax.set_axis_off()
        return None
    wrong = (signs * scores <= 0) & (signs != 0)
    rows = np.union1d(canvas.some_of(len(signs)), always).astype(np.int64)
    rows = rows[signs[rows] != 0]  # Of a pair the two classes.
    view = PlaneView.of(w, b, X)
    points = view.coordinates(X[rows])
    if X.shape[1] == 1:
        points = canvas.spread(points, signs, rows)
    for sign, color, marker, text in canvas.sides(labels):
        mine = signs[rows] == sign
        its = canvas.places_of(places, rows[mine])
        canvas.scatter(ax, points[mine], text, its, s=13, c=color, marker=marker, alpha=0.6, lw=0)
    if wrong.any() and rings:
        look = {"s": 30, "facecolors": "none", "edgecolors": INK, "lw": 0.6, "alpha": 0.7}
        share = share_text(np.mean(wrong[signs != 0]), 1)
        canvas.scatter(ax, points[wrong[rows]], f"on the wrong side ({share}%)", **look)
    _draw_line(ax, view.boundary, points, band)
    first, second = canvas.axis_names(X.shape[1], names)
    ax.set(xlabel=first + canvas.drawn_note(len(rows), len(y)), ylabel=second)
    if X.shape[1] == 1:
        ax.set_yticks([])
    canvas.legend(ax)
    return view


def _draw_line(ax: Axes, line, points: np.ndarray, band: tuple[float, str] | None) -> None:
    """The boundary a·u + b·v = c across the points, which stay in sight, and the band around it."""
    low, high = points.min(axis=0), points.max(axis=0)
    pad = 0.06 * np.where(high > low, high - low, 1.0)
    foot = line.c * line.v  # The point of the line nearest to the origin; ‖v‖ = 1.
    along = np.array([-line.v[1], line.v[0]])
    reach = 4 * float(np.linalg.norm(high - low) + np.linalg.norm(points.mean(axis=0) - foot) + 1)
    ends = np.array([foot - reach * along, foot + reach * along])
    if abs(line.v[1]) < 1e-9:  # An upright line stays in sight.
        low[0], high[0] = min(low[0], line.c * line.v[0]), max(high[0], line.c * line.v[0])
    ax.plot(*ends.T, color=INK, lw=1.6, label="boundary")
    if band is not None:
        margin, text = band
        edges = [ends + shift * line.v for shift in (-margin, margin)]
        outline = np.concatenate([edges[0], edges[1][::-1]])
        ax.fill(*outline.T, color=SOFT, alpha=0.22, lw=0, label=text, zorder=0)
        # In a narrower band the three lines would be one.
        if margin > 0.02 * float(np.max(high - low)):
            for edge in edges:
                ax.plot(*edge.T, color=INK, lw=0.8, ls="--")
    ax.set_xlim(low[0] - pad[0], high[0] + pad[0])
    ax.set_ylim(low[1] - pad[1], high[1] + pad[1])


def _draw_slacks(
    ax: Axes, view: PlaneView, points: np.ndarray, signs: np.ndarray, scores: np.ndarray, w
) -> None:
    """ξ/‖w‖ is how far, along w, an example is from its edge of the band."""
    slack = Hinge().of(signs, scores) * (1 / norm(w))
    ends = points + (signs * slack)[:, None] * view.boundary.v
    lines = np.stack([points, ends], axis=1)
    for sign, color in ((1, POSITIVE), (-1, NEGATIVE)):
        some = lines[signs == sign]
        look = LineCollection(list(some), colors=color, lw=0.8, alpha=0.45, zorder=1)
        ax.add_collection(look, autolim=False)
    if np.any(slack > 1e-6):
        ax.plot([], [], color=SOFT, lw=0.8, label="slack")
