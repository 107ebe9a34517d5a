"""Claims that anyone can check from the data: NumPy, SciPy and the standard library suffice.

Nothing here knows how an answer was found. A certificate is a frozen value with a claim in words,
what it assumes, a witness and numbers; `verify(X, y)` recomputes the claim. A kind is imported when
it is named.
"""

from __future__ import annotations

import importlib
from typing import Any

#: every kind of certificate, and the module that has its check
KINDS = {
    "MaximumMargin": "margins.maximum_margin",
    "SoftMarginGap": "margins.soft_margin_gap",
    "ExpectedExcess": "runs.expected_excess",
    "MistakeBound": "runs.mistake_bound",
    "Regret": "runs.regret",
    "Inseparable": "separation.inseparable",
    "Overlapping": "separation.quasi_separable",
    "QuasiSeparable": "separation.quasi_separable",
    "Separable": "separation.separable",
    "LeastSquaresExcess": "regression.least_squares_excess",
    "LogisticExcess": "regression.logistic_excess",
    "NoEstimate": "regression.no_estimate",
    "GaussianLikelihood": "density.gaussian_likelihood",
    "NoGaussianDensity": "density.gaussian_likelihood",
    "MomentMatching": "density.moment_matching",
    "NoLogLinearDensity": "density.moment_matching",
    "TestErrors": "errors.counted_errors",
    "TrainingErrors": "errors.counted_errors",
    "ErrorCount": "errors.least_errors",
    "LeastErrorsByCells": "errors.least_errors",
    "LeastErrorsByTree": "errors.least_errors",
    "AverageToBatch": "risk.average_to_batch",
    "CompressionBound": "risk.compression_bound",
    "OnlineToBatch": "risk.online_to_batch",
    "SupportBound": "risk.support_bound",
}
#: what else is named by others
OTHERS = {
    "CannotClaim": "base",
    "Certificate": "base",
    "NotClaimed": "base",
    "Verification": "base",
    "Composite": "composite",
    "Certified": "certified",
    "Chosen": "certified",
    "Sample": "sample.examples",
    "Labels": "sample.labels",
    "Unlabelled": "sample.values",
    "Values": "sample.values",
    "Images": "spaces.images",
    "KernelSample": "spaces.images",
    "Margins": "spaces.vectors",
    "Vectors": "spaces.vectors",
    "GradientRun": "runs.gradient_run",
    "PerceptronRun": "runs.perceptron_run",
    "UpdateSums": "runs.update_sums",
    "ClassSeparability": "separation.classes",
    "ShiftedGram": "regression.least_squares_evidence",
    "KernelPredictor": "errors.kernel_predictor",
    "LinearPredictor": "errors.predictor",
    "Predictor": "errors.predictor",
    "StatedPredictions": "errors.predictor",
    "KernelRun": "runs.kernel_run",
    "KernelScheme": "risk.kernel_scheme",
    "PerceptronScheme": "risk.perceptron_scheme",
    "RiskBound": "risk.risk_bound",
}
WHERE = KINDS | OTHERS
__all__ = sorted(WHERE)


def __getattr__(name: str) -> Any:
    if name not in WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{WHERE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *WHERE})
