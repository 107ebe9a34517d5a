"""The geometry of linear classifiers: a hyperplane, a neuron, and a plane to look at them in."""

from certo.geometry.angles import angle, projection_length
from certo.geometry.conics import conic_coefficients, conic_map, conic_name
from certo.geometry.hyperplane import Hyperplane, lift
from certo.geometry.neuron import Neuron
from certo.geometry.plane import PlaneView

__all__ = [
    "Hyperplane",
    "Neuron",
    "PlaneView",
    "angle",
    "conic_coefficients",
    "conic_map",
    "conic_name",
    "lift",
    "projection_length",
]
