r"""How strongly a weighted sum of squares curves: shown from the data and a triangular witness.

Let x̃_i = (x_i − shift, 1) with an intercept (`lifted`; a shift only renames the intercept), x_i
without; J the columns `kept` of x̃ in increasing order, that of the ones, number d, always among
them; L = `factor`, upper triangular over J with no 0 on its diagonal; z_i = Lᵀx̃_iJ and

    A  =  (1/total) Σ_i v_i x̃_iJ x̃_iJᵀ  +  ridge·(identity on the slopes),       v_i ≥ 0 .

L is invertible, so every a over J is Lu, and with η ≥ ‖I − LᵀAL‖ (`Curvature.eta`), if η < 1,

    aᵀAa = uᵀLᵀALu ≥ (1 − η)‖L⁻¹a‖² ,        gᵀA⁻¹g ≤ ‖Lᵀg‖²/(1 − η)  for every g .

`curvature(sample, factor, kept=…, lifted=…, weights=v, total=…)` passes over the data once and
gives η, `longest` ≥ max_i ‖z_i‖ and, for the columns `right` (m, q), `product` ≈ Σ_i z_i right_iᵀ
with the most that each of its entries may be off. Errors of `right` itself, and of v, are the
caller's: Σ‖z_i‖|e_i| ≤ longest·Σ|e_i|; a v that is too low makes A too low. `pulled` is Lᵀg for a g
that is known within some error; `inverse_factor` finds an L, `triangle` and `kept_columns` refuse
what is none.

Rounding (see `exact` for γ_n). Rows come in `pieces`, alike in any storage, whose sums are added
one after another: with b rows in a piece and c pieces a term passes through n ≤ b + c roundings.
Write ‖·‖ᵥ for the norm of a column weighted with v, σ_j = ‖x̃_j‖ᵥ, ℓ_m = Σ_j |L_jm| σ_j.

- Each computed ẑ_im has r = |J| products and a subtraction, so it differs from z_im by at most
  γ_{r+1} Σ_j |x̃_ij L_jm|, and ‖ẑ_m − z_m‖ᵥ ≤ γ_{r+1} ℓ_m =: ζ_m by the triangle inequality.
- Hence ‖ẐᵀVẐ − ZᵀVZ‖ ≤ 2‖Ẑ‖ᵥ‖ζ‖ + ‖ζ‖², which grows with the condition number of X̃, not of X̃ᵀX̃.
- The sum ẐᵀVẐ itself, made from √v_i ẑ_i (a root is within 8 roundings, `rounding.ULPS`), is off
  by at most γ_{n+24} ‖ẑ_k‖ᵥ‖ẑ_m‖ᵥ in entry (k, m), in all by γ_{n+24} Σ_m ‖ẑ_m‖ᵥ².
- Σ_i ẑ_im right_i, where right_i was rounded up to twice, is off by at most
  γ_{n+4} Σ_i |ẑ_im right_i|, and by γ_{r+1} Σ_j |L_jm| Σ_i |x̃_ij right_i| more since ẑ is not z.
- ‖ẑ_i − z_i‖ ≤ γ_{r+1} Σ_j |x̃_ij| ‖L_j·‖.

Sums of non-negative numbers that enter these bounds are computed too: a factor ABOVE pays for that,
and numbers of the order 2⁻¹⁰⁷⁴ for underflow.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from certo.blas import one_thread
from certo.certificates.base import Refuted
from certo.certificates.fields import index_vector
from certo.certificates.sample.examples import Sample
from certo.numbers import exact
from certo.numbers.rounded import ABOVE

PIECE = 4096  # rows added in whatever order, at most
SHEET = 2**17  # numbers in a piece that is not shorter than 64 rows: a megabyte stays in the cache
LEAST = 2.0**-500  # more than what underflow takes from a norm


@dataclass(frozen=True)
class Curvature:
    """What one pass over the data shows of A and L."""

    gram: np.ndarray  # LᵀAL, computed
    gram_off: float  # ≥ ‖gram − LᵀAL‖
    longest: float  # ≥ max ‖z_i‖
    product: np.ndarray  # (r, q): Σ z_i right_i, computed
    product_off: np.ndarray  # how far off each entry may be

    @property
    def eta(self) -> float:
        """η ≥ ‖I − LᵀAL‖."""
        return norm_above(np.eye(len(self.gram)) - self.gram) + self.gram_off * ABOVE


def curvature(
    sample: Sample,
    factor: np.ndarray,
    *,
    kept: np.ndarray,
    lifted: bool,
    weights: np.ndarray,
    total: float,
    ridge: float = 0.0,
    right: np.ndarray | None = None,
    shift: np.ndarray | None = None,
    alive: np.ndarray | None = None,
) -> Curvature:
    """One pass over the data. `shift` has a number for each of the d features (None: 0). Examples
    that are not `alive`, whose weights and rows of `right` must be 0, do not count in `longest`.
    Refuted, if numbers overflow."""
    r = kept.size
    right = np.zeros((sample.m, 0)) if right is None else right
    gram, squares = np.zeros((r, r)), np.zeros(r)
    product, sizes, inner = (np.zeros((r, right.shape[1])) for _ in range(3))
    longest = np.float64(0.0)
    with one_thread(), np.errstate(over="ignore", invalid="ignore", under="ignore"):
        lengths = np.sqrt(np.sum(factor * factor, axis=1))
        for start, stop in pieces(sample.m, r):
            rows = kept_part(sample, start, stop, kept, lifted, shift)
            Z, v, some = rows @ factor, weights[start:stop], right[start:stop]
            scaled = Z * np.sqrt(v)[:, None]
            gram += scaled.T @ scaled
            squares += v @ (rows * rows)
            product += Z.T @ some
            length = np.sqrt(np.einsum("ij,ij->i", Z, Z)) * ABOVE
            rows = np.abs(rows, out=rows)
            length += exact.gamma(r + 2) * ABOVE * (rows @ lengths)
            if alive is not None:
                length = length[alive[start:stop]]
            longest = np.maximum(longest, np.max(length, initial=0.0))
            if some.size:
                some = np.abs(some)
                sizes += np.abs(Z, out=Z).T @ some
                inner += rows.T @ some
        size, n, m = np.abs(factor), roundings(sample.m, r), sample.m
        # ‖ζ‖, ‖Ẑ‖ᵥ² and the two parts of the error of ẐᵀVẐ
        # A square that underflows is off by 2⁻¹⁰⁷⁵ before it is multiplied by its weight.
        weight = float(np.sum(weights)) * ABOVE
        sigma = np.sqrt(squares * ABOVE + (m + weight) * exact.TINY) * ABOVE
        apart = exact.gamma(r + 2) * (size.T @ sigma) * ABOVE
        apart += 2 * r * exact.TINY * math.sqrt(weight)
        zeta = norm_above(apart)
        summed = 2 * exact.gamma(n + 24) * float(np.trace(gram)) + 2 * r * m * exact.TINY
        square = norm_above(gram) + summed
        off = (summed + (2 * math.sqrt(square) * ABOVE + zeta) * zeta) * ABOVE / total * ABOVE
        gram /= total
        if ridge:
            slopes = factor[: r - lifted]
            gram += ridge * (slopes.T @ slopes)
            penalty = ridge * norm_above(slopes) * norm_above(slopes)
            off += 2 * exact.gamma(r + 4) * (penalty + norm_above(gram))
        product_off = exact.gamma(n + 4) * sizes + exact.gamma(r + 2) * (size.T @ inner)
        product_off += 2 * (m + r * np.sum(np.abs(right), axis=0)) * exact.TINY
        product_off *= ABOVE
    numbers = (gram, product, product_off, longest, off)
    if not all(np.all(np.isfinite(number)) for number in numbers):
        raise Refuted("numbers overflow float64.")
    return Curvature(gram, float(off * ABOVE), float(longest + LEAST), product, product_off)


def pieces(m: int, width: int) -> Iterator[tuple[int, int]]:
    """Where pieces of m rows begin and end that have so many numbers in a row."""
    step = _step(width)
    return ((start, min(start + step, m)) for start in range(0, m, step))


def roundings(m: int, width: int) -> int:
    """How many additions a term passes through when m rows are added piece by piece."""
    step = _step(width)
    return min(step, m) + -(-m // step)


def _step(width: int) -> int:
    return max(64, min(PIECE, SHEET // max(width, 1)))


def kept_part(
    sample: Sample, start: int, stop: int, kept: np.ndarray, lifted: bool, shift: np.ndarray | None
) -> np.ndarray:
    """x̃_J for rows start … stop − 1, dense, each entry rounded at most once."""
    slopes = kept[: kept.size - lifted]
    part = sample.part(start, stop)
    if sparse.issparse(part):
        part = part[:, slopes].toarray()
    elif slopes.size < sample.d:
        part = part[:, slopes]
    rows = np.ones((stop - start, kept.size))
    rows[:, : slopes.size] = part if shift is None else part - shift[slopes]
    return rows


def pulled(factor: np.ndarray, g: np.ndarray, off: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lᵀg and how far off each entry may be, where each entry of g is within `off` (r, q)."""
    size = np.abs(factor)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        slack = size.T @ (off + exact.gamma(len(factor) + 2) * np.abs(g))
        return factor.T @ g, slack * ABOVE + 2 * len(factor) * exact.TINY


def norm_above(entries: np.ndarray) -> float:
    """A float that the Euclidean norm of these numbers, each rounded once, does not exceed."""
    flat = np.ravel(entries)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        return float(math.sqrt(flat @ flat)) * ABOVE + LEAST if flat.size else 0.0


def inverse_factor(gram: np.ndarray) -> np.ndarray | None:
    """L with LᵀGL = I as nearly as rounding allows; None if G is not numerically positive."""
    scale = np.sqrt(np.maximum(np.diag(gram), 0.0))
    if not (np.all(scale > 0) and np.all(np.isfinite(gram))):
        return None
    try:
        root = linalg.cholesky(gram / scale / scale[:, None], check_finite=False)
        inverse = linalg.solve_triangular(root, np.eye(len(gram)), check_finite=False)
    except linalg.LinAlgError:
        return None
    factor = np.triu(inverse) / scale[:, None]
    return factor if np.all(np.isfinite(factor)) and np.all(np.diag(factor)) else None


def triangle(values, size: int, name: str = "factor") -> np.ndarray:
    """A read-only upper triangular matrix with no 0 on its diagonal, or a ValueError."""
    matrix = np.array(values, dtype=np.float64)
    matrix = matrix.reshape(0, 0) if matrix.size == 0 else matrix
    if matrix.shape != (size, size) or not np.all(np.isfinite(matrix)):
        raise ValueError(f"{name} must be a matrix of {size} × {size} finite numbers.")
    if np.any(np.tril(matrix, -1)) or not np.all(np.diag(matrix)):
        raise ValueError(f"{name} must be upper triangular, with no 0 on its diagonal.")
    matrix.flags.writeable = False
    return matrix


def kept_columns(values, d: int, lifted: bool) -> np.ndarray:
    """Read-only increasing places among the columns of x̃, that of the ones, d, kept if there is
    one; or a ValueError."""
    kept = index_vector(values, "kept")
    if np.any(kept >= d + lifted) or (lifted and (not kept.size or kept[-1] != d)):
        raise ValueError(f"kept must be some of the {d} columns, and {d} for the intercept.")
    return kept
