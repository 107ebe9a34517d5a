"""The closed form of Pegasos against the box of the notes, and the inequalities of the notes."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.certificates.runs.expected_excess import guarantee
from certo.solvers import checkpoints
from certo.solvers.checkpoints import blocks
from certo.solvers.pegasos import PegasosState, pegasos
from certo.stop import Stop
from tests.oracles.online_boxes import average, pegasos_box


def problem(seed, m=30, d=3):
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d))
    return X, np.where(X[:, 0] + random.standard_normal(m) > 0, 1, -1).astype(np.int8)


def whole_numbers(rows, seed):
    """Sums of these are exact, and so are comparisons with λ(t − 1), λ a power of two."""
    X = np.array(rows, float)
    signs = np.where(np.random.default_rng(seed).random(len(X)) < 0.5, 1, -1).astype(np.int8)
    return X, signs


ROWS = st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=2), min_size=1, max_size=8)


@settings(max_examples=60)
@given(ROWS, st.integers(0, 99), st.integers(-4, 3), st.integers(1, 60), st.booleans())
def test_average_and_last_iterate_are_those_of_the_box(rows, seed, power, steps, lifted):
    X, signs = whole_numbers(rows, seed)
    lam = 2.0**power
    draws = np.random.default_rng(seed).integers(len(X), size=steps)
    iterates = pegasos_box(X, signs, lam, draws, lifted=lifted)
    for store in (np.asarray, np.float32, sparse.csr_array):
        outcome = pegasos(
            store(X), signs, lam, steps, lifted=lifted, rng=np.random.default_rng(seed)
        )
        np.testing.assert_allclose(outcome.w, average(iterates), rtol=1e-12, atol=1e-12)
        last = np.array([float(v) for v in iterates[-1]])
        np.testing.assert_allclose(outcome.state.answer(lam, False), last, rtol=1e-14, atol=0)
        for step, weights in zip(outcome.trace.step, outcome.trace.weights, strict=True):
            there = average(iterates[: step + 1])
            np.testing.assert_allclose(weights, there, rtol=1e-12, atol=1e-12)


@settings(max_examples=40)
@given(st.integers(0, 999), st.floats(1e-3, 10), st.booleans())
def test_no_iterate_leaves_the_ball(seed, lam, lifted):
    """‖w_t‖ ≤ X/λ."""
    X, signs = problem(seed)
    radius = np.sqrt(np.max(np.sum(X**2, axis=1)) + lifted) / lam
    state, rng = None, np.random.default_rng(seed)
    for _ in range(100):
        state = pegasos(X, signs, lam, 1, lifted=lifted, rng=rng, start=state).state
        assert np.linalg.norm(state.answer(lam, False)) <= radius * (1 + 1e-12)


@settings(max_examples=40)
@given(st.integers(0, 999), st.floats(0.01, 5), st.integers(1, 300), st.booleans())
def test_the_sure_inequality_holds_in_every_run(seed, lam, steps, lifted):
    """mean ℓ_{s_t}(w_t) ≤ mean ℓ_{s_t}(u) + G²(1 + ln T)/(2λT), for every u."""
    X, signs = problem(seed)
    rows = np.c_[X, np.full(len(X), float(lifted))] * signs[:, None]
    draws = np.random.default_rng(seed).integers(len(X), size=steps)
    state, losses, lengths = PegasosState.start(3), [], []
    for i in draws:
        w = state.answer(lam, False) if state.steps else np.zeros(4)
        hinge = max(0.0, 1 - rows[i] @ w)
        losses.append(hinge + lam / 2 * (w @ w))
        lengths.append(np.linalg.norm(lam * w - (hinge > 0) * rows[i]))
        state = pegasos(X[[i]], signs[[i]], lam, 1, lifted=lifted, rng=None, start=state).state
    allowed = max(lengths) ** 2 * (1 + np.log(steps)) / (2 * lam * steps)
    random = np.random.default_rng(seed + 1)
    averaged = state.answer(lam, True)
    for u in [np.zeros(4), averaged, *(random.standard_normal((20, 4)) / lam)]:
        fixed = np.maximum(0, 1 - rows[draws] @ u) + lam / 2 * (u @ u)
        assert np.mean(losses) <= np.mean(fixed) + allowed + 1e-9
    # and, step by step, it is the run of one call
    whole = pegasos(X, signs, lam, steps, lifted=lifted, rng=np.random.default_rng(seed))
    assert np.array_equal(whole.state.sums, state.sums)


@pytest.mark.parametrize("steps", [20, 200, 2000])
def test_the_mean_excess_over_seeds_is_under_the_bound(steps):
    X, signs = problem(5, m=60)
    lam = 0.1
    Z = X * signs[:, None]

    def objective(w):
        return np.mean(np.maximum(0, 1 - Z @ w[:3])) + lam / 2 * (w @ w)

    runs = [
        pegasos(X, signs, lam, steps, lifted=False, rng=np.random.default_rng(k)).w
        for k in range(200)
    ]
    best = pegasos(X, signs, lam, 10**6, lifted=False, rng=np.random.default_rng(0)).w
    mean = np.mean([objective(w) for w in runs])
    radius2 = float(np.max(np.sum(X**2, axis=1)))
    assert objective(best) - 1e-4 < mean < objective(best) + guarantee(radius2, lam, steps)


@settings(max_examples=20)
@given(st.integers(0, 99), st.integers(1, 5000), st.integers(1, 700))
def test_draws_do_not_depend_on_how_many_are_held_at_a_time(seed, steps, block):
    X, signs = problem(seed, m=7)
    whole = pegasos(X, signs, 0.1, steps, lifted=True, rng=np.random.default_rng(seed))
    usual = checkpoints.BLOCK_STEPS
    try:
        checkpoints.BLOCK_STEPS = block
        parts = pegasos(X, signs, 0.1, steps, lifted=True, rng=np.random.default_rng(seed))
    finally:
        checkpoints.BLOCK_STEPS = usual
    assert np.array_equal(whole.w, parts.w)
    draws = np.random.default_rng(seed).integers(7, size=steps)
    by_hand = pegasos(X[draws], signs[draws], 0.1, steps, lifted=True, rng=None)
    assert np.array_equal(whole.w, by_hand.w)


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_blocks_cover_the_run_and_notes_are_kept_at_powers_of_two(before, steps):
    ends = list(blocks(before, steps))
    assert ends[-1] == (before + steps, True)
    places = [before] + [end for end, _ in ends]
    assert all(0 < b - a <= checkpoints.BLOCK_STEPS for a, b in itertools.pairwise(places))
    kept = [end for end, is_kept in ends[:-1] if is_kept]
    assert all(end & (end - 1) == 0 for end in kept)


def test_storages_agree_and_a_long_run_finds_the_minimum():
    X, signs = problem(0, m=200, d=70)  # more than one group of lanes, and more than 64 fetched
    wide = np.where(np.abs(X) > 1, X, 0.0)
    dense, csr = (
        pegasos(store(wide), signs, 0.05, 20_000, lifted=True, rng=np.random.default_rng(1)).w
        for store in (np.asarray, sparse.csr_array)
    )
    np.testing.assert_allclose(dense, csr, rtol=1e-9, atol=1e-9)


def test_stop_request_keeps_the_partial_average():
    X, signs = problem(1)
    calls = iter([False] * 3 + [True])
    outcome = pegasos(
        X, signs, 0.1, 10**9, lifted=False, rng=np.random.default_rng(0),
        after_block=lambda: Stop.BY_HAND if next(calls) else None,
    )  # fmt: skip
    assert outcome.stop is Stop.BY_HAND
    assert outcome.state.steps == outcome.trace.step[-1] == 8
    assert np.array_equal(outcome.w, outcome.trace.weights[-1])


def test_few_answers_are_kept_where_there_is_little_room():
    X, signs = problem(1)
    rng = np.random.default_rng(0)
    outcome = pegasos(X, signs, 0.1, 1000, lifted=False, rng=rng, keep=2)
    assert outcome.trace.step.tolist() == [512, 1000]


def test_overflow_is_an_error_that_says_what_to_do():
    with pytest.raises(ValueError, match="lam = 1e-300 is too small"):
        pegasos(
            np.array([[1e130], [-1e130]]), np.array([1, -1], np.int8), 1e-300, 10,
            lifted=False, rng=np.random.default_rng(0),
        )  # fmt: skip
