"""The auditor's replay against the compiled loop, bit for bit, and against the box of the notes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.certificates import PerceptronRun
from certo.certificates.runs.perceptron_run import replay
from certo.numbers.lanes import lane_scores
from certo.rates import Constant, Geometric, Power
from certo.solvers.perceptron import perceptron


def wide_indices(X):
    X = sparse.csr_array(X)
    return sparse.csr_array(
        (X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape
    )


STORES = {
    "float64": np.ascontiguousarray,
    "float32": np.float32,
    "csr": sparse.csr_array,
    "csr float32": lambda X: sparse.csr_array(X.astype(np.float32)),
    "csr int64": wide_indices,
    "csr_matrix": sparse.csr_matrix,
}
RATES = [Constant(1.0), Constant(0.1), Power(1.0, 0.7), Power(3.0, 0.01), Geometric(1.0, 0.9)]


def data(seed: int, m: int = 40, d: int = 7, noise: float = 0.3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, d)) * (rng.random((m, d)) < 0.6)
    X[rng.integers(m)] = 0.0
    signs = np.where(X @ rng.standard_normal(d) + noise * rng.standard_normal(m) > 0, 1, -1)
    return X, signs.astype(np.int8)


@pytest.mark.parametrize("store", list(STORES.values()), ids=list(STORES))
@pytest.mark.parametrize("order", ["cyclic", "shuffled"])
@pytest.mark.parametrize("init", ["zeros", "random"])
@settings(max_examples=8, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    d=st.sampled_from([1, 2, 7, 8, 9, 17]),
    m=st.sampled_from([2, 9, 60]),
    rate=st.sampled_from(RATES),
    lifted=st.booleans(),
    at_zero=st.sampled_from(["always", "positive", "negative"]),
    epochs=st.sampled_from([0, 1, 3, 40]),
)
def test_replay_is_the_compiled_run_bit_for_bit(
    store, order, init, seed, d, m, rate, lifted, at_zero, epochs
):
    X, signs = data(seed, m, d)
    X = store(X)
    run = PerceptronRun(epochs, order, init, lifted, at_zero, rate, seed=seed, output=seed % 3)
    outcome = perceptron(X, signs, run)
    for rows in (np.arange(m), np.flatnonzero(outcome.counts)):
        w, updates = replay(run, X, signs, rows)
        np.testing.assert_array_equal(w, outcome.w)  # the M updated examples alone are enough
        assert updates == outcome.updates


def box(X, signs, epochs):
    """The notes' box, in Python's integers."""
    w, updated = [0] * X.shape[1], []
    for _ in range(epochs):
        for t, x in enumerate(X.tolist()):
            if int(signs[t]) * sum(int(a) * b for a, b in zip(x, w, strict=True)) <= 0:
                w = [a + int(signs[t]) * int(b) for a, b in zip(w, x, strict=True)]
                updated.append(t)
    return w, updated


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.sampled_from([1, 3, 2**20]))
def test_replay_is_the_box_of_the_notes_on_integers(seed, size):
    rng = np.random.default_rng(seed)
    X = rng.integers(-size, size + 1, (12, 3)).astype(float)
    signs = rng.choice([-1, 1], 12).astype(np.int8)
    run = PerceptronRun(9, lifted=False)
    w, updated = box(X, signs, 9)
    for store in (np.asarray, sparse.csr_array):
        again, updates = replay(run, store(X), signs, np.arange(12))
        assert again.tolist() == [*w, 0]
        assert updates == len(updated)
        kept = np.unique(updated).astype(np.int64)
        assert replay(run, store(X), signs, kept)[0].tolist() == [*w, 0]


def test_lanes_are_summed_in_the_stated_order():
    rng = np.random.default_rng(0)
    values, w = rng.standard_normal((1, 21)), rng.standard_normal(21)
    lanes = [0.0] * 8
    for p in range(21):
        lanes[p % 8] += values[0, p] * w[p]
    for half in (4, 2, 1):
        lanes = [lanes[k] + lanes[k + half] for k in range(half)]
    assert lane_scores(values, w)[0] == lanes[0]


def test_a_run_that_overflows_makes_mistakes_and_no_noise():
    X, signs = np.array([[1e300, -1e300], [1.0, 1.0]]), np.array([1, -1], np.int8)
    w, updates = replay(PerceptronRun(3, rate=Constant(1e300)), X, signs, np.arange(2))
    assert updates > 0
    assert not np.all(np.isfinite(w))


@pytest.mark.parametrize(
    "wrong",
    [{"order": "odd"}, {"init": "ones"}, {"update_at_zero": "no"}, {"epochs": -1}, {"seed": -1}],
)
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(ValueError, match="must"):
        PerceptronRun(**{"epochs": 1, **wrong})
