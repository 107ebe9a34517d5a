"""Sentences of errors, from the facts that they carry."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from certo.certificates.encoding import counted
from certo.words.labels import sides_of
from certo.words.reader import column_at, entry_at, examples_at

Rows = Sequence[int] | np.ndarray  # Numbers of examples, counting from 0.

RESCALE = "Rescale the features (StandardScaler)."


def not_separable(error: Any) -> str:
    """Of a `NotSeparable`: which examples no hyperplane, or no function of a space, separates."""
    labels, kernel = error.labels, error.kernel
    who = f"{sides_of(labels)}"
    if kernel is None:
        origin = " through the origin" * error.through_origin
        sides = "all be on their own side" if len(error.rows) > 1 else "be on its own side"
        return (
            f"HardMarginSVM needs classes that a hyperplane can separate, but none separates "
            f"{who}{origin}: {examples_at(error.rows)} cannot {sides}. The error's `proof` "
            "shows why."
        )
    advice = (
        "A richer kernel (of a higher degree, or a smaller variance) may separate them"
        if error.equal_rows is None
        else f"No kernel can: {examples_at(error.equal_rows)} are equal"
    )
    return (
        f"HardMarginSVM needs classes that a function of the space of {kernel!r} can separate, but "
        f"float64 shows none that separates {who}: already on {examples_at(error.rows)}, "
        f"the margin is at most about {error.margin:.2g}, where examples have a length of up to "
        f"{error.length:.3g}. {advice}. SVM allows errors."
    )


# --- answers of exercises ---

ROW_NUMBERS = "weights, multipliers and updates must be {row: number}"


def no_mapping_of_rows(given: object) -> str:
    return f"{ROW_NUMBERS}, got {given!r}."


def unusable_row(row: int, value: float, m: int) -> str:
    return (
        f"{ROW_NUMBERS} with rows from 0 to {m - 1} and numbers that are not negative, but that of "
        f"{row!r} is {value!r}."
    )


# --- numbers ---


def unusable_entry(who: str, row: int, column: int, value: float) -> str:
    needs, advice = "finite numbers", "Remove or impute such rows."
    what = "NaN" if math.isnan(value) else "infinity"
    if math.isfinite(value):
        needs, what, advice = "numbers of moderate size", f"as large as {value:g}", RESCALE
    return f"{who} needs {needs}, but {entry_at(row, column)} is {what}. {advice}"


def unusable_length(who: str, row: int, length: float, limits: tuple[float, float]) -> str:
    return (
        f"{who} needs examples of a length between {limits[0]:g} and {limits[1]:g}, so that "
        f"products stay within float64, but the longest, {examples_at([row])}, has length "
        f"{length:g}. {RESCALE}"
    )


def tiny_column(
    who: str, column: int, largest: float, least: float, table: str, weighted: bool
) -> str:
    times = "times the roots of their weights, " * weighted
    return (
        f"{who} needs columns with numbers of a size above {least:g}, {times}so that squares stay "
        f"within float64, but the largest in {column_at(column, table)} is {largest:g}. Rescale it "
        "(StandardScaler)."
    )


def unusable_spread(
    who: str, columns: Sequence[int], spread: float, limits: tuple[float, float]
) -> str:
    others = len(columns) - 1
    more = f" ({counted(others, 'more column')} {'is' if others == 1 else 'are'} like it)" * (
        others > 0
    )
    return (
        f"{who} needs columns with a spread between {limits[0]:g} and {limits[1]:g}, so that "
        f"squares stay within float64, but that of {column_at(columns[0])} is {spread:g}{more}. "
        f"{RESCALE}"
    )


def outside_box(rows: Rows, column: int, value: float, box: tuple[float, float]) -> str:
    return (
        f"all examples must lie in the box, but {entry_at(rows[0], column)} is {value:g}, outside "
        f"[{box[0]:g}, {box[1]:g}] ({counted(len(rows), 'such example')}). Give a larger box, or "
        "leave them out."
    )


def large_kernel_value(who: str, kernel: Any, row: int, value: float, limit: float) -> str:
    return (
        f"{who} needs K(x, x) of at most {limit:g}, but with {kernel!r} it is {value:g} for "
        f"{examples_at([row])}. Rescale the features, or choose another kernel."
    )


def no_kernel(kernel: Any, rows: Rows, why: str) -> str:
    return (
        f"{kernel!r} is no kernel: its matrix K of {examples_at(rows)} is no kernel's, since {why} "
        "A function f becomes symmetric as (f(x, z) + f(z, x)) / 2."
    )


def full_leverage(rows: Rows) -> str:
    which, value = ("it", "its value is") if len(rows) == 1 else ("them", "their values are")
    return (
        f"robust='HC3' divides by 1 − leverage, but the leverage of {examples_at(rows)} is 1 up "
        f"to rounding: the fit goes through {which}, whatever {value}."
    )


# --- shapes ---


def other_length(
    who: str, examples: int, labels: int | None, table: str = "X", other: str = "y"
) -> str:
    came = f"{other} holds {counted(labels, 'label')}" if labels is not None else "there is no y"
    return (
        f"{who} needs one label for each example, but {table} holds "
        f"{counted(examples, 'example')} and {came}."
    )


def other_rows(name: str, examples: int) -> str:
    return f"{name} must be rows from 0 to {examples - 1}."


def no_row_count(came: Any) -> str:
    return f"rows must be a number of rows, or a share below 1, got {came!r}."


def other_width(table: str, expected: int, came: int) -> str:
    columns = counted(expected, "feature" if table == "X" else "column")
    return f"{table} must have {columns}, as in the fit, got {came:,}."


# --- labels ---


def one_class(who: str, label: Any) -> str:
    return f"{who} needs at least two classes to tell apart, but y holds only one class: {label!r}."


def many_classes(who: str, classes: int) -> str:
    return (
        f"Only binary classification is supported: {who} tells two classes apart, but y has "
        f"{classes:,}. Fit one model for each class against the rest."
    )


def unknown_label(label: Any, rows: Rows, classes: Sequence[Any], known_to: str) -> str:
    return (
        f"y holds the label {label!r} ({examples_at(rows)}), none of the classes {list(classes)} "
        f"of {known_to}."
    )


def label_matrix(who: str, shape: tuple[int, ...], indicators: bool = False) -> str:
    if indicators:
        return (
            f"{who} takes one label for each example, or a 0/1 matrix of labels, but y has shape "
            f"{shape} and is no such matrix."
        )
    return (
        f"{who} takes one label for each example, but y is a matrix of labels of shape {shape}. "
        "Fit one model for each column."
    )


def no_indicator(who: str, row: int, output: int, value: Any) -> str:
    return (
        f"{who} takes a matrix of labels that are 0 or 1, but {column_at(output, 'y')} holds "
        f"{value!r} for {examples_at([row])}."
    )


def unusable_label(who: str, label: Any) -> str:
    return (
        f"{who} takes labels that are text, numbers or booleans, so that a certificate can name "
        f"them, but y holds {label!r} ({type(label).__name__})."
    )


# --- weights ---


def class_without_weight(label: Any, rows: Rows) -> str:
    return (
        "sample_weight must be positive for some example of every class, but it is zero for all of "
        f"class {label!r} ({examples_at(rows)}). Leave these examples out."
    )


def unusable_weights(total: float) -> str:
    return (
        f"sample_weight must have a sum within float64, but it is {total:g}. Divide the weights by "
        "their largest."
    )
