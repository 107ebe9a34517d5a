"""What a Perceptron did, update by update: as much of it as fits in a bounded space."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from certo.compiled.trace import TraceBuffers


@dataclass(frozen=True, repr=False)
class Trace:
    """Updates of one run, or of the runs of a layer (`output` says whose).

    Up to 1024 updates of a run, all are here. Beyond that the run is cut into equal windows and of
    each the first update, those with the smallest and the largest ‖w‖², and the sharpest turn are
    kept, so every extreme of the run is among them.

    Attributes
    ----------
    output, update, epoch, example : integer arrays, one entry for each update kept
        Whose update, which one (from 1), in which epoch (from 1), on which example.
    squared_norm : array
        ‖w‖² after the update, lifted weights included.
    angle : array
        The angle in radians by which the update turned w (0 from w = 0, which has no direction).
    weights_output, weights_update : integer arrays; weights : array (kept, d + 1)
        w itself (intercept last) after some of the updates: all of them while they are few,
        equally spaced ones otherwise. Enough to redraw the boundary.
    epoch_output, epoch_updates : integer arrays
        The number of updates of every epoch.
    """

    output: np.ndarray
    update: np.ndarray
    epoch: np.ndarray
    example: np.ndarray
    squared_norm: np.ndarray
    angle: np.ndarray
    weights_output: np.ndarray
    weights_update: np.ndarray
    weights: np.ndarray
    epoch_output: np.ndarray
    epoch_updates: np.ndarray

    @classmethod
    def of(cls, buffers: TraceBuffers, updates: int, epoch_updates: list[int]) -> Trace:
        stride, copy_stride = (int(value) for value in buffers.stride)
        windows = -(-updates // stride)
        number = buffers.update[:windows].ravel()
        kept, first = np.unique(number, return_index=True)

        def of_kept(buffer):
            return buffer[:windows].ravel()[first]

        copies = np.arange(0, updates, copy_stride)
        return cls(
            output=np.zeros(kept.size, np.int64),
            update=kept,
            epoch=of_kept(buffers.epoch),
            example=of_kept(buffers.example),
            squared_norm=of_kept(buffers.norm2),
            angle=np.arctan2(np.sqrt(of_kept(buffers.across2)), of_kept(buffers.along)),
            weights_output=np.zeros(copies.size, np.int64),
            weights_update=copies + 1,
            weights=buffers.weights[: copies.size].copy(),
            epoch_output=np.zeros(len(epoch_updates), np.int64),
            epoch_updates=np.array(epoch_updates, np.int64),
        )

    @classmethod
    def layer(cls, traces: list[Trace]) -> Trace:
        """The traces of several outputs in one."""
        columns = {}
        for name in (field.name for field in fields(cls)):
            parts = [getattr(trace, name) for trace in traces]
            if name.endswith("output"):
                parts = [part + k for k, part in enumerate(parts)]
            columns[name] = np.concatenate(parts)
        return cls(**columns)

    def of_output(self, output: int) -> Trace:
        """The trace of one neuron of the layer."""
        masks = {
            "weights": self.weights_output == output,
            "epoch_output": self.epoch_output == output,
        }
        updates = self.output == output

        def pick(name):
            if name.startswith("weights"):
                return getattr(self, name)[masks["weights"]]
            if name in ("epoch_output", "epoch_updates"):
                return getattr(self, name)[masks["epoch_output"]]
            return getattr(self, name)[updates]

        return Trace(**{field.name: pick(field.name) for field in fields(self)})

    def __len__(self) -> int:
        return len(self.update)

    def __repr__(self) -> str:
        return f"Trace({len(self):,} of {int(self.epoch_updates.sum()):,} updates kept)"
