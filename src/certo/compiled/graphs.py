"""Loops over the vertices of many graphs, which are numbered through, in CSR form."""

from __future__ import annotations

import numpy as np

from certo.compiled._jit import jit, loose
from certo.compiled.threads import even_pieces, in_pieces

HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # An odd number spreads keys over 64 bits.
HALF_WORD_BITS = np.uint64(32)


def number_lists(colour: np.ndarray, indptr: np.ndarray, around: np.ndarray) -> np.ndarray:
    """Numbers of the different (colour[v], around[indptr[v] : indptr[v + 1]]), by a hash table in
    which lists are compared entry by entry."""
    number = np.empty(colour.size, np.int64)
    table = np.full(2 ** (2 * colour.size + 1).bit_length(), -1, np.int32)
    _fill_numbers(colour, indptr.astype(np.int64), around, table, number)
    return number


@jit
def _fill_numbers(colour, indptr, around, table, number):
    last = np.uint64(table.size - 1)
    found = 0
    for v in range(colour.size):
        own = around[indptr[v] : indptr[v + 1]]
        mixed = np.uint64(colour[v] + 1) * HASH_MULTIPLIER
        for k in range(own.size):
            mixed = ((mixed ^ (mixed >> HALF_WORD_BITS)) + np.uint64(own[k] + 1)) * HASH_MULTIPLIER
        slot = np.int64((mixed ^ (mixed >> HALF_WORD_BITS)) & last)
        while True:
            other = table[slot]
            if other < 0:
                table[slot] = v
                number[v] = found
                found += 1
                break
            theirs = around[indptr[other] : indptr[other + 1]]
            if colour[other] == colour[v] and _equal(theirs, own):
                number[v] = number[other]
                break
            slot = (slot + 1) & (table.size - 1)


@jit
def _equal(a, b):
    k = 0
    while k < min(a.size, b.size) and a[k] == b[k]:
        k += 1
    return k == a.size == b.size


def distances(first: np.ndarray, indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Numbers of edges between all ordered pairs of vertices of each graph, graph after graph; 0
    where there is no path. The vertices of graph g are first[g] … first[g + 1] − 1."""
    sizes = np.diff(first)
    start = np.concatenate([[0], np.cumsum(sizes * sizes)])
    out = np.zeros(start[-1], np.int32)
    indptr, indices = indptr.astype(np.int64), indices.astype(np.int32, copy=False)
    in_pieces(
        even_pieces(8.0 * (sizes * sizes)),
        lambda k, i, j: _distances(first, indptr, indices, start, i, j, out),
    )
    return out


@jit
def _distances(first, indptr, indices, start, low, high, out):
    """By breadth first search from each vertex."""
    most = 0
    for g in range(low, high):
        most = max(most, first[g + 1] - first[g])
    queue = np.empty(most, np.int64)
    for g in range(low, high):
        base, n = first[g], first[g + 1] - first[g]
        for s in range(n):
            row = out[start[g] + s * n : start[g] + (s + 1) * n]
            queue[0] = s
            head, tail = 0, 1
            while head < tail:
                u = queue[head]
                head += 1
                for p in range(indptr[base + u], indptr[base + u + 1]):
                    v = indices[p] - base
                    if row[v] == 0 and v != s:
                        row[v] = row[u] + 1
                        queue[tail] = v
                        tail += 1


def walks(first, labels, indptr, indices, left, right, decay, unit, restarts, steps) -> np.ndarray:
    """Σx of (I − decay·A)x = 1 for the graphs left[k] and right[k], A their product graph, with
    x ≥ 0 and residuals of at most unit·(1 + max x); NaN where that was not reached."""
    sizes = np.diff(first)
    out = np.empty(left.size)
    given = first, labels, indptr.astype(np.int64), indices.astype(np.int32, copy=False)
    ranges = even_pieces(100.0 * (sizes[left] * sizes[right] + 1))
    room = int(np.max(sizes[left] * sizes[right], initial=0))
    wide = int(np.max(sizes, initial=0))

    def loop(k, low, high):
        space = np.empty((4, room)), np.empty(wide)
        _walks(*given, left, right, decay, unit, restarts, steps, low, high, *space, out)

    in_pieces(ranges, loop)
    return out


@jit
def _walks(
    first, labels, indptr, indices, left, right, decay, unit, restarts, steps, low, high,
    space, t, out,
):  # fmt: skip
    """Conjugate gradients, started again with the true residual until that is small."""
    for pair in range(low, high):
        g, h = left[pair], right[pair]
        a, m = first[g], first[g + 1] - first[g]
        b, n = first[h], first[h + 1] - first[h]
        x, r, p, q = (
            space[0, : m * n], space[1, : m * n], space[2, : m * n], space[3, : m * n]
        )  # fmt: skip
        for u in range(m):
            for v in range(n):
                x[u * n + v] = 1.0 if labels[a + u] == labels[b + v] else 0.0
        out[pair] = np.nan
        for _ in range(restarts):
            _onward(x, q, t, labels, indptr, indices, a, m, b, n, decay)
            largest, lowest, residual, square = 0.0, 0.0, 0.0, 0.0
            for k in range(m * n):
                alike = 1.0 if labels[a + k // n] == labels[b + k % n] else 0.0
                r[k] = alike - x[k] + q[k]
                p[k] = r[k]
                largest, lowest = max(largest, x[k]), min(lowest, x[k])
                residual = max(residual, abs(r[k]))
                square += r[k] * r[k]
            if residual <= unit * (1.0 + largest):
                if lowest >= 0.0:
                    out[pair] = np.sum(x)
                break
            enough = (0.25 * unit * (1.0 + largest)) ** 2
            for _ in range(steps):
                _onward(p, q, t, labels, indptr, indices, a, m, b, n, decay)
                curvature = 0.0
                for k in range(m * n):
                    q[k] = p[k] - q[k]
                    curvature += p[k] * q[k]
                if not curvature > 0.0:
                    break
                step, before, square = square / curvature, square, 0.0
                for k in range(m * n):
                    x[k] += step * p[k]
                    r[k] -= step * q[k]
                    square += r[k] * r[k]
                if square <= enough:
                    break
                for k in range(m * n):
                    p[k] = r[k] + square / before * p[k]


@loose
def _onward(x, out, t, labels, indptr, indices, a, m, b, n, decay):
    """out = decay·A x, A the product graph of the m vertices from a on and the n from b on."""
    for u in range(m):
        row = t[:n]
        row[:] = 0.0
        for e in range(indptr[a + u], indptr[a + u + 1]):
            w = indices[e] - a
            part = x[w * n : (w + 1) * n]
            for v in range(n):
                row[v] += part[v]
        for v in range(n):
            total = 0.0
            if labels[a + u] == labels[b + v]:
                for e in range(indptr[b + v], indptr[b + v + 1]):
                    total += row[indices[e] - b]
            out[u * n + v] = decay * total
