"""Weights under which examples cancel."""

from __future__ import annotations

from fractions import Fraction

import pytest

from certo.certificates.separation.inseparable import check_convex
from certo.numbers.farkas import cancels, common_denominator


def test_denominators_without_end_are_refused():
    """A hostile file may not keep a reader busy: honest weights have one denominator."""
    hostile = [Fraction(1, 2**250_000 + k) for k in (1, 3, 5)]
    assert common_denominator(hostile) is None
    assert not cancels([[1], [1], [-1]], hostile)
    with pytest.raises(ValueError, match="add up to 1"):
        check_convex(hostile, 3)
