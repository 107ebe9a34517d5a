"""The Perceptron's solver against the box of the notes, and the notes' theorems."""

import signal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import certo.solvers.perceptron as solver
from certo.certificates import PerceptronRun
from certo.rates import Constant, Geometric, Power
from certo.solvers.interrupt import ctrl_c_asks
from certo.solvers.perceptron import perceptron
from certo.stop import Stop
from tests.oracles.boxes import perceptron_box

STORAGES = {
    "dense64": lambda X: X.astype(np.float64),
    "dense32": lambda X: X.astype(np.float32),
    "csr64": lambda X: sparse.csr_matrix(X.astype(np.float64)),
    "csr32": lambda X: sparse.csr_array(X.astype(np.float32)),
}

integer_data = st.integers(1, 12).flatmap(
    lambda m: st.integers(1, 4).flatmap(
        lambda d: st.tuples(
            st.lists(st.lists(st.integers(-3, 3), min_size=d, max_size=d), min_size=m, max_size=m),
            st.lists(st.sampled_from([-1, 1]), min_size=m, max_size=m),
        )
    )
)


def arrays(data):
    X, y = data
    return np.array(X), np.array(y, dtype=np.int8)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("at_zero", ["always", "positive", "negative"])
@given(data=integer_data, lifted=st.booleans())
@settings(max_examples=25)
def test_agrees_with_the_plain_algorithm(storage, at_zero, data, lifted):
    X, y = arrays(data)
    w, updates, epochs = perceptron_box(X, y, 8, lifted=lifted, at_zero=at_zero)
    run = PerceptronRun(epochs=8, lifted=lifted, update_at_zero=at_zero)
    got = perceptron(STORAGES[storage](X), y, run)
    assert np.array_equal(got.w, w)
    assert got.updates == len(updates)
    assert np.array_equal(got.counts, np.bincount(updates, minlength=len(y)))
    assert got.epochs == epochs
    assert np.array_equal(got.trace.example, updates)
    assert got.converged == (epochs < 8 or got.trace.epoch_updates[-1] == 0)


def clouds(seed, m=300, d=6, gap=0.05):
    """Float data that a hyperplane through the origin separates, barely."""
    random = np.random.default_rng(seed)
    X, u = random.standard_normal((m, d)), random.standard_normal(d)
    scores = X @ u / np.linalg.norm(u)
    return X + np.outer(np.sign(scores) * gap, u / np.linalg.norm(u)), np.sign(scores).astype(
        np.int8
    )


@pytest.mark.parametrize("init", ["zeros", "random"])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=15)
def test_rerunning_on_the_updated_examples_alone_gives_the_same_weights(init, seed):
    X, y = clouds(seed)
    y[np.random.default_rng(seed).random(len(y)) < 0.02] *= -1
    for rate in (Constant(1.0), Power(0.7, 0.4)):
        run = PerceptronRun(epochs=7, init=init, seed=seed, rate=rate)
        whole = perceptron(X, y, run)
        kept = np.flatnonzero(whole.counts)
        alone = perceptron(X[kept], y[kept], run)
        assert np.array_equal(alone.w, whole.w)
        assert np.array_equal(alone.counts, whole.counts[kept])


@given(seed=st.integers(0, 10**6), gap=st.sampled_from([0.0, 1e-6, 0.02, 0.3]))
@settings(max_examples=25)
def test_skipping_looks_changes_nothing(seed, gap):
    X, y = clouds(seed, gap=gap)
    run = PerceptronRun(epochs=60, lifted=bool(seed % 2))
    skipped = perceptron(X, y, run)
    never = solver.Skips
    try:  # lengths of no rows: nothing is ever skipped
        solver.Skips = lambda lengths, safe_until: never(np.zeros(0), np.zeros(0))
        plain = perceptron(X, y, run)
    finally:
        solver.Skips = never
    assert np.array_equal(skipped.w, plain.w)
    assert np.array_equal(skipped.counts, plain.counts)
    assert skipped.epochs == plain.epochs


def test_looks_are_really_skipped():
    X, y = clouds(3, m=2000, gap=0.02)
    seen = []
    original = solver.run_epochs

    def spy(*arguments):
        skips, path = arguments[6], arguments[5].scalars[1]
        seen.append(int(np.count_nonzero(skips.safe_until > path)))
        return original(*arguments)

    solver.run_epochs = spy
    try:
        assert perceptron(X, y, PerceptronRun(epochs=1000)).converged
    finally:
        solver.run_epochs = original
    assert max(seen) > 1000


@given(seed=st.integers(0, 10**6))
@settings(max_examples=15)
def test_among_the_misclassified_every_update_is_a_mistake_and_the_end_is_a_separator(seed):
    X, y = clouds(seed, m=80)
    got = perceptron(
        X, y, PerceptronRun(epochs=500, order="misclassified", lifted=False, seed=seed)
    )
    w = np.zeros(X.shape[1])
    assert got.updates <= 1024
    for t in got.trace.example:
        assert y[t] * (X[t] @ w) <= 0
        w += y[t] * X[t]
    np.testing.assert_allclose(w, got.w[:-1], rtol=1e-12)
    assert got.converged
    assert np.all(y * (X @ w) > 0)


def test_among_the_misclassified_each_is_equally_likely():
    X, y = np.eye(4), np.ones(4, np.int8)
    firsts = []
    for seed in range(2000):
        run = PerceptronRun(epochs=9, order="misclassified", lifted=False, seed=seed)
        firsts.append(perceptron(X, y, run).trace.example[0])
    counts = np.bincount(firsts, minlength=4)
    assert np.all(np.abs(counts - 500) < 6 * np.sqrt(2000 * 0.25 * 0.75)), counts


def test_the_schedule_of_the_spec_never_gets_there():
    X, y = np.array([[1.0]]), np.ones(1, np.int8)
    run = PerceptronRun(epochs=200, lifted=False, rate=Geometric(1.0, 0.5))
    got = perceptron(X, y, run, start=np.array([-10.0, 0.0]))
    assert not got.converged
    assert got.w[0] == -9.0


def test_rates_count_updates_also_across_calls():
    X, y = np.array([[1.0], [-1.0]]), np.array([1, 1], np.int8)
    run = PerceptronRun(epochs=1, lifted=False, rate=Power(1.0, 1.0))
    first = perceptron(X, y, run)
    second = perceptron(X, y, run, start=first.w, before=first.updates)
    both = perceptron(X, y, PerceptronRun(epochs=2, lifted=False, rate=Power(1.0, 1.0)))
    assert np.array_equal(second.w, both.w)
    np.testing.assert_allclose(both.totals, [1, 1 / 2 + 1 / 3])


def test_an_interrupt_returns_what_was_reached():
    X, y = clouds(0)
    y[:30] *= -1

    def interrupt(w):
        raise KeyboardInterrupt

    got = perceptron(X, y, PerceptronRun(epochs=50), after_epoch=interrupt)
    assert got.stop is Stop.BY_HAND
    assert not got.converged
    assert got.epochs == 1
    assert got.updates == got.counts.sum() == len(got.trace)


def test_overflowing_weights_are_an_error_not_a_result():
    X, y = np.array([[1e130], [-1e130]]), np.array([1, 1], np.int8)
    with pytest.raises(ValueError, match="overflowed"):
        perceptron(X, y, PerceptronRun(epochs=5, rate=Geometric(1e300, 10.0)))


class TestTrace:
    def long_run(self):
        X, y = clouds(1, m=400)
        y[np.random.default_rng(0).random(400) < 0.3] *= -1
        return X, y, perceptron(X, y, PerceptronRun(epochs=60, lifted=False))

    def full_history(self, X, y, outcome):
        """‖w‖² and angle after every update, by re-running with all updates kept."""
        w, norms, angles = np.zeros(X.shape[1]), [], []
        for _ in range(outcome.epochs):
            for t in range(len(y)):
                if y[t] * (X[t] @ w) <= 0:
                    new = w + y[t] * X[t]
                    lengths = np.linalg.norm(w) * np.linalg.norm(new)
                    cosine = w @ new / lengths if lengths else 1.0
                    angles.append(np.arccos(np.clip(cosine, -1, 1)))
                    w = new
                    norms.append(w @ w)
        return np.array(norms), np.array(angles)

    def test_thinning_loses_no_extreme(self):
        X, y, outcome = self.long_run()
        trace = outcome.trace
        norms, angles = self.full_history(X, y, outcome)
        assert outcome.updates == len(norms) > 4096
        assert len(trace) <= 4096
        np.testing.assert_allclose(trace.squared_norm, norms[trace.update - 1], rtol=1e-9)
        np.testing.assert_allclose(trace.angle, angles[trace.update - 1], atol=1e-6)
        assert norms.argmax() + 1 in trace.update
        assert norms.argmin() + 1 in trace.update
        np.testing.assert_allclose(trace.angle.max(), angles.max(), rtol=1e-9)
        assert trace.update[0] == 1
        assert np.all(np.diff(trace.update) > 0)
        assert trace.epoch_updates.sum() == outcome.updates
        # any stretch of the run as long as eight windows has kept updates in it
        assert np.diff(trace.update).max() <= 8 * outcome.updates / 1024

    def test_the_copies_of_w_redraw_the_boundary(self):
        X, y, outcome = self.long_run()
        trace = outcome.trace
        w, n, found = np.zeros(X.shape[1]), 0, {}
        wanted = set(trace.weights_update.tolist())
        for _ in range(outcome.epochs):
            for t in range(len(y)):
                if y[t] * (X[t] @ w) <= 0:
                    w, n = w + y[t] * X[t], n + 1
                    if n in wanted:
                        found[n] = w
        assert len(found) == len(trace.weights) >= 512
        again = np.array([found[n] for n in trace.weights_update.tolist()])
        np.testing.assert_allclose(trace.weights[:, :-1], again, rtol=1e-9, atol=1e-9)

    def test_short_runs_are_kept_whole(self):
        X, y = clouds(5)
        outcome = perceptron(X, y, PerceptronRun(epochs=100))
        assert 0 < outcome.updates <= 1024
        assert np.array_equal(outcome.trace.update, np.arange(1, outcome.updates + 1))
        assert np.array_equal(outcome.trace.weights_update, outcome.trace.update)
        np.testing.assert_array_equal(outcome.trace.weights[-1], outcome.w)

    def test_many_features_keep_few_copies(self):
        X = sparse.random_array((50, 70_000), density=1e-3, rng=np.random.default_rng(0)).tocsr()
        y = np.where(np.arange(50) % 2, 1, -1).astype(np.int8)
        outcome = perceptron(X, y, PerceptronRun(epochs=3))
        assert outcome.trace.weights.size <= 4 * 70_001


def test_steps_whose_squares_underflow_are_not_steps_of_length_zero():
    X = np.array([[1.0]] + [[1.5e-4]] * 300 + [[1.0]] * 1000)
    y = np.array([1] + [-1] * 300 + [1] * 1000, np.int8)
    runs = [PerceptronRun(epochs=60, lifted=False, rate=Constant(eta)) for eta in (1e-158, 1.0)]
    tiny, plain = (perceptron(X, y, run) for run in runs)
    assert np.array_equal(tiny.counts, plain.counts)
    assert tiny.converged == plain.converged


def test_the_squared_norm_survives_cancellation():
    large = [[-2, 1000000001], [-5, 1000000002], [3, 999999999], [1, 1000000001]]
    X = np.array([*large, [-1, 999999997], [-6, 1000000004]], float)
    y = np.array([-1, -1, 1, 1, -1, -1], np.int8)
    got = perceptron(X, y, PerceptronRun(epochs=200, lifted=False))
    w = np.zeros(2)
    for t, square in zip(got.trace.example, got.trace.squared_norm, strict=True):
        w += y[t] * X[t]
        assert square == pytest.approx(w @ w, rel=1e-6)


def test_ctrl_c_is_a_wish_and_twice_an_exception():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with ctrl_c_asks() as asked:
            assert not asked()
            signal.raise_signal(signal.SIGINT)
            assert asked()
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
