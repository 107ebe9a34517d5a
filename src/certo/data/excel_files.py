"""Spreadsheets of Excel (.xlsx), where the package openpyxl is installed."""

from __future__ import annotations

import io
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa

from certo.data.dialect import current_dialect
from certo.data.files import check_inflated
from certo.data.problem import Problem


def read_excel(path: Path, content: bytes | None) -> tuple[pa.Table, list[str]]:
    """The first sheet of a workbook: its first row has the names of the columns. Formulas are taken
    as the values that the file has for them."""
    try:
        import openpyxl
    except ImportError as wrong:
        raise Problem(
            f"{path} is a spreadsheet, for which the package openpyxl is needed: pip install "
            "openpyxl. Or save it as CSV."
        ) from wrong
    with open(path, "rb") if content is None else io.BytesIO(content) as file:
        with zipfile.ZipFile(file) as archive:  # Its names were read before.
            inflated = sum(item.file_size for item in archive.infolist())
        check_inflated(path, inflated, file.seek(0, io.SEEK_END))
        file.seek(0)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # These are about styles and validation rules.
                book = openpyxl.load_workbook(file, read_only=True, data_only=True)
                sheet = book.worksheets[0]
                rows = [tuple(row) for row in sheet.iter_rows(values_only=True)]
        except Exception as wrong:  # A broken workbook can fail anywhere.
            why = str(wrong) or type(wrong).__name__
            raise Problem(f"{path} cannot be read as a spreadsheet: {why}") from wrong
    rows = [row for row in rows if any(cell is not None for cell in row)]
    if not rows:
        raise Problem(f"{path} is empty; a table with a header line and rows is needed.")
    notes = [f"{path.name} is a spreadsheet; its sheet {sheet.title!r} was read."]
    if len(book.worksheets) > 1:
        notes[0] += f" The {len(book.worksheets) - 1} others were not."
    width = max(_width(row) for row in rows)
    rows = [(*row, *[None] * width)[:width] for row in rows]
    names = [f"column{j + 1}" for j in range(width)]
    if current_dialect().has_header:
        header, *rows = rows
        if None in header:
            raise Problem(
                f"{path} must have a name for each of its {width} columns in the first row, but "
                f"column {header.index(None) + 1} has none."
            )
        names = [str(name) for name in header]
    columns = [_column([row[j] for row in rows]) for j in range(width)]
    return pa.table(columns, names=names), notes


def _width(row: tuple[Any, ...]) -> int:
    return max(j + 1 for j, cell in enumerate(row) if cell is not None)


def _column(cells: list[Any]) -> pa.Array:
    """Numbers, truths or dates if all cells are of one kind, else text."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {int, float}:
        cells = [None if cell is None else float(cell) for cell in cells]
    elif len(kinds) > 1 or kinds == {str}:
        return pa.array([None if cell is None else str(cell) for cell in cells], pa.string())
    try:
        return pa.array(cells)
    except (pa.ArrowException, OverflowError):  # An integer beyond 64 bits, or a strange date.
        return pa.array([None if cell is None else str(cell) for cell in cells], pa.string())
