"""Kernels of pairs of sequences by dynamic programming, a group of sequences at a time.

The columns of a block are put in order of length and dealt into groups of LANES. A loop goes
through one sequence x and the places j of a group, and what it does at (i, j) it does for all z of
the group at once, as vector instructions: the recursions run along i and j, never across the group.
Places beyond the end of a z hold −1, which is the number of no symbol.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from certo.compiled._jit import jit, loose
from certo.compiled.threads import in_pieces, pieces

LANES = 16


def subsequence_block(codes, first, rows, columns, length, decay, upto) -> np.ndarray:
    """Σ over common subsequences of `length` symbols (or up to so many) of decay^(what they span in
    x, and in z), as `certo.kernels.Subsequence` defines it."""

    def loop(start, stop, *given):
        _subsequences(codes, first, *given, start, stop, length, decay, upto)

    return _shared(codes, first, rows, columns, float(length), loop)


def weighted_degree_block(codes, first, rows, columns, degree, shift) -> np.ndarray:
    """Σ_k (degree − k + 1) Σ_s δ_s times the number of places at which k symbols on end are the
    same, as `certo.kernels.WeightedDegree` defines it."""

    def loop(start, stop, *given):
        _weighted_degrees(codes, first, *given, start, stop, degree, shift)

    return _shared(codes, first, rows, columns, 2.0 * shift + 1.0, loop)


def _shared(codes, first, rows, columns, cost: float, loop: Callable[..., Any]) -> np.ndarray:
    """The block, its rows shared between the cores by their work; of the same rows and columns,
    each pair is computed once."""
    lengths, same = np.diff(first), rows is columns
    places = np.argsort(lengths[columns], kind="stable")
    centres = columns[places]
    points = centres if same else rows
    heads = np.arange(0, centres.size, LANES)
    longest = lengths[centres[np.minimum(heads + LANES, centres.size) - 1]] if heads.size else heads
    groups = np.concatenate([[0], np.cumsum(longest)])
    laid = np.full((groups[-1], LANES), -1, dtype=np.int32)
    _lay(codes, first, centres, groups, laid)

    work = groups[-1] - groups[np.arange(points.size) // LANES] if same else groups[-1]
    total = np.concatenate([[0], np.cumsum(lengths[points] * work * LANES)])
    ranges = pieces(points.size, cost * float(total[-1]))
    ends = np.searchsorted(total, np.linspace(0, total[-1], len(ranges) + 1))
    ends[0], ends[-1] = 0, points.size
    out = np.zeros((rows.size, columns.size))
    onto = places if same else np.arange(rows.size)
    in_pieces(
        list(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)),
        lambda k, i, j: loop(i, j, points, onto, places, groups, laid, same, out),
    )
    return out


@jit
def _lay(codes, first, centres, groups, laid):
    """laid[groups[g] + j, v] ← z_j of the v-th sequence of group g."""
    for c in range(centres.size):
        start, stop = first[centres[c]], first[centres[c] + 1]
        for j in range(stop - start):
            laid[groups[c // LANES] + j, c % LANES] = codes[start + j]


@jit
def _put(values, i, g, onto, places, same, out):
    """Those of row i and group g to where they belong; each pair of the same ones twice."""
    low = g * LANES
    for c in range(max(low, i) if same else low, min(low + LANES, places.size)):
        out[onto[i], places[c]] = values[c - low]
        if same:
            out[places[c], onto[i]] = values[c - low]


@loose
def _subsequences(
    codes, first, points, onto, places, groups, laid, same, out, start, stop, length, decay, upto
):
    """S_p(i, j) = decay²·[x_i = z_j]·A_{p−1}(i−1, j−1),   A_0 = 1,
    A_p(i, j) = decay·A_p(i−1, j) + R_p(i, j),   R_p(i, j) = decay·R_p(i, j−1) + S_p(i, j);
    the value is the sum of all S_p for p = length, or for all p up to it."""
    square = decay * decay
    most = 0
    for g in range(groups.size - 1):
        most = max(most, groups[g + 1] - groups[g])
    above = np.zeros((length, most + 1, LANES))  # A_p(i−1, j−1); those of p = 0 stay 1
    above[0] = 1.0
    run, total = np.empty(LANES), np.empty(LANES)
    for i in range(start, stop):
        begin, end = first[points[i]], first[points[i] + 1]
        for g in range(i // LANES if same else 0, groups.size - 1):
            low, size = groups[g], groups[g + 1] - groups[g]
            above[1:, : size + 1] = 0.0
            total[:] = 0.0
            for here in range(begin, end):
                symbol = codes[here]
                for p in range(length - 1, -1, -1):  # so that A_{p−1} is still that of i − 1
                    if p == length - 1:
                        for j in range(size):
                            for v in range(LANES):
                                s = square * above[p, j, v]
                                total[v] += s if laid[low + j, v] == symbol else 0.0
                        continue
                    run[:] = 0.0
                    for j in range(size):
                        for v in range(LANES):
                            s = square * above[p, j, v]
                            s = s if laid[low + j, v] == symbol else 0.0
                            r = decay * run[v] + s
                            run[v] = r
                            above[p + 1, j + 1, v] = decay * above[p + 1, j + 1, v] + r
                            if upto:
                                total[v] += s
            _put(total, i, g, onto, places, same, out)


@jit
def _weighted_degrees(
    codes, first, points, onto, places, groups, laid, same, out, start, stop, degree, shift
):
    """Where t symbols on end are the same, or more than t = degree of them, those that end here are
    counted degree + (degree − 1) + … (t terms) = t(2·degree + 1 − t)/2 times."""
    run, found, total = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(LANES)
    for i in range(start, stop):
        begin, end = first[points[i]], first[points[i] + 1]
        for g in range(i // LANES if same else 0, groups.size - 1):
            low, size = groups[g], groups[g + 1] - groups[g]
            total[:] = 0.0
            for s in range(-shift, shift + 1):
                run[:] = 0
                found[:] = 0
                for j in range(max(0, -s), min(size, end - begin - s)):
                    symbol = codes[begin + j + s]
                    for v in range(LANES):
                        t = run[v] + 1 if laid[low + j, v] == symbol else 0
                        run[v] = t
                        t = min(t, degree)
                        found[v] += t * (2 * degree + 1 - t)
                for v in range(LANES):
                    total[v] += found[v] / (2.0 * (1 + abs(s)) * (1.0 if s == 0 else 2.0))
            _put(total, i, g, onto, places, same, out)
