"""Numbers as they are printed: few digits, rounded so that what is said of them stays true.

'At most 0.118739' must not stand beside 'bound 0.118738' where the bound is 0.1187386: an upper
bound is rounded up, a lower bound down. And where a value and a lower bound agree to all digits
that are printed, two numbers rounded apart would contradict the gap between them: then the gap is
printed instead of the second number.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from certo.numbers.decimals import apart, readable, rounded_down, rounded_up

# Numbers of claims, by their names: what is said to be at most, and at least, the number.
AT_MOST = frozenset(
    ("bound", "tail", "printed", "upper", "risk", "primal", "objective", "gap", "relative_gap",
     "excess", "allowance", "correlation", "distance", "mean_error", "covariance_error",
     "moment_error", "loss", "off", "radius2", "comparator2", "shortfall", "beyond", "mean")
)  # fmt: skip
AT_LEAST = frozenset(("lower", "dual", "margin", "functional_margin", "at_least", "reach"))
# A number, and another that bounds it or the same quantity from below.
BOUNDED_BELOW = (("primal", "dual"), ("risk", "lower"), ("upper", "lower"))


def shown_numbers(numbers: dict[str, Any]) -> dict[str, str]:
    """The numbers of a claim as text, bounds rounded outward.

    >>> shown_numbers({"bound": 0.1187386})
    {'bound': '0.118739'}
    >>> shown_numbers({"primal": 836.37351, "dual": 836.37351 - 3e-13})
    {'primal': '836.374', 'dual': 'at most 3.5e-13 below primal'}
    """
    shown = {name: _shown(name, value) for name, value in numbers.items()}
    for name, below in BOUNDED_BELOW:
        value, least = numbers.get(name, math.nan), numbers.get(below, math.nan)
        if not (_is_finite(value) and _is_finite(least)):
            continue
        gap = Fraction(value) - Fraction(least)
        if 0 <= 2 * gap < Fraction(shown[name]) - Fraction(shown[below]):
            shown[below] = f"at most {apart(value, least)} below {name}" if gap else "the same"
    return shown


def _shown(name: str, value: Any) -> str:
    if _is_finite(value) and name in AT_MOST:
        return rounded_up(value)
    if _is_finite(value) and name in AT_LEAST:
        return rounded_down(value)
    return readable(value)


def _is_finite(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)
