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


def open_dataset(path: str | Path) -> Any:
    """A pyarrow dataset of the file, or of all files of the folder that have its first ending."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    from certo.scale.arrow_files import BadFile

    path = Path(path)
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    known = {"parquet": PARQUET_ENDINGS, "feather": ARROW_ENDINGS, "csv": (".csv",)}
    for kind, endings in known.items():
        if found := [str(file) for file in files if file.suffix.lower() in endings]:
            try:
                return ds.dataset(found, format=kind)
            except (pa.ArrowException, OSError) as wrong:
                what = str(wrong).splitlines()[0]
                raise BadFile(f"{path} cannot be read: {what}") from wrong
    every = ", ".join(ending for endings in known.values() for ending in endings)
    raise BadFile(f"{path} holds no file that can be read in blocks: {every}, .npy or .svmlight.")
