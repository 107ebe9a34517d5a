"""One pass over all examples: y_t ⟨w, x̃_t⟩ for each."""

from __future__ import annotations

from certo.compiled._jit import jit
from certo.compiled.rows import row_dot


@jit
def signed_scores(rows, signs, w, lift, out):
    """out[t] = y_t (⟨w, x_t⟩ + lift·w[-1]); without lift, w may end with the last feature."""
    for t in range(out.size):
        out[t] = signs[t] * (row_dot(rows, t, w) + lift * w[-1])
