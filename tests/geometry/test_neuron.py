"""The neuron: field, hard limiter, boundary."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from certo.geometry import Hyperplane, Neuron

law = settings(max_examples=40, deadline=None)

whole = st.integers(-4, 4).map(float)
weights = arrays(np.float64, 3, elements=whole)
points = arrays(np.float64, (5, 3), elements=whole)


@pytest.mark.parametrize("store", [np.asarray, list, sparse.csr_array, sparse.csr_matrix])
@law
@given(w=weights, bias=whole, X=points, zero_sign=st.sampled_from([-1, 1]))
def test_field_and_output(store, w, bias, X, zero_sign):
    neuron = Neuron(w, bias, zero_sign)
    field = np.array([w @ x + bias for x in X])
    np.testing.assert_array_equal(neuron.induced_local_field(store(X)), field)
    expected = [1 if f > 0 else -1 if f < 0 else zero_sign for f in field]
    assert neuron.output(store(X)).tolist() == expected
    assert neuron(store(X)).tolist() == expected
    assert neuron(X[0]) == expected[0]


@law
@given(w=weights.filter(np.any), bias=whole, X=points)
def test_the_hyperplane_of_a_neuron_has_its_scores(w, bias, X):
    neuron = Neuron(w, bias)
    assert neuron.hyperplane == Hyperplane(w, -bias)
    np.testing.assert_array_equal(neuron.hyperplane.score(X), neuron.induced_local_field(X))
    np.testing.assert_array_equal(neuron.hyperplane.side(X), neuron(X))
    distance = abs(neuron.hyperplane.distance_from_origin)
    assert distance == pytest.approx(abs(bias) / np.linalg.norm(w))


@law
@given(w1=whole, w2=whole.filter(bool), bias=whole, x1=arrays(np.float64, 4, elements=whole))
def test_the_field_is_zero_on_the_boundary(w1, w2, bias, x1):
    neuron = Neuron([w1, w2], bias)
    x2 = neuron.boundary(x1)
    field = neuron.induced_local_field(np.column_stack([x1, x2]))
    np.testing.assert_allclose(field, 0.0, atol=1e-13)
    assert neuron.boundary(x1[0]) == x2[0]


def test_a_boundary_that_is_no_function_of_x1_is_refused_with_the_reason():
    with pytest.raises(ValueError, match=r"vertical line x1 = 2.5"):
        Neuron([2.0, 0.0], -5.0).boundary(0.0)
    with pytest.raises(ValueError, match=r"vertical line x1 = 0,"):
        Neuron([2.0, 0.0]).boundary(0.0)
    with pytest.raises(ValueError, match="there is no boundary"):
        Neuron([0.0, 0.0], 1.0).boundary(0.0)
    with pytest.raises(ValueError, match=r"two weights, and this neuron has 3\. .*PlaneView"):
        Neuron([1.0, 2.0, 3.0]).boundary(0.0)


def test_a_neuron_that_has_not_learnt_yet():
    neuron = Neuron([0.0, 0.0])
    assert neuron([[1.0, 2.0], [-3.0, 4.0]]).tolist() == [1, 1]
    with pytest.raises(ValueError, match="must have a direction"):
        _ = neuron.hyperplane


def test_a_neuron_is_a_value_one_can_read():
    neuron = Neuron([1, -2], 0.5)
    assert repr(neuron) == "Neuron(weights=[1.0, -2.0], bias=0.5, zero_sign=+1)"
    assert eval(repr(neuron)) == neuron == pickle.loads(pickle.dumps(neuron))
    assert hash(eval(repr(neuron))) == hash(neuron)
    assert neuron != Neuron([1, -2], 0.5, zero_sign=-1)
    assert str(neuron) == "+1 if 1·x1 - 2·x2 + 0.5 ≥ 0, otherwise -1"
    assert str(Neuron([-1.5], zero_sign=-1)) == "+1 if - 1.5·x1 > 0, otherwise -1"
    assert str(Neuron(np.ones(99), -1)).endswith("1·x6 + … - 1 ≥ 0, otherwise -1")
    with pytest.raises(dataclasses.FrozenInstanceError):
        neuron.bias = 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, np.nan],), "weights must be finite, but entry 1"),
        (([1.0], np.inf), "bias must be one finite number, got inf"),
        (([1.0], 0.0, 2), "zero_sign must be -1 or \\+1, got 2"),
    ],
)
def test_bad_neurons_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Neuron(*arguments)


def test_the_rules_of_the_notes_at_zero():
    """sgn(0) = +1 of linear classifiers is the default; the hard limiter answers −1."""
    assert Neuron([1.0])([[0.0]]) == 1
    assert Neuron([1.0], zero_sign=-1)([[0.0]]) == -1
    assert "hard limiter" in Neuron.__doc__
