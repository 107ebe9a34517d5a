"""What is separable among more than two classes: each from the rest, each pair, and all at once."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from certo.certificates import encoding
from certo.certificates.base import Verification, words
from certo.certificates.composite import from_named
from certo.certificates.sample.examples import SampleMismatch, exact_matrix
from certo.certificates.separation.inseparable import Inseparable
from certo.certificates.separation.separable import Separable
from certo.containers import exact_labels


@final
@dataclass(frozen=True, repr=False)
class ClassSeparability:
    """Verdicts about K > 2 classes, each with its proof.

    one_against_rest : one verdict for each class
    pairwise : one for each pair, in the order of `pairs`; it speaks of the examples of these two
        classes alone, and numbers them without the others
    joint : one about all classes at once: whether some scores w_k·x + b_k are always highest in the
        example's own class

    All are about any hyperplanes, or all about those through the origin: see `intercept`.
    """

    classes: tuple[Any, ...]
    one_against_rest: tuple[Separable | Inseparable, ...]
    pairwise: tuple[Separable | Inseparable, ...]
    joint: Separable | Inseparable

    def __post_init__(self) -> None:
        parts = (self.one_against_rest, self.pairwise, (self.joint,))
        asked = [
            [(claim.labels.classes, claim.labels.positive) for claim in part] for part in parts
        ]
        if (
            not all(isinstance(claim, Separable | Inseparable) for claim in self._all)
            or asked[0] != [(self.classes, k) for k in range(len(self.classes))]
            or asked[1:] != [[(pair, 1) for pair in self.pairs], [(self.classes, None)]]
            or any(claim.labels.column is not None for claim in self._all)
        ):
            raise ValueError("there must be one verdict for each class, each pair, and for all.")
        named = {claim.intercept for claim in self._all if isinstance(claim, Inseparable)}
        if len(named) > 1 or (named == {"none"} and self._any_intercept):
            raise ValueError(
                "the verdicts must all be about hyperplanes through the origin (intercept 'none'), "
                "or all about any ('free')."
            )

    @property
    def _all(self) -> tuple[Any, ...]:
        return (*self.one_against_rest, *self.pairwise, self.joint)

    @property
    def _any_intercept(self) -> bool:
        """Whether some separator has an intercept other than 0."""
        found = [claim.intercept for claim in self._all if not isinstance(claim, Inseparable)]
        return any(map(np.any, found))

    @property
    def intercept(self) -> str:
        """'none' if all is said of hyperplanes through the origin, else 'free'."""
        named = [claim.intercept for claim in self._all if isinstance(claim, Inseparable)]
        return named[0] if named else "free" if self._any_intercept else "none"

    @property
    def pairs(self) -> list[tuple[Any, Any]]:
        return list(itertools.combinations(self.classes, 2))

    def pair(self, one: Any, other: Any) -> Separable | Inseparable:
        """The verdict about these two classes."""
        wanted = {one, other}
        found = [k for k, pair in enumerate(self.pairs) if set(pair) == wanted]
        if not found:
            raise KeyError(f"no pair of the classes {list(self.classes)}: {one!r}, {other!r}.")
        return self.pairwise[found[0]]

    def verify(self, X, y) -> Verification:
        """Check every verdict against the data."""
        try:
            X, y = exact_matrix(X), np.asarray(exact_labels(y, "a claim")).ravel()
            if y.size != X.shape[0]:
                raise SampleMismatch(f"X has {X.shape[0]} rows, but y has {y.size} labels.")
        except (SampleMismatch, ValueError) as mismatch:
            return Verification(False, type(self).__name__, str(mismatch))
        parts = [claim.verify(X, y) for claim in (*self.one_against_rest, self.joint)]
        for (one, other), claim in zip(self.pairs, self.pairwise, strict=True):
            both = np.flatnonzero((y == one) | (y == other))
            found = claim.verify(X[both], y[both])
            parts.append(replace(found, rows=tuple(both[list(found.rows)].tolist())))
        failed = sum(not part for part in parts)
        why = f"{failed or 'all'} of {len(parts)} verdicts {'do not ' if failed else ''}hold."
        return Verification(not failed, type(self).__name__, why, tuple(parts))

    def to_dict(self) -> dict[str, Any]:
        return {"type": type(self).__name__, **encoding.to_plain(self)}

    @classmethod
    def from_dict(cls, data: Any) -> ClassSeparability:
        return from_named(cls, data)

    def __repr__(self) -> str:
        return words().class_verdicts(self)
