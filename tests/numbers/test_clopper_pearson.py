"""The interval of Clopper and Pearson: wide enough, and hardly wider."""

from fractions import Fraction

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import stats

from certo import bounds
from tests.oracles.binomial_cases import DELTAS, cases, tail


@given(st.integers(1, 60), st.floats(0, 1), DELTAS)
@example(18, 4 / 18, 1.0000000000000003e-30)  # the other terms are lost beside 1 in float64
@settings(deadline=None, max_examples=35)
def test_both_ends(n, share, delta):
    e = round(n * share)
    lower, upper = bounds.clopper_pearson(n, e, delta)
    assert bounds.shows_clopper_pearson(lower, upper, n, e, delta)
    half = Fraction(delta) / 2
    assert lower <= e / n <= upper
    if upper < 1:
        assert tail(n, e, Fraction(upper)) <= half
    if lower > 0:
        assert 1 - tail(n, e - 1, Fraction(lower)) <= half
    if delta > 1e-12:  # SciPy's own accuracy
        assert lower == pytest.approx(stats.beta.ppf(delta / 2, e, n - e + 1) if e else 0, rel=1e-9)
        expected = stats.beta.isf(delta / 2, e + 1, n - e) if e < n else 1
        assert upper == pytest.approx(expected, rel=1e-9)


@given(cases(), st.floats(0, 1))
@settings(deadline=None, max_examples=50)
def test_nothing_false_is_shown(case, p):
    m, _, e, delta = case
    assume(0 < p < 1)
    if bounds.shows_clopper_pearson(p, 1.0, m, e, delta):
        assert e > 0
        assert 1 - tail(m, e - 1, Fraction(p)) <= Fraction(delta) / 2
    if bounds.shows_clopper_pearson(0.0, p, m, e, delta):
        assert tail(m, e, Fraction(p)) <= Fraction(delta) / 2
