"""The formulas of risk bounds, against exact rational arithmetic and SciPy."""

import decimal
import math

import numpy as np
import pytest
from hypothesis import given, settings

from certo import bounds
from tests.oracles.binomial_cases import cases


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


def test_the_numbers_of_the_specification():
    assert bounds.campi_garatti(1000, 50, 0.05) == pytest.approx(0.073, abs=5e-4)
    assert bounds.support_vector_compression(1000, 50, 0, 0.05) == pytest.approx(0.64, abs=5e-3)
    assert bounds.binomial_tail(1000, 50, 0, 0.05) == pytest.approx(0.195, abs=5e-4)


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
