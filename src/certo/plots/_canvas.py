"""What all pictures share: colours, axes, names of the two sides, how many points are drawn."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, LogLocator, MaxNLocator
from scipy import sparse

from certo.words.labels import name_of
from certo.words.reader import example

POSITIVE, NEGATIVE, INK, SOFT = "#c2410c", "#1d4ed8", "#1f2937", "#9ca3af"
ACCENT = "#2a8a57"  # What a picture is about, where it is neither of the two sides.
ROW_PREFIX = "row "  # What the address of a point begins with that stands for a row of a file.
MAX_POINTS_DRAWN = 1000  # More hide each other.
MAX_MARKED_POINTS = 40  # Points of a line that have a marker each.
MAX_NAMED_LINES = 10  # Lines with a colour and a name of their own.
SAME = 1e-9  # Scores that differ by a smaller share of the largest are the same to a reader.


def new_axes(ax: Axes | None, size: tuple[float, float] = (5.2, 4.2)) -> Axes:
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=size, layout="constrained")[1]


def scatter(ax: Axes, points: np.ndarray, label: str | None, places=None, **look: Any) -> None:
    """Points; where their rows have numbers (`places`), each says in an SVG file which it is."""
    drawn = ax.scatter(points[:, 0], points[:, 1], label=label, **look)
    if places is not None:
        drawn.set_urls([f"{ROW_PREFIX}{place}" for place in places])


def some_of(m: int) -> np.ndarray:
    """A bounded number of the rows, spread at random so that no order in them matters."""
    if m <= MAX_POINTS_DRAWN:
        return np.arange(m)
    return np.sort(np.random.default_rng(0).choice(m, MAX_POINTS_DRAWN, replace=False))


def places_of(places, rows) -> Any:
    """The numbers of these rows, if rows have numbers."""
    return None if places is None else np.asarray(places)[rows]


def drawn_note(drawn: int, m: int) -> str:
    """How many of m examples are drawn; nothing, if all are."""
    return f" ({drawn:,} of {m:,} {example()}s drawn)" if drawn < m else ""


def feature_names(model, names):
    """These names of the columns, or those that the model learned."""
    return getattr(model, "feature_names_in_", None) if names is None else names


def draw_outputs(ax: Axes, lines, outputs, alone: str | None, **look: Any) -> None:
    """A line (x, y) for each output: with a colour and a name where there are a few of them, grey
    where there are more, and of this name where there is one `alone`."""
    named = 1 < len(outputs) <= MAX_NAMED_LINES
    color = None if named else INK if len(outputs) == 1 else SOFT
    for (x, y), labels in zip(lines, outputs, strict=True):
        name = short(name_of(labels)) if named else alone if len(outputs) == 1 else None
        marker = "o" if len(y) <= MAX_MARKED_POINTS else None
        ax.plot(x, y, marker=marker, ms=3, color=color, label=name, **look)


def logarithmic(ax: Axes, label: str) -> None:
    """A logarithmic scale upwards, named so, with few ticks."""
    ax.set(yscale="log", ylabel=f"{label} (logarithmic)")
    ax.yaxis.set_major_locator(LogLocator(numticks=8))


def are_same(scores: np.ndarray) -> bool:
    """Whether a rule gives all rows the same score, but for rounding."""
    return not scores.size or bool(np.ptp(scores) <= SAME * np.abs(scores).max())


def matrix(X) -> Any:
    return X.tocsr() if sparse.issparse(X) else np.asarray(X)


def sides(labels) -> tuple[tuple[int, str, str, str], ...]:
    """Sign, colour, marker and name of the two sides."""
    if labels.against is not None:
        own, other = (str(labels.classes[k]) for k in (labels.positive, labels.against))
        return (1, POSITIVE, "o", short(own)), (-1, NEGATIVE, "s", short(other))
    rest = f"not {name_of(labels)}" if len(labels.classes) != 2 else str(labels.classes[0])
    return (1, POSITIVE, "o", short(name_of(labels))), (-1, NEGATIVE, "s", short(rest))


def in_title(name: str) -> str:
    """The name of a class in a title, in which a number alone would not say what it is."""
    return f"class {short(name)}" if _is_number(name) else short(name)


def side_name(labels) -> str:
    """The positive side in a title."""
    return in_title(name_of(labels))


def both_sides(labels) -> str:
    """Both sides, or the only class, in a title."""
    if len(labels.classes) == 1 or labels.column is not None:
        return side_name(labels)
    if labels.against is not None:
        both = [short(side[3], 24) for side in sides(labels)]
    else:
        rest = str(labels.classes[1 - labels.positive]) if len(labels.classes) == 2 else "the rest"
        both = [short(name_of(labels), 24), short(rest, 24)]
    return ("classes " if all(map(_is_number, both)) else "") + " and ".join(both)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def axis_names(d: int, names) -> tuple[str, str]:
    if d > 2:
        return "along the weights", "main direction across them"
    given = [short(str(name)) for name in names] if names is not None else ["x1", "x2"]
    return given[0], given[1] if d == 2 else ""


def spread(points: np.ndarray, signs: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Points on a line hide each other: they are spread, a side for each class."""
    height = np.random.default_rng(0).uniform(0.1, 0.9, len(signs))
    return np.column_stack([points[:, 0], (signs * height)[rows]])


def class_looks(classes) -> list[tuple[Any, Any, str]]:
    """A label, its colour and its marker: for two classes those of the two sides."""
    if len(classes) == 2:
        return [(classes[0], NEGATIVE, "s"), (classes[1], POSITIVE, "o")]
    return [(label, color_of(k), "osD^vP*Xph"[k % 10]) for k, label in enumerate(classes)]


def color_of(k: int):
    return colormaps["tab10"](k % 10)


def short(text: str, most: int = 32) -> str:
    """A user's word in a picture: one line, not too long, no mathematics, seen in a legend."""
    text = " ".join(text.split()) or "(blank)"
    text = text if len(text) <= most else text[: most - 1] + "…"
    return ("'" + text + "'" if text.startswith("_") else text).replace("$", r"\$")


def whole_numbers(axis) -> None:
    axis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    axis.set_major_formatter(EngFormatter(sep=""))


def few_numbers(axis) -> None:
    """As many as have room, large ones with k, M, …"""
    axis.set_major_locator(MaxNLocator(nbins=6))
    if max(map(abs, axis.get_view_interval())) >= 1e4:
        axis.set_major_formatter(EngFormatter(sep=""))


def legend(
    ax: Axes, lines: float = 4.5, *, below: Axes | None = None, of: Any = (), ncols: int = 2
) -> None:
    """Below the picture (of a panel `below` it, if there is one), so many lines from the axis,
    where it hides nothing, if the figure makes room for it. It names what is in `ax` and in the
    panels `of`."""
    known = [panel.get_legend_handles_labels() for panel in (ax, *of)]
    handles, texts = ([*chain(*parts)] for parts in zip(*known, strict=True))
    if ax.figure.get_layout_engine() is None:
        ax.legend(handles, texts, loc="best", fontsize="small")
        return
    look: dict[str, Any] = {"ncols": ncols, "fontsize": "small", "frameon": False}
    look |= {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "borderaxespad": lines}
    (below or ax).legend(handles, texts, **look)


def second_panel(ax: Axes, what: str, rows: int, columns: int, **grid: Any) -> Axes:
    """A panel below `ax`, with its scale, or beside it; both share the room that `ax` had."""
    place = ax.get_subplotspec()
    if place is None:
        raise ValueError(f"{what} needs an ax made by subplots() or add_subplot().")
    two = place.subgridspec(rows, columns, **grid)
    ax.set_subplotspec(two[0])
    return ax.figure.add_subplot(two[1], sharex=ax if rows > 1 else None)


def ends(points: np.ndarray, share: float) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest value of each column, with such a share of room beyond."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = share * np.where(high > low, high - low, 1.0)
    return low - room, high + room


def grid_points(across: np.ndarray, up: np.ndarray) -> np.ndarray:
    """All points with one of these coordinates each, a row of the picture after the other."""
    return np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
