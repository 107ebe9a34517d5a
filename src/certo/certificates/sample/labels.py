"""Which of the user's labels count as +1 and which as −1, or that all classes are meant at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from certo.certificates.sample.examples import SampleMismatch, read_exactly
from certo.containers import exact_labels


@dataclass(frozen=True)
class Labels:
    """Which of the user's labels count as +1 and which as −1.

    `classes[positive]` is +1 and every other class −1. With `against`, only `classes[against]` is
    −1, and a claim is about the examples of these two classes alone. If `positive` is None there
    are no signs: each class is compared with each other one. With `column`, y has several columns
    (multi-label) and this one is meant.
    """

    classes: tuple[Any, ...]
    positive: int | None = 1
    column: int | None = None
    against: int | None = field(default=None, metadata={"since": 7})

    def __post_init__(self) -> None:
        if self.positive is None:
            if len(self.classes) < 2 or self.column is not None:
                raise ValueError("classes to compare must be two or more, and no column of labels.")
        elif not 0 <= self.positive < len(self.classes):
            raise ValueError(
                f"positive must be the place of one of the {len(self.classes)} classes, "
                f"got {self.positive!r}."
            )
        if len(set(self.classes)) < len(self.classes) or any(c != c for c in self.classes):
            raise ValueError(f"the classes must be different from each other: {self.classes!r}.")
        if self.column is not None and self.column < 0:
            raise ValueError(f"column must not be negative, got {self.column!r}.")
        if self.against is not None and (
            self.positive in (None, self.against)
            or self.column is not None
            or not 0 <= self.against < len(self.classes)
        ):
            raise ValueError("against must be the place of another class, in one column of labels.")

    def read(self, y, rows: int) -> np.ndarray:
        """The signs, one for each of so many examples."""
        signs = self.signs(y)
        if signs.size != rows:
            raise SampleMismatch(f"X has {rows} rows, but y has {signs.size} labels.")
        return signs

    def signs(self, y) -> np.ndarray:
        """y as −1 and +1 (int8), and 0 where a pair of other classes is meant."""
        if self.positive is None:
            raise SampleMismatch("the labels name no positive class, so that there are no signs.")
        return self.signs_of(self.places(y))

    def signs_of(self, places: np.ndarray) -> np.ndarray:
        """The same from the places of the labels among the classes."""
        other = -1 if self.against is None else -(places == self.against).astype(np.int8)
        return np.where(places == self.positive, 1, other).astype(np.int8)

    def places(self, y, unknown: bool = False) -> np.ndarray:
        """The place of every label among the classes; `unknown`: −1 for one that is none of them,
        but not for one that is missing."""
        y = read_exactly(exact_labels, y, required="y must be a list of labels")
        y = y.toarray() if sparse.issparse(y) else y
        if self.column is not None:
            if y.ndim != 2 or y.shape[1] <= self.column:
                raise SampleMismatch(
                    f"the claim is about column {self.column} of y, but y has shape {y.shape}."
                )
            y = y[:, self.column]
        elif y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        if y.ndim != 1:
            raise SampleMismatch(f"y must have one label for each example, got shape {y.shape}.")
        places, matches = np.zeros(y.size, dtype=np.int64), np.zeros(y.size, dtype=np.int64)
        for k, label in enumerate(self.classes):
            same = _equal(y, label)
            places[same] = k
            matches += same
        # More than one: labels that differ, but not in the precision of y.
        # Neither None nor a NaN, which is not itself.
        there = np.asarray(unknown and _equal(y, y) & ~_equal(y, None))
        strange = np.flatnonzero((matches != 1) & ~(there & (matches == 0)))
        if strange.size:
            raise SampleMismatch(
                f"y[{strange[0]}] is {y[strange[:1]].tolist()[0]!r}, which is not one of the "
                f"classes {list(self.classes)} of this claim ({strange.size} such labels)."
            )
        places[matches == 0] = -1
        return places

    @property
    def outputs(self) -> int:
        """The number of scores of a rule for all classes: one for each, for two classes one."""
        return 1 if len(self.classes) == 2 else len(self.classes)


def _as_kind(kind: type, label: int | float) -> int | float | None:
    """The float64 number, or the integer, that equals the label, if there is one."""
    try:
        return kind(label) if kind(label) == label else None
    except (OverflowError, ValueError):
        return None


def _equal(y: np.ndarray, label: Any) -> np.ndarray:
    if isinstance(label, int | float) and y.dtype.kind in "iuf":
        # NumPy rounds the one number to the type of the other: 2⁵³ + 1 would equal 2⁵³.
        number = _as_kind(float if y.dtype.kind == "f" else int, label)
        if number is None:
            return np.zeros(y.shape, dtype=bool)
        return np.asarray((y.astype(np.float64) if y.dtype.itemsize < 8 else y) == number)
    try:
        same = np.asarray(y == label)
    except TypeError:  # Types that cannot be compared are not equal.
        return np.zeros(y.shape, dtype=bool)
    if same.dtype == bool and same.shape == y.shape:
        return same
    # An array of objects: only a plain True counts (a missing value's `==` is no truth value).
    same = np.broadcast_to(same, y.shape)
    return np.fromiter((item is True or item is np.True_ for item in same), bool, y.size)
