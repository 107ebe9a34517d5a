"""What is beyond the span of a few examples, by rank."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from certo.certificates import Sample
from certo.certificates.spaces.family import Signed
from certo.numbers.whole import PRIME
from tests.oracles.rationals import ROWS, rank


@given(ROWS, st.integers(0, 7), st.booleans(), st.sampled_from([1.0, 0.1, float(PRIME)]))
def test_what_is_beyond_a_span_is_so_by_rank(rows, count, lifted, factor):
    X = np.array(rows) * np.array([factor, 1, 1, 1])
    sample = Sample(X, np.ones(len(X), np.int8))
    lift = [Fraction(1)] * lifted
    z = [[*map(Fraction, row), *lift] for row in X.tolist()]
    few = np.arange(min(count, len(X)))
    core = z[: few.size]
    outside = [t for t in range(len(X)) if rank([*core, z[t]]) > rank(core)]
    assert Signed(sample, lifted).beyond(few, np.ones(len(X), bool)).tolist() == outside
