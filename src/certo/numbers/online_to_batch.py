"""From the losses of a run to a risk: the printed formula, rounded up."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from certo.numbers.printed import amount, in_digits, ln, probability, rounded_up, whole_count


@in_digits
def online_to_batch(m: int, loss: float, delta: float, span: float = 1.0) -> float:
    """loss/m + span·sqrt(ln(1/δ) / (2m)), where `loss` was suffered in all over m rounds, and
    each loss lies in an interval of length `span`."""
    m, delta = whole_count(m, "m", 1), probability(delta)
    loss, span = amount(loss, "loss"), amount(span, "span")
    if Fraction(loss) > m * Fraction(span):
        raise ValueError(f"loss must be at most span·m = {span * m!r}, got {loss!r}.")
    root = (-ln(delta) / (2 * m)).sqrt()
    return rounded_up(Decimal(loss) / m + Decimal(span) * root)
