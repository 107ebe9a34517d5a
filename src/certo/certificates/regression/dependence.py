r"""Columns that are combinations of others: exactly, or how nearly.

x̃ is x with a last 1 if `lifted`, x alone otherwise. J = `kept` are some of its columns in
increasing order, that of the ones (number d) among them; `combinations` has a row c_j of fractions
over J for every other column j, in increasing order. E_ij = x̃_ij − x̃_iJ·c_j is what they miss.

`exactly` decides in exact arithmetic whether E = 0: then every X̃w is X̃_J a with
a = w_J + Σ_j w_j c_j, and what is shown of all a is shown of all w. `remainders` bounds E from
above, where it is not 0: X̃w = X̃_J a + Σ_j w_j E_j.

Rounding. A combination times its common denominator is one of whole numbers, whose sign at an
example `score_signs` decides exactly. A computed E_ij, with c_j rounded once, is a sum of r + 1
products, off by at most γ_{r+3} (|x_ij| + Σ_k |c_jk x̃_ik|).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import sparse

from certo.blas import one_thread
from certo.certificates.regression.curvature import pieces
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.exact_rows import score_signs
from certo.numbers import exact
from certo.numbers.farkas import common_denominator
from certo.numbers.rounded import ABOVE

Combinations = Sequence[Sequence[Fraction]]


class Remainders(NamedTuple):
    """For every column that is not kept, numbers not below …"""

    mean_size: np.ndarray  # (1/total) Σ_i v_i |E_ij|
    mean_square: np.ndarray  # (1/total) Σ_i v_i E_ij²


def others(kept: np.ndarray, d: int) -> np.ndarray:
    """The features that are not kept."""
    return np.setdiff1d(np.arange(d), kept)


def exactly(
    sample: Sample,
    kept: np.ndarray,
    combinations: Combinations,
    lifted: bool,
    alive: np.ndarray | None = None,
) -> bool:
    """Whether x̃_ij = x̃_iJ·c_j for every example i (of those `alive`) and column j not kept."""
    return bool(np.all(exact_columns(sample, kept, combinations, lifted, alive)))


def exact_columns(
    sample: Sample,
    kept: np.ndarray,
    combinations: Combinations,
    lifted: bool,
    alive: np.ndarray | None = None,
) -> np.ndarray:
    """The same for each of the columns that are not kept."""
    exact_so_far, settled = np.zeros((2, len(combinations)), dtype=bool)
    vectors = np.zeros((len(combinations), sample.d + lifted), dtype=object)
    for k, (j, line) in enumerate(zip(others(kept, sample.d).tolist(), combinations, strict=True)):
        common = common_denominator(line)
        if lifted and not any(line[:-1]) and not sparse.issparse(sample.X):  # a constant column
            value = np.float64(_float(line[-1]))  # NumPy's: then float32 entries are converted
            other = sample.X[:, j] != value
            constant = not np.any(other if alive is None else other & alive)
            settled[k] = constant and np.isfinite(value) and Fraction(float(value)) == line[-1]
        elif common is not None:
            exact_so_far[k] = True
            vectors[k, j] = -common
            vectors[k, kept] = [int(term * common) for term in line]
    with one_thread():
        for start, stop in pieces(sample.m, sample.d):
            here = slice(None) if alive is None else alive[start:stop]
            part = Sample(sample.X[start:stop][here], np.ones(stop - start, dtype=np.int8)[here])
            some = np.flatnonzero(exact_so_far)
            if not some.size:
                break
            if part.m:
                exact_so_far[some] = _are_zero(part, vectors[some], lifted)
    return exact_so_far | settled


def _are_zero(sample: Sample, vectors: np.ndarray, lifted: bool) -> np.ndarray:
    """Whether w·x̃ = 0 on all these examples, for each w. Rounded sums of whole numbers are exact
    where Σ|w_j x̃_j| < 2⁵³, which its rounded value below 2⁵² shows."""
    rows, unsure = sample.X.astype(np.float64), np.ones(len(vectors), dtype=bool)
    zero = np.ones(len(vectors), dtype=bool)
    entries = rows.data if sparse.issparse(rows) else rows
    if np.max(abs(vectors)) < 2**52:
        W = vectors.astype(np.float64).T
        with np.errstate(over="ignore", invalid="ignore"):
            scores, size = rows @ W[: sample.d], abs(rows) @ abs(W[: sample.d])
            if lifted:
                scores, size = scores + W[-1], size + abs(W[-1])
            zero &= ~np.any(np.abs(scores) > exact.allowance(len(W) + 1, size), axis=0)
            if np.array_equal(entries, np.rint(entries)):
                sure = np.all(size < 2.0**52, axis=0)
                zero &= ~sure | np.all(scores == 0, axis=0)
                unsure &= ~sure
    for k in np.flatnonzero(zero & unsure).tolist():
        zero[k] = not np.any(score_signs(sample, vectors[k].tolist(), lifted))
    return zero


def exactly_by_sums(
    gram: np.ndarray, shift: np.ndarray, kept: np.ndarray, combinations: Combinations, lifted: bool
) -> bool:
    """Whether Σ_i s_i E_ij² = 0 for every column j that is not kept, from Σ_i s_i z_i z_iᵀ for
    z = (x − shift, 1), whole numbers that were not rounded; that is E = 0 wherever s_i is not 0."""
    d = shift.size
    away = [Fraction(float(c)) for c in shift] + [Fraction(0)]
    for j, line in zip(others(kept, d).tolist(), combinations, strict=True):
        terms = {j: Fraction(-1)} | {k: c for k, c in zip(kept.tolist(), line, strict=True) if c}
        if lifted:  # of the shifted columns
            terms[d] = terms.get(d, Fraction(0)) + sum(c * away[k] for k, c in terms.items())
        part = gram[np.ix_([*terms], [*terms])]
        common = common_denominator([*terms.values()])
        if common is None or not np.array_equal(part, np.rint(part)):
            return False
        whole = [int(c * common) for c in terms.values()]
        if _square(whole, part):
            return False
    return True


def _square(terms: list[int], gram: np.ndarray) -> int:
    """termsᵀ·gram·terms for whole numbers, exactly."""
    if sum(map(abs, terms)) ** 2 * int(np.max(np.abs(gram))) < 2**62:  # then so is every sum
        a = np.array(terms, dtype=np.int64)
        return int(a @ gram.astype(np.int64) @ a)
    a = np.array(terms, dtype=object)
    return a @ np.array([[int(entry) for entry in row] for row in gram.tolist()], dtype=object) @ a


def remainders(
    sample: Sample,
    kept: np.ndarray,
    combinations: Combinations,
    lifted: bool,
    weights: np.ndarray,
    total: float,
    room: int = 1,
) -> Remainders:
    """How far from exact the combinations are; inf where numbers overflow. Allowances are taken
    `room` times: who adds in another order finds at most what 3 show here."""
    rest = others(kept, sample.d)
    terms = np.zeros((sample.d + 1, rest.size))  # x̃·terms is what is missed
    for j, line in enumerate(combinations):
        terms[kept, j] = [-_float(c) for c in line]
    terms[rest, np.arange(rest.size)] = 1.0
    slopes, constant = terms[:-1], terms[-1]
    sizes, squares = np.zeros(rest.size), np.zeros(rest.size)
    with one_thread(), np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for start, stop in pieces(sample.m, sample.d):
            part = sample.part(start, stop)
            largest = np.asarray(abs(part) @ abs(slopes)) + abs(constant)
            missed = np.abs(np.asarray(part @ slopes) + constant)
            missed += room * exact.allowance(kept.size + 4, largest)
            sizes += weights[start:stop] @ missed
            squares += weights[start:stop] @ (missed * missed)
        sizes, squares = sizes * ABOVE / total * ABOVE, squares * ABOVE / total * ABOVE
    tiny = 2 * sample.m * exact.TINY / total
    return Remainders(*(np.where(np.isfinite(x), x + tiny, np.inf) for x in (sizes, squares)))


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf
