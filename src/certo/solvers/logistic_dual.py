r"""A start for logistic problems with a ridge: the dual, one example after the other.

With factors c_t = s_t/ridge the minimiser is w_k = Σ_t c_t (Y_tk − q_tk) x_t, q_t the probabilities
that it gives. The dual is a function of the q, and is maximised over one q_t at a time (Yu, Huang
and Lin 2011; Shalev-Shwartz and Zhang 2013). An example a thousand times as long as others spoils
Newton's first steps; here it costs what the others cost. The intercepts take part as weights of a
short column, SHORT of the examples' squared length, with the ridge: they are set right afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from certo.compiled.logistic_wide import ascend_several, ascend_two

FIRST = 1e-3  # what classes other than its own get of an example at first
SHORT = 0.1
VISITS = (5, 5, 10, 20)  # to every example, between two looks at what was reached


def ascend(
    table, codes: np.ndarray, classes: int, shares: np.ndarray, ridge: float
) -> Iterator[np.ndarray]:
    """Weights (p, outputs), again and again."""
    rng = np.random.default_rng(0)
    seen = np.flatnonzero(shares > 0)
    factors, squares = shares / ridge, table.squares
    extra = SHORT * float(np.median(squares[seen])) if table.lift else 0.0
    if classes == 2:
        signs = np.where(codes == 1, 1.0, -1.0)
        logits = np.full(table.m, np.log(FIRST))
        R = (factors * signs * FIRST / (1 + FIRST))[:, None]
    else:
        parts = np.full((table.m, classes), FIRST / classes)
        parts[np.arange(table.m), codes] += 1 - FIRST
        R = -factors[:, None] * parts
        R[np.arange(table.m), codes] += factors
    V, bias = table.sums(R)[: table.d], extra * R.sum(axis=0)
    V = V if classes == 2 else V.astype(np.float32)
    for visits in VISITS:
        for _ in range(visits):
            order = rng.permutation(seen)
            if classes == 2:
                ascend_two(table.rows, squares, signs, factors, order, V[:, 0], bias, extra, logits)
            else:
                ascend_several(table.rows, squares, factors, order, V, bias, extra, parts)
        yield np.vstack([V, bias]).astype(np.float64) if table.lift else V.astype(np.float64)
