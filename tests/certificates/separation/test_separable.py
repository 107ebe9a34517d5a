"""Separable: margins that no float holds."""

from __future__ import annotations

import numpy as np
import pytest

from certo.certificates import Certificate, Labels, Separable


@pytest.mark.parametrize("functional_margin", [0.0, 1.0])
def test_margins_beyond_floats_are_refuted_in_words(functional_margin):
    claim = Separable(Labels((0, 1)), np.array([1e308]), 0.0, 2, functional_margin, 0.0)
    assert not claim.verify([[10.0], [-10.0]], [0, 1])
    assert Certificate.from_dict(claim.to_dict()) == claim
