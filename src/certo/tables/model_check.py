"""A look at what came out of a model file: is it a pipeline that could have been fitted?

Files may be forged with care. Whatever passes here can be used without surprises: the parts have
the right types and fit together. Whether the claims in it are true is for `verify` to find out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from certo.certificates.sample.pairs import pairs_of
from certo.data.encoder import TableEncoder, new_level_encoder
from certo.data.problem import Problem
from certo.data.word_counts import are_terms
from certo.estimators.description import Sizes, Unsound, array, describe, learns, require
from certo.kernels.base import Kernel

PLAIN_TYPES = (int, float, str, bool, type(None))


def check_model(model) -> None:
    """Raise unless the parts of a StoredModel have their types and fit together."""
    for name, kind in {
        "encoder": TableEncoder,
        "missing": str,
        "na": list,
        "data_fingerprint": str,
        "rows": int,
        "notes": list,
        "test_fingerprint": str,
        "test_share": float,
        "test_seed": int,
    }.items():
        require(type(getattr(model, name)) is kind, f"its {name} must be a {kind.__name__}.")
    require(is_texts(model.na) and is_texts(model.notes), "its na and notes must be texts.")
    require(model.missing in ("refuse", "drop"), "its missing must be 'refuse' or 'drop'.")
    require(not (model.test_share and model.test_fingerprint), "its test rows have two sources.")
    _ = model.held_out  # A Problem, if there is no such share or seed.
    features = _check_encoder(model.encoder)
    check_machine(model.machine, features)
    kind = type(None) if learns(model.machine) == "densities" else str
    require(type(model.target) is kind, f"its target must be a {kind.__name__}.")
    require(model.target not in model.encoder.column_names, "its target must not be a feature.")


def _check_encoder(encoder: TableEncoder) -> int:
    """How many features a sound encoder makes."""
    refuse_overrides(encoder)
    lists = (
        "number_names_", "category_names_", "prose_names_", "text_names_", "notes_", "drop",
        "category", "text",
    )  # fmt: skip
    settings = {"scale", "drop", "category", "reference_levels", "text"}
    check_attributes(encoder, settings, {"scaler_", "levels_", "vocabularies_", *lists} - settings)
    require(type(encoder.reference_levels) is bool, "its reference_levels must be a boolean.")
    for name in lists:
        require(is_texts(getattr(encoder, name)), f"its {name} must be texts.")
    require(encoder.scale in ("standard", "none"), "its scale must be 'standard' or 'none'.")
    names = encoder.column_names
    require(names and len(set(names)) == len(names), "its column names must differ.")
    numbers = len(encoder.number_names_)
    scaled = encoder.scale == "standard" and numbers > 0
    require((encoder.scaler_ is not None) == scaled, "its scaler and its scale disagree.")
    if encoder.scaler_ is not None:
        encoder.scaler_ = _same_scaler(encoder.scaler_, numbers)
    terms = encoder.vocabularies_
    sound = type(terms) is list and len(terms) == len(encoder.prose_names_)
    require(sound and all(map(are_terms, terms)), "its words must be texts in order.")
    others = numbers + sum(map(len, terms))
    if encoder.levels_ is None:
        require(not encoder.category_names_, "its categories have no levels.")
        return others
    encoder.levels_ = _same_levels(encoder.levels_, len(encoder.category_names_))
    levels = encoder.levels_.categories_
    return others + sum(len(part) - encoder.reference_levels for part in levels)


def _same_scaler(stored: Any, numbers: int) -> StandardScaler:
    """A scaler with these means and scales, and else with our own settings."""
    require(type(stored) is StandardScaler, "its scaler is of the wrong type.")
    made, names = StandardScaler().fit(np.zeros((1, numbers))), ("mean_", "scale_", "var_")
    require_attributes(stored, *names)
    for name in names:
        values = getattr(stored, name)
        require(array(numbers)(values, Sizes(1, numbers)), "its scaler does not fit the columns.")
        setattr(made, name, values)
    require(np.all(made.scale_ > 0), "its scales must be positive.")
    return made


def _same_levels(stored: Any, categories: int) -> OneHotEncoder:
    """An encoder of these levels, and else with our own settings."""
    require(type(stored) is OneHotEncoder, "its levels are of the wrong type.")
    require_attributes(stored, "categories_")
    levels = stored.categories_
    sound = isinstance(levels, list) and len(levels) == categories > 0
    sound = sound and all(
        isinstance(part, np.ndarray) and len(part) > 0 and is_texts(part.tolist())
        for part in levels
    )
    require(sound, "its levels must be texts, a list for each category.")
    longest = max(map(len, levels))
    columns = [part.tolist() + [part[0]] * (longest - len(part)) for part in levels]
    made = new_level_encoder().fit(np.array(columns, dtype=object).T)
    same = all(map(np.array_equal, made.categories_, levels))
    require(same, "its levels must differ, in order.")
    return made


def check_machine(machine: Any, features: int) -> None:
    """Raise unless this is what a fit of a known machine to so many features leaves."""
    known = describe(machine)
    if known is None or known.fitted is None:
        raise Unsound("its machine is not Certo's.")
    refuse_overrides(machine)
    settings, fitted = set(machine.get_params(deep=False)), known.fitted(machine)
    if "feature_names_in_" in vars(machine):  # It was fitted to a data frame.
        fitted = fitted | {"feature_names_in_": _is_names}
    check_attributes(machine, settings, set(fitted))
    _check_settings(machine, settings, known.setting_kinds)
    outputs = 1
    if known.learns == "classes":
        classes = machine.classes_
        is_list = isinstance(classes, np.ndarray) and classes.ndim == 1
        require(is_list, "its classes must be a list.")
        require(classes.dtype.kind in "biufU" and len(classes) > 1, "its classes must be labels.")
        require(np.array_equal(np.unique(classes), classes), "its classes must differ, in order.")
        outputs = 1 if len(classes) == 2 else len(classes)
    lines = outputs
    if vars(machine).get("_paired") is True:
        require(len(classes) > 2, "its classes are too few for pairs.")
        outputs, lines = len(pairs_of(len(classes))), len(classes) - 1
    for name, is_sound in fitted.items():
        sound = is_sound(getattr(machine, name), Sizes(outputs, features, lines))
        require(sound, f"its {name} does not fit the classes and features, or is not a number.")
    if machine.trace_kind is not None:
        require(type(machine.trace_) is machine.trace_kind, "its trace is of the wrong type.")
    known.check_fitted(machine)


def _check_settings(machine: Any, settings: set[str], kinds: tuple[type, ...]) -> None:
    """Plain values, or the few objects that a file may hold; and the machine accepts them."""
    for name in settings:
        value = getattr(machine, name)
        for part in _leaves(value):
            plain = type(part) in (*PLAIN_TYPES, *kinds) or isinstance(part, Kernel)
            require(plain, f"its setting {name} is not a plain value.")
    check = getattr(machine, "run", None) or getattr(machine, "_check_settings", None)
    try:
        if check is not None:
            check()
    except (TypeError, ValueError) as wrong:
        raise Problem(f"its settings cannot be used: {wrong}") from wrong


def _leaves(value: Any) -> Iterator[Any]:
    """What lists and dictionaries, of each other, hold in the end."""
    if type(value) not in (dict, list, tuple):
        yield value
        return
    for part in [*value, *value.values()] if type(value) is dict else value:
        yield from _leaves(part)


def _is_names(value: Any, sizes: Sizes) -> bool:
    is_long_enough = isinstance(value, np.ndarray) and len(value) == sizes.features
    return is_long_enough and is_texts(value.tolist())


def is_texts(values: Any) -> bool:
    return isinstance(values, list | tuple) and all(type(value) is str for value in values)


def refuse_overrides(part: Any) -> None:
    """Values may not take the place of methods: the code is ours, the file has only numbers."""
    taken = sorted(name for name in vars(part) if hasattr(type(part), name))
    require(not taken, f"its {type(part).__name__} replaces {taken[:1]}, which is code.")


def require_attributes(part: Any, *names: str) -> None:
    absent = [name for name in names if name not in vars(part)]
    require(not absent, f"its {type(part).__name__} has no {absent[:1]}.")


def check_attributes(part: Any, settings: set[str], fitted: set[str]) -> None:
    """All that a fit leaves, and nothing else."""
    require_attributes(part, *settings, *fitted)
    strange = sorted(set(vars(part)) - settings - fitted)
    name = type(part).__name__
    require(not strange, f"its {name} holds {strange[:1]}, which no fit leaves there.")
