"""A table's columns as numbers: scaled or as they are, one 0/1 feature for each level, and counts
of the words of a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from certo.certificates.encoding import counted
from certo.data import columns, remarks, word_counts
from certo.data.problem import Problem
from certo.words.reader import setting

MAX_NAMES_TOLD = 3  # Columns that an error names beside the first.
MAX_COLUMNS_TOLD = 12  # Columns that are named where one is not found.
MIN_RANGE = 1e-140  # Differences below this are lost when squared.
MIN_DENSE_SHARE = 0.3  # A matrix with a larger share of non-zeros is kept dense.


def advice_in_fit() -> str:
    """What to do about missing values."""
    rows, column = setting("missing", "drop"), setting("drop")
    return f"Fill them in, or leave out those rows ({rows}) or the column ({column})."


def advice_on_target() -> str:
    """The same about the target, without which there is nothing to fit."""
    return f"Fill them in, or leave out those rows ({setting('missing', 'drop')})."


def advice_in_predict() -> str:
    """The same for rows that are predicted for."""
    drop, empty = setting("missing", "drop"), setting("missing", "empty")
    return (
        f"Fill them in, leave those rows out ({drop}), or leave their predictions empty ({empty})."
    )


def advice_in_verify() -> str:
    """The same for rows that must be those of a fit."""
    return "Fill them in, or leave those rows out of the file: the model takes none of them."


class TableEncoder(TransformerMixin, BaseEstimator):
    """Encode the feature columns of a table by name.

    A table is an Arrow table, or a pandas or polars data frame.

    Parameters
    ----------
    scale : {"standard", "none"}, default="standard"
        Give every numeric column mean 0 and variance 1, or leave it.
    drop : tuple of str, default=()
        Columns to leave out.
    category : tuple of str, default=()
        Columns of integers to take as categories (codes, say), as text always is.
    text : tuple of str, default=()
        Columns of text whose words are counted, beside those that `word_counts.is_prose` finds.
    reference_levels : bool, default=False
        Leave out the first level of each category, which the others are then compared with. With
        an intercept the features of all levels would say one thing twice: they add up to 1.

    Attributes
    ----------
    number_names_, category_names_ : list of str
        The columns used, by kind.
    prose_names_ : list of str
        The columns of text whose words are counted.
    text_names_ : list of str
        Those of the categories that held text, and those whose words are counted.
    scaler_ : StandardScaler or None
    levels_ : OneHotEncoder or None
    vocabularies_ : list of arrays of str
        For each of `prose_names_` the words and pairs of words that are counted, in order.
    notes_ : list of str
        What the table has that a person may want to know.
    """

    def __init__(self, scale="standard", drop=(), category=(), reference_levels=False, text=()):
        self.scale = scale
        self.drop = drop
        self.category = category
        self.reference_levels = reference_levels
        self.text = text

    def fit(self, table: Any, y=None) -> TableEncoder:
        table = columns.as_table(table)
        if self.scale not in ("standard", "none"):
            raise Problem(f"the scaling must be 'standard' or 'none', got {self.scale!r}.")
        for name in (*self.drop, *self.category, *self.text):
            if name not in table.column_names:
                raise Problem(f"there is no feature column {name!r}. {have(table, name)}")
        names = [name for name in table.column_names if name not in self.drop]
        if not names:
            raise Problem("no feature column is left to learn from: the target is not one.")
        kinds = {name: self._kind(table.column(name), name) for name in names}
        self.number_names_ = [name for name in names if kinds[name] == columns.NUMBER]
        self.category_names_ = [name for name in names if kinds[name] == columns.CATEGORY]
        self.prose_names_ = [name for name in names if kinds[name] == columns.TEXT]
        self.text_names_ = [
            name
            for name in (*self.category_names_, *self.prose_names_)
            if columns.is_text(table.column(name).type)
        ]
        numbers = self._numbers(table, advice_in_fit)
        categories = self._categories(table, advice_in_fit)
        self._refuse_tiny(numbers)
        self.notes_ = remarks.about_numbers(self.number_names_, numbers)
        self.notes_ += remarks.about_texts(
            self.category_names_, categories, self.text_names_, self.category
        )
        self.scaler_ = self.levels_ = None
        if self.scale == "standard" and self.number_names_:
            self.scaler_ = StandardScaler().fit(numbers)
            self.notes_ += remarks.about_scaling(self.number_names_, numbers, self.scaler_)
        if self.category_names_:
            self.levels_ = new_level_encoder().fit(categories)
        self.vocabularies_ = []
        for name, cells in self._prose(table, advice_in_fit):
            terms = word_counts.vocabulary(name, cells)
            self.vocabularies_.append(terms)
            self.notes_ += remarks.about_prose(name, terms, name in self.text)
        return self

    def about_scaling(self, table: pa.Table) -> list[str]:
        """Columns of which different values are one number when scaled, in sentences."""
        if self.scaler_ is None:
            return []
        numbers = self._numbers(table, advice_in_fit)
        return remarks.about_scaling(self.number_names_, numbers, self.scaler_)

    @property
    def is_fitted_to_data(self) -> bool:
        """Whether the encoding depends on the values seen in `fit` (scales, levels, words)."""
        check_is_fitted(self)
        return self.scaler_ is not None or self.levels_ is not None or bool(self.vocabularies_)

    def transform(self, table: Any):
        """A float64 matrix: numbers, levels of each category, words of each text; CSR if sparse."""
        return self.encode(table, advice_in_predict)

    def encode(self, table: Any, advice: Callable[[], str]):
        """The same; `advice` is what to do about missing values."""
        check_is_fitted(self)
        table = columns.as_table(table)
        self.check_columns(table)
        parts = []
        if self.number_names_:
            numbers = self._numbers(table, advice)
            parts.append(numbers if self.scaler_ is None else self.scaler_.transform(numbers))
        if self.levels_ is not None:
            found = self.levels_.transform(self._categories(table, advice)).tocsc()
            first = [k == 0 for _, levels in self._levels() for k in range(len(levels))]
            parts.append(found[:, ~np.array(first)] if self.reference_levels else found)
        texts = self._prose(table, advice)
        for (_, cells), terms in zip(texts, self.vocabularies_, strict=True):
            parts.append(word_counts.counts(cells, terms))
        if len(parts) == 1 and not sparse.issparse(parts[0]):
            return parts[0]
        stacked = sparse.hstack(parts, format="csr")
        is_dense = stacked.nnz > MIN_DENSE_SHARE * np.prod(stacked.shape)
        return stacked.toarray() if is_dense else stacked

    @property
    def column_names(self) -> list[str]:
        return [*self.number_names_, *self.category_names_, *self.prose_names_]

    @property
    def names_as_text(self) -> list[str]:
        """Columns whose cells are texts to the encoder, even if they look like numbers."""
        return [*self.category_names_, *self.prose_names_]

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        check_is_fitted(self)
        names = list(self.number_names_)
        for name, levels in self.level_features():
            names += [f"{name} = {level}" for level in levels]
        for name, terms in self.term_features():
            names += [f"{name}: {term}" for term in terms]
        return np.array(told_apart(names), dtype=object)

    def level_features(self) -> list[tuple[str, np.ndarray]]:
        """Each category with those of its levels that have a feature of their own."""
        return [(name, levels[int(self.reference_levels) :]) for name, levels in self._levels()]

    def term_features(self) -> list[tuple[str, np.ndarray]]:
        """Each text with the words and pairs of words that are counted in it."""
        return list(zip(self.prose_names_, self.vocabularies_, strict=True))

    def references(self) -> dict[str, str]:
        """The level of each category that the others are compared with, where one is."""
        compared = self._levels() if self.reference_levels else []
        return {name: str(levels[0]) for name, levels in compared}

    def _levels(self):
        if self.levels_ is None:
            return []
        return list(zip(self.category_names_, self.levels_.categories_, strict=True))

    def complete_rows(self, table: pa.Table) -> np.ndarray:
        """Which rows of a table have a value in every column of the fit."""
        self.check_columns(table)
        complete = np.ones(table.num_rows, dtype=bool)
        for name in self.number_names_:
            complete &= ~np.isnan(columns.numbers(table.column(name), name))
        for name in self.names_as_text:
            complete &= table.column(name).is_valid().to_numpy()
        return complete

    def unseen_levels(self, table: Any) -> list[str]:
        """A sentence for each category that holds levels which `fit` never saw."""
        table, counts = columns.as_table(table), {}
        for name, _ in self._levels():
            counts[name] = Counter(columns.texts(table.column(name)).tolist())
        return self.unseen_of(counts)

    def unseen_of(self, counts: Mapping[str, Mapping[str, int]]) -> list[str]:
        """The same of the levels of some rows, and how many rows have each."""
        sentences = []
        for name, part in self._levels():
            known = set(part.tolist())
            strange = {level: many for level, many in counts[name].items() if level not in known}
            if strange:
                taken = "none of the known levels"
                if self.reference_levels:
                    taken = f"{str(part[0])!r}, which the others are compared with"
                sentences.append(
                    f"column {name!r}: {counted(sum(strange.values()), 'row')} with a level that "
                    f"the model never saw (such as {remarks.shown(next(iter(strange)))}); it "
                    f"counts as {taken}."
                )
        return sentences

    def _kind(self, column: pa.ChunkedArray, name: str) -> str:
        kind = columns.kind_of(column, name)
        if name in self.text:
            if name in self.category or kind != columns.CATEGORY:
                what = "is said to be a category, too" if name in self.category else "holds numbers"
                raise Problem(f"column {name!r} must hold text to count words in, but it {what}.")
            return columns.TEXT
        if name not in self.category:
            is_prose = kind == columns.CATEGORY and word_counts.is_prose(column)
            return columns.TEXT if is_prose else kind
        if kind == columns.CATEGORY:
            return kind
        if columns.is_whole(column.type) or pa.types.is_boolean(column.type):
            return columns.CATEGORY
        raise Problem(
            f"column {name!r} must hold text or integers to be a category, but it holds "
            f"{column.type}."
        )

    def check_columns(self, table: pa.Table) -> None:
        """Refuse a table without the columns of the fit, or with others under their names."""
        there = set(table.column_names)
        missing = [name for name in self.column_names if name not in there]
        if missing:
            raise Problem(
                f"the column {missing[0]!r} is missing ({len(missing)} of the "
                f"{len(self.column_names)} columns that the model was fitted on are missing). "
                f"{have(table, missing[0])}"
            )
        for name in self.number_names_:
            column = table.column(name)
            if columns.kind_of(column, name) != columns.NUMBER:
                raise Problem(
                    f"column {name!r} held numbers when the model was fitted, but here it holds "
                    f"{remarks.not_a_number(column)}."
                )
        for name in self.prose_names_:
            kind = table.column(name).type
            if not columns.is_text(kind) and not pa.types.is_null(kind):
                raise Problem(
                    f"column {name!r} held text when the model was fitted, but here it holds "
                    f"{kind}."
                )
        for name in self.category_names_:
            kind = table.column(name).type
            # True and false are categories only where the fit had them, not where it had text.
            is_truth = pa.types.is_boolean(kind) and name not in self.text_names_
            is_usual = columns.is_text(kind) or columns.is_whole(kind) or pa.types.is_null(kind)
            if not (is_usual or is_truth):
                raise Problem(
                    f"column {name!r} held categories when the model was fitted, but here it "
                    f"holds {kind}."
                )

    def _numbers(self, table: pa.Table, advice: Callable[[], str]) -> np.ndarray:
        found = [columns.numbers(table.column(name), name) for name in self.number_names_]
        for name, values in zip(self.number_names_, found, strict=True):
            self._refuse_missing(table, name, np.flatnonzero(np.isnan(values)), advice)
        return np.column_stack(found) if found else np.zeros((table.num_rows, 0))

    def _categories(self, table: pa.Table, advice: Callable[[], str]) -> np.ndarray:
        found = [self._texts(table, name, advice) for name in self.category_names_]
        return np.column_stack(found) if found else np.zeros((table.num_rows, 0), dtype=object)

    def _prose(self, table: pa.Table, advice: Callable[[], str]) -> list[tuple[str, np.ndarray]]:
        return [(name, self._texts(table, name, advice)) for name in self.prose_names_]

    def _texts(self, table: pa.Table, name: str, advice: Callable[[], str]) -> np.ndarray:
        cells = columns.texts(table.column(name))
        gone = np.flatnonzero([cell is None for cell in cells])
        self._refuse_missing(table, name, gone, advice)
        return cells

    def _refuse_missing(
        self, table: pa.Table, name: str, rows: np.ndarray, advice: Callable[[], str]
    ) -> None:
        if rows.size:
            others = [x for x in self.column_names if x != name and table.column(x).null_count]
            more = "" if not others else f"; values are missing in {_some_of(others)}, too"
            raise Problem(
                f"column {name!r} must have a value in every row, but in row {rows[0] + 1} it is "
                f"missing ({counted(rows.size, 'such row')}){more}. {advice()}",
                column=name,
                rows=(rows + 1).tolist(),
            )

    def _refuse_tiny(self, numbers: np.ndarray) -> None:
        for name, column in zip(self.number_names_, numbers.T, strict=True):
            low, high = float(column.min()), float(column.max())
            if low != high and high - low < MIN_RANGE:
                raise Problem(
                    f"column {name!r} must have differences above {MIN_RANGE:g}, which float64 can "
                    f"square, but its numbers lie between {low:g} and {high:g}. Rescale it."
                )


def _some_of(names: Sequence[str]) -> str:
    """The first names, and how many others there are."""
    more = f" and {len(names) - MAX_NAMES_TOLD} more" if len(names) > MAX_NAMES_TOLD else ""
    return ", ".join(map(repr, names[:MAX_NAMES_TOLD])) + more


def told_apart(names: Sequence[str]) -> list[str]:
    """The names, a number after those that occur before: a column may be called as the level of
    another one is.

    >>> told_apart(["a = b", "a = c", "a = b"])
    ['a = b', 'a = c', 'a = b (2)']
    """
    given = set(names)
    told: dict[str, None] = {}
    for name in names:
        times, other = 1, name
        while other in told or (times > 1 and other in given):
            times += 1
            other = f"{name} ({times})"
        told[other] = None
    return list(told)


def new_level_encoder() -> OneHotEncoder:
    """One 0/1 feature for each level; levels that were not seen have none."""
    return OneHotEncoder(handle_unknown="ignore", dtype=np.float64)


def have(table: pa.Table, wanted: str) -> str:
    """Which columns there are, and which of them may have been meant."""
    import difflib

    names = table.column_names
    near = difflib.get_close_matches(wanted.strip(), names, n=1)
    near += [name for name in names if name.strip().lower() == wanted.strip().lower()]
    shown = ", ".join(map(repr, names))
    if len(names) > MAX_COLUMNS_TOLD:  # The last is often the one to predict.
        first = ", ".join(map(repr, names[: MAX_COLUMNS_TOLD - 1]))
        shown = f"{first}, … ({len(names):,} in all), {names[-1]!r}"
    meant = f" Did you mean {near[-1]!r}?" if near else ""
    if len(names) == 1:
        return f"The table has one column, {shown}. If it should have more: {setting('delimiter')}."
    return f"The table has the columns {shown}.{meant}"
