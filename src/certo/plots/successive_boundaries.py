"""Successive boundaries of a Perceptron: all at once, update by update, and as an animation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import colors
from matplotlib.animation import FuncAnimation
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from certo.facts import InputError
from certo.plots import _canvas as canvas
from certo.plots._canvas import ACCENT, INK, SOFT
from certo.plots.vectors import arrow
from certo.words import drawings as sentences

MAX_FRAMES = 60
FRAME_INCHES = 3.0


def boundaries(model, X, y, output: int = 0, ax: Axes | None = None, names=None) -> Axes:
    """The examples, and the boundary after every update of a Perceptron with two features, from
    light (the first) to dark (the last); updates of a long run are drawn equally spaced."""
    ax = canvas.new_axes(ax)
    run = _Run(model, X, y, output)
    run.draw_examples(ax, names)
    shades = colors.LinearSegmentedColormap.from_list("updates", [SOFT, INK])
    for place, n in enumerate(run.kept):
        last = place == len(run.kept) - 1
        share = place / max(1, len(run.kept) - 1)
        look: dict[str, Any] = {"lw": 1.8 if last else 0.9, "zorder": 2 if last else 1}
        name = {0: f"after update {n}", len(run.kept) - 1: f"after update {n}, the last"}.get(place)
        run.draw_line(
            ax, run.weights_after(n), color=shades(0.15 + 0.85 * share), label=name, **look
        )
    ax.set_title(f"Successive boundaries: {canvas.both_sides(run.labels)}")
    canvas.legend(ax)
    return ax


def update(model, X, y, number: int, output: int = 0, ax: Axes | None = None, names=None) -> Axes:
    """One update of a Perceptron with two features: the example that was wrong (ringed), the
    boundary before (dashed) and after; without an intercept also w before and after."""
    ax = canvas.new_axes(ax)
    run = _Run(model, X, y, output)
    if number not in run.kept:
        raise InputError(sentences.no_such_update, run.kept, number)
    run.draw_examples(ax, names)
    before, after = run.weights_after(number - 1), run.weights_after(number)
    run.draw_line(ax, before, color=INK, lw=1.0, ls="--", label="boundary before")
    run.draw_line(ax, after, color=INK, lw=1.8, label="boundary after")
    if run.homogeneous and after is not None:
        run.draw_step(ax, before, after)
    place = run.example_of(number)
    if place is not None:
        look = {"s": 110, "facecolors": "none", "edgecolors": ACCENT, "lw": 2.0, "zorder": 5}
        canvas.scatter(ax, run.X[[place]], "example of the update", **look)
    ax.set_title(f"Update {number} of {run.total}")
    canvas.legend(ax)
    return ax


def update_frames(
    model, X, y, updates: Sequence[int] | None = None, output: int = 0, columns: int = 3
) -> Figure:
    """A figure with a frame for each of these updates, or for up to nine that are equally spaced;
    each as `update` draws it."""
    run = _Run(model, X, y, output)
    chosen = run.spread(9) if updates is None else list(updates)
    rows = -(-len(chosen) // columns)
    size = (FRAME_INCHES * min(columns, len(chosen)), FRAME_INCHES * rows)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(rows, min(columns, len(chosen)), squeeze=False).ravel()
    for ax, number in zip(axes, chosen, strict=False):
        update(model, X, y, number, output, ax)
        ax.get_legend().remove()
        ax.set(xlabel="", ylabel="", xticks=[], yticks=[])
    for ax in axes[len(chosen) :]:
        ax.set_axis_off()
    return figure


def update_animation(
    model, X, y, output: int = 0, interval: float = 700.0, names=None
) -> FuncAnimation:
    """An animation of the updates, up to 60 that are equally spaced, each as `update` draws it:
    `animation.save("run.gif", writer="pillow")`, or `animation.to_jshtml()` in a notebook.

    interval : milliseconds between two updates
    """
    run = _Run(model, X, y, output)
    figure = Figure(figsize=(5.2, 4.8))
    ax = figure.add_axes((0.12, 0.24, 0.84, 0.68))

    def draw(number: int) -> list[Any]:
        ax.clear()
        update(model, X, y, number, output, ax, names)
        look: dict[str, Any] = {"ncols": 2, "fontsize": "small", "frameon": False}
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), **look)
        return []

    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    frames = run.spread(MAX_FRAMES)
    made = FuncAnimation(figure, draw, frames=frames, interval=interval, blit=False, repeat=True)
    made._draw_was_started = True  # type: ignore[attr-defined]  # No warning if it is never shown.
    return made


class _Run:
    """What a trace has of one output, and how it is drawn."""

    def __init__(self, model, X, y, output: int) -> None:
        self.X = canvas.matrix(X)
        if self.X.shape[1] != 2:
            raise InputError(sentences.no_boundaries_in_the_plane, self.X.shape[1])
        self.X = np.asarray(self.X.todense() if hasattr(self.X, "todense") else self.X, float)
        self.model, self.labels = model, model.outputs_[output]
        self.signs = self.labels.signs(y)
        trace = model.trace_.of_output(output) if hasattr(model, "updates_") else None
        if trace is None or trace.weights.shape[1] == 0:
            raise InputError(sentences.no_successive_boundaries, type(model).__name__)
        self.trace = trace
        self.kept = self.trace.weights_update.tolist()
        if not self.kept:
            raise ValueError("there is no boundary to draw, since the run made no update.")
        self.total = int(self.trace.epoch_updates.sum())
        self.homogeneous = not self.trace.weights[:, 2].any()

    def weights_after(self, number: int) -> np.ndarray | None:
        """w (intercept last); before the first update, that of the start if it is known to be 0."""
        if number == 0 and getattr(self.model, "init", "zeros") == "zeros":
            return np.zeros(3)
        places = np.flatnonzero(self.trace.weights_update == number)
        return self.trace.weights[places[0]] if places.size else None

    def example_of(self, number: int) -> int | None:
        places = np.flatnonzero(self.trace.update == number)
        return int(self.trace.example[places[0]]) if places.size else None

    def spread(self, count: int) -> list[int]:
        """So many of the updates, equally spaced, the first and the last among them."""
        places = np.unique(np.linspace(0, len(self.kept) - 1, count).round().astype(int))
        return [self.kept[place] for place in places.tolist()]

    def draw_examples(self, ax: Axes, names) -> None:
        rows = canvas.some_of(len(self.signs))
        for sign, color, marker, text in canvas.sides(self.labels):
            mine = rows[self.signs[rows] == sign]
            look = {"s": 18, "c": color, "marker": marker, "alpha": 0.75, "lw": 0, "zorder": 3}
            canvas.scatter(ax, self.X[mine], text, **look)
        seen = self.X
        if self.homogeneous:  # The boundaries go through the origin, at a right angle to w.
            seen = np.vstack([self.X, np.zeros(2)])
            ax.set_aspect("equal")
        (left, bottom), (right, top) = canvas.ends(seen, 0.08)
        first, second = canvas.axis_names(2, canvas.feature_names(self.model, names))
        ax.set(xlim=(left, right), ylim=(bottom, top))
        ax.set(xlabel=first + canvas.drawn_note(len(rows), len(self.signs)), ylabel=second)

    def draw_line(self, ax: Axes, weights: np.ndarray | None, **look: Any) -> None:
        if weights is None or not weights[:2].any():
            return
        foot = -weights[2] * weights[:2] / (weights[:2] @ weights[:2])
        along = np.array([-weights[1], weights[0]])
        ax.axline(tuple(foot.tolist()), tuple((foot + along).tolist()), **look)

    def draw_step(self, ax: Axes, before: np.ndarray | None, after: np.ndarray) -> None:
        """w before and after, as far as they fit into the picture: one scale for both."""
        (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
        known = [w[:2] for w in (before, after) if w is not None]
        longest = max(1e-300, *(float(np.linalg.norm(w)) for w in known))
        scale = 0.4 * min(right - left, top - bottom) / longest
        if before is not None and before.any():
            arrow(ax, (0, 0), scale * before[:2], SOFT, lw=1.4)
        arrow(ax, (0, 0), scale * after[:2], ACCENT, lw=1.8)
        ax.plot([], [], color=ACCENT, lw=1.8, label="w after (grey: before)")
