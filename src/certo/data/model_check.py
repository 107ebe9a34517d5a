"""A look at what came out of a model file: is it a pipeline that could have been fitted?

Files may be forged with care. Whatever passes here can be used without surprises: the parts have
the right types and fit together. Whether the claims in it are true is for `verify` to find out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from certo.certificates import Composite
from certo.data.encoder import TableEncoder
from certo.data.problem import Problem
from certo.estimators import Perceptron


def check_model(model) -> None:
    """Raise Problem unless the parts of a StoredModel have their types and fit together."""
    for name, kind in {
        "encoder": TableEncoder,
        "machine": Perceptron,
        "target": str,
        "missing": str,
        "na": list,
        "data_fingerprint": str,
        "rows": int,
        "notes": list,
    }.items():
        _require(type(getattr(model, name)) is kind, f"its {name} must be a {kind.__name__}.")
    _require(_texts(model.na) and _texts(model.notes), "its na and notes must be texts.")
    _require(model.missing in ("refuse", "drop"), "its missing must be 'refuse' or 'drop'.")
    features = _check_encoder(model.encoder)
    _require(model.target not in model.encoder.column_names, "its target must be no feature.")
    _check_machine(model.machine, features)


def _require(condition: Any, reason: str) -> None:
    if not condition:
        raise Problem(reason)


def _texts(values: Any) -> bool:
    return isinstance(values, list | tuple) and all(type(value) is str for value in values)


def _refuse_overrides(part: Any) -> None:
    """Values may not take the place of methods: the code is ours, the file has only numbers."""
    taken = sorted(set(vars(part)) & set(dir(type(part))))
    _require(not taken, f"its {type(part).__name__} replaces {taken[:1]}, which is code.")


def _has(part: Any, *names: str) -> None:
    absent = [name for name in names if name not in vars(part)]
    _require(not absent, f"its {type(part).__name__} has no {absent[:1]}.")


def _check_encoder(encoder: TableEncoder) -> int:
    """How many features a sound encoder makes."""
    _refuse_overrides(encoder)
    lists = ("number_names_", "category_names_", "text_names_", "notes_", "drop", "category")
    _has(encoder, "scale", "scaler_", "levels_", *lists)
    for name in lists:
        _require(_texts(getattr(encoder, name)), f"its {name} must be texts.")
    _require(encoder.scale in ("standard", "none"), "its scale must be 'standard' or 'none'.")
    names = encoder.column_names
    _require(names and len(set(names)) == len(names), "its column names must differ.")
    numbers = len(encoder.number_names_)
    scaled = encoder.scale == "standard" and numbers > 0
    _require((encoder.scaler_ is not None) == scaled, "its scaler and its scale disagree.")
    if encoder.scaler_ is not None:
        _refuse_overrides(encoder.scaler_)
        _has(encoder.scaler_, "mean_", "scale_", "with_mean", "with_std")
        for values in (encoder.scaler_.mean_, encoder.scaler_.scale_):
            _require(_numbers(values, (numbers,)), "its scaler does not fit the columns.")
        _require(np.all(encoder.scaler_.scale_ > 0), "its scales must be positive.")
    if encoder.levels_ is None:
        _require(not encoder.category_names_, "its categories have no levels.")
        return numbers
    _refuse_overrides(encoder.levels_)
    _has(encoder.levels_, "categories_")
    levels = encoder.levels_.categories_
    _require(
        len(levels) == len(encoder.category_names_)
        and all(isinstance(part, np.ndarray) and _texts(part.tolist()) for part in levels),
        "its levels must be texts, a list for each category.",
    )
    return numbers + sum(len(part) for part in levels)


def _check_machine(machine: Perceptron, features: int) -> None:
    _refuse_overrides(machine)
    fitted = ("coef_", "intercept_", "classes_", "updates_", "updated_", "certificate_", "trace_")
    _has(machine, *machine.get_params(deep=False), *fitted, "_multilabel", "n_features_in_")
    classes = machine.classes_
    _require(isinstance(classes, np.ndarray) and classes.ndim == 1, "its classes are no list.")
    _require(classes.dtype.kind in "biuU" and len(classes) > 1, "its classes are no labels.")
    _require(np.array_equal(np.unique(classes), classes), "its classes must differ, in order.")
    _require(machine._multilabel is False, "its machine must predict one label.")
    _require(machine.zero_sign in (-1, 1), "its zero_sign must be -1 or +1.")
    outputs = 1 if len(classes) == 2 else len(classes)
    _require(_numbers(machine.coef_, (outputs, features)), "its weights do not fit the features.")
    _require(_numbers(machine.intercept_, (outputs,)), "its intercepts do not fit the classes.")
    _require(machine.n_features_in_ == features, "its number of features is another.")
    _require(
        _numbers(machine.updates_, (outputs,), "iu") and len(machine.updated_) == outputs,
        "its updates do not fit the classes.",
    )
    _require(type(machine.certificate_) is Composite, "it has no certificate.")


def _numbers(values: Any, shape: tuple[int, ...], kinds: str = "f") -> bool:
    return (
        isinstance(values, np.ndarray)
        and values.shape == shape
        and values.dtype.kind in kinds
        and bool(np.all(np.isfinite(values)))
    )
