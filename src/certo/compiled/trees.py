"""What the trees of a collection have in common, on all cores."""

from __future__ import annotations

import numpy as np

from certo.compiled._jit import jit
from certo.compiled.counts import TILE, _mirror
from certo.compiled.threads import in_pieces, pieces


def subset_trees(left, trees, centres, low, high, found, pairs, decay, same) -> np.ndarray:
    """K(x_i, z_j) of the subset-tree kernel; if the z are the `same` as the x, half is computed.

    `left` counts the subtrees of each x, numbered as in `trees`. Those of all z are the `centres`,
    by productions: low[s] … high[s] have that of s. `found` counts by columns where each centre is
    found, the last z first; among centres of one production that with the latest z is first. Each x
    has so many `pairs` of nodes with centres."""
    n, m = left.shape[0], found.shape[0]
    out = np.zeros((n, m))
    work = np.cumsum(pairs * np.linspace(1, 0, n) if same else pairs)
    parts = len(pieces(n, float(np.sum(pairs))))
    ends = np.searchsorted(work, np.linspace(0, work[-1], parts + 1)) if n else np.zeros(2, int)
    ends[0], ends[-1] = 0, n
    wide = [a.astype(np.int64, copy=False) for a in (left.indptr, left.indices)]
    where = (m - 1 - found.indices).astype(np.int64)
    arrays = (
        *(*wide, left.data, trees.first, trees.children, low, high, centres.first),
        *(centres.children, found.indptr.astype(np.int64, copy=False), where, found.data),
    )
    largest = int(np.max(pairs, initial=0.0))
    in_pieces(
        [*zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)],
        lambda k, i, j: _add_shared(*arrays, decay, same, largest, i, j, out),
    )
    if same:
        tiles = -(-n // TILE)
        in_pieces(pieces(tiles, float(out.size)), lambda k, i, j: _mirror(out, TILE, i, j))
    return out


@jit
def _add_shared(
    indptr, subtrees, counts, first, children, low, high, centre_first, centre_children,
    begin, where, times, decay, same, largest, start, stop, out,
):  # fmt: skip
    """out_ij += Σ c_i(s)·c_j(t)·Δ(s, t), Δ(s, t) = decay·Π(1 + Δ(children)); only j ≥ i, if `same`.

    Where t is found in no z from the i-th on, neither are the centres after it; its children are
    found wherever it is itself, so that the Δ of theirs that are looked up were computed."""
    shared = np.empty(largest)  # Δ(s, t) of one x stands at offset[s] + t
    offset = np.empty(low.size, np.int64)
    for i in range(start, stop):
        row, least, end = out[i], i if same else 0, 0
        for e in range(indptr[i], indptr[i + 1]):  # children before parents
            s, count = subtrees[e], counts[e]
            offset[s] = end - low[s]
            end += high[s] - low[s]
            for t in range(low[s], high[s]):
                if where[begin[t]] < least:
                    break
                value, c = decay, first[s]
                for q in range(centre_first[t], centre_first[t + 1]):
                    a, b = children[c], centre_children[q]
                    c += 1
                    if low[a] <= b < high[a]:
                        value *= 1.0 + shared[offset[a] + b]
                shared[offset[s] + t] = value
                for q in range(begin[t], begin[t + 1]):
                    if where[q] < least:
                        break
                    row[where[q]] += count * times[q] * value
