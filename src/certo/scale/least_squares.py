"""Least squares by blocks: sums of one pass, residuals and the claim of a second."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np

from certo.certificates.base import CannotClaim, Certificate
from certo.certificates.blocks.sums import BlockSum
from certo.certificates.composite import NotClaimed
from certo.certificates.regression.least_squares_excess import LeastSquaresExcess
from certo.certificates.sample.values import Values
from certo.facts import InputError
from certo.issue.by_blocks import issue_least_squares, least_squares_draft, totals_of
from certo.scale.blocks import MAX_SUMMED_COLUMNS, Block, Blocks
from certo.scale.first_look import BadRows, target_numbers
from certo.solvers.least_squares import (
    MAX_GRAM_CONDITION,
    Solution,
    from_triangle,
)
from certo.solvers.moments import (
    MIN_CENTRED_SHARE,
    Moments,
    Rows,
    Triangle,
    centred_moments,
    middle,
    shifted_sums,
    triangle,
)
from certo.words import blocks as sentences

MAX_CORRECTIONS = 3  # Passes that take back what rounding in the sums of squares has cost.
ENOUGH_EXCESS = 1e-13  # Of the risk: a smaller excess needs no further pass.
DEPENDENT_COLUMNS = (
    "columns depend on each other, and by blocks that is not proved exactly. Leave out columns "
    "that others give, or set a ridge."
)


def rows_of(block: Block) -> Rows:
    """The rows of a block with their values, refused where they are no finite numbers."""
    Y = target_numbers(block)
    return Rows(block.X, Y[:, None] if Y.ndim == 1 else Y)


def first_shift(block: Block, centred: bool) -> np.ndarray:
    return middle(rows_of(block), centred)


def sums_at(block: Block, shift: np.ndarray) -> np.ndarray:
    """Σ (z − shift, 1)(z − shift, 1)ᵀ of a block."""
    gram = shifted_sums(rows_of(block), shift)
    if not np.all(np.isfinite(gram)):
        raise BadRows(
            f"{block.place}: finite numbers are needed, whose squares float64 can add, but there "
            "is NaN, infinity or a number that is too large. Remove or impute such rows."
        )
    return gram


def triangle_of(block: Block, centred: bool) -> Triangle:
    return triangle(rows_of(block), centred)


def fit(
    blocks: Blocks, labels: Values, treatment: str, ridge: float
) -> tuple[Solution, Certificate | NotClaimed]:
    """The solution, as from a table in memory, and its claim."""
    (m, d), lifted = blocks.shape, treatment == "free"
    if d > MAX_SUMMED_COLUMNS:
        raise InputError(sentences.too_many_columns, d, MAX_SUMMED_COLUMNS)
    known = _moments(blocks, lifted)
    found = from_triangle(Triangle.of(known), d, lifted, ridge)
    if found.condition > MAX_GRAM_CONDITION:  # The sums of squares have lost too many digits.
        whole = reduce(add, blocks.map(triangle_of, lifted))
        found = from_triangle(whole, d, lifted, ridge)
    else:
        found = found._replace(method="cholesky")
    factor = found.factor
    if factor is None or found.kept is None or found.kept.size < d + lifted:
        return found, NotClaimed("LeastSquaresExcess", DEPENDENT_COLUMNS)
    mean = found.moments.mean
    draft = least_squares_draft(
        labels, m, coef=found.coef, intercept=found.intercept, treatment=treatment, ridge=ridge,
        shift=mean if lifted else np.zeros_like(mean), factor=factor,
    )  # fmt: skip
    best: tuple[Solution, Certificate | NotClaimed] | None = None
    least = np.inf
    for _ in range(1 + MAX_CORRECTIONS):
        (total,) = totals_of(blocks, [draft])
        try:
            claim, evidence = issue_least_squares(draft, total)
        except CannotClaim as reason:
            return best or (found, NotClaimed("LeastSquaresExcess", str(reason)))
        squares = np.asarray(total["square_sums"])
        size = evidence.pull
        if size < least / 2:
            least, best = size, (found._replace(squares=squares), claim)
        else:
            break
        if claim.excess <= ENOUGH_EXCESS * claim.risk or ridge:
            break
        found, draft = _corrected(found, draft, total)
    assert best is not None
    return best


def _moments(blocks: Blocks, lifted: bool) -> Moments:
    """In one pass; in two, if the first block told nothing about the mean."""
    first = blocks.first()
    shift = first_shift(first, lifted)
    for again in (False, True):
        gram = blocks.total(sums_at, shift)
        found = centred_moments(shift, gram, lifted)
        least = MIN_CENTRED_SHARE * np.diag(gram)[:-1]
        if again or not lifted or not np.any(np.diag(found.products) < least):
            break
        shift = found.mean
    return found


def _corrected(
    found: Solution, draft: LeastSquaresExcess, total: BlockSum
) -> tuple[Solution, LeastSquaresExcess]:
    """The coefficients with A⁻¹g added, g being half the gradient, from the residuals."""
    d, m = found.coef.shape[1], total.rows
    L = draft.factor
    g = total["sums"][: len(L)] / m
    step = L @ (L.T @ g)  # (d + lifted, outputs)
    coef = found.coef + step[:d].T
    intercept = found.intercept
    if draft.lifted:
        intercept = intercept + step[d] - step[:d].T @ draft.shift[:d]
    moved = found._replace(coef=coef, intercept=intercept)
    return moved, replace(draft, coef=coef, intercept=intercept)
