"""What the logistic loss needs of every score: its value, its slope and its curvature.

No exponential here has a positive argument, so that no score is too large.
"""

from __future__ import annotations

import numpy as np

from certo.compiled._jit import jit, loose
from certo.compiled.rows import add_square


@loose
def two_classes(scores, signs, shares, slopes, roots):
    """Σ s log(1 + e^{−yf}); the slopes −s y σ(−yf) and roots √(s σ(f)σ(−f)) of the curvature are
    written over `slopes` and `roots`."""
    total = 0.0
    for t in range(scores.size):
        margin = signs[t] * scores[t]
        small = np.exp(-abs(margin))
        share = shares[t]
        total += share * (max(-margin, 0.0) + np.log1p(small))
        off = (small if margin > 0.0 else 1.0) / (1.0 + small)  # σ(−margin)
        slopes[t] = -signs[t] * share * off
        roots[t] = np.sqrt(share * small) / (1.0 + small)
    return total


def several_classes(scores, codes, shares, alive, parts):
    """Σ s (log Σ_k e^{f_k} − f_y) over the classes alive, and y; parts[t, k] = p_k."""
    _subtract_greatest(scores, codes, alive, parts)
    np.exp(parts, out=parts)  # Eight numbers at a time; a compiled loop would take one.
    return _normalise(scores, codes, shares, parts)


@loose
def _subtract_greatest(scores, codes, alive, out):
    for t in range(scores.shape[0]):
        top = scores[t, codes[t]]
        for k in range(scores.shape[1]):
            if alive[t, k] and scores[t, k] > top:
                top = scores[t, k]
        for k in range(scores.shape[1]):
            # Not −inf, which fast arithmetic may take for a finite number.
            out[t, k] = scores[t, k] - top if alive[t, k] or k == codes[t] else -1e300


@loose
def _normalise(scores, codes, shares, parts):
    total = 0.0
    for t in range(scores.shape[0]):
        mass = 0.0
        top = scores[t, codes[t]]
        for k in range(scores.shape[1]):
            mass += parts[t, k]
            if parts[t, k] > 0.0:
                top = max(top, scores[t, k])
        total += shares[t] * (top - scores[t, codes[t]] + np.log(mass))
        for k in range(scores.shape[1]):
            parts[t, k] /= mass
    return total


@jit
def add_weighted_squares(rows, roots, lift, start, stop, H):
    """The lower triangle of H += Σ roots_t² x̃_t x̃_tᵀ for CSR rows whose indices increase."""
    for t in range(start, stop):
        add_square(rows, t, roots[t] * roots[t], lift, H)
