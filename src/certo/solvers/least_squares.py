"""Least squares by the normal equations where these are safe, by orthogonal factors where not.

Problem    min over (W, b) of (1/S) Σ_i s_i ‖y_i − W x_i − b‖² + ridge·‖W‖², S = Σ s_i, b free or 0;
           of several minima the one with the shortest W.
Method     With rows z = (x, y), one pass gives Σ s (z − z̄)(z − z̄)ᵀ. Its Cholesky factor, columns
           scaled to the same length, solves the normal equations, and its pivots say which columns
           the others leave nothing of. The square of the condition number enters: where that is
           too large the triangular factor of the rows themselves is taken (QR by blocks, the
           factors stacked). Refinement with residuals from the rows takes back what rounding in
           the sums has cost.
Reference  Björck (1996), Numerical Methods for Least Squares Problems, chapters 2 and 6.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from operator import add
from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse

from certo.issue.regression.least_squares_sums import exactly_by_sums
from certo.numbers.rounding import UNIT
from certo.solvers import dependence
from certo.solvers.dependence import Combinations, Pivoted
from certo.solvers.interrupt import ctrl_c_asks
from certo.solvers.lsqr import lsqr
from certo.solvers.moments import (
    SUM_BLOCK_NUMBERS,
    Moments,
    Rows,
    Triangle,
    moments,
    triangle,
    with_exactness,
)
from certo.stop import Stop

# Solving with a Gram matrix costs the square of the condition: at 1e5, ten of fifteen digits, of
# which each refinement gives back five. Beyond, refinement would not be sure to converge.
MAX_GRAM_CONDITION = 1e5
UNREFINED_CONDITION = 1e3  # Up to it the coefficients have nine digits without refinement.
MIN_RESIDUAL_SHARE = 1e-4  # Sums of squares do not tell a residual of less than this part of Σ y².
MAX_REFINEMENTS = 3
MAX_DENSE_DIM = 5000  # Sparse examples with more columns, and rows, are never made dense.
LSQR_TOL = 1e-12  # Of the gradient: the excess risk goes with its square.
LSQR_MAX_ITER = 10_000
TIED_SHARE = 1e-9  # A combination's term of less, relative to the column it gives, is rounding.
MAX_FRACTIONS = 100_000  # Terms of combinations beyond which they are not made fractions.


class Solution(NamedTuple):
    """W (outputs, d), b (outputs,), and how they were found.

    `kept` are independent columns of X̃ = (X, 1), or of X if b is 0, in increasing order; for every
    other column, in increasing order, `combinations` says how it combines these. With x̃ centred,
    L = `factor` is upper triangular over `kept`, and Lᵀ(X̃ᵀSX̃/S + ridge)L = I.
    """

    coef: np.ndarray
    intercept: np.ndarray
    method: str  # "cholesky", "qr", "dual" or "lsqr"
    squares: np.ndarray  # Σ s r² of each output
    moments: Moments
    rank: int | None = None  # The rank of X, centred if b is free.
    condition: float = np.inf  # Estimated for centred columns of equal length.
    kept: np.ndarray | None = None
    combinations: Combinations | None = None  # None also where they are too many
    factor: np.ndarray | None = None
    terms: np.ndarray | None = None  # The rounded combinations, without the column of ones.
    tied: np.ndarray | None = None  # Columns of X̃ whose coefficients the data do not determine.
    stop: Stop = Stop.CONVERGED  # Else why LSQR ended before rounding did.

    @property
    def spread(self) -> np.ndarray:
        """Σ s (y − ȳ)² of each output; around 0 if b is 0."""
        return np.diag(self.moments.products)[-len(self.coef) :]

    @property
    def exact(self) -> np.ndarray:
        """Of which outputs nothing but rounding is left: no more than of a column of X that others
        give exactly, or than y itself was rounded by when it was written down."""
        known, (q, d) = self.moments, self.coef.shape
        level = known.weight * known.mean[-q:] ** 2
        rounded = _rounding(known.rows, d) ** 2 * self.spread + (4 * UNIT) ** 2 * level
        return self.squares <= rounded


class _Reduced(NamedTuple):
    """min ‖U D a − right‖² over the columns `pivoted.order[:rank]`, D their scale."""

    pivoted: Pivoted
    right: np.ndarray  # (rank, outputs)
    left: np.ndarray  # The minimum for each output.

    @property
    def columns(self) -> np.ndarray:
        return self.pivoted.order[: self.pivoted.rank]

    def solved(self, right: np.ndarray) -> np.ndarray:
        """Coefficients (outputs, rank) with U D a = right."""
        U, scale = self.pivoted.triangle, self.pivoted.scale[self.columns]
        return (_solve(U, right).T if U.size else right.T) / scale

    def correction(self, gradient: np.ndarray) -> np.ndarray:
        """What must be added to a where the normal equations lack `gradient` (rank, outputs)."""
        U, scale = self.pivoted.triangle, self.pivoted.scale[self.columns]
        right = gradient / scale[:, None]
        return self.solved(_solve(U, right, trans=1) if U.size else right)

    @property
    def terms(self) -> np.ndarray:
        """How the columns that are not kept combine those that are."""
        rank, order, scale = self.pivoted.rank, self.pivoted.order, self.pivoted.scale
        return self.solved(self.pivoted.factor[:, rank:]) * scale[order[rank:]][:, None]

    @property
    def condition(self) -> float:
        U = self.pivoted.triangle
        return 1 / max(float(linalg.lapack.dtrcon(U)[0]), 2.0**-1000) if U.size else 1.0


def _solve(U: np.ndarray, right: np.ndarray, trans: int = 0) -> np.ndarray:
    """x with Ux = right, or Uᵀx; SciPy's checks take longer than small systems do."""
    return linalg.lapack.dtrtrs(U, right, trans=trans)[0]


class _Problem(NamedTuple):
    """What is solved: the rows, where they are still there, and their moments."""

    known: Moments
    d: int
    lifted: bool
    ridge: float
    rows: Rows | None


def least_squares(
    X, Y: np.ndarray, *, weights: np.ndarray | None = None, lifted: bool, ridge: float = 0.0
) -> Solution:
    """W and b for the examples X (dense or CSR) and the columns of Y; b is free if `lifted`.
    FloatingPointError, if numbers are not finite, or their squares."""
    rows = Rows(X, Y, None if weights is None else np.sqrt(weights))
    with np.errstate(over="ignore", invalid="ignore"):  # Sums that overflow are noticed below.
        found = _by_rows(rows, lifted, ridge)
    _require_finite(found.coef, found.intercept, found.squares)
    return found


def _by_rows(rows: Rows, lifted: bool, ridge: float) -> Solution:
    X, (n, d) = rows.X, rows.X.shape
    if sparse.issparse(X) and min(n, d) > MAX_DENSE_DIM:
        return _by_lsqr(rows, lifted, ridge)
    if ridge and d > n:
        return _by_dual(rows, lifted, ridge)
    if d >= n:
        return from_triangle(triangle(rows, lifted), d, lifted, ridge, rows)
    known = moments(rows, lifted)
    _require_finite(known.mean, known.products)
    problem = _Problem(known, d, lifted, ridge, rows)
    reduced = _normal_equations(problem)
    _require_finite(reduced.pivoted.factor, reduced.right)
    relations, problem = _relations(problem, reduced)
    if reduced.condition > MAX_GRAM_CONDITION or not relations.sure:
        return from_triangle(triangle(rows, lifted), d, lifted, ridge, rows)
    a = reduced.solved(reduced.right)
    found = _solution("cholesky", problem, reduced, a, relations)
    small = found.squares < MIN_RESIDUAL_SHARE * np.diag(known.products)[d:]
    if reduced.condition > UNREFINED_CONDITION or np.any(small):
        found = _refine(found, problem, reduced, a, relations)
    return found


def from_triangle(
    known: Triangle, d: int, lifted: bool, ridge: float = 0.0, rows: Rows | None = None
) -> Solution:
    """The solution for rows of which a triangular factor is left."""
    R, squared = known.factor, known.moments
    _require_finite(squared.mean, squared.products)
    if ridge:
        R = np.vstack([R, np.sqrt(ridge * known.weight) * np.eye(d, R.shape[1])])
    scale = np.linalg.norm(R[:, :d], axis=0)
    scale[scale == 0] = 1.0
    Q, U, order = linalg.qr(R[:, :d] / scale, mode="economic", pivoting=True)
    rank = int(np.count_nonzero(np.abs(np.diag(U)) > _rounding(known.rows, d)))
    right = Q[:, :rank].T @ R[:, d:]
    left = np.sum((R[:, d:] - Q[:, :rank] @ right) ** 2, axis=0)
    problem = _Problem(squared, d, lifted, ridge, rows)
    reduced = _Reduced(Pivoted(scale, order, rank, U[:rank]), right, left)
    relations, _ = _relations(problem, reduced)
    found = _solution("qr", problem, reduced, reduced.solved(right), relations)
    if rows is None:
        return found
    return found._replace(squares=residuals(problem, found.coef)[1])  # Computed for the rounded W.


def _require_finite(*parts: np.ndarray) -> None:
    if not all(np.isfinite(part).all() for part in parts):
        raise FloatingPointError("numbers, or their squares, are not finite.")


def _rounding(n: int, d: int) -> float:
    """What rounding leaves, or more, of a column of length 1 that others give exactly."""
    return float(8 * UNIT * max(64, d, np.sqrt(n)))


def _normal_equations(problem: _Problem) -> _Reduced:
    known, d, ridge = problem.known, problem.d, problem.ridge
    gram, cross = known.products[:d, :d], known.products[:d, d:]
    if ridge:
        gram = gram + ridge * known.weight * np.eye(d)
    pivoted = dependence.pivoted_cholesky(gram)
    columns = pivoted.order[: pivoted.rank]
    right = cross[columns] / pivoted.scale[columns][:, None]
    if columns.size:
        right = _solve(pivoted.triangle, right, trans=1)
    left = np.maximum(np.diag(known.products)[d:] - np.sum(right**2, axis=0), 0.0)
    return _Reduced(pivoted, right, left)


class _Relations(NamedTuple):
    """Columns kept and not kept, in increasing order, and how these combine those."""

    kept: np.ndarray
    rest: np.ndarray
    terms: np.ndarray  # (rest, kept)
    combinations: Combinations | None  # Fractions, with those of the ones if lifted.
    sure: bool  # Whether the dropped columns are combinations up to rounding.


def _relations(problem: _Problem, reduced: _Reduced) -> tuple[_Relations, _Problem]:
    """In simple fractions where these are as good. Only the rows tell what is left, since sums of
    squares have half of the digits, or sums that were not rounded."""
    known, d, lifted, _, rows = problem
    rank, order, scale = reduced.pivoted.rank, reduced.pivoted.order, reduced.pivoted.scale
    kept, rest = np.sort(order[:rank]), np.sort(order[rank:])
    if rank == d:
        return _Relations(kept, rest, np.zeros((0, d)), (), True), problem
    terms = reduced.terms[np.argsort(order[rank:])][:, np.argsort(order[:rank])]
    terms[np.abs(terms) * scale[kept] < UNIT * scale[rest][:, None]] = 0.0  # Smaller than rounding.
    if terms.size > MAX_FRACTIONS:
        return _Relations(kept, rest, terms, None, False), problem
    if rows is None:
        exact = tuple(tuple(map(Fraction, line)) for line in terms.tolist())
        with_ones = dependence.with_constant(exact, kept, rest, known.mean) if lifted else exact
        return _Relations(kept, rest, terms, with_ones, False), problem
    row = rows.pick([0])[0]
    simple = dependence.rational(terms, kept, rest, scale)
    if lifted:
        simple = dependence.with_constant(simple, kept, rest, row)
    known = with_exactness(rows, known)
    if known.sums is not None and known.sums.exact:
        places, all_kept = [*range(d), -1], np.append(kept, d) if lifted else kept
        gram, shift = known.sums.gram[np.ix_(places, places)], known.sums.shift[:d]
        if exactly_by_sums(gram, shift, all_kept, simple, lifted):
            terms = _floats(simple, rank)
            return _Relations(kept, rest, terms, simple, True), problem._replace(known=known)
    left = _norms_left(problem, kept, rest, (_floats(simple, rank), terms))
    good, fair = left <= _rounding(rows.n, d) * scale[rest]
    best = list(simple)
    for j in np.flatnonzero(~good):
        own: Combinations = (tuple(map(Fraction, terms[j].tolist())),)
        if lifted:
            own = dependence.with_constant(own, kept, rest[[j]], row)
        best[j] = own[0]
    sure = bool(np.all(good | fair))
    return _Relations(kept, rest, _floats(best, rank), tuple(best), sure), problem


def _norms_left(problem: _Problem, kept: np.ndarray, rest: np.ndarray, terms) -> np.ndarray:
    """What is left of the columns not kept when these combinations are taken away: the norms, for
    each of several tables of terms."""
    rows, d, count = problem.rows, problem.d, len(rest)
    assert rows is not None
    full = np.zeros((d, len(terms) * count))
    full[kept] = np.vstack(terms).T
    full[np.tile(rest, len(terms)), np.arange(full.shape[1])] = -1

    def step(so_far: np.ndarray, block: np.ndarray) -> np.ndarray:
        return so_far + np.sum((block[:, :d] @ full) ** 2, axis=0)

    mean = problem.known.mean
    if rows.is_near(mean, problem.known.products):
        left = rows.squared_products(full, mean[:d])
    else:
        left = reduce(add, rows.over_blocks(SUM_BLOCK_NUMBERS, mean, np.zeros(full.shape[1]), step))
    return np.sqrt(left).reshape(len(terms), count)


def _floats(combinations: Combinations, rank: int) -> np.ndarray:
    """Rounded, without those of the ones."""
    floats = [float(c) for line in combinations for c in line[:rank]]
    return np.array(floats).reshape(len(combinations), rank)


def _solution(
    method: str, problem: _Problem, reduced: _Reduced, a: np.ndarray, relations: _Relations
) -> Solution:
    """From coefficients (outputs, rank) of the columns kept to all of them."""
    known, d, lifted, ridge, rows = problem
    kept, rest, terms, combinations, _ = relations
    first, scale = np.argsort(reduced.columns), reduced.pivoted.scale
    a = a[:, first]
    coef = dependence.shortest(a, kept, terms) if rest.size else a
    intercept = known.mean[d:] - coef @ known.mean[:d] if lifted else np.zeros(len(a))
    squares = np.maximum(reduced.left - ridge * known.weight * np.sum(coef**2, axis=1), 0.0)
    # The triangular factor again, with the columns in increasing order.
    L = np.zeros((len(kept) + lifted, len(kept) + lifted))
    if len(kept):
        U = linalg.lapack.dgeqrf(reduced.pivoted.triangle[:, first])[0]
        inverse = _solve(U, np.eye(len(kept)))
        L[: len(kept), : len(kept)] = np.sqrt(known.weight) * inverse / scale[kept][:, None]
    tied = np.zeros(d + lifted, dtype=bool)
    if rest.size:
        tied[rest] = True
        tied[kept] = np.any(np.abs(terms) * scale[kept] > TIED_SHARE * scale[rest][:, None], axis=0)
    if rest.size and lifted:
        row = known.mean if rows is None else rows.pick([0])[0]
        needed = np.abs(row[rest] - terms @ row[kept])
        size = np.abs(row[rest]) + np.abs(terms) @ np.abs(row[kept])
        tied[d] = np.any(needed > TIED_SHARE * size)
    if lifted:
        kept = np.append(kept, d)
        L[-1, -1] = 1.0
    return Solution(
        coef, intercept, method, squares, known, reduced.pivoted.rank, reduced.condition, kept,
        combinations, L, terms, tied,
    )  # fmt: skip


def _refine(
    found: Solution, problem: _Problem, reduced: _Reduced, a: np.ndarray, relations: _Relations
) -> Solution:
    """Better coefficients by residuals from the rows, until nothing changes any more."""
    scale = reduced.pivoted.scale[reduced.columns]
    before, pull = np.inf, problem.ridge * problem.known.weight
    for _ in range(MAX_REFINEMENTS):
        gradient, squares = residuals(problem, found.coef)
        found = found._replace(squares=squares)
        change = reduced.correction((gradient - pull * found.coef.T)[reduced.columns])
        size = float(np.max(np.abs(change * scale), initial=0.0))
        if not size < before / 4:
            break
        a, before = a + change, size
        found = _solution("cholesky", problem, reduced, a, relations)._replace(squares=squares)
    return found


def residuals(problem: _Problem, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Σ s (x − x̄) r (d, outputs) and Σ s r² (outputs), r = y − ȳ − W(x − x̄)."""
    d, q, rows, mean = problem.d, len(coef), problem.rows, problem.known.mean
    assert rows is not None

    def step(so_far: np.ndarray, block: np.ndarray) -> np.ndarray:
        r = block[:, d:-1] - block[:, :d] @ coef.T
        return so_far + np.vstack([block[:, :d].T @ r, np.sum(r**2, axis=0)])

    total = reduce(add, rows.over_blocks(SUM_BLOCK_NUMBERS, mean, np.zeros((d + 1, q)), step))
    return total[:d], total[d]


def _means(rows: Rows, lifted: bool) -> Moments:
    """The moments but for the products, of which only those of y are there."""
    count = rows.n if rows.roots is None else int(np.count_nonzero(rows.roots))
    s = np.ones(rows.n) if rows.roots is None else rows.roots**2
    weight, mean = float(np.sum(s)), np.zeros(rows.width)
    if lifted:
        mean = np.append(rows.X.T @ s, s @ rows.Y) / weight
    spread = s @ (rows.Y - mean[rows.d :]) ** 2
    return Moments(count, weight, mean, np.diag(spread))


def _by_dual(rows: Rows, lifted: bool, ridge: float) -> Solution:
    """W = Xᵀα with (XXᵀ + ridge·S)α = y, rows centred and times √s: as many equations as rows."""
    known = _means(rows, lifted)
    block = rows.block(0, rows.n, known.mean, np.empty((rows.n, rows.width + 1)))
    X, Y = block[:, : rows.d], block[:, rows.d : -1]
    gram = X @ X.T
    _require_finite(gram, known.mean, known.products)
    values, vectors = np.linalg.eigh(gram)
    pull = ridge * known.weight
    if values[-1] > MAX_GRAM_CONDITION**2 * pull:  # Squaring would lose small singular values.
        vectors, roots, _ = linalg.svd(X, full_matrices=False)
        values = roots**2
    values = np.maximum(values, 0.0)
    alpha = vectors @ ((vectors.T @ Y) / (values + pull)[:, None])
    coef = (X.T @ alpha).T
    rank = int(np.count_nonzero(values > 8 * UNIT * max(64, rows.d) * values.max(initial=0.0)))
    condition = np.sqrt((values.max() + pull) / pull)
    return _from_slopes(rows, known, coef, "dual", lifted)._replace(rank=rank, condition=condition)


def _by_lsqr(rows: Rows, lifted: bool, ridge: float) -> Solution:
    """By LSQR, which begins at 0 and so ends at the shortest W; a column at a time."""
    known = _means(rows, lifted)
    _require_finite(known.mean, known.products, sparse.linalg.norm(rows.X))
    roots = np.ones(rows.n) if rows.roots is None else rows.roots
    X, mean = rows.X.astype(np.float64, copy=False), known.mean[: rows.d]
    turned = X.T.tocsr()
    with ctrl_c_asks() as asked:
        found = [
            lsqr(
                lambda v: roots * (X @ v - mean @ v),
                lambda r: turned @ (roots * r) - mean * (roots @ r),
                roots * (y - centre),
                damp=float(np.sqrt(ridge * known.weight)),
                tol=LSQR_TOL,
                max_iter=LSQR_MAX_ITER,
                asked=asked,
            )
            for y, centre in zip(rows.Y.T, known.mean[rows.d :], strict=True)
        ]
    solution = _from_slopes(rows, known, np.array([part.x for part in found]), "lsqr", lifted)
    early = [part.stop for part in found if part.stop is not Stop.CONVERGED]
    condition = max(part.condition for part in found)
    return solution._replace(condition=condition, stop=[Stop.CONVERGED, *early][-1])


def _from_slopes(
    rows: Rows, known: Moments, coef: np.ndarray, method: str, lifted: bool
) -> Solution:
    """The solution of these slopes: its intercept and its residuals."""
    d = rows.d
    intercept = known.mean[d:] - coef @ known.mean[:d] if lifted else np.zeros(len(coef))
    s = np.ones(rows.n) if rows.roots is None else rows.roots**2
    squares = s @ (rows.Y - rows.X @ coef.T - intercept) ** 2
    return Solution(coef, intercept, method, squares, known)
