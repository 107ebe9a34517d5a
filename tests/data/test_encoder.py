"""Tables are encoded by the names of their columns."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

from certo.data.encoder import TableEncoder
from certo.data.problem import Problem

TABLE = pa.table({"n": [1, 2, 3], "c": ["u", "v", "u"], "b": [True, False, True]})


def test_numbers_are_scaled_and_levels_spread_out():
    encoder = TableEncoder().fit(TABLE)
    X = encoder.transform(TABLE)
    assert list(encoder.get_feature_names_out()) == ["n", "b", "c = u", "c = v"]
    np.testing.assert_allclose(X[:, :2].mean(axis=0), 0, atol=1e-15)
    np.testing.assert_allclose(X[:, :2].std(axis=0), 1)
    assert X[:, 2:].tolist() == [[1, 0], [0, 1], [1, 0]]
    plain = TableEncoder(scale="none", drop=("c",)).fit(TABLE)
    assert plain.transform(TABLE).tolist() == [[1, 1], [2, 0], [3, 1]]
    assert not plain.is_fitted_to_data


def test_order_of_columns_does_not_matter_and_others_are_ignored():
    encoder = TableEncoder().fit(TABLE)
    other = TABLE.select(["b", "c", "n"]).append_column("date", pa.array([0, 1, 2], pa.date32()))
    assert np.array_equal(encoder.transform(other), encoder.transform(TABLE))


def test_many_levels_are_kept_sparse():
    table = pa.table({"c": [f"v{i}" for i in range(50)]})
    X = TableEncoder().fit_transform(table)
    assert sparse.issparse(X)
    assert X.nnz == 50


def test_unseen_levels_count_as_none():
    encoder = TableEncoder(drop=("n", "b")).fit(TABLE)
    new = pa.table({"c": ["w", "u"]})
    assert encoder.transform(new).toarray().tolist() == [[0, 0], [1, 0]]
    assert "'w'" in encoder.unseen_levels(new)[0]


def test_the_first_level_can_be_left_out():
    table = pa.table({"a": [1.0, 2, 3, 4], "k": list("vuwu"), "one": ["x"] * 4, "l": list("pqpq")})
    encoder = TableEncoder(scale="none", reference_levels=True).fit(table)
    names = ["a", "k = v", "k = w", "l = q"]
    assert encoder.get_feature_names_out().tolist() == names
    assert encoder.references() == {"k": "u", "one": "x", "l": "p"}
    X = encoder.transform(table)
    dense = X.toarray() if sparse.issparse(X) else X
    assert dense.tolist() == [[1, 1, 0, 0], [2, 0, 0, 1], [3, 0, 1, 0], [4, 0, 0, 1]]
    new = pa.table({"a": [0.0], "k": ["z"], "one": ["x"], "l": ["q"]})
    seen = encoder.transform(new)
    assert (seen.toarray() if sparse.issparse(seen) else seen).tolist() == [[0, 0, 0, 1]]
    (said,) = encoder.unseen_levels(new)
    assert "it counts as 'u', which the others are compared with" in said
    every = TableEncoder(scale="none").fit(table)
    assert every.references() == {}
    assert every.transform(table).shape == (4, 1 + 3 + 1 + 2)


def test_whole_numbers_stand_for_their_texts_where_text_was_fitted():
    encoder = TableEncoder().fit(pa.table({"c": ["1", "2", "x"]}))
    assert encoder.transform(pa.table({"c": [2, 1]})).tolist() == [[0, 1, 0], [1, 0, 0]]
    with pytest.raises(Problem, match="held categories"):
        encoder.transform(pa.table({"c": [1.5]}))


@pytest.mark.parametrize("value", [1e-320, 1e139, -3e100])
def test_extreme_but_usable_numbers(value):
    X = TableEncoder().fit_transform(pa.table({"x": [0.0, value, 1e139], "y": [1.0, 2.0, 3.0]}))
    assert np.all(np.isfinite(X))


MESSAGES = pa.table(
    {
        "n": range(30),
        "t": [f"see you at {('noon', 'night')[k % 2]}, number{k}" for k in range(30)],
        "c": ["u", "v"] * 15,
    }
)


def test_words_of_a_text_are_counted():
    encoder = TableEncoder(scale="none").fit(MESSAGES)
    assert encoder.prose_names_ == ["t"]
    assert encoder.text_names_ == ["c", "t"]
    names = list(encoder.get_feature_names_out())
    assert names[:4] == ["n", "c = u", "c = v", "t: at"]
    assert {"t: see you", "t: noon"} <= set(names)
    X = encoder.transform(MESSAGES)
    X = X.toarray() if sparse.issparse(X) else X
    assert X.shape == (30, len(names))
    assert X[:, names.index("t: noon")].tolist() == [1, 0] * 15
    assert encoder.is_fitted_to_data
    assert "words of column 't' are counted" in encoder.notes_[-1]
    assert encoder.unseen_levels(MESSAGES) == []


def test_repeated_sentences_stay_levels_with_a_remark():
    cells = [f"see you at noon, number {k % 25}" for k in range(100)]
    table = pa.table({"t": cells, "c": [cell.split()[-1] + "x" for cell in cells]})
    encoder = TableEncoder().fit(table)
    assert encoder.category_names_ == ["t", "c"]
    (remark,) = encoder.notes_
    assert remark.startswith("column 't' has 25 levels of several words. To count its words")
    assert TableEncoder(category=("t",)).fit(table).notes_ == []


def test_words_are_counted_where_that_is_asked_for_and_only_there():
    as_levels = TableEncoder(category=("t",)).fit(MESSAGES)
    assert as_levels.prose_names_ == []
    asked = TableEncoder(text=("w",), drop=("n",)).fit(
        pa.table({"n": [1, 2, 3], "w": ["one word", "one", "word"]})
    )
    assert list(asked.get_feature_names_out()) == ["w: one", "w: word"]


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"text": ("n",)}, "'n' must hold text to count words in, but it holds numbers"),
        ({"text": ("t",), "category": ("t",)}, "said to be a category"),
        ({"text": ("z",)}, "no feature column 'z'"),
    ],
)
def test_what_is_no_text_is_refused(how, why):
    with pytest.raises(Problem, match=why):
        TableEncoder(**how).fit(MESSAGES)


def test_a_text_must_be_one_in_other_tables():
    encoder = TableEncoder().fit(MESSAGES)
    numbers = MESSAGES.set_column(1, "t", pa.array(range(30)))
    with pytest.raises(Problem, match="'t' held text when"):
        encoder.transform(numbers)
    gaps = MESSAGES.set_column(1, "t", pa.array([None, *MESSAGES["t"].to_pylist()[1:]]))
    with pytest.raises(Problem, match="'t' must have a value in every row, but in row 1"):
        encoder.transform(gaps)
    assert encoder.complete_rows(gaps).tolist() == [False] + [True] * 29
