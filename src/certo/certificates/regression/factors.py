"""Triangular witnesses of curvature, norms rounded up, and the pieces in which rows are added."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy import linalg
from scipy.linalg.blas import ddot

from certo.numbers.rounded import ABOVE

MAX_SUMMED_ROWS = 4096  # Rows whose sum may be computed in any order.
PIECE_NUMBERS = 2**17  # Numbers in a piece of at least 64 rows: 1 MB stays in the cache.
NORM_UNDERFLOW = 2.0**-500  # More than underflow can take from a norm.


def pieces(m: int, width: int) -> Iterator[tuple[int, int]]:
    """Where pieces of m rows begin and end that have so many numbers in a row."""
    step = _step(width)
    return ((start, min(start + step, m)) for start in range(0, m, step))


def roundings(m: int, width: int) -> int:
    """How many additions a term passes through when m rows are added piece by piece."""
    step = _step(width)
    return min(step, m) + -(-m // step)


def _step(width: int) -> int:
    return max(64, min(MAX_SUMMED_ROWS, PIECE_NUMBERS // max(width, 1)))


def norm_above(entries: np.ndarray) -> float:
    """A float that the Euclidean norm of these numbers, each rounded once, does not exceed."""
    flat = np.ravel(entries)
    # This product tells nobody of overflow, which makes the norm infinite.
    return math.sqrt(ddot(flat, flat)) * ABOVE + NORM_UNDERFLOW if flat.size else 0.0


def inverse_factor(gram: np.ndarray) -> np.ndarray | None:
    """L with LᵀGL = I as nearly as rounding allows; None if G is not numerically positive."""
    scale = np.sqrt(np.maximum(np.diag(gram), 0.0))
    if not (scale.size and np.all(scale > 0) and np.all(np.isfinite(gram))):
        return None
    root, failed = linalg.lapack.dpotrf(gram / scale / scale[:, None])
    inverse, singular = linalg.lapack.dtrtri(root)
    factor = inverse / scale[:, None]
    good = not failed and not singular and np.all(np.isfinite(factor)) and np.all(np.diag(factor))
    return factor if good else None


def check_triangle(matrix: np.ndarray, size: int) -> None:
    """ValueError, unless the matrix is upper triangular with no 0 on its diagonal."""
    if matrix.shape != (size, size):
        raise ValueError(f"factor must be a matrix of {size} × {size} finite numbers.")
    if size and (np.any(np.tril(matrix, -1)) or not np.all(np.diag(matrix))):
        raise ValueError("factor must be upper triangular, with no 0 on its diagonal.")


def check_kept(kept: np.ndarray, d: int, lifted: bool) -> None:
    """ValueError, unless these are some of the columns of x̃, that of the ones, d, among them if
    there is one."""
    if np.any(kept >= d + lifted) or (lifted and (not kept.size or kept[-1] != d)):
        raise ValueError(f"kept must be some of the {d} columns, and {d} for the intercept.")
