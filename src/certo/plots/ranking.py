"""How well scores rank the examples of two classes."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from certo.facts import InputError
from certo.numbers.digits import rate_text
from certo.plots import _canvas as canvas
from certo.plots._canvas import INK, POSITIVE, SOFT
from certo.words import drawings as sentences

MAX_CURVE_POINTS = 400


def roc(model, X, y, ax: Axes | None = None) -> Axes:
    """The share of the second class that a threshold on the score finds, against the share of the
    first class that it takes for the second, for every threshold. The point is that of the model's
    own predictions."""
    ax = canvas.new_axes(ax)
    scores, hit, name = _ranked(model, X, y, "roc")
    false, true, _ = roc_curve(hit, scores)
    some = _some(len(false))
    area = roc_auc_score(hit, scores)
    ax.plot(false[some], true[some], color=POSITIVE, lw=1.6, label=f"area {rate_text(area)}")
    ax.plot([0, 1], [0, 1], color=SOFT, lw=1.0, ls="--", label="scores without information")
    says = np.asarray(model.predict(X)) == model.classes_[1]
    at = [np.mean(says[~hit])], [np.mean(says[hit])]
    ax.plot(*at, "o", ms=6, color=INK, label="the model's predictions")
    ax.set(title=f"ROC curve: {name}", xlabel="false positive rate", ylabel="true positive rate")
    _unit_square(ax)
    return ax


def precision_recall(model, X, y, ax: Axes | None = None) -> Axes:
    """Of the examples above a threshold on the score, the share of the second class (precision),
    against the share of the second class that is above it (recall), for every threshold. The point
    is that of the model's own predictions, if there is one for the second class."""
    ax = canvas.new_axes(ax)
    scores, hit, name = _ranked(model, X, y, "precision_recall")
    precision, recall, _ = precision_recall_curve(hit, scores)
    some = _some(len(recall))
    mean = average_precision_score(hit, scores)
    text = f"average precision {rate_text(mean)}"
    curve = recall[some], precision[some]
    ax.plot(*curve, drawstyle="steps-post", color=POSITIVE, lw=1.6, label=text)
    share = float(np.mean(hit))
    ax.axhline(share, color=SOFT, lw=1.0, ls="--", label=f"share of the class: {share:.3g}")
    says = np.asarray(model.predict(X)) == model.classes_[1]
    if says.any():
        at = [np.mean(says[hit])], [np.mean(hit[says])]
        ax.plot(*at, "o", ms=6, color=INK, label="the model's predictions")
    ax.set(title=f"Precision–recall curve: {name}", xlabel="recall", ylabel="precision")
    _unit_square(ax)
    return ax


def _ranked(model, X, y, what: str) -> tuple[np.ndarray, np.ndarray, str]:
    """Scores, which examples are of the second class, and its name."""
    classes = model.classes_
    if len(classes) != 2:
        raise InputError(sentences.not_two_classes, what, len(classes))
    hit = np.asarray(y) == classes[1]
    if hit.all() or not hit.any():
        raise InputError(sentences.one_class_only, what)
    return np.asarray(model.decision_function(X)), hit, canvas.in_title(str(classes[1]))


def _some(points: int) -> np.ndarray:
    """Places along a curve, its ends among them."""
    return np.unique(np.linspace(0, points - 1, min(points, MAX_CURVE_POINTS)).astype(np.int64))


def _unit_square(ax: Axes) -> None:
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    canvas.legend(ax)
