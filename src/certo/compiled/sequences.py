"""Kernels of pairs of sequences by dynamic programming, a group of sequences at a time.

The columns of a block are put in order of length and dealt into groups of L = SEQUENCE_LANES, whose
symbols are laid side by side: that of z_v at place j is number j·L + v. The recursions run along x
and along j, never across a group, so a loop over these numbers q, in which what belongs to j − 1 is
found at q − L, becomes vector instructions. Places beyond the end of a z hold −1, the number of no
symbol.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from certo.compiled._jit import jit, loose
from certo.compiled.counts import mirror
from certo.compiled.threads import even_pieces, in_pieces

SEQUENCE_LANES = 16


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
    if columns.size < min(rows.size, SEQUENCE_LANES):  # The more lanes are in use, the better.
        return np.ascontiguousarray(_shared(codes, first, columns, rows, cost, loop).T)
    out = np.zeros((rows.size, columns.size))
    if not out.size:
        return out
    lengths, same = np.diff(first), rows is columns
    places = np.argsort(lengths[columns], kind="stable")
    centres = columns[places]
    points = centres if same else rows
    heads = np.arange(0, centres.size, SEQUENCE_LANES)
    longest = lengths[centres[np.minimum(heads + SEQUENCE_LANES, centres.size) - 1]]
    groups = np.concatenate([[0], np.cumsum(longest)])
    laid = np.full(groups[-1] * SEQUENCE_LANES, -1, dtype=np.int32)
    _lay(codes, first, centres, groups, laid)

    work = groups[-1] - groups[np.arange(points.size) // SEQUENCE_LANES] if same else groups[-1]
    ranges = even_pieces(cost * SEQUENCE_LANES * lengths[points] * work)
    most = (int(longest[-1]) + 1) * SEQUENCE_LANES
    in_pieces(ranges, lambda k, i, j: loop(i, j, points, groups, laid, most, same, out))
    if same:
        mirror(out)
    if np.all(places[:-1] < places[1:]):
        return out
    back = np.argsort(places)
    return out[np.ix_(back, back)] if same else out[:, back]


@jit
def _lay(codes, first, centres, groups, laid):
    """The symbols of all sequences to where they belong."""
    for c in range(centres.size):
        start, stop = first[centres[c]], first[centres[c] + 1]
        for j in range(stop - start):
            laid[(groups[c // SEQUENCE_LANES] + j) * SEQUENCE_LANES + c % SEQUENCE_LANES] = codes[
                start + j
            ]


@loose
def _add_matches(symbol, laid, above, sums):
    """sums_q += above_q where the symbols are the same."""
    for q in range(laid.size):
        sums[q] += above[q] if laid[q] == symbol else 0.0


@loose
def _filter(symbol, laid, decay, above, run, filtered):
    """R_q = decay·R_{q−SEQUENCE_LANES} + decay²·above_q, this only where the symbols are the same;
    filtered_{q+SEQUENCE_LANES} = decay·filtered_{q+SEQUENCE_LANES} + R_q."""
    square = decay * decay
    for q in range(laid.size):
        r = decay * run[q] + (square * above[q] if laid[q] == symbol else 0.0)
        run[q + SEQUENCE_LANES] = r
        filtered[q + SEQUENCE_LANES] = decay * filtered[q + SEQUENCE_LANES] + r


@jit
def _subsequences(
    codes, first, points, groups, laid, most, same, out, start, stop, length, decay, upto
):
    """With A_0 = 1,  S_p(i, j) = decay²·[x_i = z_j]·A_{p−1}(i−1, j−1),
    R_p(i, j) = decay·R_p(i, j−1) + S_p(i, j),   A_p(i, j) = decay·A_p(i−1, j) + R_p(i, j);
    the value is the sum of all S_p for p = length, or for all p up to it."""
    above = np.ones((length, most))  # A_p(i−1, j−1)
    run, sums = np.zeros(most), np.empty(most)
    for i in range(start, stop):
        x = codes[first[points[i]] : first[points[i] + 1]]
        for g in range(i // SEQUENCE_LANES if same else 0, groups.size - 1):
            z = laid[groups[g] * SEQUENCE_LANES : groups[g + 1] * SEQUENCE_LANES]
            for q in range(z.size + SEQUENCE_LANES):
                sums[q] = 0.0
                for p in range(1, length):
                    above[p, q] = 0.0
            for symbol in x:
                for p in range(
                    length - 1, -1, -1
                ):  # Downwards, so that A_{p−1} is still that of i − 1.
                    if p == length - 1 or upto:
                        _add_matches(symbol, z, above[p], sums)
                    if p < length - 1:
                        _filter(symbol, z, decay, above[p], run, above[p + 1])
            here = out[i, g * SEQUENCE_LANES : (g + 1) * SEQUENCE_LANES]
            for q in range(0, z.size, SEQUENCE_LANES):
                for v in range(here.size):
                    here[v] += decay * decay * sums[q + v]


@loose
def _count_runs(spread, laid, degree, run, sums):
    """Where t symbols on end are the same, or more than t = degree of them, those that end here are
    counted degree + (degree − 1) + … (t terms) = t(2·degree + 1 − t)/2 times."""
    most, twice = float(degree), 2.0 * degree + 1.0
    for q in range(laid.size):
        t = run[q] + 1.0 if laid[q] == spread[q] else 0.0
        run[q + SEQUENCE_LANES] = t
        t = t if t < most else most
        sums[q + SEQUENCE_LANES] = sums[q] + t * (twice - t)


@jit
def _weighted_degrees(
    codes, first, points, groups, laid, most, same, out, start, stop, degree, shift
):
    run, sums = np.zeros(most), np.zeros(most)
    for i in range(start, stop):
        spread = np.repeat(codes[first[points[i]] : first[points[i] + 1]], SEQUENCE_LANES)
        for g in range(i // SEQUENCE_LANES if same else 0, groups.size - 1):
            z = laid[groups[g] * SEQUENCE_LANES : groups[g + 1] * SEQUENCE_LANES]
            here = out[i, g * SEQUENCE_LANES : (g + 1) * SEQUENCE_LANES]
            for s in range(-shift, shift + 1):
                move = s * SEQUENCE_LANES  # For x_{j+s} and z_j.
                low, high = max(0, -move), min(z.size, spread.size - move)
                if low < high:
                    _count_runs(spread[low + move : high + move], z[low:high], degree, run, sums)
                    weight = 0.5 if s == 0 else 0.25 / (1 + abs(s))
                    for v in range(here.size):
                        here[v] += weight * sums[high - low + v]
