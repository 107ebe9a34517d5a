"""Sentences about input that cannot be used: what was required, what came, and where."""

from __future__ import annotations

import math

import pytest

from certo.words import refusals
from certo.words.reader import reading


@pytest.mark.parametrize(
    ("value", "needs", "what", "advice"),
    [
        (math.nan, "finite numbers", "NaN", "Remove or impute"),
        (-math.inf, "finite numbers", "infinity", "Remove or impute"),
        (-1e200, "numbers of moderate size", "as large as -1e+200", "Rescale"),
    ],
)
def test_an_entry_is_refused_for_what_it_is(value, needs, what, advice):
    said = refusals.unusable_entry("SVM", 3, 1, value)
    assert said.startswith(f"SVM needs {needs}, but X[3, 1] is {what}. {advice}")


@pytest.mark.parametrize(
    ("rows", "end"),
    [
        ([2], "row 7 is 1 up to rounding: the fit goes through it, whatever its value is."),
        ([0, 2], "the fit goes through them, whatever their values are."),
    ],
)
def test_numbers_of_rows_are_those_of_the_file(rows, end):
    with reading(places=[5, 6, 7]):
        assert refusals.full_leverage(rows).endswith(end)


@pytest.mark.parametrize(
    ("columns", "more"),
    [
        ([1], ""),
        ([1, 2], " (1 more column is like it)"),
        ([1, 2, 4], " (2 more columns are like it)"),
    ],
)
def test_more_columns_are_counted(columns, more):
    said = refusals.unusable_spread("GaussianDensity", columns, 0.0, (1.0, 2.0))
    assert f"that of column 1 of X (from 0) is 0{more}. " in said


def test_what_is_not_there_is_said_so():
    assert refusals.other_length("certify", 1, None).endswith(
        "X holds 1 example and there is no y."
    )
    with_one = refusals.other_length("SVM", 2, 1)
    assert with_one.endswith("X holds 2 examples and y holds 1 label.")
