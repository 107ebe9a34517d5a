"""The direction that separates all examples with the largest margin.

Along any direction that separates them all, the logistic risk falls to 0. Gradient descent tends to
the one of largest margin (Soudry et al. 2018), which also generalises best; a direction that is
put together from single columns, or a vertex of a linear program, may have nearly no margin.
"""

from __future__ import annotations

import numpy as np

from certo.certificates.sample.examples import Sample
from certo.solvers.hard_margin import hard_margin
from certo.solvers.interrupt import Watch
from certo.solvers.vectors import Comparisons, Examples

WIDEST_TOL = 1e-3  # Relative duality gap: margins within 0.05 % of the largest.
WIDEST_EFFORT_PER_NUMBER = 2000.0  # Multiplications in the search, for each number of X.
MIN_SEARCH_EFFORT = 3e8  # Multiplications that any search may take.
MAX_COMPUTED_LENGTH = 1e100  # Products of longer rows might overflow.


def widest_direction(
    X, codes: np.ndarray, n_classes: int, lifted: bool, watch: Watch
) -> np.ndarray | None:
    """Weights u, with the intercept in the last column if there is one: one row for two classes (of
    the second), else one for each, with (u_y − u_k)·x̃ ≥ 1, up to rounding, for every example, of
    class y, and every other class k. None, if none is found."""
    numbers = float(X.nnz if hasattr(X, "nnz") else X.size)
    effort = max(MIN_SEARCH_EFFORT, WIDEST_EFFORT_PER_NUMBER * numbers)
    if n_classes > 2:
        others = np.arange(n_classes) != codes[:, None]
        vectors = Comparisons(Sample(X, codes), others, lifted)
        w = vectors.guess(watch, WIDEST_TOL)
        coef, intercept = vectors.split(w)
        return np.column_stack([coef, intercept])[:, : vectors.one.size] if w.any() else None
    signs = np.where(codes == 1, 1, -1).astype(np.int8)
    lengths = Examples(Sample(X, signs), False).lengths()
    if not 1 / MAX_COMPUTED_LENGTH < lengths.max(initial=0.0) < MAX_COMPUTED_LENGTH:
        return None
    if lifted and abs(int(signs.sum())) == signs.size:
        return None
    found = hard_margin(
        X, signs, "free" if lifted else "none", float(lengths.max()), tol=WIDEST_TOL,
        effort=effort, asked=watch.stop,
    )  # fmt: skip
    return np.append(found.w, [found.b] * lifted)[None, :] if found.separates else None
