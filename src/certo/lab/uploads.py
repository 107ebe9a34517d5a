"""A table of the user's on the bench: two columns, and one with the labels."""

from __future__ import annotations

import math
import re
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from certo.data.columns import FORMATS_NEEDED, read_table
from certo.data.problem import Problem
from certo.data.remarks import about_names
from certo.lab.bench import MAX_POINTS, Bench
from certo.words.reader import setting

MAX_UPLOAD_BYTES = 5 * 2**20
MAX_BENCH_COLUMNS, MAX_LABELS_OFFERED = 500, 50
PACKED = (b"\x1f\x8b", b"BZ", b"PK", b"PAR1", b"\x28\xb5\x2f\xfd")  # How packed files begin.
CSV_NEEDED = (
    "A CSV file is needed: plain text, a header line, and as many values in each row as in it."
)


class Table(NamedTuple):
    """A table that was read, as long as its tab is open."""

    name: str
    table: pa.Table
    notes: list[str]

    def describe(self) -> dict[str, Any]:
        """What the page needs to ask for columns: those of numbers, and those with few values."""
        names = self.table.column_names
        labels = {name: found for name in names if len(found := self._values(name)) >= 2}
        return {
            "name": self.name,
            "rows": self.table.num_rows,
            "numbers": [name for name in names if self._is_number(name)],
            "labels": labels,
            "notes": self.notes,
        }

    def _is_number(self, name: str) -> bool:
        kind = self.table[name].type
        return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)

    def _values(self, name: str) -> list[str]:
        """The distinct values of a column, as text; none, if there are very many."""
        values = pc.unique(self.table[name].drop_null())
        if len(values) > MAX_LABELS_OFFERED:
            return []
        return sorted(str(value) for value in values.to_pylist())

    def bench(self, first: str, second: str, label: str, positive: str) -> Bench:
        """Both columns with mean 0 and variance 1, and +1 where the label is `positive`. Of more
        rows than the bench has room for, as many drawn at random, always the same ones."""
        for name in (first, second, label):
            if name not in self.table.column_names:
                raise Problem(f"the table has no column {name[:40]!r}.")
        for name in (first, second):
            if not self._is_number(name):
                raise Problem(f"column {name[:40]!r} must hold numbers.")
        if positive not in self._values(label):
            raise Problem(f"column {label[:40]!r} has no value {positive[:40]!r}, or too many.")
        columns = [self.table[name].combine_chunks() for name in (first, second, label)]
        whole = pc.and_(
            pc.and_(columns[0].is_valid(), columns[1].is_valid()), columns[2].is_valid()
        )
        rows = np.flatnonzero(whole.to_numpy(zero_copy_only=False))
        if rows.size < 2:
            raise Problem("these columns have fewer than 2 rows without missing values.")
        if rows.size > MAX_POINTS:
            rows = np.sort(np.random.default_rng(0).choice(rows, MAX_POINTS, replace=False))
        for name, column in zip((first, second), columns, strict=False):
            found = column.take(pa.array(rows)).cast(pa.float64(), safe=False)
            strange = np.flatnonzero(~np.isfinite(found.to_numpy(zero_copy_only=False)))
            if strange.size:
                raise Problem(
                    f"column {name[:40]!r} must hold finite numbers, but row "
                    f"{rows[strange[0]] + 1} holds {found[int(strange[0])]}."
                )
        X = np.column_stack([self._scaled(column.take(pa.array(rows))) for column in columns[:2]])
        y = [str(value) == positive for value in columns[2].take(pa.array(rows)).to_pylist()]
        return Bench.near(X, np.where(y, 1, -1))

    @staticmethod
    def _scaled(column: pa.Array) -> np.ndarray:
        values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        values = values / max(float(np.max(np.abs(values))), 1e-300)  # No square overflows.
        spread = float(values.std())
        return (values - values.mean()) / spread if spread > 0 else values - values.mean()


def read_upload(name: str, content: bytes) -> Table:
    """The table in a CSV file, or a Problem. Other formats can hide much in few bytes."""
    if len(content) > MAX_UPLOAD_BYTES:
        raise Problem(too_large(len(content)))
    if b"\0" in content or content.startswith(PACKED):
        raise Problem(CSV_NEEDED)
    header = content.partition(b"\n")[0]
    if max(map(header.count, b",;\t|")) >= MAX_BENCH_COLUMNS:
        raise Problem(f"a table for the bench must have at most {MAX_BENCH_COLUMNS:,} columns.")
    shown = Path(name).name[:80]
    with tempfile.TemporaryDirectory(prefix="certo-lab-") as folder:
        path = Path(folder) / "table.csv"
        path.write_bytes(content)

        def said(text: str) -> str:
            """As of a file that was sent, by somebody who cannot say how it is to be read."""
            text = text.replace(str(path), "the file").replace(path.name, shown)
            text = text.replace(FORMATS_NEEDED, CSV_NEEDED)
            text = text.replace(f"say so with {setting('no-header')}", "add one")
            return re.sub(r"; if [^.;]*, say so with [a-z-]+", "", text)

        try:
            table, notes = read_table(path)
        except Problem as wrong:
            raise Problem(said(str(wrong))) from None
    read = Table(shown, table, [said(note) for note in [*notes, *about_names(table)]])
    told = read.describe()
    if len(told["numbers"]) < 2:
        raise Problem("the table must have at least two columns of numbers, to draw it in a plane.")
    if not told["labels"]:
        raise Problem(
            f"the table must have a column of labels, with 2 to {MAX_LABELS_OFFERED} values."
        )
    return read


def too_large(size: int) -> str:
    tenths = math.ceil(10 * size / 2**20)
    return (
        f"a table for the bench must have at most {MAX_UPLOAD_BYTES // 2**20} MB, but there are "
        f"{tenths / 10:,.1f} MB. Take some of its rows, or some of its columns."
    )
