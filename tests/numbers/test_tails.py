"""Tails of binomial distributions: never below their roots, and hardly above."""

import decimal
import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from certo import bounds
from certo.numbers import printed, tails
from tests.oracles.binomial_cases import DELTAS, cases, tail


def level(m, k, delta):
    return Fraction(delta) / (m * math.comb(m, k))


def change(m, k, p: Fraction) -> Fraction:
    """Σ_{i=k}^{m−1} C(i,k)/C(m,k) (1−p)^{−(m−i)} / m, as Campi and Garatti print it."""
    terms = (Fraction(math.comb(i, k)) / (1 - p) ** (m - i) for i in range(k, m))
    return sum(terms, Fraction(0)) / (m * math.comb(m, k))


def slightly(p: float, by: float = 1e-11) -> Fraction:
    """A little less than p, measured by p and by 1 − p."""
    return Fraction(p) * (1 - Fraction(by)) - Fraction(by) * (1 - Fraction(p))


@given(cases())
@settings(deadline=None, max_examples=35)
def test_the_tail_is_not_below_its_root_and_hardly_above(case):
    m, k, e, delta = case
    p = bounds.binomial_tail(m, k, e, delta)
    assert bounds.shows_binomial_tail(p, m, k, e, delta)
    if e == m - k:
        assert p == 1
        return
    if p < 1:
        assert tail(m - k, e, Fraction(p)) <= level(m, k, delta)
    below = slightly(p)
    if below > 0:
        assert tail(m - k, e, below) > level(m, k, delta)


@given(cases(40))
@settings(deadline=None, max_examples=35)
def test_campi_garatti_is_not_below_its_root_and_hardly_above(case):
    m, k, _, delta = case
    p = bounds.campi_garatti(m, k, delta)
    assert bounds.shows_campi_garatti(p, m, k, delta)
    if k == m:
        assert p == 1
        return
    assert p > k / m
    if p < 1:
        assert Fraction(delta) * change(m, k, Fraction(p)) >= 1
    below = slightly(p)
    if below > 0:
        assert Fraction(delta) * change(m, k, below) < 1


@given(st.integers(1, 60), st.floats(0, 1), DELTAS)
@settings(deadline=None, max_examples=35)
def test_fixed_dimension(n, share, delta):
    s = max(round(n * share), 1)
    p = bounds.fixed_dimension(n, s, delta)
    assert bounds.shows_fixed_dimension(p, n, s, delta)
    if p < 1:
        assert tail(n, s - 1, Fraction(p)) <= Fraction(delta)
        assert tail(n, s - 1, max(slightly(p), Fraction(0))) >= Fraction(delta) * (1 - 10**-10)
    assert bounds.fixed_dimension(n, n + 1, delta) == 1


@given(cases(), st.floats(0, 1))
@settings(deadline=None, max_examples=50)
def test_nothing_false_is_shown(case, p):
    m, k, e, delta = case
    assume(0 < p < 1)
    exactly = Fraction(p)
    if bounds.shows_binomial_tail(p, m, k, e, delta):
        assert tail(m - k, e, exactly) <= level(m, k, delta)
    if bounds.shows_campi_garatti(p, m, k, delta):
        assert k < m
        assert Fraction(delta) * change(m, k, exactly) >= 1


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 171, 500])
def test_stirling_within_its_first_omitted_term(n):
    with decimal.localcontext(printed.DIGITS):
        off = tails.ln_factorial(n) - printed.ln(math.factorial(n))
    assert abs(off) < Decimal("1e-35")


@pytest.mark.parametrize("k", [0, 10**4, 5 * 10**6, 10**7 - 1, 10**7])
def test_ten_million_examples(k):
    m, delta = 10**7, 0.05
    for e in sorted({0, min(1, m - k), (m - k) // 3, m - k}):
        p = bounds.binomial_tail(m, k, e, delta)
        assert e / max(m - k, 1) <= p <= 1
        assert bounds.shows_binomial_tail(p, m, k, e, delta)
        if 2e-9 < p < 1 - 1e-9:
            assert not bounds.shows_binomial_tail(p * (1 - 1e-9), m, k, e, delta)
        lower, upper = bounds.clopper_pearson(m, e, delta)
        assert bounds.shows_clopper_pearson(lower, upper, m, e, delta)
        if e:
            assert lower == pytest.approx(stats.beta.ppf(delta / 2, e, m - e + 1), rel=1e-9)
    p = bounds.campi_garatti(m, k, delta)
    assert k / m < p <= 1 or k == m
    if k < m - 1:
        log_pmf = stats.binom.logpmf(k, m, p) + math.log(m * p)
        log_tail = math.log(delta) + stats.binom.logsf(k, m, p)
        assert log_pmf == pytest.approx(log_tail, abs=1e-5)


def test_hardly_any_and_hardly_not():
    for delta in (5e-324, 1e-300, NEAR := math.nextafter(1, 0)):
        for m, k, e in ((1, 0, 0), (2, 0, 1), (1000, 10, 3)):
            p = bounds.binomial_tail(m, k, e, delta)
            assert bounds.shows_binomial_tail(p, m, k, e, delta)
            q = bounds.campi_garatti(m, k, delta)
            assert bounds.shows_campi_garatti(q, m, k, delta)
            assert bounds.shows_clopper_pearson(*bounds.clopper_pearson(m, e, delta), m, e, delta)
    assert bounds.binomial_tail(1, 0, 0, NEAR) < 1e-15
    m, k, e = 10**15, 10**14, 10**13  # weak, since only so many terms are added
    assert bounds.shows_binomial_tail(bounds.binomial_tail(m, k, e, 0.05), m, k, e, 0.05)
    for p in (5e-324, 1e-300, 0.0, -1.0, math.nan, -math.inf):
        assert not bounds.shows_binomial_tail(p, 10, 2, 3, 0.05)
        assert not bounds.shows_campi_garatti(p, 10, 2, 0.05)
    assert not bounds.shows_clopper_pearson(math.nan, 1.0, 10, 3, 0.05)
    assert not bounds.shows_clopper_pearson(1.0, 1.0, 10, 10, 0.05)
    assert bounds.shows_clopper_pearson(-1.0, math.inf, 10, 10, 0.05)


def test_the_printed_form_of_support_vectors():
    m, k, e, delta = 1000, 50, 7, 0.05
    printed = e / (m - k) + math.sqrt((k + (k + 1) * math.log(m) + math.log(1 / delta)) / m)
    assert bounds.support_vector_compression(m, k, e, delta) == pytest.approx(printed, rel=1e-14)
