"""Blocks from whatever an estimator was given, or from a path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from certo.facts import InputError
from certo.scale.blocks import ArrayBlocks, Blocks
from certo.words import blocks as sentences

PARQUET_ENDINGS, ARROW_ENDINGS = (".parquet", ".pq"), (".arrow", ".feather", ".ipc")


def is_in_blocks(X: Any) -> bool:
    """Whether an estimator should read X block by block. Nothing is imported to find out."""
    if isinstance(X, Blocks):
        return True
    kind = type(X)
    return _is_dask(X) or (
        kind.__module__.startswith("pyarrow._dataset") and hasattr(X, "get_fragments")
    )


def _is_dask(X: Any) -> bool:
    return type(X).__module__.startswith("dask.") and hasattr(X, "to_delayed")


def as_blocks(X: Any, y: Any = None) -> Blocks:
    """X in blocks. `y` is the name of the target of a pyarrow dataset, an array for an array (which
    may be a memory map), and nothing where the blocks have it already."""
    if isinstance(X, Blocks):
        if y is not None:
            raise ValueError("these blocks have their own target: give none beside them.")
        return X
    if _is_dask(X):
        from certo.scale.dask_blocks import from_dask

        return from_dask(X, y)
    if is_in_blocks(X):
        if y is not None and not isinstance(y, str):
            raise InputError(sentences.no_target_name, type(y).__name__)
        from certo.scale.arrow_files import ArrowBlocks

        return ArrowBlocks(X, y)
    return ArrayBlocks(X, y)


def open_blocks(path: str | Path, target: Any = None) -> Blocks:
    """The table in a file, or in all files of a folder, read block by block.

    Parquet, Arrow (Feather) and CSV need the name of the column to predict, an .npy file the array
    of values or labels; svmlight has its own.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending == ".npy":
        return ArrayBlocks(np.load(path, mmap_mode="r"), target)
    if ending in (".svm", ".svmlight", ".libsvm"):
        from certo.scale.svmlight_files import SvmlightBlocks

        return SvmlightBlocks(path)
    return as_blocks(open_dataset(path), target)


#: The endings of files that are read in blocks, by what pyarrow calls their format.
ENDINGS = {"parquet": PARQUET_ENDINGS, "feather": ARROW_ENDINGS, "csv": (".csv",)}


def files_of(path: str | Path) -> tuple[str, list[Path]]:
    """The format of a file, or of all files of a folder that hold tables, and their paths. What
    begins with a dot or an underscore is no part of a table, as other readers have it, too."""
    from certo.scale.arrow_files import BadFile

    path = Path(path)
    if not path.exists():
        raise BadFile(f"{path}: there is no such file or folder.")
    files = [path]
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        files = [file for file in files if not _is_hidden(file.relative_to(path))]
    tables = [
        (kind, file)
        for file in files
        for kind, endings in ENDINGS.items()
        if file.suffix.lower() in endings
    ]
    if not tables:
        every = ", ".join(ending for endings in ENDINGS.values() for ending in endings)
        raise BadFile(
            f"{path} holds no file that can be read in blocks: {every}, .npy or .svmlight."
        )
    (first, one) = tables[0]
    if others := [file for kind, file in tables if kind != first]:
        raise BadFile(
            f"{path} holds files of several formats, such as {one.name} and {others[0].name}. Put "
            "those of the table into a folder of their own, or name one file."
        )
    return first, [file for _, file in tables]


def _is_hidden(path: Path) -> bool:
    return any(part[0] in "._" for part in path.parts)


def open_dataset(path: str | Path, csv: Any = "csv") -> Any:
    """A pyarrow dataset of the file, or of all files of the folder; `csv` is how CSV files are
    written. Names of folders such as year=2026 give columns."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    from certo.scale.arrow_files import BadFile

    path = Path(path)
    kind, files = files_of(path)
    try:
        return ds.dataset(
            [str(file) for file in files], format=csv if kind == "csv" else kind,
            partitioning="hive" if path.is_dir() else None,
            partition_base_dir=str(path) if path.is_dir() else None,
        )  # fmt: skip
    except (pa.ArrowException, OSError) as wrong:
        what = str(wrong).splitlines()[0]
        raise BadFile(f"{path} cannot be read: {what}") from wrong
