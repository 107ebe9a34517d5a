"""Online gradient descent: the compiled loop, the auditor's run and the plain box are one."""

from dataclasses import replace
from decimal import Context, Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.certificates import GradientRun, Sample
from certo.certificates.runs.gradient_run import falling_exp, loss_named, replay
from certo.certificates.runs.gradient_run import value_and_slope as plainly
from certo.compiled.online_gradient import value_and_slope
from certo.losses import ConvexLoss, Hinge, Logistic, Squared
from certo.solvers.online_gradient import online_gradient, rule_of
from certo.solvers.pegasos import pegasos
from certo.stop import Stop
from tests.oracles.online_boxes import gradient_box

RUNS = [
    GradientRun("Hinge()", 0.1, None, True, True),
    GradientRun("Hinge()", 0.0, 2.0, False, True),
    GradientRun("Hinge()", 0.01, 3.0, True, False),
    GradientRun("Logistic()", 0.05, None, False, True),
    GradientRun("Logistic(base=2)", 0.0, 5.0, True, False),
    GradientRun("Squared()", 0.2, 1.5, True, True),
    GradientRun("Squared()", 0.0, 4.0, False, False),
]


def problem(seed, m=80, d=11):
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d)) * (random.random((m, d)) < 0.7)
    return X, np.where(X[:, 0] + random.standard_normal(m) > 0, 1, -1).astype(np.int8)


@pytest.mark.parametrize("run", RUNS, ids=str)
@pytest.mark.parametrize("store", [np.asarray, np.float32, sparse.csr_array])
def test_compiled_loop_replay_and_box_agree(run, store):
    X, signs = problem(3)
    X = store(X)
    plain = X.toarray() if sparse.issparse(X) else X
    found = online_gradient(X, signs, run).progress
    run = replace(run, sparse=sparse.issparse(X))
    again = replay(run, Sample(X, signs))
    for mine, other in zip(found, again, strict=True):
        if other is not again.suffered or "Logistic" not in run.loss:
            assert np.array_equal(mine, other)  # bit for bit
    loss = loss_named(run.loss)
    iterates, gradients = gradient_box(plain, signs, loss, run.lam, run.radius, lifted=run.lifted)
    rows = np.c_[plain, np.full(len(signs), float(run.lifted))]
    used = iterates[:-1]
    suffered = np.sum(
        loss.of(signs.astype(float), np.sum(rows * used, axis=1))
        + run.lam / 2 * np.sum(used**2, axis=1)
    )
    squares = np.sum(gradients**2, axis=1)
    for progress in (found, again):
        np.testing.assert_allclose(progress.last(run), iterates[-1], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(progress.mean(run), used.mean(axis=0), rtol=1e-9, atol=1e-9)
        assert progress.suffered == pytest.approx(suffered, rel=1e-10)
        assert progress.squares == pytest.approx(np.sum(squares), rel=1e-10)
        if run.lam:
            shares = squares / (2 * run.lam * np.arange(1, len(signs) + 1))
            assert progress.budget == pytest.approx(np.sum(shares), rel=1e-10)
    assert found.rounds == again.rounds == len(signs)


@settings(max_examples=60)
@given(st.integers(0, 9999), st.sampled_from(RUNS), st.integers(1, 120))
def test_the_regret_against_any_fixed_weights_is_within_the_bound(seed, run, m):
    X, signs = problem(seed, m, d=4)
    outcome = online_gradient(X, signs, run)
    progress, loss = outcome.progress, loss_named(run.loss)
    random = np.random.default_rng(seed)
    for u in [progress.last(run), progress.answer(run), *random.standard_normal((20, 5))]:
        if not run.lifted:
            u = np.append(u[:-1], 0.0)
        if run.radius is not None and np.linalg.norm(u) > run.radius:
            u = u * (run.radius / np.linalg.norm(u))
        fixed = np.sum(loss.of(signs.astype(float), X @ u[:-1] + u[-1])) + m * run.lam / 2 * (u @ u)
        bound = run.bound(progress.squares, progress.budget, progress.rounds)
        assert progress.suffered - fixed <= bound
    assert outcome.trace.bound[-1] == bound
    assert outcome.trace.suffered[-1] == progress.suffered
    assert np.all(np.diff(outcome.trace.bound) >= 0)


@settings(max_examples=30)
@given(st.integers(0, 9999), st.sampled_from(RUNS), st.integers(1, 79))
def test_a_stream_in_two_parts_is_one_stream(seed, run, cut):
    X, signs = problem(seed)
    whole = online_gradient(X, signs, run).progress
    first = online_gradient(X[:cut], signs[:cut], run).progress
    both = online_gradient(X[cut:], signs[cut:], run, before=first).progress
    assert np.array_equal(whole.u, both.u)
    assert np.array_equal(whole.a, both.a)
    assert whole[2:] == both[2:]


@given(
    st.sampled_from([Hinge(), Logistic(), Logistic(base=2), Squared()]),
    st.sampled_from([-1.0, 1.0]),
    st.floats(-800, 800),
)
def test_compiled_losses_are_those_of_the_house(loss, y, score):
    rule = rule_of(GradientRun(repr(loss), 1.0, 1.0, False, True), loss, 1)
    value, slope = value_and_slope(rule.loss, rule.scale, y, score)
    assert value == pytest.approx(float(loss.of(y, score)), rel=1e-12, abs=1e-300)
    assert slope == pytest.approx(float(loss.gradient(y, score)), rel=1e-12, abs=1e-300)
    again = plainly(loss, y, score)
    assert slope == again[1]
    assert value == pytest.approx(again[0], rel=8 * 2.0**-53, abs=0)


@given(st.floats(-710, 0))
def test_the_exponential_of_a_run_is_within_its_allowance(x):
    """Against a sum that has twice the digits."""
    context = Context(prec=60)
    exact = context.exp(context.create_decimal(x))
    assert abs(Decimal(falling_exp(x)) - exact) <= exact * Decimal(2.0**-50) + Decimal("1e-304")


@pytest.mark.parametrize("loss", [Hinge(), Logistic(), Logistic(base=2), Squared()], ids=repr)
def test_at_the_margin_of_one(loss):
    """The hinge loss is 0 there, and its slope too: the notes' I{h > 0}."""
    rule = rule_of(GradientRun(repr(loss), 1.0, 1.0, False, True), loss, 1)
    for y in (-1.0, 1.0):
        slopes = value_and_slope(rule.loss, rule.scale, y, y)[1], plainly(loss, y, y)[1]
        assert slopes[0] == slopes[1] == pytest.approx(float(loss.gradient(y, y)))
    assert Hinge().slope(1.0) == 0.0
    assert Hinge().slope(np.nextafter(1.0, 0.0)) == -1.0


def test_two_equal_examples_of_margin_one():
    X, signs, run = (
        np.ones((2, 1)),
        np.ones(2, np.int8),
        GradientRun("Hinge()", 1.0, None, False, 0),
    )
    for progress in (online_gradient(X, signs, run).progress, replay(run, Sample(X, signs))):
        assert progress.last(run).tolist() == [0.5, 0.0]
    ball = replace(run, radius=10.0)
    for progress in (online_gradient(X, signs, ball).progress, replay(ball, Sample(X, signs))):
        assert progress.last(ball).tolist() == [0.5, 0.0]


@settings(max_examples=60)
@given(st.integers(0, 9999), st.sampled_from([1.0, 0.5, 0.1, 0.003]), st.booleans(), st.booleans())
def test_pegasos_is_online_gradient_descent_on_its_draws(seed, lam, lifted, whole):
    """One sequence of weights, bit for bit: also where margins of integers are exactly 1."""
    random = np.random.default_rng(seed)
    m, d, T = int(random.integers(2, 30)), int(random.integers(1, 12)), int(random.integers(1, 200))
    X = random.integers(-2, 3, (m, d)).astype(float) if whole else random.standard_normal((m, d))
    signs = np.where(random.random(m) < 0.5, 1, -1).astype(np.int8)
    draws = np.random.default_rng(seed).integers(m, size=T)
    for store in (np.asarray, sparse.csr_array):
        for average in (True, False):
            run = GradientRun("Hinge()", lam, None, lifted, average)
            mine = online_gradient(store(X[draws]), signs[draws], run).progress
            other = pegasos(
                store(X), signs, lam, T, lifted=lifted, average=average,
                rng=Draws(draws), keep=1,
            )  # fmt: skip
            assert np.array_equal(mine.answer(run), other.w)
            assert np.array_equal(mine.u, other.state.sums[0])


class Draws:
    """Draws that are known before."""

    def __init__(self, draws):
        self.draws, self.at = draws, 0

    def integers(self, m, size):
        self.at += size
        return self.draws[self.at - size : self.at]


def test_every_convex_loss_of_a_score_can_be_named():
    for loss in (Hinge(), Logistic(), Logistic(base=2), Logistic(base=1.1), Squared()):
        assert isinstance(loss, ConvexLoss)
        assert loss_named(repr(loss)) == loss
    wrong = ["ZeroOne()", "NegativeLogLikelihood()", "Hinge", "Logistic(base=1)", "Hinge(2)", ""]
    wrong += ["Logistic(base=x)", "()", "Logistic(base=" + "9" * 100 + ")", None, 3]
    for text in wrong:
        with pytest.raises(ValueError, match=r"loss must be|base must be|could not convert"):
            loss_named(text)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (("Hinge()", 0.0, None), "a radius is needed"),
        (("Squared()", 0.1, None), "no limit"),
        (("Hinge()", -1.0, None), "lam must"),
        (("Hinge()", float("nan"), None), "lam must"),
        (("Hinge()", 0.0, 0.0), "radius must"),
        (("Hinge()", 0.0, float("inf")), "radius must"),
    ],
)
def test_runs_that_cannot_be_are_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        GradientRun(*settings, True, True)


def test_stop_request_is_obeyed():
    X, signs = problem(0)
    calls = iter([False, True])
    outcome = online_gradient(
        X, signs, RUNS[0], after_block=lambda: Stop.BY_HAND if next(calls) else None
    )
    assert outcome.stop is Stop.BY_HAND
    assert outcome.progress.rounds == 2


def test_overflow_is_an_error():
    with pytest.raises(ValueError, match="overflowed"):
        online_gradient(
            np.array([[1e130], [-1e130]]), np.array([1, -1], np.int8),
            GradientRun("Squared()", 1.0, 1e100, False, True),
        )  # fmt: skip
