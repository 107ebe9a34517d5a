"""The fingerprint of a table: the same for the same table, another for any other."""

from __future__ import annotations

import datetime

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.data.columns import as_table, read_table
from certo.data.fingerprint import fingerprint

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5)
cells = {
    "whole": st.none() | st.integers(-(2**63), 2**63 - 1),
    "number": st.none() | st.floats(allow_nan=False),
    "text": st.none() | texts,
    "truth": st.none() | st.booleans(),
}
types = {"whole": pa.int64(), "number": pa.float64(), "text": pa.string(), "truth": pa.bool_()}


@st.composite
def tables(draw):
    rows = draw(st.integers(1, 5))
    kinds = draw(st.lists(st.sampled_from(sorted(cells)), min_size=1, max_size=4))
    names = draw(st.lists(texts, min_size=len(kinds), max_size=len(kinds), unique=True))
    columns = [
        pa.array(draw(st.lists(cells[kind], min_size=rows, max_size=rows)), types[kind])
        for kind in kinds
    ]
    return pa.table(columns, names=names)


def same_cell(a, b):
    """An empty text is a missing one, and −0 is 0; anything else is what it is."""
    a, b = (None if cell == "" else cell for cell in (a, b))
    return a == b and (a is None) == (b is None)


def print_of(table):
    return fingerprint(as_table(table))


@given(tables(), st.data())
def test_any_changed_cell_is_noticed(table, data):
    column = data.draw(st.integers(0, table.num_columns - 1))
    row = data.draw(st.integers(0, table.num_rows - 1))
    kind = next(kind for kind, arrow in types.items() if arrow == table.column(column).type)
    values = table.column(column).to_pylist()
    new = data.draw(cells[kind])
    same = same_cell(values[row], new)
    values[row] = new
    changed = table.set_column(column, table.column_names[column], pa.array(values, types[kind]))
    assert (print_of(changed) == print_of(table)) == same


@given(tables(), st.data())
def test_names_and_order_are_noticed(table, data):
    name = data.draw(texts.filter(lambda name: name not in table.column_names))
    renamed = table.rename_columns([name, *table.column_names[1:]])
    assert print_of(renamed) != print_of(table)
    assert print_of(pa.concat_tables([table, table.slice(0, 1)])) != print_of(table)
    if table.num_rows > 1:
        assert print_of(table.slice(1)) != print_of(table)
        order = data.draw(st.permutations(range(table.num_rows)))
        turned = table.take(pa.array(order))
        assert (print_of(turned) == print_of(table)) == all(
            all(map(same_cell, a.to_pylist(), b.to_pylist()))
            for a, b in zip(table.columns, turned.columns, strict=True)
        )
    if table.num_columns > 1:
        assert print_of(table.select(table.column_names[::-1])) != print_of(table)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.floats(allow_nan=False), st.integers(0, 2**60), texts), min_size=1))
def test_csv_and_parquet_agree(tmp_path, rows):
    columns = [list(column) for column in zip(*rows, strict=True)]
    columns[2] = ["'" + text.replace("\r", "") for text in columns[2]]  # text in any case
    table = pa.table(columns, names=["a", "b", 'ö, "x"'])
    pa.csv.write_csv(table, tmp_path / "t.csv")
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    read = [read_table(tmp_path / name).table for name in ("t.csv", "t.parquet")]
    assert fingerprint(read[0]) == fingerprint(read[1]) == print_of(table)


def test_times_missing_columns_and_chunks_agree_across_formats(tmp_path):
    day = datetime.datetime(2020, 1, 2, 3, 4, 5)
    table = pa.table(
        {
            "t": pa.array([day, None], pa.timestamp("s")),
            "empty": pa.array([None, None], pa.float64()),
            "f": [1.5, np.nan],
            "d": [datetime.date(2020, 1, 2), None],
            "b": [True, None],
        }
    )
    pa.csv.write_csv(table, tmp_path / "t.csv")
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    prints = {fingerprint(read_table(tmp_path / name).table) for name in ("t.csv", "t.parquet")}
    prints.add(print_of(pa.concat_tables([table.slice(0, 1), table.slice(1)])))
    assert len(prints) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1, 0], [True, False]),
        (["1", "2"], [1, 2]),
        ([0, 1], [None, 1]),
        (["ab", "c"], ["a", "bc"]),
        ([2**53, 2**53 + 1], [2**53, 2**53]),
        ([2**62, 0], [2**62 + 1, 0]),
    ],
)
def test_values_that_look_alike_differ(one, other):
    assert print_of(pa.table({"x": one})) != print_of(pa.table({"x": other}))


def test_names_cannot_pose_as_values():
    """Without the lengths of all parts these two would give the same bytes."""
    value = np.frombuffer(b"AAAAAAAA", "<f8")[0]
    posing = "\0numbersAAAAAAAA"
    one = pa.table([[value], [value]], names=["a", "b" + posing + "c"])
    other = pa.table([[value], [value]], names=["a" + posing + "b", "c"])
    assert print_of(one) != print_of(other)
