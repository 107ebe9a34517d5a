"""Parameters of an estimator, checked when it is fitted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from certo.estimators._input import is_number


class Setting(NamedTuple):
    """What a parameter must be, in words, and whether a value is that."""

    wanted: str
    holds: Callable[[Any], bool]

    @property
    def or_none(self) -> Setting:
        return Setting(f"{self.wanted}, or None", lambda value: value is None or self.holds(value))

    def check(self, name: str, value: Any) -> None:
        if not self.holds(value):
            raise ValueError(f"{name} must be {self.wanted}, got {value!r}.")


def one_of(*choices: str) -> Setting:
    return Setting(
        " or ".join(map(repr, choices)), lambda value: isinstance(value, str) and value in choices
    )


NOT_NEGATIVE = Setting("a number of at least 0", lambda v: is_number(v) and 0 <= v < np.inf)
POSITIVE_NUMBER = Setting("a positive number", lambda v: is_number(v) and 0 < v < np.inf)
COUNT = Setting(
    "an integer of at least 1",
    lambda v: isinstance(v, Integral) and not isinstance(v, bool) and int(v) >= 1,
)
SECONDS = Setting("a positive number of seconds", lambda v: is_number(v) and v > 0)


def check_settings(machine: Any, settings: Mapping[str, Setting]) -> None:
    for name, setting in settings.items():
        setting.check(name, getattr(machine, name))
