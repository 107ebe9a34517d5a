r"""Whether labels come in an order in which independent draws come.

For independent draws all orders of the labels are equally probable, given how many there
are of each. The number of runs of equal labels then has the distribution of Wald and Wolfowitz,
for each class against the rest. Orders with far fewer runs (sorted files) or more (files in turns)
are refused, at the level `ORDER_LEVEL`. Labels alone are looked at; an order that was chosen by
other means, such as by what the machine gets right, is not seen.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from certo.certificates.encoding import counted

ORDER_LEVEL = 1e-4  # Probability of refusing independent draws for their order.


def why_ordered(codes: np.ndarray) -> str:
    """How the order of labels is none of independent draws, in a sentence; nothing, if it may be.

    With a and b labels of two kinds there are 2j runs in 2·C(a−1, j−1)·C(b−1, j−1) orders, and
    2j + 1 in C(a−1, j)·C(b−1, j−1) + C(a−1, j−1)·C(b−1, j), of C(a + b, a).
    """
    m, classes = len(codes), np.unique(codes)
    kinds = classes[:1] if classes.size == 2 else classes
    for kind in kinds if classes.size > 1 else ():
        own = codes == kind
        runs = 1 + int(np.count_nonzero(own[1:] != own[:-1]))
        few, many = _tails_of_runs(runs, int(np.count_nonzero(own)), m)
        if min(few, many) * 2 * kinds.size <= ORDER_LEVEL:
            how = "sorted by" if few < many else "arranged by"
            return (
                f"the examples are {how} their labels ({counted(runs, 'run')} of equal labels in "
                f"{m:,} examples), so they are not in the order in which independent draws come. "
                "Shuffle them before the fit."
            )
    return ""


def _tails_of_runs(runs: int, a: int, m: int) -> tuple[float, float]:
    """The probability of so few runs, and of so many."""
    b = m - a
    r = np.arange(2, 2 * min(a, b) + 2)
    j, odd = r // 2, r % 2 == 1

    def choose(n: int, k: np.ndarray) -> np.ndarray:
        inside = np.minimum(k, n)
        logs = -special.betaln(1 + n - inside, 1 + inside) - math.log(n + 1)
        return np.where(k <= n, logs, -np.inf)

    even = math.log(2) + choose(a - 1, j - 1) + choose(b - 1, j - 1)
    uneven = np.logaddexp(
        choose(a - 1, j) + choose(b - 1, j - 1), choose(a - 1, j - 1) + choose(b - 1, j)
    )
    total = -special.betaln(1 + b, 1 + a) - math.log(m + 1)
    p = np.exp(np.where(odd, uneven, even) - total)
    return float(np.sum(p[r <= runs])), float(np.sum(p[r >= runs]))
