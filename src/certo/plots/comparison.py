"""Machines beside each other: errors against the time of a fit."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

from certo.plots._canvas import INK, NEGATIVE, POSITIVE, SOFT, new_axes, short
from certo.tables.compare import Comparison, Result

KIND_LOOKS = {
    "certo": (NEGATIVE, "o", "machine of Certo"),
    "baseline": (SOFT, "s", "baseline"),
    "outsider": (POSITIVE, "D", "outsider"),
}
NEAR = 0.025  # Points at a smaller share of the picture's size from each other have one label.
AXES_SIZE = (350.0, 220.0)  # In points (1/72 inch), about: what labels cover is judged by it.
DIGIT_SIZE = (5.7, 8.0)  # Of a label, likewise.
PLACES = ((5.0, 4.0), (5.0, -11.0), (-5.0, 4.0), (-5.0, -11.0))  # Of a label beside its point.
LEAST_SECONDS_DRAWN = 1e-3
NAME_COLUMNS = 3  # In which the names of the machines stand below the picture.
LEAST_TOP = 1e-9  # Where no machine makes an error.


def machines(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """The error of each machine with its interval, against the seconds of its fit: the error rate
    on test rows in the interval that is proved for new data, or else the cross-validated error
    with two standard errors to either side. The numbers are the places in the comparison."""
    ax = new_axes(ax, (7.6, 4.6))
    proved = any(one.interval is not None for one in comparison.results)
    drawn = [
        (k, one, ends)
        for k, one in enumerate(comparison.results, 1)
        if (ends := _ends(comparison, one, proved)) is not None
    ]
    scale = 100 if comparison.learns == "classes" else 1
    named: set[str] = set()
    points: dict[int, tuple[float, float]] = {}
    for k, one, (low, at, high) in drawn:
        color, marker, name = KIND_LOOKS[one.candidate.kind]
        x = max(one.seconds or 0.0, LEAST_SECONDS_DRAWN)
        ax.plot([x, x], [scale * low, scale * high], color=color, lw=1.6, alpha=0.7)
        label = name if name not in named else None
        named.add(name)
        ax.plot([x], [scale * at], marker, color=color, ms=5, ls="", label=label)
        points[k] = math.log10(x), scale * at
    what, error = "Cross-validated error ± 2 standard errors", "error rate (%)"
    if proved:
        what = "Error rate on test rows, in its interval for new data"
    if comparison.learns == "numbers":
        what, error = "Root mean square error ± 2 standard errors", "root mean square error"
    ax.set(title=what, xlabel="seconds of the fit (logarithmic)", ylabel=error, xscale="log")
    ax.xaxis.set_major_locator(LogLocator(numticks=8))
    top = max((scale * ends[2] for _, _, ends in drawn), default=1.0)
    top = max(top, LEAST_TOP)
    ax.set_ylim(-0.03 * top, 1.08 * top)
    for numbers, (x, y), place in _labels(points, top):
        ax.annotate(
            numbers, (10**x, y), xytext=place, textcoords="offset points", fontsize=9, color=INK,
            ha="left" if place[0] > 0 else "right",
        )  # fmt: skip
    lines = [f"{k}\u2002{short(one.candidate.name, 26)}" for k, one, _ in drawn]
    many = -(-len(lines) // NAME_COLUMNS) or 1
    for column in range(0, len(lines), many):
        ax.text(
            column / many / NAME_COLUMNS, -0.24, "\n".join(lines[column : column + many]),
            transform=ax.transAxes, va="top", fontsize=9, color=INK, linespacing=1.5,
        )  # fmt: skip
    if drawn:
        ax.legend(loc="upper left", bbox_to_anchor=(0, -0.13), ncols=3, fontsize=9, frameon=False)
    return ax


def _labels(
    points: dict[int, tuple[float, float]], height: float
) -> Iterator[tuple[str, tuple[float, float], tuple[float, float]]]:
    """The numbers of points, one label for those that lie too near to each other for a number each,
    from left to right; where, and beside it the first place where it covers nothing, if any."""
    xs = [x for x, _ in points.values()]
    width = max(max(xs) - min(xs), 1.0) if xs else 1.0
    groups: list[list[int]] = []
    for k in sorted(points, key=points.__getitem__):
        x, y = points[k]
        for group in groups:
            u, v = points[group[-1]]
            if abs(x - u) < NEAR * width and abs(y - v) < NEAR * height:
                group.append(k)
                break
        else:
            groups.append([k])
    scale = np.array([AXES_SIZE[0] / width, AXES_SIZE[1] / height])
    covered = [(*(scale * at - 4), *(scale * at + 4)) for at in points.values()]
    for group in groups:
        text, at = ", ".join(map(str, group)), points[group[-1]]
        boxes = [_box(text, scale * at, place) for place in PLACES]
        free = [k for k, box in enumerate(boxes) if not any(_meet(box, one) for one in covered)]
        chosen = free[0] if free else 0
        covered.append(boxes[chosen])
        yield text, at, PLACES[chosen]


def _box(text: str, at: np.ndarray, place: tuple[float, float]) -> tuple[float, ...]:
    """What a label covers, in points: its ends on the left, below, on the right, and above."""
    (x, y), wide = at + place, DIGIT_SIZE[0] * len(text)
    left = x if place[0] > 0 else x - wide
    return left, y, left + wide, y + DIGIT_SIZE[1]


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return all(one[k] < other[k + 2] and other[k] < one[k + 2] for k in (0, 1))


def _ends(
    comparison: Comparison, result: Result, proved: bool
) -> tuple[float, float, float] | None:
    """The lower end, the error and the upper end of what is drawn; None, if nothing is."""
    if result.seconds is None:
        return None
    if proved:
        if result.interval is None or result.errors is None:
            return None
        return result.interval.lower, result.errors / comparison.counted, result.interval.upper
    if (error := result.cv_error) is None:
        return None
    off = 2 * (result.standard_error or 0.0)
    return max(0.0, error - off), error, error + off
