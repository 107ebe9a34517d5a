"""The table of a file, whatever its format; that is found out from its first bytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection
from pathlib import Path

import pyarrow as pa

from certo.data.csv_files import inflated, read_csv, sample_of, source
from certo.data.dialect import current_dialect
from certo.words.reader import setting

PARQUET, ARROW, ZIP = b"PAR1", b"ARROW1", b"PK\x03\x04"


def read_any(
    path: Path, content: bytes | None, as_text: Collection[str] = ()
) -> tuple[pa.Table, list[str]]:
    """A table and what to know of how it was read: of CSV and svmlight (also compressed by gzip or
    bzip2), Parquet, Arrow (Feather), .npz, and .xlsx where openpyxl is installed. `content` is what
    the file holds, where it can be read only once."""
    start, suffix = _start(path, content), path.suffix.lower()
    if start.startswith(PARQUET) or suffix in (".parquet", ".pq"):
        from certo.data.arrow_files import read_parquet

        return read_parquet(path, content), _not_text("a Parquet file", path)
    if start.startswith(ARROW) or suffix in (".arrow", ".feather"):
        from certo.data.arrow_files import read_arrow

        notes = [f"{path.name} is an Arrow file.", *_not_text("an Arrow file", path)]
        return read_arrow(path, content), notes
    if start.startswith(ZIP):
        names = _names(path, content)
        if any(name.endswith(".npy") for name in names):
            from certo.data.npz_files import read_npz

            table, notes = read_npz(path, content)
            return table, notes + _not_text("a file of arrays", path)
        if "xl/workbook.xml" in names:
            from certo.data.excel_files import read_excel

            return read_excel(path, content)
    return _read_text(path, content, as_text)


def _read_text(
    path: Path, content: bytes | None, as_text: Collection[str]
) -> tuple[pa.Table, list[str]]:
    from certo.data.svmlight_files import is_svmlight, read_svmlight

    stored = path.stat().st_size if content is None else len(content)
    content = inflated(path, content)
    opened = source(path, content)
    if current_dialect().delimiter is None and is_svmlight(sample_of(opened)):
        with opened() as file:
            return read_svmlight(path, file.read(), stored)
    return read_csv(path, content, as_text)


def _start(path: Path, content: bytes | None) -> bytes:
    if content is not None:
        return content[: len(ARROW)]
    with open(path, "rb") as file:
        return file.read(len(ARROW))


def _names(path: Path, content: bytes | None) -> list[str]:
    """The names in a ZIP archive; none of what is damaged."""
    with open(path, "rb") if content is None else io.BytesIO(content) as file:
        try:
            with zipfile.ZipFile(file) as archive:
                return archive.namelist()
        except (zipfile.BadZipFile, RuntimeError):  # Damaged, or of an unknown version.
            return []


def _not_text(what: str, path: Path) -> list[str]:
    """Nothing that was said about files of text is for this one."""
    if not current_dialect().is_given:
        return []
    names = ", ".join(setting(name) for name in ("delimiter", "encoding", "no-header"))
    return [f"{path.name} is {what}, for which {names} make no difference."]
