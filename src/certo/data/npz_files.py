"""Arrays of NumPy in a .npz file: X and y, or one array for each column."""

from __future__ import annotations

import io
import math
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa

from certo.certificates.encoding import counted
from certo.data.files import check_inflated
from certo.data.problem import Problem

TARGET = "target"
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_npz(path: Path, content: bytes | None) -> tuple[pa.Table, list[str]]:
    """Columns x1, x2, … of X and the column `target` of y; or a column for each array."""
    with open(path, "rb") if content is None else io.BytesIO(content) as file:
        _check_size(path, file)
        file.seek(0)
        try:
            with np.load(file, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
        except (ValueError, KeyError, RuntimeError, zipfile.BadZipFile) as wrong:
            raise Problem(f"{path} cannot be read as arrays of NumPy: {wrong}") from wrong
    notes = []
    if set(arrays) == {"X", "y"} and arrays["X"].ndim == 2:
        X, y = arrays["X"], arrays["y"]
        arrays = {f"x{j + 1}": column for j, column in enumerate(X.T)} | {TARGET: np.squeeze(y)}
        about = f"{counted(X.shape[1], 'column')} x1, x2, … of X, and y as the column {TARGET!r}"
        notes.append(f"{path.name} holds arrays of NumPy: {about}.")
    shapes = {name: array.shape for name, array in arrays.items()}
    if not arrays or any(len(shape) != 1 for shape in shapes.values()) or _differ(shapes):
        shown = ", ".join(f"{name} {shape}" for name, shape in list(shapes.items())[:6])
        raise Problem(
            f"{path} must hold a matrix X and an array y, or one array of the same length for each "
            f"column, but it holds {shown or 'nothing'}."
        )
    return pa.table({name: _column(path, name, array) for name, array in arrays.items()}), notes


def _differ(shapes: dict[str, tuple[int, ...]]) -> bool:
    return len(set(shapes.values())) > 1


def _column(path: Path, name: str, array: np.ndarray) -> pa.Array:
    try:
        return pa.array(np.ascontiguousarray(array))
    except (pa.ArrowException, TypeError, ValueError) as wrong:
        raise Problem(
            f"{path}: the array {name!r} must hold numbers or texts, but it holds {array.dtype}."
        ) from wrong


def _check_size(path: Path, file: io.BufferedIOBase) -> None:
    """Refuse what would fill the memory, by the headers of the arrays alone."""
    stored, size = file.seek(0, io.SEEK_END), 0
    try:
        with zipfile.ZipFile(file) as archive:
            for item in archive.infolist():
                with archive.open(item) as part:
                    version = np.lib.format.read_magic(part)
                    if version not in _HEADERS:
                        raise ValueError(f"version {version} of NumPy's format is not read here.")
                    shape, _, dtype = _HEADERS[version](part)
                    size += math.prod(shape) * dtype.itemsize
    except (ValueError, EOFError, RuntimeError, zipfile.BadZipFile) as wrong:
        raise Problem(f"{path} cannot be read as arrays of NumPy: {wrong}") from wrong
    check_inflated(path, size, stored)
