"""How Inseparable finds its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.inseparable import Inseparable
from certo.issue.slack import or_cannot_claim


def vector_indices(labels: Labels, rows: np.ndarray, against: np.ndarray | None) -> np.ndarray:
    """The indices of the vectors of these examples, for several classes compared with these."""
    if labels.positive is not None or against is None:
        return rows
    return rows * len(labels.classes) + against


@or_cannot_claim
def issue_inseparable(
    sample: Sample,
    labels: Labels,
    intercept: str,
    vectors: Sequence[int] | np.ndarray,
    weights: Sequence[int | Fraction],
) -> Inseparable:
    """The claim, from positive weights of any total; CannotClaim if they do not cancel."""
    order = np.argsort(vectors, kind="stable")
    total = sum(weights)
    shares = tuple(Fraction(weights[k]) / total for k in order)
    m, d = sample.m, sample.d
    claim = Inseparable(labels, intercept, m, d, np.asarray(vectors)[order], shares)
    claim._check(sample)
    return claim
