"""What the page draws, as plain values: shapes, numbers beside their bounds, charts, a verdict.

A word that a person reads has a key here, and its text in `page/words.json`, in two languages.
Numbers are written as everywhere in Certo: what is at most something is rounded up.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from certo.numbers.decimals import rounded_down, rounded_up
from certo.numbers.digits import three_digits

BENCH_GRID_POINTS = 72  # In each direction, of the grid on which a picture has scores.
BOUND_DIGITS = 4  # Of bounds, that are rounded outward.


def line(kind: str, coef: Any, intercept: float, **more: Any) -> dict[str, Any]:
    """The line coef·x + intercept = 0; nothing is drawn where coef is 0."""
    first, second = (float(c) for c in coef)
    return {"kind": kind, "w": [first, second], "b": float(intercept), **more}


def grid_of(reach: float, count: int = BENCH_GRID_POINTS) -> np.ndarray:
    """Points of the square [−reach, reach]², row by row from below, so many in each direction."""
    ticks = np.linspace(-reach, reach, count)
    return np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)


def region(scores: np.ndarray, reach: float, levels: Sequence[float] = (0.0,)) -> dict[str, Any]:
    """Values on the grid, to be coloured by their sign, and lines along which they are a level."""
    values = np.asarray(scores, dtype="<f4").tobytes()
    return {"n": math.isqrt(len(scores)), "reach": reach, "levels": list(levels),
            "values": base64.b64encode(values).decode()}  # fmt: skip


def number(key: str, value: float, *, at: str = "", digits: int = BOUND_DIGITS,
           bound: float | None = None, of_run: bool = False) -> dict[str, Any]:  # fmt: skip
    """A number of the strip; `at` says whether it is rounded "most" or "least" or as usual.

    `bound` is the most that the theorem allows; `of_run`: it is about runs with these steps, not
    about every run."""
    said: dict[str, Any] = {"key": key, "value": plain(value), "text": text(value, at, digits)}
    if bound is not None:
        said["bound"] = {"value": plain(bound), "text": text(bound, "most"), "of_run": of_run}
    return said


def text(value: float, at: str = "", digits: int = BOUND_DIGITS) -> str:
    if isinstance(value, int | np.integer):
        return three_digits(int(value))
    value = float(value)
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞" if value < 0 else "–"
    if at == "most":
        return rounded_up(value, digits)
    return rounded_down(value, digits) if at == "least" else three_digits(value)


def plain(value: Any) -> Any:
    """A JSON number; None where JSON has none."""
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, int | np.integer | bool):
        return int(value)
    return float(value) if math.isfinite(value) else None


def series(key: str, x: Iterable[float], y: Iterable[float], kind: str = "line") -> dict[str, Any]:
    """A line, steps, dots or a dashed bound of a chart; what is not finite is left out."""
    across, up = np.asarray(list(x)), np.asarray(list(y), dtype=np.float64)
    kept = np.isfinite(up)
    return {"key": key, "kind": kind, "x": across[kept].tolist(), "y": up[kept].tolist()}


def chart(key: str, lines: Sequence[dict[str, Any]], *, log_x: bool = False,
          log_y: bool = False, **more: Any) -> dict[str, Any]:  # fmt: skip
    """A picture of series that share their axes, whose names belong to the key."""
    return {"key": key, "series": list(lines), "log_x": log_x, "log_y": log_y, **more}


def verdict(key: str, tone: str = "plain", **args: Any) -> dict[str, Any]:
    """A sentence: `tone` is good, bad or plain; numbers of it are written here."""
    shown = {name: value if isinstance(value, str) else text(value) for name, value in args.items()}
    return {"key": key, "tone": tone, "args": shown}
