"""The formulas of risk bounds, against exact rational arithmetic and SciPy."""

import decimal
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import stats

from certo import bounds
from certo.numbers import printed, tails

DELTAS = st.one_of(st.sampled_from([0.05, 0.5, 1e-9, 0.999]), st.floats(1e-30, 1, exclude_max=True))


@st.composite
def cases(draw, most=60):
    m = draw(st.integers(1, most))
    k = draw(st.integers(0, m))
    return m, k, draw(st.integers(0, m - k)), draw(DELTAS)


def tail(n: int, e: int, p: Fraction) -> Fraction:
    """P[Bin(n, p) ≤ e], exactly."""
    return sum((math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(e + 1)), Fraction(0))


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
@example(18, 4 / 18, 1.0000000000000003e-30)  # the other terms are lost beside 1 in float64
@settings(deadline=None, max_examples=35)
def test_clopper_pearson_and_fixed_dimension(n, share, delta):
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
    s = max(e, 1)
    p = bounds.fixed_dimension(n, s, delta)
    assert bounds.shows_fixed_dimension(p, n, s, delta)
    if p < 1:
        assert tail(n, s - 1, Fraction(p)) <= Fraction(delta)
        assert tail(n, s - 1, max(slightly(p), Fraction(0))) >= Fraction(delta) * (1 - 10**-10)
    assert bounds.fixed_dimension(n, n + 1, delta) == 1


@given(cases(), st.floats(0, 1))
@settings(deadline=None, max_examples=50)
def test_shown_bounds_hold_exactly(case, p):
    m, k, e, delta = case
    assume(0 < p < 1)
    exactly = Fraction(p)
    if bounds.shows_binomial_tail(p, m, k, e, delta):
        assert tail(m - k, e, exactly) <= level(m, k, delta)
    if bounds.shows_campi_garatti(p, m, k, delta):
        assert k < m
        assert Fraction(delta) * change(m, k, exactly) >= 1
    if bounds.shows_clopper_pearson(p, 1.0, m, e, delta):
        assert e > 0
        assert 1 - tail(m, e - 1, exactly) <= Fraction(delta) / 2


@given(cases(400))
@settings(deadline=None, max_examples=35)
def test_bounds_grow_with_errors_k_and_certainty_and_the_sharper_are_sharper(case):
    m, k, e, delta = case
    printed = bounds.support_vector_compression(m, k, e, delta)
    exact = bounds.binomial_tail(m, k, e, delta)
    counted = bounds.campi_garatti(m, k, delta)
    assert exact <= printed or printed >= 1
    # the same number where k = m − 1, but for rounding
    assert counted <= bounds.binomial_tail(m, k, 0, delta) + 1e-12
    assert bounds.binomial_tail(m, k, 0, delta) <= exact
    if 2 * k <= m:
        assert exact <= bounds.perceptron_compression(m, k, e, delta)
    assert exact <= bounds.binomial_tail(m, k, e, delta / 2)
    assert counted <= bounds.campi_garatti(m, k, delta / 2)
    assert printed <= bounds.support_vector_compression(m, k, e, delta / 2)
    if e < m - k:
        assert exact <= bounds.binomial_tail(m, k, e + 1, delta)
        assert printed < bounds.support_vector_compression(m, k, e + 1, delta)
        assert exact <= bounds.binomial_tail(m, k + 1, e, delta)
        assert counted <= bounds.campi_garatti(m, k + 1, delta)


def test_the_printed_forms():
    m, k, e, delta = 1000, 50, 7, 0.05
    perceptron = e / (m - k) + math.sqrt(((k + 1) * math.log(m) + math.log(math.e / delta)) / m)
    vectors = e / (m - k) + math.sqrt((k + (k + 1) * math.log(m) + math.log(1 / delta)) / m)
    assert bounds.perceptron_compression(m, k, e, delta) == pytest.approx(perceptron, rel=1e-14)
    assert bounds.support_vector_compression(m, k, e, delta) == pytest.approx(vectors, rel=1e-14)
    batch = 12.5 / m + 3 * math.sqrt(math.log(1 / delta) / (2 * m))
    assert bounds.online_to_batch(m, 12.5, delta, span=3) == pytest.approx(batch, rel=1e-14)
    assert bounds.perceptron_compression(10, 5, 5, 0.5) > 1  # as printed, not clipped


def test_the_numbers_of_the_specification():
    assert bounds.campi_garatti(1000, 50, 0.05) == pytest.approx(0.073, abs=5e-4)
    assert bounds.support_vector_compression(1000, 50, 0, 0.05) == pytest.approx(0.64, abs=5e-3)
    assert bounds.binomial_tail(1000, 50, 0, 0.05) == pytest.approx(0.195, abs=5e-4)


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


def test_digits_are_the_same_in_every_context():
    def all_of_them():
        m, k, e, delta = 10**7, 10**5, 10**4, 0.05
        return (
            bounds.binomial_tail(m, k, e, delta),
            bounds.perceptron_compression(m, k, e, delta),
            bounds.support_vector_compression(m, k, e, delta),
            bounds.campi_garatti(m, k, delta),
            bounds.fixed_dimension(m, k, delta),
            bounds.clopper_pearson(m, e, delta),
            bounds.online_to_batch(m, e, delta),
        )

    with decimal.localcontext(prec=3, rounding=decimal.ROUND_UP):
        few = all_of_them()
    assert few == all_of_them()


def test_numpy_numbers_are_numbers():
    m, k, e = np.int64(100), np.int32(5), np.uint8(3)
    same = bounds.binomial_tail(100, 5, 3, 0.05)
    assert bounds.binomial_tail(m, k, e, np.float64(0.05)) == same
    assert type(bounds.clopper_pearson(m, e, 0.05).upper) is float


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bounds.binomial_tail(0, 0, 0, 0.05), "m must be an integer from 1"),
        (lambda: bounds.binomial_tail(10, 11, 0, 0.05), "k must be at most m = 10, got 11"),
        (lambda: bounds.binomial_tail(10, 4, 7, 0.05), "errors must be at most m − k = 6, got 7"),
        (lambda: bounds.binomial_tail(10, 4, -1, 0.05), "errors must be an integer from 0"),
        (lambda: bounds.binomial_tail(10.0, 4, 1, 0.05), "m must be an integer"),
        (lambda: bounds.binomial_tail(True, 0, 0, 0.05), "m must be an integer"),
        (lambda: bounds.binomial_tail(10**16, 4, 1, 0.05), "10¹⁵"),
        (lambda: bounds.campi_garatti(10, 4, 0.0), "delta must be between 0 and 1"),
        (lambda: bounds.campi_garatti(10, 4, 1), "delta must be between 0 and 1"),
        (lambda: bounds.campi_garatti(10, 4, math.nan), "delta must be a finite number"),
        (lambda: bounds.perceptron_compression(10, 6, 0, 0.05), "proved for k ≤ m/2 only"),
        (lambda: bounds.clopper_pearson(0, 0, 0.05), "n must be an integer from 1"),
        (lambda: bounds.clopper_pearson(5, 6, 0.05), "errors must be at most n = 5"),
        (lambda: bounds.fixed_dimension(5, 0, 0.05), "dimension must be an integer from 1"),
        (lambda: bounds.online_to_batch(5, -1.0, 0.05), "loss must be a finite number"),
        (lambda: bounds.online_to_batch(5, 1.0, 0.05, span=math.inf), "span must be a finite"),
        (lambda: bounds.online_to_batch(100, 200, 0.05), "loss must be at most span·m = 100.0"),
    ],
)
def test_invalid_arguments_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
