"""How Inseparable finds its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.inseparable import Inseparable
from certo.certificates.separation.spans import integer_rows
from certo.numbers.farkas import cancels


def issue_inseparable(
    sample: Sample,
    labels: Labels,
    intercept: str,
    rows: Sequence[int],
    weights: Sequence[int | Fraction],
) -> Inseparable:
    """The claim, from positive weights of any total; CannotClaim if they do not cancel."""
    if not cancels(integer_rows(sample, rows, intercept == "free"), weights):
        raise CannotClaim("the weighted examples do not add up to zero.")
    order = np.argsort(rows, kind="stable")
    total = sum(weights)
    shares = tuple(Fraction(weights[k]) / total for k in order)
    return Inseparable(labels, intercept, sample.m, sample.d, np.asarray(rows)[order], shares)
