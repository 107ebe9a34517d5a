"""The sample as the 0-1 loss sees it."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from certo.certificates import Sample
from certo.certificates.errors.least_errors import grouped, whole_weights
from tests.oracles.rays import least, least_errors

SIZES = [0.0, -0.0, 1.0, -1.0, 2.0, 3.0, 0.1, 0.2, 0.3, -0.1, 1e-300, 3e-300, 1e300, 5e-324]


@st.composite
def samples(draw):
    m, d = draw(st.integers(1, 8)), draw(st.integers(1, 2))
    entry = st.sampled_from(SIZES)
    X = np.array(draw(st.lists(st.lists(entry, min_size=d, max_size=d), min_size=m, max_size=m)))
    signs = np.array(draw(st.lists(st.sampled_from([1, -1]), min_size=m, max_size=m)), np.int8)
    weight = st.sampled_from([0.0, 1.0, 2.0, 0.1, 0.3, 1e-9])
    weights = draw(st.none() | st.lists(weight, min_size=m, max_size=m))
    return Sample(X, signs), np.array([] if weights is None else weights), draw(st.booleans())


def vector(sample, row, lifted):
    return [int(sample.signs[row]) * Fraction(v) for v in [*sample.X[row], *[1.0] * lifted]]


def on_one_line(a, b):
    return all(
        p * s == q * r for (p, q), (r, s) in itertools.product(zip(a, b, strict=True), repeat=2)
    )


@given(samples())
def test_the_least_errors_are_a_constant_and_those_of_the_groups(drawn):
    sample, weights, lifted = drawn
    groups = grouped(sample, weights, lifted)
    vectors = [vector(sample, row, lifted) for row in groups.rows.tolist()]
    common = math.lcm(*(v.denominator for z in vectors for v in z))
    whole = [[int(v * common) for v in z] for z in vectors]
    left = groups.constant + (least(whole, groups.weights) if whole else 0)
    weights = weights if weights.size else None
    assert left * groups.unit == least_errors(sample.X, sample.signs, lifted, weights)


@given(samples())
def test_groups_are_on_different_lines_and_cost_something(drawn):
    sample, weights, lifted = drawn
    groups = grouped(sample, weights, lifted)
    vectors = [vector(sample, row, lifted) for row in groups.rows.tolist()]
    assert all(map(any, vectors))
    assert not any(on_one_line(a, b) for a, b in itertools.combinations(vectors, 2))
    assert all(type(weight) is int and weight > 0 for weight in groups.weights)
    assert np.all(np.diff(groups.rows) > 0)


@given(samples())
def test_storage_does_not_matter(drawn):
    sample, weights, lifted = drawn
    dense = grouped(sample, weights, lifted)
    csr = grouped(Sample(sparse.csr_array(sample.X), sample.signs), weights, lifted)
    assert dense.rows.tolist() == csr.rows.tolist()
    assert (dense.weights, dense.constant, dense.unit) == (csr.weights, csr.constant, csr.unit)


@given(st.lists(st.floats(0, 1e30), min_size=1, max_size=6))
def test_whole_weights_are_the_weights(weights):
    wholes, unit = whole_weights(np.array(weights), len(weights))
    assert [whole * unit for whole in wholes] == [Fraction(weight) for weight in weights]
    assert math.gcd(*wholes) in (0, 1)


def test_same_decimals_in_different_columns_are_not_multiples():
    """0.3 is not three times 0.1 in floats: these are different lines, if barely."""
    groups = grouped(
        Sample(np.array([[0.1, 1.0], [0.3, 3.0]]), np.array([1, -1])), np.zeros(0), False
    )
    assert groups.rows.tolist() == [0, 1]
    assert groups.constant == 0
