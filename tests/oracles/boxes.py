"""The boxes of the notes, as plainly as possible: what the solvers are compared with."""

from fractions import Fraction

import numpy as np


def perceptron_box(X, signs, epochs, *, lifted=False, at_zero="always"):
    """[S0]'s box in exact arithmetic: (w, list of updated examples in order, epochs run)."""
    rows = [[Fraction(float(v)) for v in row] + [Fraction(int(lifted))] for row in np.asarray(X)]
    w = [Fraction(0)] * len(rows[0])
    updates = []
    for epoch in range(epochs):
        before = len(updates)
        for t, x in enumerate(rows):
            margin = int(signs[t]) * sum(a * b for a, b in zip(w, x, strict=True))
            zero_counts = at_zero == "always" or (at_zero == "positive") == (signs[t] > 0)
            if margin < 0 or (margin == 0 and zero_counts):
                w = [a + int(signs[t]) * b for a, b in zip(w, x, strict=True)]
                updates.append(t)
        if len(updates) == before:
            return np.array([float(v) for v in w]), updates, epoch + 1
    return np.array([float(v) for v in w]), updates, epochs
