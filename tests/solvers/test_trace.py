"""The trace of a Perceptron: all of a short run, and the extremes of a long one."""

from __future__ import annotations

import numpy as np

from certo import Perceptron

random = np.random.default_rng(0)
X = random.normal(size=(300, 2))


def test_of_a_short_run_every_update_is_kept():
    y = X[:, 0] > 0
    model = Perceptron(epochs=3).fit(X, y)
    trace = model.trace_
    assert len(trace) == trace.epoch_updates.sum() == model.updates_.sum() < 1024
    assert trace.update.tolist() == list(range(1, len(trace) + 1))
    kept = np.isin(trace.update, trace.weights_update)
    np.testing.assert_allclose(trace.squared_norm[kept], np.sum(trace.weights**2, axis=1))
    assert repr(trace) == f"Trace({len(trace):,} of {len(trace):,} updates kept)"


def test_of_a_long_run_some_are_kept_in_order():
    y = random.random(300) > 0.5
    trace = Perceptron(epochs=100).fit(X, y).trace_
    assert 1024 <= len(trace) < trace.epoch_updates.sum()
    assert np.all(np.diff(trace.update) > 0)
    assert np.all(np.diff(trace.epoch) >= 0)
    assert np.all((trace.angle >= 0) & (trace.angle <= np.pi))
    assert trace.epoch_updates.size == 100


def test_each_neuron_of_a_layer_has_its_own():
    y = np.arange(300) % 3
    layer = Perceptron(epochs=4).fit(X, y)
    parts = [layer.trace_.of_output(k) for k in range(3)]
    assert sum(map(len, parts)) == len(layer.trace_)
    for k, part in enumerate(parts):
        assert part.epoch_updates.sum() == layer.updates_[k]
        assert set(part.output.tolist()) <= {k}
