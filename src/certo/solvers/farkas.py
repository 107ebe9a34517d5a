"""Exact weights for examples that cannot all be on their own side."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from certo.certificates.farkas import cancels

PRIME = 2**31 - 1


def cancelling_weights(vectors: Sequence[Sequence[int]]) -> list[int] | None:
    """Positive whole numbers a, without a common divisor, with Σ a_i v_i = 0.

    None unless the combinations that cancel are the multiples of one vector, and that is positive
    (then no vector can be left out: a minimal infeasible subsystem).

    With a_n = 1 the others solve a square system B a = c. Dixon's p-adic lifting finds a modulo a
    high power of a prime, digit by digit from one inverse modulo the prime, and the fractions with
    that residue follow by Euclid's algorithm: quadratic work for each digit where elimination in
    whole numbers of growing size is cubic. `cancels` has the last word.
    """
    n = len(vectors)
    if n == 1:
        return None if any(vectors[0]) else [1]
    equations = [list(column) for column in zip(*vectors, strict=True)]
    chosen = _independent(equations, n - 1)
    if chosen is None:
        return None
    rows = [equations[i][:-1] for i in chosen]
    right = [-equations[i][-1] for i in chosen]
    inverse = _inverse([[entry % PRIME for entry in row] for row in rows])
    if inverse is None:
        return None
    # Cramer and Hadamard: numerators and denominators are determinants, at most the product of the
    # lengths of the equations
    bits = sum(
        (sum(entry * entry for entry in row) + c * c).bit_length() + 1
        for row, c in zip(rows, right, strict=True)
    )
    matrix = np.array(rows, dtype=object)
    residual = np.array(right, dtype=object)
    found, power, modulus = np.zeros(n - 1, dtype=object), 1, 1 << (bits + 2)
    while power <= modulus:
        digit = _times(inverse, (residual % PRIME).astype(np.int64)).astype(object)
        found += digit * power
        residual = (residual - matrix @ digit) // PRIME
        power *= PRIME
    weights = _fractions(found.tolist(), power)
    if weights is None or min(weights) <= 0 or not cancels(vectors, weights):
        return None
    divisor = math.gcd(*weights)
    return [weight // divisor for weight in weights]


def _times(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """A product modulo the prime: 2⁶² would overflow when summed, so residues are."""
    return ((matrix * vector) % PRIME).sum(axis=1) % PRIME


def _independent(equations: list[list[int]], rank: int) -> list[int] | None:
    """`rank` equations whose left sides are independent modulo the prime, if there are."""
    left = np.array([[entry % PRIME for entry in row[:-1]] for row in equations], dtype=np.int64)
    order = np.arange(len(left))
    for k in range(rank):
        at = np.flatnonzero(left[k:, k])
        if not at.size:
            return None
        left[[k, k + at[0]]] = left[[k + at[0], k]]
        order[[k, k + at[0]]] = order[[k + at[0], k]]
        left[k] = left[k] * pow(int(left[k, k]), -1, PRIME) % PRIME
        left[k + 1 :] = (left[k + 1 :] - left[k + 1 :, k, None] * left[k] % PRIME) % PRIME
    return order[:rank].tolist()


def _inverse(rows: list[list[int]]) -> np.ndarray | None:
    """The inverse of a square matrix modulo the prime, by Gauss and Jordan."""
    n = len(rows)
    both = np.hstack([np.array(rows, dtype=np.int64), np.eye(n, dtype=np.int64)])
    for k in range(n):
        at = np.flatnonzero(both[k:, k])
        if not at.size:
            return None
        both[[k, k + at[0]]] = both[[k + at[0], k]]
        both[k] = both[k] * pow(int(both[k, k]), -1, PRIME) % PRIME
        factors = both[:, k].copy()
        factors[k] = 0
        both = (both - factors[:, None] * both[k] % PRIME) % PRIME
    return both[:, n:]


def _fractions(residues: list[int], modulus: int) -> list[int] | None:
    """Numerators over one denominator, which comes last, with these residues; both are small
    beside √modulus. Most often the denominator of the first serves all."""
    half = math.isqrt(modulus // 2)
    numerators: list[int] = []
    common = 1
    for residue in residues:
        value = residue * common % modulus
        if value > half:
            value -= modulus
        if abs(value) > half:
            # Euclid on (modulus, residue·common) until the remainder is small: the cofactor is
            # what is missing in the denominator
            a, b, s, t = modulus, value % modulus, 0, 1
            while b > half:
                quotient = a // b
                a, b, s, t = b, a - quotient * b, t, s - quotient * t
            if abs(t) * common > half:
                return None
            numerators = [numerator * abs(t) for numerator in numerators]
            common *= abs(t)
            value = b if t > 0 else -b
        numerators.append(value)
    return [*numerators, common]
