"""The soft-margin solver, each of its methods, against a quadratic-programming solver; and what
must hold whenever it stops."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.compiled import threads
from certo.numbers.rounding import gamma
from certo.problems.free_intercept import balanced
from certo.solvers import primal_newton, soft_margin
from certo.solvers.dual_descent import DualDescent
from certo.solvers.gap_ledger import GapTrace, Ledger
from certo.solvers.hinge_rows import HingeRows
from certo.solvers.primal_newton import PrimalNewton
from certo.stop import Stop
from tests.oracles.quadratic import objective, soft_margin_qp

INTERCEPTS = ["free", "lifted", "none"]
MODES = pytest.mark.parametrize("intercept", INTERCEPTS)
solve = soft_margin.soft_margin


def example(seed, m=40, d=3, noise=1.0, unbalanced=0.0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d))
    signs = np.where(X[:, 0] + noise * random.standard_normal(m) > unbalanced, 1, -1)
    return X, signs.astype(np.int8)


def zeros(random, m):
    return np.where(random.random(m) < 0.3, 0.0, random.random(m))


def cases():
    """name → X, signs, costs."""
    random = np.random.default_rng(7)
    X, signs = example(0)
    apart, sides = example(1, noise=0.0)
    wide, halves = example(2, m=12, d=30)
    rare, few = example(3, m=120, unbalanced=2.0)
    twice = np.r_[X, X, X[:5]]
    labels = np.r_[signs, signs, -signs[:5]]
    ones = np.ones(40)
    return {
        "plain": (X, signs, ones),
        "weights": (X, signs, random.exponential(size=40)),
        "zero costs": (X, signs, zeros(random, 40)),
        "uneven costs": (X, signs, 10.0 ** random.uniform(-6, 2, 40)),
        "duplicates": (twice, labels, np.ones(85)),
        "integers": (X.round(), signs, ones),
        "collinear": (np.c_[X, X @ [1, 2, 3], 2 * X[:, 0]], signs, ones),
        "constant column": (np.c_[X, np.full((40, 1), 3.0)], signs, ones),
        "zero column and row": (np.c_[X, 0 * ones] * (np.arange(40) != 4)[:, None], signs, ones),
        "badly scaled": (X * [1e-3, 1.0, 1e3], signs, ones),
        "far from the origin": (X + np.array([100.0, 0.0, -50.0]), signs, ones),
        "unbalanced": (rare, few, np.ones(120)),
        "one class dearer": (X, signs, np.where(signs > 0, 1e4, 1.0)),
        "large C": (X, signs, np.full(40, 1e3)),
        "tiny C": (X, signs, np.full(40, 1e-4)),
        "more features": (wide, halves, np.ones(12)),
        "separable": (apart, sides, np.full(40, 10.0)),
        "separable, large C": (apart, sides, np.full(40, 1e5)),
        "one feature": (X[:, :1].copy(), signs, ones),
        "two examples": (X[:2].copy(), np.array([1, -1], np.int8), np.ones(2)),
        "all alike": (np.ones((9, 2)), np.tile([1, -1, -1], 3).astype(np.int8), np.ones(9)),
        "nothing to learn from": (np.zeros((4, 2)), np.array([1, -1, -1, -1], np.int8), np.ones(4)),
    }  # fmt: skip


CASES = cases()
PROBLEMS = pytest.mark.parametrize("name", CASES)
TOO_SLOW = ("badly scaled", "far from the origin")  # for descent, which is not chosen for these
_minima: dict = {}


def minimum(name, intercept) -> float:
    """P*, as the other solver has it (P at its solution: never too low)."""
    if (name, intercept) not in _minima:
        X, signs, costs = CASES[name]
        w, b = soft_margin_qp(X, signs, costs, intercept)
        _minima[name, intercept] = objective(X, signs, costs, intercept, w, b)
    return _minima[name, intercept]


def slack(P) -> float:
    """What roundings may add."""
    return 1e-11 * abs(P) + 1e-300


def feasible(signs, costs, intercept, alpha):
    assert np.all(alpha >= 0)
    assert np.all(alpha <= costs)
    if intercept == "free":
        assert math.fsum(alpha * signs) == 0.0


def value(X, signs, intercept, alpha) -> float:
    """D(α)."""
    X = np.asarray(X.todense() if sparse.issparse(X) else X, float)
    v = (alpha * signs) @ X
    s = alpha @ signs if intercept == "lifted" else 0.0
    return float(alpha.sum() - 0.5 * (v @ v + s * s))


def right(X, signs, costs, intercept, found):
    """All that holds however the solver came to stop."""
    feasible(signs, costs, intercept, found.alpha)
    P = objective(X, signs, costs, intercept, found.w, found.b)
    largest = max(P, float(found.alpha.sum()))
    last = 1e-15 * float(costs.max()) * (1 + np.abs(X @ found.w).max())  # digits of a slack
    assert found.primal == pytest.approx(P, rel=1e-10, abs=last)
    assert found.dual == pytest.approx(
        value(X, signs, intercept, found.alpha), rel=1e-10, abs=1e-10 * largest
    )
    assert found.primal >= found.dual - slack(largest)
    if intercept == "none":
        assert found.b == 0.0
    if intercept == "free":  # a kink
        kinks = signs - X @ found.w
        assert np.min(np.abs(kinks - found.b)) <= 1e-9 * max(1.0, np.abs(kinks).max())
    history = found.trace
    assert len(history) >= 1
    assert history.passes[-1] == found.passes
    for rising in (history.seconds, history.passes, -history.primal, history.dual):
        assert np.all(np.diff(rising) >= 0)
    assert np.all(history.primal >= found.primal)
    assert np.all(history.dual <= found.dual)


# --- against the quadratic program --------------------------------------------------------------


@MODES
@PROBLEMS
def test_the_quadratic_program_agrees(name, intercept):
    X, signs, costs = CASES[name]
    found = solve(X, signs, costs, intercept, tol=1e-9)
    right(X, signs, costs, intercept, found)
    assert found.primal - found.dual <= 1e-9 * found.primal
    assert found.stop in (Stop.CONVERGED, Stop.NO_PROGRESS)
    least = minimum(name, intercept)
    assert found.primal <= least * (1 + 1e-9)
    assert found.dual <= least + slack(max(least, found.alpha.sum()))


@MODES
@PROBLEMS
@pytest.mark.parametrize("store", [np.float32, sparse.csr_array], ids=["float32", "csr"])
def test_storage_does_not_matter(name, intercept, store):
    X, signs, costs = CASES[name]
    kept = store(X)
    same = np.asarray(kept.todense() if sparse.issparse(kept) else kept, float)
    found, twin = (solve(Z, signs, costs, intercept, tol=1e-9) for Z in (kept, same))
    right(same, signs, costs, intercept, found)
    assert found.w.dtype == np.float64
    assert found.primal == pytest.approx(twin.primal, rel=1e-8)


@pytest.fixture
def shared(monkeypatch):
    """Several threads, however small the problem."""
    monkeypatch.setattr(threads, "MIN_WORK_PER_THREAD", 1)
    monkeypatch.setattr(threads, "_cores", lambda: 3)


def by_method(method, X, signs, costs, intercept, goal=1e-9, most=1000, **kwargs):
    """A method alone: w, b, feasible multipliers, and its ledger."""
    ledger, rng = Ledger(goal, most, **kwargs), np.random.default_rng(0)
    if method is PrimalNewton:
        rows = HingeRows(X, signs, costs, intercept != "none")
        regular = np.ones(rows.dimension)
        regular[-1] = 0.0 if intercept == "free" else 1.0
        state = PrimalNewton(rows, regular, rng)
        state.begin(ledger)
    else:
        state = DualDescent(HingeRows(X, signs, costs, False), intercept, rng)
    state.run(ledger)
    alpha = state.best
    return *state.best_pair, balanced(alpha, signs, costs) if intercept == "free" else alpha, ledger


@MODES
@PROBLEMS
@pytest.mark.parametrize("method", [PrimalNewton, DualDescent])
def test_both_methods_agree_with_several_threads(name, intercept, method, shared):
    X, signs, costs = CASES[name]
    used = costs > 0
    X, signs, costs = X[used], signs[used], costs[used]
    slow = method is DualDescent and name in TOO_SLOW
    most = 100 if slow else 1000
    w, b, alpha, ledger = by_method(method, X, signs, costs, intercept, most=most)
    feasible(signs, costs, intercept, alpha)
    least = minimum(name, intercept)
    primal = objective(X, signs, costs, intercept, w, b)
    dual = value(X, signs, intercept, alpha)
    assert ledger.primal == pytest.approx(primal, rel=1e-9)
    assert dual <= least * (1 + 1e-9)
    if slow:
        return
    assert primal <= least * (1 + 1e-7)
    assert dual >= least * (1 - 1e-7)


@MODES
@pytest.mark.parametrize("method", [PrimalNewton, DualDescent])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_both_methods_take_sparse_rows(intercept, method, dtype, shared):
    random = np.random.default_rng(5)
    S = sparse.random(80, 15, 0.3, "csr", dtype=dtype, random_state=random).tocsr()
    S.sort_indices()
    signs = np.where(random.random(80) < 0.5, 1, -1).astype(np.int8)
    costs = np.full(80, 2.0)
    X = S.toarray().astype(float)
    least = objective(
        X, signs, costs, intercept, *soft_margin_qp(X, signs, costs, intercept)
    )  # fmt: skip
    w, b, alpha, _ = by_method(method, S, signs, costs, intercept)
    assert objective(X, signs, costs, intercept, w, b) <= least * (1 + 1e-7)
    assert value(X, signs, intercept, alpha) >= least * (1 - 1e-7)
    assert value(X, signs, intercept, alpha) <= least * (1 + 1e-9)


# --- stopping anywhere --------------------------------------------------------------------------


def stop_at(k):
    looks = iter(range(1, 10**9))
    return lambda primal, dual: Stop.CALLBACK if next(looks) >= k else None


@st.composite
def problems(draw):
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    m, d = draw(st.integers(2, 30)), draw(st.integers(1, 5))
    X = random.standard_normal((m, d)) * 10.0 ** draw(st.integers(-2, 2))
    if draw(st.booleans()):
        X = X.round()
    signs = np.where(random.random(m) < draw(st.sampled_from([0.5, 0.1])), 1, -1).astype(np.int8)
    signs[:2] = 1, -1
    costs = np.full(m, 10.0 ** draw(st.integers(-3, 5)))
    if draw(st.booleans()):
        costs *= zeros(random, m)
        costs[0] = 1.0
    return X, signs, costs


@settings(max_examples=90)
@given(problems(), st.sampled_from(INTERCEPTS), st.integers(1, 30))
def test_the_gap_is_true_wherever_it_stops(problem, intercept, k):
    X, signs, costs = problem
    found = solve(X, signs, costs, intercept, tol=1e-12, after_look=stop_at(k))
    right(X, signs, costs, intercept, found)
    assert len(found.trace) <= k or found.stop is not Stop.CALLBACK
    other = objective(X, signs, costs, intercept, *soft_margin_qp(X, signs, costs, intercept))
    best = solve(X, signs, costs, intercept, tol=1e-12)
    rounding = slack(max(found.primal, found.alpha.sum()))
    least = min(other, best.primal)
    assert found.primal - least <= found.primal - found.dual + rounding
    assert best.dual <= least + slack(max(least, best.alpha.sum()))
    assert best.primal - best.dual <= 1e-8 * best.primal


@MODES
@pytest.mark.parametrize("method", [PrimalNewton, DualDescent])
def test_each_method_keeps_its_best_at_every_look(intercept, method):
    X, signs = example(11, m=60, d=4)
    costs = np.full(60, 5.0)
    least = solve(X, signs, costs, intercept, tol=1e-12).primal
    before, k = (np.inf, -np.inf), 0
    while True:
        k += 1
        w, b, alpha, ledger = by_method(
            method, X, signs, costs, intercept, goal=1e-10, after_look=stop_at(k)
        )
        feasible(signs, costs, intercept, alpha)
        primal = objective(X, signs, costs, intercept, w, b)
        dual = value(X, signs, intercept, alpha)
        assert ledger.primal == pytest.approx(primal, rel=1e-9)
        assert primal >= least * (1 - 1e-12)
        assert dual <= least * (1 + 1e-12)
        assert primal <= before[0] * (1 + 1e-12)
        if intercept != "free":  # else α is balanced only afterwards
            assert dual == pytest.approx(ledger.dual, rel=1e-9, abs=1e-9)
            assert dual >= before[1] - 1e-12 * abs(before[1])
        before = primal, dual
        if not ledger.asked_to or len(ledger.looks) < k:
            break
    assert k > 3


@MODES
def test_asked_to_stop_at_once(intercept):
    X, signs = example(12)
    found = solve(X, signs, np.ones(40), intercept, asked=lambda: Stop.BY_HAND)
    assert found.stop is Stop.BY_HAND
    assert len(found.trace) == 1
    right(X, signs, np.ones(40), intercept, found)


@MODES
def test_asked_to_stop_while_a_sample_is_solved(intercept):
    X, signs = example(13, m=5000)
    calls = iter(range(1, 10**9))
    found = solve(
        X, signs, np.ones(5000), intercept, asked=lambda: Stop.BY_HAND if next(calls) >= 2 else None
    )
    assert found.stop is Stop.BY_HAND
    assert len(found.trace) == 1
    right(X, signs, np.ones(5000), intercept, found)


@pytest.mark.parametrize("most", [1, 3, 7])
@pytest.mark.parametrize("d", [3, 1200])
def test_no_more_passes_than_allowed_but_for_the_last_look(most, d):
    X, signs = example(14, m=400, d=d)
    found = solve(X, signs, np.ones(400), "lifted", tol=1e-13, max_iter=most)
    assert found.passes <= most + 6
    assert found.stop is Stop.MAX_ITER
    right(X, signs, np.ones(400), "lifted", found)


# --- many examples, many features, dear errors --------------------------------------------------


@MODES
@pytest.mark.parametrize("store", [np.asarray, np.float32, sparse.csr_array])
def test_a_sample_first_and_fewer_rows_give_the_same(intercept, store, monkeypatch):
    X, signs = example(21, m=6000, noise=0.3)
    X, costs = store(X), np.random.default_rng(0).choice([0.5, 2.0], 6000)
    rows = np.asarray(X.todense() if sparse.issparse(X) else X, float)
    sampled, narrowed = [], []
    begin, fewer = PrimalNewton.begin, PrimalNewton._narrow

    def noted(self, *args):
        narrowed.append(fewer(self, *args))
        return narrowed[-1]

    monkeypatch.setattr(PrimalNewton, "begin", lambda *a: sampled.append(1) or begin(*a))
    monkeypatch.setattr(PrimalNewton, "_narrow", noted)
    found = solve(X, signs, costs, intercept, tol=1e-10)
    right(rows, signs, costs, intercept, found)
    assert len(sampled) >= 2  # the examples, and a sample of them
    monkeypatch.setattr(primal_newton, "MIN_SAMPLED_ROWS_PER_FEATURE", 10**9)
    monkeypatch.setattr(PrimalNewton, "_narrow", lambda *a: None)
    plain = solve(X, signs, costs, intercept, tol=1e-10)
    right(rows, signs, costs, intercept, plain)
    assert found.primal == pytest.approx(plain.primal, rel=2e-10)
    assert max(f.primal - f.dual for f in (found, plain)) <= 1e-10 * plain.primal
    np.testing.assert_allclose(found.w, plain.w, atol=1e-3)


def test_rows_are_left_out_and_looked_at_again(monkeypatch):
    X, signs = example(22, m=30_000, noise=0.2)
    fewer, wider, sizes, back = PrimalNewton._narrow, PrimalNewton._widen, [], []

    def narrowed(self, *args):
        found = fewer(self, *args)
        sizes.extend([] if found is None else [found[0].rows.m])
        return found

    monkeypatch.setattr(PrimalNewton, "_narrow", narrowed)
    monkeypatch.setattr(PrimalNewton, "_widen", lambda self, *a: back.append(1) or wider(self, *a))
    for k in (3, 6, 9, 12, 15, 18, 10**9):
        sizes.clear()
        back.clear()
        found = solve(X, signs, np.ones(30_000), "free", tol=1e-9, after_look=stop_at(k))
        right(X, signs, np.ones(30_000), "free", found)
    assert found.primal - found.dual <= 1e-9 * found.primal
    assert sizes
    assert back
    assert min(sizes) < 10_000


def text(seed, m=400, d=1200):
    random = np.random.default_rng(seed)
    S = sparse.random_array((m, d), density=0.02, format="csr", rng=random)
    S.sort_indices()
    signs = np.where(S @ random.standard_normal(d) > 0.1, 1, -1).astype(np.int8)
    return S, signs


@MODES
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_many_features(intercept, C, monkeypatch):
    S, signs = text(31)
    ran = []
    run = DualDescent.run
    monkeypatch.setattr(DualDescent, "run", lambda *a: ran.append(1) or run(*a))
    costs = C * np.random.default_rng(0).choice([0.0, 1.0, 3.0], 400, p=[0.1, 0.5, 0.4])
    found = solve(S, signs, costs, intercept, tol=1e-9)
    assert ran
    X = S.toarray()
    right(X, signs, costs, intercept, found)
    assert found.primal - found.dual <= 1e-9 * found.primal
    again = solve(S, signs, costs, intercept, tol=1e-9, start=found.alpha)
    assert again.passes < found.passes
    monkeypatch.setattr(
        soft_margin, "MAX_ROTATED_ROWS", 400
    )  # turned, and solved by Newton's steps
    turned = solve(S, signs, costs, intercept, tol=1e-9)
    assert len(ran) == 2
    right(X, signs, costs, intercept, turned)
    assert found.primal == pytest.approx(turned.primal, rel=2e-9)


@MODES
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_few_examples_of_many_features_are_turned(intercept, store):
    random = np.random.default_rng(41)
    X = np.where(random.random((30, 2000)) < 0.1, random.standard_normal((30, 2000)), 0.0)
    X[4:8] = X[:4]  # of lower rank
    signs = np.where(random.random(30) < 0.4, 1, -1).astype(np.int8)
    costs = np.full(30, 0.05)
    found = solve(store(X), signs, costs, intercept, tol=1e-9)
    right(X, signs, costs, intercept, found)
    assert found.w.shape == (2000,)
    assert found.primal - found.dual <= 1e-9 * found.primal
    narrow = np.flatnonzero(X.any(axis=0))
    w, b = soft_margin_qp(X[:, narrow], signs, costs, intercept)
    assert found.primal == pytest.approx(
        objective(X[:, narrow], signs, costs, intercept, w, b), rel=1e-8
    )


@MODES
@pytest.mark.parametrize("price", [1e6, 1e9, 1e12])
def test_dear_errors_tend_to_the_hard_margin(intercept, price):
    X, signs = example(51, noise=0.0)
    X[:, 0] += 0.1 * signs
    found = solve(X, signs, np.full(40, price), intercept, tol=1e-9)
    right(X, signs, np.full(40, price), intercept, found)
    assert found.primal - found.dual <= 1e-9 * found.primal
    assert np.min(signs * (X @ found.w + found.b)) >= 1 - 1e-9
    cheap = solve(X, signs, np.full(40, 1e4), intercept, tol=1e-9)
    assert found.primal == pytest.approx(cheap.primal, rel=1e-7)


@MODES
@pytest.mark.parametrize("k", [1, 2, 5, 20])
def test_dear_errors_and_an_early_stop(intercept, k):
    X, signs = example(52)
    costs = np.full(40, 1e8)
    found = solve(X, signs, costs, intercept, after_look=stop_at(k))
    right(X, signs, costs, intercept, found)
    least = solve(X, signs, costs, intercept, tol=1e-10)
    right(X, signs, costs, intercept, least)
    assert least.primal - least.dual <= 1e-10 * least.primal
    assert found.dual <= least.primal * (1 + 1e-10)


@pytest.mark.parametrize("dear", [1, -1])
def test_class_with_extreme_cost(dear):
    """Costs 10²⁰ apart: multipliers must balance, so those of the dear class stay small."""
    X, signs = example(53)
    costs = np.where(signs == dear, 1e20, 1.0)
    found = solve(X, signs, costs, "free", tol=1e-6)
    right(X, signs, costs, "free", found)
    # A margin may be off by γ_{d+2}·(|x|·|w| + |b|), for which the dear class pays 10²⁰ times.
    sizes = np.abs(X) @ np.abs(found.w) + abs(found.b)
    rounding = costs @ (gamma(X.shape[1] + 2) * sizes)
    assert found.primal - found.dual <= 1e-6 * found.primal + rounding
    assert np.all((signs * (X @ found.w + found.b))[signs == dear] >= 1 - 1e-9)


# --- warm starts, traces ------------------------------------------------------------------------


@MODES
@pytest.mark.parametrize("shape", [(60, 4), (20, 50), (2000, 3)])
def test_a_warm_start_is_no_worse(intercept, shape):
    X, signs = example(61, *shape)
    costs = np.random.default_rng(0).random(shape[0])
    cold = solve(X, signs, costs, intercept, tol=1e-9)
    warm = solve(X, signs, costs, intercept, tol=1e-9, start=cold.alpha)
    right(X, signs, costs, intercept, warm)
    assert warm.primal == pytest.approx(cold.primal, rel=1e-8)
    assert warm.trace.primal[0] <= cold.primal * (1 + 1e-6)
    for start in (2 * costs, -costs, np.random.default_rng(1).random(shape[0])):
        found = solve(X, signs, costs, intercept, tol=1e-9, start=start)
        right(X, signs, costs, intercept, found)
        assert found.primal == pytest.approx(cold.primal, rel=1e-8)


def test_the_same_every_time():
    S, signs = text(62)
    first, second = (solve(S, signs, np.ones(400), "free") for _ in range(2))
    assert np.array_equal(first.w, second.w)
    assert np.array_equal(first.alpha, second.alpha)


def test_traces_of_several_outputs():
    X, signs = example(63)
    traces = [solve(X, s, np.ones(40), "free").trace for s in (signs, -signs)]
    both = GapTrace.layer(traces)
    assert len(both) == sum(map(len, traces))
    assert np.array_equal(both.output, np.repeat([0, 1], [len(t) for t in traces]))
    assert np.array_equal(both.dual, np.r_[traces[0].dual, traces[1].dual])
    assert repr(both) == f"GapTrace({len(both)} looks at the examples)"


def test_a_gap_of_nothing_is_none():
    nothing = GapTrace(*np.zeros((5, 2)))
    assert np.array_equal(nothing.gap, [0.0, 0.0])


def test_pieces_cover_everything_once(shared):
    for count in (0, 1, 2, 7, 100):
        ranges = threads.pieces(count, 1e9)
        assert [t for start, stop in ranges for t in range(start, stop)] == list(range(count))
        assert len(ranges) == max(1, min(3, count))
    assert threads.in_pieces([(0, 2), (2, 3), (3, 9)], lambda k, a, b: (k, b - a)) == [
        (0, 2), (1, 1), (2, 6),
    ]  # fmt: skip


def test_an_error_in_a_piece_is_not_lost():
    def fails(k, start, stop):
        if k:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        threads.in_pieces([(0, 1), (1, 2)], fails)


@MODES
@pytest.mark.parametrize("stopped", [False, True])
def test_newton_takes_over_where_descent_has_no_patience_left(intercept, stopped, monkeypatch):
    random = np.random.default_rng(41)
    X = random.standard_normal((600, soft_margin.MIN_DESCENT_FEATURES))
    signs, costs = np.where(random.random(600) < 0.5, 1, -1).astype(np.int8), np.full(600, 0.1)
    ran, run = [], PrimalNewton.run
    monkeypatch.setattr(soft_margin, "PATIENCE_PER_DIGIT", 0.0)
    monkeypatch.setattr(PrimalNewton, "run", lambda *a: ran.append(1) or run(*a))
    after = {"after_look": stop_at(2)} if stopped else {}
    found = solve(X, signs, costs, intercept, tol=1e-9, **after)
    assert ran
    right(X, signs, costs, intercept, found)
    assert stopped or found.primal - found.dual <= 1e-9 * found.primal
