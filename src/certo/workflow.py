"""Fit, predict and verify on tables: what the command line and the reports are faces of."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from certo import rates
from certo.certificates import Composite, CompressionBound, Verification
from certo.certificates.compression_bound import PREPROCESSED
from certo.data import tables
from certo.data.encoder import TableEncoder
from certo.data.model_file import LoadedModel, StoredModel
from certo.data.problem import Problem
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
        made.set_params(**{key: _value(text)})
    return made


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        pass
    try:
        call = ast.parse(text, mode="eval").body
    except SyntaxError:
        return text
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args:
        given = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
        return rates.Rate.from_dict({**_defaults(call.func.id), **given, "name": call.func.id})
    return text


def _defaults(name: str) -> dict[str, Any]:
    kinds = {kind.__name__: kind for kind in rates.Rate.__subclasses__()}
    return kinds[name]().to_dict() if name in kinds else {}


def fit_table(
    table: pa.Table,
    target: str,
    estimator,
    *,
    scale: str = "standard",
    drop: tuple[str, ...] = (),
    missing: str = "refuse",
) -> Fitted:
    """Encode the table's columns, fit the estimator, and say what that proves."""
    if target not in table.column_names:
        raise Problem(
            f"there is no target column {target!r}. The columns are "
            f"{', '.join(map(repr, table.column_names))}."
        )
    if target in drop:
        raise Problem(f"the target {target!r} cannot be dropped.")
    fingerprint = tables.fingerprint(table)
    notes: list[str] = []
    table, dropped = _complete(table, target, drop, missing)
    if dropped:
        notes.append(f"{dropped:,} rows with missing values were left out.")
    y = _labels(table, target)
    encoder = TableEncoder(scale=scale, drop=drop).fit(table.drop_columns([target]))
    twice = table.num_rows - table.group_by(table.column_names).aggregate([]).num_rows
    if twice:
        notes.append(f"{twice:,} of the rows repeat another row exactly.")
    X = encoder.transform(table)
    estimator.fit(X, y)
    if encoder.is_fitted_to_data:
        estimator.certificate_ = estimator.certificate_.without(CompressionBound, PREPROCESSED)
    model = StoredModel(
        encoder, estimator, target, missing, fingerprint, table.num_rows, notes + encoder.notes_
    )
    return Fitted(model, X, y)


def _complete(table: pa.Table, target: str, drop, missing: str) -> tuple[pa.Table, int]:
    """The table without rows that miss a value, if so asked, and how many those were."""
    if missing not in ("refuse", "drop"):
        raise Problem(f"--missing must be 'refuse' or 'drop', got {missing!r}.")
    absent = table.column(target).null_count
    if missing == "refuse":
        if absent:
            raise Problem(
                f"the target {target!r} is missing in {absent:,} of {table.num_rows:,} rows. Fill "
                "it in, or leave the rows out with --missing drop."
            )
        return table, 0
    keep = np.ones(table.num_rows, dtype=bool)
    for name in table.column_names:
        if name not in drop:
            column = table.column(name)
            empty = pc.is_null(column, nan_is_null=pa.types.is_floating(column.type))
            keep &= ~tables.plain(empty).to_numpy(zero_copy_only=False)
    if not keep.any():
        raise Problem("every row misses a value: none is left to learn from.")
    return table.filter(pa.array(keep)), int(np.count_nonzero(~keep))


def _labels(table: pa.Table, target: str) -> np.ndarray:
    y = tables.labels(table, target)
    classes = np.unique(y)
    if len(classes) < 2:
        raise Problem(
            f"the target {target!r} must hold at least two classes, but all {len(y):,} rows have "
            f"{classes[0]!r}."
        )
    if y.dtype.kind in "iu" and len(classes) > MOST_CLASSES:
        raise Problem(
            f"the target {target!r} must hold classes, but it has {len(classes):,} different "
            f"numbers in {len(y):,} rows, and so looks continuous. Choose a column with classes, "
            "or turn it into classes first (text labels are taken as they are)."
        )
    return y


def predict_table(model: StoredModel, table: pa.Table) -> tuple[np.ndarray, list[str]]:
    """Predicted labels for the rows of a table, columns taken by name, and what to know of them."""
    X = model.encoder.transform(table)
    return model.machine.predict(X), model.encoder.unseen_levels(table)


@dataclass(frozen=True)
class Audit:
    """An independent check: are these the data and the model of the fit, and do the claims hold?"""

    same_data: bool
    same_model: bool
    claims: Verification
    about_model: tuple[str, ...]  # fitted values that the certificates do not speak of

    @property
    def claims_hold(self) -> bool:
        return bool(self.claims) and not self.about_model

    @property
    def passed(self) -> bool:
        return self.same_data and self.same_model and self.claims_hold

    def to_dict(self) -> dict[str, Any]:
        return {
            "passed": self.passed,
            "same_data": self.same_data,
            "same_model": self.same_model,
            "claims_hold": self.claims_hold,
            "about_model": list(self.about_model),
            "claims": self.claims.to_dict(),
        }


def audit_table(loaded: LoadedModel, table: pa.Table) -> Audit:
    """Recompute every claim of a model file from the table."""
    model = loaded.model
    same_data = tables.fingerprint(table) == model.data_fingerprint
    if model.target not in table.column_names:
        raise Problem(
            f"the table has no column {model.target!r}, the target the model was fitted to."
        )
    table, _ = _complete(table, model.target, model.encoder.drop, model.missing)
    X, y = model.encoder.transform(table), tables.labels(table, model.target)
    certificate: Composite = model.machine.certificate_
    strangers = [
        f"{claim.name} speaks of other values of {attribute} than the model's."
        for claim in certificate
        for name, attribute in claim.describes.items()
        if not _speaks_of(claim, name, getattr(model.machine, attribute, None), model.machine)
    ]
    strangers += _wrong_classes(certificate, model.machine)
    return Audit(same_data, loaded.as_written, certificate.verify(X, y), tuple(strangers))


def _output_of(claim, estimator) -> int:
    if claim.labels.column is not None:
        return claim.labels.column
    return 0 if len(claim.labels.classes) == 2 else claim.labels.positive


def _speaks_of(claim, name: str, fitted: Any, estimator) -> bool:
    output = _output_of(claim, estimator)
    if fitted is None or output >= len(fitted):
        return False
    return np.array_equal(np.asarray(getattr(claim, name)), np.asarray(fitted[output]))


def _wrong_classes(certificate: Composite, estimator) -> list[str]:
    classes = tuple(label.item() for label in np.asarray(estimator.classes_))
    return [
        f"{claim.name} is about the classes {list(claim.labels.classes)}, not the model's."
        for claim in certificate
        if claim.labels.column is None and claim.labels.classes != classes
    ]
