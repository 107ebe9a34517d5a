r"""Scores whose signs, and whose highest, do not depend on what else is asked about.

BLAS chooses the order of its sums by the shapes of its matrices, so that the last bits of a score
change with the number of rows. Where classes tie, or nearly, the prediction would change as well.

Few hyperplanes     each score is a sum by itself (`compiled.layers`), as fast as by BLAS, and the
                    same for dense and for CSR rows
Exact kernels       (counts, given matrices, functions) as hyperplanes in the space of kernel values
All else            BLAS first. Let every evaluation of a score be within A of the truth. Two of
                    them are within 2A of each other, so that a score above 2A has the same sign in
                    both, and scores that differ by more than 4A are in the same order in both. The
                    few rows of which that is not known are evaluated again, each by itself, as CSR
                    rows, whatever they came as.

So neither other rows nor the number of threads decide what is predicted.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from scipy import sparse

from certo.certificates.sample.pairs import pairs_of
from certo.certificates.spaces.images import functions_of, lengths_of
from certo.compiled.layers import layer_scores, sparse_layer_scores, unclear_highest, unclear_signs
from certo.compiled.rows import rows_of
from certo.compiled.scan import greatest_square
from certo.compiled.threads import in_pieces, pieces
from certo.containers import count
from certo.kernels.algebra import Normalised
from certo.kernels.base import Kernel
from certo.kernels.gaussian import MAX_NORM_ERROR
from certo.kernels.precomputed import Precomputed
from certo.kernels.vectors import MAX_DENSIFIED_ENTRIES, squares
from certo.numbers.rounding import TINY, ULPS, Rounding, gamma
from certo.solvers import gram

MAX_SUMMED_OUTPUTS = 32  # Up to so many, single sums are as fast as BLAS (20 to 1000 features).
DENSE_SPEED = (
    8  # Multiplications here take the time of one in the loops that `pieces` is meant for.
)
#: With γ_{d+6}, what `Gaussian.rounding` does not exceed.
WORST_GAUSSIAN = MAX_NORM_ERROR + 2 * ULPS

#: What is made of scores: the sign of each, the place of the highest, or the numbers themselves.
Use = Literal["signs", "highest", "numbers"]


def of_layer(X, coef: np.ndarray, intercept, use: Use) -> np.ndarray:
    """coef·x + intercept, (n_samples, n_outputs), for a C-ordered array or CSR matrix X."""
    coef = np.ascontiguousarray(coef, dtype=np.float64)
    intercept = np.array(np.broadcast_to(intercept, (len(coef),)), dtype=np.float64)
    if len(coef) <= MAX_SUMMED_OUTPUTS or use == "numbers" or sparse.issparse(X):
        return _one_by_one(X, coef, intercept)
    scores = X @ coef.T + intercept
    # Any sum of d products and b is within γ_{d+2}·(‖x‖‖w‖ + |b|), by Cauchy and Schwarz; twice,
    # since these are rounded too.
    d = X.shape[1]
    square = greatest_square(rows_of(X), X.shape[0])[0] * np.max(squares(coef))
    within = 2 * gamma(d + 2) * (np.sqrt(square) + np.max(np.abs(intercept))) + 4 * d * TINY
    return _recompute_close_rows(
        scores, np.array([within]), use, lambda rows: _one_by_one(X[rows], coef, intercept)
    )


def of_expansion(
    kernel: Kernel, X, centres, coef: np.ndarray, intercept: np.ndarray, use: Use, device=None
) -> np.ndarray:
    """Σ_j coef_j K(x, z_j) + intercept, (n_samples, n_outputs), coef having a row for each z_j; the
    sums on a torch.device, if one is given."""
    turned = np.ascontiguousarray(coef.T)
    if isinstance(kernel, Precomputed):  # Its columns are not copied.
        each = np.zeros((X.shape[1], len(turned)))
        np.add.at(each, centres, coef)
        return of_layer(X, each.T, intercept, use)
    if kernel.by_pair:
        parts = [
            of_layer(block, turned, intercept, use)
            for block in _blocks(kernel, X, centres, kernel._block)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, len(turned)))
    values, off = _sums(kernel, X, centres, coef, device)
    values += intercept
    return _recompute_close_rows(
        values, _rounding_of_sums(kernel, X, centres, coef, intercept, off), use,
        lambda rows: _score_alone(kernel, kernel.points(X, rows), centres, turned, intercept),
    )  # fmt: skip


def of_pairs(
    kernel: Kernel,
    X,
    centres,
    codes: np.ndarray,
    coef: np.ndarray,
    intercept: np.ndarray,
    device=None,
) -> np.ndarray:
    """The scores of pairs of classes, (n_samples, n_pairs), whose signs can be trusted: the part of
    the centres of either class, and b. `codes` says of which class each centre is, whose column of
    `coef` has its multipliers in the pairs of this class (see `_pairs`)."""
    if not codes.size:
        return np.tile(intercept, (count(X), 1))
    classes = len(coef) + 1
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(classes + 1)).tolist()
    groups = [slice(*both) for both in pairwise(ends)]
    centres, coef = _some(kernel, centres, order), np.ascontiguousarray(coef.T[order])
    none = np.zeros(classes - 1)

    def one_by_one(m: int, score: Callable[[slice, np.ndarray], np.ndarray]) -> np.ndarray:
        """The scores of m points, the part of each class by itself."""
        parts = np.zeros((m, classes, classes - 1))
        for k, group in enumerate(groups):
            if group.start < group.stop:
                parts[:, k] = score(group, np.ascontiguousarray(coef[group].T))
        return _added(parts, intercept)

    def of_rows(rows: np.ndarray) -> np.ndarray:
        points = kernel.points(X, rows)
        return one_by_one(
            rows.size,
            lambda group, lines: _score_alone(
                kernel, points, _some(kernel, centres, group), lines, none
            ),
        )

    def of_block(block: np.ndarray) -> np.ndarray:
        return one_by_one(
            len(block), lambda group, lines: _one_by_one(block[:, group], lines, none)
        )

    if kernel.by_pair:
        found = [of_block(block) for block in _blocks(kernel, X, centres, kernel._block)]
        return np.concatenate(found) if found else np.zeros((0, intercept.size))
    parts, off = _sums(kernel, X, centres, coef, device, groups)
    within = _rounding_of_sums(kernel, X, centres, coef, np.zeros(1), off, groups)
    # Two such parts, and two more roundings of what is no larger than their sizes and b.
    size = float(np.max(np.abs(parts), initial=0.0))
    within = 2 * within + 4 * gamma(3) * (2 * size + np.max(np.abs(intercept)))
    return _recompute_close_rows(_added(parts, intercept), within, "signs", of_rows)


def _sums(kernel: Kernel, X, centres, coef: np.ndarray, device, groups=None) -> gram.Sums:
    """As `gram.sums`; on a device kernel values are as near as `Kernel.rounding` says."""
    if device is None:
        return gram.sums(kernel, X, centres, coef, groups)
    from certo.scale import device_scores

    if groups is None:
        return gram.Sums(device_scores.sums(kernel, X, centres, coef, device), None)
    parts = np.zeros((count(X), len(groups), coef.shape[1]))
    for k, group in enumerate(groups):
        if group.start < group.stop:
            own = kernel.points(centres, group)
            parts[:, k] = device_scores.sums(kernel, X, own, coef[group], device)
    return gram.Sums(parts, None)


def _some(kernel: Kernel, centres, places: np.ndarray | slice):
    """Some of the centres; of a given matrix the numbers of its columns."""
    return centres[places] if kernel.takes == "matrix" else kernel.points(centres, places)


def _added(parts: np.ndarray, intercept: np.ndarray) -> np.ndarray:
    """From the parts of the classes, (m, classes, classes − 1), those of both classes of each pair,
    and b."""
    m, classes, lines = parts.shape
    i, j = np.array(pairs_of(classes)).T
    flat = parts.reshape(m, classes * lines)
    scores = np.take(flat, i * lines + j - 1, axis=1)
    scores += np.take(flat, j * lines + i, axis=1)
    scores += intercept
    return scores


def _rounding_of_sums(
    kernel: Kernel,
    X,
    centres,
    coef: np.ndarray,
    intercept: np.ndarray,
    off: np.ndarray | None,
    groups: Sequence[slice] | None = None,
) -> np.ndarray:
    """What Σ_j a_j k̂_j + b may be off, for each x, or for all, and any of the outputs; of `groups`
    of z_j, the sum over any of them.

    With ℓ = √K(·, ·), |k̂ − K| ≤ ε·ℓ(x)ℓ(z) + δ and |K| ≤ ℓ(x)ℓ(z), a sum of n products in any
    order, and b, is within (ε + γ_{n+1} (1 + ε))·ℓ(x) Σ|a_j| ℓ(z_j) + 2δ Σ|a_j| + n·2⁻¹⁰⁷⁴ +
    γ_2 |b| of the true one; doubled, since these are rounded too. ε is that of `plain`, or of the
    way that is off by more.
    """
    n, sizes = len(coef), np.abs(coef)
    starts = [0] if groups is None else [part.start for part in groups if part.start < part.stop]
    mass = np.add.reduceat(sizes, starts, axis=0).max()
    epsilon: Any
    lengths: Any
    if off is not None:  # The bound is the Gaussian's, for which ℓ is 1.
        epsilon, delta = np.maximum(off, WORST_GAUSSIAN + gamma(X.shape[1] + 6)), 0.0
        lengths, pull = 1.0, mass
    elif kernel.by_length:
        longest = (greatest_square(rows_of(part), part.shape[0])[0] for part in (X, centres))
        (epsilon, delta), lengths, far = _of_lengths(
            kernel, X.shape[1], *(math.frexp(square)[1] for square in longest)
        )
        pull = far * mass
    else:
        epsilon, delta = kernel.rounding(X, centres)
        lengths = _lengths(kernel, X, delta)
        each = _lengths(kernel, centres, delta)[:, None] * sizes
        pull = np.add.reduceat(each, starts, axis=0).max()
    with np.errstate(over="ignore", invalid="ignore"):
        within = 2 * (epsilon + gamma(n + 3) * (1 + epsilon)) * lengths * pull
        if delta:
            within += 4 * delta * mass
        within += 2 * n * TINY + 2 * gamma(2) * np.max(np.abs(intercept))
    return np.atleast_1d(within)


@functools.lru_cache(maxsize=256)
def _of_lengths(kernel: Kernel, d: int, point: int, centre: int) -> tuple[Rounding, float, float]:
    """`rounding` for vectors of d entries whose squared lengths are at most 2^point and 2^centre,
    and what √K(x, x) does not exceed for either."""
    X, Z = np.zeros((2, d)), np.zeros((2, d))
    X[0, :1], Z[0, :1] = 2.0 ** ((point + 1) / 2), 2.0 ** ((centre + 1) / 2)  # Rounded upwards.
    X[1, :1] = 2.0**-501  # Others may be so short that products underflow.
    rounding = kernel.rounding(X, Z)
    reach = [float(np.max(lengths_of(kernel, part, rounding.absolute))) for part in (X, Z)]
    return rounding, reach[0], reach[1]


def _lengths(kernel: Kernel, X, delta: float) -> np.ndarray:
    """Numbers that the √K(x, x) do not exceed."""
    if isinstance(kernel, Normalised):
        return np.full(count(X), 1.01)
    return lengths_of(kernel, X, delta)


def _recompute_close_rows(
    scores: np.ndarray, within: np.ndarray, use: Use, again: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """The scores, those of rows that are too close to call evaluated `again`, row by row."""
    if use == "highest":
        close = unclear_highest(scores, 4 * within)
    else:
        close = unclear_signs(scores, 2 * within)
    if close.size:
        scores[close] = again(close)
    return scores


def _one_by_one(X, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
    """Each score as a sum by itself, the same for the same numbers in an array and a CSR matrix."""
    m, outputs = X.shape[0], len(coef)
    scores = np.empty((m, outputs))
    if sparse.issparse(X):
        parts, turned = (X.data, X.indices, X.indptr), np.ascontiguousarray(coef.T)
        in_pieces(
            pieces(m, float(X.nnz) * outputs),
            lambda _, a, b: sparse_layer_scores(*parts, turned, intercept, a, b, scores),
        )
        return scores
    X = np.ascontiguousarray(X)
    in_pieces(
        pieces(m, float(X.size) * outputs / DENSE_SPEED),
        lambda _, start, stop: layer_scores(X, coef, intercept, start, stop, scores),
    )
    return scores


def _score_alone(kernel: Kernel, X, centres, turned: np.ndarray, intercept) -> np.ndarray:
    """The scores of each point by itself. A product with a CSR row adds its terms in the order of
    the columns, and so do all of `plain` for such rows; other points come one at a time."""
    if kernel.takes == "vectors" and not functions_of(kernel):
        X = _canonical(X)
        large = centres.shape[0] * centres.shape[1] > MAX_DENSIFIED_ENTRIES
        centres = _canonical(centres) if large else _columns(centres)
        blocks = _blocks(kernel, X, centres, kernel.plain)
    else:
        blocks = (kernel.plain(kernel.points(X, [i]), centres) for i in range(count(X)))
    return np.concatenate([_one_by_one(block, turned, intercept) for block in blocks])


def _blocks(kernel: Kernel, X, centres, block: Callable[[Any, Any], np.ndarray]):
    """Blocks of kernel values, some points after the other."""
    step = max(1, gram.BLOCK_VALUES // max(1, count(centres)))
    for start in range(0, count(X), step):
        part = kernel.points(X, slice(start, start + step))
        yield np.asarray(block(part, centres), dtype=np.float64)


def _canonical(X):
    """The same CSR matrix for the same numbers."""
    X = sparse.csr_array(X, dtype=np.float64, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    return X


def _columns(X) -> np.ndarray:
    """A dense array in the order in which SciPy multiplies a CSR matrix by its transpose."""
    return np.asfortranarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
