"""The McCulloch–Pitts neuron, as an object to look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from certo.facts import InputError
from certo.geometry.hyperplane import ArrayValue, Hyperplane, inner, number, sgn, short, vector
from certo.words import points as sentences


@final
@dataclass(frozen=True, eq=False, repr=False)
class Neuron(ArrayValue):
    """A McCulloch–Pitts neuron with a hard limiter.

    Induced local field   w₁x₁ + … + w_d x_d + w₀, with w the `weights` and w₀ the `bias`
    Output                +1 if the field is positive, −1 if negative, `zero_sign` if zero
    Boundary              the hyperplane w·x = −w₀, at distance |w₀|/‖w‖ from the origin

    At a field of exactly 0 the default is +1, as sgn(0) = +1 for linear classifiers.
    The hard limiter of a neuron (Rosenblatt 1958: 1 if the field is positive, −1
    otherwise) answers −1 there: that is `zero_sign=-1`.

    All weights may be zero, as before any learning; such a neuron has no boundary.

    >>> neuron = Neuron([1.0, -2.0], bias=0.5)
    >>> print(neuron)
    +1 if 1·x1 - 2·x2 + 0.5 ≥ 0, otherwise -1
    >>> neuron([[0.0, 0.0], [1.0, 1.0]])
    array([ 1, -1])
    >>> neuron.boundary([0.0, 1.5])
    array([0.25, 1.  ])
    """

    weights: np.ndarray
    bias: float = 0.0
    zero_sign: int = +1

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", vector("Neuron: weights", self.weights))
        object.__setattr__(self, "bias", number("Neuron: bias", self.bias))
        object.__setattr__(self, "zero_sign", int(sgn(0.0, self.zero_sign)))

    def __repr__(self) -> str:
        return (
            f"Neuron(weights={short(self.weights)}, bias={self.bias!r}, "
            f"zero_sign={self.zero_sign:+d})"
        )

    def __str__(self) -> str:
        d, shown = self.weights.size, 6
        terms = [f"{w:+g}·x{i}" for i, w in enumerate(self.weights[:shown].tolist(), start=1)]
        terms += ["+…"] if d > shown else []
        terms += [f"{self.bias:+g}"] if self.bias else []
        field = " ".join(f"{term[0]} {term[1:]}" for term in terms).removeprefix("+ ")
        return f"+1 if {field} {'≥' if self.zero_sign > 0 else '>'} 0, otherwise -1"

    def induced_local_field(self, X):
        """w·x + w₀ for each point."""
        return inner(X, self.weights) + self.bias

    def output(self, X):
        """−1 or +1 for each point: the hard limiter of the induced local field."""
        return sgn(self.induced_local_field(X), self.zero_sign)

    def __call__(self, X):
        return self.output(X)

    @property
    def hyperplane(self) -> Hyperplane:
        """The boundary S(w, −w₀)."""
        return Hyperplane(self.weights, -self.bias)

    def boundary(self, x1):
        """The x2 of the boundary at x1, for a neuron of the plane: −(w₁x₁ + w₀)/w₂."""
        if self.weights.size != 2:
            raise InputError(sentences.no_boundary_in_the_plane, self.weights.size)
        w1, w2 = self.weights.tolist()
        if w2 == 0.0 == w1:
            raise ValueError("Neuron.boundary: both weights are 0, so there is no boundary.")
        if w2 == 0.0:
            raise ValueError(
                "Neuron.boundary: w2 is 0, so the boundary is the vertical line "
                f"x1 = {-self.bias / w1 + 0.0:g}, and x2 is free on it."
            )
        return -(w1 * np.asarray(x1, dtype=np.float64) + self.bias) / w2
