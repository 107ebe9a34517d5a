"""Certo: linear and kernel learning machines that prove what they say.

Public names are loaded when first used, so that `import certo`, and `import certo.certificates`
for someone who only checks claims, stay light. Type checkers read `__init__.pyi`.
"""

from __future__ import annotations

from certo.lazy import by_name, names_of

__version__ = "0.1.0"

#: Every public name, by the module that has it.
_NAMES = {
    "certificates": "Inseparable Separable",
    "estimators": "SVM GaussianDensity HardMarginSVM KernelPerceptron LeastSquares "
    "LogLinearDensity LogisticRegression MinDisagreement OnlineGradientDescent Pegasos Perceptron "
    "NoDensity NotSeparable Separated SeparationWarning",
    "estimators.verdict": "Undecided quasi_separability separability",
    "geometry": "Neuron",
    "guarantees": "certify",
    "guarantees.empirical_risk": "risk",
    "selection": "compare_kernels",
    "spot": "SpotCheck spot_check",
    "tables.model_file": "load save",
}
_WHERE = by_name(_NAMES)
__all__ = [*_WHERE, "__version__"]
#: What there is instead of a class of scikit-learn's.
_INSTEAD = {
    "SVC": "SVM solves that problem, for kernel='rbf' with kernel=Gaussian(1/(2·gamma))",
    "LinearSVC": "SVM without a kernel is linear, with the hinge loss",
    "LinearRegression": "LeastSquares() solves that problem",
    "Ridge": "LeastSquares(ridge=alpha/S) solves that problem, S being the sum of the weights",
    "SGDClassifier": "Pegasos and OnlineGradientDescent take such steps",
}

__getattr__ = names_of(__name__, _WHERE, _INSTEAD)[0]


def __dir__() -> list[str]:
    return sorted(__all__)
