"""DensityClaim in words."""

from __future__ import annotations

import numpy as np

from certo.certificates.density.likelihood_gap import DensityClaim
from certo.words.phrases import counting


def those_counting(claim: DensityClaim) -> str:
    """The same in words."""
    weights, m = claim.sample_weight, claim.examples
    return counting(int(np.count_nonzero(weights)) if weights.size else m, m)
