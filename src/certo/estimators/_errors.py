"""Errors that carry a proof: what was asked for does not exist."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from certo.certificates.base import Certificate
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.inseparable import Inseparable
from certo.words.refusals import not_separable


class NotSeparable(ValueError):
    """No hyperplane separates the examples; `proof` is an `Inseparable` certificate of it.

    With a kernel `proof` is None: no function was found that separates them, and the message says
    how small a margin one could have at most.

    Attributes
    ----------
    proof : certo.certificates.Inseparable or None
    labels : certo.certificates.Labels or None
        Which classes were to be told apart.
    rows : list of int
        The examples that cannot all be on their own side, counting from 0.
    through_origin : bool
        Whether only hyperplanes through the origin were allowed.
    kernel : certo.kernels.Kernel or None
    margin, length : float
        With a kernel: how large the margin is at most, about, and how long examples are.
    equal_rows : pair of int or None
        Two examples of different classes that are equal, counting from 0.
    """

    def __init__(
        self,
        message: str = "",
        proof: Inseparable | None = None,
        *,
        labels: Labels | None = None,
        rows: Sequence[int] = (),
        through_origin: bool = False,
        kernel: Any = None,
        margin: float = 0.0,
        length: float = 0.0,
        equal_rows: tuple[int, int] | None = None,
    ):
        self.proof, self.labels, self.rows = proof, labels, list(rows)
        self.through_origin, self.kernel, self.equal_rows = through_origin, kernel, equal_rows
        self.margin, self.length = margin, length
        super().__init__(message or not_separable(self))

    def among(self, places: np.ndarray) -> NotSeparable:
        """The same error, where the rows it speaks of are those at these places among all."""
        equal, proof = self.equal_rows, self.proof
        return NotSeparable(
            proof=None if proof is None else replace(proof, vectors=places[proof.vectors]),
            labels=self.labels,
            rows=places[self.rows].tolist(),
            through_origin=self.through_origin,
            kernel=self.kernel,
            margin=self.margin,
            length=self.length,
            equal_rows=equal and (int(places[equal[0]]), int(places[equal[1]])),
        )


class ProofError(ValueError):
    """What was asked for does not exist; `proof` is a certificate of it, or None."""

    def __init__(self, message: str, proof: Certificate | None):
        super().__init__(message)
        self.proof = proof

    def __reduce__(self):
        return type(self), (str(self), self.proof)
