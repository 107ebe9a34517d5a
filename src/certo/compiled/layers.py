"""Scores of a layer of hyperplanes, the same for an example whatever stands beside it.

BLAS chooses the order of its sums by the shape of the whole matrix, so that the last bits of a
score depend on how many examples are asked about at once. Here each score is a sum by itself, with
the rounding that `_lanes` specifies, and the same for a dense and for a sparse row.
"""

from __future__ import annotations

import numpy as np

from certo.compiled._jit import jit
from certo.compiled._lanes import LANES, four_lane_dots, lane_dot

LAST_LANE = np.uint64(LANES - 1)  # unsigned, so that no index is taken for one from the end


@jit
def layer_scores(X, coef, intercept, start, stop, out):
    """out[t, k] ← ⟨x_t, coef_k⟩ + intercept_k for t from start to stop; X (m, d) and coef
    (outputs, d) are C-ordered. Four outputs of an example are summed side by side, or else four
    examples."""
    d, outputs = X.shape[1], coef.shape[0]
    fours = outputs // 4 * 4
    for t in range(start, stop):
        for k in range(0, fours, 4):
            four = four_lane_dots(X, t * d, coef, k * d, d)
            for i in range(4):
                out[t, k + i] = four[i] + intercept[k + i]
    quick = start + (stop - start) // 4 * 4
    for k in range(fours, outputs):
        for t in range(start, quick, 4):
            four = four_lane_dots(coef, k * d, X, t * d, d)
            for i in range(4):
                out[t + i, k] = four[i] + intercept[k]
        for t in range(quick, stop):
            out[t, k] = lane_dot(X, t * d, coef, k * d, d) + intercept[k]


@jit
def sparse_layer_scores(data, indices, indptr, turned, intercept, start, stop, out):
    """The same scores, bit for bit, for CSR rows without duplicates: an entry in column j is in
    lane j mod 8, and what is not stored would add 0. `turned` is coef.T, C-ordered."""
    outputs = turned.shape[1]
    if outputs == 1:
        lanes = np.empty(LANES)
        for t in range(start, stop):
            lanes[:] = 0.0
            for p in range(np.uint64(indptr[t]), np.uint64(indptr[t + 1])):
                j = np.uint64(indices[p])
                lanes[j & LAST_LANE] += np.float64(data[p]) * turned[j, 0]
            a, b = lanes[:4], lanes[4:]
            even, odd = (a[0] + b[0]) + (a[2] + b[2]), (a[1] + b[1]) + (a[3] + b[3])
            out[t, 0] = even + odd + intercept[0]
        return
    sums = np.empty((LANES, outputs))
    for t in range(start, stop):
        sums[:] = 0.0
        for p in range(np.uint64(indptr[t]), np.uint64(indptr[t + 1])):
            j, x = np.uint64(indices[p]), np.float64(data[p])
            lane, w = sums[j & LAST_LANE], turned[j]
            for k in range(outputs):
                lane[k] += x * w[k]
        for k in range(outputs):
            even = (sums[0, k] + sums[4, k]) + (sums[2, k] + sums[6, k])
            odd = (sums[1, k] + sums[5, k]) + (sums[3, k] + sums[7, k])
            out[t, k] = even + odd + intercept[k]


@jit
def unclear_signs(scores, within):
    """The rows with a score that is not known to be further than `within` from 0."""
    found = np.empty(scores.shape[0], np.int64)
    count = 0
    for t in range(scores.shape[0]):
        for k in range(scores.shape[1]):
            if not abs(scores[t, k]) > within[t % within.size]:
                found[count] = t
                count += 1
                break
    return found[:count]


@jit
def unclear_highest(scores, within):
    """The rows whose highest score is not known to be ahead of all others by more than `within`."""
    found = np.empty(scores.shape[0], np.int64)
    count = 0
    for t in range(scores.shape[0]):
        best, second = -np.inf, -np.inf
        for k in range(scores.shape[1]):
            score = scores[t, k]
            if not score <= best:  # NaN is the highest, and ahead of nothing
                best, second = score, best
            elif not score <= second:
                second = score
        if not best - second > within[t % within.size]:
            found[count] = t
            count += 1
    return found[:count]
