"""Neurons: one with its weights, and layers of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyBboxPatch

from certo.facts import InputError
from certo.geometry import Neuron
from certo.plots import _canvas as canvas
from certo.plots._canvas import ACCENT, INK, NEGATIVE, POSITIVE, SOFT
from certo.plots.vectors import arrow
from certo.words import drawings as sentences

MAX_INPUTS_DRAWN = 8
MAX_EDGE_POINTS = 4.0  # Width of the line of the largest weight.


def neuron(neuron: Neuron, names: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """A neuron of McCulloch and Pitts: its inputs with their weights and the bias, the sum (the
    induced local field), the hard limiter and the output. Colours are the signs of the weights,
    widths their sizes."""
    d = neuron.weights.size
    rows = [*range(min(d, MAX_INPUTS_DRAWN))]
    texts = [_name(names, k) for k in rows] + (["…"] if d > len(rows) else []) + ["+1"]
    reach = max(0.28 * len(texts), 1.0) + 0.35
    ax = canvas.new_axes(ax, (6.4, 2 * reach))
    weights = [*neuron.weights[rows], *([None] if d > len(rows) else []), neuron.bias]
    heights = np.linspace(1.0, -1.0, len(texts)) * 0.28 * len(texts)
    most = max(float(np.max(np.abs(neuron.weights))), abs(neuron.bias)) or 1.0
    for text, weight, height in zip(texts, weights, heights, strict=True):
        _node(ax, (0.0, height), text, SOFT if text == "+1" else INK)
        if weight is not None:
            _edge(ax, (0.0, height), (2.0, 0.0), float(weight), most)
            ax.text(0.86, height * 0.57 + 0.1, f"{weight:+.3g}", fontsize="small", ha="center",
                    color=_colour(float(weight)), bbox=_GROUND, zorder=4)  # fmt: skip
    _node(ax, (2.0, 0.0), "Σ", INK, 0.3)
    ax.text(2.0, -0.55, "induced\nlocal field v", ha="center", va="top", fontsize="small")
    arrow(ax, (2.3, 0.0), (2.95, 0.0), INK)
    _limiter(ax, 3.35, neuron.zero_sign)
    arrow(ax, (3.75, 0.0), (4.5, 0.0), INK)
    rule = "≥" if neuron.zero_sign > 0 else ">"
    ax.text(4.6, 0.0, f"+1 if v {rule} 0\n−1 otherwise", va="center", fontsize="small")
    ax.set(xlim=(-0.5, 5.9), ylim=(-reach, reach))
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax


def network(
    layers: Sequence[Sequence[Neuron]], names: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Layers of neurons, each fed by the outputs of the one before: the inputs on the left, the
    last layer on the right. The number in a neuron is its bias."""
    inputs = layers[0][0].weights.size
    reach = 0.55 * max(inputs, *map(len, layers)) + 0.2
    width = 1.8 * len(layers) + 1.5
    ax = canvas.new_axes(ax, (width, 2 * reach))
    places = [_column(0.0, inputs)]
    most = max(float(np.max(np.abs(one.weights))) for layer in layers for one in layer) or 1.0
    for depth, layer in enumerate(layers, start=1):
        places.append(_column(1.8 * depth, len(layer)))
        for one, place in zip(layer, places[-1], strict=True):
            if one.weights.size != len(places[-2]):
                raise InputError(
                    sentences.layers_do_not_fit, depth, one.weights.size, len(places[-2])
                )
            for weight, start in zip(one.weights.tolist(), places[-2], strict=True):
                _edge(ax, start, place, weight, most)
                x, y = np.array(start) + 0.36 * (np.array(place) - np.array(start))
                ax.text(x, y, f"{weight:+.3g}", fontsize="small", ha="center", va="center",
                        color=_colour(weight), bbox=_GROUND, zorder=4)  # fmt: skip
    for k, place in enumerate(places[0]):
        _node(ax, place, _name(names, k), INK)
    for layer, column in zip(layers, places[1:], strict=True):
        for one, place in zip(layer, column, strict=True):
            _node(ax, place, f"{one.bias:+.3g}", ACCENT, 0.3)
    last = places[-1]
    for x, y in last:
        arrow(ax, (x + 0.3, y), (x + 0.8, y), INK)
    ax.set(xlim=(-0.5, last[0][0] + 1.0), ylim=(-reach, reach))
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax


_GROUND = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}


def _name(names: Sequence[str] | None, k: int) -> str:
    return f"x{k + 1}" if names is None else canvas.short(str(names[k]), 10)


def _column(x: float, count: int) -> list[tuple[float, float]]:
    return [(x, y) for y in (1.1 * ((count - 1) / 2 - np.arange(count))).tolist()]


def _colour(weight: float) -> str:
    return POSITIVE if weight > 0 else NEGATIVE if weight < 0 else SOFT


def _node(ax: Axes, place, text: str, color: str, radius: float = 0.24) -> None:
    look: dict[str, Any] = {"facecolor": "white", "edgecolor": color, "lw": 1.6, "zorder": 3}
    ax.add_patch(Circle(tuple(place), radius, **look))
    x, y = place
    ax.text(x, y, text, ha="center", va="center", fontsize="small", zorder=4, color=INK)


def _edge(ax: Axes, start, end, weight: float, most: float) -> None:
    width = 0.5 + (MAX_EDGE_POINTS - 0.5) * abs(weight) / most
    ends = np.array([start, end])
    ax.plot(*ends.T, color=_colour(weight), lw=width, alpha=0.55, zorder=1)


def _limiter(ax: Axes, x: float, zero_sign: int) -> None:
    """A box with the step of the hard limiter; a dot says which value it has at 0."""
    look: dict[str, Any] = {"facecolor": "white", "edgecolor": INK, "lw": 1.6, "zorder": 2}
    box = FancyBboxPatch((x - 0.38, -0.38), 0.76, 0.76, boxstyle="round,pad=0.02", **look)
    ax.add_patch(box)
    ax.plot([x - 0.3, x], [-0.22, -0.22], color=ACCENT, lw=1.8, zorder=3)
    ax.plot([x, x + 0.3], [0.22, 0.22], color=ACCENT, lw=1.8, zorder=3)
    ax.plot([x, x], [-0.22, 0.22], color=SOFT, lw=0.8, ls=":", zorder=3)
    ax.plot([x], [0.22 * zero_sign], "o", ms=4, color=ACCENT, zorder=4)
    ax.text(x, -0.5, "hard limiter", ha="center", va="top", fontsize="small")
