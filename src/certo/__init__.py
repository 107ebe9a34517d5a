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

__getattr__ = names_of(__name__, _WHERE)[0]


def __dir__() -> list[str]:
    return sorted(__all__)
