"""Columns of whole numbers that were scaled and rounded."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from certo.solvers.spacing import rounded_columns


@pytest.fixture
def whole():
    """1 to 2, 3, 4, 7 and 40, each value often enough."""
    random = np.random.default_rng(0)
    return np.column_stack([random.integers(1, most + 1, 400) for most in (2, 3, 4, 7, 40)]) * 1.0


def test_whole_numbers_are_exact(whole):
    assert rounded_columns(whole) == []
    assert rounded_columns(whole * 0.375 - 64) == []


def test_scalers_round_them(whole):
    standard = StandardScaler().fit_transform(whole)
    found = rounded_columns(standard)
    assert {2, 3, 4} <= set(found)  # That of three values may happen to be even.
    assert 0 not in found  # Two values are always an affine function of two others.
    assert {3, 4} <= set(rounded_columns(MinMaxScaler().fit_transform(whole)))
    assert rounded_columns(whole / 10) == [1, 2, 3, 4]  # Of floats, 0.1 + 0.3 is not twice 0.2.


def test_other_numbers_are_not_taken_for_them():
    random = np.random.default_rng(1)
    assert rounded_columns(random.standard_normal((300, 50))) == []
    assert rounded_columns(random.standard_normal((3, 200))) == []


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e300, 1.7e308])
def test_extreme_numbers(scale):
    with np.errstate(all="raise", under="ignore"):
        rounded_columns(np.array([[-1.0], [-0.3], [0.1], [1.0]]) * scale)
        assert rounded_columns(np.full((3, 1), scale)) == []
