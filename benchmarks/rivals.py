"""One thin adapter for each rival: the same problem, posed as that library wants it."""

from __future__ import annotations

from sklearn.linear_model import Perceptron as SklearnPerceptron


def sklearn_perceptron(epochs: int):
    """The box of the notes: no shuffling, no early stop, no intercept."""
    return SklearnPerceptron(max_iter=epochs, tol=None, shuffle=False, fit_intercept=False)
