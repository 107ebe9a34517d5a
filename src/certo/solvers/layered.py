"""Traces of several outputs in one."""

from __future__ import annotations

from dataclasses import fields
from typing import Self

import numpy as np


class Layered:
    """A dataclass of arrays of one length, the first of which, `output`, numbers the outputs."""

    output: np.ndarray

    @classmethod
    def layer(cls, traces: list[Self]) -> Self:
        """The traces of several outputs in one."""
        output = [np.full(len(trace), k) for k, trace in enumerate(traces)]
        names = [f.name for f in fields(cls)[1:]]  # type: ignore[arg-type]
        return cls(
            np.concatenate(output),  # type: ignore[call-arg]
            *(np.concatenate([getattr(trace, name) for trace in traces]) for name in names),
        )

    def __len__(self) -> int:
        return len(self.output)
