"""Points to begin with."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from sklearn.datasets import load_iris, make_circles, make_moons

from certo import worlds
from certo.data.problem import Problem
from certo.lab.bench import MAX_POINTS, Bench
from certo.lab.scene import BENCH_GRID_POINTS, grid_of, region

Points = tuple[np.ndarray, np.ndarray]
Generator = np.random.Generator

FEWEST_POINTS = 4  # That a preset is made of.
MAX_PRESET_SEED = 2**31 - 1
COARSE = 32  # Points are at multiples of 1/32, as those put by hand: fractions of them are short.


def _signs(m: int) -> np.ndarray:
    """Both labels in turn, so that any first few have both."""
    return np.where(np.arange(m) % 2 == 0, 1, -1)


def separable(m: int, rng: Generator) -> Points:
    """Two clouds, cut off so that a strip between them stays empty."""
    y = _signs(m)
    direction = np.array([0.8, 0.6])
    along, across = np.abs(rng.normal(0.0, 0.9, m)) + 0.45, rng.normal(0.0, 1.1, m)
    across = np.clip(across, -2.6, 2.6)
    X = (y * along)[:, None] * direction + across[:, None] * np.array([-0.6, 0.8])
    return np.clip(X + np.array([0.3, 0.2]), -3.8, 3.8), y


def narrow(m: int, rng: Generator) -> Points:
    """Two clouds beside each other, far from the origin on one side, with a narrow strip between:
    the Perceptron needs many updates."""
    y = _signs(m)
    along, across = np.abs(rng.normal(0.0, 0.7, m)) + 0.22, np.clip(rng.normal(0.0, 1.0, m), -2, 2)
    X = (y * along)[:, None] * np.array([0.35, 0.94]) + across[:, None] * np.array([0.94, -0.35])
    return np.clip(X + np.array([0.9, 1.1]), -3.8, 3.8), y


def touching(m: int, rng: Generator) -> Points:
    """Two clouds with a narrow strip between them: one point moved a little, and they touch."""
    y = _signs(m)
    along, across = np.abs(rng.normal(0.0, 0.8, m)) + 0.14, rng.normal(0.0, 1.2, m)
    return np.column_stack([np.clip(across, -3.4, 3.4), y * along]), y


def overlapping(m: int, rng: Generator) -> Points:
    """Two Gaussian clouds that overlap a little."""
    y = _signs(m)
    return rng.normal(0.0, 0.85, (m, 2)) + y[:, None] * np.array([0.95, 0.75]), y


def xor(m: int, rng: Generator) -> Points:
    """Four clouds, equal labels across the corner."""
    corner = np.arange(m) % 4
    y = np.where((corner == 0) | (corner == 3), 1, -1)
    centres = np.array([[1.4, 1.4], [-1.4, 1.4], [1.4, -1.4], [-1.4, -1.4]])
    return centres[corner] + rng.normal(0.0, 0.5, (m, 2)), y


def ring(m: int, rng: Generator) -> Points:
    """A disc and a ring around it."""
    X, inner = make_circles(m, noise=0.09, factor=0.42, random_state=_seed(rng))
    return 2.4 * X, np.where(inner == 1, 1, -1)


def moons(m: int, rng: Generator) -> Points:
    """Two crescents, one in the hollow of the other."""
    X, upper = make_moons(m, noise=0.18, random_state=_seed(rng))
    return 1.6 * (X - np.array([0.5, 0.25])), np.where(upper == 0, 1, -1)


def spiral(m: int, rng: Generator) -> Points:
    """Two arms of a spiral."""
    y = _signs(m)
    turn = np.sqrt(rng.uniform(0.04, 1.0, m))
    angle = 3.2 * np.pi * turn + np.where(y > 0, 0.0, np.pi)
    X = (3.4 * turn)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X + rng.normal(0.0, 0.07, (m, 2)), y


def noise(m: int, rng: Generator) -> Points:
    """Labels that follow a line, but for every tenth or so."""
    X = rng.uniform(-3.2, 3.2, (m, 2))
    flipped = rng.random(m) < 0.1
    side = np.where(X @ np.array([0.7, 1.0]) > 0.2, 1, -1)
    return X, np.where(flipped, -side, side)


def line(m: int, rng: Generator) -> Points:
    """A line with noise on the second coordinate, for regression."""
    x = rng.uniform(-3.4, 3.4, m)
    return np.column_stack([x, 0.6 * x + 0.3 + rng.normal(0.0, 0.6, m)]), _signs(m)


def iris(m: int, rng: Generator, kinds: tuple[int, int] = (1, 2)) -> Points:
    """Petals of two kinds of iris (Fisher 1936), length and width, centred, in centimetres; twice
    the width. As many as there are, at most."""
    table, kind = load_iris(return_X_y=True)
    rows = np.flatnonzero(np.isin(kind, kinds))
    rows = np.sort(rng.choice(rows, min(m, rows.size), replace=False))
    X = table[rows][:, 2:] - table[np.isin(kind, kinds)][:, 2:].mean(axis=0)
    return X * np.array([1.0, 2.0]), np.where(kind[rows] == kinds[1], 1, -1)


def setosa(m: int, rng: Generator) -> Points:
    """Iris setosa beside versicolor: these petals are separable."""
    return iris(m, rng, (0, 1))


def _seed(rng: Generator) -> int:
    return int(rng.integers(MAX_PRESET_SEED))


#: The usual number of points beside each.
PRESETS: dict[str, tuple[Callable[[int, Generator], Points], int]] = {
    "separable": (separable, 40),
    "narrow": (narrow, 40),
    "touching": (touching, 20),
    "overlapping": (overlapping, 60),
    "xor": (xor, 40),
    "ring": (ring, 80),
    "moons": (moons, 100),
    "spiral": (spiral, 120),
    "noise": (noise, 60),
    "line": (line, 30),
    "iris": (iris, 100),
    "setosa": (setosa, 100),
}
#: Worlds of the plane with two classes, by the name of their preset.
WORLDS: dict[str, worlds.ClassWorld] = {
    "world" + re.sub("(?=[A-Z])", "-", name).lower(): world
    for name in worlds.__all__
    if isinstance(world := getattr(worlds, name)(), worlds.base.ClassWorld)
    and world.n_features == 2
}
WORLD_POINTS = 100
WITHIN_CELL = (np.arange(4) - 1.5) / 4  # Places within a cell of the grid, in its width.


@cache
def bayes_region(world: worlds.base.ClassWorld, reach: float) -> dict[str, Any]:
    """Where the Bayes rule of a world says +1. Values are means over cells of the grid, so that a
    boundary at which the probability jumps is drawn smooth."""
    grid = grid_of(reach)
    width = 2 * reach / (BENCH_GRID_POINTS - 1)
    shifts = [width * np.array([x, y]) for x in WITHIN_CELL for y in WITHIN_CELL]
    rules = [np.sign(world.eta(grid + shift) - 0.5) for shift in shifts]
    return region(np.mean(rules, axis=0), reach)


def preset(name: str, m: int | None = None, seed: int = 0) -> Bench:
    """The points of a preset, as many as asked for, or as usual."""
    if name not in PRESETS and name not in WORLDS:
        known = ", ".join([*PRESETS, *WORLDS])
        raise Problem(f"there is no preset {name[:40]!r}. There are: {known}.")
    usual = WORLD_POINTS if name in WORLDS else PRESETS[name][1]
    m = usual if m is None else m
    if type(m) is not int or not FEWEST_POINTS <= m <= MAX_POINTS:
        raise Problem(f"m must be a whole number from {FEWEST_POINTS} to {MAX_POINTS}, got {m!r}.")
    if type(seed) is not int or not 0 <= seed <= MAX_PRESET_SEED:
        raise Problem(f"seed must be a whole number from 0 to {MAX_PRESET_SEED}, got {seed!r}.")
    rng = np.random.default_rng(seed)
    if name in WORLDS:
        return Bench.near(*WORLDS[name].draw(m, rng))
    X, y = PRESETS[name][0](m, rng)
    return Bench.near(np.rint(X * COARSE) / COARSE, y)
