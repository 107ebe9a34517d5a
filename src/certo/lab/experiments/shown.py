"""What several experiments show of a machine, or of a claim about it."""

from __future__ import annotations

from typing import Any

import numpy as np

from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.lab.scene import number, series
from certo.plots.update_curves import update_curves

LEAST_MULTIPLIER = 1e-300  # Where all are 0, rings have no size.


def objective_numbers(claim: SoftMarginGap) -> list[dict[str, Any]]:
    """The objective of a soft margin, and how far it can be from the least."""
    return [
        number("objective", claim.primal, at="most"),
        number("relative_gap", claim.relative_gap, at="most"),
    ]


def support_marks(rows: np.ndarray, multipliers: np.ndarray) -> dict[str, Any]:
    """Rings around supports, the larger the larger the multiplier."""
    sizes = np.abs(multipliers)
    return {
        "support": rows.tolist(),
        "size": (sizes / np.max(sizes, initial=LEAST_MULTIPLIER)).tolist(),
    }


def theorem_curves(key: str, claim: MistakeBound, n: np.ndarray) -> list[dict[str, Any]]:
    """Between which curves the theorem has the squared norm after n updates: an upper one, and a
    lower one where something separates the examples."""
    lower, upper = update_curves(claim, n)
    curves = [series(f"{key}.upper", n, upper, "upper")]
    return curves + [series(f"{key}.lower", n, lower, "lower")] * claim.separable
