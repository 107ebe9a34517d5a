"""X and y in one file, which NumPy's `load` reads too: read without trust.

It is an archive of .npy files: y and X, or y and the parts of X as a CSR matrix. Nothing in it is
compressed, so that no small file fills the memory; nothing has a date, so that the same examples
give the same bytes; and no array holds Python objects, which could run code.
"""

from __future__ import annotations

import io
import zipfile
from typing import Any

import numpy as np
from scipy import sparse

DENSE_ARRAYS: tuple[str, ...] = ("X", "y")
CSR_ARRAYS: tuple[str, ...] = ("data", "indices", "indptr", "shape", "y")
DTYPE_KINDS = "biufU"  # Numbers and texts.


def read_examples(content: bytes) -> tuple[Any, np.ndarray]:
    """X and y from the bytes of a file; ValueError, if it is none that is written here."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
            if any(part.compress_type != zipfile.ZIP_STORED for part in parts):
                raise ValueError("it is compressed, which no file of examples is.")
            names = tuple(part.filename.removesuffix(".npy") for part in parts)
            if names not in (DENSE_ARRAYS, CSR_ARRAYS):
                raise ValueError(
                    f"it must hold {DENSE_ARRAYS} or {CSR_ARRAYS}, but it holds {names[:8]}."
                )
            *rows, y = (_array(archive.read(part)) for part in parts)
    except (EOFError, OSError, RuntimeError, zipfile.BadZipFile) as wrong:
        raise ValueError(f"it is not an archive of arrays: {wrong}") from wrong
    if names == DENSE_ARRAYS:
        return rows[0], y
    shape = tuple(rows.pop().tolist())
    X = sparse.csr_array(tuple(rows), shape=shape)
    X.check_format(full_check=True)  # An index beyond the end must be refused.
    return X, y


def _array(content: bytes) -> np.ndarray:
    """An array from the bytes of an .npy file, which it must fill."""
    file = io.BytesIO(content)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("an array must be in version 1.0 of NumPy's format.")
    shape, by_columns, dtype = np.lib.format.read_array_header_1_0(file)
    if dtype.kind not in DTYPE_KINDS:
        raise ValueError(f"an array must hold numbers or texts, not {dtype}.")
    flat = np.frombuffer(content, dtype, offset=file.tell())
    return flat.reshape(shape, order="F" if by_columns else "C")  # reshape refuses any other size.
