"""The first pass over blocks: what every fit must know of its examples, and a sample of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from certo.facts import InputError
from certo.scale.blocks import Block, Blocks
from certo.words import blocks as sentences

MAX_CLASSES = 1000  # A target with more different values is no class.
SAMPLE_NUMBERS = 2**22  # Numbers in the sample that is drawn in the first pass: 32 MB at most.
MIN_SAMPLE_ROWS = 1000


class BadRows(ValueError):
    """A row of a block cannot be used: which one, where, and why."""


@dataclass
class FirstLook:
    """What blocks hold, and the rows of the sample that are among them."""

    rows: int
    counts: dict[Any, int]
    square: float  # The greatest ‖x_t‖², rounded.
    X: list[Any] = field(default_factory=list)
    y: list[Any] = field(default_factory=list)
    start: int = 0

    def __add__(self, other: FirstLook) -> FirstLook:
        counts = dict(self.counts)
        for label, count in other.counts.items():
            counts[label] = counts.get(label, 0) + count
        _require_few(len(counts))
        return FirstLook(
            self.rows + other.rows, counts, max(self.square, other.square),
            self.X + other.X, self.y + other.y,
        )  # fmt: skip

    @property
    def sample(self) -> tuple[Any, np.ndarray]:
        """X and y of the sample, in the order of the rows."""
        X = sparse.vstack(self.X, format="csr") if sparse.issparse(self.X[0]) else np.vstack(self.X)
        return X, np.concatenate(self.y)


def look(block: Block, chosen: np.ndarray, classes: bool) -> FirstLook:
    """Of a block; `chosen` are the numbers of the rows of the sample, `classes` says whether y has
    labels to be counted."""
    with np.errstate(over="ignore", invalid="ignore"):
        square = _greatest_square(block.X)
    if not np.isfinite(square):
        _refuse_infinite(block)
    if block.y is None:
        raise BadRows(f"{block.place} has no target: say which column is to be predicted.")
    counts: dict[Any, int] = {}
    if classes:
        try:
            labels, many = np.unique(block.y, return_counts=True)
        except TypeError as wrong:
            raise BadRows(
                f"{block.place}: labels must all be texts or all be numbers, and none may be "
                "missing."
            ) from wrong
        _require_few(labels.size)
        counts = dict(zip(labels.tolist(), many.tolist(), strict=True))
        if any(label != label for label in counts):
            raise BadRows(f"{block.place} has a missing label.")
    elif not np.all(np.isfinite(target_numbers(block))):
        raise BadRows(f"{block.place} has a target that is no finite number.")
    first, last = np.searchsorted(chosen, (block.start, block.start + block.rows))
    here = chosen[first:last] - block.start
    some = [(block.X[here], np.asarray(block.y)[here])] if here.size else []
    return FirstLook(block.rows, counts, square, [X for X, _ in some], [y for _, y in some])


def _require_few(classes: int) -> None:
    if classes > MAX_CLASSES:
        raise InputError(sentences.too_many_classes, MAX_CLASSES)


def target_numbers(block: Block) -> np.ndarray:
    """The target of a block, refused where it is none or holds no numbers."""
    if block.y is None:
        raise BadRows(f"{block.place} has no target: say which column is to be predicted.")
    try:
        return np.asarray(block.y, np.float64)
    except (TypeError, ValueError) as wrong:
        first = np.asarray(block.y).ravel()[0]
        raise BadRows(
            f"{block.place}: a target of numbers is needed, but it holds {str(first)!r}. To "
            "predict classes, fit a classifier."
        ) from wrong


def _greatest_square(X: Any) -> float:
    """The greatest ‖x_t‖²; NaN or infinite, if an entry is."""
    X = in_float64(X)
    if sparse.issparse(X):
        return float(np.max(np.asarray(X.multiply(X).sum(axis=1)), initial=0.0))
    return float(np.max(np.einsum("ij,ij->i", X, X), initial=0.0))


def _refuse_infinite(block: Block) -> None:
    rows = block.X.tocoo() if sparse.issparse(block.X) else block.X
    if sparse.issparse(rows):
        bad = np.flatnonzero(~np.isfinite(rows.data))[:1]
        i, j = (int(rows.coords[k][bad[0]]) for k in (0, 1)) if bad.size else (0, 0)
        value = rows.data[bad[0]] if bad.size else np.inf
    else:
        bad = np.argwhere(~np.isfinite(rows))[:1]
        if not bad.size:
            raise BadRows(f"{block.place} has numbers whose squares overflow. Rescale the columns.")
        i, j = bad[0].tolist()
        value = rows[i, j]
    raise BadRows(
        f"{block.place}: finite numbers are needed, but column {j} of row {block.start + i} "
        f"(counting from 0) is {value}. Remove or impute such rows."
    )


def first_look(blocks: Blocks, rng: np.random.Generator, *, classes: bool) -> FirstLook:
    """One pass: refuses what no fit can use, and draws a sample of rows."""
    m, d = blocks.shape
    size = min(m, max(MIN_SAMPLE_ROWS, SAMPLE_NUMBERS // max(d, 1)))
    chosen = np.arange(m) if size == m else np.unique(rng.integers(0, m, size))
    found = blocks.total(look, chosen, classes)
    if found.rows != m:
        raise BadRows(f"{blocks.place} has {found.rows:,} rows where {m:,} were announced.")
    return found


def in_float64(X: Any) -> Any:
    return X.astype(np.float64, copy=False)
