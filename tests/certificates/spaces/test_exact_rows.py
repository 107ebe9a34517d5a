"""Signs of scores are exact."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.certificates import Sample
from certo.certificates.spaces.exact_rows import score_signs
from tests.oracles.rationals import dot


@settings(max_examples=80)
@given(
    st.lists(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3), min_size=1, max_size=8),
    st.lists(st.integers(-(2**70), 2**70), min_size=4, max_size=4),
    st.booleans(),
)
def test_signs_of_scores_are_exact(rows, w, lifted):
    X = np.array([*rows, [0.0, 0, 0], [1e308, -1e308, 5e-324]])
    sample = Sample(X, np.where(np.arange(len(X)) % 2, 1, -1).astype(np.int8))
    w = w if lifted else w[:3]
    lift = [Fraction(1)] * lifted
    for t, sign in enumerate(score_signs(sample, w, lifted).tolist()):
        score = int(sample.signs[t]) * dot(map(Fraction, w), [*map(Fraction, X[t]), *lift])
        assert sign == (score > 0) - (score < 0)
