"""Several classes at once: one score for each class, and its own the highest for every example.

Write z_{t,k} = e_y ⊗ x_t − e_k ⊗ x_t for the example t of class y and another class k (x_t with a
1 appended where there are intercepts): the stacked weights (w_1, …, w_K) have the inner product
(w_y − w_k)·x_t with it. All that is said of two classes holds of these vectors.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from certo.certificates.base import Certificate, Refuted, require
from certo.certificates.encoding import counted
from certo.certificates.fields import finite_vector, whole_vector
from certo.certificates.sample.examples import Sample, SampleMismatch, exact_matrix
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.inseparable import check_shape, convex_weights, intercept_mode
from certo.certificates.separation.spans import integer_rows
from certo.numbers import exact
from certo.numbers.farkas import cancels


def class_sample(X, y, classes: Sequence[Any]) -> Sample:
    """X, and instead of signs the place of every label among the classes."""
    X = exact_matrix(X)
    codes = Labels(tuple(classes), 0).places(y)
    if X.shape[0] != codes.size:
        raise SampleMismatch(f"X has {X.shape[0]} rows, but y has {codes.size} labels.")
    if not codes.size:
        raise SampleMismatch("X has no rows: there is nothing to check.")
    return Sample(X, codes)


def joint_margins(
    sample: Sample, coef: np.ndarray, intercept: np.ndarray
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """(first row, score_y − score_k, how far off it may be), block by block.

    A margin is a sum of 2(d + 1) products. That of an example's own class means nothing.
    """
    with np.errstate(over="ignore"):
        longest = float(np.max(np.sum(np.abs(coef), axis=1)))
    highest = float(np.max(np.abs(intercept)))
    for start, stop in sample.blocks():
        part, codes = sample.part(start, stop), sample.signs[start:stop]
        with np.errstate(over="ignore", invalid="ignore"):
            scores = np.asarray(part @ coef.T) + intercept
            own = scores[np.arange(stop - start), codes]
            margins = own[:, None] - scores
            peaks = np.asarray(abs(part).max(axis=1).toarray() if _sparse(part) else
                               np.max(np.abs(part), axis=1, initial=0.0)).ravel()  # fmt: skip
            slack = exact.allowance(2 * sample.d + 2, 2 * (peaks * longest + highest))
        yield start, margins, slack


def _sparse(part) -> bool:
    return not isinstance(part, np.ndarray)


def jointly_wrong(sample: Sample, coef: np.ndarray, intercept: np.ndarray) -> tuple | None:
    """(t, k) with score_y ≤ score_k, decided exactly; None if there is no such pair."""
    for start, margins, slack in joint_margins(sample, coef, intercept):
        with np.errstate(invalid="ignore"):
            unsure = ~(margins > slack[:, None])
        unsure[np.arange(len(unsure)), sample.signs[start : start + len(unsure)]] = False
        known: dict[int, list[Fraction]] = {}
        for row, k in np.argwhere(unsure).tolist():
            t = start + row
            if t not in known:
                pairs = zip(coef, intercept.tolist(), strict=True)
                known = {t: [sample.score(t, w, b) for w, b in pairs]}
            if known[t][sample.signs[t]] <= known[t][k]:
                return t, k
    return None


class _Joint(Certificate):
    """A claim about all classes: the sample has places among the classes instead of signs."""

    _reads: ClassVar[Hashable] = "classes"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.labels.column is not None:
            raise ValueError("a claim about all classes is not about a column of labels.")

    def _sample(self, X, y) -> Sample:
        return class_sample(X, y, self.labels.classes)


@final
@dataclass(frozen=True, repr=False, eq=False)
class JointlySeparable(_Joint):
    """Claim: (w_y − w_k)·x_t + b_y − b_k > 0 for every example t and every class k other than its
    own, y: the highest score is always that of the right class, and alone.

    Proof: all margins, rounded with a proven allowance, those too close to call exactly.
    """

    weights: tuple[np.ndarray, ...]
    intercept: np.ndarray
    examples: int

    def __post_init__(self) -> None:
        super().__post_init__()
        weights = tuple(finite_vector(w, "weights") for w in self.weights)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "intercept", finite_vector(self.intercept, "intercept"))
        sizes = {w.size for w in weights}
        if not (len(weights) == self.intercept.size == len(self.labels.classes) > len(sizes) == 1):
            raise ValueError("there must be weights, all of one length, and an intercept a class.")

    @property
    def coef(self) -> np.ndarray:
        """(n_classes, n_features)"""
        return np.array(self.weights)

    @property
    def numbers(self) -> dict[str, Any]:
        return {"examples": self.examples}

    def _check(self, sample: Sample) -> str:
        m, d = self.examples, self.weights[0].size
        require(sample.m == m, f"the claim is about {m:,} examples, but X has {sample.m:,} rows.")
        require(sample.d == d, f"the claim is about {d:,} features, but X has {sample.d:,}.")
        wrong = jointly_wrong(sample, self.coef, self.intercept)
        if wrong is not None:
            k = self.labels.classes[wrong[1]]
            raise Refuted(f"example {wrong[0]} has no lower score in class {k!r} than in its own.")
        return f"all {sample.m:,} have their highest score in their own class alone."


@final
@dataclass(frozen=True, repr=False, eq=False)
class JointlyInseparable(_Joint):
    """Claim: no weights (w_k) (and intercepts, with "free") give every example its highest score in
    its own class alone.

    Proof: weights a > 0 of pairs (t, k), t an example and k = `against` a class other than its own,
    y, with Σ a z_{t,k} = 0 in exact rational arithmetic, that is, for every class c,
    Σ_{y = c} a x̃_t = Σ_{k = c} a x̃_t. So Σ a (w_y − w_k)·x̃_t = 0, and not every term is positive.
    """

    intercept: str
    examples: int
    features: int
    rows: np.ndarray
    against: np.ndarray
    weights: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        intercept_mode(self.intercept)
        for name in ("rows", "against"):
            object.__setattr__(self, name, whole_vector(getattr(self, name), name))
        object.__setattr__(self, "weights", convex_weights(self.weights, self.rows.size))
        pairs = list(zip(self.rows.tolist(), self.against.tolist(), strict=False))
        if self.rows.size != self.against.size or sorted(set(pairs)) != pairs or min(pairs[0]) < 0:
            raise ValueError("rows and against must be pairs in increasing order, from 0 on.")
        if not 0 <= self.against.min() <= self.against.max() < len(self.labels.classes):
            raise ValueError("against must hold places of classes.")

    @property
    def numbers(self) -> dict[str, Any]:
        return {"examples": self.examples}

    def _check(self, sample: Sample) -> str:
        check_shape(self, sample)
        own = sample.signs[self.rows]
        same = np.flatnonzero(own == self.against)
        require(not same.size, "an example is compared with its own class.")
        plain = Sample(sample.X, np.ones(sample.m, np.int8))
        vectors = integer_rows(plain, self.rows.tolist(), self.intercept == "free")
        for c in range(len(self.labels.classes)):
            turned = (own == c).astype(int) - (self.against == c)
            signed = [a * int(s) for a, s in zip(self.weights, turned, strict=True)]
            require(cancels(vectors, signed), "the weighted comparisons do not cancel exactly.")
        return f"{counted(self.rows.size, 'weighted comparison')} cancel exactly."
