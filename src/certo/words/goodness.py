"""How well a regression fits as a whole, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HC3_OF_SQUARES = (
    "Standard errors are HC3: for large samples they are right also where the variance of the "
    "errors is not the same for all examples."
)
HC3_OF_LIKELIHOOD = (
    "Standard errors are HC3: for large samples they are right also where the logarithms of the "
    "odds are not linear; the coefficients are then those of the linear model nearest to them."
)


def goodness_lines(fit: Mapping[str, Any]) -> tuple[str, ...]:
    """The numbers about a fit, in a line; one for each output, where there are several."""
    if "outputs" in fit:
        return tuple(
            f"y{k}: {line}" for k, one in enumerate(fit["outputs"]) for line in goodness_lines(one)
        )
    parts = []
    if fit.get("adjusted_r2") is not None:
        parts.append(f"adjusted R² {fit['adjusted_r2']:.4g}")
    if fit.get("f_statistic") is not None:
        first, second = fit["f_degrees"]
        test = f"F({first:,}, {second:,}) = {fit['f_statistic']:.4g}"
        parts.append(f"{test} (P>F {shown_p_value(fit['f_p_value'])})")
    if fit.get("likelihood_ratio") is not None:
        test = f"χ²({fit['likelihood_ratio_degrees']:,}) = {fit['likelihood_ratio']:.4g}"
        p = shown_p_value(fit["likelihood_ratio_p_value"])
        parts.append(f"likelihood ratio {test} (P>χ² {p})")
    if fit.get("aic") is not None:
        parts.append(f"AIC {fit['aic']:.6g}")
        parts.append(f"BIC {fit['bic']:.6g}")
    text = ", ".join(parts)
    return (f"{text[:1].upper()}{text[1:]}",) if parts else ()


def shown_p_value(p: float | None) -> str:
    """With three decimals; nothing, if there is none."""
    return "" if p is None else "<0.001" if p < 0.0005 else f"{p:.3f}"
