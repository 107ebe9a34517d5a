"""Thin scikit-learn faces: validate, pose, solve, certify, store.

A machine is imported when it is named; type checkers read `__init__.pyi`.
"""

from __future__ import annotations

from certo.lazy import by_name, names_of

_MACHINES = {
    "_density": "NoDensity",
    "gaussian_density": "GaussianDensity",
    "hard_margin": "HardMarginSVM NotSeparable",
    "kernel_perceptron": "KernelPerceptron",
    "least_squares": "LeastSquares",
    "log_linear_density": "LogLinearDensity",
    "logistic_regression": "LogisticRegression Separated SeparationWarning",
    "min_disagreement": "MinDisagreement",
    "online_gradient_descent": "OnlineGradientDescent",
    "pegasos": "Pegasos",
    "perceptron": "Perceptron",
    "svm": "SVM",
}
_MODULES = by_name(_MACHINES)
__all__ = sorted(_MODULES)

__getattr__, __dir__ = names_of(__name__, _MODULES)
