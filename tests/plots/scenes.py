"""Examples, and machines fitted to them, of which several tests draw pictures."""

from __future__ import annotations

import io

import numpy as np

from certo import Perceptron

XOR = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]])
RNG = np.random.default_rng(1)
PLANE = RNG.normal(size=(80, 2))
OUT = (PLANE**2).sum(axis=1) > 1.2

random = np.random.default_rng(0)
X = random.normal(size=(200, 3)) * [1.0, 10.0, 0.1]
Y = X @ [1.0, 0.05, 20.0] + random.normal(size=200)
KIND = np.where(Y + random.normal(size=200) > 0, "yes", "no")
THREE = np.array(list("abc"))[np.digitize(Y + random.normal(size=200), [-1, 1])]


def fitted(d, m=50, classes=2, **settings):
    X = RNG.normal(size=(m, d))
    y = np.clip(np.floor(X[:, 0] + classes / 2), 0, classes - 1).astype(int)
    return Perceptron(**{"epochs": 20} | settings).fit(X, y), X, y


def drawn(ax):
    ax.figure.savefig(io.BytesIO(), format="svg")
    return ax
