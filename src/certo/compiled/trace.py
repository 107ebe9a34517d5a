"""What happened at each update, in a space of fixed size that never loses an extreme.

The updates are cut into windows of `stride` consecutive ones. Of each window four are kept: the
first, the one with the smallest ‖w‖², the one with the largest, and the one that turned w the
most. When the space is full, neighbouring windows are merged and the stride doubles. While
stride = 1 nothing at all is lost. Copies of w itself are thinned in the same manner.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from certo.compiled._jit import jit

EARLIEST, LOWEST, HIGHEST, SHARPEST = range(4)
UPDATE, EPOCH, EXAMPLE, NORM2, ALONG, ACROSS2, TURN = range(7)
MAX_WINDOWS, MAX_COPIED_NUMBERS = 1024, 2**17


class Log(NamedTuple):
    """The updates of one epoch, in order."""

    example: np.ndarray  # (m,) int64
    norm2: np.ndarray  # (m,): ‖w‖² after the update
    along: np.ndarray  # (m,): old w · new w
    across2: np.ndarray  # (m,): ‖old w‖²‖new w‖² − (old w · new w)²


class Copies(NamedTuple):
    weights: np.ndarray  # (copies, d + 1): w after update 1, 1 + stride, 1 + 2·stride, …
    taken: np.ndarray  # (2,) int64: how many, and the stride


class Records(NamedTuple):
    """A record is seven numbers (the whole ones are exact: floats hold integers up to 2⁵³): which
    update it was (from 1), its epoch, its example, the three numbers of the log, and −cos·|cos| of
    the angle moved, which grows with the angle and needs no arctangent."""

    windows: np.ndarray  # (windows, 4, 7)
    stride: np.ndarray  # (1,) int64


def empty_log(m: int) -> Log:
    # Not zeros: memory that no update needs is never touched.
    return Log(np.empty(m, np.int64), *(np.empty(m) for _ in range(3)))


def empty_copies(d: int) -> Copies:
    """Room for at most MAX_WINDOWS copies and about MAX_COPIED_NUMBERS numbers in all."""
    count = 2 * max(1, min(MAX_WINDOWS, MAX_COPIED_NUMBERS // (d + 1)) // 2)
    return Copies(np.empty((count, d + 1)), np.array([0, 1]))


def empty_records() -> Records:
    return Records(np.empty((MAX_WINDOWS, 4, 7)), np.ones(1, np.int64))


@jit
def copy_weights(copies, w):
    """Keep w; if there is no room, first drop every second copy and double the stride."""
    count = copies.taken[0]
    if count == copies.weights.shape[0]:
        count //= 2
        for k in range(count):
            for j in range(w.size):
                copies.weights[k, j] = copies.weights[2 * k, j]
        copies.taken[1] *= 2
    for j in range(w.size):
        copies.weights[count, j] = w[j]
    copies.taken[0] = count + 1


@jit
def _halve(windows):
    """Merge neighbouring windows, of which each extreme is the further of two, or the earlier."""
    for k in range(windows.shape[0] // 2):
        one, other = windows[2 * k], windows[2 * k + 1]
        beats = (
            False,
            other[LOWEST, NORM2] < one[LOWEST, NORM2],
            other[HIGHEST, NORM2] > one[HIGHEST, NORM2],
            other[SHARPEST, TURN] > one[SHARPEST, TURN],
        )
        for kind in range(4):
            row = 2 * k + (1 if beats[kind] else 0)
            for part in range(windows.shape[2]):
                windows[k, kind, part] = windows[row, kind, part]


@jit
def _record(windows, at, kind, log, turns, k, first, epoch):
    """Make update k of the log a record."""
    new = windows[at, kind]
    new[UPDATE] = first + k + 1
    new[EPOCH] = epoch
    new[EXAMPLE] = log.example[k]
    new[NORM2] = log.norm2[k]
    new[ALONG] = log.along[k]
    new[ACROSS2] = log.across2[k]
    new[TURN] = turns[k]


@jit
def listed(windows, count, kept):
    """The records of the first `count` windows, each once and in the order of their updates: how
    many there are, and they themselves as the columns of `kept`."""
    found = 0
    for at in range(count):
        last = 0.0
        while True:  # The next update of the window.
            which, update = -1, np.inf
            for kind in range(4):
                if last < windows[at, kind, UPDATE] < update:
                    which, update = kind, windows[at, kind, UPDATE]
            if which < 0:
                break
            for part in range(windows.shape[2]):
                kept[part, found] = windows[at, which, part]
            found, last = found + 1, update
    return found


@jit
def keep(records, log, made, first, epoch):
    """Thin the `made` updates of an epoch into the records; `first` updates came before them."""
    windows, stride = records.windows, records.stride[0]
    norm2, along, across2 = log.norm2[:made], log.along[:made], log.across2[:made]
    turns = np.empty(made)
    for k in range(turns.size):
        turns[k] = -along[k] * abs(along[k]) / (across2[k] + along[k] * along[k] + 1e-300)
    at, inside = first // stride, first % stride  # The window, and the place in it.
    k = 0
    while k < made:
        if at == windows.shape[0]:
            _halve(windows)
            stride *= 2
            at //= 2
        end = min(k + stride - inside, made)
        lowest = highest = sharpest = k
        low = high = norm2[k]
        turn = turns[k]
        for i in range(k + 1, end):
            if norm2[i] < low:
                low, lowest = norm2[i], i
            if norm2[i] > high:
                high, highest = norm2[i], i
            if turns[i] > turn:
                turn, sharpest = turns[i], i
        if inside == 0:
            _record(windows, at, EARLIEST, log, turns, k, first, epoch)
        if inside == 0 or low < windows[at, LOWEST, NORM2]:
            _record(windows, at, LOWEST, log, turns, lowest, first, epoch)
        if inside == 0 or high > windows[at, HIGHEST, NORM2]:
            _record(windows, at, HIGHEST, log, turns, highest, first, epoch)
        if inside == 0 or turn > windows[at, SHARPEST, TURN]:
            _record(windows, at, SHARPEST, log, turns, sharpest, first, epoch)
        inside += end - k
        if inside == stride:
            at, inside = at + 1, 0
        k = end
    records.stride[0] = stride
