"""Sentences of errors where no mean loss can be computed, from the facts that they carry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from certo.words.reader import examples_at

MAX_LABELS_NAMED = 5


def too_many_rows_of_the_fit(known: int, examples: int, share: float | None) -> str:
    about = "" if share is None else f" (about {100 * share:.0f} % of them)"
    return (
        "risk: an interval for new examples needs examples that had no part in the fit, but "
        f"at least {known:,} of the {examples:,} examples{about} are rows that the predictor was "
        "fitted to. Pass other examples, or leave confidence out: the mean on the examples of the "
        "fit is what the fit made small."
    )


def other_probabilities(y: tuple[int, ...], probabilities: tuple[int, ...]) -> str:
    return (
        "risk: there must be one answer for each row of probabilities, but y has shape "
        f"{y} and the probabilities {probabilities}."
    )


def not_two_classes(loss: Any, classes: Sequence[Any]) -> str:
    return (
        f"risk: {loss!r} needs two classes, but the predictor has {len(classes)}: "
        f"{_some(classes)}. Take the 0-1 loss, or one class against the rest."
    )


def other_kind(predictions: Any, y: Any) -> str:
    return (
        f"risk: labels must be of one kind, but the predictions are {predictions} and y is {y}. "
        "Give y as the predictor learnt it."
    )


def no_label(value: Any) -> str:
    return (
        f"risk: under the 0-1 loss predictions are labels, but {value} is not a label of y. If "
        "these are scores, give y as -1 and +1 (and pass `model.predict` as a function if the "
        "model is a regressor)."
    )


def no_signs(loss: Any, labels: Sequence[Any]) -> str:
    return (
        f"risk: without `classes_`, {loss!r} needs y in -1 and +1, got the labels "
        f"{_some(labels)}. If they are 0 and 1, pass 2*y - 1."
    )


def unknown_labels(labels: Sequence[Any], classes: Sequence[Any]) -> str:
    return (
        f"risk: y has the labels {_some(labels)}, but the predictor knows only {_some(classes)}. "
        "Give y as the predictor learnt it."
    )


def other_weights(weights: int, examples: int) -> str:
    return f"risk: {weights} weights came for {examples} examples."


def unusable_weights(least: float, largest: float) -> str:
    return (
        "risk: weights must be finite and ≥ 0 with a positive sum, but they run from "
        f"{least:g} to {largest:g}."
    )


def no_numbers(what: str, dtype: Any, shape: tuple[int, ...]) -> str:
    return f"risk: {what} must be one number per example, got an array of {dtype} of shape {shape}."


def not_a_number(what: str, row: int) -> str:
    return f"risk: {what} must not be NaN, but that of {examples_at([row])} is."


def other_shape(y: tuple[int, ...], predictions: tuple[int, ...]) -> str:
    return (
        f"risk: y and the predictions must be of one shape, but y has {y} and the predictions "
        f"{predictions}. Use y.ravel() if y is a column."
    )


def _some(labels: Sequence[Any]) -> str:
    more = ", …" * (len(labels) > MAX_LABELS_NAMED)
    return ", ".join(map(repr, labels[:MAX_LABELS_NAMED])) + more
