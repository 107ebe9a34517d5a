"""Predictions for the rows of a table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from certo.certificates.encoding import counted
from certo.data import columns
from certo.data.problem import Problem
from certo.estimators.description import learns
from certo.tables.model_file import StoredModel
from certo.words.reader import setting


class Predicted(NamedTuple):
    """What a model says of the rows of a table."""

    answers: np.ndarray  # Predictions; of a density, its logarithm at each row.
    beside: dict[str, np.ndarray]  # More about each: probabilities, scores, or an interval.
    remarks: list[str]
    places: np.ndarray  # The numbers of their rows in the table, counting from 1.


def predict_table(
    model: StoredModel, table: Any, interval: float | None = None, missing: str = "refuse"
) -> Predicted:
    """Predictions for the rows of a table, columns taken by name. Beside a class stand the
    probabilities, or the scores, of the machine; with `interval` a regression says where a new
    value is with this probability. Rows with missing values are refused, left out (`missing`
    "drop"), or answered by None ("empty")."""
    if missing not in ("refuse", "drop", "empty"):
        raise Problem(f"{setting('missing')} must be 'refuse', 'drop' or 'empty', got {missing!r}.")
    encoder, machine = model.encoder, model.machine
    table = columns.with_missing(columns.as_table(table), model.na, encoder.names_as_text)
    if missing != "refuse":
        complete = encoder.complete_rows(table)
        if not complete.all():
            return _of_complete_rows(model, table, interval, complete, missing == "empty")
    X = encoder.transform(table)
    beside: dict[str, np.ndarray] = {}
    if interval is not None:
        if not hasattr(machine, "predict_interval"):
            kind = type(machine).__name__
            raise Problem(f"{setting('interval')} needs a regression, but this is a {kind}.")
        beside = dict(zip(("low", "high"), machine.predict_interval(X, interval), strict=True))
    if hasattr(machine, "predict_proba"):
        beside = _named(machine, "probability", machine.predict_proba(X))
    elif hasattr(machine, "decision_function"):
        scores = getattr(machine, "_class_scores", machine.decision_function)
        beside = _named(machine, "score", scores(X))
    places = 1 + np.arange(table.num_rows)
    answer = machine.score_samples if learns(machine) == "densities" else machine.predict
    return Predicted(answer(X), beside, encoder.unseen_levels(table), places)


def _named(machine: Any, what: str, numbers: np.ndarray) -> dict[str, np.ndarray]:
    """A column for each class; of two classes a score is that of the second."""
    classes = machine.classes_.tolist()
    if numbers.ndim == 1:
        return {f"{what} of {classes[-1]}": numbers}
    names = [f"{what} of {label}" for label in classes]
    return dict(zip(names, numbers.T, strict=True))


def _of_complete_rows(
    model: StoredModel, table: pa.Table, interval: float | None, complete: np.ndarray, fill: bool
) -> Predicted:
    if not complete.any():
        raise Problem("every row has a missing value, so no row is left to predict.")
    said = predict_table(model, table.filter(pa.array(complete)), interval)
    rows = counted(int(np.sum(~complete)), "row")
    if not fill:
        return said._replace(
            remarks=[f"{rows} with missing values left out.", *said.remarks],
            places=1 + np.flatnonzero(complete),
        )

    found = {"": said.answers, **said.beside}
    spread = {name: np.full(complete.size, None, dtype=object) for name in found}
    for name, values in found.items():
        spread[name][complete] = values.tolist()
    note = f"{rows} with missing values: the predictions are left empty."
    places = 1 + np.arange(complete.size)
    return Predicted(spread.pop(""), spread, [note, *said.remarks], places)
