"""Exact arithmetic on a few examples: linear algebra, linear and quadratic programs in rationals.

Nothing here is shared with the package. Rationals are FLINT's (`fmpq`), which are fast.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import fmpq
from scipy import sparse

ZERO, ONE = fmpq(0), fmpq(1)


def rational(value) -> fmpq:
    """A float, integer, fraction, or text like '3/a' (base sixteen)."""
    if isinstance(value, fmpq):
        return value
    if isinstance(value, str):
        above, below = value.split("/")
        return fmpq(int(above, 16), int(below, 16))
    exactly = Fraction(value)
    return fmpq(exactly.numerator, exactly.denominator)


def approximate(value: fmpq) -> float:
    return float(Fraction(int(value.p), int(value.q)))


def rationals(values) -> list[fmpq]:
    return [rational(value) for value in values]


def table(X) -> list[list[fmpq]]:
    X = X.toarray() if sparse.issparse(X) else np.asarray(X)
    exact = X if X.dtype == object else X.astype(float)  # objects may be integers of any size
    return [rationals(row) for row in exact.tolist()]


def dot(a, b) -> fmpq:
    return sum((x * y for x, y in zip(a, b, strict=True)), ZERO)


def rank(rows) -> int:
    return len(pivots(rows))


def pivots(rows) -> list[int]:
    """The columns of the reduced row echelon form."""
    left, found = [list(row) for row in rows], []
    for column in range(len(left[0]) if left else 0):
        at = next((i for i in range(len(found), len(left)) if left[i][column]), None)
        if at is None:
            continue
        k = len(found)
        left[k], left[at] = left[at], left[k]
        for i in range(k + 1, len(left)):
            factor = left[i][column] / left[k][column]
            if factor:
                left[i] = [a - factor * b for a, b in zip(left[i], left[k], strict=True)]
        found.append(column)
    return found


def is_semidefinite(matrix) -> bool:
    """Whether a symmetric matrix is, by eliminating one positive diagonal entry after another."""
    left = [list(row) for row in matrix]
    while left:
        n = len(left)
        at = next((i for i in range(n) if left[i][i]), None)
        if at is None:
            return not any(map(any, left))
        own = left[at]
        if own[at] < 0:
            return False
        kept = [i for i in range(n) if i != at]
        left = [[left[i][j] - own[i] * own[j] / own[at] for j in kept] for i in kept]
    return True


def complementary(M, q) -> list[fmpq] | None:
    """z ≥ 0 with w = Mz + q ≥ 0 and z·w = 0, for a semidefinite M (not nec. symmetric), by Lemke's
    pivots with lexicographic ratios; None if there is no z with both signs right."""
    n = len(q)
    # columns: w, z, z₀, right side; basis: the variable of each row
    rows = [
        [ONE if j == i else ZERO for j in range(n)] + [-v for v in M[i]] + [-ONE, q[i]]
        for i in range(n)
    ]
    basis, entering = list(range(n)), 2 * n
    if all(v >= 0 for v in q):
        return [ZERO] * n

    def least(able, pivot):
        """Where the right side, then the first column of w, … divided by the pivot is smallest."""
        for column in (-1, *range(n)):
            ratios = [rows[i][column] / pivot(i) for i in able]
            lowest = min(ratios)
            able = [i for i, ratio in zip(able, ratios, strict=True) if ratio == lowest]
            if len(able) == 1:
                break
        return able[0]

    leaving = least(range(n), lambda i: ONE)
    while True:
        left = basis[leaving]
        pivot = rows[leaving][entering]
        rows[leaving] = [v / pivot for v in rows[leaving]]
        own = rows[leaving]
        for i in range(n):
            factor = rows[i][entering]
            if i != leaving and factor:
                rows[i] = [a - factor * b for a, b in zip(rows[i], own, strict=True)]
        basis[leaving] = entering
        if left == 2 * n:
            break
        entering = left + n if left < n else left - n
        able = [i for i in range(n) if rows[i][entering] > 0]
        if not able:
            return None
        first = [rows[i][-1] / rows[i][entering] for i in able]
        out = [i for i, ratio in zip(able, first, strict=True) if ratio == min(first)]
        done = [i for i in out if basis[i] == 2 * n]  # z₀ goes as soon as it may
        leaving = done[0] if done else least(out, lambda i: rows[i][entering])  # noqa: B023
    found = [ZERO] * n
    for i, variable in enumerate(basis):
        if n <= variable < 2 * n:
            found[variable - n] = rows[i][-1]
    return found


def least_quadratic(Q, p, A=(), b=()) -> tuple[fmpq, list[fmpq]] | None:
    """min ½x·Qx + p·x over x ≥ 0 with Ax ≥ b, Q semidefinite, and where; None if infeasible or
    without end."""
    n, k = len(p), len(b)
    M = [[*Q[i], *(-A[r][i] for r in range(k))] for i in range(n)]
    M += [[*A[r], *[ZERO] * k] for r in range(k)]
    z = complementary(M, [*p, *(-v for v in b)])
    if z is None:
        return None
    x = z[:n]
    return dot(x, [dot(row, x) for row in Q]) / 2 + dot(p, x), x


def is_cone_member(vectors, goal) -> bool:
    """Whether goal = Σ a_i vectors_i for some a ≥ 0: the first phase of the simplex method, by
    Bland's rule, from artificial variables that must all become 0."""
    n = len(vectors)
    rows = [[v[j] for v in vectors] + [wanted] for j, wanted in enumerate(goal)]
    rows = [[-v for v in row] if row[-1] < 0 else row for row in rows]
    basis = [n + j for j in range(len(rows))]  # artificial ones never come back
    missing = [sum(column, ZERO) for column in zip(*rows, strict=True)] or [ZERO]
    while missing[-1]:
        entering = next((i for i in range(n) if missing[i] > 0), None)
        if entering is None:
            return False
        able = [j for j, row in enumerate(rows) if row[entering] > 0]
        leaving = min(able, key=lambda j: (rows[j][-1] / rows[j][entering], basis[j]))
        own = [v / rows[leaving][entering] for v in rows[leaving]]
        rows = [
            own if j == leaving else [a - row[entering] * b for a, b in zip(row, own, strict=True)]
            for j, row in enumerate(rows)
        ]
        missing = [a - missing[entering] * b for a, b in zip(missing, own, strict=True)]
        basis[leaving] = entering
    return True


def can_be_positive(vectors) -> list[bool]:
    """For each vector z_t whether some w has w·z ≥ 0 for all of them and w·z_t > 0: by Farkas, if
    −z_t is not in their cone."""
    return [not is_cone_member(vectors, [-v for v in z]) for z in vectors]


def all_positive(vectors) -> bool:
    """Whether some w has w·z > 0 for all: the sum of those that make one of them positive does."""
    return all(can_be_positive(vectors))
