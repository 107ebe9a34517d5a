"""Reading tables as people have them, and encoding them by name."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

from certo.data.columns import as_table, read_table
from certo.data.encoder import TableEncoder
from certo.data.problem import Problem


@pytest.fixture
def read(tmp_path):
    def reading(text, name="t.csv", **how):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_table(tmp_path / name, **how)

    return reading


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,2\n", {"a": [1], "b": [2]}),
        ("a;b\n1;2\n", {"a": [1], "b": [2]}),
        ("a\tb\n1\t2\n", {"a": [1], "b": [2]}),
        ("price, EUR;name;b\n1;x, y;2\n", {"price, EUR": [1], "name": ["x, y"], "b": [2]}),
        ("a;b\n1,5;2\n2,25;3\n", {"a": [1.5, 2.25], "b": [2, 3]}),
        ("a;b\n1.5;x\n", {"a": [1.5], "b": ["x"]}),
        ('a,b\n"x\ny","he said ""no"", twice"\n', {"a": ["x\ny"], "b": ['he said "no", twice']}),
        ("only\nx\ny\n", {"only": ["x", "y"]}),
        ("a,b\nNA,NA\n1,x\n", {"a": [None, 1], "b": ["NA", "x"]}),
        ("a,b\n,\n1,x\n", {"a": [None, 1], "b": [None, "x"]}),
        ("a,b\n1,2", {"a": [1], "b": [2]}),
    ],
)
def test_columns_are_read_as_expected(read, text, expected):
    assert read(text).table.to_pydict() == expected


def test_quotation_marks_that_do_not_come_in_pairs(read):
    said = read('k\tt\nham\t"Wen u miss someone\nspam\tno "quotes" here\nham\t"all of it"\n')
    assert said.table.column("t").to_pylist() == [
        '"Wen u miss someone', 'no "quotes" here', '"all of it"',
    ]  # fmt: skip
    assert any("quotation marks" in note for note in said.notes)
    quoted = read('k\tt\nham\t"a\ttab"\nspam\t"say ""hi"""\n')
    assert quoted.table.column("t").to_pylist() == ["a\ttab", 'say "hi"']


def test_notes_say_how_a_file_was_read(read):
    assert read("a,b\n1,2\n").notes == []
    assert "separated by semicolons" in read("a;b\n1,5;2\n").notes[0]
    assert "decimal commas" in read("a;b\n1,5;2\n").notes[1]


def test_text_can_be_asked_for(read):
    assert read("a,b\n01,1\n", as_text=["a", "z"]).table.to_pydict() == {"a": ["01"], "b": [1]}


def test_tables_come_in_one_form():
    odd = pa.table(
        {
            "d": pa.array(["x", "", None]).dictionary_encode(),
            "l": pa.array(["x", "", None], pa.large_string()),
            "v": pa.array(["x", "", None], pa.string_view()),
            "f": pa.array([1.0, np.nan, None], pa.float32()),
        }
    )
    plain = as_table(odd)
    assert plain.schema.types == [pa.string()] * 3 + [pa.float32()]
    assert plain.column("d").to_pylist() == plain.column("v").to_pylist() == ["x", None, None]
    assert plain.column("f").null_count == 2


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
