"""Rows, columns and settings as the reader counts and writes them."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from certo.words import reader
from certo.words.reader import (
    column_at,
    column_names,
    entry_at,
    examples_at,
    reading,
    row_numbers,
    setting,
)


def test_someone_with_arrays_counts_from_zero():
    assert row_numbers(np.array([0, 2])) == [0, 2]
    assert examples_at([0, 2]) == "examples 0, 2 (counting from 0)"
    assert examples_at([3]) == "example 3 (counting from 0)"
    assert examples_at(range(12), most=2) == "examples 0, 1 and 10 more (counting from 0)"
    assert setting("drop", ["id"]) == "drop=['id']"
    assert setting("drop") == "drop"
    assert column_names(["x1", "x2"]) == ["x1", "x2"]
    assert entry_at(2, 1) == "X[2, 1]"
    assert column_at(1) == "column 1 of X (from 0)"


def test_someone_with_a_file_has_its_numbers_and_names():
    with reading(places=[1, 3, 4], columns=["age", "weight"]):
        assert row_numbers([0, 2]) == [1, 4]
        assert examples_at([1, 2]) == "rows 3, 4"
        assert examples_at([1]) == "row 3"
        assert column_names(["x1", "x2"]) == ["age", "weight"]
        assert entry_at(2, 1) == "row 4, column 'weight'"
        assert column_at(0) == "column 'age'"
        assert column_at(0, "y") == "column 0 of y (from 0)"
        assert column_at(2) == "column 2 of X (from 0)", "not of these columns"
        assert column_names(["x1", "x2", "x3"]) == ["x1", "x2", "x3"], "not of these columns"
    assert row_numbers([0, 2]) == [0, 2]


def test_ways_add_up_and_end_with_an_error_too():
    def option(name, value=None):
        return f"--{name} {value}"

    with reading(places=[7]):
        with reading(setting=option, separability="certo separable"):
            assert setting("C", 2) == "--C 2"
            assert row_numbers([0]) == [7]
            assert reader.separability_call() == "certo separable"
        assert setting("C", 2) == "C=2"
    with pytest.raises(KeyError), reading(places=[7]):
        raise KeyError
    assert row_numbers([0]) == [0]
    assert reader.separability_call() == "certo.separability(X, y)"


def test_another_thread_has_a_reader_of_its_own():
    seen = []
    with reading(places=[7]):
        thread = threading.Thread(target=lambda: seen.extend(row_numbers([0])))
        thread.start()
        thread.join()
    assert seen == [0]
