"""The printed formula for the compression bound of a Perceptron, rounded up."""

from __future__ import annotations

from certo.numbers.printed import in_digits, ln
from certo.numbers.tails import compression_facts, printed_bound


@in_digits
def perceptron_compression(m: int, k: int, errors: int, delta: float) -> float:
    """errors/(m − k) + sqrt(((k + 1) ln m + ln(e/δ)) / m), for k ≤ m/2. It may exceed 1."""
    m, k, errors, delta = compression_facts(m, k, errors, delta)
    if 2 * k > m:
        raise ValueError(
            f"the printed bound is proved for k ≤ m/2 only, but k is {k:,} of {m:,} examples; "
            "binomial_tail has no such condition."
        )
    return printed_bound(m, k, errors, (k + 1) * ln(m) + 1 - ln(delta))
