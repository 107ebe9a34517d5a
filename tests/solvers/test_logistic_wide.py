"""Logistic problems with many coordinates: the answers are those with a Hessian."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression

from certo.certificates.sample.classes import class_sample
from certo.certificates.sample.labels import Labels
from certo.issue.regression.logistic_excess import issue_logistic_excess
from certo.problems.logistic import LogisticProblem, Weights
from certo.solvers import logistic as module
from certo.solvers.logistic_tables import table_of
from certo.solvers.logistic_wide import Wide, ascend
from certo.solvers.newton import NewtonLimits
from certo.stop import Stop
from tests.solvers.logistic_scenes import STORAGES, data


def logistic(
    X,
    codes,
    classes,
    *,
    sample_weight=None,
    intercept="free",
    ridge=0.0,
    alive=None,
    start=None,
    doubts=True,
    **limits,
):
    problem = LogisticProblem(X, codes, np.arange(classes), None, sample_weight, intercept, ridge)
    start = None if start is None else Weights(*start)
    return module.logistic(problem, NewtonLimits(**limits), alive=alive, start=start, doubts=doubts)


def wide(X, codes, classes, **options):
    """As if there were many coordinates."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_RIDGE_DIM", 0)
        patch.setattr(module, "MAX_DIM", 0)
        return logistic(X, codes, classes, **options)


def objective(X, codes, ridge, coef, intercept):
    F = X @ coef.T + intercept
    F = np.hstack([np.zeros((len(F), 1)), F]) if len(coef) == 1 else F
    losses = -log_softmax(F, axis=1)[np.arange(len(codes)), codes]
    return losses.mean() + ridge / 2 * np.sum(coef**2)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("classes", [2, 4])
def test_the_dual_leads_to_the_minimum(storage, classes):
    X, codes = data(5, classes=classes, storage=storage)
    best = logistic(X, codes, classes, ridge=0.01, intercept="none", tol=1e-12)
    shares = np.full(60, 1 / 60)
    *_, W = ascend(table_of(X, False), codes, classes, shares, 0.01)
    value = objective(X, codes, 0.01, W.T, 0.0)
    assert best.objective - 1e-12 <= value <= best.objective + 1e-5


@example(
    seed=511119,
    classes=2,
    storage="dense",
    intercept="free",
    ridge=1e-4,
    d=2,
    weighted=False,
)  # the last intercept changes the loss by rounding only
@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    classes=st.sampled_from([2, 3, 5]),
    storage=st.sampled_from(STORAGES),
    intercept=st.sampled_from(["free", "none"]),
    ridge=st.sampled_from([1e-4, 1e-2, 1.0]),
    d=st.sampled_from([2, 7, 90]),
    weighted=st.booleans(),
)
def test_the_minimum_is_that_found_with_a_hessian(
    seed, classes, storage, intercept, ridge, d, weighted
):
    X, codes = data(seed, d=d, classes=classes, storage=storage)
    weights = np.random.default_rng(seed).integers(0, 4, len(codes)) + 0.0 if weighted else None
    if weighted:
        weights[:classes] = 1.0
    options = {"sample_weight": weights, "intercept": intercept, "ridge": ridge}
    ours = wide(X, codes, classes, tol=1e-9, **options)
    other = logistic(X, codes, classes, tol=1e-13, **options)
    assert ours.stop == Stop.CONVERGED
    assert other.objective - 1e-12 <= ours.objective <= other.objective + 1e-9
    assert np.all(np.diff(ours.trace.objective) <= 1e-15)
    assert ours.coef.shape == other.coef.shape
    if classes > 2:
        np.testing.assert_allclose(ours.coef.sum(axis=0), 0.0, atol=1e-12)
        assert abs(ours.intercept.sum()) < 1e-12


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    classes=st.sampled_from([2, 3]),
    storage=st.sampled_from(STORAGES),
    lift=st.booleans(),
)
def test_stated_excess_bounds_the_true_excess(seed, classes, storage, lift):
    X, codes = data(seed, classes=classes, storage=storage)
    ridge = 0.01
    best = logistic(X, codes, classes, ridge=ridge, tol=1e-13, intercept="free" if lift else "none")
    problem = Wide(X, codes, classes, np.full(60, 1 / 60), lift, ridge)
    rng = np.random.default_rng(seed)
    for scale in (1.0, 1e-3):
        start = problem.inner(Weights(best.coef, best.intercept))
        W = start + scale * rng.standard_normal(start.shape)
        point = problem.point(W, problem.table.times(W))
        assert point.objective - best.objective <= problem.left(point) + 1e-13


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("intercept", ["free", "none"])
def test_the_claim_reaches_the_tolerance(storage, classes, intercept):
    X, codes = data(8, m=40, d=1600, classes=classes, storage=storage)
    ours = logistic(X, codes, classes, ridge=1 / 40, tol=1e-8, intercept=intercept)
    assert ours.stop == Stop.CONVERGED
    assert ours.hessian is None
    claim = issue_logistic_excess(
        class_sample(X, codes, range(classes)), Labels(tuple(range(classes)), classes - 1),
        coef=ours.coef, intercept=ours.intercept, treatment=intercept, ridge=1 / 40,
    )  # fmt: skip
    assert claim.risk - claim.lower <= 1e-8


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("storage", STORAGES)
def test_scikit_learn_finds_the_same(classes, storage):
    X, codes = data(9, m=50, d=800, classes=classes, storage=storage)
    ours = wide(X, codes, classes, ridge=1 / 50, tol=1e-12)
    other = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(X, codes)
    np.testing.assert_allclose(ours.coef, other.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept, other.intercept_ - other.intercept_.mean() * (
        classes > 2), atol=1e-5)  # fmt: skip


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("storage", STORAGES)
def test_long_examples_and_columns_of_other_scales_do_no_harm(classes, storage):
    X, codes = data(10, m=300, d=30, classes=classes)
    rng = np.random.default_rng(0)
    X[rng.choice(300, 6, replace=False)] *= 300.0
    X *= 10.0 ** rng.uniform(-2, 2, 30)
    X = sparse.csr_array(X) if storage == "csr" else X
    ours = wide(X, codes, classes, ridge=1e-3, tol=1e-9)
    other = logistic(X, codes, classes, ridge=1e-3, tol=1e-13)
    assert ours.stop == Stop.CONVERGED
    assert ours.objective <= other.objective + 1e-9
    assert np.all(np.diff(ours.trace.objective) <= 1e-14)


@pytest.mark.parametrize("storage", STORAGES)
def test_numbers_that_float32_cannot_hold(storage):
    X, codes = data(11, classes=3, storage=storage)
    ours = wide(X * 1e25, codes, 3, ridge=1e45, tol=1e-9, intercept="none")
    other = wide(X, codes, 3, ridge=1e-5, tol=1e-9, intercept="none")
    assert ours.stop == other.stop == Stop.CONVERGED
    assert ours.objective == pytest.approx(other.objective, abs=2e-9)


def test_float32_examples():
    X, codes = data(12, classes=3)
    X = X.astype(np.float32)
    single = wide(X, codes, 3, ridge=0.01, tol=1e-11)
    double = wide(X.astype(float), codes, 3, ridge=0.01, tol=1e-11)
    np.testing.assert_allclose(single.coef, double.coef, atol=1e-5)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("classes", [2, 3])
def test_without_a_ridge(storage, classes):
    X, codes = data(13, m=200, d=6, classes=classes, storage=storage)
    ours = wide(X, codes, classes, tol=1e-8)
    other = logistic(X, codes, classes, tol=1e-12)
    assert ours.stop == Stop.CONVERGED
    assert ours.objective <= other.objective + 1e-8


@pytest.mark.parametrize("storage", STORAGES)
def test_without_a_ridge_separable_examples_run_away_or_cost_nothing(storage):
    X, codes = data(14, m=20, d=50, classes=3, storage=storage)
    ours = wide(X, codes, 3, tol=1e-8)
    assert ours.stop in (Stop.RUNS_AWAY, Stop.CONVERGED)
    assert ours.risk < 1e-2
    onward = wide(X, codes, 3, tol=1e-6, doubts=False, start=(ours.coef, ours.intercept))
    assert onward.risk < 1e-5


def test_classes_that_are_not_alive_do_not_count():
    X, codes = data(15, m=200, d=5, classes=3)
    alive = np.ones((200, 3), bool)
    alive[codes != 2, 2] = False
    ours = wide(X, codes, 3, alive=alive, tol=1e-8)
    other = logistic(X, codes, 3, alive=alive, tol=1e-12)
    assert ours.objective <= other.objective + 1e-8


def test_a_start_at_the_minimum_ends_there():
    X, codes = data(16, classes=3)
    first = wide(X, codes, 3, ridge=0.01, tol=1e-10)
    again = wide(X, codes, 3, ridge=0.01, tol=1e-8, start=(first.coef, first.intercept))
    assert again.steps == 0
    assert again.stop == Stop.CONVERGED
    np.testing.assert_allclose(again.coef, first.coef, atol=1e-12)


def test_a_step_that_is_broken_off_converges_nowhere():
    """A wish to stop in the middle of a step: it is used as far as it goes, and no more is said."""
    X, codes = data(17, m=400, d=40, classes=3)
    products = []

    def asked():
        return Stop.TIME_LIMIT if products else None

    def through(self, V, bend):
        products.append(1)
        return original(self, V, bend)

    table = type(table_of(X, True))
    original = table.through
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "through", through)
        # A tolerance that any step would meet.
        found = wide(X, codes, 3, tol=10.0, asked=asked)
    assert len(products) == 1
    assert found.stop == Stop.TIME_LIMIT
    assert found.objective < np.log(3)


def test_every_reason_to_stop():
    X, codes = data(17, m=400, d=40, classes=3)
    options = {"ridge": 1e-5, "tol": 1e-12}
    assert wide(X, codes, 3, **options, max_iter=1).stop == Stop.MAX_ITER
    assert wide(X, codes, 3, **options, risk_threshold=5.0).stop == Stop.RISK_THRESHOLD
    assert wide(X, codes, 3, **options, asked=lambda: Stop.BY_HAND).stop == Stop.BY_HAND
    told = iter([None, None, Stop.CALLBACK])
    ours = wide(X, codes, 3, **options, after_step=lambda: next(told))
    assert ours.stop == Stop.CALLBACK
    assert ours.steps == 2
    assert ours.trace.risk.size == 3
    assert wide(X, codes, 3, ridge=1e-5, tol=0.0).stop == Stop.NO_PROGRESS


def test_bare_steps_are_whole():
    X, codes = data(18, m=200, d=6, classes=3)
    ours = wide(X, codes, 3, ridge=0.1, solver="newton")
    assert ours.stop == Stop.CONVERGED
    assert set(ours.trace.step.tolist()) == {0.0, 1.0}
