"""Certo: linear and kernel learning machines that prove what they say.

Public names are loaded when first used, so that `import certo`, and `import certo.certificates`
for someone who only checks claims, stay light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "SVM": "certo.estimators",
    "GaussianDensity": "certo.estimators",
    "HardMarginSVM": "certo.estimators",
    "KernelPerceptron": "certo.estimators",
    "LeastSquares": "certo.estimators",
    "LogLinearDensity": "certo.estimators",
    "LogisticRegression": "certo.estimators",
    "MinDisagreement": "certo.estimators",
    "Neuron": "certo.geometry",
    "OnlineGradientDescent": "certo.estimators",
    "Pegasos": "certo.estimators",
    "Perceptron": "certo.estimators",
    "Inseparable": "certo.certificates",
    "NoDensity": "certo.estimators",
    "NotSeparable": "certo.estimators",
    "Separable": "certo.certificates",
    "Separated": "certo.estimators",
    "SeparationWarning": "certo.estimators",
    "certify": "certo.guarantees",
    "quasi_separability": "certo.estimators.verdict",
    "risk": "certo.losses",
    "separability": "certo.estimators.verdict",
    "compare_kernels": "certo.selection",
}

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
    from certo.selection import compare_kernels


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'certo' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
