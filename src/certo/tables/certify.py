"""What can be proved about somebody else's model on a table."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.base import is_classifier

from certo.certificates.base import Verification
from certo.certificates.certified import Certified
from certo.data import columns
from certo.data.encoder import TableEncoder, advice_in_verify, have
from certo.data.fingerprint import fingerprint
from certo.data.problem import Problem, problems_of
from certo.guarantees import certify
from certo.tables.fit import settings_of
from certo.tables.foreign_model import ForeignModel
from certo.words.reader import reading


@dataclass(frozen=True)
class CertifiedTable:
    """A page of claims about a model on a table, and what became of each when it was checked."""

    page: Certified
    checked: Verification
    pair: tuple[Any, np.ndarray]
    test_pair: tuple[Any, np.ndarray] | None
    columns: list[str]
    data_fingerprint: str


def certify_table(
    loaded: ForeignModel, table: Any, target: str, *, delta: float = 0.05, test: Any = None,
    tried: str = "1",
) -> CertifiedTable:  # fmt: skip
    """Certify a model on the rows that it was trained on, and check every claim. Its columns are
    those that it names, or else all that hold numbers, in order. It is the best of so many that
    were `tried` on these rows, or "data" of some that were made from them."""
    paid = settings_of(tried) or "data"
    table = columns.as_table(table)
    names = _column_names(loaded, table, target)
    pair = _examples(loaded, table, target, names)
    test_pair = None
    if test is not None:
        with problems_of("the test table"):
            test_pair = _examples(loaded, columns.as_table(test), target, names)
    X_test, y_test = test_pair or (None, None)
    with warnings.catch_warnings(), reading(places=1 + np.arange(table.num_rows)):
        warnings.simplefilter("ignore")  # Arrays have no names of columns, and need none here.
        try:
            page = certify(
                loaded.model, *pair, delta=delta, X_test=X_test, y_test=y_test, tried=paid
            )
            checked = page.verify(*pair, X_test, y_test)
        except (ValueError, TypeError, AttributeError, LookupError) as wrong:
            raise Problem(f"the model cannot be certified on this table: {wrong}") from wrong
    return CertifiedTable(page, checked, pair, test_pair, names, fingerprint(table))


def _column_names(loaded: ForeignModel, table: pa.Table, target: str) -> list[str]:
    if target not in table.column_names:
        raise Problem(f"there is no target column {target!r}. {have(table, target)}", column=target)
    names = loaded.feature_names
    if names is None:
        others = [name for name in table.column_names if name != target]
        names = [name for name in others if not columns.is_text(table.column(name).type)]
        wanted = getattr(loaded.model, "n_features_in_", len(names))
        if len(names) != wanted:
            raise Problem(
                f"the model was fitted to {wanted:,} columns without names, but the table has "
                f"{len(names):,} columns of numbers beside {target!r}. The table of the fit is "
                "needed."
            )
    if not names:
        raise Problem("no column of numbers is left beside the target.")
    return names


def _examples(
    loaded: ForeignModel, table: pa.Table, target: str, names: list[str]
) -> tuple[Any, np.ndarray]:
    """The numbers of these columns, as they are, and the target."""
    for name in (target, *names):
        if name not in table.column_names:
            raise Problem(f"there is no column {name!r}. {have(table, name)}", column=name)
        if table.column(name).null_count:
            gone = int(np.argmin(table.column(name).is_valid().to_numpy())) + 1
            raise Problem(
                f"column {name!r} must have a value in every row, but in row {gone} it is missing. "
                f"{advice_in_verify()}",
                column=name,
            )
        if name != target and columns.is_text(table.column(name).type):
            raise Problem(
                f"column {name!r} must hold numbers for this model, but it holds text. Encode it "
                "as it was encoded for the fit.",
                column=name,
            )
    encoder = TableEncoder(scale="none").fit(table.select(names))
    X = encoder.transform(table)
    if not is_classifier(loaded.model):
        return X, columns.numbers(table.column(target), target)
    return X, columns.labels(table, target)
