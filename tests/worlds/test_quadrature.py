"""Integrals: known ones, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.worlds.quadrature import adaptive_integral, integral, sides_integral

law = settings(max_examples=40, deadline=None)
places = st.floats(-0.95, 0.95)


@law
@given(st.lists(st.floats(-3, 3), min_size=1, max_size=20))
def test_polynomials_of_degree_23_are_integrated_exactly(coefficients):
    """Twelve nodes are exact up to degree 23; each of the few roundings costs a few units."""
    p = np.polynomial.Polynomial(coefficients)
    exact = p.integ()(1.0) - p.integ()(-1.0)
    size = float(np.sum(np.abs(coefficients)))
    assert abs(integral(p, np.array([-1.0, 1.0])) - exact) <= 1e-13 * (size + 1)


def test_many_lines_are_integrated_at_once():
    edges = np.stack([np.linspace(0, end, 9) for end in (1.0, 2.0, 3.0)])
    assert integral(np.exp, edges) == pytest.approx(np.exp([1, 2, 3]) - 1, rel=1e-13)


@pytest.mark.parametrize("f", [np.sign, lambda x: np.abs(x) ** 0.5, lambda x: x / 0.0])
def test_a_function_that_is_not_smooth_between_the_edges_is_refused(f):
    with np.errstate(all="ignore"), pytest.raises(ArithmeticError, match="not smooth between"):
        integral(f, np.array([-1.0, 0.3, 1.0]))


@law
@given(places, places)
def test_an_adaptive_integral_finds_jumps(a, b):
    """Those that a node of a first panel sees (nodes are at most 1/56 apart), and those it is told
    of, however near to each other."""
    low, high = min(a, b), max(a, b)

    def f(x):
        return ((x > low) & (x < high)) * 1.0

    told = adaptive_integral(f, -1.0, 1.0, 1e-6, breaks=[low, (low + high) / 2, high])
    assert abs(told - (high - low)) <= 1e-6
    if high - low > 1 / 56:
        assert abs(adaptive_integral(f, -1.0, 1.0, 1e-6) - (high - low)) <= 1e-6


@law
@given(places)
def test_the_side_of_a_rule_is_found_on_every_line(c):
    """∫ e^x over x > c·line, for lines that move the point where the side changes."""
    line = np.array([-1.0, 0.2, 1.0])
    points = np.tile(np.linspace(-1, 1, 33), (3, 1))
    found = sides_integral(
        lambda x, side, place: np.exp(x) * side, lambda x, place: x > c * place, points, line
    )
    # 4 nodes on intervals of length 1/16 have a relative error of (1/16)^8/8!, about 1e-14.
    assert found == pytest.approx(np.exp(1.0) - np.exp(c * line), abs=1e-12)
