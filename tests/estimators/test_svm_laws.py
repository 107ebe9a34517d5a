"""What must hold of every soft-margin machine, whatever the data: against a quadratic-program
solver, against itself on changed data, and against the hard margin."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from certo import SVM, HardMarginSVM
from certo.certificates.margins.soft_margin_gap import costs_of
from tests.oracles.quadratic import objective, soft_margin_qp

MODES = st.sampled_from(["free", "lifted", "none"])


@st.composite
def problems(draw, most=24):
    """Random and degenerate ones: ties, repetitions, constant and repeated columns, scales."""
    seed, m, d = (
        draw(st.integers(0, 2**32 - 1)),
        draw(st.integers(4, most)),
        draw(st.integers(1, 5)),
    )
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d))
    kind = draw(st.sampled_from(["plain", "ties", "repetitions", "collinear", "scales", "apart"]))
    y = np.where(X[:, 0] + 0.7 * random.standard_normal(m) > 0.2, 1, -1)
    if kind == "ties":
        X = np.round(1.5 * X)
    elif kind == "repetitions":
        X, y = X[random.integers(0, m // 2, m)], random.choice([-1, 1], m)
    elif kind == "collinear":
        X = np.c_[X, X @ random.integers(-1, 2, (d, 2)), np.ones(m)]
    elif kind == "scales":
        X = X * 10.0 ** random.integers(-2, 3, d)
    elif kind == "apart":
        X[:, 0] += 3 * y
    y[:2] = -1, 1
    return X, y


prices = st.sampled_from([1e-3, 0.1, 0.7, 1.0, 10.0, 300.0])


def fitted(model, X, y, sample_weight=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, sample_weight)


def agree(one, other, X, shift=0.0):
    """½‖w − w*‖² is at most the gap, and b moves with w no more than a score does. (`shift` is what
    b is to differ by.)"""
    away = sum(np.sqrt(2 * model.certificate_[0].gap) for model in (one, other))
    scale = 1 + np.abs(one.coef_).max() + np.abs(one.intercept_[0])
    away += 1e-9 * scale
    assert away < 1e-2 * scale, "small problems are finished as exactly as float64 allows"
    assert np.linalg.norm(one.coef_ - other.coef_) <= 2 * away
    reach = 1 + np.linalg.norm(X, axis=1).max()
    assert abs(one.intercept_[0] + shift - other.intercept_[0]) <= 2 * away * reach


@given(problems(), prices, MODES, st.data())
@settings(max_examples=72)
def test_a_quadratic_program_agrees_to_the_certified_gap(problem, C, mode, data):
    """Also when it stops early: P exceeds the least P by no more than the gap."""
    X, y = problem
    weights = None
    if data.draw(st.booleans(), label="weights"):
        weights = np.random.default_rng(len(y)).integers(0, 4, len(y)) / 2.0
        weights[:2] = 1.5, 0.5
    store = data.draw(st.sampled_from([np.asarray, np.float32, sparse.csr_matrix]), label="store")
    X = store(X)
    by_class = {-1: 2.0, 1: 0.3} if data.draw(st.booleans(), label="by class") else None
    passes = data.draw(st.sampled_from([1, 2, 3, 5, 1000]), label="passes")
    model = SVM(C=C, intercept=mode, max_iter=passes, class_weight=by_class, random_state=0)
    fitted(model, X, y, weights)
    (claim,) = model.certificate_
    assert claim.verify(X, y)
    costs = costs_of(C, (2.0, 0.3) if by_class else (1, 1), y, () if weights is None else weights)
    w, b = soft_margin_qp(X, y, costs, mode)
    best = objective(X, y, costs, mode, w, b)
    ours = objective(X, y, costs, mode, model.coef_[0], model.intercept_[0])
    rounding = 1e-9 * (1 + best)
    assert ours - best <= claim.gap + rounding, "the true excess is at most the certified gap"
    assert claim.dual <= best + rounding
    assert ours <= claim.primal + rounding
    assert np.isclose(model.objective_[0], ours, rtol=1e-9)
    if model.converged_:
        assert claim.relative_gap <= model.tol
        near = np.sqrt(2 * claim.gap) + np.sqrt(2 * max(best - claim.dual, 0)) + 1e-5
        assert np.linalg.norm(model.coef_[0] - w) <= near * (1 + np.abs(w).max())
    assert passes < 1000 or model.converged_


@given(problems(), prices, MODES)
@settings(max_examples=60)
def test_rows_that_are_no_support_can_be_dropped(problem, C, mode):
    """w stays, and so does b: with a free intercept under the rule of the smallest b."""
    X, y = problem
    whole = fitted(SVM(C=C, intercept=mode, tol=1e-9), X, y)
    rows = whole.support_
    if len(set(y[rows].tolist())) < 2:
        return
    alone = fitted(SVM(C=C, intercept=mode, tol=1e-9), X[rows], y[rows])
    agree(whole, alone, X)


@given(problems(), prices, st.integers(0, 999))
@settings(max_examples=40)
def test_shifting_the_data_changes_only_b(problem, C, seed):
    X, y = problem
    shift = np.random.default_rng(seed).integers(-3, 4, X.shape[1]) / 2
    here, there = (fitted(SVM(C=C, tol=1e-9), X + s, y) for s in (0, shift))
    agree(here, there, np.r_[X, X + shift], shift=-float(here.coef_[0] @ shift))


@given(problems(12), prices, MODES, st.integers(0, 999), st.sampled_from(["C", "lam"]))
@settings(max_examples=40)
def test_weights_are_repetitions(problem, C, mode, seed, form):
    X, y = problem
    times = np.random.default_rng(seed).integers(0, 4, len(y))
    times[:2] = 1, 2
    setting = {"C": C} if form == "C" else {"lam": C / 10}
    weighted = fitted(SVM(**setting, intercept=mode, tol=1e-9), X, y, times.astype(float))
    many = fitted(
        SVM(**setting, intercept=mode, tol=1e-9), np.repeat(X, times, 0), np.repeat(y, times)
    )
    assert np.isclose(weighted.objective_[0], many.objective_[0], rtol=1e-8)
    agree(weighted, many, X)


@given(problems(), MODES, prices)
@settings(max_examples=30)
def test_the_two_forms_are_one_problem(problem, mode, lam):
    X, y = problem
    form = fitted(SVM(lam=lam, intercept=mode), X, y)
    other = fitted(SVM(C=1 / (lam * len(y)), intercept=mode), X, y)
    assert form.C_ == other.C_
    np.testing.assert_allclose(form.objective_, other.objective_ * lam, rtol=1e-6)


@given(st.integers(0, 9999), st.sampled_from(["free", "lifted", "none"]), st.integers(1, 4))
@settings(max_examples=30)
def test_with_large_c_it_is_the_hard_margin(seed, mode, d):
    random = np.random.default_rng(seed)
    X = random.standard_normal((25, d))
    score = X @ random.standard_normal(d) + (0.0 if mode == "none" else 0.3)
    X, y = X[np.abs(score) > 0.3], (score > 0)[np.abs(score) > 0.3]
    assume(len(set(y.tolist())) == 2)
    hard = HardMarginSVM(intercept=mode).fit(X, y)
    largest = float(np.abs(hard.dual_coef_[0]).max())
    away = []
    for C in (0.1 * largest, 0.5 * largest, 2 * largest, 20 * largest):
        soft = SVM(C=C, intercept=mode, tol=1e-9).fit(X, y)
        away.append(float(np.abs(soft.coef_ - hard.coef_).max() / np.abs(hard.coef_).max()))
    assert max(away[2:]) < 1e-4, "beyond the largest multiplier it is the same problem"
    np.testing.assert_allclose(soft.intercept_, hard.intercept_, rtol=1e-3, atol=1e-4)


@given(problems(14), st.sampled_from([0.1, 1.0, 10.0]), MODES)
@settings(max_examples=25)
def test_leave_one_out(problem, C, mode):
    """The machine without an example, by a quadratic program: never more errors than the bound,
    and as many as are called exact (scores of nearly zero aside)."""
    X, y = problem
    model = fitted(SVM(C=C, intercept=mode, tol=1e-9), X, y)
    bound, exact = (model.leave_one_out(X, y, exact=exact) for exact in (False, True))
    assert exact.kind == "exact"
    assert bound.kind == ("upper bound" if bound.in_doubt.size else "exact")
    assert exact.errors <= bound.errors <= len(y)
    certain = unsure = 0
    for t in range(len(y)):
        costs = np.full(len(y), C)
        costs[t] = 0.0
        if not np.any(costs[y == y[t]]):
            certain += 1
            continue
        w, b = soft_margin_qp(X, y, costs, mode)
        margin = y[t] * (X[t] @ w + b)
        # with a free intercept the other solver may choose another b of the interval
        b_is_clear = mode != "free" or np.any(np.abs(np.delete(y * (X @ w + b), t) - 1) < 1e-6)
        certain += margin < -1e-4 and b_is_clear
        unsure += abs(margin) <= 1e-4 or not b_is_clear
        if not b_is_clear or abs(margin) <= 1e-4:
            continue
        assert margin > 0 or t in bound.in_doubt or model.predict(X[[t]])[0] != y[t]
    assert certain <= exact.errors <= certain + unsure


@pytest.mark.parametrize("mode", ["free", "lifted", "none"])
def test_several_classes_are_as_many_problems(mode):
    random = np.random.default_rng(3)
    X, y = random.standard_normal((60, 3)), random.choice(["a", "b", "c"], 60)
    weights = random.uniform(0.5, 2, 60)
    by_class = {"a": 3.0, "b": 1.0, "c": 0.25}
    model = SVM(C=0.5, intercept=mode, class_weight=by_class, tol=1e-8, multiclass="rest")
    model.fit(X, y, weights)
    own = weights * np.array([by_class[label] for label in y])
    for k, label in enumerate("abc"):
        alone = SVM(C=0.5, intercept=mode, tol=1e-8).fit(X, y == label, own)
        np.testing.assert_allclose(model.coef_[k], alone.coef_[0], atol=1e-4)
        np.testing.assert_allclose(model.objective_[k], alone.objective_[0], rtol=1e-7)
    assert len(model.certificate_) == 3
    assert model.certificate_.verify(X, y)
