"""What the trees of a collection have in common, on all cores."""

from __future__ import annotations

import numpy as np

from certo.compiled._jit import jit
from certo.compiled.counts import mirror
from certo.compiled.threads import even_pieces, in_pieces


def node_pairs(left, trees, centres, low, high, found, pairs, decay, gap, same) -> np.ndarray:
    """Σ Δ(n, m) over the nodes n of x_i and m of z_j: partial trees, or subset trees if gap = 0. If
    the z are the `same` as the x, half is computed.

    `left` counts the subtrees of each x, numbered as in `trees`. Those of all z are the `centres`,
    by kinds: low[s] … high[s] are of that of s. `found` counts by columns where each centre is
    found, the last z first; among centres of one kind that with the latest z is first. Each x has
    so many `pairs` with centres."""
    n, m = left.shape[0], found.shape[0]
    out = np.zeros((n, m))
    where = m - 1 - found.indices.astype(np.int64)
    arrays = (
        *(_long(left.indptr), _long(left.indices), left.data, trees.first, trees.children),
        *(low, high, centres.first, centres.children, _long(found.indptr), where, found.data),
    )
    room = np.max(pairs, initial=0.0), np.max(np.diff(centres.first), initial=0)
    in_pieces(
        even_pieces(pairs * np.linspace(1, 0, n) if same else pairs),
        lambda k, i, j: _add_shared(
            *arrays, decay, gap, same, np.empty(int(room[0])), np.empty(room[1]), i, j, out
        ),
    )
    if same:
        mirror(out)
    return out


def _long(array: np.ndarray) -> np.ndarray:
    return array.astype(np.int64, copy=False)


@jit
def _add_shared(
    indptr, subtrees, counts, first, children, low, high, centre_first, centre_children,
    begin, where, times, decay, gap, same, shared, above, start, stop, out,
):  # fmt: skip
    """out_ij += Σ c_i(s)·c_j(t)·Δ(s, t); only j ≥ i, if `same`. Δ(s, t) of one x stands in
    `shared` at offset[s] + t.

    Where t is found in no z from the i-th on, neither are the centres after it; its children are
    found wherever it is itself, so that the Δ of theirs that are looked up were computed."""
    offset = np.empty(low.size, np.int64)
    for i in range(start, stop):
        row, least, end = out[i], i if same else 0, 0
        for e in range(indptr[i], indptr[i + 1]):  # Children come before parents.
            s, count = subtrees[e], counts[e]
            offset[s] = end - low[s]
            end += high[s] - low[s]
            below = children[first[s] : first[s + 1]]
            for t in range(low[s], high[s]):
                if where[begin[t]] < least:
                    break
                others = centre_children[centre_first[t] : centre_first[t + 1]]
                if gap > 0.0:
                    value = _partial(below, others, low, high, offset, shared, above, decay, gap)
                else:
                    value = _subset(below, others, low, high, offset, shared, decay)
                shared[offset[s] + t] = value
                for q in range(begin[t], begin[t + 1]):
                    if where[q] < least:
                        break
                    row[where[q]] += count * times[q] * value


@jit
def _subset(below, others, low, high, offset, shared, decay):
    """decay·Π(1 + Δ(a, b)) over the children a and b at the same places."""
    value = decay
    for k in range(below.size):
        a, b = below[k], others[k]
        if low[a] <= b < high[a]:
            value *= 1.0 + shared[offset[a] + b]
    return value


@jit
def _partial(below, others, low, high, offset, shared, above, decay, gap):
    """decay·(gap² + Σ S), S the sum over common subsequences that end with two children."""
    total = 0.0
    above[: others.size] = 0.0
    for a in below:
        before, line = 0.0, 0.0
        for j in range(others.size):
            b, known = others[j], above[j]
            if low[a] <= b < high[a]:
                ending = shared[offset[a] + b] * (1.0 + before)
                line += ending
                above[j] = gap * known + ending
            else:
                above[j] = gap * known
            before = gap * before + known
        total += line
    return decay * (gap * gap + total)
