r"""Columns that are combinations of others: exactly, or how nearly.

x̃ is x with a last 1 if `lifted`, x alone otherwise. J = `kept` are some of its columns in
increasing order, that of the ones (number d) among them; `combinations` has a row c_j of fractions
over J for every other column j, in increasing order. E_ij = x̃_ij − x̃_iJ·c_j is what they miss.

`exact_columns` decides in exact arithmetic which E_j = 0: if all are, every X̃w is X̃_J a with
a = w_J + Σ_j w_j c_j, and what is shown of all a is shown of all w. `remainders` bounds E from
above, where it is not 0: X̃w = X̃_J a + Σ_j w_j E_j.

Rounding. A combination times its common denominator is one of integers, whose sign at an
example `score_signs` decides exactly. A computed E_ij, with c_j rounded once, is a sum of r + 1
products, off by at most γ_{r+3} (|x_ij| + Σ_k |c_jk x̃_ik|).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from scipy import sparse

from certo.blas import one_thread
from certo.certificates.regression.factors import pieces
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.exact_rows import score_signs
from certo.numbers import exact
from certo.numbers.farkas import common_denominator
from certo.numbers.rounded import ABOVE

Combinations = Sequence[Sequence[Fraction]]


def others(kept: np.ndarray, d: int) -> np.ndarray:
    """The features that are not kept."""
    return np.flatnonzero(np.bincount(kept, minlength=d)[:d] == 0)


def exact_columns(
    sample: Sample,
    kept: np.ndarray,
    combinations: Combinations,
    lifted: bool,
    alive: np.ndarray | None = None,
) -> np.ndarray:
    """Whether x̃_ij = x̃_iJ·c_j for every example i (of those `alive`), for each column j that is
    not kept."""
    here = np.ones(sample.m, dtype=bool) if alive is None else alive
    whole, constant = np.zeros((2, len(combinations)), dtype=bool)
    vectors = np.zeros((len(combinations), sample.d + lifted), dtype=object)
    for k, (j, line) in enumerate(zip(others(kept, sample.d).tolist(), combinations, strict=True)):
        common = common_denominator(line)
        if lifted and not any(line[:-1]) and not sparse.issparse(sample.X):
            value = np.float64(
                _float(line[-1])
            )  # A NumPy number, so that float32 entries are converted.
            same = np.isfinite(value) and Fraction(float(value)) == line[-1]
            constant[k] = same and not np.any((sample.X[:, j] != value) & here)
        elif common is not None:
            whole[k] = True
            vectors[k, j] = -common
            vectors[k, kept] = [int(term * common) for term in line]
    whole[whole] = vanish(sample, vectors[whole], lifted, here)
    return whole | constant


def vanish(sample: Sample, vectors: np.ndarray, lifted: bool, alive: np.ndarray) -> np.ndarray:
    """Whether w·x̃ = 0 on all examples that are `alive`, for each of these vectors of whole
    numbers, exactly."""
    zero = np.ones(len(vectors), dtype=bool)
    with one_thread():
        for start, stop in pieces(sample.m, sample.d):
            some, here = np.flatnonzero(zero), alive[start:stop]
            if some.size and here.any():
                part = Sample(sample.X[start:stop][here], np.ones(np.sum(here), dtype=np.int8))
                zero[some] = _are_zero(part, vectors[some], lifted)
    return zero


def _are_zero(sample: Sample, vectors: np.ndarray, lifted: bool) -> np.ndarray:
    """Whether w·x̃ = 0 on all these examples, for each w. Rounded sums of integers are exact
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


def remainders(
    sample: Sample,
    kept: np.ndarray,
    combinations: Combinations,
    weights: np.ndarray,
    room: int = 1,
) -> np.ndarray:
    """Numbers not below Σ_i weights_i |E_ij|, for every column that is not kept; inf where numbers
    overflow. Allowances are taken `room` times: who adds in another order finds at most what 3
    show here."""
    rest = others(kept, sample.d)
    terms = np.zeros((sample.d + 1, rest.size))  # What is missed is x̃·terms.
    for j, line in enumerate(combinations):
        terms[kept, j] = [-_float(c) for c in line]
    terms[rest, np.arange(rest.size)] = 1.0
    slopes, constant = terms[:-1], terms[-1]
    sizes = np.zeros(rest.size)
    with one_thread(), np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for start, stop in pieces(sample.m, sample.d):
            part = sample.part(start, stop)
            largest = np.asarray(abs(part) @ abs(slopes)) + abs(constant)
            missed = np.abs(np.asarray(part @ slopes) + constant)
            missed += room * exact.allowance(kept.size + 4, largest)
            sizes += weights[start:stop] @ missed
        sizes = sizes * ABOVE + 2 * sample.m * exact.TINY
    return np.where(np.isfinite(sizes), sizes, np.inf)


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf
