"""Examples that several tests of solvers use."""

from __future__ import annotations

import numpy as np


def separable(m, d, mode="free", seed=0, gap=0.1):
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d))
    u = random.standard_normal(d)
    u /= np.linalg.norm(u)
    score = X @ u + (0.3 if mode != "none" else 0.0)
    signs = np.where(score > 0, 1, -1).astype(np.int8)
    return X + gap * np.outer(signs, u), signs
