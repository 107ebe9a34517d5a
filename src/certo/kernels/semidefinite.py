r"""Whether a matrix can be a Gram matrix: symmetric and positive semi-definite, with proof.

A matrix that was computed is symmetric and positive semi-definite up to rounding only, so three
answers are possible.

1. *It is not one.* Its asymmetry is more than rounding, or there is a z with zᵀKz < 0 by more than
   rounding. The verdict of `is_psd`, or the error `NotPositive`, carries that z.
2. *It is one, after a stated shift.* K + shift·I is proved to be positive semi-definite; shift is
   0 where that is proved of K itself.
3. Where neither can be shown in float64, the verdict says so: that happens to singular matrices of
   which more is asked than the usual shift.

Proof by Cholesky (Rump, Verification of positive definiteness, BIT 46, 2006). If the
factorisation of a symmetric A, in floating point and in any order of summation, runs to its end,
its factor satisfies RᵀR = A + E with |E| ≤ γ_{n+1}·|Rᵀ||R| (Higham, Theorem 10.3), and
column j of R has ‖r_j‖² ≤ a_jj/(1 − γ_{n+1}). Hence ‖E‖₂ ≤ γ_{n+1}·‖R‖_F² ≤
γ_{n+1}/(1 − γ_{n+1})·tr(A) =: c, and since RᵀR is positive semi-definite, so is A + c·I.
Therefore: if A = K + (shift − c)·I can be factorised, K + shift·I is positive semi-definite. Some
BLAS multiply by a reciprocal where the theorem divides (one rounding more: γ_{n+3} is used), the
diagonal of A is rounded (2u of its largest), and underflow adds at most n·3(2n + max a_jj)·2⁻¹⁰⁷⁴.

A matrix that is not quite symmetric stands for H = (K + Kᵀ)/2, and what is factorised is H rounded:
A = H + F, with F zero on the diagonal (2K_ii and its half are exact) and |F| ≤ u|A| elsewhere, up
to 2⁻¹⁰⁷⁵ where the half is subnormal. From |A| = |RᵀR − E| ≤ (1 + γ_{n+3})·|Rᵀ||R| it follows that
‖F‖₂ ≤ u(1 + γ_{n+3})·‖R‖_F²: less than two roundings more, so γ_{n+5} serves both. What underflows
adds n·2⁻¹⁰⁷⁵, for which the bound above leaves room. A witness is one against H itself:
zᵀHz = zᵀKz, in which nothing is rounded beforehand.

What counts as rounding. A matrix stored or computed in float32 has entries off by a few 2⁻²⁴ of
√(K_ii·K_jj); such errors, being of either sign, move eigenvalues by about 2√n·2⁻²⁴·max K_ii. So a
shift of up to `limit` = 8√n·2⁻²⁴·max K_ii (and never less than twice what the proof itself
needs) is accepted, and stated; matrices computed in float64 need far less, and get less. If
K + limit·I is not positive semi-definite, K is refused. `is_psd` takes another limit.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.linalg import eigh, lapack, solve_triangular

from certo.blas import few_threads
from certo.kernels.base import number
from certo.numbers.decimals import rounded_up
from certo.numbers.rounding import OVERFLOW_LIMIT, TINY, UNIT, gamma

ASYMMETRY_TOLERANCE = 2.0**-20  # Of max(K_ii, K_jj): sixteen times the rounding of float32.
FLOAT32_UNIT = 2.0**-24
IF_ROUNDING = " If that is meant to be rounding, pass (K + K.T) / 2."
STRIP_ENTRIES = 2**20  # Entries that are compared at once.
MAX_QUADRATIC = 2.0**1023
MAX_WITNESS_STEP = 2.0**500  # A larger step would overflow.
MAX_SHIFTS = 20  # Each shift takes a factorisation of its own.
ISSUER_MARGIN_FACTOR = 1.5  # A shift is proved with more than a checker needs: its BLAS may differ.


class NotPositive(ValueError):
    """A matrix that is not a Gram matrix: zᵀKz < 0.

    Attributes
    ----------
    witness : array of shape (n,)
        The z.
    value : float
        A number below 0 that zᵀKz, with K made symmetric by (K + Kᵀ)/2, does not exceed.
    """

    def __init__(self, witness: np.ndarray, value: float):
        self.witness, self.value = witness, value
        super().__init__(
            "the kernel matrix is not positive semi-definite, so that no kernel has it: zᵀKz is "
            f"{rounded_up(value)} for the z with {_entries(witness)}. The whole z is the attribute "
            "`witness` of this error. certo.kernels.repair(K) makes a kernel's matrix of it and "
            "says how far that is from it; or use a similarity that is a kernel."
        )

    def __reduce__(self):
        return type(self), (self.witness, self.value)


@dataclass(frozen=True, eq=False, repr=False)
class Definiteness:
    """Whether a matrix K is positive semi-definite, and what shows it. True in an `if` only where
    that it is has been proved. K stands for (K + Kᵀ)/2 throughout.

    Attributes
    ----------
    positive : bool or None
        True: K + allowance·I is proved positive semi-definite. False: the witness shows that K is
        not. None: neither was shown.
    allowance : float
        The multiple of the identity that the proof needs, 0 where it is one of K itself; infinite
        where nothing was proved.
    witness : array of shape (n,), or None
        A z with zᵀKz < 0.
    value : float or None
        A number below 0 that zᵀKz does not exceed.
    """

    positive: bool | None
    allowance: float = math.inf
    witness: np.ndarray | None = None
    value: float | None = None

    def __bool__(self) -> bool:
        return self.positive is True

    def verify(self, K) -> bool:
        """Whether K shows what is said here, by a factorisation or a quadratic form computed anew.
        An undecided verdict says nothing, so nothing shows it."""
        K = _nearly_symmetric(K)
        if self.positive is True:
            return is_shown_psd(K, self.allowance)
        if self.positive is None or self.witness is None or self.value is None:
            return False
        z = np.asarray(self.witness)
        fits = z.shape == (K.shape[0],) and z.dtype == np.float64
        if not (fits and np.all(np.abs(z) < OVERFLOW_LIMIT)):
            return False
        with np.errstate(over="ignore", invalid="ignore"):  # The bound may be infinite or NaN.
            return _quadratic_above(K, z) <= self.value < 0

    def __repr__(self):
        if self.positive:
            what = f"K + {rounded_up(self.allowance, 3)}·I" if self.allowance else "K"
            return f"positive semi-definite: {what} is proved to be"
        if self.positive is None:
            return "undecided: float64 shows neither a proof within the allowance nor a witness"
        return (
            f"not positive semi-definite: zᵀKz is {rounded_up(self.value or 0.0)} for the z with "
            f"{_entries(self.witness)}"
        )


def _entries(z) -> str:
    """The largest entries of a witness, in words."""
    some = np.flatnonzero(z)
    order = some[np.argsort(-np.abs(z[some]), kind="stable")]
    parts = ", ".join(f"z[{i}] = {z[i]:.6g}" for i in order[:3].tolist())
    return parts if order.size <= 3 else f"{parts}, … ({order.size} entries other than 0)"


def symmetrised(K: np.ndarray) -> np.ndarray:
    """(K + Kᵀ)/2 rounded, which is K itself where K is symmetric."""
    if all(np.array_equal(K[part], K[:, part].T) for part in _strips(K.shape[0])):
        return K
    return 0.5 * (K + K.T)


def is_psd(K, allowance: float | None = None) -> Definiteness:
    """Whether K is positive semi-definite, with proof or witness.

    Parameters
    ----------
    K : array of shape (n, n)
        Symmetric up to rounding; ValueError if it is not, or not finite.
    allowance : float of at least 0, or None
        The largest multiple of the identity that may be added for a proof. None: as much as
        rounding to float32 explains, 8√n·2⁻²⁴·max K_ii. With 0 only matrices pass that are
        positive definite by more than the rounding of the proof.

    Returns
    -------
    Definiteness
        In an `if`, it is true where K + verdict.allowance·I is proved positive semi-definite;
        else it holds a `witness` z with zᵀKz < 0, or is undecided.

    Examples
    --------
    >>> is_psd([[2.0, 1.0], [1.0, 2.0]])
    positive semi-definite: K is proved to be
    >>> verdict = is_psd([[1.0, 2.0], [2.0, 1.0]])
    >>> verdict
    not positive semi-definite: zᵀKz is -3 for the z with z[0] = -2, z[1] = 1
    >>> bool(verdict), verdict.verify([[1.0, 2.0], [2.0, 1.0]])
    (False, True)
    """
    given = _nearly_symmetric(K)
    K = symmetrised(given)
    if allowance is not None:
        allowance = number(allowance, "allowance", included=True)
    n = K.shape[0]
    if n == 0:
        return Definiteness(True, 0.0)
    need = ISSUER_MARGIN_FACTOR * proof_margin(K, 0.0)
    greatest = max(float(np.max(np.diagonal(K))), 0.0)
    usual = max(2.0 * need, 8.0 * math.sqrt(n) * FLOAT32_UNIT * greatest)
    limit = usual if allowance is None else allowance
    found = _negative_pair(K, limit, given)
    if found is not None:
        return found
    work, failed = np.empty_like(K), -1
    for shift in _shifts(need, limit):
        failed = _factorise(K, shift - ISSUER_MARGIN_FACTOR * proof_margin(K, shift), work)
        if failed < 0:
            return Definiteness(True, shift)
    # A LAPACK that leaves no factor makes the eigenvector of the least eigenvalue necessary.
    lowest = functools.partial(eigh, K, subset_by_index=[0, 0])
    for direction in (lambda: _negative_direction(work, failed), lambda: lowest()[1][:, 0]):
        z = direction()
        value = _quadratic_above(given, z)
        if value < 0:
            return Definiteness(False, witness=z, value=value)
    return Definiteness(None)


def check_gram(K) -> float:
    """A shift ≥ 0 such that (K + Kᵀ)/2 + shift·I, rounded or not, is proved positive semi-definite.

    Raises `NotPositive`, with a witness, if K has a negative direction that rounding does not
    explain, and ValueError if K is not square, not finite, or not symmetric up to rounding.
    """
    verdict = is_psd(K)
    if verdict.witness is not None and verdict.value is not None:
        raise NotPositive(verdict.witness, verdict.value)
    if not verdict:
        raise ValueError(
            f"float64 can show neither that the {np.shape(K)[0]}×{np.shape(K)[0]} kernel matrix is "
            "positive semi-definite nor that it is not. Add a small number to its diagonal, as "
            "much as its rounding may explain."
        )
    return verdict.allowance


def is_shown_psd(K, shift: float) -> bool:
    """Whether (K + Kᵀ)/2 + shift·I is shown to be positive semi-definite; rounded or not."""
    K = symmetrised(_finite_square(K))
    if not (math.isfinite(shift) and shift >= 0):
        return False
    if K.shape[0] == 0:
        return True
    return _factorise(K, shift - proof_margin(K, shift), np.empty_like(K)) < 0


def as_symmetric(K) -> np.ndarray:
    """(K + Kᵀ)/2 of a finite square matrix that is symmetric up to rounding; else a ValueError."""
    return symmetrised(_nearly_symmetric(K))


def _nearly_symmetric(K) -> np.ndarray:
    K = _finite_square(K)
    if K.shape[0]:
        require_symmetric(K)
    return K


def _finite_square(K) -> np.ndarray:
    try:
        K = np.ascontiguousarray(K, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as wrong:
        raise ValueError(f"a kernel matrix must hold numbers: {wrong}") from wrong
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(
            "a kernel matrix must be square, one row and one column for each training example, "
            f"got shape {K.shape}."
        )
    for part in _strips(K.shape[0]):
        bad = np.argwhere(~(np.abs(K[part]) < OVERFLOW_LIMIT))
        if bad.size:
            i, j = (bad[0] + (part.start, 0)).tolist()
            raise ValueError(
                f"a kernel matrix must hold finite numbers below 1e300, but K[{i}, {j}] is "
                f"{K[i, j]}."
            )
    return K


def _strips(n: int) -> list[slice]:
    step = max(1, STRIP_ENTRIES // max(1, n))
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


def require_symmetric(K: np.ndarray) -> None:
    """ValueError, if a square matrix is asymmetric by more than rounding."""
    size = np.abs(np.diagonal(K))
    for part in _strips(K.shape[0]):
        difference = np.abs(K[part] - K[:, part].T)
        excess = difference - ASYMMETRY_TOLERANCE * np.maximum(size[part, None], size)
        if np.max(excess) > 0:
            i, j = divmod(int(np.argmax(excess)), size.size)
            i, j = sorted((i + part.start, j))
            raise ValueError(
                f"a kernel matrix must be symmetric, but K[{i}, {j}] is {float(K[i, j])!r} and "
                f"K[{j}, {i}] is {float(K[j, i])!r}.{IF_ROUNDING}"
            )


def _negative_pair(K: np.ndarray, limit: float, given: np.ndarray) -> Definiteness | None:
    """A z of one or two points where that is enough: |K_ij| ≤ √(K_ii·K_jj) must hold. K is the
    `given` matrix made symmetric."""
    diagonal = np.diagonal(K)
    lowest = int(np.argmin(diagonal))
    if diagonal[lowest] < -limit:
        z = np.zeros(diagonal.size)
        z[lowest] = 1.0
        return Definiteness(False, witness=z, value=float(diagonal[lowest]))
    roots = np.sqrt(diagonal + limit)
    for part in _strips(diagonal.size):
        excess = np.abs(K[part]) - roots[part, None] * roots * (1.0 + 8.0 * UNIT)
        excess[np.arange(excess.shape[0]), np.arange(part.start, part.stop)] = 0.0
        if np.max(excess) > 0:
            i, j = divmod(int(np.argmax(excess)), diagonal.size)
            i += part.start
            i, j = (i, j) if diagonal[i] <= diagonal[j] else (j, i)
            z = np.zeros(diagonal.size)
            # The least of K_ii z_i² + 2K_ij z_i + K_jj over z_i is at −K_ij/K_ii; at K_ii ≤ 0 it
            # falls for ever (just above 0, for long), and that step makes the value at most −K_jj.
            size, most = abs(float(K[i, j])), float(diagonal[j]) + limit
            near = float(diagonal[i]) > size / MAX_WITNESS_STEP
            step = size / float(diagonal[i]) if near else max(1.0, most / size)
            z[i] = -math.copysign(step, K[i, j])
            z[j] = 1.0
            value = _quadratic_above(given, z)
            if value < 0:
                return Definiteness(False, witness=z, value=value)
    return None


def _shifts(need: float, limit: float) -> list[float]:
    """0, then about one for each factor of ten from the smallest that can help up to the limit."""
    least = 2.0 * need
    if limit < least:
        return [0.0, limit] if limit else [0.0]
    tries = min(2 + int(math.log10(limit) - math.log10(least)), MAX_SHIFTS)
    return [0.0, *np.geomspace(least, limit, tries).tolist()]


def proof_margin(K: np.ndarray, shift: float) -> float:
    """c of the proof, for K + shift·I, rounded up."""
    n, diagonal = K.shape[0], np.diagonal(K)
    trace = float(np.sum(np.abs(diagonal))) + n * shift
    greatest = float(np.max(np.abs(diagonal))) + shift
    rounding = 1.02 * gamma(n + 5) * trace + 4.0 * UNIT * greatest
    return rounding + 8.0 * n * (2.0 * n + greatest) * TINY


def _factorise(K: np.ndarray, added: float, work: np.ndarray) -> int:
    """−1 if K + added·I has a Cholesky factor in float64; else the number of the row at which
    there is none, with the factor up to there in the upper triangle of `work`."""
    np.copyto(work, K)
    work[np.diag_indices_from(work)] += added
    # The matrix is symmetric, so its transpose, in Fortran's order, is the same matrix.
    with few_threads(len(K)):
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


def _quadratic_above(K: np.ndarray, z: np.ndarray) -> float:
    """A float that zᵀKz does not exceed, K symmetric or not: rounded up where z is short."""
    some = np.flatnonzero(z)
    block, z = K[np.ix_(some, some)], z[some]
    if some.size <= 16:
        exact = [Fraction(v) for v in z.tolist()]
        rows = block.tolist()
        pairs = itertools.product(range(len(z)), repeat=2)
        terms = (exact[i] * exact[j] * Fraction(rows[i][j]) for i, j in pairs)
        total = sum(terms, Fraction(0))
        if abs(total) > MAX_QUADRATIC:
            return -MAX_QUADRATIC if total < 0 else math.inf
        near = float(total)
        return near if Fraction(near) >= total else math.nextafter(near, math.inf)
    # Two sums of n products, one inside the other: what underflows in that is multiplied by z.
    size = float(np.abs(z) @ (np.abs(block) @ np.abs(z)))
    underflow = 2.0 * some.size * (1.0 + float(np.sum(np.abs(z)))) * TINY
    return float(z @ (block @ z)) + 2.0 * gamma(2 * some.size + 4) * size + underflow
