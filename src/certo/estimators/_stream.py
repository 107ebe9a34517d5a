"""Examples that come in several calls of partial_fit, checked against what the first call saw."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from certo.estimators import _input
from certo.facts import InputError
from certo.kernels.base import Kernel
from certo.words import refusals


class Batch(NamedTuple):
    X: Any
    targets: _input.Targets
    fresh: bool  # Whether this is the first call.


def one_label_each(machine, targets: _input.Targets) -> _input.Targets:
    """The same, refusing a matrix of labels."""
    if targets.multilabel:
        shape = (len(targets.signs[0]), len(targets.signs))
        raise InputError(refusals.label_matrix, type(machine).__name__, shape)
    return targets


def whole(machine, kernel: Kernel | None, X, y, *, fewest: int = 2) -> Batch:
    """The examples of a fit, and their labels."""
    X, y = _input.labelled_points(machine, kernel, X, y, reset=True)
    return Batch(X, one_label_each(machine, _input.targets(machine, y, fewest=fewest)), True)


def batch(machine, kernel: Kernel | None, X, y, classes, *, multilabel: bool = False) -> Batch:
    """One call's examples. The first call must see all labels, in y or in `classes`; later ones
    must have no others. With `multilabel`, y may be a matrix of labels."""
    fresh = not hasattr(machine, "classes_")
    if not fresh and kernel is not None and not kernel.agrees(machine.kernel_):
        raise ValueError(f"kernel must stay {machine.kernel_!r} in a run, got {kernel!r}.")
    X, y = _input.labelled_points(machine, kernel, X, y, reset=fresh)
    if not fresh and kernel is None:
        _input.remember(machine, X, fresh=False)
    if not fresh and classes is not None and not np.array_equal(classes, machine.classes_):
        raise InputError(refusals.changed_classes, machine.classes_.tolist(), list(classes))
    known = classes if fresh else None if machine._multilabel else machine.classes_
    targets = _input.targets(machine, y, known)
    if not multilabel:
        targets = one_label_each(machine, targets)
    if fresh:
        return Batch(X, targets, True)
    before = machine._multilabel, len(machine.intercept_)
    if (targets.multilabel, len(targets.outputs)) != before:
        raise ValueError(
            f"y has {len(targets.outputs)} outputs of another kind or number than the {before[1]} "
            "that the first call saw."
        )
    if machine.intercept == "none" and np.any(machine.intercept_):
        raise ValueError("intercept cannot become 'none' after one was learned.")
    return Batch(X, targets, False)


def can_stream(machine) -> bool:
    """Whether there is a partial_fit."""
    kernel = machine._kernel_to_fit
    if isinstance(kernel, Kernel) and kernel.takes == "matrix":
        raise AttributeError(
            "partial_fit needs a kernel that can be computed between old and new examples, but "
            f"{kernel!r} is a matrix among those of one call. Use fit."
        )
    return True
