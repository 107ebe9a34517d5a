"""Sentences of errors about points, weights of hyperplanes and functions of points, from the facts
that they carry."""

from __future__ import annotations

from typing import Any

from certo.words.reader import examples_at

# --- hyperplanes ---


def other_points(features: int, shape: tuple[int, ...]) -> str:
    said = f"X must be (m, {features}), or one point of {features} numbers, got shape {shape}."
    return said + " For m points on a line pass X.reshape(-1, 1)." * (features == len(shape) == 1)


def no_product(row: int) -> str:
    return (
        f"X must be finite, but v·x is not a number for {examples_at([row])}: a NaN or an infinity "
        "is in it, or the products overflow. Remove the row, or rescale X."
    )


def no_axis(what: str, dtype: Any, shape: tuple[int, ...]) -> str:
    one_row = " Pass its one row." * (len(shape) == 2 and shape[0] == 1)
    return (
        f"{what} must be real numbers along one axis, at least one of them, got an array of "
        f"{dtype} of shape {shape}.{one_row}"
    )


def no_finite_entry(what: str, entry: int, value: float) -> str:
    return f"{what} must be finite, but entry {entry} (from 0) is {value}."


def no_labels(points: tuple[int, ...], labels: tuple[int, ...]) -> str:
    return (
        f"y must be one label per point, and at least one; the points are of shape {points} and y "
        f"of shape {labels}."
    )


def no_direction(entries: int) -> str:
    return (
        f"Hyperplane: v must have a direction, but all its {entries} entries are 0. A predictor "
        "with zero weights gives every point one answer and has no boundary."
    )


def no_boundary_in_the_plane(weights: int) -> str:
    return (
        "Neuron.boundary: x2 as a function of x1 needs two weights, and this neuron has "
        f"{weights}. Look at it from the side with PlaneView.of."
    )


def no_view(axes: tuple[int, ...], boundary: Any) -> str:
    return (
        f"PlaneView: axes must be (2, d), got shape {axes}, and boundary a line, got {boundary!r}. "
        "PlaneView.of(w, b, X) makes both."
    )


# --- functions of a kernel's space ---


def other_coefficients(centres: int, shape: tuple[int, ...]) -> str:
    return f"coef must hold one number for each of the {centres} centres, got shape {shape}."


def other_centres(first: int, second: int) -> str:
    return f"two functions must have centres of as many features, got {first} and {second}."


# --- worlds ---


def no_feature_count(world: str, d: Any) -> str:
    return f"{world}: d must be a number of features, got {d!r}."


def no_example_count(world: Any, m: Any) -> str:
    return f"{world!r}: m must be a number of examples, got {m!r}."


def not_of_the_world(world: Any, features: int, shape: tuple[int, ...]) -> str:
    return f"{world!r}: X must be of shape (examples, {features}), got {shape}."


def other_answers(what: str, examples: int, shape: tuple[int, ...]) -> str:
    return (
        f"the risk needs {what}, one for each row, but for {examples} rows came an array of shape "
        f"{shape}."
    )


def other_weights(world: Any, features: int, shape: tuple[int, ...]) -> str:
    return f"{world!r}: coef must have {features} entries, got shape {shape}."


def no_sign(world: Any, value: Any) -> str:
    return (
        f"{world!r}: the answers must be -1 and +1, the labels of `draw`, but one is {value!r}. If "
        "the rule returns scores, take their signs."
    )


def no_risk_in_the_plane(world: Any, features: int) -> str:
    return (
        f"{world!r}: the risk of a rule that is no hyperplane is computed in the plane, not in "
        f"{features} dimensions. Estimate it on fresh examples: "
        "certo.risk(model, *world.draw(100_000), confidence=0.95)."
    )
