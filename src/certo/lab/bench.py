"""The bench: at most 500 labelled points of the plane, each at a place that float64 holds exactly.

Places are whole numbers of 1/1024. So what the page shows, what a link says and what an estimator
is given are the same numbers, and fractions that prove something of them stay short.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from certo.data.problem import Problem

UNITS = 1024  # Places of a point from one whole number to the next.
REACH = 16  # No point is further than this from the origin, in either direction.
MAX_POINTS = 500


@dataclass(frozen=True, eq=False)
class Bench:
    """Points, in their order."""

    places: np.ndarray  # (m, 2), int64, in units of 1/1024
    signs: np.ndarray  # (m,), int64, −1 and +1

    def __post_init__(self) -> None:
        m = len(self.signs)
        if m > MAX_POINTS:
            raise Problem(f"the bench has room for {MAX_POINTS} points, but {m:,} came.")
        if self.places.shape != (m, 2) or not np.all(np.isin(self.signs, (-1, 1))):
            raise Problem("a point must be two numbers and a label, -1 or +1.")
        outside = np.flatnonzero(np.any(np.abs(self.places) > REACH * UNITS, axis=1))
        if outside.size:
            place = (self.places[outside[0]] / UNITS).tolist()
            raise Problem(
                f"points must be within {REACH} of the origin in each direction, but point "
                f"{outside[0] + 1} is at {place}."
            )

    @classmethod
    def near(cls, X: np.ndarray, signs: np.ndarray) -> Bench:
        """The points of the bench nearest to these."""
        limit = REACH * UNITS
        places = np.clip(np.rint(np.asarray(X, dtype=np.float64) * UNITS), -limit, limit)
        return cls(places.astype(np.int64), np.asarray(signs).astype(np.int64))

    @classmethod
    def read(cls, points: Any) -> Bench:
        """From JSON: a list of [x, y, label], in units of 1/1024."""
        if type(points) is not list or len(points) > MAX_POINTS:
            raise Problem(f"points must be a list of at most {MAX_POINTS}.")
        for at, point in enumerate(points, start=1):
            whole = type(point) is list and len(point) == 3
            if not whole or any(type(n) is not int or abs(n) > 2**31 for n in point):
                raise Problem(f"point {at} must be three whole numbers: x, y and a label.")
        table = np.array(points, dtype=np.int64).reshape(-1, 3)
        return cls(table[:, :2], table[:, 2])

    def write(self) -> list[list[int]]:
        """As JSON, for `read`."""
        return np.column_stack([self.places, self.signs]).tolist()

    @property
    def X(self) -> np.ndarray:  # noqa: N802
        return self.places / UNITS

    @property
    def y(self) -> np.ndarray:
        return self.signs

    def __len__(self) -> int:
        return len(self.signs)

    @property
    def has_both(self) -> bool:
        """Whether there are points of either label."""
        return len(np.unique(self.signs)) == 2

    @property
    def key(self) -> bytes:
        """The same for the same points."""
        return self.places.tobytes() + self.signs.tobytes()

    @property
    def reach(self) -> float:
        """The furthest of all coordinates from 0; 0 without points."""
        return float(np.max(np.abs(self.places), initial=0)) / UNITS
