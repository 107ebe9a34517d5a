"""Combinations of columns: exact to the last bit, or bounded."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.certificates import Sample
from certo.certificates.regression import dependence
from certo.issue.regression.least_squares_sums import exactly_by_sums
from tests.oracles.least_squares_truth import dot, rational

seeds = st.integers(0, 10**6)
STORES = [np.asarray, sparse.csr_array, np.asfortranarray]


def sample_of(X) -> Sample:
    return Sample(X, np.ones(X.shape[0], dtype=np.int8))


def exactly(*witness) -> bool:
    return bool(dependence.exact_columns(*witness).all())


def case(seed: int, lifted: bool):
    """Columns of which the last is a combination of the others, exactly in floats."""
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(3, 30)), int(rng.integers(1, 4))
    X = rng.integers(-9, 10, (m, d)) * 2.0 ** rng.integers(-3, 4)
    terms = [Fraction(int(n), int(2**k)) for n, k in rng.integers(0, 4, (d + lifted, 2))]
    last = X @ np.array(terms[:d], dtype=float) + (float(terms[-1]) if lifted else 0)
    kept = np.array([*range(d), *([d + 1] * lifted)])
    return np.c_[X, last], kept, (tuple(terms),)


@given(seeds, st.booleans(), st.sampled_from(STORES))
@settings(max_examples=80, deadline=None)
def test_exactly(seed, lifted, store):
    X, kept, lines = case(seed, lifted)
    assert exactly(sample_of(store(X)), kept, lines, lifted)
    rng = np.random.default_rng(seed)
    t, j = int(rng.integers(len(X))), X.shape[1] - 1
    X[t, j] = np.nextafter(X[t, j], rng.choice([-1e9, 1e9]))
    assert not exactly(sample_of(store(X)), kept, lines, lifted)
    alive = np.arange(len(X)) != t
    assert exactly(sample_of(store(X)), kept, lines, lifted, alive)


def test_dependence_with_non_binary_fractions():
    x = np.array([3.0, -6.0, 1.5])
    X = np.c_[x, x / 3]
    kept = np.array([0])
    assert exactly(sample_of(X), kept, ((Fraction(1, 3),),), False)
    assert not exactly(sample_of(X), kept, ((Fraction(1 / 3),),), False)
    X[0] = [0.1, 0.1 / 3]  # rounded
    assert not exactly(sample_of(X), kept, ((Fraction(1, 3),),), False)


def test_an_absurd_denominator_is_not_exact():
    X = np.zeros((2, 2))
    line = ((Fraction(1, 1 << 2**20),),)
    assert not exactly(sample_of(X), np.array([0]), line, False)


@given(seeds, st.booleans())
@settings(max_examples=60, deadline=None)
def test_exactly_by_sums(seed, lifted):
    X, kept, lines = case(seed, lifted)
    X = np.rint(X * 2.0**12)
    if lifted:
        lines = ((*lines[0][:-1], lines[0][-1] * 2**12),)
    rng = np.random.default_rng(seed)
    d = X.shape[1]
    for changed in (False, True):
        if changed:
            X[int(rng.integers(len(X))), d - 1] += rng.choice([-1, 1])
        shift = rng.integers(-5, 6, d).astype(float) * lifted
        Z = np.c_[X - shift, np.ones(len(X))]
        shown = exactly_by_sums(Z.T @ Z, shift, kept, lines, lifted)
        assert shown is (not changed)
        assert shown is exactly(sample_of(X), kept, lines, lifted)


@given(seeds, st.booleans(), st.sampled_from(STORES))
@settings(max_examples=60, deadline=None)
def test_remainders(seed, lifted, store):
    rng = np.random.default_rng(seed)
    X, kept, lines = case(seed, lifted)
    X[:, -1] += rng.choice([0.0, 1e-15, 1.0]) * rng.standard_normal(len(X))
    weights = rng.random(len(X))
    shown = dependence.remainders(sample_of(store(X)), kept, lines, weights)
    missed = [
        row[-1] - dot([*row[:-1], *([Fraction(1)] * lifted)], lines[0]) for row in rational(X)
    ]
    s = rational(weights)[0]
    size = sum(w * abs(e) for w, e in zip(s, missed, strict=True))
    assert size <= Fraction(shown[0]) <= size * 2 + Fraction(1e-10)


def test_remainders_that_overflow_are_infinite():
    X = np.full((2, 2), 1e300)
    shown = dependence.remainders(
        sample_of(X), np.array([0]), ((Fraction(10) ** 400,),), np.ones(2)
    )
    assert shown == pytest.approx(np.inf)
