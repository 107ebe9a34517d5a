r"""Whether rows can be independent draws: copies, test rows that are rows of the fit, and order.

Every claim about new examples assumes that the examples are independent draws. No test can show
that they are: rows that are drawn with replacement from thirty rows *are* independent draws, from
a distribution with thirty atoms. What is looked at is what can be seen in the rows themselves.

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
equal values. (If most gaps follow from those beside them, as those of logarithms of whole numbers
do, q counts these: see `_regular`.) So a telling column repeats *by nature* if r ≤ 2q +
`ATOMS_ALLOWED`, or if all its values have two digits at most. The rows are taken for copies if a
telling column does not repeat by nature, or if two telling columns do of which neither determines
the other; but not if one repeats by nature and determines all the others, as a code with few values
does that says all about a row.

Not seen are copies of up to `ATOMS_ALLOWED` rows (a value can be frequent by nature, as 0 is); rows
drawn anew from few rows on a coarse grid; copies that were changed in their last digits; copies
whose labels were drawn anew, which are independent draws of labels; and copies in tables where no
column has values of its own (texts as counts of words), but for the repetitions above. Seen as
copies, though they may be draws, are those of few kinds with irregular numbers of their own.

**Test rows that are rows of the fit**, for any distribution: they are in both more often than the
rows of one sample fall into both parts of it (`_shared`). And for fine values by the rule of
copies, with values that both have in place of values that repeat: rows with their labels, and rows
that occur once in the fit, whatever label they have in the test. No value is allowed for then that
occurs only once in the fit. Where such rows are copies, all test rows that are rows of the fit are
left out of the count; unless rows repeat within fit or test, too, so that leaving them out might
change the population (`_without`).

**Order.** For independent draws all orders of the labels are equally probable, given how many there
are of each. The number of runs of equal labels then has the distribution of Wald and Wolfowitz,
for each class against the rest. Orders with far fewer runs (sorted files) or more (files in turns)
are refused, at the level `ORDER_LEVEL`. Labels alone are looked at; an order that was chosen by
other means, such as by what the machine gets right, is not seen.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse, special

from certo.certificates.compared_rows import numbers_of, tables_of
from certo.certificates.encoding import counted

REPEATED_LEVEL = 1e-6  # probability of refusing independent draws for their repetitions
SHARED_LEVEL = 1e-6  # probability of refusing independent draws for rows in fit and test
ORDER_LEVEL = 1e-4  # probability of refusing independent draws for the order of their labels
ATOMS_ALLOWED = 4  # values that may be frequent by nature
LIKE_THE_LEAST = 1.001  # gaps that are equal to the least one up to rounding
SIMPLE_RATIOS = np.array(sorted({a / b for a in range(1, 5) for b in range(1, 5)}))  # of gaps
ROUNDED_APART = 2.0**-44  # values that differ by less, beside their range, differ by rounding
STEADY = 0.4  # by how much the logarithms of three gaps in a row may bend
BLOCK_NUMBERS = 2**17  # numbers that are looked at together: a megabyte
SHOWN_EXAMPLES = 256  # repeated examples by which columns are looked for
MAX_COLUMNS = 16  # that are looked at as a whole
BY_CHANCE = 1e-3  # probability that two columns determine a third one for no reason
MAX_COARSE = 6  # columns of few values of which pairs are looked at
COARSE_ROWS = 2**15  # of fit and test that are compared up to their last digits
COARSE_COLUMNS = 4  # by which rows are compared up to their last digits
COARSE_BITS = 7  # of the 23 of a float32 that are rounded off then: five digits are left

NO_DRAWS = "so they are not independent draws"
_looked_at: ContextVar[dict[int, Any] | None] = ContextVar("looked_at", default=None)
_originals: ContextVar[Any] = ContextVar("originals", default=None)


@contextlib.contextmanager
def one_look() -> Iterator[None]:
    """Inside, tables are not changed: equal rows of one table are looked for once."""
    if _looked_at.get() is not None:
        yield
        return
    token = _looked_at.set({})
    try:
        yield
    finally:
        _looked_at.reset(token)


@contextlib.contextmanager
def images_of(X: Any) -> Iterator[None]:
    """Inside, rows are what a map makes of these examples. Whether values are so fine that equal
    rows are copies is then a question about the examples: products and cosines of coarse numbers
    look fine."""
    token = _originals.set(X)
    try:
        yield
    finally:
        _originals.reset(token)


def why_copied(X: Any, codes: np.ndarray) -> str:
    """How examples repeat as no independent draws do, in a sentence; nothing, if they do not. X
    are examples of any kind whose rows can be compared, codes the classes."""
    if not _is_table(X) and len(codes) > 1:
        X = (tables_of(X) or (None,))[0]
    if not _is_table(X) or len(codes) < 2:
        return ""
    groups = _groups(X)
    if not _repeats(groups):
        return ""
    found = _examples(groups, codes)
    if not found.repeated.any():
        return ""
    if times := _divisor(found.times):
        share = int(np.count_nonzero(found.times % times == 0))
        return (
            f"{share:,} of the {found.times.size:,} different examples occur {times:,} times or a "
            f"multiple of that, as copies do, {NO_DRAWS}. Remove the copies."
        )
    original = _originals.get()
    written = None if original is None else tables_of(original)
    if written is None or written[0].shape[0] != X.shape[0]:
        written = (X,)
    if _is_copied(written, found):
        surplus = found.ids.size - found.times.size
        return (
            f"{surplus:,} of the {found.ids.size:,} examples repeat others in every value, in "
            "columns whose values look too fine for that to happen by chance, so they are taken "
            "for copies, not for independent draws. Remove the copies."
        )
    return ""


class Known(NamedTuple):
    """Which test examples are examples of the fit, and which of them are left out for that; `why`
    not one of them is left."""

    same: np.ndarray
    left_out: np.ndarray
    why: str = ""

    def of_the_others(self, values: Any) -> Any:
        """Test examples, or their labels, without those that are left out."""
        if not self.left_out.any():
            return values
        kept = np.flatnonzero(~self.left_out)
        if isinstance(values, list | tuple):
            return [values[t] for t in kept.tolist()]
        if hasattr(values, "iloc"):
            return values.iloc[kept]
        return values[kept] if hasattr(values, "__getitem__") else np.asarray(values)[kept]

    @property
    def remark(self) -> str:
        """What a reader should know of it."""
        n, of = int(np.count_nonzero(self.same)), self.same.size
        if self.why or not (n or self.left_out.any()):
            return ""
        are = "is also an example" if n == 1 else "are also examples"
        if self.left_out.any():
            n = int(np.count_nonzero(self.left_out))
            rows = "is a row of the fit: it is" if n == 1 else "are rows of the fit: they are"
            return f"{n:,} of the {of:,} test examples {rows} not counted."
        return (
            f"{n:,} of the {of:,} test examples {are} of the fit, as happens where rows have few "
            "different values: all are counted."
        )


def known_rows(
    X: Any,
    codes: np.ndarray,
    X_test: Any,
    test_codes: np.ndarray,
    written: tuple[Any, ...] | None = None,
) -> Known:
    """Test examples whose features and label are those of an example of the fit. They are left out
    if they are copies, rather than draws from a discrete table that are the same by chance; and if
    there are more than chance allows, not one is left. `written` are the tables of which a map has
    made these: see `images_of`."""
    written = written or (X, X_test)
    m, none = len(codes), np.zeros(len(test_codes), bool)
    same_width = _is_table(X) and _is_table(X_test) and X.shape[1] == X_test.shape[1]
    if not same_width or not m or not none.size:
        return Known(none, none)
    groups = _groups(X, X_test)
    if not _repeats(groups):
        same, features = none, none
    else:
        found = _examples(groups, np.concatenate((codes, test_codes)))
        rows = _examples(groups, np.zeros(groups.size, np.int64))
        same, features = _in_fit(found, m), _in_fit(rows, m)
        if (same.any() and _is_copied(written, found, m)) or (
            features.any() and _is_copied(written, rows, m, once=True)
        ):
            return _without(same, features, groups)
        if _divisor(found.times):
            return Known(same, ~none, "the test examples repeat the examples of the fit.")
        if _shared(groups, m):
            return Known(same, ~none, _too_many(features))
    if not (sparse.issparse(X) or sparse.issparse(X_test)):
        some, of_test = (table[:: -(-table.shape[0] // COARSE_ROWS)] for table in (X, X_test))
        for keys, how in _coarse(some, of_test):
            alike = _representatives(keys)
            if _repeats(alike) and _shared(alike, len(some)):
                known = np.isin(alike[len(some) :], alike[: len(some)])
                return Known(same, ~none, _too_many(known, how))
    return Known(same, none)


def _without(same: np.ndarray, features: np.ndarray, groups: np.ndarray) -> Known:
    """Test rows that are rows of the fit left out. If rows of the fit, or of the test, are the same
    among themselves, then rows with the same values may be frequent in new data, too, and the
    others alone say nothing of these."""
    if features.all():
        return Known(same, features, "all test examples are rows of the fit.")
    m, n = groups.size - features.size, int(np.count_nonzero(features))
    if all(np.bincount(part).max() == 1 for part in (groups[:m], groups[m:])):
        return Known(same, features)
    why = (
        f"{n:,} of the {features.size:,} test examples are rows of the fit, in columns whose "
        "values look too fine for that to happen by chance. Remove them, and rows that repeat "
        "others, from fit and test."
    )
    return Known(same, np.ones(features.size, bool), why)


def _too_many(known: np.ndarray, how: str = "") -> str:
    n = int(np.count_nonzero(known))
    return (
        f"{n:,} of {known.size:,} test examples are rows of the fit{how}, far more than rows "
        "within the fit are the same, so they are taken from the fit. Remove them from the test."
    )


def _shared(groups: np.ndarray, m: int) -> bool:
    """Whether more rows occur both among the first m, of the fit, and among the n others, of the
    test, than independent draws allow, whatever their distribution, at `SHARED_LEVEL`.

    Given all m + n rows, all choices of the m are equally probable then. If each row is in the test
    with probability θ = n/(m + n), independently, then a row that occurs s times is in both with
    probability 1 − θˢ − (1 − θ)ˢ, and Chernoff's bound for the number of these holds for their mean
    (Hoeffding, 1956). That exactly n are in the test has probability at least 1/√(8mn/(m + n)).
    What is the same for two rows may be any function of them: it is asked of the rows as they are,
    and of all that `_coarse` gives.
    """
    times, in_test = np.bincount(groups), np.bincount(groups[m:], minlength=groups.max() + 1)
    several = np.flatnonzero(times > 1)
    times, in_test = times[several], in_test[several]
    seen = int(np.count_nonzero((in_test > 0) & (in_test < times)))
    if not seen:
        return False
    theta = (groups.size - m) / groups.size
    expected = float(np.mean(1 - theta**times - (1 - theta) ** times))
    room = math.log(SHARED_LEVEL / (2 + COARSE_COLUMNS)) - 0.5 * math.log(8 * m * theta)
    return _log_lower_tail(times.size - seen, times.size, 1 - expected) <= room


def _coarse(*tables: np.ndarray) -> Iterator[tuple[np.ndarray, str]]:
    """Numbers for the rows of tables that stand one below the other, by a few columns to five
    digits (as float32, the last bits of whose mantissa are rounded off): by all of these, and by
    all but one, which may number the rows. With each, how rows are the same that have one."""
    rows, width = tables[0].shape
    some = np.unique(np.linspace(0, rows - 1, 64).astype(int))
    columns = np.unique(np.linspace(0, width - 1, 512).astype(int))
    values = np.sort(tables[0][np.ix_(some, columns)], axis=0)
    different = np.count_nonzero(values[1:] != values[:-1], axis=0)
    parts, factor = [], 0x9E3779B97F4A7C15
    for j in columns[np.argsort(-different, kind="stable")[:COARSE_COLUMNS]].tolist():
        with np.errstate(over="ignore"):
            column = np.concatenate([table[:, j].astype(np.float32) for table in tables])
        bits = (column + np.float32(0)).view(np.uint32)  # −0 is 0
        bits += np.uint32(1 << (COARSE_BITS - 1))
        bits >>= np.uint32(COARSE_BITS)
        parts.append((bits + np.uint64(j + 1)) * np.uint64(factor))
        parts[-1] ^= parts[-1] >> np.uint64(29)
        factor = (factor * 0xD1342543DE82EF95 + 2) % 2**64
    total = np.add.reduce(parts)
    yield total, " up to their last digits"
    if len(parts) > 1:
        for part in parts:
            yield total - part, " up to their last digits and one column"


def _in_fit(found: _Examples, m: int) -> np.ndarray:
    """Which test examples are among the m of the fit."""
    known = np.zeros(found.times.size, bool)
    known[found.ids[:m]] = True
    return known[found.ids[m:]]


def known_examples(
    labels: Any, X: Any, y: Any, X_test: Any, y_test: Any, prepare: Any = None
) -> Known:
    """The same of examples as they are given, y being labels of these classes, and others in a
    test; with `prepare`, also of what a pipeline makes of them."""
    codes, test_codes = labels.places(y), labels.places(y_test, unknown=True)
    none = np.zeros(test_codes.size, bool)
    known = Known(none, none)
    pairs = [(X, X_test)] if prepare is None else [(X, X_test), (prepare(X), prepare(X_test))]
    tables = [numbers for pair in pairs if (numbers := numbers_of(*pair)) is not None]
    sizes = codes.size, none.size
    written = None if prepare is None else tables_of(X, X_test)
    if written is not None and tuple(table.shape[0] for table in written) != sizes:
        written = None
    for fit, test in tables or filter(None, (tables_of(X, X_test),)):
        if (fit.shape[0], test.shape[0]) == sizes:
            more = known_rows(fit, codes, test, test_codes, written)
            known = Known(known.same | more.same, known.left_out | more.left_out,
                          known.why or more.why)  # fmt: skip
    return known


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


class _Examples(NamedTuple):
    """Different examples, rows with labels: which one each row is, and how often each occurs."""

    ids: np.ndarray
    times: np.ndarray

    @property
    def repeated(self) -> np.ndarray:
        return self.times > 1


def _repeats(groups: np.ndarray) -> bool:
    return bool(np.any(groups != np.arange(groups.size)))


def _examples(groups: np.ndarray, codes: np.ndarray) -> _Examples:
    places = np.asarray(codes, np.int64) - int(codes.min())
    both = _dense(groups * (int(places.max()) + 1) + places)
    return _Examples(both, np.bincount(both))


def _dense(numbers: np.ndarray) -> np.ndarray:
    """Numbers from 0 on, in the order of those given, which are not negative."""
    most = int(numbers.max()) + 1
    if most > 16 * numbers.size:
        return np.unique(numbers, return_inverse=True)[1]
    seen = np.zeros(most, np.int64)
    seen[numbers] = 1
    places = np.cumsum(seen)
    return places[numbers] - 1


def _divisor(times: np.ndarray) -> int:
    """A number that divides the multiplicities more often than any independent draws allow, at
    `REPEATED_LEVEL`; 0 if there is none."""
    m, k = int(times.sum()), times.size
    room = math.log(REPEATED_LEVEL) - 1 - 1.5 * math.log(m)  # for m divisors, and m draws exactly
    values, numbers = np.unique(times, return_counts=True)
    for g in range(2, int(values[-1]) + 1):
        others = int(np.sum(numbers[values % g != 0]))
        if 2 * others >= k:
            continue
        if _log_lower_tail(others, k, 1 - _share_of_multiples(g)) <= room:
            return g
    return 0


def _share_of_multiples(g: int) -> float:
    """s_g, or a little more."""
    if g == 2:
        return 0.5
    return min(1 / (1 + math.sqrt(3)), 1 / g + 1.59 / math.sqrt(2 * math.pi * g))


def _log_lower_tail(most: int, n: int, p: float) -> float:
    """ln P[Bin(n, p) ≤ most] or a little more, for most < n·p, by Chernoff's bound."""
    q = most / n
    if q >= p:
        return 0.0
    divergence = (1 - q) * math.log((1 - q) / (1 - p)) + (q * math.log(q / p) if q else 0.0)
    return -n * divergence


def _is_copied(
    tables: tuple[Any, ...], found: _Examples, fit: int | None = None, once: bool = False
) -> bool:
    """Whether the repeated examples are copies, by their own values in single columns; with `fit`,
    those that occur both among the first so many rows and among the others, and with `once` only
    those that occur there once."""
    ids = found.ids
    if fit is None:
        repeated, part = found.repeated, None
        if np.count_nonzero(repeated) <= ATOMS_ALLOWED:  # no more values are their own
            return False
    else:
        part = np.arange(ids.size) >= fit
        repeated = np.zeros(found.times.size, bool)
        repeated[ids[:fit]] = True
        in_test = np.zeros(found.times.size, bool)
        in_test[ids[fit:]] = True
        repeated &= in_test
    first = np.empty(found.times.size, np.int64)
    first[ids[::-1]] = np.arange(ids.size)[::-1]
    rows = first[repeated]
    some = rows[np.unique(np.linspace(0, rows.size - 1, SHOWN_EXAMPLES).astype(int))]
    fine, coarse = _columns(tables, some)
    telling = []
    for j in fine:
        values = _column(tables, j)
        seen = _own_values(values, ids, part, once)
        if 2 * seen.own > seen.repeated and 4 * seen.own >= rows.size:
            telling.append((values, seen))
            coarse = [k for k in coarse if k != j]
    if telling:
        pairs = _pairs([_column(tables, j) for j in coarse], found.times.size)
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
            return False  # this column tells the others, and its values repeat by nature
        elif seen.own > ATOMS_ALLOWED:
            suspect = True  # two columns that do not tell one another agree all the same
    return suspect


class _OwnValues(NamedTuple):
    """Of the values of a column: how many repeat, how many of these belong to one example alone,
    how many of those occur once in the fit; and how many gaps are equal to the least, but one."""

    repeated: int
    own: int
    single: int
    even_gaps: int
    short: bool  # all are written with two digits

    @property
    def allowed(self) -> float:
        """Own values that a column like this may have by nature."""
        return math.inf if self.short else 2 * self.even_gaps + ATOMS_ALLOWED


def _own_values(
    values: np.ndarray, ids: np.ndarray, part: np.ndarray | None, once: bool = False
) -> _OwnValues:
    order = np.argsort(values, kind="stable")
    sorted_values, sorted_ids = values[order], ids[order]
    starts = np.flatnonzero(np.append(True, sorted_values[1:] != sorted_values[:-1]))
    sizes = np.diff(np.append(starts, values.size))
    repeated, single = sizes > 1, np.zeros(starts.size, bool)
    if part is not None:
        in_test = np.add.reduceat(part[order].astype(np.int64), starts)
        repeated, single = (in_test > 0) & (in_test < sizes), sizes - in_test == 1
    alone = np.minimum.reduceat(sorted_ids, starts) == np.maximum.reduceat(sorted_ids, starts)
    own = repeated & alone & (single | ~np.bool_(once))
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = np.diff(sorted_values[starts])
        gaps = gaps[gaps > ROUNDED_APART * (sorted_values[-1] - sorted_values[0])]
    even = 0
    if gaps.size:
        least = int(np.count_nonzero(gaps <= LIKE_THE_LEAST * gaps.min())) - 1
        even = max(least, _regular(gaps))
    often, alone, once_only = (
        int(np.count_nonzero(some)) for some in (repeated, own, own & single)
    )
    return _OwnValues(often, alone, once_only, even, _is_short(sorted_values[starts]))


def _regular(gaps: np.ndarray) -> int:
    """How many gaps follow from those beside them, if most do: they are multiples of one step
    (numbers with so many digits, whatever their size), or change steadily (whole numbers, of which
    a logarithm, a root or a sine was taken). Gaps between draws from a density follow by chance in
    one case of ten."""
    if gaps.size < 3:
        return 0
    with np.errstate(over="ignore", invalid="ignore"):
        ratios, logs = gaps[1:] / gaps[:-1], np.log(gaps)
        steps = np.abs(ratios[:, None] / SIMPLE_RATIOS - 1).min(axis=1) < LIKE_THE_LEAST - 1
        steady = np.abs(logs[2:] - 2 * logs[1:-1] + logs[:-2]) < STEADY
    count = max(int(np.count_nonzero(steps)), int(np.count_nonzero(steady)))
    return count if 2 * count > gaps.size else 0


def _is_short(values: np.ndarray) -> bool:
    return values.size <= 8 * SHOWN_EXAMPLES and all(
        float(f"{v:.1e}") == v for v in values.tolist()
    )


def _differ(values: np.ndarray, others: np.ndarray) -> bool:
    """Whether rows with one value in common have different others."""
    order = np.argsort(values, kind="stable")
    values, others = values[order], others[order]
    return bool(np.any((values[1:] == values[:-1]) & (others[1:] != others[:-1])))


def _columns(tables: tuple[Any, ...], rows: np.ndarray) -> tuple[list[int], list[int]]:
    """Columns in which these rows, of different examples, have the most different values: those
    with at least a quarter as many as there are rows, and those with at most half as many."""
    part, step = _take(tables, rows), max(1, BLOCK_NUMBERS // max(rows.size, 1))
    different = np.empty(part.shape[1], np.int64)
    for start in range(0, part.shape[1], step):
        block = part[:, start : start + step]
        block = np.sort(block.toarray() if sparse.issparse(block) else block, axis=0)
        different[start : start + step] = 1 + np.count_nonzero(block[1:] != block[:-1], axis=0)
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


def _column(tables: tuple[Any, ...], j: int) -> np.ndarray:
    parts = [
        table[:, [j]].toarray().ravel() if sparse.issparse(table) else table[:, j]
        for table in tables
    ]
    return np.concatenate(parts).astype(np.float64, copy=False)


def _is_table(X: Any) -> bool:
    return (
        (isinstance(X, np.ndarray) or (sparse.issparse(X) and X.format == "csr"))
        and X.ndim == 2
        and X.shape[1] > 0
        and X.dtype in (np.float64, np.float32)
    )


def _groups(*tables: Any) -> np.ndarray:
    """For each row the place of one with the same features, the same for all of these."""
    seen = _looked_at.get()
    if seen is None or len(tables) > 1:
        return _new_groups(tables)
    if id(tables[0]) not in seen:
        seen[id(tables[0])] = tables[0], _new_groups(tables)  # the table is kept, and so its id
    return seen[id(tables[0])][1]


def _new_groups(tables: tuple[Any, ...]) -> np.ndarray:
    """Rows that are equal have one value in common in any column, so that only such are compared;
    first by their keys, and then themselves."""
    groups = np.arange(sum(table.shape[0] for table in tables))
    rows = groups
    if not any(map(sparse.issparse, tables)):
        values = _mixed(_column(tables, _finest(tables[0])))
        first = _representatives(values)
        if not _repeats(first):
            return groups
        rows = np.flatnonzero(np.bincount(first, minlength=groups.size)[first] > 1)
    for seed in range(4):
        keys = _keys_of(tables, rows, seed)
        first = rows[_representatives(keys)]
        others = np.flatnonzero(first != rows)
        if _all_equal(tables, rows[others], first[others]):
            groups[rows] = first
            return groups
    every = _take(tables, rows)  # somebody has made rows for these keys
    every = every.toarray() if sparse.issparse(every) else every
    _, first, inverse = np.unique(every, axis=0, return_index=True, return_inverse=True)
    groups[rows] = rows[first[inverse.ravel()]]
    return groups


def _finest(X: np.ndarray) -> int:
    """The column with the most different values in some rows."""
    some = np.sort(X[np.unique(np.linspace(0, X.shape[0] - 1, 64).astype(int))], axis=0)
    return int(np.argmax(np.count_nonzero(some[1:] != some[:-1], axis=0)))


def _representatives(keys: np.ndarray) -> np.ndarray:
    """For each key the place of one that is equal to it, the same for all that are equal.

    All keys write their places into a table, at a place that depends on the key; who finds there
    the place of an equal key is done, and the others go on with another table.
    """
    place = np.int32 if keys.size < 2**31 else np.int64
    rest = np.arange(keys.size, dtype=place)
    found, mine, factor = rest.copy(), keys, 0x9E3779B97F4A7C15
    table = np.empty(1 << max(int(2 * rest.size - 1).bit_length(), 1), place)
    while rest.size:
        bits = max(int(2 * rest.size - 1).bit_length(), 1)
        slots = ((mine * np.uint64(factor)) >> np.uint64(64 - bits)).astype(np.intp)
        table[slots] = rest
        winners = table[slots]
        beaten = np.flatnonzero(winners != rest)  # who finds itself is done
        done = keys[winners[beaten]] == mine[beaten]
        found[rest[beaten[done]]] = winners[beaten[done]]
        left = beaten[~done]
        rest, mine = rest[left], mine[left]
        factor = (factor * 0xD1342543DE82EF95 + 2) % 2**64  # odd again
    return found.astype(np.int64, copy=False)


def _keys_of(tables: tuple[Any, ...], rows: np.ndarray, seed: int) -> np.ndarray:
    if rows.size == sum(table.shape[0] for table in tables):
        return np.concatenate([_keys(table, seed) for table in tables])
    step = max(1, BLOCK_NUMBERS // tables[0].shape[1])
    blocks = (rows[start : start + step] for start in range(0, rows.size, step))
    return np.concatenate([_keys(_take(tables, block), seed) for block in blocks])


def _keys(X: Any, seed: int) -> np.ndarray:
    """Σ_j r_j·mix(bits of x_j) modulo 2⁶⁴, r_j odd and random. 0 has no bits, so that it adds
    nothing: rows have the same key in every container."""
    random = np.random.default_rng(seed)
    r = random.integers(2**64, size=X.shape[1], dtype=np.uint64) | np.uint64(1)
    keys = np.empty(X.shape[0], np.uint64)
    width = X.nnz // X.shape[0] + 1 if sparse.issparse(X) else X.shape[1]
    step = max(1, BLOCK_NUMBERS // width)
    for start in range(0, X.shape[0], step):
        block = slice(start, start + step)
        if sparse.issparse(X):
            ends = X.indptr[start : start + step + 1]
            here = slice(ends[0], ends[-1])
            sums = np.zeros(ends[-1] - ends[0] + 1, np.uint64)
            np.cumsum(_mixed(X.data[here]) * r[X.indices[here]], out=sums[1:])
            keys[block] = np.diff(sums[ends - ends[0]])
        else:
            keys[block] = np.einsum("ij,j->i", _mixed(X[block]), r)
    return keys


def _mixed(values: np.ndarray) -> np.ndarray:
    """The bits of float64 numbers, −0 being 0; high bits are brought to the low ones, which many
    numbers leave empty."""
    bits = (np.ascontiguousarray(values, np.float64) + 0.0).view(np.uint64)
    bits ^= bits >> np.uint64(32)
    bits *= np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> np.uint64(29)
    return bits


def _all_equal(tables: tuple[Any, ...], rows: np.ndarray, others: np.ndarray) -> bool:
    step = max(1, BLOCK_NUMBERS // tables[0].shape[1])
    for start in range(0, rows.size, step):
        block = slice(start, start + step)
        one, other = _take(tables, rows[block]), _take(tables, others[block])
        if sparse.issparse(one):
            if (one != other).nnz:
                return False
        elif not np.array_equal(one, other):
            return False
    return True


def _take(tables: tuple[Any, ...], rows: np.ndarray) -> Any:
    """Rows of tables that stand one below the other; a matrix if one of the tables is sparse."""
    if len(tables) == 1:
        return tables[0][rows]
    first, second = tables
    if sparse.issparse(first) or sparse.issparse(second):
        first, second = (sparse.csr_array(table, dtype=np.float64) for table in tables)
        inside, m = rows < first.shape[0], first.shape[0]
        parts = sparse.vstack([first[rows[inside]], second[rows[~inside] - m]], format="csr")
        back = np.empty(rows.size, np.int64)
        back[np.append(np.flatnonzero(inside), np.flatnonzero(~inside))] = np.arange(rows.size)
        return parts[back]
    inside = rows < first.shape[0]
    found = np.empty((rows.size, first.shape[1]))
    found[inside] = first[rows[inside]]
    found[~inside] = second[rows[~inside] - first.shape[0]]
    return found
