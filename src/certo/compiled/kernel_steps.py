r"""Visits to a block of examples by a function that grows where it fails.

Step        u ← u + y_t K̃(x_t, ·) where the margin y_t u(x_t) is below the edge of the visit (or on
            it, where that counts), with K̃ = K + lift.  Edge 0: the kernel perceptron's mistakes;
            edge λ(t − 1): the positive hinges of Pegasos, whose iterate is u/(λ(t − 1)).
Given       scores[i] = u(x_i) before the block, and the Gram matrix of the block, so that a step
            reaches the visits after it by a row of that matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from certo.compiled._jit import jit


class Edges(NamedTuple):
    """Of each visit."""

    value: np.ndarray  # (n,)
    counts: np.ndarray  # (n,) bool: a margin exactly on the edge is below it


class Supports(NamedTuple):
    """The terms of u within a budget: the old ones, least recently updated first, then one place
    for each visit of the block."""

    coef: np.ndarray  # (old + n,)
    updated: np.ndarray  # (old + n,) int64: the update that touched it last, from 1; 0: no term
    home: np.ndarray  # (n,) int64: the place of the example visited


@jit
def visit(gram, lift, signs, edges, scores, steps):
    """All visits of a block.

    In place    scores (at the end: each as it was at its visit), steps (the visits with a step)
    Returns     the number of steps
    """
    made = 0
    for i in range(signs.size):
        margin = signs[i] * scores[i]
        # `not >`: a score that overflowed to NaN is a failure, never a silent success
        if not margin > edges.value[i] and (margin != edges.value[i] or edges.counts[i]):
            steps[made] = i
            made += 1
            row, later = gram[i, i + 1 :], scores[i + 1 :]
            for j in range(later.size):
                later[j] += signs[i] * (row[j] + lift)
    return made


@jit
def visit_within(budget, gram, lift, signs, edges, scores, steps, supports, before, norm2, norms2):
    """The same with at most `budget` terms in u: where a step would make one more, the term updated
    least recently leaves.

    Gram        its columns are the places of `supports`; its rows the first places, as many as may
                have to leave in n visits, then those of the block
    Norms       norm2 = ‖u‖² before the block, norms2[k] = ‖u‖² after the k-th step
    In place    scores, steps, supports, norms2; `before` updates came before the block
    Returns     the number of steps
    """
    coef, updated, home = supports.coef, supports.updated, supports.home
    n = signs.size
    old = coef.size - n
    first = gram.shape[0] - n
    terms = np.count_nonzero(updated)
    made = 0
    for i in range(n):
        y, margin = signs[i], signs[i] * scores[i]
        if not margin > edges.value[i] and (margin != edges.value[i] or edges.counts[i]):
            steps[made] = i
            place = home[i]
            terms += updated[place] == 0
            coef[place] += y
            updated[place] = before + made + 1
            norm2 += 2.0 * margin + gram[first + i, old + i] + lift
            for j in range(i + 1, n):
                scores[j] += y * (gram[first + i, old + j] + lift)
            if terms > budget:
                oldest = -1
                for k in range(coef.size):
                    if updated[k] and (oldest < 0 or updated[k] < updated[oldest]):
                        oldest = k
                gone = coef[oldest]
                row = oldest if oldest < old else first + oldest - old
                value = 0.0
                for k in range(coef.size):
                    value += coef[k] * (gram[row, k] + lift)
                norm2 += gone * (gone * (gram[row, oldest] + lift) - 2.0 * value)
                for j in range(i + 1, n):
                    scores[j] -= gone * (gram[row, old + j] + lift)
                coef[oldest] = 0.0
                updated[oldest] = 0
                terms -= 1
            # Cut at 0, an overflow to −∞ would look like the norm of u = 0.
            norm2 = max(norm2, 0.0) if np.isfinite(norm2) else np.nan
            norms2[made] = norm2
            made += 1
    return made
