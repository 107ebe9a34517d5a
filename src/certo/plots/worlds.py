"""Distributions that are known."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from certo.facts import InputError
from certo.plots import _canvas as canvas
from certo.plots._canvas import INK, NEGATIVE, POSITIVE, SOFT
from certo.words import drawings as sentences
from certo.worlds import ClassWorld, DensityWorld, NumberWorld, World
from certo.worlds.base import ContinuousClassWorld

WORLD_EXAMPLES = 250
FINE_POINTS = 401


def world(world: World, examples=None, ax: Axes | None = None) -> Axes:
    """A distribution of `certo.worlds`: η(x) and the Bayes classifier, the regression function, or
    the density; with examples (X, y), or 250 drawn with the seed 0."""
    ax = canvas.new_axes(ax, (5.6, 4.4))
    X, y = world.draw(WORLD_EXAMPLES, rng=0) if examples is None else examples
    X = np.asarray(X)
    match world:
        case ClassWorld() if world.n_features == 2:
            _plane(ax, world, X, np.asarray(y))
        case ContinuousClassWorld() if world.n_features == 1:
            _line(ax, world, X, np.asarray(y))
        case NumberWorld():
            _numbers(ax, world, X, np.asarray(y))
        case DensityWorld():
            _density(ax, world, X)
        case _:
            raise InputError(sentences.no_world_in_the_plane, world)
    ax.set_title(f"{type(world).__name__}: least risk {world.bayes_risk:.4g}")
    canvas.legend(ax)
    return ax


def _plane(ax: Axes, world: ClassWorld, X: np.ndarray, y: np.ndarray) -> None:
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    across, up = (np.linspace(a, b, FINE_POINTS) for a, b in zip(low, high, strict=True))
    eta = world.eta(canvas.grid_points(across, up)).reshape(FINE_POINTS, FINE_POINTS)
    if not world.discrete:
        shades = LinearSegmentedColormap.from_list("eta", [NEGATIVE, "white", POSITIVE])
        place = (across[0], across[-1], up[0], up[-1])
        look: dict[str, Any] = {"origin": "lower", "cmap": shades, "vmin": 0, "vmax": 1}
        ax.imshow(eta[::4, ::4], extent=place, alpha=0.4, zorder=0, **look)
        ax.contour(across, up, eta, [0.5], colors=INK, linewidths=1.5)
        ax.plot([], [], color=INK, lw=1.5, label="Bayes classifier")
    # Points that occur again and again are spread, to show how often.
    shown = X + np.random.default_rng(1).uniform(-0.18, 0.18, X.shape) * world.discrete
    for sign, color, marker in ((1, POSITIVE, "o"), (-1, NEGATIVE, "s")):
        style: dict[str, Any] = {
            "s": 12,
            "c": color,
            "marker": marker,
            "alpha": 0.75,
            "lw": 0,
            "zorder": 3,
        }
        canvas.scatter(ax, shown[y == sign], f"y = {sign:+d}", **style)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel="x1", ylabel="x2")
    ax.set_aspect("equal")


def _line(ax: Axes, world: ContinuousClassWorld, X: np.ndarray, y: np.ndarray) -> None:
    x = np.linspace(*world.ends, FINE_POINTS)
    ax.plot(x, world.eta(x[:, None]), color=INK, lw=1.6, label="η(x) = Pr(y = +1 | x)")
    yes = world.bayes(x[:, None]) == 1
    text = "Bayes classifier says +1"
    ax.fill_between(x, 0, 1, where=yes, color=POSITIVE, alpha=0.13, lw=0, label=text)
    ax.axhline(0.5, color=SOFT, lw=0.8, ls="--")
    jitter = np.random.default_rng(1).uniform(-0.05, 0.05, len(X))
    for sign, color, level in ((1, POSITIVE, 1.07), (-1, NEGATIVE, -0.07)):
        mine = y == sign
        points = np.column_stack([X[mine, 0], level + jitter[mine]])
        canvas.scatter(ax, points, f"y = {sign:+d}", s=9, c=color, alpha=0.6, lw=0)
    ax.set(xlabel="x", ylabel="η(x)", ylim=(-0.15, 1.15))


def _numbers(ax: Axes, world: NumberWorld, X: np.ndarray, y: np.ndarray) -> None:
    x = np.linspace(*world.ends, FINE_POINTS)
    g = world.regression_function(x[:, None])
    canvas.scatter(ax, np.column_stack([X[:, 0], y]), "examples", s=9, c=SOFT, alpha=0.8, lw=0)
    ax.plot(x, g, color=INK, lw=1.6, label="E[y | x]")
    text = "± standard deviation of y"
    ax.fill_between(
        x, g - world.noise, g + world.noise, color=POSITIVE, alpha=0.13, lw=0, label=text
    )
    ax.set(xlabel="x", ylabel="y")


def _density(ax: Axes, world: DensityWorld, X: np.ndarray) -> None:
    x = np.linspace(*world.ends, FINE_POINTS)
    ax.hist(X[:, 0], 24, density=True, color=SOFT, alpha=0.5, label="examples")
    ax.plot(x, np.exp(world.log_density(x[:, None])), color=INK, lw=1.6, label="density p(x)")
    ax.set(xlabel="x", ylabel="p(x)")
