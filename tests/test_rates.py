"""Learning rates: values of η(n) that can be stored."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.certificates import UpdateSums
from certo.rates import Constant, Geometric, Power, Rate

positive = st.floats(1e-3, 1e3)
rates = st.one_of(
    st.builds(Constant, positive),
    st.builds(Power, positive, st.floats(0.01, 2)),
    st.builds(Geometric, positive, st.floats(0.5, 1.5)),
)
law = settings(max_examples=60, deadline=None)


@law
@given(rates)
def test_json_round_trip(rate):
    assert Rate.from_dict(json.loads(json.dumps(rate.to_dict()))) == rate
    assert hash(Rate.from_dict(rate.to_dict())) == hash(rate)


@law
@given(rates, st.integers(0, 500))
def test_values_are_positive_and_do_not_depend_on_how_many_are_asked_for(rate, before):
    n = before + np.arange(1, 40)
    together = rate(n)
    assert together.shape == n.shape
    assert together.dtype == np.float64
    assert np.all(together > 0)
    alone = [float(rate(np.array([k]))[0]) for k in n]
    assert together.tolist() == alone  # a replay asks for one at a time


def test_definitions():
    n = np.arange(1, 6)
    np.testing.assert_allclose(Power(2.0, 0.5)(n), 2 / np.sqrt(n), rtol=1e-15)
    np.testing.assert_allclose(Geometric(3.0, 0.5)(n), 3 * 0.5**n, rtol=1e-15)
    assert Constant(0.25)(n).tolist() == [0.25] * 5


@pytest.mark.parametrize("kind", [Constant, Power, Geometric])
@pytest.mark.parametrize("value", [0, -1.0, float("nan"), float("inf"), "1", None])
def test_impossible_parameters_are_refused(kind, value):
    with pytest.raises(ValueError, match="positive finite"):
        kind(value)


@pytest.mark.parametrize(
    "data",
    [None, [], "Constant", {}, {"name": "Constant"}, {"name": "Rate"}, {"name": ["Constant"]},
     {"name": "Constant", "value": "1"}, {"name": "os.system", "value": 1.0}],
)  # fmt: skip
def test_garbage_is_no_rate(data):
    with pytest.raises(ValueError, match="must be"):
        Rate.from_dict(data)


@pytest.mark.parametrize("before", [-1, 2**53])
def test_a_number_of_updates_before_must_be_one(before):
    with pytest.raises(ValueError, match="before"):
        UpdateSums(Constant(1.0), before)
