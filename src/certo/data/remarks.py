"""What a person may want to know of a table before trusting what was learned from it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sklearn.preprocessing import StandardScaler

from certo.certificates.encoding import counted
from certo.data import columns
from certo.data.word_counts import MIN_PROSE_LEVELS, MIN_PROSE_WORDS
from certo.words.reader import setting

MAX_NOTES_OF_A_KIND = 5  # Columns that are named one by one for the same reason.
MAX_TEXT_SHOWN = 60  # Characters of a cell.
# Texts that are often written for a missing value.
MISSING_TEXTS = {"?", "na", "n/a", "nan", "null", "none", "-", "."}

# Numbers as people write them: with a decimal comma, or with digits in groups of three.
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
GROUPED_DIGITS = re.compile(
    r"[+-]?\d{1,3}(?P<group>[., '’\u00a0\u202f])\d{3}((?P=group)\d{3})*([.,]\d+)?"
)
DATE = re.compile(
    r"(\d{1,2}([./-])\d{1,2}\2(\d{4}|\d{2})|\d{4}([./-])\d{1,2}\4\d{1,2})([ T]\d{1,2}:.*)?"
)


class LeftOut(NamedTuple):
    """How many rows of how many were left out for missing values, and why: the target is a text
    that was said to mean a missing value, the target is empty, or a feature is missing."""

    rows: int = 0
    by_word: int = 0
    unlabelled: int = 0
    incomplete: int = 0

    @classmethod
    def of(cls, read: pa.Table, marked: pa.Table, target: str | None, kept: int) -> LeftOut:
        """From the table as it was read, and with texts taken for missing values."""
        empty, gone = (
            0 if target is None else table.column(target).null_count for table in (read, marked)
        )
        rows = read.num_rows
        if rows == kept:
            return cls(rows)
        return cls(rows, gone - empty, empty, rows - kept - gone)

    @property
    def total(self) -> int:
        return self.by_word + self.unlabelled + self.incomplete

    @property
    def _why(self) -> str:
        why = [
            (self.by_word, f"the target is a value that {setting('na')} names"),
            (self.unlabelled, "the target is empty"),
            (self.incomplete, "a feature is missing"),
        ]
        return ", ".join(f"in {n:,} {reason}" for n, reason in why if n)

    @property
    def notes(self) -> list[str]:
        """What became of rows, if any was left out."""
        return [self.remark] * bool(self.total)

    @property
    def remark(self) -> str:
        """Which rows no claim speaks of; nothing, if claims speak of all."""
        if not self.total:
            return ""
        were = "was" if self.total == 1 else "were"
        return (
            f"{self.total:,} of {counted(self.rows, 'row')} {were} left out for missing values "
            f"({self._why}): no result here, and no claim about new data, covers such rows."
        )

    @property
    def why_no_draws(self) -> str:
        """Why those that are left are not draws from the population of all rows; nothing, if they
        may be draws from the population of the complete ones."""
        if not self.by_word:
            return ""
        were = "row was" if self.by_word == 1 else "rows were"
        return (
            f"{self.by_word:,} {were} left out because of the value of the target "
            f"({setting('na')}), so the others are not draws from the population of all rows. If "
            "such rows are not part of the population, remove them from the table first."
        )


def about_names(table: pa.Table) -> list[str]:
    """Column names that look like a row of data: numbers, which do not just count the columns, or
    texts that occur in their own column."""
    names = table.column_names
    found = [name for name in names if is_number(name)]
    values = np.array([float(name) for name in found])
    is_row = 4 * len(found) >= 3 * len(names) and not np.all(np.diff(values) == 1)
    why = f"{len(found)} of {len(names)} are numbers"
    if not is_row:
        found = [name for name in names if _occurs(name, table.column(name))]
        why = f"{counted(len(found), 'name')} also {'occurs' if len(found) == 1 else 'occur'} below"
    if not found:
        return []
    shown = ", ".join(found[:3]) + ", …" * (len(found) > 3)
    return [
        f"the first line was taken as the names of the columns, but {why} ({shown}): if the file "
        f"has no header line, say so with {setting('no-header')}."
    ]


def _occurs(name: str, column: pa.ChunkedArray) -> bool:
    return pa.types.is_string(column.type) and bool(pc.any(pc.equal(column, name)).as_py())


def about_numbers(names: Sequence[str], numbers: np.ndarray) -> list[str]:
    """Constant columns."""
    constant = [
        (name, f"column {name!r} is constant ({float(column[0]):g}).")
        for name, column in zip(names, numbers.T, strict=True)
        if column.min() == column.max()
    ]
    return _few(constant, "are constant")


def about_row_numbers(names: Sequence[str], table: pa.Table, places: np.ndarray) -> list[str]:
    """Columns of numbers that count the rows of the file, in which the rows of the table have these
    places."""
    counting = [
        (name, f"column {name!r} numbers the rows. Consider {setting('drop', [name])}.")
        for name in names
        if places.size > 2 and np.ptp(columns.numbers(table.column(name), name) - places) == 0
    ]
    return _few(counting, "number the rows")


def _few(notes: list[tuple[str, str]], what: str) -> list[str]:
    """A note on each of a few columns, or one on all of many."""
    if len(notes) <= MAX_NOTES_OF_A_KIND:
        return [note for _, note in notes]
    some = ", ".join(repr(name) for name, _ in notes[:3])
    return [f"{len(notes):,} columns {what}, such as {some}."]


def about_scaling(names: Sequence[str], numbers: np.ndarray, scaler: StandardScaler) -> list[str]:
    """Columns with different values of which (value − mean)/scale is one float64 number. It never
    falls as the value grows, so neighbours in order are the ones to compare."""
    notes = []
    for j, name in enumerate(names):
        values = np.sort(numbers[:, j])
        scaled = (values - scaler.mean_[j]) / scaler.scale_[j]
        merged = int(np.count_nonzero((values[1:] > values[:-1]) & (scaled[1:] == scaled[:-1])))
        if merged:
            text = (
                f"column {name!r}: float64 rounds {counted(merged, 'pair')} of different values to "
                "one scaled number, and all that is proved is about the scaled numbers. With "
                f"{setting('scale', 'none')} it is about the table's own."
            )
            notes.append((name, text))
    return _few(notes, "have different values of which scaling makes one number")


def about_texts(
    names: Sequence[str],
    texts: np.ndarray,
    texts_of_file: Collection[str] = (),
    asked_for: Collection[str] = (),
) -> list[str]:
    """Constant columns, names of rows, sentences (of columns that were not `asked_for`), numbers
    spoilt by a few words, blanks around the text."""
    notes: list[str] = []
    blank: list[tuple[str, str]] = []
    unknown: dict[str, list[str]] = {}
    for name, cells in zip(names, texts.T, strict=True):
        levels, counts = np.unique(cells, return_counts=True)
        what, how = ("", "") if name in asked_for else unread_numbers(levels)
        if levels.size == 1:
            notes.append(f"column {name!r} is constant ({shown(levels[0])}).")
        elif what:
            notes.append(f"column {name!r} {what}; each is taken as a category. {how}")
        elif levels.size > 20 and 2 * levels.size > cells.size:
            notes.append(
                f"column {name!r} has {levels.size:,} different values in {cells.size:,} rows: it "
                f"nearly identifies the rows. Consider {setting('drop', [name])}."
            )
        elif (
            levels.size > MIN_PROSE_LEVELS
            and name not in asked_for
            and np.mean([len(level.split()) for level in levels]) >= MIN_PROSE_WORDS
        ):
            notes.append(
                f"column {name!r} has {levels.size:,} levels of several words. To count its words "
                f"instead: {setting('text', [name])}."
            )
        odd = np.array([level.strip().lower() in MISSING_TEXTS for level in levels])
        for level in levels[odd]:
            unknown.setdefault(level.strip(), []).append(name)
        numeric = np.array([is_number(level) for level in levels])
        if (
            not what
            and not odd.any()
            and not numeric.all()
            and 2 * counts[numeric].sum() > cells.size
        ):
            notes.append(
                f"column {name!r} is mostly numbers, but is taken as text because of cells such as "
                f"{shown(levels[~numeric][0])}."
            )
        elif numeric.all() and name in texts_of_file:
            notes.append(
                f"column {name!r} is text in the file and is treated as text, although all its "
                f"values could be numbers, such as {shown(levels[0])}."
            )
        blank += [(name, level) for level in levels if level != level.strip()][:1]
    for word, where in unknown.items():
        notes.append(
            f"{word!r} stands in column {', '.join(map(repr, where))} and is treated as a value "
            f"like any other. If it means that a value is missing: {setting('na', [word])}."
        )
    if blank:
        name, level = blank[0]
        notes.append(
            f"the text in {counted(len(blank), 'column')} has blanks around it, such as "
            f"{shown(level)} in column {name!r}; they are kept."
        )
    return notes


def shown(text: str) -> str:
    """A text in quotation marks, or the beginning of a long one."""
    return repr(text) if len(text) <= MAX_TEXT_SHOWN else f"{text[:MAX_TEXT_SHOWN]!r}…"


def about_prose(name: str, terms: np.ndarray, was_asked_for: bool) -> list[str]:
    """What became of a column of text."""
    pairs = sum(" " in term for term in terms.tolist())
    many = f"{counted(len(terms) - pairs, 'word')} and {counted(pairs, 'pair')} of neighbours"
    said = f"the words of column {name!r} are counted ({many})"
    if was_asked_for:
        return [f"{said}."]
    levels, without = setting("category", [name]), setting("drop", [name])
    return [
        f"{said}, since most of its cells differ and have several words. To take its values as "
        f"levels instead: {levels}; to leave it out: {without}."
    ]


def about_words(not_found: Sequence[str]) -> list[str]:
    """Texts that were said to mean a missing value."""
    return [
        f"{setting('na', [word])} made no difference: no cell has that text, or it was "
        "already read as missing."
        for word in not_found
    ]


def about_labels(target: str, labels: np.ndarray) -> list[str]:
    """Classes that only blanks or capitals tell apart, which a reader may take for one, and those
    that look like numbers or dates."""
    if labels.dtype.kind != "U":
        return []
    alike: dict[str, list[str]] = {}
    different = np.unique(labels).tolist()
    for label in different:
        alike.setdefault(" ".join(label.split()).casefold(), []).append(label)
    what, how = unread_numbers(different)
    notes = [f"the target {target!r} {what}; each is taken as a class. {how}"] if what else []
    return notes + [
        f"the target {target!r} has the different classes {', '.join(map(repr, some))}: only "
        "blanks or capitals tell them apart."
        for some in alike.values()
        if len(some) > 1
    ]


def unread_numbers(levels: Iterable[Any]) -> tuple[str, str]:
    """What texts hold that a person reads as numbers or dates, and what to do about it; nothing,
    where some text is neither.

    >>> unread_numbers(["17.005,01", "900"])[0]
    "seems to hold numbers with a decimal comma or a thousands separator, such as '17.005,01'"
    >>> unread_numbers(["13.03.2024", "2.4.2024"])[0]
    "seems to hold dates as text, such as '13.03.2024'"
    >>> unread_numbers(["1", "2"]), unread_numbers(["1,5", "n/a"])
    (('', ''), ('', ''))
    """
    texts = [str(level).strip() for level in levels]
    unread = [text for text in texts if not is_number(text)]
    if not unread:
        return "", ""
    if all(map(DATE.fullmatch, texts)):
        return f"seems to hold dates as text, such as {texts[0]!r}", columns.DATES_AS_NUMBERS
    if all(DECIMAL_COMMA.fullmatch(text) or GROUPED_DIGITS.fullmatch(text) for text in unread):
        what = "seems to hold numbers with a decimal comma or a thousands separator, such as"
        how = "Write numbers with digits and a decimal point only, as in 1234.5."
        return f"{what} {unread[0]!r}", how
    return "", ""


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def not_a_number(column: pa.ChunkedArray, places: np.ndarray | None = None) -> str:
    """The first cell of a text column that is not a number, in words; or the column's type. The
    `places` of rows in their file are given where these are not all of it."""
    if pa.types.is_string(column.type):
        for row, cell in enumerate(column.to_pylist()):
            if cell is not None and not is_number(cell):
                return f"{cell!r} in row {row + 1 if places is None else places[row]}"
    return f"{column.type}"
