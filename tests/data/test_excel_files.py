"""Spreadsheets, if openpyxl is installed, and what is said if it is not."""

from __future__ import annotations

import sys
import zipfile
from datetime import datetime

import pyarrow as pa
import pytest

from certo.data.columns import read_table
from certo.data.dialect import Dialect, written_in
from certo.data.problem import Problem


@pytest.fixture
def book(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")

    def writing(*rows, sheets=1):
        made = openpyxl.Workbook()
        for row in rows:
            made.active.append(row)
        for _ in range(sheets - 1):
            made.create_sheet()
        made.save(tmp_path / "t.xlsx")
        return tmp_path / "t.xlsx"

    return writing


def test_what_is_read(book):
    day = datetime(2020, 1, 2)
    path = book(
        ["a", "b", "c", "d", "e", 5],
        [1, 0.5, "x", True, day, None],
        [2, 3, 7, None, day, 1],
        [],
        sheets=3,
    )
    said = read_table(path)
    assert said.table.to_pydict() == {
        "a": [1, 2], "b": [0.5, 3.0], "c": ["x", "7"], "d": [True, None], "e": [day, day],
        "5": [None, 1],
    }  # fmt: skip
    assert "'Sheet' was read. The 2 others were not." in said.notes[0]


def test_a_sheet_without_a_header(book):
    with written_in(Dialect(has_header=False)):
        assert read_table(book([1, "x"])).table.to_pydict() == {"column1": [1], "column2": ["x"]}


def test_integers_beyond_64_bits_are_text(book):
    said = read_table(book(["a"], [10**20], [1])).table
    assert said.schema.types in ([pa.string()], [pa.float64()])


@pytest.mark.parametrize(
    ("rows", "why"), [([], "is empty"), ([["a", None, "c"], [1, 2, 3]], "column 2 has none")]
)
def test_what_is_no_table_is_refused(book, rows, why):
    with pytest.raises(Problem, match=why):
        read_table(book(*rows))


def test_a_damaged_workbook_is_refused(tmp_path):
    pytest.importorskip("openpyxl")
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<")
    with pytest.raises(Problem, match="cannot be read as a spreadsheet"):
        read_table(tmp_path / "t.xlsx")


def test_without_openpyxl_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<")
    with pytest.raises(Problem, match="pip install openpyxl"):
        read_table(tmp_path / "t.xlsx")
