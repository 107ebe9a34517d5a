"""Files of svmlight and libsvm: lines of a label and of index:value for what is not zero."""

from __future__ import annotations

import io
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa

from certo.certificates.encoding import counted
from certo.containers import MAX_EXACT_INTEGER
from certo.data import digits, files
from certo.data.problem import Problem

TARGET = "target"
_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_LINE = re.compile(rf"\s*{_NUMBER}(\s+qid:\d+)?((?:\s+\d+:{_NUMBER})*)\s*(?:#.*)?")
MAX_LINES_SEEN = 30


def is_svmlight(sample: str) -> bool:
    """Whether all of the first lines look so, and some has an index."""
    lines = sample.splitlines()[:MAX_LINES_SEEN]
    lines = lines[:-1] or lines  # The last line may be cut off.
    found = [_LINE.fullmatch(line) for line in lines if line and not line.startswith("#")]
    return bool(found) and all(found) and any(one and one[2] for one in found)


def read_svmlight(path: Path, text: bytes, stored: int) -> tuple[pa.Table, list[str]]:
    """Columns x1, x2, … by their indices, or from index 0 on if that occurs, and `target`; `stored`
    is the size of the file."""
    from sklearn.datasets import load_svmlight_file

    try:
        X, y, query = load_svmlight_file(io.BytesIO(text), query_id=True)
        starts_at_0 = load_svmlight_file(io.BytesIO(text), zero_based=True)[0][:, 0].nnz > 0
    except (ValueError, OverflowError) as wrong:
        raise Problem(f"{path} cannot be read as svmlight: {wrong}.") from wrong
    rows, features = X.shape
    most = max(files.MIN_INFLATED_BYTES, files.MAX_INFLATION * stored)
    if 8 * rows * (features + 1) > most:
        raise Problem(
            f"{path} has {rows:,} rows of {features:,} features, most of them zero, which as a "
            f"table would take more than {most:,} bytes. In Python, the machines of Certo take "
            "sparse matrices (sklearn.datasets.load_svmlight_file reads one)."
        )
    _refuse_rounded(path, text)
    dense = X.toarray()
    names = [f"x{j + 1}" for j in range(features)]
    columns = [as_narrow(column) for column in (*dense.T, y)]
    notes = [f"{path.name} is in svmlight's format: {counted(features, 'feature')} x1, x2, …"]
    notes[0] += f", and the column {TARGET!r}."
    if starts_at_0:
        notes.append("Its indices begin at 0, so that x1 is the feature with index 0.")
    if query.any():
        notes.append("The query numbers (qid) in it are not used.")
    return pa.table(columns, names=[*names, TARGET]), notes


def as_narrow(column: np.ndarray) -> np.ndarray:
    """As integers, if all numbers are."""
    whole = np.all((column == np.rint(column)) & (np.abs(column) < MAX_EXACT_INTEGER))
    return column.astype(np.int64) if whole else np.ascontiguousarray(column)


def _refuse_rounded(path: Path, text: bytes) -> None:
    """A column of numbers that float64 cannot tell apart is refused, as in other files."""
    if not digits.has_long_numbers(io.BytesIO(text), "."):
        return
    found: dict[str, set[str]] = defaultdict(set)
    for line in text.decode().splitlines():
        label, *pairs = line.partition("#")[0].split() or ("0",)
        found[TARGET].add(label)
        for index, _, value in (pair.partition(":") for pair in pairs):
            found[index].add(value)
    for index, values in found.items():
        numbers = [number for value in values if (number := digits.exact_number(value)) is not None]
        if (why := digits.too_fine(numbers)) is not None:
            what = "the target" if index == TARGET else f"index {index}"
            raise Problem(
                f"{path} must hold numbers that float64 can tell apart, but of {what} {why}. "
                "Round them, or leave them out."
            )
