r"""Whether rows repeat as independent draws do not.

**Repetitions**, for any distribution. An example is a row with its label. Let n_i be how often the
i-th of k different examples occurs among m. In the model where the number of draws is Poisson, the
n_i are independent, Poisson with some λ_i, given that n_i ≥ 1. Then g ≥ 2 divides n_i with
probability at most s_g = sup_λ P[g | N, N ≥ 1] / P[N ≥ 1], for which

    s_2 = 1/2, since P[N even, N ≥ 1] = (1 − e^−λ)²/2;
    s_g ≤ 1/(1 + √3) for g ≥ 3: of p = P[N = gj] both neighbours are no multiples and add up to
        p·(gj/λ + λ/(gj + 1)) ≥ 2p·√(gj/(gj + 1)) ≥ √3·p, and belong to no other multiple;
    s_g ≤ 1/g + 1.59/√(2πg): N is unimodal, so that each multiple of g but one is at most the mean
        of g numbers of its own, and P[N = c]/P[N ≥ 1] ≤ (1 − 1/e)⁻¹/√(2πc) for c ≥ 2.

So the number of n_i that g does not divide is at least as large, stochastically, as a binomial one
with k and 1 − s_g. The draws are m exactly: that is the Poisson model under the condition that it
gives m, whose probability is at least 1/(e√m). A table that was written twice, or every row of it
60 times, is refused by this, at the level `REPEATED_LEVEL` for all g ≤ m together.

**Copies**, for values that are written finely. Where rows of a discrete table are the same by
chance, rows with one value in common differ in others; and where a value is the same by chance in
two rows, other rows have values next to it. Of the values of a column that repeat, let r be *own*
values of one example: no other example has them. The column is *telling* if these are more than
half of the values that repeat, and at least a quarter as many as the repeated examples. Let q be
how many of the gaps between neighbouring values are equal to the least gap, beyond the first. For
draws from a smooth density on a grid there are about twice as many pairs of neighbours as pairs of
equal values. (If most gaps follow from those beside them, as those of logarithms of integers
do, q counts these: see `_regular`.) So a telling column repeats *by nature* if r ≤ 2q +
`ATOMS_ALLOWED`, or if all its values have two digits at most. A column that two columns with few
values determine for many examples, as a product of them is, tells nothing (`_pairs`). The rows are
taken for copies if a telling column does not repeat by nature, or if two telling columns do of
which neither determines the other; but not if one repeats by nature and determines all the others,
as a code with few values does that says all about a row. (Among few rows every column determines
all others by chance: such a code must have r ≤ 2q.)

Not seen are copies of up to `ATOMS_ALLOWED` rows (a value can be frequent by nature, as 0 is); rows
drawn anew from few rows on a coarse grid; copies that were changed in their last digits; copies
whose labels were drawn anew, which are independent draws of labels; and copies in tables where no
column has values of its own (texts as counts of words), but for the repetitions above. Seen as
copies, though they may be draws, are those of few kinds with irregular numbers of their own.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from certo.certificates.sample.equal_rows import column_of, rows_of_tables
from certo.containers import BLOCK_NUMBERS

REPEATED_LEVEL = 1e-6  # Probability of refusing independent draws for repetitions.
ATOMS_ALLOWED = 4  # Values that may be frequent by nature.
LIKE_THE_LEAST = 1.001  # Gaps below this multiple of the least are equal to it.
SIMPLE_RATIOS = np.array(sorted({a / b for a in range(1, 5) for b in range(1, 5)}))  # Gap ratios.
ROUNDED_APART = 2.0**-44  # Differences below this share of the range are rounding.
STEADY = 0.4  # Largest second difference of the logarithms of three gaps.
SHOWN_EXAMPLES = 256  # Repeated examples used to choose columns.
MAX_COLUMNS = 16  # Columns that are compared as a whole.
BY_CHANCE = 1e-3  # Probability of mistaking chance for a rule between columns.
FOLLOWS_BY_CHANCE = 0.15  # Probability that a gap of draws follows from its neighbours.
MAX_COARSE = 6  # Columns of few values whose pairs are examined.


class Examples(NamedTuple):
    """Different examples, rows with labels: which one each row is, and how often each occurs."""

    ids: np.ndarray
    times: np.ndarray

    def times_in_fit(self, m: int) -> np.ndarray:
        """How often each occurs among the first m rows, those of the fit."""
        return np.bincount(self.ids[:m], minlength=self.times.size)


def different_examples(groups: np.ndarray, codes: np.ndarray) -> Examples:
    places = np.unique(codes, return_inverse=True)[1]
    both = groups * (int(places.max()) + 1) + places
    _, ids, times = np.unique(both, return_inverse=True, return_counts=True)
    return Examples(ids, times)


def common_divisor(times: np.ndarray) -> int:
    """A number that divides the multiplicities more often than any independent draws allow, at
    `REPEATED_LEVEL`; 0 if there is none."""
    m, k = int(times.sum()), times.size
    room = math.log(REPEATED_LEVEL) - 1 - 1.5 * math.log(m)  # For m divisors, and m draws exactly.
    values, numbers = np.unique(times, return_counts=True)
    for g in range(2, int(values[-1]) + 1):
        others = int(np.sum(numbers[values % g != 0]))
        if 2 * others >= k:
            continue
        if log_lower_tail(others, k, 1 - _share_of_multiples(g)) <= room:
            return g
    return 0


def _share_of_multiples(g: int) -> float:
    """s_g, or a little more."""
    if g == 2:
        return 0.5
    return min(1 / (1 + math.sqrt(3)), 1 / g + 1.59 / math.sqrt(2 * math.pi * g))


def log_lower_tail(most: int, n: int, p: float) -> float:
    """ln P[Bin(n, p) ≤ most] or a little more, for most < n·p, by Chernoff's bound."""
    q = most / n
    if q >= p:
        return 0.0
    divergence = (1 - q) * math.log((1 - q) / (1 - p)) + (q * math.log(q / p) if q else 0.0)
    return -n * divergence


def are_copies(
    tables: tuple[Any, ...], found: Examples, fit: int | None = None, once: bool = False
) -> bool:
    """Whether the repeated examples are copies, by their own values in single columns; with `fit`,
    those that occur both among the first so many rows and among the others, and with `once` only
    those that occur there once."""
    ids, in_test = found.ids, None
    repeated = found.times > 1
    if fit is None:
        if np.count_nonzero(repeated) <= ATOMS_ALLOWED:  # No more values are their own.
            return False
    else:
        in_test = np.arange(ids.size) >= fit
        in_fit = found.times_in_fit(fit)
        repeated = (in_fit > 0) & (in_fit < found.times)
    rows = np.unique(ids, return_index=True)[1][repeated]
    some = rows[np.unique(np.linspace(0, rows.size - 1, SHOWN_EXAMPLES).astype(int))]
    fine, coarse = _columns(tables, some)
    telling = []
    for j in fine:
        values = column_of(tables, j)
        seen = _own_values(values, ids, in_test, once, rows.size)
        if seen is not None:
            telling.append((values, seen))
            coarse = [k for k in coarse if k != j]
    if telling:
        pairs = _pairs([column_of(tables, j) for j in coarse], found.times.size)
        telling = [
            (values, seen) for values, seen in telling
            if not any(not _differ(pair, values) for pair in pairs)
        ]  # fmt: skip
    suspect = False
    for values, seen in telling:
        free = any(_differ(values, others) for others, _ in telling)
        if seen.own > seen.allowed or (seen.single and seen.allowed == ATOMS_ALLOWED):
            suspect = True
        elif not free:
            if seen.own <= seen.even:
                return False  # This column determines the others, and its values repeat.
        elif seen.own > ATOMS_ALLOWED:
            suspect = True  # Two independent columns agree all the same.
    return suspect


class _OwnValues(NamedTuple):
    """Of the values of a telling column that repeat: how many belong to one example alone, how many
    of those occur once in the fit; and how many gaps are equal to the least, but one."""

    own: int
    single: int
    even_gaps: int
    short: bool  # All values are written with two digits.

    @property
    def even(self) -> float:
        """Own values that the gaps of a column like this account for."""
        return math.inf if self.short else 2 * self.even_gaps

    @property
    def allowed(self) -> float:
        """Own values that a column like this may have by nature."""
        return self.even + ATOMS_ALLOWED


def _own_values(
    values: np.ndarray, ids: np.ndarray, in_test: np.ndarray | None, once: bool, examples: int
) -> _OwnValues | None:
    """None, if the column is not telling about so many repeated examples."""
    order = np.argsort(values)
    values, ids = values[order], ids[order]
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    sizes = np.diff(np.append(starts, values.size))
    repeated, single = sizes > 1, np.zeros(starts.size, bool)
    if in_test is not None:
        tested = np.add.reduceat(in_test[order].astype(np.int64), starts)
        repeated, single = (tested > 0) & (tested < sizes), sizes - tested == 1
    own = repeated & (np.minimum.reduceat(ids, starts) == np.maximum.reduceat(ids, starts))
    own &= single | (not once)
    often, alone, once_only = map(int, map(np.count_nonzero, (repeated, own, own & single)))
    if not (2 * alone > often and 4 * alone >= examples):
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = np.diff(values[starts])
        gaps = gaps[gaps > ROUNDED_APART * (values[-1] - values[0])]
    even = 0
    if gaps.size:
        least = int(np.count_nonzero(gaps <= LIKE_THE_LEAST * gaps.min())) - 1
        even = max(least, _regular(gaps))
    return _OwnValues(alone, once_only, even, _is_short(values[starts]))


def _regular(gaps: np.ndarray) -> int:
    """How many gaps follow from those beside them, if most do: they are multiples of one step
    (numbers with so many digits, whatever their size), or change steadily (integers, of which
    a logarithm, a root or a sine was taken). Gaps between draws from a density follow by chance in
    one case of ten, so that few gaps show nothing: in one of `MAX_COLUMNS` columns all of them may
    follow."""
    if gaps.size < 3:
        return 0
    with np.errstate(over="ignore", invalid="ignore"):
        ratios, logs = gaps[1:] / gaps[:-1], np.log(gaps)
        steps = np.abs(ratios[:, None] / SIMPLE_RATIOS - 1).min(axis=1) < LIKE_THE_LEAST - 1
        steady = np.abs(logs[2:] - 2 * logs[1:-1] + logs[:-2]) < STEADY
    count, among = max((int(np.count_nonzero(which)), which.size) for which in (steps, steady))
    by_chance = log_lower_tail(among - count, among, 1 - FOLLOWS_BY_CHANCE)
    return count if 2 * count > gaps.size and by_chance <= math.log(BY_CHANCE / MAX_COLUMNS) else 0


def _is_short(values: np.ndarray) -> bool:
    return values.size <= 8 * SHOWN_EXAMPLES and all(
        float(f"{v:.1e}") == v for v in values.tolist()
    )


def _differ(values: np.ndarray, others: np.ndarray) -> bool:
    """Whether rows with one value in common have different others."""
    order = np.argsort(values)
    values, others = values[order], others[order]
    return bool(np.any((values[1:] == values[:-1]) & (others[1:] != others[:-1])))


def _columns(tables: tuple[Any, ...], rows: np.ndarray) -> tuple[list[int], list[int]]:
    """Columns in which these rows, of different examples, have the most different values: those
    with at least a quarter as many as there are rows, and those with at most half as many."""
    part, step = rows_of_tables(tables, rows), max(1, BLOCK_NUMBERS // max(rows.size, 1))
    counts = []
    for start in range(0, part.shape[1], step):
        block = part[:, start : start + step]
        block = np.sort(block.toarray() if sparse.issparse(block) else block, axis=0)
        counts.append(1 + np.count_nonzero(block[1:] != block[:-1], axis=0))
    different = np.concatenate(counts)
    order = np.argsort(-different, kind="stable")
    best, few = order[:MAX_COLUMNS], order[(2 * different[order] <= rows.size)]
    few = few[different[few] > 1][:MAX_COARSE]
    return best[4 * different[best] >= rows.size].tolist(), few.tolist()


def _pairs(columns: list[np.ndarray], examples: int) -> list[np.ndarray]:
    """The pairs of values of two columns, as numbers, where such pairs are few beside the different
    examples: if another column had nothing to do with them, then n examples had pairs of their own,
    among k, with probability at most exp(−n(n − 1)/2k), and that is to be below `BY_CHANCE`."""
    codes = [np.unique(column, return_inverse=True)[1] for column in columns]
    sizes = [int(code.max()) + 1 for code in codes]
    most = examples * (examples - 1) / (-2 * math.log(BY_CHANCE))
    return [
        codes[i] * sizes[j] + codes[j]
        for i, j in itertools.combinations(range(len(codes)), 2)
        if sizes[i] * sizes[j] <= most
    ]
