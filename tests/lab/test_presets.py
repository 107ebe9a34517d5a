"""Presets: the same points for the same seed, of both labels, with the property in their name."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from certo import separability
from certo.certificates.separation.separable import Separable
from certo.data.problem import Problem
from certo.lab.presets import PRESETS, WORLDS, bayes_region, preset


@pytest.mark.parametrize("name", [*PRESETS, *WORLDS])
def test_points_are_the_same_for_the_same_seed(name):
    bench = preset(name, 30, 3)
    assert bench.key == preset(name, 30, 3).key != preset(name, 30, 4).key
    assert len(bench) == 30
    assert bench.has_both
    assert bench.reach <= 16
    assert len(preset(name)) >= 20
    assert len(preset(name, 500)) in (100, 500)  # There are a hundred flowers.


@pytest.mark.parametrize("name", ["separable", "narrow", "touching", "setosa"])
@pytest.mark.parametrize("seed", range(5))
def test_what_is_called_separable_is(name, seed):
    bench = preset(name, 80, seed)
    assert isinstance(separability(bench.X, bench.y), Separable)


@pytest.mark.parametrize("name", ["xor", "ring", "moons", "spiral", "noise", "overlapping", "iris"])
def test_what_is_not_is_not(name):
    bench = preset(name, 100, 0)
    assert not isinstance(separability(bench.X, bench.y), Separable)


def test_the_first_few_of_a_preset_have_both_labels():
    assert all(preset(name, 4).has_both for name in PRESETS if name != "noise")


@pytest.mark.parametrize(
    ("name", "m", "seed"),
    [("nothing", 10, 0), ("xor", 3, 0), ("xor", 501, 0), ("xor", 10.5, 0), ("xor", 10, -1),
     ("xor", 10, 2**31), ("xor", True, 0), ("xor", 10, "0")],
)  # fmt: skip
def test_what_is_no_preset_is_refused_in_words(name, m, seed):
    with pytest.raises(Problem, match=r"no preset|whole number"):
        preset(name, m, seed)


def test_worlds_are_those_of_the_plane_with_two_classes():
    assert "world-gaussian-classes" in WORLDS
    assert all(world.eta(np.zeros((1, 2))).shape == (1,) for world in WORLDS.values())


def test_a_bayes_boundary_is_smooth_where_the_probability_jumps():
    """Of the ring it is a circle: where two values of the grid differ in sign, zero lies on it."""
    world = WORLDS["world-ring"]
    told = bayes_region(world, 4.0)
    values = np.frombuffer(base64.b64decode(told["values"]), "<f4").reshape(told["n"], told["n"])
    ticks = np.linspace(-4, 4, told["n"])
    cell = ticks[1] - ticks[0]
    rows, columns = np.nonzero(values[:, :-1] * values[:, 1:] < 0)
    one, other = values[rows, columns], values[rows, columns + 1]
    radii = np.hypot(ticks[columns] + cell * one / (one - other), ticks[rows])
    assert len(radii) > 30
    assert np.max(np.abs(radii - world.radius)) < cell / 4  # Nearly half, without the means.
    assert bayes_region(world, 4.0) is told
