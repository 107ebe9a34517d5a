"""Machines that learn one example after another keep a time limit, and say if they did not
converge."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from certo import KernelPerceptron, OnlineGradientDescent, Pegasos, Perceptron
from certo.kernels import Gaussian, Linear
from certo.stop import Stop

SECONDS = 1e-9  # It is over before anything is learned.


def noise():
    rng = np.random.default_rng(0)
    return rng.standard_normal((4000, 2)), np.where(rng.random(4000) < 0.5, -1, 1)


MACHINES = [
    Perceptron(epochs=10**6),
    Perceptron(epochs=10**6, shards=2),
    KernelPerceptron(Gaussian(1.0), epochs=10**6),
    Pegasos(max_iter=10**9),
    Pegasos(Gaussian(1.0), max_iter=10**6),
    OnlineGradientDescent(),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("machine", MACHINES, ids=repr)
def test_a_run_ends_at_its_time_limit(machine):
    X, y = noise()
    model = machine.set_params(time_limit=SECONDS).fit(X, y)
    assert model._stop is Stop.TIME_LIMIT
    assert "time limit" in model.status_
    assert model.predict(X).shape == y.shape
    # What is claimed, if anything, holds; nothing is said of a run to an end that was set before.
    assert model.certificate_.verify(X, y) or not len(model.certificate_)
    assert not model.certificate_.of_kind("CompressionBound")


@pytest.mark.parametrize("machine", MACHINES, ids=repr)
def test_a_time_limit_is_a_positive_number(machine):
    X, y = noise()
    with pytest.raises(ValueError, match="time_limit must be a positive number of seconds"):
        machine.set_params(time_limit=0).fit(X, y)


@pytest.mark.parametrize("machine", [Perceptron(epochs=3), KernelPerceptron(Linear(), epochs=3)])
def test_a_perceptron_that_did_not_converge_warns_once(machine):
    X, y = noise()
    y[:50] = 2  # Three classes: one warning for all outputs.
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        machine.fit(X[:300], y[:300])
    assert [item.category for item in seen] == [ConvergenceWarning]
    assert "made mistakes in each of its 3 epochs" in str(seen[0].message)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(X[:300], y[:300])
    assert not seen


@pytest.mark.parametrize("machine", [Perceptron(epochs=1), KernelPerceptron(Linear())])
def test_the_online_algorithm_is_not_meant_to_converge(machine):
    X, y = noise()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine.fit(X[:300], y[:300]).partial_fit(X[:300], y[:300])
