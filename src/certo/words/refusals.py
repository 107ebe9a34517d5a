"""Sentences of errors, from the facts that they carry."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from certo.certificates.encoding import counted
from certo.certificates.sample.labels import Labels
from certo.words.labels import sides_of
from certo.words.reader import column_at, entry_at, example, examples_at, setting

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


def not_two_classes(classes: int) -> str:
    return f"an exercise has two classes, but y has {classes}."


def no_table(shape: tuple[int, ...]) -> str:
    return f"X must have a row for each example, got an array of shape {shape}."


def other_weights(features: int) -> str:
    return f"coef must have {features} numbers, one for each feature of X."


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


def too_fine(labels: Labels) -> str:
    return (
        "HardMarginSVM needs weights that float64 can hold, but every hyperplane found that "
        f"separates {sides_of(labels)} is too fine for that: examples nearly touch, or features "
        "differ too much in size, or repeat each other up to rounding. Rescale, round or drop "
        "features."
    )


def kernel_overflowed(epoch: int) -> str:
    return (
        f"‖f‖² overflowed float64 in epoch {epoch}: the kernel's values are too large, or no "
        "numbers. Scale the kernel, or the features."
    )


def losses_overflowed(rounds: int) -> str:
    return (
        f"the losses overflowed float64 within {rounds:,} rounds: lam and radius are too extreme "
        f"for examples of this size. {RESCALE[:-1]}, or take a smaller radius or a larger lam."
    )


def small_ridge(lam: float) -> str:
    return (
        f"the weights overflowed float64: lam = {lam!r} is too small for examples of this size. "
        f"{RESCALE[:-1]}, or take a larger lam."
    )


def unusable_features(points: int, shape: tuple[int, ...]) -> str:
    came = "others" if shape[:1] == (points,) else f"an array of shape {shape}"
    return (
        "features must return a row of finite numbers for each of its points, but for "
        f"{points:,} points it returned {came}."
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


def other_features(who: str, expected: int, came: int) -> str:
    return (
        f"X has {came} features, but {who} is expecting {expected} features as input: the values "
        "of the kernel with each of the training examples."
    )


def no_examples(who: str) -> str:
    return f"{who} needs at least one example, but X is empty."


def no_vectors(who: str, row: int, value: str) -> str:
    return (
        f"{who} takes vectors of numbers, but X[{row}] is the string {value[:40]!r}. certo.kernels "
        "has kernels of strings, as kernel=Spectrum(3).normalised(), and Function makes one of a "
        "Python function of two objects."
    )


def other_coef(expected: tuple[int, ...], came: tuple[int, ...]) -> str:
    return f"coef must hold finite numbers of shape {expected}, got {came}."


def too_many_dense_numbers(limit: int, examples: int, features: int) -> str:
    return (
        f"at most {limit:,} numbers are made dense, but there are {examples:,} rows of "
        f"{features:,} features."
    )


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


def other_classes(classes: Sequence[Any]) -> str:
    return f"y must hold the classes {list(classes)} of the fit."


def changed_classes(classes: Sequence[Any], came: Sequence[Any]) -> str:
    return f"classes must stay {list(classes)}, got {list(came)}."


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


# --- settings ---


def unusable_class_weight(came: Any) -> str:
    return (
        "class_weight must be a dict of positive numbers by class, 'balanced' or None, got "
        f"{came!r}."
    )


def unusable_density_features(came: Any) -> str:
    return (
        "features must be BoxPolynomials or BoxCosines of certo.features, or a function of points, "
        f"got {came!r}."
    )


def unusable_box(came: Any) -> str:
    return (
        "box must be (low, high), or one such pair for each of one or two columns, with low < "
        f"high, got {came!r}."
    )


def other_box(pairs: int, features: int) -> str:
    return f"box must have one pair for each column of X, which has {features}, but it has {pairs}."


def unknown_reference(classes: Sequence[Any], came: Any) -> str:
    return f"reference must be one of the classes {list(classes)}, or None, got {came!r}."


def even_neighbours(came: Any) -> str:
    return f"neighbours must be odd numbers, so that two classes cannot tie, got {came!r}."


def no_kernel_in_time(folds: int, seconds: float | None) -> str:
    return (
        f"no kernel was fitted in all {folds} folds within the limit of {seconds or 0:g} s. Allow "
        f"more ({setting('time_limit')}), or try fewer folds or {example()}s."
    )


# --- examples of the fit ---


def claims_do_not_hold(verdict: str) -> str:
    return (
        "excess needs the very examples of the last fit, but the claims of that fit do not hold "
        f"of X and y: {verdict}"
    )


def other_fit(name: str, examples: int) -> str:
    return (
        f"{name} is about the examples of the fit, so that X, y and sample_weight must be those of "
        f"the fit, all {examples:,} rows in the same order, but these are others: classes, rows, "
        "or the risk of the weights differ."
    )


def not_left_out(examples: int, came: int) -> str:
    return (
        f"leave_one_out needs the {examples:,} examples of the fit, with the same classes, but X "
        f"and y hold {came:,}, or other classes."
    )


def unlike_the_fit(table: str, why: str) -> str:
    return f"{table} must be examples like those of the fit: {why}"


def nothing_kept(limit: int) -> str:
    return (
        f"partial_fit cannot go on from a fit with more than {limit:,} features, or with more "
        "features than examples and a ridge, which keeps nothing of its examples. Use partial_fit "
        "from the first examples on."
    )


def too_few_for_an_interval(examples: int, rank: int, intercept: bool) -> str:
    return (
        "predict_interval needs more examples than coefficients, but the fit had "
        f"{counted(examples, 'example')} for a rank of {rank}{' and an intercept' * intercept}."
    )


# --- feature maps ---


def no_room_for_features(who: str, examples: int, coordinates: int, memory: int) -> str:
    return (
        f"{who} of {examples:,} examples would be a table of {examples:,} × {coordinates:,} "
        f"numbers, {8 * examples * coordinates / 2**30:,.0f} GiB, but this machine has "
        f"{memory / 2**30:,.0f}. Use the kernel itself, or transform fewer examples at a time."
    )


def counts_nothing(kernel: Any) -> str:
    return (
        f"CountedFeatures takes a kernel that counts features, got {kernel!r}. "
        "certo.features.Nystroem takes any kernel."
    )


def no_explicit_map(kernel: Any) -> str:
    return f"no explicit feature map is known here for {kernel!r}. Nystroem takes it."


def weights_beyond_float64(who: str, degree: int, features: int) -> str:
    return (
        f"{who}(degree={degree}) of {features:,} features has weights beyond the range of float64. "
        "Use the kernel itself, or a lower degree."
    )
