"""Tables on which a Perceptron has something to do, by kind."""

from __future__ import annotations

import numpy as np


def table(kind: str):
    rng = np.random.default_rng(len(kind))
    X = rng.standard_normal((60, 4))
    y = np.where(X[:, 0] - X[:, 1] + 0.2 * rng.standard_normal(60) > 0, "yes", "no")
    if kind == "separable":
        y = np.where(X[:, 0] > X[:, 1], "yes", "no")
    elif kind == "two rows":
        X, y = X[:2], np.array(["a", "b"])
    elif kind == "one feature":
        X = X[:, :1]
    elif kind == "duplicates":  # more than are ever computed exactly, some with both labels
        pick = rng.integers(0, 5, 3000)
        X, y = X[pick], np.where(X[pick, 0] > 0, "yes", "no")
    elif kind == "contradiction":
        X, y = np.repeat(X[:1], 10, axis=0), np.array(["a", "b"] * 5)
    elif kind == "constant columns":
        X = np.hstack([X, np.full((60, 2), 0.1)])
    elif kind == "zeros":
        X = 0.0 * X
    elif kind == "integers":
        X = rng.integers(-3, 4, (60, 4))
    elif kind == "large":
        X = X * 1e130
    elif kind == "small":
        X = X * 1e-130
    elif kind == "mixed scales":
        X = X * 10.0 ** np.array([-60, -3, 4, 60])
    elif kind == "three classes":
        y = np.array(["a", "b", "c"])[np.argmax(X[:, :3], axis=1)]
    elif kind == "labels":
        y = np.column_stack([X[:, 0] > 0, X[:, 1] > X[:, 2], rng.random(60) < 0.5]).astype(int)
    elif kind == "unit length":
        X = X / np.linalg.norm(X, axis=1, keepdims=True)
    return X, y
