"""Traces of several outputs in one."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Self

import numpy as np


class Layered:
    """A dataclass of arrays; those whose name ends in "output" number the outputs, the first of all
    being `output`."""

    output: np.ndarray

    @classmethod
    def layer(cls, traces: list[Self]) -> Self:
        """The traces of several outputs, each of one output, in one."""
        if len(traces) == 1:
            return traces[0]
        columns: dict[str, Any] = {}
        for name in (field.name for field in fields(cls)):  # type: ignore[arg-type]
            parts = [getattr(trace, name) for trace in traces]
            if name.endswith("output"):
                parts = [part + k for k, part in enumerate(parts)]
            columns[name] = np.concatenate(parts)
        return cls(**columns)

    def __len__(self) -> int:
        return len(self.output)
