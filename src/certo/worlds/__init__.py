"""Distributions that are known, so that the risk itself can be looked at, not only estimates of it.

A world draws examples, says how probable each answer is, and computes the least risk of all
functions and the risk of any machine. `__all__` lists the worlds; each needs no arguments. To add
one, derive from `ClassWorld`, `NumberWorld` or `DensityWorld`; the laws of the test suite find it.
"""

from certo.worlds.base import ClassWorld as ClassWorld
from certo.worlds.base import DensityWorld as DensityWorld
from certo.worlds.base import NumberWorld as NumberWorld
from certo.worlds.base import World as World
from certo.worlds.beta_density import BetaDensity
from certo.worlds.checkerboard import Checkerboard
from certo.worlds.gaussian_classes import GaussianClasses
from certo.worlds.logistic_line import LogisticLine
from certo.worlds.noisy_grid import NoisyGrid
from certo.worlds.noisy_line import NoisyLine
from certo.worlds.noisy_sine import NoisySine
from certo.worlds.ring import Ring
from certo.worlds.split_cloud import SplitCloud
from certo.worlds.waves import Waves

__all__ = [
    "BetaDensity",
    "Checkerboard",
    "GaussianClasses",
    "LogisticLine",
    "NoisyGrid",
    "NoisyLine",
    "NoisySine",
    "Ring",
    "SplitCloud",
    "Waves",
]
