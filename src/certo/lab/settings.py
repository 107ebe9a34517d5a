"""What can be set in an experiment: one description for the page, for links and for the checks."""

from __future__ import annotations

import abc
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from certo.data.problem import Problem
from certo.numbers.digits import three_digits

PER_DECADE = (1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8)  # About equal ratios.


@dataclass(frozen=True)
class Setting(abc.ABC):
    """A name, and the value that it has unless another is chosen."""

    name: str
    default: Any

    @abc.abstractmethod
    def read(self, value: Any) -> Any:
        """A value from JSON, or from the text of a link, if it is one; else a Problem."""

    @abc.abstractmethod
    def describe(self) -> dict[str, Any]:
        """What the page needs to offer it."""

    def refuse(self, wanted: str, value: Any) -> Problem:
        return Problem(f"{self.name} must be {wanted}, got {str(value)[:40]!r}.")


@dataclass(frozen=True)
class Choice(Setting):
    """One of several words."""

    options: tuple[str, ...]

    def read(self, value: Any) -> str:
        if value not in self.options:
            raise self.refuse(" or ".join(self.options), value)
        return str(value)

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "kind": "choice", "default": self.default,
                "options": list(self.options)}  # fmt: skip


@dataclass(frozen=True)
class Flag(Setting):
    """Yes or no."""

    def read(self, value: Any) -> bool:
        if value in (True, "1", "true", "yes"):
            return True
        if value in (False, "0", "false", "no"):
            return False
        raise self.refuse("0 or 1", value)

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "kind": "flag", "default": self.default}


@dataclass(frozen=True)
class Number(Setting):
    """A number between two ends, with the values that a slider offers."""

    values: tuple[float, ...] = field(repr=False)
    whole: bool = False

    def read(self, value: Any) -> float:
        ends = f"from {self.values[0]:g} to {self.values[-1]:g}"
        wanted = f"a {'whole ' * self.whole}number {ends}"
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise self.refuse(wanted, value) from None
        inside = math.isfinite(number) and self.values[0] <= number <= self.values[-1]
        if isinstance(value, bool) or not inside or (self.whole and number != int(number)):
            raise self.refuse(wanted, value)
        return int(number) if self.whole else number

    def describe(self) -> dict[str, Any]:
        values = [int(v) if self.whole else v for v in self.values]
        return {"name": self.name, "kind": "number", "default": self.default, "values": values,
                "texts": [three_digits(v) for v in values]}  # fmt: skip


def decades(name: str, default: float, low: int, high: int) -> Number:
    """From 10^low to 10^high, ten values for each power of ten."""
    values = [float(f"{step}e{power}") for power in range(low, high) for step in PER_DECADE]
    return Number(name, default, (*values, float(f"1e{high}")))


def wholes(name: str, default: int, values: Iterable[int]) -> Number:
    return Number(name, default, tuple(values), whole=True)


def read_settings(settings: Iterable[Setting], given: dict[str, Any]) -> dict[str, Any]:
    """The value of each, the default where none is given; a Problem for what is not one of them."""
    known = {setting.name: setting for setting in settings}
    for name in given:
        if name not in known:
            raise Problem(f"there is no setting {name[:40]!r} here: {', '.join(known)}.")
    return {
        name: setting.read(given[name]) if name in given else setting.default
        for name, setting in known.items()
    }
