"""Which columns of a weighted sum of squares are independent, and how they combine to the others.

The sum tells it where there is no doubt: what a column adds to those before it is either much more
than rounding, or nothing. Else the rows are asked.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import sparse

from certo.solvers.dependence import (
    Combinations,
    combinations,
    kept_columns,
    others,
    with_constant,
)
from certo.solvers.exact_relations import exact_combinations
from certo.solvers.least_squares import MAX_FRACTIONS, least_squares

CLEAR_SHARE = 1e-9  # The share of a column's square, left by the others, that no rounding makes.
ROUNDING_SHARE = 1e-12  # A share of which rounding may make all.
SIZE_ROWS = 4096  # About so many rows tell the size of columns.
MAX_LISTED_ROWS = 64  # Up to so many rows every column is looked at, whether it is constant.


class Relations(NamedTuple):
    kept: np.ndarray  # Columns of x̃, in increasing order.
    combinations: Combinations  # Of the columns kept, for each other column.


def independent(X, counting: np.ndarray | None, gram: np.ndarray, lifted: bool) -> Relations:
    """Columns of x̃ that combine to all others on the rows that count (None: all). `gram` is
    Σ v x̃x̃ᵀ over these, with weights v that are not known but positive."""
    p = len(gram)
    if not np.all(np.isfinite(gram)) or (lifted and gram[-1, -1] <= 0):
        return Relations(np.arange(p), ())
    constant, doubtful = _constant(X, counting, gram, lifted)
    varied = np.setdiff1d(np.arange(p), [*constant])
    part = gram[np.ix_(varied, varied)]
    clear, most = (kept_columns(part, lifted, left) for left in (CLEAR_SHARE, ROUNDING_SHARE))
    if doubtful or clear.size < most.size:
        kept, lines = _by_rows(X, counting, varied, lifted)
    else:
        kept, lines = clear, ()
        if kept.size < varied.size and kept.size * (varied.size - kept.size) <= MAX_FRACTIONS:
            row = np.append(_some_row(X, counting), 1.0)[varied]
            lines = combinations(part, kept, lifted, row)
    if len(lines) < varied.size - kept.size:
        return Relations(np.arange(p), ())
    if lines:
        lines = exact_combinations(X, counting, varied, kept, lines, lifted)
    found = {j: _constant_line(value, kept.size) for j, value in constant.items()}
    found |= dict(zip(varied[others(kept, varied.size)].tolist(), lines, strict=True))
    return Relations(varied[kept], tuple(found[j] for j in sorted(found)))


def _constant(X, counting, gram: np.ndarray, lifted: bool) -> tuple[dict[int, float], bool]:
    """The columns that are the same in all rows that count, with their values: without an
    intercept those of zeros. And whether others are so nearly constant that `gram` cannot tell."""
    d = X.shape[1]
    squares = np.diag(gram)[:d]
    weight = gram[-1, -1] if lifted else 0.0
    if lifted:
        squares = squares - gram[-1, :d] ** 2 / weight
    some = abs(X[:: max(1, X.shape[0] // SIZE_ROWS)])
    size = np.asarray(some.mean(axis=0)).ravel() ** 2 * weight + np.diag(gram)[:d]
    found, suspects = {}, np.flatnonzero(squares <= CLEAR_SHARE * size)
    if counting is not None and np.count_nonzero(counting) <= MAX_LISTED_ROWS:
        # Rounding may leave something of a column that is 0 in all of few rows.
        few = X[np.flatnonzero(counting)]
        few = few.toarray() if sparse.issparse(few) else few
        same = np.all(few == few[:1], axis=0) & (lifted | ~np.any(few, axis=0))
        found = {j: float(few[0, j]) for j in np.flatnonzero(same).tolist()}
        return found, not np.all(same[suspects])
    part = X[:, suspects].tocsc() if sparse.issparse(X) else X[:, suspects]
    for k, j in enumerate(suspects.tolist()):
        values = part[:, [k]].toarray()[:, 0] if sparse.issparse(X) else part[:, k]
        values = values if counting is None else values[counting]
        if np.all(values == values[0]) and (lifted or values[0] == 0):
            found[j] = float(values[0])
    return found, len(found) < suspects.size


def _constant_line(value: float, count: int) -> tuple[Fraction, ...]:
    """value times the ones, which are kept last."""
    return (*[Fraction(0)] * (count - 1), Fraction(value)) if count else ()


def _some_row(X, counting) -> np.ndarray:
    row = X[[0 if counting is None else int(np.argmax(counting))]]
    return (row.toarray() if sparse.issparse(row) else row)[0].astype(np.float64)


def _by_rows(X, counting, varied: np.ndarray, lifted: bool) -> tuple[np.ndarray, Combinations]:
    """The same by an orthogonal factorisation, which has all digits."""
    slopes = varied[varied < X.shape[1]]
    X = X if slopes.size == X.shape[1] else X[:, slopes]
    weights = None if counting is None else counting.astype(np.float64)
    found = least_squares(X, np.zeros((X.shape[0], 1)), weights=weights, lifted=lifted)
    if found.kept is None or found.combinations is None:
        return np.arange(varied.size), ()
    kept, lines = found.kept, found.combinations
    if lifted and lines:  # The row that the constants were made from may not count.
        rest, row = others(kept, varied.size), _some_row(X, counting)
        lines = with_constant([line[:-1] for line in lines], kept[:-1], rest, row)
    return kept, lines
