"""What is shown of a machine: its numbers, its rows of the table, its pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from certo.estimators.description import has_kernel
from certo.numbers.decimals import rounded_up
from certo.plots._canvas import are_same
from certo.report.weights import Output
from certo.tables.examples import Examples, Rows
from certo.words.labels import against

MAX_OUTPUTS_DRAWN = 6  # Outputs that are drawn one by one.


class Tile(NamedTuple):
    value: str
    text: str

    @classmethod
    def at_most(cls, value: float | None, text: str, digits: int = 2) -> Tile:
        """A number that is proved to be no larger, if any is."""
        return cls("?" if value is None else f"≤ {rounded_up(value, digits)}", text)


def new_axes(height: float = 4.2, width: float = 6.4) -> Axes:
    """Axes of a figure that no window knows of."""
    return Figure(figsize=(width, height), layout="constrained").add_subplot()


def small_axes() -> Axes:
    """The same for a figure that stands beside another one."""
    return new_axes(4.0, 5.0)


def in_order(machine, examples: Examples) -> list[int]:
    """The outputs as they are shown: of pairs of classes first those with the most rows of both,
    which decide the most predictions, and last those that give all rows one score."""
    outputs = machine.outputs_
    if not outputs or outputs[0].against is None:
        return list(range(len(outputs)))
    rows = np.array([int(np.sum(examples.y == label)) for label in outputs[0].classes])
    told = [int(rows[one.positive] * rows[one.against]) for one in outputs]
    same = [False] * len(outputs)
    if not has_kernel(machine):
        lines = zip(machine.coef_, machine.intercept_, strict=True)
        same = [are_same(examples.X @ w + b) for w, b in lines]
    return sorted(range(len(outputs)), key=lambda k: (same[k], -told[k]))


class Face:
    """What every machine shows; a kind of machine may have a face that `shows` more."""

    drawn = "hyperplanes"  # The name of the picture that each output has.

    def outputs(self, machine) -> int:
        return len(machine.outputs_)

    def numbers(self, machine) -> dict[str, Any]:
        """Facts beyond those of every machine, as plain values."""
        return {}

    def tiles(self, said: dict[str, Any]) -> list[Tile]:
        """The numbers to see first."""
        return []

    def warning(self, machine) -> str | None:
        """What nobody may overlook."""
        return None

    def coefficients(self, machine, examples: Examples) -> dict[str, Any] | None:
        """A table of coefficients by the names that the reader has for columns, as plain values."""
        return None

    def weights(self, machine, examples: Examples) -> list[Output] | None:
        """The weights of each score, if it is a weighted sum of the columns."""
        if has_kernel(machine) or not hasattr(machine, "coef_"):
            return None
        return [
            (against(machine.outputs_[k]), machine.coef_[k], float(machine.intercept_[k]))
            for k in in_order(machine, examples)
        ]

    def tests(self, machine, examples: Examples) -> dict[str, Any] | None:
        """A table of tests that need the rows of the fit, as plain values."""
        return None

    def checks(self, machine, rows: Rows) -> Iterator[Axes]:
        """Pictures of how good the machine is on rows."""
        return iter(())

    def rows(self, machine, X, y) -> list[tuple[str, np.ndarray]]:
        """Examples to list from the table, and what they are."""
        return []

    def pictures(self, machine, examples: Examples) -> Iterator[Axes]:
        """What to draw."""
        return iter(())


_FACES: dict[type, Face] = {}


def shows(kind: type) -> Callable[[type[Face]], type[Face]]:
    """Make this the face of a kind of machine."""

    def keep(face: type[Face]) -> type[Face]:
        _FACES[kind] = face()
        return face

    return keep


def face_of(machine) -> Face:
    return _FACES.get(type(machine), Face())
