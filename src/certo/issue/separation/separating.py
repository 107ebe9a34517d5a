"""How Separating finds its numbers."""

from __future__ import annotations

from certo.certificates.base import CannotClaim
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.separating import Separating
from certo.certificates.spaces.vectors import Margins
from certo.numbers import exact


def issue_separating(
    sample: Sample, labels: Labels, coef, intercept: float, margins: Margins | None = None
) -> Separating:
    """The strongest such claim, or CannotClaim with an example on the wrong side."""
    margins = margins or Margins.of(sample, coef, intercept)
    least, where = margins.least()
    if least <= 0:
        raise CannotClaim(
            f"example {where} (counting from 0) has margin {exact.below(least):.6g}: "
            "it is not strictly on its own side of the hyperplane."
        )
    margin = exact.below(least)
    if margin == 0:
        raise CannotClaim(f"the margin of example {where} is too small for a float.")
    return Separating(labels, coef, intercept, sample.m, margin, margins.distance())
