"""What each kind of certificate claims, decided without the package: `is_true(data, X, y)`.

`data` is a certificate as plain JSON values. The truth is that of the words of the claim, in
rational arithmetic where the claim is about rational numbers, and to many digits where it is not.
"""

from __future__ import annotations

from tests.oracles.truths import (
    densities,
    hyperplanes,
    kernels,
    regression,
    risks,
    runs,
    separation,
)
from tests.oracles.truths.pairs import alone
from tests.oracles.truths.samples import Mismatch

TRUTHS = {
    "AverageToBatch": risks.average_to_batch,
    "ClassSeparability": separation.class_separability,
    "CompressionBound": risks.compression_bound,
    "ErrorCount": hyperplanes.error_count,
    "ExpectedExcess": kernels.expected_excess,
    "GaussianLikelihood": densities.gaussian_likelihood,
    "Inseparable": separation.inseparable,
    "LeastErrorsByCells": separation.least_errors,
    "LeastErrorsByTree": separation.least_errors,
    "LeastSquaresExcess": regression.least_squares_excess,
    "LogisticExcess": regression.logistic_excess,
    "MaximumMargin": kernels.maximum_margin,
    "MistakeBound": kernels.mistake_bound,
    "MomentMatching": densities.moment_matching,
    "NoEstimate": separation.no_estimate,
    "NoGaussianDensity": densities.no_gaussian_density,
    "NoLogLinearDensity": densities.no_log_linear_density,
    "OnlineToBatch": risks.online_to_batch,
    "Overlapping": separation.overlapping,
    "QuasiSeparable": separation.quasi_separable,
    "Regret": runs.regret,
    "Separable": separation.separable,
    "SoftMarginGap": kernels.soft_margin_gap,
    "SupportBound": risks.support_bound,
    "TestDistances": risks.test_distances,
    "TestErrors": risks.test_errors,
    "TrainingErrors": risks.training_errors,
}


def is_true(data: dict, X, y) -> bool:
    if data["type"] == "Composite":
        return all(is_true(claim, X, y) for claim in data["claims"])
    if (
        data["type"] == "Certified"
    ):  # and no claim has a larger chance to be wrong than the page says
        share = data["delta"] / data["tried"] * (1 + 1e-15)
        paid = all(claim.get("delta", 0.0) <= share for claim in data["claims"]["claims"])
        return paid and not data["test"]["claims"] and is_true(data["claims"], X, y)
    try:
        return bool(TRUTHS[data["type"]](*alone(data, X, y)))
    except Mismatch:
        return False
