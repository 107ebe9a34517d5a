"""How LogisticExcess finds its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from certo.certificates.base import CannotClaim
from certo.certificates.regression.logistic_excess import LogisticExcess
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.issue.regression.logistic_search import Basis, best_proof
from certo.issue.slack import SLACK_FACTOR, or_cannot_claim, with_numbers
from certo.numbers import exact
from certo.numbers.rounding import MAX_FLOAT

_NONE = np.zeros(0, np.int64)


@or_cannot_claim
def issue_logistic_excess(
    sample: Sample,
    labels: Labels,
    *,
    coef: np.ndarray,
    intercept: np.ndarray,
    treatment: str,
    ridge: float = 0.0,
    class_weight: Sequence[float] | np.ndarray | None = None,
    sample_weight: Sequence[float] | np.ndarray | None = None,
    alive: np.ndarray | None = None,
    kept: np.ndarray | None = None,
    combinations: Sequence[Sequence[Fraction]] = (),
    factor: np.ndarray | None = None,
    enough: float = 0.0,
) -> LogisticExcess:
    """The strongest such claim, or one by the ridge alone, which is quick, where that shows an
    excess of at most `enough`; with lower = 0, if nothing better can be shown.

    `sample` has the places of the classes as signs. `alive` marks what is not dropped: (m,) for
    two classes, (m, K) for more. `kept` and `combinations` are those of `solvers.dependence`
    for the columns, on what is alive. `factor`, if known, is L with LLᵀ near the inverse of the
    Hessian over the columns kept, class after class: without it one is found, by one or two
    passes more. Where combinations are not exact, the claim reaches as far as costs 2⁻³⁴.
    CannotClaim, if numbers overflow.
    """
    draft = LogisticExcess(
        labels=labels, treatment=treatment, ridge=ridge,
        class_weight=_given(class_weight), sample_weight=_given(sample_weight),
        coef=coef, intercept=intercept, dropped=_NONE, kept=_NONE, combinations=(),
        fixed=_NONE, ties=(), nearly=_NONE, factors=(), reach=None, proof="none",
        examples=sample.m, risk=MAX_FLOAT, lower=0.0,
    )  # fmt: skip
    p = sample.d + draft.lifted
    kept = np.arange(p) if kept is None else np.asarray(kept)
    lines = tuple(tuple(line) for line in combinations)
    if alive is not None:
        draft = replace(draft, dropped=refusal(draft, np.asarray(alive), sample))
    # SciPy copies the transpose for every block of CSR rows, unless it is C-ordered.
    turned = np.asfortranarray(coef) if sparse.issparse(sample.X) else draft.coef
    point = with_numbers(copy(draft), coef=turned)._point(sample)
    draft, excess = best_proof(draft, point, Basis(kept, lines, factor), enough)
    risk, left = draft._risks(point, SLACK_FACTOR)
    upper, lower = exact.above(risk), exact.below(left - Fraction(excess))
    if upper == math.inf:
        raise CannotClaim("numbers overflow float64.")
    return with_numbers(draft, risk=upper, lower=max(0.0, lower if draft.proof != "none" else 0.0))


def refusal(claim: LogisticExcess, alive: np.ndarray, sample: Sample) -> np.ndarray:
    """What is not alive, but for examples of weight 0 and the own class of each."""
    there = claim._weights(sample) > 0
    if claim.labels.outputs > 1:
        there = there[:, None] & (sample.signs[:, None] != np.arange(claim.labels.outputs))
    return np.flatnonzero(there & ~alive)


def _given(values: Any) -> np.ndarray:
    return np.zeros(0) if values is None else np.asarray(values)
