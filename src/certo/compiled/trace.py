"""What happened at each update, in a buffer of fixed size that never loses an extreme.

The updates are cut into windows of `stride` consecutive ones. Of each window the buffer
keeps four: the first, the one with the smallest ‖w‖², the one with the largest, and the one
that turned w the most. When the buffer is full, neighbouring windows are merged and the
stride doubles. While stride = 1 nothing at all is lost.

Copies of w itself are kept for the first update of (coarser) windows, in the same manner.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from certo.compiled._jit import jit

FIRST, LOWEST, HIGHEST, SHARPEST = range(4)


class TraceBuffers(NamedTuple):
    update: np.ndarray  # (windows + 1, 4) int64: which update it was, from 1
    epoch: np.ndarray  # the same shape, int64; the last row is where a new record is written
    example: np.ndarray
    norm2: np.ndarray  # float64: ‖w‖² after the update
    along: np.ndarray  # old w · new w
    across2: np.ndarray  # ‖old w‖²‖new w‖² − (old w · new w)²
    weights: np.ndarray  # (copies, d + 1): w after update 1, 1 + stride, 1 + 2·stride, …
    stride: np.ndarray  # (2,) int64: of the windows, of the copies


def trace_buffers(d: int, windows: int = 1024, copied_numbers: int = 2**17) -> TraceBuffers:
    """Empty buffers: at most 4·windows records and about `copied_numbers` copied weights."""
    copies = 2 * max(1, min(windows, copied_numbers // (d + 1)) // 2)
    whole, real = np.zeros((3, windows + 1, 4), np.int64), np.zeros((3, windows + 1, 4))
    return TraceBuffers(*whole, *real, np.zeros((copies, d + 1)), np.ones(2, np.int64))


@jit
def _turn(trace, window, kind):
    """−cos·|cos| of the angle moved: grows with the angle, and needs no arctangent."""
    along = trace.along[window, kind]
    return -along * abs(along) / (trace.across2[window, kind] + along * along + 1e-300)


@jit
def _copy(trace, window, kind, other, other_kind):
    trace.update[window, kind] = trace.update[other, other_kind]
    trace.epoch[window, kind] = trace.epoch[other, other_kind]
    trace.example[window, kind] = trace.example[other, other_kind]
    trace.norm2[window, kind] = trace.norm2[other, other_kind]
    trace.along[window, kind] = trace.along[other, other_kind]
    trace.across2[window, kind] = trace.across2[other, other_kind]


@jit
def _compete(trace, window, other, kind):
    """Let the record (other, kind) take the extremes of `window` that it beats."""
    if trace.norm2[other, kind] < trace.norm2[window, LOWEST]:
        _copy(trace, window, LOWEST, other, kind)
    if trace.norm2[other, kind] > trace.norm2[window, HIGHEST]:
        _copy(trace, window, HIGHEST, other, kind)
    if _turn(trace, other, kind) > _turn(trace, window, SHARPEST):
        _copy(trace, window, SHARPEST, other, kind)


@jit
def record(trace, n, epoch, example, norm2, along, across2, w):
    """Note the n-th update (n = 1, 2, …), which led to w with ‖w‖² = norm2."""
    windows = trace.update.shape[0] - 1
    if (n - 1) // trace.stride[0] == windows:
        for k in range(windows // 2):
            for kind in range(4):
                _copy(trace, k, kind, 2 * k, kind)
            for kind in range(4):
                _compete(trace, k, 2 * k + 1, kind)
        trace.stride[0] *= 2
    window = (n - 1) // trace.stride[0]
    trace.update[windows, FIRST] = n
    trace.epoch[windows, FIRST] = epoch
    trace.example[windows, FIRST] = example
    trace.norm2[windows, FIRST] = norm2
    trace.along[windows, FIRST] = along
    trace.across2[windows, FIRST] = across2
    if (n - 1) % trace.stride[0] == 0:
        for kind in range(4):
            _copy(trace, window, kind, windows, FIRST)
    else:
        _compete(trace, window, windows, FIRST)

    copies = trace.weights.shape[0]
    if (n - 1) // trace.stride[1] == copies:
        for k in range(copies // 2):
            trace.weights[k] = trace.weights[2 * k]
        trace.stride[1] *= 2
    if (n - 1) % trace.stride[1] == 0:
        trace.weights[(n - 1) // trace.stride[1]] = w
