r"""Test rows that are rows of the fit.

For any distribution: they are in both more often than the rows of one sample fall into both parts
of it (`_shared`). And for fine values by the rule of `copies`, with values that both have in place
of values that repeat: rows with their labels, and rows that occur once in the fit, whatever label
they have in the test. No value is allowed for then that occurs only once in the fit. Where such
rows are copies, all test rows that are rows of the fit are left out of the count; unless rows
repeat within fit or test, too, so that leaving them out might change the population (`_without`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from certo.certificates.sample.copies import (
    Examples,
    are_copies,
    common_divisor,
    different_examples,
    log_lower_tail,
)
from certo.certificates.sample.equal_rows import (
    equal_numbers,
    equal_rows,
    has_equal_rows,
    is_table,
    numbers_of,
    tables_of,
)

SHARED_LEVEL = 1e-6  # Probability of refusing independent draws for shared rows.
COARSE_ROWS = 2**15  # Rows that are compared up to their last digits.
COARSE_COLUMNS = 4  # Columns used to compare rows up to their last digits.
COARSE_BITS = 7  # Bits of a float32 rounded off, which leaves five digits.


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
        are = "is also a training row" if n == 1 else "are also training rows"
        if self.left_out.any():
            n = int(np.count_nonzero(self.left_out))
            rows = "is a training row: it is" if n == 1 else "are training rows: they are"
            return f"{n:,} of the {of:,} test rows {rows} not counted."
        return (
            f"{n:,} of the {of:,} test rows {are}, no more than equal rows within the training "
            "rows lead one to expect: all are counted. Bounds are too low if these are copies."
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
    same_width = is_table(X) and is_table(X_test) and X.shape[1] == X_test.shape[1]
    if not same_width or not m or not none.size:
        return Known(none, none)
    groups = equal_rows(X, X_test)
    if not has_equal_rows(groups):
        same, features = none, none
    else:
        found = different_examples(groups, np.concatenate((codes, test_codes)))
        rows = different_examples(groups, np.zeros(groups.size, np.int64))
        same, features = _in_fit(found, m), _in_fit(rows, m)
        if (same.any() and are_copies(written, found, m)) or (
            features.any() and are_copies(written, rows, m, once=True)
        ):
            return _without(same, features, groups)
        if common_divisor(found.times):
            return Known(same, ~none, "the test rows repeat the training rows.")
        if _shared(groups, m):
            return Known(same, ~none, _too_many(features))
    if not (sparse.issparse(X) or sparse.issparse(X_test)):
        some, of_test = (table[:: -(-table.shape[0] // COARSE_ROWS)] for table in (X, X_test))
        for keys, how in _coarse(some, of_test):
            alike = equal_numbers(keys)
            if has_equal_rows(alike) and _shared(alike, len(some)):
                known = np.isin(alike[len(some) :], alike[: len(some)])
                return Known(same, ~none, _too_many(known, how))
    return Known(same, none)


def _without(same: np.ndarray, features: np.ndarray, groups: np.ndarray) -> Known:
    """Test rows that are rows of the fit left out. If rows of the fit, or of the test, are the same
    among themselves, then rows with the same values may be frequent in new data, too, and the
    others alone say nothing of these."""
    if features.all():
        return Known(same, features, "all test rows are training rows.")
    m, n = groups.size - features.size, int(np.count_nonzero(features))
    if all(np.bincount(part).max() == 1 for part in (groups[:m], groups[m:])):
        return Known(same, features)
    why = (
        f"{n:,} of the {features.size:,} test rows are training rows, in columns whose "
        "values look too fine for that to happen by chance. Remove them, and rows that repeat "
        "others, from fit and test."
    )
    return Known(same, np.ones(features.size, bool), why)


def _too_many(known: np.ndarray, how: str = "") -> str:
    n = int(np.count_nonzero(known))
    return (
        f"{n:,} of {known.size:,} test rows are training rows{how}, far more than rows "
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
    return log_lower_tail(times.size - seen, times.size, 1 - expected) <= room


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


def _in_fit(found: Examples, m: int) -> np.ndarray:
    """Which test examples are among the m of the fit."""
    return found.times_in_fit(m)[found.ids[m:]] > 0


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
