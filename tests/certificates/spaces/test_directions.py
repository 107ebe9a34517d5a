"""How a direction moves an example's own score against the others: signs that are exact."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from certo.certificates import Sample
from certo.certificates.spaces.directions import check_direction, comparison_signs, whole_direction


@given(st.integers(0, 10**6), st.booleans(), st.sampled_from([1, 3]), st.booleans())
def test_signs_are_those_of_rational_arithmetic(seed, lifted, rows, is_sparse):
    random = np.random.default_rng(seed)
    X = random.integers(-2, 3, (6, 3)) * random.choice([1.0, 0.1])
    codes = random.integers(0, max(rows, 2), 6).astype(np.int8)
    whole = random.integers(-2, 3, (rows, 3 + lifted)).tolist()
    store = sparse.csr_array if is_sparse else np.asarray
    found = comparison_signs(Sample(store(X), codes), whole, lifted)
    directions = [[0] * (3 + lifted), *whole] if rows == 1 else whole
    for t, row in enumerate(X.tolist()):
        x = [*map(Fraction, row), *[Fraction(1)] * lifted]
        scores = [sum(a * b for a, b in zip(u, x, strict=True)) for u in directions]
        ahead = [scores[codes[t]] - score for score in scores]
        expected = [(a > 0) - (a < 0) for a in ahead]
        if rows == 1:
            expected = [expected[1 - codes[t]]]
        assert found[t].tolist() == expected


def test_fractions_become_whole_numbers():
    direction = ((Fraction(1, 2), Fraction(1, 3)), (Fraction(0), Fraction(-1)))
    assert whole_direction(direction) == [[3, 2], [0, -6]]
    check_direction(direction, 2, 2)
    for rows, width in ((1, 2), (2, 3)):
        with pytest.raises(ValueError, match="fractions for each class"):
            check_direction(direction, rows, width)
