"""Which columns are independent, from a weighted sum of squares."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from certo.certificates import Sample
from certo.certificates.regression.dependence import exact_columns
from certo.estimators._independence import independent


def gram_of(X, lifted, counting=None, seed=0):
    Z = np.column_stack([X, np.ones(len(X))]) if lifted else X
    v = np.random.default_rng(seed).uniform(0.1, 1, len(X))
    v = v if counting is None else v * counting
    return (Z.T * v) @ Z / len(X)


@settings(max_examples=80, deadline=None)
@given(
    arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 6)),
           elements=st.integers(-3, 3).map(float)),
    st.booleans(), st.booleans(), st.data(),
)  # fmt: skip
def test_the_rank_and_exact_combinations(X, lifted, stored, data):
    count = data.draw(arrays(bool, len(X)))
    count[0] = True
    kept, lines = independent(
        sparse.csr_array(X) if stored else X, count, gram_of(X, lifted, count), lifted
    )
    Z = np.column_stack([X, np.ones(len(X))]) if lifted else X
    assert kept.size == np.linalg.matrix_rank(Z[count])
    assert np.linalg.matrix_rank(Z[np.ix_(count, kept)]) == kept.size
    assert len(lines) == Z.shape[1] - kept.size
    assert not lifted or kept[-1] == X.shape[1]
    part = Sample(X[count], np.ones(count.sum(), np.int8))
    assert not lines or exact_columns(part, kept, lines, lifted).all()


@pytest.mark.parametrize("far", [0.0, 1e8])
def test_columns_far_from_zero_are_asked_of_the_rows(far):
    X = np.random.default_rng(1).standard_normal((100, 3)) + far
    kept, lines = independent(X, None, gram_of(X, True), True)
    assert kept.tolist() == [0, 1, 2, 3]
    assert lines == ()


def test_a_constant_is_so_many_ones():
    X = np.column_stack([np.arange(5.0), np.full(5, 0.1)])
    kept, lines = independent(X, None, gram_of(X, True), True)
    assert kept.tolist() == [0, 2]
    assert lines == ((Fraction(0), Fraction(0.1)),)
    assert independent(X, None, gram_of(X, False), False).kept.tolist() == [0, 1]
