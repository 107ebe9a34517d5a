"""Sentences of errors about examples in blocks, from the facts that they carry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

BLOCKS = "where examples come in blocks"


# --- what a machine does not do ---


def no_weights(who: str) -> str:
    return f"{who} takes no sample_weight {BLOCKS}. Repeat rows, or leave some out."


def no_kernel(who: str) -> str:
    return (
        f"{who} takes no kernel {BLOCKS}: its Gram matrix would need a number for each pair of "
        "rows. Fit it to a sample of the rows, or use a feature map of certo.features and no "
        "kernel."
    )


def no_warm_start(who: str) -> str:
    return f"{who} cannot go on from a fit (warm_start) {BLOCKS}."


def no_pairs(classes: Sequence[Any]) -> str:
    return (
        f"{BLOCKS}, {len(classes)} classes are told apart one against the rest: use "
        'SVM(multiclass="rest").'
    )


def not_two_classes(who: str, classes: Sequence[Any]) -> str:
    return (
        f"{BLOCKS}, {who} takes two classes, got {len(classes)}. Say of each row whether it is of "
        "one class or of another, and ask for each."
    )


def other_setting(who: str, name: str, needed: Any, came: Any) -> str:
    return f"{who} needs {name}={needed!r} {BLOCKS}, got {came!r}."


def too_many_columns(width: int, limit: int, advice: str = "") -> str:
    return (
        f"by blocks at most {limit:,} columns can be fitted, but there are {width:,}. {advice}"
    ).strip()


def too_many_classes(limit: int) -> str:
    return (
        f"y holds more than {limit:,} different values: a classifier needs classes. For numbers "
        "use LeastSquares."
    )


def too_many_shards(shards: int, count: int) -> str:
    return f"there are {shards:,} shards, but {count:,} rows."


def weights_overflowed(epoch: int, rate: Any) -> str:
    return (
        f"the weights overflowed float64 in epoch {epoch}: the learning rate {rate} is too large "
        "for these examples."
    )


# --- what blocks must be ---


def other_dimensions(came: Any) -> str:
    return f"X must have two dimensions (rows, columns), got {came}."


def inexact_integers(place: str) -> str:
    return (
        f"{place}: there are integers that float64 cannot hold. Leave their column out, or "
        "subtract a constant."
    )


def several_targets(dimensions: int) -> str:
    return f"y must have one value for each row, got {dimensions} dimensions."


def other_count(count: int, values: int) -> str:
    return f"y must have one value for each of the {count:,} rows of X, but it has {values:,}."


def other_ends(count: int) -> str:
    return f"ends must increase from above 0 to {count:,}."


def unknown_target(name: Any, names: Sequence[Any]) -> str:
    return f"there is no column {name!r}; there are {list(names)[:8]}."


def no_target_name(kind: str) -> str:
    return f"with a pyarrow dataset y must be the name of the column to predict, got {kind}."


def no_numbers(what: str, kind: Any) -> str:
    return f"{what} holds {kind}, where numbers are needed: encode it first."


def other_partition(place: str, came: tuple[int, int], announced: tuple[int, int]) -> str:
    return (
        f"{place} has {came[0]:,} rows of {came[1]:,} columns where {announced[0]:,} of "
        f"{announced[1]:,} were announced. A collection must be the same whenever it is computed."
    )


def no_rows(what: Any) -> str:
    return f"{what} holds no rows."


def unreadable_lines(path: Any, first: int, count: int, why: Any) -> str:
    return (
        f"{path} cannot be read as svmlight: {why} (among the {count:,} rows from row "
        f"{first + 1:,} on)."
    )


def other_examples(claim: str, why: str) -> str:
    return f"X and y are not the examples of the fit: {claim}: {why}"
