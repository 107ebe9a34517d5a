"""Losses: one mathematical object per file. `certo.risk` is the mean of any of them.

Bounds of the 0-1 loss, whose risk therefore bounds the error rate: `Hinge`, `Squared` (for
y = ±1) and `Logistic(base=2)`. To add a loss, say what it looks at (`MarginLoss`,
`ResidualLoss` or `LogDensityLoss`) and how much is known of it (`Loss`, `ConvexLoss` or
`SmoothLoss`); the laws of the test suite find it by themselves.

Type checkers read `__init__.pyi`.
"""

from __future__ import annotations

from certo.lazy import by_name, names_of

#: What is imported when it is named, and from where.
LOSS_MODULES = by_name(
    {
        "base": "ConvexLoss Loss MarginLoss ResidualLoss SmoothLoss",
        "confidence": "EstimatedRisk",
        "hinge": "Hinge",
        "logistic": "Logistic",
        "negative_log_likelihood": "LogDensityLoss NegativeLogLikelihood",
        "squared": "Squared",
        "zero_one": "ZeroOne",
    }
)
__all__ = sorted(LOSS_MODULES)

__getattr__, __dir__ = names_of(__name__, LOSS_MODULES)
