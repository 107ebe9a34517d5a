"""Exact weights for examples that cannot all be on their own side."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from flint import fmpz_mat

from certo.numbers.exact import gamma
from certo.solvers.interrupt import NEVER, Stopped, Watch

SECONDS_PER_BIT = 5e-10  # An exact elimination takes this for each bit multiplied, and less.
MAX_INVERSE_SIZE = 200  # More vectors than these are left to exact arithmetic.


def require_time(watch: Watch, multiplications: float, bits: int) -> None:
    """Stopped is raised before FLINT begins what would last longer than the watch allows, since it
    cannot be stopped later: it makes so many multiplications of integers of so many bits."""
    watch()
    if SECONDS_PER_BIT * multiplications * bits > watch.seconds_left:
        raise Stopped


def most_bits(rows: Sequence[Sequence[int]]) -> int:
    """Of any entry."""
    return max((abs(entry).bit_length() for row in rows for entry in row), default=0)


def cancelling_weights(vectors: Sequence[Sequence[int]], watch: Watch = NEVER) -> list[int] | None:
    """Positive integers a, without a common divisor, with Σ a_i v_i = 0.

    None unless the combinations that cancel are the multiples of one vector, and that is positive
    (then no vector can be left out: a minimal infeasible subsystem). The null space of a matrix of
    integers is found by FLINT.
    """
    if not any(map(any, vectors)):
        return [1] if len(vectors) == 1 else None
    n = len(vectors)
    # Minors of n vectors have about n times as many bits as the entries, and those of a sum.
    require_time(watch, float(n) ** 3, most_bits(vectors) + n.bit_length() // 2)
    basis, dimension = fmpz_mat([list(v) for v in vectors]).transpose().nullspace()
    if dimension != 1:
        return None
    weights = [int(basis[i, 0]) for i in range(len(vectors))]
    if all(weight < 0 for weight in weights):
        weights = [-weight for weight in weights]
    if min(weights) <= 0:
        return None
    divisor = math.gcd(*weights)
    return [weight // divisor for weight in weights]


def certainly_cancel(vectors: np.ndarray) -> bool:
    """True only if Σ a_i v_i = 0 for some positive a, unique but for a factor; in float64.

    Columns that are 0, or a constant times a last column of ±1, follow from the others. If n are
    left for n + 1 vectors, a = (x, 1) where Bx = b, the columns of B being the first n vectors and
    −b the last. With R ≈ B⁻¹, e = ‖I − RB‖∞ < 1 shows that there is just one x, which is within
    ‖R(b − Bx̃)‖∞/(1 − e) of x̃ in each place. Both norms are computed with room for rounding.
    """
    turned = vectors * vectors[:, -1:] if np.all(np.abs(vectors[:, -1]) == 1) else vectors
    kept = np.any(turned != (turned[0] if turned is not vectors else 0), axis=0)
    kept[-1] = True
    rows, n = vectors[:, kept], len(vectors) - 1
    if not n == np.count_nonzero(kept) <= MAX_INVERSE_SIZE:
        return False
    B, b = rows[:-1].T, -rows[-1]
    sizes = np.abs(rows)
    if (
        not 1e-90 < sizes[sizes > 0].min(initial=1.0) <= sizes.max() < 1e90
    ):  # Products may over- or underflow.
        return False
    try:
        R = np.linalg.inv(B)
    except np.linalg.LinAlgError:
        return False
    x, slack = R @ b, 4 * gamma(n + 4)
    off = np.abs(np.eye(n) - R @ B) + slack * (np.abs(R) @ np.abs(B) + 1)
    missing = np.abs(b - B @ x) + slack * (np.abs(b) + np.abs(B) @ np.abs(x))
    e, error = 2 * off.sum(axis=1).max(), 2 * (np.abs(R) @ missing).max()
    return bool(e < 0.5 and x.min() > 2 * error and np.abs(R).max() < 1e90)
