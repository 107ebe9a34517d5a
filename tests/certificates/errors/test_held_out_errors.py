"""The interval of a test set is that of Clopper and Pearson."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from certo.certificates import Certificate, StatedPredictions
from certo.issue.errors import issue_test_errors
from certo.numbers.rounded import NotShown


@settings(max_examples=12, deadline=None)
@given(n=st.integers(1, 400), share=st.floats(0, 1), delta=st.floats(1e-6, 0.6))
def test_the_interval_is_that_of_clopper_and_pearson(n, share, delta):
    wrong = round(share * n)
    y = np.zeros(n, dtype=int)
    rule = StatedPredictions((np.arange(n) < wrong).astype(int))
    claim = issue_test_errors(None, y, (0, 1), rule, delta)
    low, high = binomtest(wrong, n).proportion_ci(1 - delta)
    assert claim.interval == pytest.approx((low, high), rel=1e-6, abs=1e-9)
    assert claim.lower <= low * (1 + 1e-9)
    assert claim.upper >= high * (1 - 1e-9)
    assert claim.verify(None, y)
    wider = claim.at(delta / 3)
    assert wider.lower <= claim.lower <= claim.upper <= wider.upper
    assert wider.verify(None, y)
    assert claim.at(delta) == claim
    if 0 < wrong < n:
        for nudged in ({"lower": low * 1.001}, {"upper": high * 0.999}, {"delta": delta * 0.99}):
            assert not Certificate.from_dict(claim.to_dict() | nudged).verify(None, y)


def test_numbers_of_an_issuer_are_checked(monkeypatch):
    """The headline of a page is made by `at`, whose numbers must not rest on the issuers."""
    y = np.arange(40) % 2
    claim = issue_test_errors(None, y, (0, 1), StatedPredictions((np.arange(40) < 20).astype(int)))
    stranger = SimpleNamespace(formulas=lambda draft, level: {"upper": draft.errors / len(y)})
    monkeypatch.setitem(sys.modules, "certo.issue.risk", stranger)
    with pytest.raises(NotShown, match="not shown to be out of the question"):
        claim.at(0.01)
