"""The Perceptron on shards: against the algorithm in fractions, and within its theorem."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from certo import Perceptron, certify
from certo.certificates import MistakeBound
from certo.certificates.runs.perceptron_run import PerceptronRun
from certo.rates import Power
from certo.solvers.mixed_perceptron import mixed_perceptron, shard_ends
from certo.stop import Stop


def exact_mixing(X, y, shards: int, epochs: int):
    """The algorithm in rational arithmetic: weights (intercept last) and updates on each example.
    Any denominator: none is rounded."""
    m = len(y)
    ends = [0, *shard_ends(m, shards)]
    rows = [[Fraction(int(v)) for v in row] + [Fraction(1)] for row in X]
    w, counts = [Fraction(0)] * (X.shape[1] + 1), [0] * m
    for _ in range(epochs):
        results, before = [], sum(counts)
        for a, b in pairwise(ends):
            own = list(w)
            for t in range(a, b):
                if int(y[t]) * sum(p * q for p, q in zip(own, rows[t], strict=True)) <= 0:
                    own = [p + int(y[t]) * q for p, q in zip(own, rows[t], strict=True)]
                    counts[t] += 1
            results.append(own)
        w = [sum(column) / shards for column in zip(*results, strict=True)]
        if sum(counts) == before:
            break
    return w, counts


@given(st.integers(0, 10_000), st.sampled_from([1, 2, 4]), st.integers(4, 12))
def test_the_run_is_the_algorithm_where_nothing_rounds(seed, shards, m):
    """With a power of two as the number of shards all averages of small integers are exact."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (m, 3)).astype(float)
    y = np.where(rng.random(m) < 0.5, 1, -1).astype(np.int8)
    found = mixed_perceptron(X, y, PerceptronRun(epochs=5), shards)
    w, counts = exact_mixing(X, y, shards, 5)
    assert list(map(Fraction, found.w.tolist())) == w
    assert found.counts.tolist() == counts
    assert found.updates == sum(counts) == found.trace.epoch_updates.sum()
    stored = mixed_perceptron(sparse.csr_array(X), y, PerceptronRun(epochs=5), shards)
    assert np.array_equal(stored.w, found.w)


def test_one_shard_is_the_perceptron():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((60, 4)), np.where(rng.random(60) < 0.5, "a", "b")
    run = PerceptronRun(epochs=7)
    mixed = mixed_perceptron(X, np.where(y == "b", 1, -1).astype(np.int8), run, 1)
    usual = Perceptron(epochs=7).fit(X, y)
    assert np.array_equal(mixed.w[:-1], usual.coef_[0])
    assert np.array_equal(np.flatnonzero(mixed.counts), usual.updated_[0])


@given(st.integers(0, 10_000), st.integers(2, 9))
def test_a_separable_sample_converges_within_the_bound(seed, shards):
    rng = np.random.default_rng(seed)
    X, u = rng.standard_normal((40, 3)), rng.standard_normal(4)
    score = X @ u[:-1] + u[-1]
    clear = np.abs(score) > 0.3 * np.linalg.norm(u)
    X, y = X[clear], np.sign(score[clear])
    if len(np.unique(y)) < 2 or len(y) < shards:
        return
    model = Perceptron(shards=shards, epochs=100_000).fit(X, y)
    assert model.converged_
    lengths = np.sum(X**2, axis=1) + 1
    least = np.min(y * (X @ u[:-1] + u[-1]))
    assert model.updates_[0] / shards <= (u @ u) * lengths.max() / least**2 * (1 + 1e-12)
    (claim,) = model.certificate_.of_kind(MistakeBound)
    assert claim.verify(X, y)
    assert claim.sums.shards == shards
    assert claim.bound >= model.updates_[0]


@pytest.mark.parametrize("separable", [True, False])
def test_forged_claims_are_refused(separable):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((90, 3))
    y = np.where(X @ [1.0, -2.0, 0.5] > 0, 1, -1)
    if not separable:
        y[::9] *= -1
    (claim,) = Perceptron(shards=3, epochs=50).fit(X, y).certificate_.of_kind(MistakeBound)
    assert claim.verify(X, y)
    for shards in (None, 2, 4):
        assert not replace(claim, sums=replace(claim.sums, shards=shards)).verify(X, y)
    assert not replace(claim, bound=claim.bound - 1).verify(X, y)
    counts = claim.dual_coef.copy()
    counts[0] += np.sign(counts[0])
    forged = replace(claim, dual_coef=counts, updates=claim.updates + 1)
    assert not forged.verify(X, y)
    assert "1/3" in claim.claim


def test_no_claim_that_would_need_the_run_repeated():
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((80, 2)), rng.integers(0, 3, 80)
    model = Perceptron(shards=4, epochs=5).fit(X, y)
    page = certify(model, X, y)
    assert page.verify(X, y).holds
    kinds = {type(claim).__name__ for claim in page.claims}
    assert "MistakeBound" in kinds
    assert "CompressionBound" not in kinds


@pytest.mark.parametrize(
    "settings",
    [{"order": "shuffled"}, {"average": True}, {"learning_rate": Power(1.0)}, {"shards": 0},
     {"shards": 2.5}],
)  # fmt: skip
def test_settings_that_do_not_go_together(settings):
    with pytest.raises(ValueError, match="shards"):
        Perceptron(**({"shards": 2} | settings)).fit([[0.0], [1.0]], [0, 1])


def test_it_may_be_stopped_and_go_on():
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((50, 3)), rng.integers(0, 2, 50)
    signs = (2 * y - 1).astype(np.int8)
    stopped = mixed_perceptron(
        X, signs, PerceptronRun(epochs=9), 2, after_epoch=lambda w: Stop.TIME_LIMIT
    )
    assert (stopped.stop, stopped.epochs) == (Stop.TIME_LIMIT, 1)
    model = Perceptron(shards=2, epochs=1).fit(X, y)
    assert np.array_equal(model.coef_[0], stopped.w[:-1])
    twice = Perceptron(shards=2, epochs=2).fit(X, y)
    model.partial_fit(X, y)
    assert np.array_equal(model.coef_, twice.coef_)
    assert model.certificate_.verify(X, y).holds


def test_more_shards_than_examples():
    """The shards beyond are empty, and give back the weights that they were given."""
    X, y = np.array([[1.0, 0.0], [-1.0, 0.5]]), [1, 0]
    model = Perceptron(shards=3, epochs=200).fit(X, y)
    assert model.converged_
    assert model.certificate_.verify(X, y).holds
