r"""Losses of a known range: how high their mean may be, shown from independent draws.

Let x_t = min(loss_t, cap), and let W(u) be the average of Π_t (1 + λ(u − x_t)/cap) over the λ ≤ 1
of `BETS`. No factor is negative. At the true mean μ each has the mean 1, so that W(μ) has, and
W(μ) ≥ 1/δ with probability at most δ, by Markov's inequality. W grows with u. So W(u) ≥ 1/δ shows
that μ ≤ u, but for a probability of at most δ: were μ > u, then W(μ) ≥ W(u) ≥ 1/δ.

Rounding. u − x_t and its quotient round once each; 4·2⁻⁵³ of the result pay for that, and for
taking them away. So no step is above the true one, and no logarithm of a factor is, before
`np.log1p` (within four units in the last place) and the sum of n round; `tails.ALLOWANCE` pays for
what underflows, and for the arithmetic of 60 digits.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from certo.numbers.printed import in_digits, probability
from certo.numbers.rounding import ULPS, UNIT, gamma
from certo.numbers.tails import ALLOWANCE

BETS = tuple(2.0**-k for k in range(8))


@in_digits
def shows_capped_mean(mean: float, losses: np.ndarray, cap: float, delta: float) -> bool:
    """Whether it is shown that losses ≥ 0, each cut at the cap, have a mean of at most this."""
    steps = (mean - np.minimum(losses, cap)) / cap
    steps = np.maximum(steps - 4 * UNIT * np.abs(steps), -1.0)
    off, total = 2 * gamma(steps.size) + ULPS + 4 * UNIT, Decimal(0)
    for bet in BETS:
        with np.errstate(divide="ignore"):
            logs = np.log1p(bet * steps)
        total += (Decimal(float(np.sum(logs) - off * np.sum(np.abs(logs)))) - ALLOWANCE).exp()
    return bool(mean >= cap or total * Decimal(probability(delta)) >= len(BETS))
