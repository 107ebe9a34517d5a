"""The interval of Clopper and Pearson for an error rate, shown to be wide enough."""

from __future__ import annotations

from fractions import Fraction

from certo.numbers.printed import in_digits, ln, probability, whole_count
from certo.numbers.tails import TailExcess, shows_upper


@in_digits
def shows_clopper_pearson(lower: float, upper: float, n: int, errors: int, delta: float) -> bool:
    """Whether it is shown that the true interval is inside [lower, upper]."""
    n, errors, delta = test_facts(n, errors, delta)
    half = ln(delta) - ln(2)
    below = lower <= 0 or (
        lower < 1 and errors > 0 and TailExcess(n, n - errors, half)(1 - Fraction(lower)) <= 0
    )
    return bool(below) and shows_upper(upper, n, errors, half)


def test_facts(n, errors, delta) -> tuple[int, int, float]:
    n, errors = whole_count(n, "n", 1), whole_count(errors, "errors", 0)
    if errors > n:
        raise ValueError(f"errors must be at most n = {n:,}, got {errors:,}.")
    return n, errors, probability(delta)
