r"""Whether a matrix can be a Gram matrix: symmetric and positive semi-definite, with proof.

A matrix that was computed is symmetric and positive semi-definite up to rounding only, so three
answers are possible.

1. *It is not one.* Its asymmetry is more than rounding, or there is a z with zᵀKz < 0 by more than
   rounding. `NotPositive` carries that z.
2. *It is one, after a stated shift.* K + shift·I is proved to be positive semi-definite; shift is
   0 where that is proved of K itself.
3. Where neither can be shown in float64 (not seen so far), that is an error which says so.

Proof by Cholesky (Rump, Verification of positive definiteness, BIT 46, 2006). If the
factorisation of a symmetric A, in floating point and in any order of summation, runs to its end,
its factor satisfies RᵀR = A + E with |E| ≤ γ_{n+1}·|Rᵀ||R| (Higham, Theorem 10.3), and
column j of R has ‖r_j‖² ≤ a_jj/(1 − γ_{n+1}). Hence ‖E‖₂ ≤ γ_{n+1}·‖R‖_F² ≤
γ_{n+1}/(1 − γ_{n+1})·tr(A) =: c, and since RᵀR is positive semi-definite, so is A + c·I.
Therefore: if A = K + (shift − c)·I can be factorised, K + shift·I is positive semi-definite. Some
BLAS multiply by a reciprocal where the theorem divides (one rounding more: γ_{n+3} is used), the
diagonal of A is rounded (2u of its largest), and underflow adds at most n·3(2n + max a_jj)·2⁻¹⁰⁷⁴.

What counts as rounding. A matrix stored or computed in float32 has entries off by a few 2⁻²⁴ of
√(K_ii·K_jj); such errors, being of either sign, move eigenvalues by about 2√n·2⁻²⁴·max K_ii. So a
shift of up to `limit` = 8√n·2⁻²⁴·max K_ii (and never less than twice what the proof itself
needs) is accepted, and stated; matrices computed in float64 need far less, and get less. If
K + limit·I is not positive semi-definite, K is refused.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from scipy.linalg import eigh, lapack, solve_triangular

from certo.kernels.rounding import HUGE, LEAST, UNIT, gamma

ASYMMETRY = 2.0**-20  # of the larger of K_ii and K_jj: sixteen times the rounding of float32
FLOAT32 = 2.0**-24
IF_ROUNDING = " If that is meant to be rounding, pass (K + K.T) / 2."
STRIP = 2**20  # entries that are looked at together
ROOM = 1.5  # what a shift is proved with, against what a checker needs: BLAS may differ


class NotPositive(ValueError):
    """A matrix that is no Gram matrix: zᵀKz < 0.

    Attributes
    ----------
    witness : array of shape (n,)
        The z.
    value : float
        A number below 0 that zᵀKz, with K made symmetric by (K + Kᵀ)/2, does not exceed.
    """

    def __init__(self, witness: np.ndarray, value: float):
        self.witness, self.value = witness, value
        some = np.flatnonzero(witness)
        order = some[np.argsort(-np.abs(witness[some]), kind="stable")]
        parts = ", ".join(f"z[{i}] = {witness[i]:.6g}" for i in order[:3].tolist())
        rest = "" if order.size <= 3 else f", … ({order.size} entries other than 0)"
        super().__init__(
            "the kernel matrix is not positive semi-definite, so it is no kernel's: zᵀKz is "
            f"{value:.6g} for the z with {parts}{rest}. The whole z is the attribute `witness` of "
            "this error. Add a multiple of the identity to the matrix, or use a similarity that is "
            "a kernel."
        )

    def __reduce__(self):
        return type(self), (self.witness, self.value)


def symmetrised(K: np.ndarray) -> np.ndarray:
    """(K + Kᵀ)/2, which is K itself where K is symmetric: the matrix that claims speak of."""
    if all(np.array_equal(K[part], K[:, part].T) for part in _strips(K.shape[0])):
        return K
    return 0.5 * (K + K.T)


def check_gram(K) -> float:
    """A shift ≥ 0 such that symmetrised(K) + shift·I is proved to be positive semi-definite.

    Raises `NotPositive`, with a witness, if K has a negative direction that rounding does not
    explain, and ValueError if K is not square, not finite, or not symmetric up to rounding.
    """
    K = _finite_square(K)
    if K.shape[0] == 0:
        return 0.0
    require_symmetric(K)
    K = symmetrised(K)
    n, greatest = K.shape[0], float(np.max(np.diagonal(K)))
    need = ROOM * _margin(K, 0.0)
    limit = max(2.0 * need, 8.0 * math.sqrt(n) * FLOAT32 * max(greatest, 0.0))
    _refuse_by_pairs(K, limit)
    work, failed = np.empty_like(K), -1
    for shift in (0.0, *np.geomspace(2.0 * need, limit, _tries(limit, need)).tolist()):
        failed = _factorise(K, shift - ROOM * _margin(K, shift), work)
        if failed < 0:
            return shift
    for direction in (lambda: _negative_direction(work, failed), lambda: _lowest_direction(K)):
        z = direction()
        value = _quadratic_above(K, z)
        if value < 0:
            raise NotPositive(z, value)
    raise ValueError(
        f"float64 can show neither that the {n}×{n} kernel matrix is positive semi-definite nor "
        "that it is not. Add a small number to its diagonal, as much as its rounding may explain."
    )


def is_shown_psd(K, shift: float) -> bool:
    """Whether symmetrised(K) + shift·I is shown to be positive semi-definite."""
    K = symmetrised(_finite_square(K))
    if not (math.isfinite(shift) and shift >= 0):
        return False
    if K.shape[0] == 0:
        return True
    return _factorise(K, shift - _margin(K, shift), np.empty_like(K)) < 0


def _finite_square(K) -> np.ndarray:
    try:
        K = np.ascontiguousarray(K, dtype=np.float64)
    except (TypeError, ValueError) as wrong:
        raise ValueError(f"a kernel matrix must hold numbers: {wrong}") from wrong
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(
            "a kernel matrix must be square, one row and one column for each training example, "
            f"got shape {K.shape}."
        )
    for part in _strips(K.shape[0]):
        bad = np.argwhere(~(np.abs(K[part]) < HUGE))
        if bad.size:
            i, j = (bad[0] + (part.start, 0)).tolist()
            raise ValueError(
                f"a kernel matrix must hold finite numbers below 1e300, but K[{i}, {j}] is "
                f"{K[i, j]}."
            )
    return K


def _strips(n: int) -> list[slice]:
    step = max(1, STRIP // max(1, n))
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


def require_symmetric(K: np.ndarray) -> None:
    """ValueError, if a square matrix is asymmetric by more than rounding."""
    size = np.abs(np.diagonal(K))
    for part in _strips(K.shape[0]):
        difference = np.abs(K[part] - K[:, part].T)
        excess = difference - ASYMMETRY * np.maximum(size[part, None], size)
        if np.max(excess) > 0:
            i, j = divmod(int(np.argmax(excess)), size.size)
            i, j = sorted((i + part.start, j))
            raise ValueError(
                f"a kernel matrix must be symmetric, but K[{i}, {j}] is {float(K[i, j])!r} and "
                f"K[{j}, {i}] is {float(K[j, i])!r}.{IF_ROUNDING}"
            )


def _refuse_by_pairs(K: np.ndarray, limit: float) -> None:
    """Refuse by one or two points where that is enough: |K_ij| ≤ √(K_ii·K_jj) must hold."""
    diagonal = np.diagonal(K)
    lowest = int(np.argmin(diagonal))
    if diagonal[lowest] < -limit:
        z = np.zeros(diagonal.size)
        z[lowest] = 1.0
        raise NotPositive(z, float(diagonal[lowest]))
    roots = np.sqrt(diagonal + limit)
    for part in _strips(diagonal.size):
        excess = np.abs(K[part]) - roots[part, None] * roots * (1.0 + 8.0 * UNIT)
        excess[np.arange(excess.shape[0]), np.arange(part.start, part.stop)] = 0.0
        if np.max(excess) > 0:
            i, j = divmod(int(np.argmax(excess)), diagonal.size)
            i += part.start
            i, j = (i, j) if diagonal[i] <= diagonal[j] else (j, i)
            z = np.zeros(diagonal.size)
            # the least of K_ii z_i² + 2K_ij z_i + K_jj over z_i is at −K_ij/K_ii; at K_ii ≤ 0
            # it falls for ever, and that step makes the value at most −K_jj
            step = float(diagonal[i]) if diagonal[i] > 0 else 0.0
            most = float(diagonal[j]) + limit
            z[i] = -math.copysign(
                abs(K[i, j]) / step if step else max(1.0, most / abs(K[i, j])), K[i, j]
            )
            z[j] = 1.0
            value = _quadratic_above(K, z)
            if value < 0:
                raise NotPositive(z, value)


def _tries(limit: float, need: float) -> int:
    """One for each factor of ten between the smallest shift and the largest."""
    return 2 + int(math.log10(limit / (2.0 * need)))


def _margin(K: np.ndarray, shift: float) -> float:
    """c of the proof, for K + shift·I, rounded up."""
    n, diagonal = K.shape[0], np.diagonal(K)
    trace = float(np.sum(np.abs(diagonal))) + n * shift
    greatest = float(np.max(np.abs(diagonal))) + shift
    rounding = 1.02 * gamma(n + 3) * trace + 4.0 * UNIT * greatest
    return rounding + 8.0 * n * (2.0 * n + greatest) * LEAST


def _factorise(K: np.ndarray, added: float, work: np.ndarray) -> int:
    """−1 if K + added·I has a Cholesky factor in float64; else the number of the row at which
    there is none, with the factor up to there in the upper triangle of `work`."""
    np.copyto(work, K)
    work[np.diag_indices_from(work)] += added
    # work is symmetric, so its transpose, in the order of Fortran, is the same matrix
    factor, info = lapack.dpotrf(work.T, lower=1, clean=0, overwrite_a=1)
    if factor.base is not work and factor is not work:
        work[...] = factor.T
    return -1 if info == 0 else int(info) - 1


def _negative_direction(work: np.ndarray, row: int) -> np.ndarray:
    """z with zᵀAz ≤ 0, where A has a factor up to `row`: z = (−A_k⁻¹a, 1), a the row's entries."""
    z = np.zeros(work.shape[0])
    z[row] = 1.0
    if row:
        upper = work[:row, :row]
        z[:row] = -solve_triangular(upper, work[:row, row], lower=False, check_finite=False)
    return z / np.max(np.abs(z))


def _lowest_direction(K: np.ndarray) -> np.ndarray:
    """The eigenvector of the least eigenvalue: slower, for a LAPACK that leaves no factor."""
    return eigh(K, subset_by_index=[0, 0])[1][:, 0]


def _quadratic_above(K: np.ndarray, z: np.ndarray) -> float:
    """A float that zᵀKz does not exceed: exactly rounded up where z is short."""
    some = np.flatnonzero(z)
    block, z = K[np.ix_(some, some)], z[some]
    if some.size <= 16:
        exact = [Fraction(v) for v in z.tolist()]
        rows = block.tolist()
        total = sum(
            (
                exact[i] * exact[j] * Fraction(rows[i][j])
                for i in range(len(z))
                for j in range(len(z))
            ),
            Fraction(0),
        )
        near = float(total)
        return near if Fraction(near) >= total else math.nextafter(near, math.inf)
    # two sums of n products, one inside the other
    size = float(np.abs(z) @ (np.abs(block) @ np.abs(z)))
    return float(z @ (block @ z)) + 2.0 * gamma(2 * some.size + 4) * size + some.size**2 * LEAST
