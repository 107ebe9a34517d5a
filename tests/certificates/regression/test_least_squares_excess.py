"""LeastSquaresExcess: what is claimed is true in rational arithmetic, whoever made the witness."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo import LeastSquares
from certo.certificates import CannotClaim, Certificate, Composite, Sample
from certo.certificates.base import Refuted
from certo.certificates.regression import factors
from certo.certificates.regression.least_squares_evidence import by_rows
from certo.certificates.regression.least_squares_excess import LeastSquaresExcess
from certo.certificates.sample.values import Values
from certo.issue.regression.least_squares_excess import issue_least_squares_excess
from certo.issue.regression.least_squares_sums import by_gram
from certo.numbers import exact
from certo.problems.shifted_gram import ShiftedGram
from tests.oracles.least_squares_truth import Truth

TREATMENTS = ["free", "none"]
STORES = [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_matrix, np.ndarray.tolist]
KINDS = [
    "plain", "integer", "collinear", "repeated", "constant", "wide", "shifted", "scales",
    "exact fit", "nearly collinear",
]  # fmt: skip

treatments = st.sampled_from(TREATMENTS)
kinds = st.sampled_from(KINDS)
seeds = st.integers(0, 10**6)


class Problem(Truth):
    @property
    def treatment(self) -> str:
        return "free" if self.lifted else "none"

    @property
    def labels(self) -> Values:
        return Values(self.Y.shape[1] if self.Y.shape[1] > 1 else None)

    @property
    def y(self) -> np.ndarray:
        return self.Y if self.Y.shape[1] > 1 else self.Y[:, 0]

    @property
    def weights(self) -> np.ndarray:
        return np.asarray(self.sample_weight) if len(self.sample_weight) else np.ones(len(self.X))

    @property
    def shift(self) -> np.ndarray:
        """The means; of a constant column its value, not rounded."""
        table = np.c_[self.X, self.Y]
        counts = table[self.weights > 0]
        means = np.where(
            np.ptp(counts, axis=0) == 0, counts[0], self.weights @ table / self.weights.sum()
        )
        return means if self.lifted else 0 * means

    def fitted(self) -> tuple[np.ndarray, np.ndarray]:
        """By LAPACK on centred data."""
        d, s, c = self.X.shape[1], np.sqrt(self.weights / self.weights.sum())[:, None], self.shift
        Z = s * (np.c_[self.X, self.Y] - c)
        penalty = np.sqrt(self.ridge) * np.eye(d, Z.shape[1])
        Z = np.vstack([Z, penalty])
        W = np.linalg.lstsq(Z[:, :d], Z[:, d:], rcond=None)[0].T
        return W, c[d:] - W @ c[:d] if self.lifted else np.zeros(len(W))

    def factor(self, kept) -> np.ndarray:
        """B with BᵀAB = I over these columns, by QR of the shifted rows."""
        d = self.X.shape[1]
        Z = np.c_[self.X - self.shift[:d], np.ones(len(self.X))][:, kept]
        Z = np.sqrt(self.weights / self.weights.sum())[:, None] * Z
        penalty = np.sqrt(self.ridge) * np.eye(d + 1)[:d][:, kept]
        R = np.linalg.qr(np.vstack([Z, penalty]), mode="r")
        return np.linalg.inv(R)

    def gram(self) -> ShiftedGram:
        Z = np.c_[np.c_[self.X, self.Y] - self.shift, np.ones(len(self.X))]
        return ShiftedGram(self.shift, (Z.T * self.weights) @ Z, len(Z), len(Z) + 4)

    def claim(self, coef, intercept, data=None, **options) -> LeastSquaresExcess:
        if data is None:
            data = Sample.of(self.X, self.y, self.labels)
        if not options:
            kept, lines = self.columns()
            if not self.ridge:
                options = {"kept": kept, "combinations": lines, "factor": self.factor(kept)}
            else:
                kept = np.arange(self.X.shape[1] + self.lifted)
                options = {"factor": self.factor(kept)}
        return issue_least_squares_excess(
            data, self.labels, coef=coef, intercept=intercept, treatment=self.treatment,
            ridge=self.ridge, sample_weight=self.sample_weight, shift=self.shift, **options,
        )  # fmt: skip

    def holds(self, claim: LeastSquaresExcess) -> bool:
        """In rational arithmetic, over all coefficients."""
        assert claim.reach is None
        F, least = self.objective(claim.coef, claim.intercept), self.minimum()
        near = (
            claim.distance is None
            or self.distance_squared(claim.coef) <= Fraction(claim.distance) ** 2
        )
        enough = claim.risk >= F and claim.excess >= F - least and claim.lower <= least
        return enough and near


def problem(kind: str, seed: int, treatment: str, ridge: float | None = None) -> Problem:
    rng = np.random.default_rng(seed)
    m, d, q = int(rng.integers(6, 14)), int(rng.integers(1, 4)), int(rng.integers(1, 3))
    d = m + 1 if kind == "wide" else d
    X = rng.integers(-3, 4, (m, d)).astype(float)
    if kind in ("plain", "shifted", "scales"):
        X = rng.standard_normal((m, d)).astype(np.float32).astype(float)
    if kind in ("collinear", "nearly collinear"):
        X = np.c_[X, X @ rng.integers(-2, 3, d) + 1.0, X[:, :1] / 2]
    if kind == "nearly collinear":
        X[:, -2] += 1e-9 * rng.standard_normal(m)
    if kind == "repeated":
        X = X[rng.integers(0, 3, m)]
    if kind == "constant":
        X[:, 0] = 7.25
    if kind == "scales":
        X *= 2.0 ** rng.integers(-12, 13, X.shape[1])
    if kind == "shifted":
        X += 2.0**20
    Y = X @ rng.integers(-2, 3, (X.shape[1], q)) + 1.0
    if kind != "exact fit":
        Y += rng.standard_normal((m, q))
    weights = rng.choice([0.0, 0.5, 1.0, 1.1, 3.0], m) if seed % 3 == 0 else ()
    if len(weights):
        weights[:3] = 1.0
    if ridge is None:
        ridge = float(rng.choice([0.0, 0.0, 0.01, 10.0]))
    return Problem(X, Y, treatment == "free", ridge, weights)


def stopped_early(p: Problem, seed: int):
    rng = np.random.default_rng(seed)
    W, b = p.fitted()
    noise = rng.choice([0.0, 0.0, 1e-9, 1e-4, 0.3])
    W = W * (1 + noise * rng.standard_normal(W.shape))
    return W, b * (1 + noise * rng.standard_normal(b.shape)) if p.lifted else b


def verified(data, X, y) -> bool:
    try:
        return bool(Certificate.from_dict(json.loads(json.dumps(data))).verify(X, y))
    except ValueError:
        return False


class TestTheExcess:
    @given(kinds, seeds, treatments)
    @settings(max_examples=40, deadline=None)
    def test_is_at_most_what_is_claimed_wherever_one_stops(self, kind, seed, treatment):
        p = problem(kind, seed, treatment)
        W, b = stopped_early(p, seed)
        claim = p.claim(W, b)
        assume(claim.reach is None)  # columns may be nearly dependent by chance
        assert p.holds(claim)
        assert claim.verify(p.X, p.y), claim.verify(p.X, p.y)

    @given(kinds, seeds, treatments)
    @settings(max_examples=80, deadline=None)
    def test_from_sums(self, kind, seed, treatment):
        p = problem(kind, seed, treatment)
        W, b = stopped_early(p, seed)
        try:
            claim = p.claim(W, b, p.gram(), kept=None)
        except CannotClaim:
            assert kind != "plain"
            return
        assert p.holds(claim)
        assert claim.verify(p.X, p.y)

    @given(seeds, treatments)
    @settings(max_examples=40, deadline=None)
    def test_from_a_ridge_alone(self, seed, treatment):
        p = problem("plain", seed, treatment, ridge=0.1)
        W, b = stopped_early(p, seed)
        claim = p.claim(W, b, factor=None)
        assert not claim.factor.size
        assert p.holds(claim)
        assert claim.verify(p.X, p.y)
        best = p.claim(*p.fitted(), factor=None)
        assert best.excess < 1e-12 * best.risk

    @pytest.mark.parametrize("treatment", TREATMENTS)
    def test_a_good_solution_has_a_tiny_one(self, treatment):
        for seed in range(12):
            for kind in ("plain", "collinear", "wide", "constant"):
                p = problem(kind, seed, treatment)
                claim = p.claim(*p.fitted())
                scale = float(np.mean(p.Y**2))
                assert claim.risk - claim.lower < 1e-12 * (scale + claim.risk)
                assert claim.excess < 1e-20 * (scale + claim.risk)

    @pytest.mark.parametrize("condition", [1e3, 1e6, 1e9])
    def test_ill_conditioned(self, condition):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((300, 4))
        X[:, 0] = X[:, 1] + X[:, 0] / condition
        Y = X @ np.ones((4, 1)) + rng.standard_normal((300, 1))
        p = Problem(X, Y, True)
        claim = p.claim(*p.fitted(), factor=p.factor(np.arange(5)))
        assert claim.excess < 1e-7 * claim.risk
        assert claim.verify(X, p.y)

    def test_a_large_mean_costs_nothing(self):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((50, 2)) + 1e8
        Y = X @ np.ones((2, 1)) + rng.standard_normal((50, 1))
        p = Problem(X, Y, True)
        claim = p.claim(*p.fitted())
        assert claim.risk - claim.lower < 1e-6 * claim.risk
        assert p.holds(claim)
        assert claim.verify(X, p.y)

    def test_an_exact_solution(self):
        X, y = np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 2.0, 4.0])
        p = Problem(X, y[:, None], True)
        claim = p.claim(np.array([[1.5]]), np.array([5 / 6]))
        assert claim.lower <= 1 / 18 <= claim.risk
        assert claim.risk - claim.lower < 1e-14
        assert claim.correlation < 1e-7
        assert claim.verify(X, y)

    @given(seeds)
    @settings(max_examples=30, deadline=None)
    def test_no_function_correlates_with_the_residual_by_more(self, seed):
        p = problem("plain", seed, "free", ridge=0.0)
        p = Problem(p.X, p.Y[:, :1], True, 0.0, p.sample_weight)
        W, b = stopped_early(p, seed)
        claim = p.claim(W, b)
        s, r = p.weights, p.y - p.X @ W[0] - b[0]
        r = r - (s @ r) / s.sum()
        f = p.X - (s @ p.X) / s.sum()
        lengths = np.sqrt((s @ f**2) * (s @ r**2))
        assert np.all(np.abs((s * r) @ f) <= claim.correlation * lengths * (1 + 1e-9) + 1e-12)

    def test_without_intercept_the_residual_may_correlate(self):
        X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([5.0, 5.2, 4.9, 5.1])
        p = Problem(X, y[:, None], False)
        W, b = p.fitted()
        claim = p.claim(W, b)
        assert claim.verify(X, y)
        assert abs(np.corrcoef(y - X @ W[0], X[:, 0])[0, 1]) > 0.99
        assert claim.correlation is None
        assert "correlation" not in claim.claim

    @given(seeds, treatments)
    @settings(max_examples=20, deadline=None)
    def test_a_weight_is_as_good_as_repetition(self, seed, treatment):
        p = problem("integer", seed, treatment, ridge=0.01)
        counts = np.random.default_rng(seed).integers(0, 3, len(p.X))
        assume(counts.any())
        p = Problem(p.X, p.Y, p.lifted, p.ridge, counts.astype(float))
        again = Problem(
            np.repeat(p.X, counts, axis=0), np.repeat(p.Y, counts, axis=0), p.lifted, p.ridge
        )
        W, b = p.fitted()
        one, other = p.claim(W, b), again.claim(W, b)
        assert one.risk == pytest.approx(other.risk, rel=1e-10)
        assert one.lower == pytest.approx(other.lower, rel=1e-10)


class TestDependentColumns:
    @given(st.sampled_from(["collinear", "wide", "repeated", "constant"]), seeds, treatments)
    @settings(max_examples=60, deadline=None)
    def test_the_shortest_coefficients(self, kind, seed, treatment):
        p = problem(kind, seed, treatment, ridge=0.0)
        W, b = stopped_early(p, seed)
        claim = p.claim(W, b)
        if claim.combinations:
            assert p.distance_squared(W) <= Fraction(claim.distance) ** 2
            shortest = p.claim(*p.fitted())
            assert shortest.distance < 1e-9 * (1 + np.abs(W).max())
        assert p.holds(claim)
        assert claim.verify(p.X, p.y)

    @given(seeds, treatments)
    @settings(max_examples=40, deadline=None)
    def test_the_shortest_coefficients_by_multipliers(self, seed, treatment):
        p = problem("wide", seed, treatment, ridge=0.0)
        W, b = stopped_early(p, seed)
        counts = p.weights > 0
        Z = np.zeros((len(W), len(p.X)))
        centred = p.X[counts] - p.shift[: p.X.shape[1]]
        Z[:, counts] = np.linalg.lstsq(centred.T, W.T, rcond=None)[0].T
        claim = p.claim(W, b, multipliers=Z)
        assert p.distance_squared(W) <= Fraction(claim.distance) ** 2
        assert claim.verify(p.X, p.y)
        best = p.fitted()[0]
        if np.array_equal(best, W):
            assert claim.distance < 1e-10 * (1 + np.abs(W).max())
        forged = {**claim.to_dict(), "distance": 0.0}
        assert not verified(forged, p.X, p.y) or not p.distance_squared(W)

    def test_integer_data_are_proved_from_sums(self):
        rng = np.random.default_rng(0)
        X, y = np.eye(3)[rng.integers(0, 3, 40)], rng.standard_normal(40)
        p = Problem(X, y[:, None], True)
        kept, lines = p.columns()
        shift = np.array([0.0, 1.0, 2.0, 0.5])
        Z = np.c_[np.c_[X, y] - shift, np.ones(40)]
        whole = ShiftedGram(shift, Z.T @ Z, 40, 44, exact=True)
        claim = p.claim(*p.fitted(), whole, kept=kept, combinations=lines)
        assert claim.reach is None
        assert claim.combinations == lines
        assert p.holds(claim)
        assert claim.verify(X, y)
        wrong = (tuple(-term for term in lines[0]),)
        for known, said in ((whole._replace(exact=False), lines), (whole, wrong)):
            limited = p.claim(*p.fitted(), known, kept=kept, combinations=said)
            assert limited.reach >= 1
            assert limited.verify(X, y)

    def test_not_quite_dependent_columns_limit_the_claim(self):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((30, 2))
        X = np.c_[X, X @ [0.1, 0.7]]  # rounded
        p = Problem(X, rng.standard_normal((30, 1)), True)
        kept, lines = np.array([0, 1, 3]), ((Fraction(0.1), Fraction(0.7), Fraction(0)),)
        W, b = p.fitted()
        claim = p.claim(W, b, kept=kept, combinations=lines, factor=p.factor(kept))
        assert claim.reach >= 1
        assert claim.excess < 1e-8 * claim.risk
        assert "1 column differ" in claim.claim
        assert claim.verify(X, p.y)
        further = {**claim.to_dict(), "reach": 1e3 * claim.reach}
        assert not verified(further, X, p.y)
        for entry in (None, -1.0):
            assert not verified({**claim.to_dict(), "reach": entry}, X, p.y)

    @given(seeds, treatments, st.floats(0, 2))
    @settings(max_examples=40, deadline=None)
    def test_no_coefficients_within_reach_are_better(self, seed, treatment, reach):
        """Two columns not kept: the best for any of their coefficients on the edge of the reach."""
        p = problem("plain", seed, treatment, ridge=0.0)
        rng = np.random.default_rng(seed)
        X = np.c_[p.X, rng.standard_normal((len(p.X), 2))]
        p = Problem(X, p.Y, p.lifted, 0.0, p.sample_weight)
        W, b = stopped_early(p, seed)
        d = X.shape[1]
        kept = np.array([j for j in range(d + p.lifted) if not d - 2 <= j < d])
        claim = p.claim(W, b, kept=kept, factor=p.factor(kept), reach=reach)
        assert claim.verify(X, p.y)
        assume(claim.kept.tolist() == kept.tolist())  # not if that proves nothing
        s = np.sqrt(p.weights / p.weights.sum())[:, None]
        columns = s * np.c_[X, np.ones(len(X))][:, kept]
        for _ in range(20):
            v = rng.dirichlet(np.ones(2 * len(W))).reshape(len(W), 2) * rng.choice([-1, 1], 2)
            right = s * (p.Y - X[:, d - 2 :] @ (W[:, d - 2 :] + reach * v).T)
            best = np.linalg.lstsq(columns, right, rcond=None)[0]
            risk = np.sum((right - columns @ best) ** 2)
            assert risk >= claim.lower * (1 - 1e-9)
            assert p.objective(W, b) - Fraction(risk) <= claim.excess + 1e-9 * claim.risk

    @pytest.mark.parametrize("treatment", TREATMENTS)
    def test_without_a_factor_the_neighbourhood_is_claimed(self, treatment):
        p = problem("plain", 1, treatment, ridge=0.0)
        claim = p.claim(*p.fitted(), factor=None)
        assert claim.reach >= 1
        assert claim.kept.tolist() == [p.X.shape[1]] * p.lifted
        assert claim.excess <= 2e-9 * claim.risk
        assert claim.verify(p.X, p.y)

    def test_no_residual_needs_no_factor(self):
        p = problem("exact fit", 1, "free", ridge=0.0)
        claim = p.claim(*p.fitted(), factor=None)
        assert claim.reach is None
        assert claim.lower == 0
        assert claim.risk < 1e-24
        assert claim.verify(p.X, p.y)


def strongest(claim: LeastSquaresExcess, p: Problem) -> LeastSquaresExcess:
    """The most that a checker would accept with this witness."""
    evidence = by_rows(claim, Sample.of(p.X, p.y, p.labels))
    F, excess = evidence.objective, evidence.excess(1, claim.reach)
    risk = exact.above(F.above)
    lower = exact.below(F.below - Fraction(excess)) if excess < math.inf else 0.0
    return replace(claim, risk=risk, excess=min(excess, risk), lower=max(lower, 0.0))


def changed(data: dict, p: Problem, rng) -> dict:
    """The claim with one thing in it changed."""
    d = p.X.shape[1]
    kind = rng.choice(["factor", "diagonal", "coef", "intercept", "shift", "weights", "kept",
                       "combinations", "ridge", "distance", "treatment"])  # fmt: skip
    new = json.loads(json.dumps(data))
    if kind in ("factor", "diagonal") and data["factor"]:
        L = np.array(data["factor"])
        i = int(rng.integers(len(L)))
        j = i if kind == "diagonal" else int(rng.integers(i, len(L)))
        L[i, j] *= rng.choice([-1, 0.5, 1e-6, 1e6, 1 + 1e-9, 1e-160, 1e160])
        new["factor"] = L.tolist()
    elif kind == "coef":
        new["coef"][0][int(rng.integers(d))] += float(rng.choice([1e-12, 1e-6, 1.0]))
    elif kind == "intercept" and p.lifted:
        new["intercept"][0] += float(rng.choice([1e-12, 1e-6, 1.0]))
    elif kind == "shift" and p.lifted:
        new["shift"][int(rng.integers(len(new["shift"])))] += float(
            rng.choice([1e-9, 1.0, 1e6, 1e17, 1e160])
        )
    elif kind == "weights":
        new["sample_weight"] = rng.choice([0.0, 1.0, 2.0], len(p.X)).tolist()
    elif kind == "kept" and len(data["kept"]) > 1:
        place = int(rng.integers(len(data["kept"]) - p.lifted))
        j = new["kept"].pop(place)
        new["factor"] = np.delete(np.delete(data["factor"], place, 0), place, 1).tolist()
        lines = [line[:place] + line[place + 1 :] for line in new["combinations"]]
        rest = sorted(set(range(d)) - set(new["kept"]))
        lines.insert(rest.index(j), ["0/1"] * len(new["kept"]))
        new["combinations"] = lines
    elif kind == "combinations" and data["combinations"]:
        line = new["combinations"][int(rng.integers(len(new["combinations"])))]
        line[int(rng.integers(len(line)))] = str(rng.choice(["0/1", "1/1", "1/3"]))
    elif kind == "ridge":
        new["ridge"] = float(rng.choice([0.0, 1e-6, 1.0]))
    elif kind == "distance":
        new["distance"] = 0.0
    elif kind == "treatment":
        new["treatment"] = "none" if p.lifted else "free"
    return new


class TestAttacks:
    @given(kinds, seeds, treatments)
    @settings(max_examples=60, deadline=None)
    def test_accepted_claims_are_true(self, kind, seed, treatment):
        """One thing in the witness changes, and the numbers are the strongest that pass with it."""
        p = problem(kind, seed, treatment)
        rng = np.random.default_rng(seed + 1)
        claim = p.claim(*stopped_early(p, seed))
        assume(claim.reach is None)
        new = changed(claim.to_dict(), p, rng)
        try:
            forged = Certificate.from_dict(new)
            if rng.random() < 0.7:
                forged = strongest(forged, p)
        except (ValueError, Refuted):
            return
        if forged.verify(p.X, p.y):
            other = Problem(p.X, p.Y, forged.lifted, forged.ridge, forged.sample_weight)
            assert other.holds(forged)

    @given(kinds, seeds, treatments)
    @settings(max_examples=60, deadline=None)
    def test_stronger_numbers_are_refused_once_false(self, kind, seed, treatment):
        p = problem(kind, seed, treatment)
        claim = p.claim(*stopped_early(p, seed))
        assume(claim.reach is None)
        F, least = p.objective(claim.coef, claim.intercept), p.minimum()
        data = claim.to_dict()
        below = math.nextafter(exact.below(F), 0)
        if below >= claim.lower:
            excess = min(claim.excess, below)
            assert not verified({**data, "risk": below, "excess": excess}, p.X, p.y)
        over = math.nextafter(exact.above(least), math.inf)
        if over <= claim.risk:
            assert not verified({**data, "lower": over}, p.X, p.y)
        if F - least > 0:
            less = math.nextafter(exact.below(F - least), 0)
            assert not verified({**data, "excess": less}, p.X, p.y)

    @given(kinds, seeds, treatments)
    @settings(max_examples=80, deadline=None)
    def test_claims_about_other_data_are_refuted(self, kind, seed, treatment):
        p = problem(kind, seed, treatment)
        claim = p.claim(*p.fitted())
        assume(claim.reach is None)
        rng = np.random.default_rng(seed)
        X, Y = p.X.copy(), p.Y.copy()
        which, size = (X if rng.random() < 0.5 else Y), rng.choice([1e-13, 1e-9, 1e-3, 10.0])
        which[int(rng.integers(len(X))), 0] += size
        other = Problem(X, Y, p.lifted, p.ridge, p.sample_weight)
        if claim.verify(X, other.y):
            assert other.holds(claim)

    def test_too_few_rows_or_columns(self):
        p = problem("plain", 1, "free", ridge=0.0)
        claim = p.claim(*p.fitted())
        assert "examples" in claim.verify(p.X[1:], p.y[1:]).why
        assert "features" in claim.verify(p.X[:, :0], p.y).why
        assert "rows" in claim.verify(p.X[1:], p.y).why
        assert not claim.verify(p.X, p.y > 0) or np.all((p.y > 0) == p.y)
        assert "finite" in claim.verify(p.X, np.full_like(p.y, np.nan)).why

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("treatment", "lifted"), ("ridge", -1.0), ("ridge", "1"), ("sample_weight", [-1.0] * 9),
            ("sample_weight", [1.0]), ("coef", [1.0]), ("coef", [[1.0], [2.0, 3.0]]), ("coef", []),
            ("intercept", []), ("shift", [0.0]), ("kept", [0]), ("kept", [1, 0]), ("kept", [0, 9]),
            ("factor", [[1.0]]), ("factor", [[1.0, 2.0], [3.0, 4.0]]), ("factor", []),
            ("combinations", [["1/1"]]), ("reach", 1.0), ("lower", -1.0), ("excess", -1.0),
            ("excess", 1e9), ("risk", 0.0), ("distance", 1.0), ("multipliers", [[1.0]]),
            ("multipliers", 1), ("examples", 1.5), ("labels", {"columns": 0}), ("labels", None),
            ("labels", {"columns": 2}), ("risk", float("inf")),
        ],
    )  # fmt: skip
    def test_impossible_fields_are_refused(self, name, value):
        X, y = np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 2.0, 4.0])
        p = Problem(X, y[:, None], True)
        data = p.claim(np.array([[1.5]]), np.array([0.8])).to_dict()
        assert verified(data, X, y)
        assert not verified({**data, name: value}, X, y)

    def test_the_intercept_is_kept_if_any_column_is_a_combination(self):
        p = Problem(np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [2.0], [4.0]]), True)
        claim = p.claim(np.array([[1.5]]), np.array([0.8]))
        with pytest.raises(ValueError, match="intercept must be kept"):
            replace(claim, kept=[], factor=np.zeros((0, 0)), combinations=((), ()))


class TestRounding:
    @given(kinds, seeds, treatments, st.sampled_from([-300, -60, 0, 60, 300]))
    @settings(max_examples=80, deadline=None)
    def test_allowances_cover_what_is_rounded(self, kind, seed, treatment, scale):
        """In pieces of three rows, on data of any size."""
        p = problem(kind, seed, treatment)
        W, b = stopped_early(p, seed)
        p = Problem(p.X * 2.0**scale, p.Y, p.lifted, p.ridge, p.sample_weight)
        W = W * 2.0**-scale
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(factors, "_step", lambda width: 3)
            try:
                claim = p.claim(W, b)
                F = p.objective(W, b)
                drafts = [by_rows(claim, Sample.of(p.X, p.y, p.labels))]
                if claim.kept.size:
                    drafts.append(by_gram(replace(claim, shift=p.shift), p.gram()))
            except (CannotClaim, Refuted):
                assert scale
                return
            for evidence in drafts:
                assert abs(evidence.objective.value - F) <= evidence.objective.within
                if claim.reach is None:
                    assert evidence.excess(1, None) >= F - p.minimum()
            assert claim.reach is not None or p.holds(claim)

    @given(kinds, seeds, treatments)
    @settings(max_examples=40, deadline=None)
    def test_a_claim_holds_in_every_storage(self, kind, seed, treatment):
        p = problem(kind, seed, treatment)
        W, b = p.fitted()
        claims = [p.claim(W, b), p.claim(W, b, Sample.of(sparse.csr_array(p.X), p.y, p.labels))]
        claims.append(p.claim(W, b, factor=None))
        for claim in claims:
            for store in STORES:
                assert claim.verify(store(p.X), p.y)
            assert claim.verify(p.X, p.y.tolist())

    @pytest.mark.parametrize("treatment", TREATMENTS)
    def test_many_rows(self, treatment):
        rng = np.random.default_rng(0)
        X = rng.integers(-8, 9, (20_000, 3)) / 8
        y = (X @ [1.0, -2.0, 0.5] + rng.integers(-8, 9, 20_000) / 8).astype(float)
        p = Problem(X, y[:, None], treatment == "free")
        W, b = p.fitted()
        kept = np.arange(3 + p.lifted)
        claim = p.claim(W, b, factor=p.factor(kept))
        from_sums = p.claim(W, b, p.gram()._replace(roundings=20_008), kept=None)
        risk = np.mean((y - X @ W[0] - b) ** 2)
        assert claim.risk == pytest.approx(risk, rel=1e-12)
        assert claim.risk - claim.lower < 1e-11 * risk
        assert from_sums.risk - from_sums.lower < 1e-8 * risk
        for store in (np.float32, sparse.csr_array, np.asfortranarray):
            assert claim.verify(store(X), y)
            assert from_sums.verify(store(X), y)

    @pytest.mark.parametrize("size", [1e160, 1e300])
    def test_numbers_that_overflow_prove_nothing(self, size):
        p = Problem(np.array([[1.0], [-1.0], [2.0]]) * size, np.ones((3, 1)) * size, True)
        with pytest.raises(CannotClaim, match="overflow"):
            p.claim(np.array([[1.0]]), np.zeros(1), factor=np.eye(2))

    def test_no_weight_at_all(self):
        p = Problem(np.eye(2), np.ones((2, 1)), False, 0.0, np.zeros(2))
        with pytest.raises(CannotClaim, match="weights are 0"):
            issue_least_squares_excess(
                Sample.of(p.X, p.y, p.labels), p.labels, coef=np.zeros((1, 2)),
                intercept=np.zeros(1), treatment="none", sample_weight=np.zeros(2),
            )  # fmt: skip


class TestWords:
    def test_a_plain_fit(self):
        X, y = np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 2.0, 4.0])
        p = Problem(X, y[:, None], True)
        claim = p.claim(np.array([[1.5]]), np.array([5 / 6]))
        assert claim.claim.startswith(
            "On 3 examples, these linear predictions have a mean squared error of at most 0.05555"
        )
        assert "No others have one that is lower by more than " in claim.claim
        assert "correlation of the residual" in claim.claim

    def test_a_weighted_ridge_of_two_outputs_without_intercept(self):
        p = problem("plain", 3, "none", ridge=0.25)
        p = Problem(p.X, np.c_[p.Y[:, 0], p.Y[:, 0]], False, 0.25, p.weights + 1)
        text = p.claim(*p.fitted()).claim
        for part in ("without intercept", "weighted mean", "over 2 outputs", "plus 0.25·‖w‖²"):
            assert part in text
        assert "correlation" not in text

    def test_a_reach_is_not_rounded_up(self):
        X, y = np.array([[0.0, 1e-9], [1, 1], [2, 2], [3, 3]]), np.array([1.0, 2, 2, 5])
        p = Problem(X, y[:, None], True)
        claim = p.claim(
            np.array([[1.2, 0.0]]), np.array([0.7]), kept=[0, 2], factor=p.factor([0, 2]),
            reach=1.9999999,
        )  # fmt: skip
        assert claim.verify(X, y)
        assert "at most 1.99999 in all" in claim.claim

    def test_the_shortest_are_meant_on_examples_that_count(self):
        p = problem("collinear", 1, "free", ridge=0.0)
        weighed = Problem(p.X, p.Y, True, 0.0, np.arange(len(p.X)) % 3)
        assert "predictions on them." in Problem(p.X, p.Y, True).claim(*p.fitted()).claim
        assert "of positive weight." in weighed.claim(*weighed.fitted()).claim

    def test_json_and_composite(self):
        p = problem("collinear", 1, "free", ridge=0.0)
        claim = p.claim(*p.fitted())
        whole = Composite((claim,))
        again = Composite.from_dict(json.loads(json.dumps(whole.to_dict())))
        assert again.claims[0] == claim
        assert again.verify(p.X, p.y)
        assert not again.verify(p.X)
        assert set(claim.numbers) >= {"risk", "lower", "excess", "distance"}
        assert "reach" not in claim.numbers


@pytest.mark.parametrize("weight", [1.0, 1e10, 1e300])
def test_squares_that_underflow_before_they_are_weighted(weight):
    # x² = 0 in float64, while weight·x² is not: the rounding of w·x is allowed for all the same.
    rng = np.random.default_rng(0)
    for _ in range(10):
        first = 1e-163 * (1 + rng.random(6))
        X = np.column_stack([first, first * (1 + 1e-9 * rng.random(6))])
        coef = 1e153 * (1 + rng.random()) * np.array([[1.0, -1.0]])
        truth = Truth(X, X @ coef.T, False, 0.0, np.full(6, weight))
        claim = issue_least_squares_excess(
            Sample(X, truth.Y), Values(1), coef=coef, intercept=np.zeros(1), treatment="none",
            sample_weight=truth.sample_weight,
        )  # fmt: skip
        assert claim.risk >= truth.objective(coef, np.zeros(1))
        assert claim.verify(X, truth.Y)


@pytest.mark.parametrize("treatment", TREATMENTS)
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_a_ridge_that_rounding_hides(treatment, store):
    X = 1e12 * np.array([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0], [-1.0, -1.0]])
    y = np.array([1.0, 2.0, 3.0, 1.0])
    model = LeastSquares(intercept=treatment, ridge=1e-12).fit(store(X), y)
    (claim,) = model.certificate_
    assert claim.verify(X, y)
    assert claim.verify(sparse.csr_array(X), y)
    truth = Truth(X, y[:, None], treatment == "free", 1e-12)
    found = truth.objective(np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_))
    assert claim.lower <= found <= claim.risk


@pytest.mark.parametrize("ridge", [0.0, 0.1])
@pytest.mark.parametrize("exponent", [-900, -300, 300, 900])
def test_weights_of_any_size(exponent, ridge):
    # F does not change if all weights are multiplied by a number; nor does what is claimed.
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((9, 2)), rng.standard_normal(9)
    weights = rng.random(9) + 0.5
    (known,) = LeastSquares(ridge=ridge).fit(X, y, weights).certificate_
    (claim,) = LeastSquares(ridge=ridge).fit(X, y, weights * 2.0**exponent).certificate_
    assert claim.verify(X, y)
    assert claim.lower == pytest.approx(known.lower, rel=1e-9)


def test_weights_that_are_too_different():
    X, y = np.arange(5.0)[:, None], np.array([1.0, 3.0, 2.0, 5.0, 4.0])
    model = LeastSquares().fit(X, y, [1e200, 1e200, 1e200, 1e-200, 1e-200])
    assert not len(model.certificate_)
    assert model.certificate_.not_claimed[0].reason == "weights are too different."
