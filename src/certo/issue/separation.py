"""How claims about separation find their numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.inseparable import Inseparable
from certo.certificates.separation.separable import LEAST_SCORE, Separable
from certo.certificates.separation.separation import slots_of
from certo.certificates.spaces.difference_margins import margins_of
from certo.certificates.spaces.vectors import Margins
from certo.issue.slack import clearly_wrong, or_cannot_claim
from certo.numbers import exact
from certo.words.reader import examples_at


def issue_separable(
    sample: Sample, labels: Labels, coef, intercept: Any, margins: Any = None
) -> Separable:
    """The strongest such claim, or CannotClaim with an example on the wrong side. The sample has
    signs, or if the labels have no positive class the places of classes."""
    margins = margins or margins_of(sample, labels, coef, intercept)
    if isinstance(margins, Margins) and (wrong := clearly_wrong(margins)) is not None:
        raise _on_the_wrong_side(labels, wrong, float(margins.value[wrong]))
    least, wrong = margins.least()
    if least > 0:
        wrong = None
    elif (margin := margins.exactly(wrong)) > 0:  # The least margin was bounded, not computed.
        wrong = margins.below(LEAST_SCORE)
        margin = None if wrong is None else margins.exactly(wrong)
    if wrong is not None:
        raise _on_the_wrong_side(labels, wrong, exact.below(margin))
    functional = max(0.0, exact.below(least))
    # It takes several hyperplanes to tell several classes apart.
    distance = 0.0 if labels.positive is None else _distance(margins.coef, least)
    return Separable(labels, coef, intercept, sample.m, functional, distance)


def _on_the_wrong_side(labels: Labels, index: int, margin: float) -> CannotClaim:
    return CannotClaim(
        f"{_comparison(labels, index)} has margin {margin:.6g}: it is not strictly on its own side."
    )


def _distance(coef: np.ndarray, least: Fraction) -> float:
    """least/‖coef‖ rounded down: how far from the hyperplane all examples are at least; 0 where
    there is no such number."""
    length = exact.root_above(exact.dot_within(coef, coef)[1])
    return max(0.0, exact.below(least / Fraction(length))) if 0 < length < math.inf else 0.0


def _comparison(labels: Labels, index: int) -> str:
    """The margin of an index, for a message."""
    row, other = divmod(index, slots_of(labels))
    example = examples_at([row])
    if labels.positive is not None:
        return example
    return f"the comparison of {example} with class {labels.classes[other]!r}"


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
