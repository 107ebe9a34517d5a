"""Fit and predict on tables: what the command line and the reports are faces of."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from certo import rates
from certo.certificates import CompressionBound
from certo.certificates.compression_bound import PREPROCESSED
from certo.data import tables
from certo.data.encoder import TableEncoder, have
from certo.data.fingerprint import fingerprint
from certo.data.model_file import StoredModel
from certo.data.problem import Problem
from certo.data.remarks import count
from certo.estimators import Perceptron

MACHINES = {"perceptron": Perceptron}
MOST_CLASSES = 100  # a numeric target with more different values is taken for a measurement


@dataclass(frozen=True)
class Fitted:
    model: StoredModel
    X: Any
    y: np.ndarray


def machine(name: str, settings: list[str]):
    """A machine by name, with settings like 'epochs=20' or 'learning_rate=Power(exponent=0.5)'."""
    if name not in MACHINES:
        raise Problem(f"there is no machine {name!r}; there is {', '.join(sorted(MACHINES))}.")
    made = MACHINES[name]()
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or key not in made.get_params():
            raise Problem(
                f"--set needs NAME=VALUE with a parameter of {name} "
                f"({', '.join(sorted(made.get_params()))}), got {setting!r}."
            )
        made.set_params(**{key: _rate(text) if "(" in text else _literal(text)})
    return made


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _rate(text: str) -> rates.Rate:
    """A learning rate as one would write it in Python, read without running anything."""
    kinds = {kind.__name__: kind for kind in rates.Rate.__subclasses__()}
    try:
        call = ast.parse(text, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError("it is not of the form Name(parameter=value).")
        given = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
        return kinds[call.func.id](**given)
    except (KeyError, SyntaxError, TypeError, ValueError) as wrong:
        raise Problem(
            f"a learning rate must be a number or one of {', '.join(sorted(kinds))} with its "
            f"parameters, as in Power(initial=1, exponent=0.5), got {text!r}: {wrong}"
        ) from wrong


def fit_table(
    table: Any,
    target: str,
    estimator,
    *,
    scale: str = "standard",
    missing: str = "refuse",
    na: tuple[str, ...] = (),
    drop: tuple[str, ...] = (),
    category: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
) -> Fitted:
    """Encode the table's columns, fit the estimator, and say what that proves.

    The table is an Arrow table or a data frame; `notes` are remarks on it to keep with the model.
    """
    table = tables.as_table(table)
    for name in (target, *drop, *category):
        if name not in table.column_names:
            what = "target column" if name == target else "column"
            raise Problem(f"there is no {what} {name!r}. {have(table, name)}")
    if target in drop or target in category:
        raise Problem(f"the target {target!r} cannot be dropped, nor is it a feature.")
    if missing not in ("refuse", "drop"):
        raise Problem(f"--missing must be 'refuse' or 'drop', got {missing!r}.")
    encoder = TableEncoder(scale=scale, drop=drop, category=category)
    model = StoredModel(
        encoder, estimator, target, missing, list(na), fingerprint(table), table.num_rows, []
    )
    used = usable_rows(model, table)
    y = _classes(used, target)
    encoder.fit(used.drop_columns([target]))
    X = encoder.transform(used)
    estimator.fit(X, y)
    if encoder.is_fitted_to_data:
        estimator.certificate_ = estimator.certificate_.without(CompressionBound, PREPROCESSED)
    model.rows = used.num_rows
    model.notes = [
        *notes,
        *_remarks(table.num_rows, used.drop_columns(list(drop))),
        *encoder.notes_,
    ]
    return Fitted(model, X, y)


def usable_rows(model: StoredModel, table: pa.Table) -> pa.Table:
    """The rows of a table that the model is fitted to: those without missing values, if it was
    fitted with missing="drop"; else all, and a missing label is refused."""
    encoder, target = model.encoder, model.target
    if target not in table.column_names:
        raise Problem(f"there is no target column {target!r}. {have(table, target)}")
    table = tables.with_missing(table, model.na, encoder.category)
    gone = np.zeros(table.num_rows, dtype=bool)
    for name, column in zip(table.column_names, table.columns, strict=True):
        if name in encoder.drop:
            continue
        if name != target and tables.kind_of(column, name) == tables.NUMBER:
            tables.numbers(column, name)  # refuses what is infinite, by its row in the file
        gone |= column.is_null().to_numpy()
    unlabelled = table.column(target).null_count
    if model.missing == "refuse":
        if unlabelled:
            raise Problem(
                f"the target {target!r} must have a value in every row, but it is missing in "
                f"{count(unlabelled, 'row')}. Fill it in, or leave the rows out with "
                "--missing drop."
            )
        return table
    if gone.all():
        raise Problem("every row misses a value: none is left to learn from.")
    return table.filter(pa.array(~gone)) if gone.any() else table


def _classes(table: pa.Table, target: str) -> np.ndarray:
    y = tables.labels(table, target)
    classes = np.unique(y)
    if len(classes) < 2:
        raise Problem(
            f"the target {target!r} must hold at least two classes, but all {len(y):,} rows have "
            f"{classes[0].item()!r}."
        )
    is_number = y.dtype.kind in "iu"
    if (is_number and len(classes) > MOST_CLASSES) or (
        len(classes) > 20 and 2 * len(classes) > len(y)
    ):
        what = "numbers in" if is_number else "values in"
        looks = "so looks continuous" if is_number else "so nearly names the rows"
        raise Problem(
            f"the target {target!r} must hold classes, but it has {len(classes):,} different "
            f"{what} {len(y):,} rows, and {looks}. Choose a column with classes, or turn it into "
            "classes first."
        )
    return y


def _remarks(rows: int, used: pa.Table) -> list[str]:
    said = []
    if rows > used.num_rows:
        said.append(f"{count(rows - used.num_rows, 'row')} with missing values left out.")
    distinct = used.group_by(used.column_names).aggregate([]).num_rows
    if distinct < used.num_rows:
        said.append(f"{count(used.num_rows - distinct, 'exact repetition')} of other rows.")
    return said


def predict_table(model: StoredModel, table: Any) -> tuple[np.ndarray, list[str]]:
    """Predicted labels for the rows of a table, columns taken by name, and what to know of them."""
    encoder = model.encoder
    table = tables.with_missing(tables.as_table(table), model.na, encoder.category_names_)
    X = encoder.transform(table)
    return model.machine.predict(X), encoder.unseen_levels(table)
