"""Certo: linear and kernel learning machines that prove what they say.

Public names are loaded when first used, so that `import certo`, and `import certo.certificates`
for someone who only checks claims, stay light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_NAMES = {
    "certo.certificates": "Inseparable Separable",
    "certo.estimators": "SVM GaussianDensity HardMarginSVM KernelPerceptron LeastSquares "
    "LogLinearDensity LogisticRegression MinDisagreement NoDensity NotSeparable "
    "OnlineGradientDescent Pegasos Perceptron Separated SeparationWarning",
    "certo.estimators.verdict": "quasi_separability separability",
    "certo.geometry": "Neuron",
    "certo.guarantees": "certify",
    "certo.losses": "risk",
    "certo.selection": "validation_curve",
    "certo.tables.model_file": "load save",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [*_HOMES, "__version__"]

if TYPE_CHECKING:
    from certo.certificates.separation.inseparable import Inseparable
    from certo.certificates.separation.separable import Separable
    from certo.estimators import (
        SVM,
        GaussianDensity,
        HardMarginSVM,
        KernelPerceptron,
        LeastSquares,
        LogisticRegression,
        LogLinearDensity,
        MinDisagreement,
        NoDensity,
        NotSeparable,
        OnlineGradientDescent,
        Pegasos,
        Perceptron,
        Separated,
        SeparationWarning,
    )
    from certo.estimators.verdict import quasi_separability, separability
    from certo.geometry import Neuron
    from certo.guarantees import certify
    from certo.losses.empirical import risk
    from certo.selection import validation_curve
    from certo.tables.model_file import load, save


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'certo' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
