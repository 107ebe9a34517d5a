"""Errors that carry what they speak of: rows, columns, labels, values. `words` says it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any, ParamSpec

import numpy as np

from certo.certificates.base import Certificate
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.inseparable import Inseparable
from certo.words.refusals import not_separable

P = ParamSpec("P")


class _Facts(Exception):
    """An error with facts, and a function of `certo.words.refusals` that says them: it writes the
    sentence for whoever reads when the error is raised.

    Attributes
    ----------
    says : callable
        What is wrong.
    facts : dict
        The arguments of this function: `label`, `value`, …
    rows : list of int
        The examples that are spoken of, counting from 0.
    columns : list of int
        The columns of X that are spoken of, counting from 0.
    """

    def __init__(self, says: Callable[P, str], *args: P.args, **facts: P.kwargs):
        super().__init__(says(*args, **facts))
        self.says, self.facts = says, signature(says).bind(*args, **facts).arguments
        self.rows, self.columns = self._places("row"), self._places("column")
        if self.facts.get("table", "X") != "X":
            self.columns = []

    def _places(self, name: str) -> list[int]:
        one = [self.facts[name]] if name in self.facts else []
        return [int(place) for place in self.facts.get(f"{name}s", one)]

    def __reduce__(self):
        return _again, (type(self), self.says, self.facts), {"args": self.args}


def _again(kind: Any, says: Callable[..., str], facts: dict[str, Any]) -> _Facts:
    return kind(says, **facts)


class InputError(_Facts, ValueError):
    """Examples, labels or weights that a machine cannot use."""


class LabelTypeError(_Facts, TypeError):
    """A label that a certificate cannot name."""


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
