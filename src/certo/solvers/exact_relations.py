"""Exact combinations of columns, where those that floats suggest are nearly exact.

An indicator that is standardised still has two values, so that it is an affine function of the
indicator: the columns of one categorical variable stay dependent, with coefficients that are no
simple fractions. They solve a small linear system exactly: that of the columns that take part, in
as many rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from flint import fmpq_mat, fmpz_mat
from scipy import linalg, sparse

from certo.numbers.farkas import common_denominator, whole_numbers
from certo.solvers.dependence import TERM_ROUNDING, Combinations
from certo.solvers.vectors import residues

ROWS_LOOKED_AT = 1024  # Rows from which a linear system is chosen.
MAX_SYSTEM = 96  # Columns of a system that is solved exactly.


def exact_combinations(
    X, counting: np.ndarray | None, columns: np.ndarray, kept: np.ndarray, lines: Combinations,
    lifted: bool,
) -> Combinations:  # fmt: skip
    """The combinations with those replaced that do not hold exactly, but could.

    Of the columns `columns` of x̃ (the last one is that of the ones, if `lifted`) those at `kept`
    combine to the others, by `lines`, on the rows that count. Exactness is asked modulo a prime:
    who relies on it checks it.
    """
    rows = np.arange(X.shape[0]) if counting is None else np.flatnonzero(counting)
    some = rows[:: max(1, rows.size // ROWS_LOOKED_AT)]
    few, found = X[some], []
    for j, line in zip(np.delete(columns, kept).tolist(), lines, strict=True):
        if not _holds(few, j, columns[kept], line, lifted):
            better = _solved(few, j, columns[kept], line, lifted)
            if better is not None and _holds(X[rows], j, columns[kept], better, lifted):
                line = better
        found.append(line)
    return tuple(found)


def _holds(X, j: int, kept: np.ndarray, line: Sequence[Fraction], lifted: bool) -> bool:
    common = common_denominator(line)
    if common is None:
        return False
    used = [(k, c) for k, c in zip(kept.tolist(), line, strict=True) if c and k < X.shape[1]]
    whole = [int(c * common) for _, c in used] + [-common]
    if lifted:
        whole.append(int(line[-1] * common))
    part = X[:, [*(k for k, _ in used), j]]
    return not np.any(residues(part, np.array(whole, dtype=object), lifted))


def _solved(
    X, j: int, kept: np.ndarray, line: Sequence[Fraction], lifted: bool
) -> tuple[Fraction, ...] | None:
    """The combination that gives column j exactly in as many rows as columns take part."""
    slopes = kept[:-1] if lifted else kept
    part = X[:, [*slopes.tolist(), j]].astype(np.float64)
    dense = part.toarray() if sparse.issparse(part) else part
    scale = np.max(np.abs(dense), axis=0)
    terms = np.abs([float(c) for c in line[: slopes.size]])
    used = np.flatnonzero(terms * scale[:-1] > TERM_ROUNDING * scale[-1])
    if not 0 < used.size + lifted <= MAX_SYSTEM:
        return None
    dense = np.unique(dense[:, [*used.tolist(), -1]], axis=0)
    system = dense[:, :-1]
    if lifted:
        system = np.column_stack([system, np.ones(len(dense))])
    size = system.shape[1]
    order = linalg.qr((system / np.max(np.abs(system), axis=0)).T, mode="r", pivoting=True)[1]
    if len(order) < size:
        return None
    chosen = order[:size]
    whole = whole_numbers(np.column_stack([system[chosen], dense[chosen, -1]]))
    left = fmpz_mat([row[:-1] for row in whole])
    right = fmpz_mat([row[-1:] for row in whole])
    try:
        solution = fmpq_mat(left).solve(fmpq_mat(right))
    except ZeroDivisionError:
        return None
    places = [*used.tolist(), slopes.size] if lifted else used.tolist()
    found = [Fraction(0)] * len(line)
    for place, term in zip(places, solution.entries(), strict=True):
        found[place] = Fraction(int(term.p), int(term.q))
    return tuple(found)
