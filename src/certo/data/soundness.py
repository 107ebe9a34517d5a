"""Is a value from a file what it should be?"""

from __future__ import annotations

from typing import Any

import numpy as np

from certo.data.problem import Problem


def require(condition: Any, reason: str) -> None:
    if not condition:
        raise Problem(reason)


def is_texts(values: Any) -> bool:
    return isinstance(values, list | tuple) and all(type(value) is str for value in values)


def refuse_overrides(part: Any) -> None:
    """Values may not take the place of methods: the code is ours, the file has only numbers."""
    taken = sorted(set(vars(part)) & set(dir(type(part))))
    require(not taken, f"its {type(part).__name__} replaces {taken[:1]}, which is code.")


def require_attributes(part: Any, *names: str) -> None:
    absent = [name for name in names if name not in vars(part)]
    require(not absent, f"its {type(part).__name__} has no {absent[:1]}.")


def check_attributes(machine: Any, settings: set[str], fitted: set[str]) -> None:
    """All that a fit leaves, and nothing else."""
    require_attributes(machine, *settings, *fitted)
    strange = sorted(set(vars(machine)) - settings - fitted)
    name = type(machine).__name__
    require(not strange, f"its {name} holds {strange[:1]}, which no fit leaves there.")


def check_values(machine: Any, fitted: dict[str, Any], outputs: int, features: int) -> None:
    for name, is_sound in fitted.items():
        sound = is_sound(getattr(machine, name), outputs, features)
        require(sound, f"its {name} does not fit the classes and features, or is no number.")


def is_numbers(values: Any, shape: tuple[int, ...], kinds: str = "f") -> bool:
    return (
        isinstance(values, np.ndarray)
        and values.shape == shape
        and values.dtype.kind in kinds
        and bool(np.all(np.isfinite(values)))
    )


def of_type(*kinds: type):
    return lambda value, outputs, features: type(value) in kinds
