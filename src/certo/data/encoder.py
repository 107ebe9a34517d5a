"""A table's columns as numbers: scaled or as they are, and one 0/1 feature for each level."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from certo.data import tables
from certo.data.problem import Problem

LARGEST, SMALLEST = 1e140, 1e-140  # what float64 can square and still tell apart
DENSE = 0.3  # a matrix with a larger share of non-zeros than this is kept dense


class TableEncoder(TransformerMixin, BaseEstimator):
    """Encode the feature columns of a table by name.

    Parameters
    ----------
    scale : {"standard", "none"}, default="standard"
        Give every numeric column mean 0 and variance 1, or leave it.
    drop : tuple of str, default=()
        Columns to leave out.

    Attributes
    ----------
    number_names_, category_names_ : list of str
        The columns used, by kind.
    notes_ : list of str
        What the table has that a person may want to know.
    """

    def __init__(self, scale="standard", drop=()):
        self.scale = scale
        self.drop = drop

    def fit(self, table: pa.Table, y=None) -> TableEncoder:
        if self.scale not in ("standard", "none"):
            raise Problem(f"the scaling must be 'standard' or 'none', got {self.scale!r}.")
        for name in self.drop:
            if name not in table.column_names:
                raise Problem(f"there is no column {name!r} to drop. {_have(table)}")
        names = [name for name in table.column_names if name not in self.drop]
        if not names:
            raise Problem("no feature column is left to learn from.")
        kinds = {name: tables.kind_of(table.column(name), name) for name in names}
        self.number_names_ = [name for name in names if kinds[name] == tables.NUMBER]
        self.category_names_ = [name for name in names if kinds[name] == tables.CATEGORY]
        self.notes_ = []
        numbers = self._numbers(table)
        self._look_at(numbers)
        self.scaler_ = None
        if self.scale == "standard" and self.number_names_:
            self.scaler_ = StandardScaler().fit(numbers)
        self.levels_ = None
        if self.category_names_:
            self.levels_ = OneHotEncoder(handle_unknown="ignore", dtype=np.float64)
            self.levels_.fit(self._categories(table))
            for name, levels in zip(self.category_names_, self.levels_.categories_, strict=True):
                if len(levels) == 1:
                    self.notes_.append(f"column {name!r} is constant ({levels[0]!r}).")
                elif len(levels) > 20 and 2 * len(levels) > table.num_rows:
                    self.notes_.append(
                        f"column {name!r} has {len(levels):,} different values in "
                        f"{table.num_rows:,} rows: it nearly names the rows. Consider --drop."
                    )
        return self

    @property
    def is_fitted_to_data(self) -> bool:
        """Whether the encoding depends on the values seen in `fit` (scales, levels)."""
        check_is_fitted(self)
        return self.scaler_ is not None or self.levels_ is not None

    def transform(self, table: pa.Table):
        """A float64 matrix: numbers first, then the levels of each category; CSR if sparse."""
        check_is_fitted(self)
        missing = [name for name in self.column_names if name not in table.column_names]
        if missing:
            raise Problem(
                f"the column {missing[0]!r} is missing ({len(missing)} of {len(self.column_names)} "
                f"columns that the model was fitted on are). {_have(table)}"
            )
        for name in self.column_names:
            kind = tables.kind_of(table.column(name), name)
            if (kind == tables.NUMBER) != (name in self.number_names_):
                expected = "numbers" if name in self.number_names_ else "text"
                raise Problem(
                    f"column {name!r} held {expected} when the model was fitted, but here it holds "
                    f"{table.column(name).type}."
                )
        parts = []
        if self.number_names_:
            numbers = self._numbers(table)
            parts.append(numbers if self.scaler_ is None else self.scaler_.transform(numbers))
        if self.levels_ is not None:
            parts.append(self.levels_.transform(self._categories(table)))
        if len(parts) == 1 and not sparse.issparse(parts[0]):
            return parts[0]
        stacked = sparse.hstack(parts, format="csr")
        return stacked if stacked.nnz <= DENSE * np.prod(stacked.shape) else stacked.toarray()

    @property
    def column_names(self) -> list[str]:
        return [*self.number_names_, *self.category_names_]

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        check_is_fitted(self)
        names = list(self.number_names_)
        if self.levels_ is not None:
            for name, levels in zip(self.category_names_, self.levels_.categories_, strict=True):
                names += [f"{name} = {level}" for level in levels]
        return np.array(names, dtype=object)

    def unseen_levels(self, table: pa.Table) -> list[str]:
        """A sentence for each category that holds levels which `fit` never saw."""
        sentences = []
        for k, name in enumerate(self.category_names_):
            cells = tables.texts(table.column(name))
            known = set(self.levels_.categories_[k].tolist())
            strange = [cell for cell in cells.tolist() if cell is not None and cell not in known]
            if strange:
                sentences.append(
                    f"column {name!r}: {len(strange):,} rows hold levels that the model never saw "
                    f"(such as {strange[0]!r}); they count as none of the known levels."
                )
        return sentences

    def _numbers(self, table: pa.Table) -> np.ndarray:
        columns = [tables.numbers(table.column(name)) for name in self.number_names_]
        matrix = np.column_stack(columns) if columns else np.zeros((table.num_rows, 0))
        bad = np.argwhere(~np.isfinite(matrix))
        if bad.size:
            row, column = bad[0]
            what = "missing" if np.isnan(matrix[row, column]) else "infinite"
            raise Problem(
                f"column {self.number_names_[column]!r} must hold finite numbers, but in row "
                f"{row + 1} it is {what} ({len(bad):,} such cells in all). Fill them in, leave the "
                "rows out with --missing drop, or the column with --drop."
            )
        large = np.argwhere(np.abs(matrix) > LARGEST)
        if large.size:
            row, column = large[0]
            raise Problem(
                f"column {self.number_names_[column]!r} has {matrix[row, column]:g} in row "
                f"{row + 1}: numbers beyond {LARGEST:g} overflow when multiplied. Rescale it."
            )
        return matrix

    def _categories(self, table: pa.Table) -> np.ndarray:
        columns = [tables.texts(table.column(name)) for name in self.category_names_]
        for name, cells in zip(self.category_names_, columns, strict=True):
            empty = np.flatnonzero(cells == None)  # noqa: E711  (elementwise)
            if empty.size:
                raise Problem(
                    f"column {name!r} must hold text in every row, but row {empty[0] + 1} is empty "
                    f"({empty.size:,} such rows). Fill them in, leave the rows out with "
                    "--missing drop, or the column with --drop."
                )
        return np.column_stack(columns)

    def _look_at(self, numbers: np.ndarray) -> None:
        for name, column in zip(self.number_names_, numbers.T, strict=True):
            low, high = float(column.min()), float(column.max())
            if low == high:
                self.notes_.append(f"column {name!r} is constant ({low:g}).")
            elif max(-low, high) < SMALLEST or high - low < SMALLEST:
                raise Problem(
                    f"column {name!r} holds numbers between {low:g} and {high:g}: differences "
                    f"below {SMALLEST:g} are lost when multiplied. Rescale it."
                )
            elif max(-low, high) > tables.EXACT and np.all(column == np.rint(column)):
                self.notes_.append(
                    f"column {name!r} holds whole numbers beyond 2^53, rounded to float64."
                )


def _have(table: pa.Table) -> str:
    names = table.column_names
    shown = ", ".join(repr(name) for name in names[:12]) + (", …" if len(names) > 12 else "")
    return f"The table has the columns {shown}."
