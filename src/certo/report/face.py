"""What is shown of a machine: its numbers, its rows of the table, its pictures."""

from __future__ import annotations

import abc
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from certo.workflow import Examples

MOST_PICTURED = 6  # outputs drawn one by one


class Tile(NamedTuple):
    value: str
    text: str


def new_axes(height: float = 4.2) -> Axes:
    """Axes of a figure that no window knows of."""
    return Figure(figsize=(5.2, height), layout="constrained").add_subplot()


class Face(abc.ABC):
    """One for each kind of machine."""

    drawn = "hyperplanes"  # what there is one picture of for each output

    def outputs(self, machine) -> int:
        return len(machine.outputs_)

    @abc.abstractmethod
    def numbers(self, machine) -> dict[str, Any]:
        """Facts beyond those of every machine, as plain values."""

    @abc.abstractmethod
    def tiles(self, said: dict[str, Any]) -> list[Tile]:
        """The numbers to see first."""

    def warning(self, machine) -> str | None:
        """What nobody may overlook."""
        return None

    def coefficients(self, machine, examples: Examples) -> dict[str, Any] | None:
        """A table of coefficients by the names of the columns, as plain values."""
        return None

    def rows(self, machine, X, y) -> list[tuple[str, np.ndarray]]:
        """Examples to list from the table, and what they are."""
        return []

    @abc.abstractmethod
    def pictures(self, machine, examples: Examples) -> Iterator[Axes]:
        """What to draw."""
