"""Coefficients with their intervals, and what a regression leaves over."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from scipy.special import ndtri
from sklearn.preprocessing import StandardScaler

from certo.plots import _canvas as canvas
from certo.plots._canvas import INK, NEGATIVE, POSITIVE, SOFT
from certo.words.reader import example

MAX_COEFFICIENTS_DRAWN = 24  # More rows cannot be read.
RESIDUAL_GROUPS = 20  # Groups of neighbouring predictions whose mean residual is drawn.
MAX_QUANTILES_DRAWN = 400
MAX_FAR_MARKED = 20  # Examples of the largest influence, which are always drawn.


def coefficients(model, X, group: int = 0, ax: Axes | None = None, names=None) -> Axes:
    """The coefficients of a regression with their intervals, the largest first, each for one
    standard deviation of its column of X: so they can be compared.

    `group` is the output, or the class that is compared with the reference. Where there are no
    standard errors, there are no intervals."""
    table = model.summary()
    labels = list(dict.fromkeys(table.groups))
    d = model.n_features_in_
    mine = np.flatnonzero(np.array(table.groups) == labels[group])[_slopes(table, d, len(labels))]
    if names is None:
        names = [table.names[row] for row in mine]
    scales = np.sqrt(StandardScaler(with_mean=False).fit(X).var_)
    low, high = table.intervals[mine].T * scales
    estimates = table.estimates[mine] * scales
    order = np.argsort(-np.abs(estimates), kind="stable")[:MAX_COEFFICIENTS_DRAWN]
    ax = canvas.new_axes(ax, (5.2, max(2.2, 1.2 + 0.24 * len(order))))
    known = np.isfinite(low[order]) & np.isfinite(high[order])
    at = np.arange(len(order), dtype=float)
    ax.hlines(at[known], low[order][known], high[order][known], color=INK, lw=1.3)
    decided = known & ((low[order] > 0) | (high[order] < 0))
    text = f"interval without 0 ({table.level:.0%})"
    for some, face, label in ((decided, INK, text), (known & ~decided, "white", "with 0 in it")):
        if some.any():
            points = np.column_stack([estimates[order], at])[some]
            look = {"s": 26, "c": face, "edgecolors": INK, "lw": 1.1, "zorder": 3}
            canvas.scatter(ax, points, label, **look)
    if not known.all():
        points = np.column_stack([estimates[order], at])[~known]
        canvas.scatter(ax, points, "no standard error", s=26, c=SOFT, marker="D", lw=0, zorder=3)
    ax.axvline(0, color=NEGATIVE, lw=0.9, ls="--")
    ax.set_yticks(at, [canvas.short(str(names[k]), 28) for k in order])
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.tick_params(axis="y", labelsize="small", length=0)
    ax.grid(axis="x", color=SOFT, alpha=0.25, lw=0.6)
    title = f"Coefficients: {canvas.short(labels[group], 40)}" if labels[group] else "Coefficients"
    few = f"\n(the largest {len(order)} of {d})" if len(order) < d else ""
    ax.set(title=title, xlabel=f"for one standard deviation of the column{few}")
    canvas.few_numbers(ax.xaxis)
    canvas.legend(ax, 6 if few else 4.5)
    return ax


def _slopes(table, d: int, groups: int) -> slice:
    """The rows of a group that are not intercepts, which comes first or last."""
    rows = len(table.names) // groups
    if rows == d:
        return slice(None)
    return slice(1, None) if table.names[0] == "intercept" else slice(0, d)


def residuals(model, X, y, output: int = 0, ax: Axes | None = None, places=None) -> Axes:
    """What the fit leaves over, y − f(x), against what it predicts. A curve in the means of
    neighbours says that the truth is not linear; a fan, that the noise is not everywhere alike.
    `places` are numbers of the rows for the points to say."""
    ax = canvas.new_axes(ax)
    fitted, left = _left_over(model, X, y, output)
    rows = canvas.some_of(len(left))
    points = np.column_stack([fitted, left])[rows]
    alpha = 0.6 if len(rows) < 300 else 0.35
    canvas.scatter(
        ax,
        points,
        f"{example()}s",
        canvas.places_of(places, rows),
        s=11,
        c=NEGATIVE,
        alpha=alpha,
        lw=0,
    )
    order = np.argsort(fitted, kind="stable")
    parts = np.array_split(order, min(RESIDUAL_GROUPS, max(1, len(order) // 5)))
    means = np.array([[fitted[part].mean(), left[part].mean()] for part in parts])
    ax.plot(*means.T, "o-", ms=3, lw=1.4, color=POSITIVE, label="means of neighbours", zorder=3)
    ax.axhline(0, color=INK, lw=1.2)
    spread = np.sqrt(_variance(model, left, output))
    for sign in (-1, 1):
        text = "95 % between these, if normal" if sign > 0 else None
        ax.axhline(sign * 1.96 * spread, color=INK, lw=0.8, ls="--", label=text)
    ax.set(title="Residuals", ylabel="residual y − f(x)")
    ax.set_xlabel("predicted" + canvas.drawn_note(len(rows), len(left)))
    for axis in (ax.xaxis, ax.yaxis):
        canvas.few_numbers(axis)
    canvas.legend(ax)
    return ax


def normal_quantiles(model, X, y, output: int = 0, ax: Axes | None = None, places=None) -> Axes:
    """The residuals in order, against what as many from a normal distribution would be: on the
    line, t-tests and prediction intervals are what they say also for few examples. `places` are
    numbers of the rows for the points to say."""
    ax = canvas.new_axes(ax)
    _, left = _left_over(model, X, y, output)
    spread = np.sqrt(_variance(model, left, output)) or 1.0
    ranks = np.arange(len(left))
    if len(left) > MAX_QUANTILES_DRAWN:  # The ends one by one: there they part.
        ends = MAX_QUANTILES_DRAWN // 4
        middle = np.linspace(ends, len(left) - ends - 1, MAX_QUANTILES_DRAWN - 2 * ends)
        ranks = np.r_[ranks[:ends], np.rint(middle).astype(np.int64), ranks[-ends:]]
    expected = ndtri((ranks + 0.5) / len(left))
    rows = np.argsort(left, kind="stable")[ranks]
    points = np.column_stack([expected, left[rows] / spread])
    canvas.scatter(
        ax, points, "residuals", canvas.places_of(places, rows), s=11, c=NEGATIVE, alpha=0.6, lw=0
    )
    ax.plot(expected[[0, -1]], expected[[0, -1]], color=INK, lw=1.2, label="normal")
    ax.set(
        title="Normal Q–Q plot of the residuals",
        xlabel="quantile of the normal distribution" + canvas.drawn_note(len(ranks), len(left)),
        ylabel="residual / standard deviation",
    )
    canvas.legend(ax)
    return ax


def leverage(model, X, y, output: int = 0, ax: Axes | None = None, places=None) -> Axes:
    """Residuals, over their standard deviation, against leverage: how much a prediction depends on
    its own example. Beyond the dashed lines Cook's distance is above 1: without that example the
    coefficients would be others. `places` are numbers of the rows for the points to say."""
    ax = canvas.new_axes(ax)
    _, left = _left_over(model, X, y, output)
    h = model.leverages(X)
    slack = np.maximum(1 - h, np.finfo(float).eps)
    scaled = left / np.sqrt((_variance(model, left, output) or 1.0) * slack)
    count = model.rank_ + (model.intercept == "free")
    distance = scaled**2 * h / slack / count
    rows = canvas.some_of(len(left))
    far = np.argsort(-distance, kind="stable")[:MAX_FAR_MARKED]
    rows = np.union1d(rows, far)  # Those that matter most are drawn in any case.
    alpha = 0.6 if len(rows) < 300 else 0.35
    points = np.column_stack([h, scaled])
    canvas.scatter(
        ax, points[rows], f"{example()}s", canvas.places_of(places, rows), s=11, c=NEGATIVE,
        alpha=alpha, lw=0,
    )  # fmt: skip
    ax.axhline(0, color=INK, lw=1.0)
    left_edge, right_edge = 0.0, 1.08 * float(np.max(h))
    low, high = 1.1 * min(float(np.min(scaled)), -2), 1.1 * max(float(np.max(scaled)), 2)
    along = np.linspace(right_edge / 200, min(right_edge, 1 - 1e-9), 200)
    edge = np.sqrt(count * (1 - along) / along)
    for sign in (-1, 1):
        text = "Cook's distance 1" if sign > 0 else None
        ax.plot(along, sign * edge, color=POSITIVE, lw=1.0, ls="--", label=text)
    ax.set(xlim=(left_edge, right_edge), ylim=(low, high), title="Leverage")
    ax.set_xlabel("leverage" + canvas.drawn_note(len(rows), len(left)))
    ax.set_ylabel("studentised residual")
    canvas.legend(ax)
    return ax


def _left_over(model, X, y, output: int) -> tuple[np.ndarray, np.ndarray]:
    """Predictions and residuals of one output."""
    fitted = np.asarray(model.predict(X), dtype=np.float64)
    fitted = fitted.reshape(len(fitted), -1)[:, output]
    y = np.asarray(y, dtype=np.float64)
    return fitted, y.reshape(len(y), -1)[:, output] - fitted


def _variance(model, left: np.ndarray, output: int) -> float:
    """Of the noise, as the model estimates it; if it does not, of what is left over."""
    known = model.residual_variance_
    if known is not None and np.isfinite(np.ravel(known)[output]):
        return float(np.ravel(known)[output])
    return float(np.mean(left**2))
