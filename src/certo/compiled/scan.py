"""One pass over the examples before any learning: are the numbers usable, and how large."""

from __future__ import annotations

import numpy as np

from certo.compiled._jit import jit
from certo.compiled.rows import row_square


@jit
def greatest_square(rows, m):
    """(max_t ‖x_t‖², −1), or (that row's square, t) for the first row where it is not finite."""
    greatest = 0.0
    for t in range(m):
        square = row_square(rows, t)
        if not square < np.inf:  # NaN, an infinity, or numbers whose squares overflow
            return square, t
        greatest = max(greatest, square)
    return greatest, -1


@jit
def all_whole(values):
    """Whether these are whole numbers; most that are not show at once."""
    for start in range(0, values.size, 4096):
        part = values[start : start + 4096]
        broken = 0
        for k in range(part.size):
            broken += part[k] != np.floor(part[k])
        if broken:
            return False
    return True
