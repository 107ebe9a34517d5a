"""Inseparable: no hyperplane, or no scores of classes, have every example on its own side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from certo.certificates.encoding import counted
from certo.certificates.sample.examples import Sample
from certo.certificates.separation.cancelling import Cancelling, check_convex


@final
@dataclass(frozen=True, repr=False, eq=False)
class Inseparable(Cancelling):
    """Claim: for no coef (and no intercept, with "free") is y_t (coef·x_t + intercept) > 0 for all
    of `rows`, nor hence for all examples. For several classes: no weights w_k (and intercepts b_k)
    have (w_y − w_k)·x_t + b_y − b_k > 0 for each of `rows`, t, of class y, and the class k that it
    is compared with in `against`, nor hence give every example its highest score in its own class.

    Proof: the weights a_i > 0 of these vectors have Σ a_i z_i = 0, in exact rational arithmetic. So
    Σ a_i w·z_i = 0 whatever w, and not every term can be positive. In other words: for two classes
    and an intercept, a point that is a mean of examples of either class; without, the origin is a
    mean of the y_t x_t; for several classes, Σ_{y = c} a x̃_t = Σ_{k = c} a x̃_t for every class c.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        check_convex(self.weights, self.vectors.size)

    def _check(self, sample: Sample) -> str:
        self._cancelling(sample)
        return f"{counted(self.vectors.size, 'weighted vector')} add up to exactly zero."
