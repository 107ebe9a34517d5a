"""Exact weights of infeasible subsystems."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.certificates import Sample
from certo.certificates.errors.cells import independent_columns
from certo.certificates.spaces.exact_rows import integer_rows
from certo.numbers.farkas import cancels, whole_numbers
from certo.solvers.farkas import cancelling_weights, certainly_cancel

PRIME = 2**31 - 1  # a modulus that exact arithmetic might use


@given(
    weights=st.lists(st.integers(1, 10**12), min_size=2, max_size=7),
    seed=st.integers(0, 10**6),
    size=st.sampled_from([3, 10**3, 2**53, 10**40]),
)
def test_planted_weights_are_found(weights, seed, size):
    """n − 1 independent vectors, and the last so that the sum cancels."""
    random = np.random.default_rng(seed)
    n = len(weights)
    entries = [
        [int(a) * (size // 3) + int(b) for a, b in zip(p, q, strict=True)]
        for p, q in random.integers(-3, 4, (n - 1, 2, n - 1))
    ]
    if len(independent_columns(entries)) < n - 1:
        return
    last = weights[-1]
    rows = [[last * a for a in row] for row in entries]
    rows.append(
        [-sum(w * row[j] for w, row in zip(weights, entries, strict=False)) for j in range(n - 1)]
    )
    found = cancelling_weights(rows)
    assert found is not None
    assert cancels(rows, found)
    assert math.gcd(*found) == 1
    assert [Fraction(a, found[-1]) for a in found] == [Fraction(w, last) for w in weights]


@given(st.lists(st.lists(st.integers(-2, 2), min_size=2, max_size=2), min_size=1, max_size=5))
def test_combination_cancels_and_is_minimal(vectors):
    found = cancelling_weights(vectors)
    rank = np.linalg.matrix_rank(np.array(vectors, dtype=float))
    if found is None:
        # no subsystem, or not a minimal one
        lonely = len(vectors) - rank != 1
        assert lonely or not _has_positive_null_vector(vectors)
    else:
        assert min(found) > 0
        assert cancels(vectors, found)
        assert len(vectors) - rank == 1


def _has_positive_null_vector(vectors) -> bool:
    """Of a one-dimensional null space: the SVD's last direction has one sign, none zero."""
    null = np.linalg.svd(np.array(vectors, dtype=float).T)[2][-1]
    return bool(np.all(null > 1e-9) or np.all(null < -1e-9))


def test_entries_that_are_multiples_of_the_prime_are_no_lie():
    """Rank may be lost modulo the prime: then it is None or still exact, never wrong."""
    for vectors in ([[PRIME], [-1]], [[1], [-PRIME]], [[PRIME, 0], [0, PRIME], [-1, -1]]):
        found = cancelling_weights(vectors)
        assert found is None or cancels(vectors, found)


def test_zero_alone():
    assert cancelling_weights([[0, 0]]) == [1]
    assert cancelling_weights([[0, 1]]) is None
    assert cancelling_weights([[0], [0]]) is None


@given(
    st.lists(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=2),
        min_size=1,
        max_size=4,
    )
)
def test_whole_numbers_are_the_floats_times_one_power_of_two(rows):
    wholes = whole_numbers(np.array(rows))
    pairs = [
        (whole, Fraction(value))
        for a, b in zip(wholes, rows, strict=True)
        for whole, value in zip(a, b, strict=True)
    ]
    factors = {whole / value for whole, value in pairs if value}
    assert all(whole == 0 for whole, value in pairs if not value)
    assert len(factors) <= 1
    assert all(
        factor >= 1 and (factor.numerator & (factor.numerator - 1)) == 0 for factor in factors
    )


@pytest.mark.parametrize("lifted", [True, False])
def test_integer_rows_carry_the_label(lifted):
    sample = Sample(np.array([[0.5, 0.0], [0.25, 0.0]]), np.array([1, -1]))
    rows = integer_rows(sample, [0, 1], lifted)
    assert rows == ([[2, 4], [-1, -4]] if lifted else [[2], [-1]])


@given(seed=st.integers(0, 10**6), n=st.integers(1, 6), lifted=st.booleans(), planted=st.booleans())
def test_what_floats_show_to_cancel_has_exact_weights(seed, n, lifted, planted):
    random = np.random.default_rng(seed)
    rows = random.integers(-4, 5, (n + 1, n)) / 3.0
    if planted:
        rows[-1] = -random.integers(1, 5, n) @ rows[:-1]  # Rounded, so that exact weights differ.
    if lifted:
        rows[:, -1] = np.where(random.random(n + 1) < 0.5, 1.0, -1.0)
        rows = np.hstack([rows[:, -1:] * 0.7, rows])  # A constant times the last column.
    exact = cancelling_weights(whole_numbers(rows)) is not None
    assert not certainly_cancel(rows) or exact
    well = np.linalg.cond(rows[:-1, -n:]) < 1e6
    if exact and well and np.all(np.any(rows[:, -n:] != 0, axis=0)):
        x = np.linalg.solve(rows[:-1, -n:].T, -rows[-1, -n:])
        assert certainly_cancel(rows) or np.min(x) < 1e-6 or lifted
