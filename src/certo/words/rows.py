"""Row numbers as the reader counts them: from 0 in arrays, by the numbers of the file in tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class RowNames(NamedTuple):
    """How examples are called: by their place in an array, or by `places`, the number that each
    has in its file."""

    places: Any = None

    def __call__(self, rows: Sequence[int], most: int = 10) -> str:
        """'the examples in rows 0, 3 and 2 more (counting from 0)'; of a file 'rows 2, 5, …'."""
        chosen = [int(row) for row in rows[:most]]
        more = f" and {len(rows) - most:,} more" if len(rows) > most else ""
        s = "s" * (len(rows) > 1)
        if self.places is not None:
            return f"row{s} {', '.join(str(self.places[row]) for row in chosen)}{more}"
        listed = ", ".join(map(str, chosen))
        return f"the example{s} in row{s} {listed}{more} (counting from 0)"

    def pair(self, first: int, second: int) -> str:
        """'the examples in rows 1 and 4'; of a file 'rows 2 and 5'."""
        if self.places is not None:
            return f"rows {self.places[first]} and {self.places[second]}"
        return f"the examples in rows {first} and {second}"


IN_ARRAYS = RowNames()
