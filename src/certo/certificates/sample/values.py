"""What y is to a claim that is not about classes: real numbers, or nothing at all.

A claim about values declares `labels: Values`, one about X alone `labels: Unlabelled` (mypy needs
`# type: ignore[assignment]` there). Both read y as `Labels` does, by `read(y, rows)`, and what they
read is the `signs` of the `Sample`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from certo.certificates.sample.examples import SampleMismatch, exact_floats, read_exactly
from certo.containers import exact_input


@dataclass(frozen=True)
class Values:
    """y holds real numbers: one for each example (`columns` None), or so many columns of them."""

    columns: int | None = None

    def __post_init__(self) -> None:
        if self.columns is not None and self.columns < 1:
            raise ValueError(f"columns must be at least 1, got {self.columns!r}.")

    @classmethod
    def of(cls, y) -> Values:
        """What these values are, from their shape."""
        return cls(np.shape(y)[1] if np.ndim(y) == 2 else None)

    @property
    def outputs(self) -> int:
        return self.columns or 1

    def read(self, y, rows: int) -> np.ndarray:
        """y in float64, of shape (rows, outputs)."""
        y = read_exactly(exact_input, y, "y", required="y must be a table of numbers")
        y = y.toarray() if sparse.issparse(y) else y
        values = y[:, None] if y.ndim == 1 else y
        if values.ndim != 2 or values.shape[1] != self.outputs:
            several = f" with {self.columns} columns" if self.outputs > 1 else ""
            raise SampleMismatch(
                f"the claim is about numbers y{several}, one row for each example, but y has "
                f"shape {y.shape}."
            )
        if values.shape[0] != rows:
            raise SampleMismatch(f"X has {rows} rows, but y has {values.shape[0]} values.")
        return exact_floats(values, "y").astype(np.float64, copy=False)

    def places(self, y, unknown: bool = False) -> np.ndarray:
        """A whole number for each example, the same for the same values."""
        return np.ascontiguousarray(self.read(y, len(y))[:, 0] + 0.0).view(np.int64)  # −0 is 0.


@dataclass(frozen=True)
class Unlabelled:
    """The claim is about X alone; y, whatever it is, is not looked at."""

    def read(self, y, rows: int) -> np.ndarray:
        return np.ones(rows, dtype=np.int8)
