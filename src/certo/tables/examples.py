"""The rows of a table as a machine sees them: encoded, with what a person should know of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from certo.certificates.encoding import counted
from certo.data import columns
from certo.data.encoder import TableEncoder, advice_in_fit, advice_on_target, have, told_apart
from certo.data.fingerprint import fingerprint
from certo.data.problem import Problem
from certo.data.remarks import (
    MISSING_TEXTS,
    LeftOut,
    about_labels,
    about_names,
    about_row_numbers,
    about_words,
    is_number,
    not_a_number,
    unread_numbers,
)
from certo.tables.held_out import HeldOut
from certo.words.reader import reading, setting

MAX_NUMERIC_CLASSES = 100  # A numeric target with more different values is a measurement.
MAX_TABLE_COLUMNS = 50_000  # More columns take too long, and none is of use.
MAX_CELL_BYTES = 1_000_000  # A longer text is no level of a category.
MIN_ROWS_OF_NUMBERS, MAX_WORDS_SHARE = 40, 0.05  # From when on words among numbers are a mistake.
MAX_FEW_CLASSES = 20  # More texts than this, most of them in one row each, name the rows.
SCALED = " (scaled)"  # Behind the name of a column of numbers that were scaled.


@dataclass(frozen=True)
class Examples:
    """The rows of a table as a machine sees them, and where they come from."""

    X: Any
    y: np.ndarray  # Zeros, if there is no target.
    encoder: TableEncoder
    table: pa.Table  # The rows used, as they are in the file.
    places: np.ndarray  # Their numbers in the file, counting from 1.
    target: str | None  # None: a density of the rows is fitted.
    missing: str
    na: tuple[str, ...]
    data_fingerprint: str
    notes: list[str]
    left_out: LeftOut
    held_out: Rows | None = None  # Rows of the table that the fit does not see.

    @property
    def measured(self) -> bool:
        """Whether the target is a number to predict, rather than a class."""
        return self.y.dtype.kind == "f"

    @property
    def feature_names(self) -> list[str]:
        """Names of the columns of X, for people."""
        names = list(self.encoder.get_feature_names_out())
        if self.encoder.scaler_ is not None:
            numeric = self.encoder.number_names_
            names[: len(numeric)] = [name + SCALED for name in numeric]
        return told_apart(names)

    def reading(self, some: Any = slice(None)) -> AbstractContextManager[None]:
        """Sentences within are for a reader of the file: about all examples, or about some."""
        return reading(places=self.places[some], columns=self.feature_names)


class Rows(NamedTuple):
    """Rows of a table as the machine of a fit takes them."""

    X: Any
    y: np.ndarray
    places: np.ndarray  # Their numbers in the file, counting from 1.
    strange: list[str]  # Levels that the fit never saw.
    left_out: LeftOut
    merged: list[str]  # Columns of which scaling makes one number of several.
    table: pa.Table | None = None  # The rows as they are in the file, where that is at hand.

    @property
    def notes(self) -> list[str]:
        """What became of rows, levels and numbers."""
        return [*self.left_out.notes, *self.strange, *self.merged]

    @property
    def pair(self) -> tuple[Any, np.ndarray]:
        return self.X, self.y

    @classmethod
    def of(cls, X: Any, y: np.ndarray) -> Rows:
        """All rows of a table, as they are."""
        return cls(X, y, np.arange(1, len(y) + 1), [], LeftOut(len(y)), [])


def encode_table(
    table: Any,
    target: str | None,
    *,
    scale: str = "standard",
    missing: str = "refuse",
    na: tuple[str, ...] = (),
    drop: tuple[str, ...] = (),
    category: tuple[str, ...] = (),
    text: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
    measured: bool = False,
    reference_levels: bool = False,
    held_out: HeldOut | None = None,
) -> Examples:
    """A table's columns as numbers, and its target, if there is one, as labels, or if `measured` as
    numbers too.

    The table is an Arrow table or a data frame; `notes` are remarks on it to keep. With
    `reference_levels` the first level of each category has no feature of its own. Of rows that are
    `held_out` nothing is learnt here.
    """
    table, targets = columns.as_table(table), () if target is None else (target,)
    for name in (*targets, *drop, *category, *text):
        if name not in table.column_names:
            what = "target column" if name == target else "column"
            hints = " ".join([have(table, name), *(f"Note: {n}" for n in about_names(table))])
            raise Problem(f"there is no {what} {name!r}. {hints}", column=name)
    if target in (*drop, *category, *text):
        raise Problem(f"the target {target!r} cannot be dropped, nor is it a feature.")
    if missing not in ("refuse", "drop"):
        raise Problem(f"{setting('missing')} must be 'refuse' or 'drop', got {missing!r}.")
    encoder = TableEncoder(scale, drop, category, reference_levels, text)
    marked = columns.with_missing(table, na, (*category, *text))
    _refuse_unusual(marked, {*targets, *drop}, (*category, *text))
    used, places = _usable_rows(marked, target, drop, missing, advice_in_fit, category)
    left_out = LeftOut.of(table, marked, target, used.num_rows)
    y = _answers(used, target, measured, places)
    if target is not None and not measured:
        _refuse_many_classes(y, target)
    unseen = np.zeros(used.num_rows, dtype=bool)
    if held_out is not None:
        # An error in any row is found in the whole table, where rows have their numbers.
        TableEncoder("none", drop, category, text=text).fit(used.drop_columns(list(targets)))
        unseen = held_out.of(table.num_rows)[places - 1]
        if unseen.all() or not unseen.any():
            raise Problem(
                f"{setting('test', held_out.share)} must leave rows to fit to and rows to test on, "
                f"but of {counted(len(unseen), 'row')} it holds out {int(unseen.sum()):,}."
            )
    seen = used.filter(pa.array(~unseen))
    encoder.fit(seen.drop_columns(list(targets)))
    said = [
        *notes,
        *about_names(table),
        *left_out.notes,
        *about_words(columns.words_not_found(table, na)),
        *([] if target is None else about_labels(target, y)),
        *_repetitions(used.drop_columns(list(drop))),
        *about_row_numbers(encoder.number_names_, seen, places[~unseen]),
        *encoder.notes_,
    ]
    rest = None
    if held_out is not None:
        others = used.filter(pa.array(unseen))
        rest = Rows(
            encoder.transform(others), y[unseen], places[unseen], encoder.unseen_levels(others),
            left_out, encoder.about_scaling(others), others,
        )  # fmt: skip
        said += [f"rows held out to test: {note}" for note in (*rest.strange, *rest.merged)]
    return Examples(
        encoder.transform(seen), y[~unseen], encoder, seen, places[~unseen], target, missing, na,
        fingerprint(table), said, left_out, rest,
    )  # fmt: skip


def encode_rows(
    table: pa.Table,
    encoder: TableEncoder,
    target: str | None,
    missing: str,
    na: Sequence[str],
    measured: bool,
    advice: Callable[[], str],
) -> Rows:
    """A table, encoded as the examples of a fit were; `advice` is what to do about missing values.
    Columns that the fit did not use make no difference."""
    read, table = table, columns.with_missing(table, na, encoder.names_as_text)
    ignored = set(table.column_names) - {target, *encoder.column_names}
    encoder.check_columns(table)
    kept, places = _usable_rows(table, target, ignored, missing, advice, encoder.category_names_)
    left_out = LeftOut.of(read, table, target, kept.num_rows)
    strange = encoder.unseen_levels(kept)
    X, y = encoder.encode(kept, advice), _answers(kept, target, measured, places)
    return Rows(X, y, places, strange, left_out, encoder.about_scaling(kept), kept)


def _refuse_unusual(table: pa.Table, ignored: Collection[str], category: Collection[str]) -> None:
    """A table that is no table of examples, from what its columns look like."""
    if table.num_columns > MAX_TABLE_COLUMNS:
        raise Problem(
            f"a table may have at most {MAX_TABLE_COLUMNS:,} columns, but this one has "
            f"{table.num_columns:,}. Are its rows and columns exchanged?"
        )
    for name, column in zip(table.column_names, table.columns, strict=True):
        if name in ignored or not columns.is_text(column.type):
            continue
        lengths = pc.binary_length(column)
        if (longest := pc.max(lengths).as_py() or 0) > MAX_CELL_BYTES:
            row = 1 + pc.index(lengths, longest).as_py()
            raise Problem(
                f"a cell may hold at most {MAX_CELL_BYTES:,} bytes, but that of column {name!r} in "
                f"row {row} has {longest:,}. Is a quotation mark missing there?",
                column=name,
            )
        if name not in category:
            _refuse_spoilt_numbers(name, column)


def _refuse_spoilt_numbers(name: str, column: pa.ChunkedArray) -> None:
    """Numbers of which a few are words: to take each number as a level of its own would be wrong.
    (Words that mean a missing value somewhere are pointed out in a note.)"""
    counts = column.drop_null().value_counts()
    words = [
        (item["values"], item["counts"])
        for item in counts.to_pylist()
        if not is_number(item["values"])
    ]
    many, others = len(column) - column.null_count, sum(count for _, count in words)
    if others and many >= MIN_ROWS_OF_NUMBERS and others <= MAX_WORDS_SHARE * many:
        word = words[0][0]
        if word.strip().lower() in MISSING_TEXTS:
            return
        what, how = unread_numbers(word for word, _ in words)
        if what:
            raise Problem(
                f"column {name!r} {what} ({counted(others, 'such row')}). {how}", column=name
            )
        row = 1 + pc.index(column, pa.scalar(word, column.type)).as_py()
        raise Problem(
            f"column {name!r} holds numbers, but {word[:40]!r} in row {row} "
            f"({counted(others, 'such row')}). Correct it; or, if it means a missing value: "
            f"{setting('na', [word[:40]])}; or, if the numbers are codes: "
            f"{setting('category', [name])}.",
            column=name,
        )


def _usable_rows(
    table: pa.Table,
    target: str | None,
    ignored: Collection[str],
    missing: str,
    advice: Callable[[], str],
    categories: Collection[str],
) -> tuple[pa.Table, np.ndarray]:
    """The rows of a table that a model is fitted to, and their numbers in it, counting from 1.

    With missing="drop" those without missing values; else all, and a missing label is refused.
    Numbers that are `categories` are taken as they are.
    """
    if target is not None and target not in table.column_names:
        raise Problem(f"there is no target column {target!r}. {have(table, target)}", column=target)
    gone, unused = np.zeros(table.num_rows, dtype=bool), set(ignored)
    for name, column in zip(table.column_names, table.columns, strict=True):
        if name in unused:
            continue
        is_number = name != target and columns.kind_of(column, name) == columns.NUMBER
        if is_number and name not in categories:
            columns.numbers(column, name)  # Infinite values are refused, by their row in the file.
        gone |= column.is_null().to_numpy()
    unlabelled = 0 if target is None else table.column(target).null_count
    if missing == "refuse":
        if unlabelled:
            raise Problem(
                f"the target {target!r} must have a value in every row, but it is missing in "
                f"{counted(unlabelled, 'row')}. "
                f"{(advice_on_target if advice is advice_in_fit else advice)()}",
                column=target,
            )
        return table, 1 + np.arange(table.num_rows)
    if gone.all():
        raise Problem("every row has a missing value, so no row is left.")
    return table.filter(pa.array(~gone)) if gone.any() else table, 1 + np.flatnonzero(~gone)


def _answers(table: pa.Table, target: str | None, measured: bool, places: np.ndarray) -> np.ndarray:
    """The target column: numbers if it is `measured`, else labels; zeros, if there is none. Rows
    have these `places` in their file."""
    if target is None:
        return np.zeros(table.num_rows, dtype=np.int8)
    if not measured:
        return columns.labels(table, target, places)
    column = table.column(target)
    if columns.kind_of(column, target, is_target=True) != columns.NUMBER:
        what, how = unread_numbers(column.drop_null().unique().to_pylist())
        if what:
            raise Problem(f"the target {target!r} {what}, which is text. {how}", column=target)
        raise Problem(
            f"the target {target!r} must hold numbers for a regression, but it holds "
            f"{not_a_number(column, places)}. Choose another column, or a machine for classes "
            "(logistic).",
            column=target,
        )
    return columns.numbers(column, target, places)


def refuse_one_class(examples: Examples) -> None:
    classes = np.unique(examples.y)
    if len(classes) < 2:
        only, rows = classes[0].item(), counted(len(examples.y), "row")
        why = f"{only!r} is the only value in the {rows} of the column"
        if (rest := examples.held_out) is not None:
            why = f"{only!r} is the only value in all {len(examples.y) + len(rest.y):,} rows"
            if np.any(rest.y != only):
                seed = setting("seed")
                why = f"only {only!r} occurs outside the rows held out ({seed} draws others)"
        raise Problem(
            f"the target {examples.target!r} must hold at least two classes, but {why}.",
            column=examples.target,
        )


def most_frequent(y: np.ndarray) -> tuple[Any, int]:
    """The label of the most rows, the first of several, and of how many; None of no row."""
    if not y.size:
        return None, 0
    labels, counts = np.unique(y, return_counts=True)
    return labels[counts.argmax()].item(), int(counts.max())


def _refuse_many_classes(y: np.ndarray, target: str) -> None:
    classes, is_number = np.unique(y), y.dtype.kind in "iu"
    many = is_number and len(classes) > MAX_NUMERIC_CLASSES
    if many or (len(classes) > MAX_FEW_CLASSES and 2 * len(classes) > len(y)):
        unread, how = unread_numbers(classes)
        if unread:
            raise Problem(
                f"the target {target!r} {unread}, which is text, and {len(classes):,} different "
                f"values in {len(y):,} rows are no classes. {how}",
                column=target,
            )
        what, looks, machine = "values in", "so is nearly an identifier of the rows", ""
        if is_number:
            what, looks = "numbers in", "so looks continuous"
            machine = f"; for a number to predict there is the machine {columns.NUMBERS_MACHINE}"
        raise Problem(
            f"the target {target!r} must hold classes, but it has {len(classes):,} different "
            f"{what} {len(y):,} rows, and {looks}. Choose a column with classes, or turn it into "
            f"classes first{machine}.",
            column=target,
        )


def _repetitions(used: pa.Table) -> list[str]:
    distinct = used.group_by(used.column_names).aggregate([]).num_rows
    if distinct == used.num_rows:
        return []
    return [f"{counted(used.num_rows - distinct, 'exact repetition')} of other rows."]
