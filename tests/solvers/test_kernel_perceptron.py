"""The kernel perceptron is the box of the notes, whatever the blocks it is computed in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.kernels import Function, Gaussian, Linear, Polynomial, Precomputed
from certo.solvers import kernel_steps
from certo.solvers.kernel_perceptron import Terms, kernel_perceptron
from certo.solvers.kernel_steps import GramRows
from certo.stop import Stop
from tests.oracles.boxes import perceptron_box
from tests.oracles.kernel_boxes import kernel_perceptron_box

seeds, law = st.integers(0, 10**6), settings(max_examples=60, deadline=None)
rules = st.sampled_from(["always", "positive", "negative"])


def whole(seed, noisy=True):
    """Integers, so that no score is rounded, with ties and duplicates."""
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(2, 50)), int(rng.integers(1, 4))
    X = rng.integers(-3, 4, (m, d)).astype(float)
    noise = rng.standard_normal(m) * noisy
    return X, np.where(X @ rng.standard_normal(d) + noise > 0, 1, -1).astype(np.int8)


@law
@given(seed=seeds, lifted=st.booleans(), rule=rules, epochs=st.integers(1, 6))
def test_with_the_linear_kernel_it_is_the_box_on_the_vectors(seed, lifted, rule, epochs):
    X, signs = whole(seed, noisy=seed % 2 > 0)
    w, updates, run = perceptron_box(X, signs, epochs, lifted=lifted, at_zero=rule)
    outcome = kernel_perceptron(
        GramRows(Linear(), X, len(X)), signs, epochs=epochs, lifted=lifted, update_at_zero=rule
    )
    assert outcome.trace.example.tolist() == updates
    assert (outcome.updates, outcome.epochs) == (len(updates), run)
    assert np.array_equal(X.T @ outcome.terms.coef, w[:-1])
    assert outcome.terms.norm2 == pytest.approx(w @ w, abs=1e-9)


@law
@given(
    seed=seeds,
    size=st.integers(1, 60),
    budget=st.one_of(st.none(), st.integers(1, 12)),
    degree=st.integers(1, 3),
    lifted=st.booleans(),
    rule=rules,
)
def test_any_blocks_and_any_budget_give_the_box(seed, size, budget, degree, lifted, rule):
    X, signs = whole(seed)
    kernel = Polynomial(degree)
    gram = kernel(X)
    terms, updates, run = kernel_perceptron_box(
        gram, signs, 4, lift=int(lifted), at_zero=rule, budget=budget
    )
    words = [tuple(row) for row in X.astype(int).tolist()]
    of = Function(lambda a, b: (1 + sum(x * z for x, z in zip(a, b, strict=True))) ** degree)
    sizes = dict(kernel_steps.BLOCK_VISITS)
    try:
        kernel_steps.BLOCK_VISITS.update(dict.fromkeys(sizes, size))
        for rows in (
            GramRows(kernel, X, len(X)),
            GramRows(Precomputed(), gram, len(X)),
            GramRows(of, words, len(X), cache_mb=3 * 8 * len(X) / 2**20),  # three rows are kept
            GramRows(of, words, len(X), cache_mb=1),
        ):
            outcome = kernel_perceptron(
                rows, signs, epochs=4, lifted=lifted, update_at_zero=rule, budget=budget
            )
            assert outcome.trace.example.tolist() == updates
            assert outcome.epochs == run
            assert {t: outcome.terms.coef[t] for t in np.flatnonzero(outcome.terms.coef)} == terms
            assert np.array_equal(outcome.terms.updated > 0, outcome.terms.coef != 0)
            coef = outcome.terms.coef
            norm2 = coef @ (gram + lifted) @ coef
            assert outcome.terms.norm2 == pytest.approx(norm2, rel=1e-9, abs=1e-6)
    finally:
        kernel_steps.BLOCK_VISITS.update(sizes)


@law
@given(seed=seeds, cut=st.integers(0, 50), budget=st.one_of(st.none(), st.integers(1, 9)))
def test_continued_run_equals_one_run(seed, cut, budget):
    X, signs = whole(seed)
    cut = 1 + cut % (len(X) - 1)
    rows, everyone = GramRows(Linear(), X, len(X)), np.arange(len(X))
    at_once = kernel_perceptron(rows, signs, budget=budget)
    first = kernel_perceptron(rows, signs, visits=everyone[:cut], budget=budget)
    rest = kernel_perceptron(rows, signs, visits=everyone[cut:], budget=budget, start=first.terms)
    assert first.updates + rest.updates == at_once.updates
    for ours, theirs in zip(rest.terms, at_once.terms, strict=True):
        assert np.allclose(ours, theirs)


def test_orders_are_permutations_and_what_is_random_repeats():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((700, 2))
    signs = np.where((X**2).sum(axis=1) > 1.3, 1, -1).astype(np.int8)
    rows = GramRows(Gaussian(0.5), X, 700)
    runs = [
        kernel_perceptron(rows, signs, epochs=3, random=np.random.default_rng(seed))
        for seed in (1, 1, 2)
    ]
    assert runs[0].trace.example.tolist() == runs[1].trace.example.tolist()
    assert runs[0].trace.example.tolist() != runs[2].trace.example.tolist()
    order = np.random.default_rng(1).permutation(700)
    first = kernel_perceptron(rows, signs, visits=order)
    assert np.isin(first.trace.example, runs[0].trace.example).all()


def test_the_trace_follows_the_function():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((200, 3))
    signs = rng.choice([-1, 1], 200).astype(np.int8)
    gram = Gaussian(2.0)(X)
    trace = kernel_perceptron(GramRows(Gaussian(2.0), X, 200), signs, epochs=3).trace
    coef = np.zeros(200)
    for example, norm2, angle in zip(trace.example, trace.squared_norm, trace.angle, strict=True):
        old = coef.copy()
        coef[example] += signs[example]
        assert norm2 == pytest.approx(coef @ gram @ coef, rel=1e-9)
        if old.any():
            cos = old @ gram @ coef / np.sqrt((old @ gram @ old) * (coef @ gram @ coef))
            assert np.cos(angle) == pytest.approx(cos, abs=1e-9)
    assert trace.epoch_updates.sum() == len(trace)


def test_stop_request_is_obeyed():
    rng = np.random.default_rng(0)
    X, signs = rng.standard_normal((2000, 2)), rng.choice([-1, 1], 2000).astype(np.int8)
    rows = GramRows(Gaussian(1.0), X, 2000)
    block = kernel_perceptron(rows, signs, epochs=5, after_block=lambda: Stop.BY_HAND)
    assert block.stop is Stop.BY_HAND
    assert block.epochs == 1
    assert block.trace.example.max() < kernel_steps.BLOCK_VISITS["vectors"]
    epoch = kernel_perceptron(rows, signs, epochs=5, after_epoch=lambda: Stop.CALLBACK)
    assert epoch.stop is Stop.CALLBACK
    assert (epoch.epochs, epoch.converged) == (1, False)
    nothing = kernel_perceptron(rows, signs, epochs=0)
    assert (nothing.updates, nothing.epochs) == (0, 0)


@pytest.mark.parametrize("budget", [None, 2])
@pytest.mark.parametrize("value", [1e308, 1.7e308])
def test_overflow_is_told(value, budget):
    """The second margin is −K, so that ‖f‖² + 2·margin + K overflows to −∞ in the first epoch,
    on every machine; the sum of the signs is 0, so that later scores need not be large."""
    with (
        pytest.raises(ValueError, match="overflowed float64 in epoch 1"),
        np.errstate(all="ignore"),
    ):
        kernel_perceptron(
            GramRows(Precomputed(), np.full((4, 4), value), 4), np.array([-1, 1, -1, 1], np.int8),
            epochs=4, budget=budget,
        )  # fmt: skip


def test_no_terms():
    terms = Terms.none(3)
    assert terms.updates == 0
    assert terms.norm2 == 0
    assert not terms.coef.any()
