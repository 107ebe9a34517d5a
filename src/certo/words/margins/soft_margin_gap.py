"""SoftMarginGap in words."""

from __future__ import annotations

import numpy as np

from certo.certificates.margins.soft_margin_gap import SoftMarginGap


def slack_costs(claim: SoftMarginGap) -> str:
    weighted = claim.sample_weight.size or np.any(claim.class_weight != 1)
    return f"c = {claim.C!r}" + (" times the weight of the example" if weighted else "")
