"""How MaximumMargin finds its numbers."""

from __future__ import annotations

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.margins.maximum_margin import MaximumMargin, _extra
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.vectors import Margins
from certo.numbers import exact


def issue_maximum_margin(
    sample: Sample,
    labels: Labels,
    *,
    coef: np.ndarray,
    intercept: float,
    treatment: str,
    rows: np.ndarray,
    dual_coef: np.ndarray,
    margins: Margins | None = None,
) -> MaximumMargin:
    """The strongest such claim from a separator and signed multipliers a_t y_t of some rows.

    CannotClaim, if it separates nothing or the multipliers bound nothing.
    """
    margins = margins or Margins.of(sample, coef, intercept)
    least, where = margins.least()
    if least <= 0 or not np.any(coef):
        raise CannotClaim(f"example {where} is not strictly on its own side.")
    lower = margins.distance(_extra(intercept, treatment))
    if not rows.size:
        raise CannotClaim("without multipliers nothing bounds the margin from above.")
    if lower == 0:
        raise CannotClaim(f"the margin of example {where} is too small for a float.")
    draft = MaximumMargin(
        labels, coef, intercept, treatment, rows, dual_coef, sample.m,
        lower, np.finfo(np.float64).max,
    )  # fmt: skip
    combined = draft._combined(sample, room=4)
    squares = [combined.rounded] if combined.is_sharp else [combined.rounded, combined.exactly]
    known = [square for square in squares if square is not None]
    upper = exact.root_above(min(known) / draft._total**2) if known else np.inf
    if not upper < np.inf:
        raise CannotClaim("numbers over- or underflow float64.")
    object.__setattr__(draft, "upper", upper)
    return draft
