"""What a Perceptron did, update by update: as much of it as fits in a bounded space."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from certo.compiled.trace import Copies, Records, listed
from certo.solvers.layered import Layered


@dataclass(frozen=True, repr=False)
class Trace(Layered):
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
    def of(cls, records: Records, copies: Copies, epoch_updates: np.ndarray) -> Trace:
        windows = -(-int(epoch_updates.sum()) // int(records.stride[0]))
        kept = np.empty((records.windows.shape[-1], 4 * windows))
        count = listed(records.windows, windows, kept)
        update, epoch, example, norm2, along, across2, _ = kept[:, :count]
        copied, stride = copies.taken.tolist()
        return cls(
            output=np.zeros(update.size, np.int64),
            update=update.astype(np.int64),
            epoch=epoch.astype(np.int64),
            example=example.astype(np.int64),
            squared_norm=norm2.copy(),
            angle=np.arctan2(np.sqrt(across2), along),
            weights_output=np.zeros(copied, np.int64),
            weights_update=1 + stride * np.arange(copied),
            weights=copies.weights[:copied].copy(),
            epoch_output=np.zeros(len(epoch_updates), np.int64),
            epoch_updates=epoch_updates,
        )

    @classmethod
    def of_epochs(cls, epoch_updates: list[int], weights: list[np.ndarray]) -> Trace:
        """Of a run of which only w after the last epochs is known, and the updates of all."""
        nothing, none, kept = np.zeros(0), np.zeros(0, np.int64), weights
        made = np.array(epoch_updates, np.int64)
        return cls(
            output=none, update=none, epoch=none, example=none, squared_norm=nothing,
            angle=nothing, weights_output=np.zeros(len(kept), np.int64),
            weights_update=np.cumsum(made)[-len(kept) :], weights=np.array(kept),
            epoch_output=np.zeros(made.size, np.int64), epoch_updates=made,
        )  # fmt: skip

    def of_output(self, output: int) -> Trace:
        """The trace of one neuron of the layer."""
        of = {"weights": self.weights_output, "epoch_": self.epoch_output}
        columns = {}
        for name in (field.name for field in fields(self)):
            whose = next((own for start, own in of.items() if name.startswith(start)), self.output)
            columns[name] = getattr(self, name)[whose == output]
        return Trace(**columns)

    def __repr__(self) -> str:
        return f"Trace({len(self):,} of {int(self.epoch_updates.sum()):,} updates kept)"
