"""The point nearest to the origin among convex combinations of examples, for separation.

Problem     min ‖Σ a_i c_i − e‖²,  a ≥ 0,  c_i = (s_i z_i, 1),  e = (0, …, 0, 1),  z_i = y_i x̃_i
Given       z_i as rows with signs, lifted or not, and how each is scaled, s_i
Optimal     with r = e − Σ a_i c_i, c_i·r = 0 where a_i > 0 and c_i·r ≤ 0 elsewhere. If r = 0 the
            z_i used cancel; otherwise w = −r without its last entry has w·s_i z_i ≥ r_last > 0
Step        the active set of Lawson and Hanson (1974): the column with the largest c_i·r enters,
            and those whose weight would become negative leave

Differences from SciPy's `nnls`: (1) columns are never stored: those priced are rows of the user,
(2) they are priced among candidates, and all rows only once these are optimal; (3) the columns in
use are kept as Q·R, orthogonalised twice, with rotations where one leaves, so that nothing starts
anew as candidates join.
"""

from __future__ import annotations

import numpy as np

from certo.compiled._jit import jit, loose
from certo.compiled.rows import row_add, row_dot
from certo.numbers.rounding import UNIT

OUTSIDE, FREE, BARRED, ACTIVE = 0, 1, 2, 3  # States of a row; all but the first are candidates.
DEPENDENT = 1e-10  # A column so near to the span of the others is left out.
STEPS_PER_ENTRY = 30  # Steps after which no answer is expected any more, for each entry of e.


@loose
def _project(Q, used, column, coefficients):
    """Take the part in the span of the rows of Q off the column, twice; the coefficients of it."""
    size = column.size
    parts = np.empty(used)
    for k in range(used):
        coefficients[k] = 0.0
    for _ in range(2):
        for k in range(used):
            part = 0.0
            for j in range(size):
                part += Q[k, j] * column[j]
            parts[k] = part
            coefficients[k] += part
        for k in range(used):
            for j in range(size):
                column[j] -= parts[k] * Q[k, j]


@loose
def _solve(R, Q, used, solution):
    """The weights of the columns in use that bring Σ a_i c_i nearest to e."""
    last = Q.shape[1] - 1
    for k in range(used - 1, -1, -1):
        total = Q[k, last]
        for j in range(k + 1, used):
            total -= R[j, k] * solution[j]
        solution[k] = total / R[k, k]


@loose
def _drop(R, Q, used, out):
    """Leave out one column: the rows of R (its columns) move up, and rotations make it a triangle
    again."""
    for k in range(out, used - 1):
        for j in range(k + 2):
            R[k, j] = R[k + 1, j]
    for k in range(out, used - 1):
        length = np.hypot(R[k, k], R[k, k + 1])
        c, s = R[k, k] / length, R[k, k + 1] / length
        for i in range(k, used - 1):
            above, below = R[i, k], R[i, k + 1]
            R[i, k] = c * above + s * below
            R[i, k + 1] = c * below - s * above
        for j in range(Q.shape[1]):
            above, below = Q[k, j], Q[k + 1, j]
            Q[k, j] = c * above + s * below
            Q[k + 1, j] = c * below - s * above


@loose
def _square(vector):
    total = 0.0
    for j in range(vector.size):
        total += vector[j] * vector[j]
    return total


@jit
def nearest_combination(rows, signs, lift, scales, order, first, tight, short, w, weights):
    """The nearest combination, with the first places of `order` as candidates at the start.

    Ends        where ‖r‖ ≤ tight, or where w·s_i z_i > short·r_last for every row: short = 0
                separates all rows, short = 1 − tol has the largest margin within tol
    Fills in    w = Σ a_i s_i z_i, and `weights`, a_i for each row
    Returns     ‖r‖; −1, if it does not end
    """
    m, size = signs.size, w.size + 1
    d, last = w.size - (1 if lift > 0.0 else 0), w.size
    Q, R, r, column = np.empty((size, size)), np.empty((size, size)), np.zeros(size), np.empty(size)
    a, solution, active = np.zeros(size), np.empty(size), np.empty(size, np.int64)
    candidates, margins = np.empty(m, np.int64), np.empty(m)
    state = np.full(m, OUTSIDE, np.int8)
    count, used, any_barred, distance = first, 0, False, 1.0
    for k in range(first):
        candidates[k] = order[k]
        state[order[k]] = FREE
    r[last] = 1.0
    for _ in range(STEPS_PER_ENTRY * size):
        enough = (1.0 - short) * r[last] * (1.0 - 1e-12)  # All slopes are r_last at the start.
        best, most = -1, max(enough, 4 * size * UNIT * distance)
        for k in range(count if used < size else 0):
            i = candidates[k]
            if state[i] == FREE:
                slope = scales[i] * signs[i] * (row_dot(rows, i, r) + lift * r[d]) + r[last]
                if slope > most:
                    best, most = i, slope
        if best < 0:  # All candidates are optimal, so the other rows are looked at.
            target = worst = short * r[last]
            for i in range(m):
                if state[i] == OUTSIDE:
                    margins[i] = -scales[i] * signs[i] * (row_dot(rows, i, r) + lift * r[d])
                    worst = min(worst, margins[i])
            before = count
            for i in range(m):
                if state[i] == OUTSIDE and margins[i] <= 0.5 * (worst + target):
                    candidates[count] = i
                    state[i] = FREE
                    count += 1
            if count == before:
                break
            continue
        column[:] = 0.0
        row_add(rows, best, scales[best] * signs[best], column)
        if lift > 0.0:
            column[d] = scales[best] * signs[best] * lift
        column[last] = 1.0
        before2 = _square(column)
        _project(Q, used, column, R[used])
        length = np.sqrt(_square(column))
        if length <= DEPENDENT * np.sqrt(before2) or column[last] <= 0.0:
            state[best], any_barred = BARRED, True
            continue
        for j in range(size):
            Q[used, j] = column[j] / length
        R[used, used] = length
        a[used], active[used], state[best] = 0.0, best, ACTIVE
        used += 1
        while True:
            _solve(R, Q, used, solution)
            reach = 1.0
            for k in range(used):
                if solution[k] <= 0.0:
                    reach = min(reach, a[k] / (a[k] - solution[k]))
            if reach == 1.0:
                break
            for k in range(used):
                a[k] += reach * (solution[k] - a[k])
            for k in range(used - 1, -1, -1):
                if solution[k] <= 0.0 and a[k] <= UNIT:
                    _drop(R, Q, used, k)
                    state[active[k]] = FREE
                    used -= 1
                    for i in range(k, used):
                        a[i], active[i] = a[i + 1], active[i + 1]
        for k in range(used):
            a[k] = max(solution[k], 0.0)  # Rounding may leave it below.
        if any_barred:  # What was in the span of the columns used need not be in that of others.
            for k in range(count):
                if state[candidates[k]] == BARRED:
                    state[candidates[k]] = FREE
            any_barred = False
        r[:] = 0.0
        r[last] = 1.0
        _project(Q, used, r, solution)
        distance = np.sqrt(_square(r))
        if distance <= tight:
            break
    else:
        distance = -1.0
    weights[:] = 0.0
    w[:] = 0.0
    for k in range(used):
        i = active[k]
        weights[i] = a[k]
        row_add(rows, i, a[k] * scales[i] * signs[i], w)
        if lift > 0.0:
            w[d] += a[k] * scales[i] * signs[i] * lift
    return distance
