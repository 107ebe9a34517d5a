"""Learning rates η(n), n = 1, 2, … counting the updates: values that can be stored."""

from __future__ import annotations

import abc
import sys
from dataclasses import asdict, dataclass, fields
from typing import Any, final

import numpy as np


class Rate(abc.ABC):
    """η(n) > 0. A rate is called with the numbers of updates: `rate(np.arange(1, 11))`."""

    @abc.abstractmethod
    def __call__(self, n: np.ndarray) -> np.ndarray: ...

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self)):  # type: ignore[arg-type]
            value = getattr(self, name)
            if type(value) not in (int, float) or not 0 < value <= sys.float_info.max:
                raise ValueError(
                    f"{type(self).__name__}: {name} must be a positive finite number, "
                    f"got {value!r}."
                )
            object.__setattr__(self, name, float(value))

    def to_dict(self) -> dict[str, Any]:
        return {"name": type(self).__name__, **asdict(self)}  # type: ignore[call-overload]

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Rate:
        known = {kind.__name__: kind for kind in Rate.__subclasses__()}
        name = data.get("name") if isinstance(data, dict) else None
        kind = known.get(name) if isinstance(name, str) else None
        names = {field.name for field in fields(kind)} if kind else set()  # type: ignore[arg-type]
        if kind is None or set(data) != names | {"name"}:
            raise ValueError(
                f"a learning rate must be one of {sorted(known)} with its parameters, got "
                f"{str(data)[:80]}."
            )
        return kind(**{name: data[name] for name in names})


@final
@dataclass(frozen=True)
class Constant(Rate):
    """η(n) = value: the fixed-increment rule.

    >>> Constant(0.5)(np.array([1, 2, 3]))
    array([0.5, 0.5, 0.5])
    """

    value: float = 1.0

    def __call__(self, n: np.ndarray) -> np.ndarray:
        return np.full(np.shape(n), self.value)


@final
@dataclass(frozen=True)
class Power(Rate):
    """η(n) = initial / n^exponent.

    >>> Power(initial=1.0, exponent=1.0)(np.array([1, 2, 4]))
    array([1.  , 0.5 , 0.25])
    """

    initial: float = 1.0
    exponent: float = 0.5

    def __call__(self, n: np.ndarray) -> np.ndarray:
        return self.initial / np.asarray(n, dtype=np.float64) ** self.exponent


@final
@dataclass(frozen=True)
class Geometric(Rate):
    """η(n) = initial · factorⁿ. With factor < 1 all steps together have bounded length, so
    a run may never reach a separator that exists.

    >>> Geometric(initial=1.0, factor=0.5)(np.array([1, 2, 3]))
    array([0.5  , 0.25 , 0.125])
    """

    initial: float = 1.0
    factor: float = 0.5

    def __call__(self, n: np.ndarray) -> np.ndarray:
        return self.initial * self.factor ** np.asarray(n, dtype=np.float64)
