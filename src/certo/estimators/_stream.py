"""Examples that come in several calls of partial_fit, checked against what the first call saw."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from certo.estimators import _input


class Batch(NamedTuple):
    X: Any
    targets: _input.Targets
    fresh: bool  # the first call


def one_label_each(estimator, targets: _input.Targets) -> _input.Targets:
    """The same, refusing a matrix of labels."""
    if targets.multilabel:
        name = type(estimator).__name__
        raise ValueError(
            f"{name} takes one label for each example, but y is a matrix of labels. Fit one model "
            "for each column."
        )
    return targets


def batch(estimator, X, y, classes) -> Batch:
    """One call's examples. The first call must see all labels, in y or in `classes`."""
    fresh = not hasattr(estimator, "coef_")
    X, y = _input.labelled_examples(estimator, X, y, reset=fresh)
    _input.remember(estimator, X, fresh=fresh)
    found = targets(estimator, y, classes, fresh)
    if not fresh and estimator.intercept == "none" and np.any(estimator.intercept_):
        raise ValueError("intercept cannot become 'none' after one was learned.")
    return Batch(X, found, fresh)


def targets(estimator, y, classes, fresh: bool) -> _input.Targets:
    """One call's labels: all of them are known after the first, and must stay the same."""
    if not fresh and classes is not None and not np.array_equal(classes, estimator.classes_):
        raise ValueError(f"classes must stay {estimator.classes_.tolist()}, got {list(classes)}.")
    known = classes if fresh else estimator.classes_
    return one_label_each(estimator, _input.targets(estimator, y, known))
