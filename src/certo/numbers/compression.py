"""Formulas of compression bounds, as they are printed. Statements and proofs: see `docs/bounds`."""

from __future__ import annotations

from decimal import Decimal

from certo.numbers.printed import in_digits, ln, probability, rounded_up, whole_count


@in_digits
def perceptron_compression(m: int, k: int, errors: int, delta: float) -> float:
    """errors/(m − k) + sqrt(((k + 1) ln m + ln(e/δ)) / m), for k ≤ m/2. It may exceed 1."""
    m, k, errors, delta = compression_facts(m, k, errors, delta)
    if 2 * k > m:
        raise ValueError(
            f"the printed bound is proved for k ≤ m/2 only, but k is {k:,} of {m:,} examples; "
            "binomial_tail has no such condition."
        )
    return _printed(m, k, errors, (k + 1) * ln(m) + 1 - ln(delta))


@in_digits
def support_vector_compression(m: int, k: int, errors: int, delta: float) -> float:
    """errors/(m − k) + sqrt((k + (k + 1) ln m + ln(1/δ)) / m). It may exceed 1, and does for
    k > m/2."""
    m, k, errors, delta = compression_facts(m, k, errors, delta)
    return _printed(m, k, errors, k + (k + 1) * ln(m) - ln(delta))


def _printed(m: int, k: int, errors: int, inside: Decimal) -> float:
    return rounded_up(Decimal(errors) / max(m - k, 1) + (inside / m).sqrt())


def compression_facts(m, k, errors, delta) -> tuple[int, int, int, float]:
    m, k, errors = whole_count(m, "m", 1), whole_count(k, "k", 0), whole_count(errors, "errors", 0)
    if k > m:
        raise ValueError(f"k must be at most m = {m:,}, got {k:,}.")
    if errors > m - k:
        raise ValueError(f"errors must be at most m − k = {m - k:,}, got {errors:,}.")
    return m, k, errors, probability(delta)
