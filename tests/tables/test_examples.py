"""The rows of a table as a machine sees them, numbered as in the file."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from certo.data.problem import Problem
from certo.tables.examples import encode_rows, encode_table
from certo.words.reader import examples_at

TABLE = pa.table(
    {"n": [1.0, None, 3.0, 5.0], "c": ["u", "v", "u", "v"], "id": [7, 8, 9, 10], "y": list("abab")}
)


def test_rows_that_are_left_out_leave_the_numbers_of_the_others():
    examples = encode_table(TABLE, "y", missing="drop", drop=("id",), scale="none")
    assert examples.places.tolist() == [1, 3, 4]
    assert examples.y.tolist() == ["a", "a", "b"]
    assert examples.X[:, 0].tolist() == [1.0, 3.0, 5.0]
    assert not examples.measured
    with examples.reading():
        assert examples_at([1, 2]) == "rows 3, 4"
    with examples.reading([2]):
        assert examples_at([0]) == "row 4"


def test_names_say_what_was_scaled():
    whole = TABLE.filter(TABLE["n"].is_valid())
    assert "n" in encode_table(whole, "y", scale="none", drop=("id",)).feature_names
    scaled = encode_table(whole, "y", drop=("id",))
    assert scaled.feature_names[0] == "n (scaled)"
    np.testing.assert_allclose(scaled.X[:, 0].mean(), 0, atol=1e-12)


def test_other_rows_are_encoded_as_those_of_the_fit():
    fit = encode_table(TABLE, "y", missing="drop", drop=("id",))
    new = pa.table({"y": ["b", "a"], "c": ["v", "w"], "n": [5.0, 1.0], "more": [0, 0]})
    rows = encode_rows(new, fit.encoder, "y", "refuse", (), False, advice=lambda: "")
    assert rows.places.tolist() == [1, 2]
    assert rows.X[0].tolist() == fit.X[2].tolist()
    assert any("w" in remark for remark in rows.strange)
    assert rows.pair[1].tolist() == ["b", "a"]


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"target": "z"}, "there is no target column 'z'"),
        ({"drop": ("z",)}, "there is no column 'z'"),
        ({"drop": ("y",)}, "the target 'y' cannot be dropped"),
        ({"missing": "ignore"}, "missing must be 'refuse' or 'drop', got 'ignore'"),
        ({"target": "c", "measured": True, "missing": "drop"}, "must hold numbers"),
    ],
)
def test_what_cannot_be_encoded_is_refused(choices, words):
    with pytest.raises(Problem, match=words):
        encode_table(TABLE, **{"target": "y"} | choices)
