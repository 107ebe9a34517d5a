"""LogisticExcess: the excess is never more than the certified gap, and no false claim verifies."""

from __future__ import annotations

import json
import math
from dataclasses import fields, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.certificates import CannotClaim, Certificate, LogisticExcess
from certo.certificates.regression.logistic_curvature import Decrement, decrement
from certo.certificates.regression.logistic_terms import LogisticProblem, Point, relative
from certo.estimators import LogisticRegression
from certo.issue.regression import logistic_search as search
from certo.issue.regression.logistic_excess import issue_logistic_excess
from tests.oracles.logistic_truth import KINDS, STORES, Problem, problem

seeds = st.integers(0, 10**6)
problems = st.builds(
    problem,
    st.sampled_from(KINDS[:5]),
    seeds,
    st.integers(2, 4),
    st.sampled_from(["free", "none"]),
    st.sampled_from([0.0, 0.0, 1e-3, 0.5]),
)


def near(p: Problem, seed: int) -> np.ndarray:
    """The best weights found, or some on the way or beside them."""
    rng = np.random.default_rng(seed)
    W = p.best(int(rng.choice([1, 3, 60, 60])))
    noise = rng.choice([0.0, 0.0, 1e-9, 1e-5, 1e-2])
    return np.asarray(W * (1 + noise * rng.standard_normal(W.shape)), dtype=float)


def again(claim: LogisticExcess) -> LogisticExcess:
    return Certificate.from_dict(json.loads(json.dumps(claim.to_dict())))


def is_true(claim: LogisticExcess, p: Problem, least) -> bool:
    """Of a claim about all weights: what it says of the point, and of the least risk."""
    W = np.hstack([claim.coef, claim.intercept[:, None]])[:, : p.lift.shape[1]]
    spare = np.longdouble(1e-15)  # of the truth itself
    return p.risk(W) <= claim.risk + spare and claim.lower <= least + spare


class TestTheClaim:
    @settings(max_examples=30, deadline=None)
    @given(problems, seeds)
    def test_the_gap_bounds_the_excess(self, p, seed):
        W = near(p, seed)
        claim = p.claim(W)
        best = p.best()
        assert is_true(claim, p, p.risk(best))
        assert claim.verify(p.X, p.y), claim.verify(p.X, p.y)
        assert p.risk(W) - p.risk(best) <= claim.gap + 1e-15

    @settings(max_examples=20, deadline=None)
    @given(problems, seeds, st.sampled_from(STORES))
    def test_claim_holds_in_every_storage_and_after_json(self, p, seed, store):
        claim = p.claim(near(p, seed))
        copy = again(claim)
        assert copy == claim
        assert copy.verify(store(p.X), p.y), copy.verify(store(p.X), p.y)

    @pytest.mark.parametrize("classes", [2, 3, 5])
    @pytest.mark.parametrize("treatment", ["free", "none"])
    @pytest.mark.parametrize("ridge", [0.0, 0.01])
    def test_claim_is_tight_at_the_minimum(self, classes, treatment, ridge):
        rng = np.random.default_rng(classes)
        X = rng.standard_normal((120, 3))
        p = Problem(X, rng.integers(0, classes, 120), classes, treatment, ridge)
        claim = p.claim(p.best())
        assert claim.proof == "curvature"
        assert claim.exists
        assert claim.gap < 1e-12
        assert "which some coefficients attain" in claim.claim
        assert claim.verify(X, p.y)

    def test_far_from_the_minimum_only_zero_is_claimed(self):
        p = problem("plain", 1, 2, "free", 0.0)
        claim = p.claim(np.full((1, p.lift.shape[1]), 50.0))
        assert claim.proof == "none"
        assert claim.lower == 0.0
        assert not claim.exists
        assert claim.verify(p.X, p.y)

    @pytest.mark.parametrize("classes", [2, 4])
    def test_weights_are_repetitions(self, classes):
        rng = np.random.default_rng(0)
        X, codes = rng.standard_normal((40, 2)), rng.integers(0, classes, 40)
        times = rng.integers(0, 4, 40)
        weighted = Problem(X, codes, classes, sample_weight=times.astype(float))
        repeated = Problem(np.repeat(X, times, axis=0), np.repeat(codes, times), classes)
        W = repeated.best()
        one, other = weighted.claim(W), repeated.claim(W)
        assert one.risk == pytest.approx(other.risk, abs=1e-13)
        assert one.lower == pytest.approx(other.lower, abs=1e-13)

    def test_weights_of_classes(self):
        rng = np.random.default_rng(0)
        X, codes = rng.standard_normal((60, 2)), rng.integers(0, 3, 60)
        p = Problem(X, codes, 3, sample_weight=np.array([1.0, 2.0, 0.5])[codes])
        W = np.asarray(p.best(), dtype=float)
        claim = issue_logistic_excess(
            p.sample, p.labels, coef=W[:, :2], intercept=W[:, 2], treatment="free",
            class_weight=[1.0, 2.0, 0.5],
        )  # fmt: skip
        assert claim.risk == p.claim(W).risk
        assert claim.gap < 1e-12
        assert claim.verify(X, p.y)

    @pytest.mark.parametrize("classes", [2, 3])
    def test_float32_and_sparse_are_the_same_numbers(self, classes):
        rng = np.random.default_rng(3)
        X = rng.standard_normal((80, 3)).astype(np.float32) * (rng.random((80, 3)) < 0.6)
        p = Problem(X.astype(float), rng.integers(0, classes, 80), classes)
        for stored in (X, sparse.csr_array(X), sparse.csr_array(X.astype(float))):
            claim = p.claim(p.best(), X=stored)
            assert claim.gap < 1e-12
            assert claim.verify(p.X, p.y)


class TestLargeNumbers:
    @pytest.mark.parametrize("classes", [2, 3])
    @pytest.mark.parametrize("scale", [1e4, 1e15, 1e150, 1e300])
    def test_overflow_is_reported(self, classes, scale):
        p = problem("plain", 5, classes, "free", 0.0)
        W = scale * np.random.default_rng(0).standard_normal((p.outputs, p.lift.shape[1]))
        try:
            claim = p.claim(W)
        except CannotClaim:
            assert scale > 1e100
            return
        assert is_true(claim, p, p.risk(p.best()))
        assert claim.verify(p.X, p.y)

    def test_separable_scores_of_ten_thousand(self):
        X, codes = np.array([[-1.0], [-2.0], [1.0], [3.0]]), np.array([0, 0, 1, 1])
        p = Problem(X, codes, 2)
        claim = p.claim([[1e4, 0.0]], alive=np.zeros(4, dtype=bool))
        assert claim.risk < 1e-130
        assert claim.lower == 0.0
        assert claim.verify(X, p.y)

    @pytest.mark.parametrize("most", [1.0, 1e300])  # shares underflow, or are 0
    def test_weights_that_float64_cannot_compare(self, most):
        weights = np.array([most, most, 1e-300])
        p = Problem(np.array([[0.0], [0.0], [1.0]]), np.array([0, 1, 1]), 2, sample_weight=weights)
        with pytest.raises(CannotClaim, match="weights"):
            p.claim([[0.0, 0.0]], kept=[1], combinations=((Fraction(0),),))

    @settings(max_examples=20, deadline=None)
    @given(seeds)
    def test_ill_conditioned_columns(self, seed):
        rng = np.random.default_rng(seed)
        Z, scale = rng.standard_normal((60, 3)), 10.0 ** -rng.integers(0, 8)
        X = np.c_[Z[:, :2], Z[:, 0] + scale * Z[:, 2]]
        easy = Problem(Z, rng.integers(0, 2, 60), 2)
        W = np.asarray(easy.best(), dtype=float)
        W[0, 2] /= scale
        W[0, 0] -= W[0, 2]
        p = easy._replace(X=X)
        claim = p.claim(W)
        assert claim.proof == "curvature"
        assert claim.verify(X, p.y)
        assert is_true(claim, p, easy.risk(easy.best()) + 1e-16 / scale)


class TestRounding:
    """What the derivations rest on."""

    @settings(max_examples=30, deadline=None)
    @given(seeds, st.integers(2, 6), st.sampled_from([1.0, 30.0, 300.0]))
    def test_losses_and_probabilities(self, seed, classes, scale):
        rng = np.random.default_rng(seed)
        p = Problem(scale * rng.standard_normal((200, 2)), rng.integers(0, classes, 200), classes)
        W = rng.standard_normal((p.outputs, 3))
        shares = np.full(200, 1 / 200)
        problem = LogisticProblem(p.sample, classes, True, shares, None)
        terms = Point.at(problem, W[:, :2], W[:, 2], 0.0).terms
        assert np.all(np.abs(terms.losses - p.losses(W)) <= terms.losses_off + 1e-18)
        f = p.scores(W)
        chance = np.exp(f - f.max(axis=1, keepdims=True))
        chance = (chance / chance.sum(axis=1, keepdims=True))[:, -p.outputs :]
        off = (np.exp(4 * terms.within) - 1 + relative(classes))[:, None]
        assert np.all(np.abs(terms.shares - chance) <= off * chance + 1e-130)
        rest = 1 - chance  # which loses digits where chance is nearly 1: there add the others
        for t, k in np.argwhere(chance > 0.5):
            e = np.exp(f[t] - f[t].max())
            rest[t, k] = np.sum(np.delete(e, k - p.outputs)) / np.sum(e)
        assert np.all(np.abs(terms.others - rest) <= off * rest + 1e-130)

    @settings(max_examples=20, deadline=None)
    @given(problems, seeds)
    def test_the_hessian_in_its_coordinates(self, p, seed):
        claim = p.claim(p.best())
        if claim.proof != "curvature":
            return
        point = claim._point(p.sample)
        found = claim.hessian(point)
        c = p.classes - 1
        W = np.hstack([claim.coef, claim.intercept[:, None]])[:, : p.lift.shape[1]]
        g, chance = p.gradient(W)
        chance = chance[:, -p.outputs :][:, :c]
        Z = [np.longdouble(p.lift[:, claim.kept]) @ np.longdouble(T) for T in claim.factors]
        blocks = [
            [
                (p.shares * chance[:, k] * ((k == j) - chance[:, j]))[:, None] * Z[k]
                for j in range(c)
            ]
            for k in range(c)
        ]
        gram = np.block([[blocks[k][j].T @ Z[j] for j in range(c)] for k in range(c)]).astype(float)
        d = p.X.shape[1]
        slopes = [T[:d] for T in claim.factors]
        couple = np.eye(c) - (1 / p.classes if p.classes > 2 else 0.0)
        gram += p.ridge * np.block(
            [[couple[k, j] * slopes[k].T @ slopes[j] for j in range(c)] for k in range(c)]
        )
        # lower than the truth, by no more than is said
        assert np.linalg.eigvalsh(gram - found.gram)[0] >= -found.gram_off - 1e-15
        assert np.linalg.norm(gram - found.gram) < 1e-9
        if p.classes == 2:
            pull = claim.factors[0].T @ g[0, claim.kept].astype(float)
            assert np.linalg.norm(pull - found.pull) < 1e-9
        lengths = [np.sqrt(np.max(np.sum(z * z, axis=1)[p.shares > 0])) for z in Z]
        assert np.all(found.longest >= np.array(lengths) * (1 - 1e-15))
        # that of every third row is lower, and the gradient is that of all rows
        part = claim.hessian(point, stride=3)
        assert np.linalg.eigvalsh(found.gram - part.gram)[0] >= -1e-12
        assert np.all(np.abs(part.pull - found.pull) <= part.pull_off + found.pull_off)
        whole, fewer = (decrement(point, look, 1) for look in (found, part))
        assert not fewer.shown or fewer.size >= whole.size * (1 - 1e-12) - 1e-15

    @given(st.floats(1e-8, 0.999), st.floats(1e-3, 1e3))
    def test_the_excess_of_a_decrement(self, x, r):
        """Against the least value of −λh + (e^{−rh} + rh − 1)/r², in many digits."""
        x, r = np.longdouble(x), np.longdouble(r)
        least = (x + (1 - x) * np.log1p(-x)) / r**2
        found = Decrement(float(x / r), float(r))
        assert found.shown
        assert found.excess >= least
        if x < 0.5:
            assert found.excess <= 1.02 * least + 1e-17 / r**2
        assert not Decrement(1.01 / float(r), float(r)).shown


class TestExistence:
    @settings(max_examples=30, deadline=None)
    @given(seeds, st.integers(2, 3), st.sampled_from(["free", "none"]))
    def test_separation_agrees_with_a_linear_program(self, seed, classes, treatment):
        p = problem("integer", seed, classes, treatment, 0.0)._replace(sample_weight=None)
        claim = p.claim(p.best())
        won, _ = p.separated()
        if won.any():
            assert not claim.exists
        elif np.linalg.matrix_rank(p.lift) == p.lift.shape[1]:
            assert claim.exists
            assert claim.gap < 1e-9

    @settings(max_examples=30, deadline=None)
    @given(seeds, st.integers(2, 4), st.sampled_from(["free", "none"]))
    @example(150, 4, "free")
    def test_inseparable_examples_have_a_minimum(self, seed, classes, treatment):
        """The infimum is that of what is left, and is reached along the direction."""
        p = problem("repeated", seed, classes, treatment, 0.0)._replace(sample_weight=None)
        won, u = p.separated()
        if not won.any():
            return
        left = ~won
        alive = left[np.arange(len(won)), 1 - p.codes] if classes == 2 else left
        W = minimum_of_the_rest(p, left)
        far = u[1:] - u[0] if classes == 2 else u
        W = W + 2.0**9 * np.round(far, 6)
        rows = alive if classes == 2 else left.sum(axis=1) > 1
        options = basis(p, rows)
        claim = p.claim(W, alive=alive, **options)
        assert not claim.exists
        assert claim.verify(p.X, p.y)
        assert claim.lower <= p.risk(W)
        for scale in (0.0, 1.0, 30.0):
            assert claim.lower <= p.risk(W + scale * far) + 1e-15
        if claim.proof == "curvature" and claim.reach is None:
            assert claim.lower <= np.sum(p.shares * p.losses(W, left)) + 1e-15


def minimum_of_the_rest(p: Problem, left: np.ndarray) -> np.ndarray:
    """Weights of nearly the least risk over the comparisons left."""
    from scipy.optimize import minimize

    shape = (p.outputs, p.lift.shape[1])
    far = minimize(
        lambda w: float(np.sum(p.shares * p.losses(w.reshape(shape), left)) + 1e-9 * w @ w),
        np.zeros(shape).ravel(), method="BFGS", options={"maxiter": 60},
    )  # fmt: skip
    return far.x.reshape(shape)


def basis(p: Problem, rows: np.ndarray):
    """Columns that are independent on these rows, and the others as combinations of them."""
    from certo.solvers.dependence import combinations, kept_columns

    part = p.lift[rows]
    if not len(part):
        return {}
    gram = part.T @ part
    kept = kept_columns(gram, p.lifted)
    return {"kept": kept, "combinations": combinations(gram, kept, p.lifted, part[0])}


class TestDroppedTerms:
    @settings(max_examples=30, deadline=None)
    @given(seeds, st.integers(2, 4))
    def test_claim_is_true_whichever_columns_are_dropped(self, seed, classes):
        p = problem("plain", seed, classes, "free", 0.0)._replace(sample_weight=None)
        rng = np.random.default_rng(seed)
        share = rng.choice([0.1, 0.5, 0.9])
        shape = len(p.X) if classes == 2 else (len(p.X), classes)
        claim = p.claim(near(p, seed), alive=rng.random(shape) > share)
        assert is_true(claim, p, p.risk(p.best()))
        assert claim.verify(p.X, p.y)
        assert not claim.exists or not claim.dropped.size

    def test_a_column_of_one_class(self):
        """An indicator that only the second class has: its examples are dropped."""
        rng = np.random.default_rng(0)
        X = np.c_[rng.standard_normal(60), np.zeros(60)]
        codes = rng.integers(0, 2, 60)
        X[np.flatnonzero(codes == 1)[:5], 1] = 1.0
        p, rows = Problem(X, codes, 2), X[:, 1] == 0
        rest = Problem(X[rows], codes[rows], 2)
        W = np.asarray(rest.best(), dtype=float)
        W[0, 1] = 60.0
        claim = p.claim(W, alive=rows, **basis(p, rows))
        infimum = np.mean(rest.losses(W)) * rows.mean()
        assert claim.gap < 1e-12
        assert abs(claim.lower - infimum) < 1e-12
        assert not claim.exists
        assert "attain" not in claim.claim
        assert claim.verify(X, p.y)

    def test_a_column_of_two_classes_of_four(self):
        """The coefficients of the other two classes have no effect on what is left."""
        rng = np.random.default_rng(1)
        codes = rng.integers(0, 4, 200)
        mark = (codes < 2) & (rng.random(200) < 0.3)
        for off in (0.0, 1 / 3):
            X = np.c_[rng.standard_normal(200), mark - off]
            p = Problem(X, codes, 4)
            left = np.ones((200, 4), dtype=bool)
            left[np.ix_(mark, [2, 3])] = False
            W = minimum_of_the_rest(p, left)
            for _ in range(3):  # to full precision, on the coordinates that matter
                W = polished(p, left, W)
            W[2:, 1] -= 80.0
            if off:
                W[2:, 2] -= 80.0 * off
            claim = p.claim(W, alive=left)
            assert claim.fixed.size == 2
            assert claim.gap < 1e-10
            assert claim.verify(X, p.y)
            free = replace(claim, ties=tuple((Fraction(1),) * len(t) for t in claim.ties))
            assert not free.verify(X, p.y)

    def test_with_a_ridge_nothing_is_without_effect(self):
        X = np.array([[1.0], [0.0], [1.0], [0.0], [2.0], [0.0]])
        p = Problem(X, np.array([0, 1, 2, 0, 1, 2]), 3, ridge=0.1)
        alive = np.ones((6, 3), dtype=bool)
        alive[:, 0] = False
        claim = p.claim(np.zeros((3, 2)), alive=alive)
        assert not claim.fixed.size
        assert claim.verify(X, p.y)


def polished(p: Problem, left: np.ndarray, W: np.ndarray) -> np.ndarray:
    """A Newton step for what is left."""
    f = np.where(left, p.scores(W), -np.inf)
    chance = np.exp(f - f.max(axis=1, keepdims=True))
    chance = (chance / chance.sum(axis=1, keepdims=True)).astype(float)
    apart = chance - (p.codes[:, None] == np.arange(p.classes))
    s = p.shares.astype(float)
    g = (s[:, None] * apart).T @ p.lift
    weights = np.einsum("ik,kl->ikl", chance, np.eye(p.classes)) - np.einsum(
        "ik,il->ikl", chance, chance
    )
    H = np.einsum("i,ikl,ia,ib->kalb", s, weights, p.lift, p.lift).reshape(2 * (W.size,))
    return W - np.linalg.lstsq(H, g.ravel(), rcond=1e-10)[0].reshape(W.shape)


class TestDependentColumns:
    @settings(max_examples=20, deadline=None)
    @given(seeds, st.integers(2, 3), st.sampled_from(["free", "none"]))
    def test_exact_combinations_cost_nothing(self, seed, classes, treatment):
        p = problem("collinear", seed, classes, treatment, 0.0)._replace(sample_weight=None)
        claim = p.claim(p.best(), **basis(p, np.ones(len(p.X), dtype=bool)))
        assert is_true(claim, p, p.risk(p.best()))
        assert claim.verify(p.X, p.y)
        assert claim.reach is None

    @pytest.mark.slow
    @settings(max_examples=20, deadline=None)
    @given(seeds, st.integers(2, 3))
    def test_near_combinations_have_a_reach(self, seed, classes):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((50, 2))
        X = np.c_[X, 0.1 * X[:, 0] + 0.7 * X[:, 1] + 1e-9 * rng.standard_normal(50)]
        p = Problem(X, rng.integers(0, classes, 50), classes)
        kept = np.array([0, 1, 3])
        W = np.zeros((p.outputs, 4))
        W[:, kept] = Problem(X[:, :2], p.codes, classes).best()
        line = (Fraction(1, 10), Fraction(7, 10), Fraction(0))
        claim = p.claim(W, kept=kept, combinations=(line,))
        assert claim.reach is not None
        assert not claim.exists
        assert claim.verify(X, p.y)
        assert claim.gap < 1e-9
        assert "nearly combinations" in claim.claim
        for _ in range(5):  # nothing within reach is better
            V = W.copy()
            moved = rng.uniform(0, claim.reach) * np.eye(p.outputs)[rng.integers(p.outputs)]
            V[:, 2] += moved
            V[:, [0, 1]] -= np.outer(moved, [0.1, 0.7])
            assert p.risk(V) >= claim.lower
        assert not replace(claim, reach=None, nearly=claim.nearly[:0]).verify(X, p.y)
        assert not replace(claim, reach=1e6 * claim.reach).verify(X, p.y)

    @pytest.mark.parametrize("seed", range(4))
    def test_near_combinations_in_every_container(self, seed):
        """Fahrenheit is Celsius but for a rounding, which is as large as that of the check."""
        rng = np.random.default_rng(seed)
        celsius = np.round(rng.normal(15, 8, 80), 1)
        X = np.column_stack([celsius, 1.8 * celsius + 32, rng.standard_normal(80)])
        y = rng.random(80) < 1 / (1 + np.exp((15 - celsius) / 8))
        stored = (X, np.asfortranarray(X), sparse.csr_array(X), sparse.csc_array(X))
        for first in stored:
            claim = LogisticRegression().fit(first, y).certificate_.of_kind(LogisticExcess)[0]
            assert claim.reach is not None
            assert all(claim.verify(other, y) for other in stored)

    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_constant_columns(self, dtype):
        rng = np.random.default_rng(0)
        X = np.c_[rng.standard_normal(50), np.full(50, 0.1)].astype(dtype)
        p = Problem(X.astype(float), rng.integers(0, 2, 50), 2)
        W = np.asarray(p.best(), dtype=float)
        for value, exact in ((Fraction(float(X[0, 1])), True), (Fraction(1, 10), False)):
            claim = p.claim(W, X=X, kept=[0, 2], combinations=((Fraction(0), value),))
            assert (claim.reach is None) == exact
            assert claim.verify(X, p.y)


class TestRidge:
    @settings(max_examples=30, deadline=None)
    @given(
        seeds, st.integers(2, 4), st.sampled_from(["free", "none"]), st.sampled_from([0.01, 1.0])
    )
    def test_the_ridge_alone_bounds_the_excess(self, seed, classes, treatment, ridge):
        p = problem("plain", seed, classes, treatment, ridge)
        W = near(p, seed)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(search, "MAX_RIDGE_CURVATURE_DIM", 0)
            claim = p.claim(W)
        assert is_true(claim, p, p.risk(p.best()))
        assert claim.verify(p.X, p.y)
        assert claim.proof == "ridge"
        assert claim.exists

    @pytest.mark.slow
    def test_wide_tables(self):
        rng = np.random.default_rng(0)
        X, codes = sparse.random_array((30, 3000), density=0.02, rng=rng).tocsr(), np.arange(30) % 3
        p = Problem(X.toarray(), codes, 3, "none", 0.1)
        W = np.zeros((3, 3000))
        for _ in range(300):
            W = W - 2.0 * p.gradient(W)[0].astype(float)
        claim = p.claim(W, X=X)
        assert claim.proof == "ridge"
        assert claim.gap < 1e-10
        assert claim.verify(p.X, p.y)

    def test_a_class_without_weight_has_no_bounded_intercept(self):
        X, codes = np.arange(6.0)[:, None], np.array([0, 1, 0, 1, 2, 2])
        p = Problem(X, codes, 3, "free", 0.1, np.array([1.0, 1, 1, 1, 0, 0]))
        claim = p.claim(np.zeros((3, 2)))
        assert claim.proof == "none"
        assert not claim.exists


def attacks(claim: LogisticExcess, rng):
    """Certificates that say more, or speak of other things."""
    yield replace(claim, lower=min(claim.risk, claim.lower + 10.0 ** -rng.integers(1, 12)))
    yield replace(claim, risk=max(claim.lower, claim.risk - 10.0 ** -rng.integers(1, 12)))
    yield replace(claim, risk=claim.lower)
    yield replace(claim, ridge=claim.ridge / 2)
    noise = 1 + 10.0 ** -rng.integers(1, 10) * rng.standard_normal(claim.coef.shape)
    yield replace(claim, coef=claim.coef * noise)
    if claim.proof == "curvature":
        for size in (1e-3, 0.3, 1e3):
            yield replace(claim, factors=tuple(
                np.triu(T * (1 + size * rng.standard_normal(T.shape))) for T in claim.factors
            ))  # fmt: skip
        if claim.kept.size > 1 and not claim.ridge and not claim.fixed.size:
            small = tuple(T[1:, 1:] for T in claim.factors)
            lines = (
                (Fraction(0),) * (claim.kept.size - 1),
                *(line[1:] for line in claim.combinations),
            )
            for reach in (None, 0.0, 1.0):
                yield replace(
                    claim, kept=claim.kept[1:], factors=small, combinations=lines, reach=reach,
                    nearly=claim.kept[:0] if reach is None else claim.kept[:1],
                )  # fmt: skip
    if claim.dropped.size:
        yield replace(claim, dropped=claim.dropped[:0])
        yield replace(claim, dropped=claim.dropped[1:])
    elif claim.proof != "ridge":
        yield replace(claim, dropped=np.array([0]))
    if claim.sample_weight.size:
        yield replace(claim, sample_weight=claim.sample_weight[::-1].copy())
        yield replace(claim, sample_weight=np.zeros(0))


class TestAttacks:
    @pytest.mark.slow
    @settings(max_examples=12, deadline=None)
    @given(problems, seeds)
    def test_false_claims_are_refuted(self, p, seed):
        claim = p.claim(near(p, seed))
        rng = np.random.default_rng(seed)
        for forged in attacks(claim, rng):
            weight = forged.sample_weight if forged.sample_weight.size else None
            truth = p._replace(ridge=forged.ridge, sample_weight=weight)
            if forged.verify(p.X, p.y) and forged.reach is None:
                assert is_true(forged, truth, truth.risk(truth.best())), forged

    @settings(max_examples=16, deadline=None)
    @given(problems, seeds)
    def test_other_data_verify_only_if_the_claim_is_true_of_them(self, p, seed):
        claim, rng = p.claim(near(p, seed)), np.random.default_rng(seed)
        X, codes = p.X.copy(), p.codes.copy()
        t, j = rng.integers(len(X)), rng.integers(X.shape[1])
        X[t, j] += rng.choice([1e-6, 0.1, 10.0])
        codes[rng.integers(len(X))] = rng.integers(p.classes)
        for other in (p._replace(X=X), p._replace(codes=codes)):
            if claim.verify(other.X, other.y):
                assert is_true(claim, other, other.risk(other.best()))

    def test_a_minimum_that_does_not_exist_is_not_claimed(self):
        X, codes = np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
        p = Problem(X, codes, 2)
        tie = p.claim([[40.0, -40.0]], alive=np.array([False, True, True, False]),
                      kept=[1], combinations=((Fraction(1),),))  # fmt: skip
        assert tie.proof == "curvature"
        assert not tie.exists
        assert tie.verify(X, p.y)
        assert tie.lower == pytest.approx(math.log(2) / 2)
        assert not replace(tie, dropped=tie.dropped[:0]).verify(X, p.y)

    def test_shapes_and_rows(self):
        p = problem("plain", 1, 2, "free", 0.0)
        claim = p.claim(p.best())
        assert not claim.verify(p.X[1:], p.y[1:])
        assert not claim.verify(np.c_[p.X, p.X], p.y)
        assert not claim.verify(p.X, ["z"] * len(p.X))
        assert not replace(claim, dropped=np.array([10**6]), proof="none", kept=[], factors=(),
                           lower=0.0).verify(p.X, p.y)  # fmt: skip


class TestHostileFields:
    def claim(self, classes=3):
        p = problem("plain", 1, classes, "free", 0.0)
        return p.claim(p.best())

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("treatment", "lifted"), ("ridge", -1.0), ("ridge", math.nan), ("risk", math.inf),
            ("lower", -1.0), ("lower", 99.0), ("coef", [[1.0]]), ("coef", [1.0]),
            ("coef", [[math.nan] * 2] * 3), ("intercept", [0.0]), ("dropped", [3, 2]),
            ("dropped", [-1]), ("kept", [0]), ("kept", [0, 0]), ("kept", [0, 99]), ("kept", []),
            ("combinations", ((Fraction(1),),)), ("fixed", [99]), ("fixed", [0]),
            ("nearly", [0]), ("nearly", [-1]), ("reach", 1.0),
            ("ties", ((Fraction(1),),)), ("factors", ()), ("reach", -1.0), ("reach", math.inf),
            ("proof", "ridge"), ("proof", "none"), ("proof", "trust me"), ("proof", 3),
            ("class_weight", [1.0]), ("class_weight", [-1.0, 1.0, 1.0]), ("sample_weight", [1.0]),
            ("sample_weight", [math.nan] * 3), ("examples", 2.5), ("intercept", ["x"] * 3),
        ],
    )  # fmt: skip
    def test_they_are_refused(self, field, value):
        with pytest.raises((ValueError, TypeError)):
            replace(self.claim(), **{field: value})

    def test_factors_that_are_no_triangles(self):
        claim = self.claim()
        for spoil in (
            np.zeros_like,
            np.ones_like,
            np.transpose,
            lambda T: T[1:],
            lambda T: T * np.inf,
        ):
            with np.errstate(invalid="ignore"), pytest.raises(ValueError, match="factor"):
                replace(claim, factors=(*claim.factors[1:], spoil(claim.factors[0])))

    def test_a_ridge_keeps_all_columns(self):
        p = problem("plain", 1, 2, "free", 0.1)
        claim = p.claim(p.best())
        with pytest.raises(ValueError, match="ridge"):
            replace(
                claim, kept=claim.kept[1:], factors=(np.eye(claim.kept.size - 1),),
                combinations=((Fraction(0),) * (claim.kept.size - 1),),
            )  # fmt: skip

    def test_no_coordinate_is_fixed_for_two_classes(self):
        claim = self.claim(2)
        free = claim.kept.size - 1
        with pytest.raises(ValueError, match="two classes"):
            replace(claim, fixed=[0], ties=((Fraction(0),) * free,), factors=(np.eye(free),))

    def test_json_with_other_fields(self):
        data = self.claim(2).to_dict()
        for f in fields(LogisticExcess):
            with pytest.raises(ValueError, match="fields"):
                Certificate.from_dict({k: v for k, v in data.items() if k != f.name})
            for value in ("x", {}, [[]], [["x"]], 1e400):
                with pytest.raises(ValueError, match=r"must|could not|there"):
                    Certificate.from_dict(data | {f.name: value})

    def test_labels(self):
        claim = self.claim(2)
        for labels in (replace(claim.labels, positive=0), replace(claim.labels, column=1)):
            with pytest.raises(ValueError, match="labels"):
                replace(claim, labels=labels)


def test_no_columns_at_all():
    p = Problem(np.zeros((4, 0)), np.array([0, 1, 1, 1]), 2)
    claim = p.claim([[math.log(3)]])
    assert claim.exists
    assert claim.gap < 1e-13
    assert claim.verify(p.X, p.y)
    none = p._replace(treatment="none").claim(np.zeros((1, 0)))
    assert none.risk == pytest.approx(math.log(2))
    assert none.gap < 1e-13  # the scores are 0, whatever happens
    assert none.verify(p.X, p.y)
