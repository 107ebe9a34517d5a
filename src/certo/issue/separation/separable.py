"""How Separable finds its numbers."""

from __future__ import annotations

from certo.certificates.base import CannotClaim
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.separable import LEAST, Separable
from certo.certificates.spaces.vectors import Margins
from certo.numbers import exact


def issue_separable(
    sample: Sample, labels: Labels, coef, intercept: float, margins: Margins | None = None
) -> Separable:
    """The strongest such claim, or CannotClaim with an example on the wrong side."""
    margins = margins or Margins.of(sample, coef, intercept)
    wrong = margins.below(LEAST)
    if wrong is not None:
        found = exact.below(margins.exactly(wrong))
        raise CannotClaim(
            f"example {wrong} (counting from 0) has margin {found:.6g}: it is not strictly on "
            "its own side of the hyperplane."
        )
    return Separable(labels, coef, intercept, sample.m, margins.distance())
