"""How well a regression fits as a whole: adjusted R², F, likelihood ratio, AIC and BIC."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import chdtrc, fdtrc


def goodness_of_squares(
    r2: float,
    residual_variance: float | None,
    *,
    examples: int,
    rank: int | None,
    lifted: bool,
    weighted: bool,
) -> dict[str, Any]:
    """Numbers about a fit by least squares; None for what cannot be said.

    The likelihood is that of normal errors with the variance RSS/n that makes it largest. AIC and
    BIC count the coefficients, not the variance, as statsmodels does (R counts it, too). Of
    weighted examples there is none: the likelihood depends on what the weights are.
    """
    found: dict[str, Any] = dict.fromkeys(
        ("r2", "adjusted_r2", "f_statistic", "f_degrees", "f_p_value", "log_likelihood", "aic",
         "bic")
    )  # fmt: skip
    found["r2"] = r2 if np.isfinite(r2) else None
    if rank is None or residual_variance is None or not np.isfinite(residual_variance):
        return found
    free, left = examples - rank - lifted, 1 - r2
    found["adjusted_r2"] = 1 - left * (examples - lifted) / free
    if rank and left > 0:
        found["f_statistic"] = statistic = (r2 / rank) / (left / free)
        found["f_degrees"] = [rank, free]
        found["f_p_value"] = float(fdtrc(rank, free, statistic))
    if not weighted and residual_variance > 0:
        variance = residual_variance * free / examples
        likelihood = -examples / 2 * (np.log(2 * np.pi * variance) + 1)
        found |= _criteria(float(likelihood), rank + lifted, examples)
    return found


def goodness_of_likelihood(
    log_likelihood: float, null: float, *, total: float, slopes: int | None, intercepts: int
) -> dict[str, Any]:
    """Numbers about a maximum likelihood. `null` is the largest without `slopes`, of which there
    are so many that the examples determine (None: that is not known)."""
    found: dict[str, Any] = {
        "log_likelihood": log_likelihood,
        "null_log_likelihood": null,
        "mcfadden_r2": 1 - log_likelihood / null if null else None,
        **dict.fromkeys(
            ("likelihood_ratio", "likelihood_ratio_degrees", "likelihood_ratio_p_value", "aic",
             "bic")
        ),
    }  # fmt: skip
    if slopes is None:
        return found
    if slopes:
        ratio = max(0.0, 2 * (log_likelihood - null))
        found["likelihood_ratio"], found["likelihood_ratio_degrees"] = ratio, slopes
        found["likelihood_ratio_p_value"] = float(chdtrc(slopes, ratio))
    return found | _criteria(log_likelihood, slopes + intercepts, total)


def wald_test(slopes: np.ndarray, covariance: np.ndarray, free: int) -> dict[str, Any]:
    """F of "all slopes are 0" from a covariance whose first entries are theirs; none, where some
    have no variance."""
    d = len(slopes)
    part = covariance[:d, :d]
    if np.any(np.isnan(part)):
        return dict.fromkeys(("f_statistic", "f_degrees", "f_p_value"))
    scale = np.sqrt(np.diag(part))
    t = slopes / scale
    statistic = float(t @ np.linalg.solve(part / np.outer(scale, scale), t)) / d
    found = {"f_statistic": statistic, "f_degrees": [d, free]}
    return found | {"f_p_value": float(fdtrc(d, free, statistic))}


def _criteria(log_likelihood: float, coefficients: int, examples: float) -> dict[str, float]:
    return {
        "log_likelihood": log_likelihood,
        "aic": 2 * coefficients - 2 * log_likelihood,
        "bic": float(np.log(examples)) * coefficients - 2 * log_likelihood,
    }
