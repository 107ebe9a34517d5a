"""Least squares by blocks: sums of one pass, which give the claim, too, where they are precise
enough; else residuals and the claim of a second one."""

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
from certo.issue.regression.row_sums import RowSums, seen_by_sums
from certo.scale.blocks import MAX_SUMMED_COLUMNS, Block, Blocks
from certo.scale.first_look import BadRows, target_numbers
from certo.solvers.least_squares import (
    MAX_GRAM_CONDITION,
    MIN_RESIDUAL_SHARE,
    UNREFINED_CONDITION,
    Solution,
    from_triangle,
)
from certo.solvers.moments import (
    MIN_CENTRED_SHARE,
    SUM_BLOCK_NUMBERS,
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
MAX_UNKNOWN_SHARE = 1e-8  # Of the risk, that rounding in sums of squares may leave open.
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


def sums_at(block: Block, shift: np.ndarray) -> BlockSum:
    """Σ (z − shift, 1)(z − shift, 1)ᵀ of a block."""
    rows = rows_of(block)
    gram = shifted_sums(rows, shift)
    if not np.all(np.isfinite(gram)):
        raise BadRows(
            f"{block.place}: finite numbers are needed, whose squares float64 can add, but there "
            "is NaN, infinity or a number that is too large. Remove or impute such rows."
        )
    height = rows.height(SUM_BLOCK_NUMBERS)
    return BlockSum(rows.n, height + rows.n // height + 16, {"gram": gram})


class Summed:
    """Sums over rows that a pass of somebody else leaves behind, added block by block."""

    def __init__(self) -> None:
        self.shift: np.ndarray | None = None
        self.total: BlockSum | None = None

    def add(self, X: np.ndarray, y: np.ndarray, place: str) -> None:
        block = Block(X, y, 0, place)
        self.shift = first_shift(block, True) if self.shift is None else self.shift
        found = sums_at(block, self.shift)
        self.total = found if self.total is None else self.total + found

    @property
    def known(self) -> RowSums | None:
        if self.shift is None or self.total is None:
            return None
        return RowSums.of(self.total, self.shift)


def triangle_of(block: Block, centred: bool) -> Triangle:
    return triangle(rows_of(block), centred)


def fit(
    blocks: Blocks, labels: Values, treatment: str, ridge: float
) -> tuple[Solution, Certificate | NotClaimed]:
    """The solution, as from a table in memory, and its claim."""
    (m, d), lifted = blocks.shape, treatment == "free"
    if d > MAX_SUMMED_COLUMNS:
        raise InputError(sentences.too_many_columns, d, MAX_SUMMED_COLUMNS)
    sums = _sums(blocks, lifted)
    known = centred_moments(sums.shift, sums.gram, lifted)
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
    if (claimed := _claimed_by_sums(found, draft, sums)) is not None:
        return claimed
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
        if claim.excess <= ENOUGH_EXCESS * claim.risk or ridge or size <= evidence.pull_off:
            break
        found, draft = _corrected(found, draft, total)
    assert best is not None
    return best


def _sums(blocks: Blocks, lifted: bool) -> RowSums:
    """Those that came with the blocks, or of one pass; of two, if the first block told nothing
    about the mean."""
    if isinstance(blocks.sums, RowSums):
        known = blocks.sums if lifted else blocks.sums.around(np.zeros_like(blocks.sums.shift))
        if not lifted or _is_centred(known):
            return known
    shift = first_shift(blocks.first(), lifted)
    known = RowSums.of(blocks.total(sums_at, shift), shift)
    if lifted and not _is_centred(known):
        shift = centred_moments(shift, known.gram, True).mean
        known = RowSums.of(blocks.total(sums_at, shift), shift)
    return known


def _is_centred(known: RowSums) -> bool:
    """Whether the shift is so near the mean that little is lost by centring."""
    spread = np.diag(centred_moments(known.shift, known.gram, True).products)
    return not np.any(spread < MIN_CENTRED_SHARE * np.diag(known.gram)[:-1])


def _claimed_by_sums(
    found: Solution, draft: LeastSquaresExcess, sums: RowSums
) -> tuple[Solution, Certificate] | None:
    """The solution with its claim; None, if another pass gives more digits of either."""
    small = found.squares < MIN_RESIDUAL_SHARE * found.spread
    if found.condition > UNREFINED_CONDITION or np.any(small):
        return None
    total = seen_by_sums(draft, sums)
    try:
        claim, _ = issue_least_squares(draft, total)
    except CannotClaim:
        return None
    if not claim.risk - claim.lower <= MAX_UNKNOWN_SHARE * claim.risk:
        return None
    return found._replace(squares=np.asarray(total["square_sums"])), claim


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
