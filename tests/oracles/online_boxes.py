"""Pegasos and online gradient descent as the notes write them, plainly: what is compared with."""

from fractions import Fraction

import numpy as np


def pegasos_box(X, signs, lam, draws, *, lifted=False):
    """[S1]'s box in exact arithmetic: w_1, …, w_T and w_{T+1}, one list of fractions each."""
    rows = [[Fraction(float(v)) for v in row] + [Fraction(int(lifted))] for row in np.asarray(X)]
    lam, w = Fraction(lam), [Fraction(0)] * len(rows[0])
    iterates = [w]
    for t, i in enumerate(draws, start=1):
        x, y = rows[i], int(signs[i])
        hinge = 1 - y * sum(a * b for a, b in zip(w, x, strict=True))
        step = [y * v if hinge > 0 else 0 for v in x]
        w = [(1 - Fraction(1, t)) * a + v / (lam * t) for a, v in zip(w, step, strict=True)]
        iterates.append(w)
    return iterates


def average(iterates):
    """(w_1 + … + w_T)/T, without w_{T+1}."""
    used = iterates[:-1]
    return np.array([float(sum(column) / len(used)) for column in zip(*used, strict=True)])


def gradient_box(X, signs, loss, lam, radius, *, lifted=False):
    """Online gradient descent with NumPy: iterates w_1, …, w_T, w_{T+1} and their gradients."""
    rows = np.c_[np.asarray(X, float), np.full(len(X), float(lifted))]
    w, squares = np.zeros(rows.shape[1]), 0.0
    iterates, gradients = [w], []
    for t, (x, y) in enumerate(zip(rows, signs, strict=True), start=1):
        gradient = loss.gradient(float(y), x @ w) * x + lam * w
        squares += gradient @ gradient
        rate = 1 / (lam * t) if lam else np.sqrt(2) * radius / np.sqrt(squares) if squares else 0
        w = w - rate * gradient
        if radius is not None and np.linalg.norm(w) > radius:
            w = w * (radius / np.linalg.norm(w))
        iterates.append(w)
        gradients.append(gradient)
    return np.array(iterates), np.array(gradients)
