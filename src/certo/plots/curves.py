"""Predictions of one feature, as a curve among the examples."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from certo.facts import InputError
from certo.plots import _canvas as canvas
from certo.plots._canvas import INK, POSITIVE, SOFT
from certo.words import drawings as sentences

FITTED_POINTS = 201
BAND_LEVEL = 0.95


def fitted_curve(model, X, y, ax: Axes | None = None, names=None) -> Axes:
    """What a machine of one feature predicts, as a curve: numbers of a LeastSquares (with 95 %
    intervals for the mean and for a new value, where the fit has them), or the probabilities of the
    classes of a LogisticRegression; and the examples."""
    ax = canvas.new_axes(ax)
    X = np.asarray(canvas.matrix(X), dtype=np.float64)
    if X.shape[1] != 1:
        raise InputError(sentences.many_features_of_a_curve, X.shape[1])
    rows = canvas.some_of(len(X))
    low, high = float(X.min()), float(X.max())
    pad = 0.03 * (high - low or 1.0)
    x = np.linspace(low - pad, high + pad, FITTED_POINTS)
    (name,) = canvas.feature_names(model, names) if hasattr(model, "feature_names_in_") else ("x",)
    ax.set(xlabel=canvas.short(str(name)) + canvas.drawn_note(len(rows), len(X)))
    if hasattr(model, "predict_proba"):
        _draw_probabilities(ax, model, x, X[rows, 0], np.asarray(y)[rows])
    else:
        _draw_numbers(ax, model, x, X[rows, 0], np.asarray(y, dtype=np.float64)[rows])
    canvas.legend(ax)
    return ax


def _draw_numbers(ax: Axes, model, x: np.ndarray, seen: np.ndarray, y: np.ndarray) -> None:
    canvas.scatter(ax, np.column_stack([seen, y]), "examples", s=13, c=SOFT, lw=0, zorder=2)
    for mean, alpha, text in ((False, 0.1, "a new value"), (True, 0.25, "the mean")):
        try:
            below, above = model.predict_interval(x[:, None], BAND_LEVEL, mean=mean)
        except (AttributeError, ValueError):  # A fit with a ridge, or an exact one, has none.
            continue
        label = f"{100 * BAND_LEVEL:g} % for {text}"
        ax.fill_between(
            x, np.ravel(below), np.ravel(above), color=POSITIVE, alpha=alpha, lw=0, label=label
        )
    ax.plot(x, model.predict(x[:, None]), color=INK, lw=1.8, label="prediction", zorder=3)
    ax.set(title="Fitted curve", ylabel="y")


def _draw_probabilities(ax: Axes, model, x: np.ndarray, seen: np.ndarray, y: np.ndarray) -> None:
    classes = list(model.classes_)
    predicted = model.predict_proba(x[:, None])
    jitter = np.random.default_rng(0).uniform(-0.025, 0.025, len(y))
    two = len(classes) == 2
    for k, (label, color, marker) in enumerate(canvas.class_looks(classes)):
        if k or not two:
            text = f"probability of {canvas.short(str(label))}"
            shade = INK if two else color
            ax.plot(x, predicted[:, k], color=shade, lw=1.8, label=text)
        mine, level = y == label, (1.0 if k else 0.0) if two else 1.04
        points = np.column_stack([seen[mine], level + jitter[mine]])
        look = {"s": 14, "c": [color], "marker": marker, "alpha": 0.7, "lw": 0, "zorder": 3}
        canvas.scatter(ax, points, canvas.short(str(label)), **look)
    ax.set(title="Fitted probabilities", ylabel="probability", ylim=(-0.08, 1.1))
