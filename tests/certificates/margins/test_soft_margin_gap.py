"""SoftMarginGap: the excess is never more than the certified gap, and no false claim verifies."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import NamedTuple

import clarabel
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.certificates import CannotClaim, Certificate, Labels, Sample, SoftMarginGap
from certo.certificates.margins.soft_margin_gap import costs_of
from certo.certificates.spaces import combinations
from certo.checks import check_certificate
from certo.issue.margins import soft_margin_gap
from certo.issue.margins.soft_margin_gap import issue_soft_margin_gap
from certo.issue.slack import SLACK_FACTOR
from certo.numbers import exact, rounded

LABELS = Labels(("a", "b"))
TREATMENTS = ["free", "lifted", "none"]
STORES = [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_matrix, np.ndarray.tolist]

treatments = st.sampled_from(TREATMENTS)
seeds = st.integers(0, 10**6)


class Problem(NamedTuple):
    X: np.ndarray
    signs: np.ndarray
    treatment: str
    C: float = 1.0
    class_weight: tuple[float, float] = (1.0, 1.0)
    sample_weight: tuple[float, ...] | np.ndarray = ()

    @property
    def y(self):
        return np.where(self.signs > 0, "b", "a")

    @property
    def costs(self):
        return costs_of(self.C, self.class_weight, self.signs, self.sample_weight)

    def claim(self, w, b, alpha, X=None, **options) -> SoftMarginGap:
        rows = np.flatnonzero(alpha)
        return issue_soft_margin_gap(
            Sample.of(self.X if X is None else X, self.y, LABELS), LABELS,
            coef=w, intercept=b, treatment=self.treatment, C=self.C,
            class_weight=self.class_weight, sample_weight=self.sample_weight,
            rows=rows, dual_coef=(alpha * self.signs)[rows], **options,
        )  # fmt: skip


KINDS = ["plain", "integer", "repeated", "separable", "scales", "unbalanced", "wide", "shifted"]


def problem(kind: str, seed: int, treatment: str) -> Problem:
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(4, 25)), int(rng.integers(1, 4))
    d = d + m if kind == "wide" else d
    X = rng.standard_normal((m, d)).astype(np.float32).astype(float)
    if kind in ("integer", "repeated"):
        X = rng.integers(-2, 3, (m, d)).astype(float)
    if kind == "repeated":
        X = X[rng.integers(0, 3, m)]
    if kind == "scales":
        X *= 2.0 ** rng.integers(-10, 12, d)
    noise = 0.0 if kind == "separable" else 1.0
    signs = np.where(X @ rng.standard_normal(d) + noise * rng.standard_normal(m) > 0, 1, -1)
    if kind == "unbalanced":
        signs[1:] = -1
    if kind == "shifted":
        X += 1000
    signs[:2] = 1, -1
    C = float(rng.choice([0.1, 1.0, 100.0]))
    class_weight = (1.0, 1.0) if seed % 2 else (0.3, 2.0)
    sample_weight = rng.choice([0.0, 0.5, 1.0, 1.1, 3.0], m) if seed % 3 == 0 else ()
    return Problem(X, signs, treatment, C, class_weight, sample_weight)


def solved(p: Problem):
    """(w, b, α) by an interior-point method: min ½x'Px + q'x, Ax + s = b, s ≥ 0, x = (w, b, ξ)."""
    m, d = p.X.shape
    lift = int(p.treatment != "none")
    penalty = np.r_[np.ones(d), [float(p.treatment == "lifted")] * lift, np.zeros(m)]
    Z = p.signs[:, None] * np.hstack([p.X, np.ones((m, lift))])
    A = sparse.csc_matrix(np.block([[-Z, -np.eye(m)], [np.zeros_like(Z), -np.eye(m)]]))
    quiet = clarabel.DefaultSettings()
    quiet.verbose = False
    quiet.tol_gap_abs = quiet.tol_gap_rel = quiet.tol_feas = 1e-11
    found = clarabel.DefaultSolver(
        sparse.csc_matrix(np.diag(penalty)), np.r_[np.zeros(d + lift), p.costs], A,
        np.r_[-np.ones(m), np.zeros(m)], [clarabel.NonnegativeConeT(2 * m)], quiet,
    ).solve()  # fmt: skip
    x = np.array(found.x)
    return x[:d], float(x[d]) if lift else 0.0, np.array(found.z)[:m]


def feasible(alpha, p: Problem):
    """Near alpha: in the box, and for a free intercept on a grid where the classes balance."""
    alpha = np.clip(alpha, 0, p.costs)
    if p.treatment != "free":
        return alpha
    grid = 2.0 ** (math.ceil(math.log2(p.costs.max())) - 40)
    units = np.floor(alpha / grid).astype(int)
    surplus = int(units @ p.signs)
    for t in np.flatnonzero(p.signs == np.sign(surplus)):
        taken = min(units[t], abs(surplus))
        units[t] -= taken
        surplus -= taken * p.signs[t]
    return units * grid


def rational(values):
    return [Fraction(float(v)) for v in np.ravel(values)]


def true_primal(p: Problem, w, b) -> Fraction:
    w, b = rational(w), Fraction(b)
    scores = (sum((x * v for x, v in zip(rational(row), w, strict=True)), b) for row in p.X)
    losses = (
        max(1 - int(s) * score, Fraction(0)) for s, score in zip(p.signs, scores, strict=True)
    )
    square = sum((v * v for v in w), b * b if p.treatment == "lifted" else Fraction(0))
    return square / 2 + sum(c * h for c, h in zip(rational(p.costs), losses, strict=True))


def true_dual(p: Problem, alpha) -> Fraction:
    signed = rational(alpha * p.signs)
    columns = [*p.X.T, np.full(p.signs.size, float(p.treatment == "lifted"))]
    v = [sum(a * x for a, x in zip(signed, rational(column), strict=True)) for column in columns]
    return sum(map(abs, signed)) - sum(entry * entry for entry in v) / 2


def stopped_early(p: Problem, seed: int):
    """A pair on the way from nothing to the best one, more or less far."""
    rng = np.random.default_rng(seed)
    w, b, alpha = solved(p)
    part, noise = rng.choice([0.0, 0.5, 0.99, 1.0, 1.0]), rng.choice([0.0, 0.0, 1e-9, 1e-4, 0.1])
    w = part * w * (1 + noise * rng.standard_normal(w.size))
    alpha = feasible(part * alpha * (1 + noise * rng.standard_normal(alpha.size)), p)
    return w, part * b, alpha


def verified(data, X, y) -> bool:
    try:
        return bool(Certificate.from_dict(json.loads(json.dumps(data))).verify(X, y))
    except ValueError:
        return False


class TestTheGap:
    @given(st.sampled_from(KINDS), seeds, treatments, st.booleans())
    @settings(max_examples=90)
    def test_the_excess_is_at_most_the_gap_wherever_one_stops(self, kind, seed, treatment, known):
        p = problem(kind, seed, treatment)
        assume(p.costs.any())
        w, b, alpha = stopped_early(p, seed)
        square = Sample(p.X, p.signs).square_bound() if known else None
        claim = p.claim(w, b, alpha, known=square)
        primal, dual = true_primal(p, w, b), true_dual(p, alpha)
        assert primal <= claim.primal
        assert max(dual, 0) >= claim.dual
        gap = Fraction(claim.primal) - Fraction(claim.dual)  # claim.gap is rounded up
        assert primal - dual >= gap - Fraction(claim.allowance)
        best = solved(p)[:2]
        assert true_primal(p, *best) >= claim.dual
        assert primal - true_primal(p, *best) <= claim.gap
        assert claim.verify(p.X, p.y)

    @pytest.mark.parametrize("treatment", TREATMENTS)
    def test_a_good_pair_has_a_tiny_gap(self, treatment):
        for seed in range(1, 20, 2):
            p = problem("plain", seed, treatment)
            claim = p.claim(*solved(p)[:2], feasible(solved(p)[2], p))
            assert claim.relative_gap < 1e-7
            assert claim.allowance < 1e-12 * claim.primal + 0.05 * claim.gap

    @pytest.mark.parametrize("treatment", TREATMENTS)
    def test_an_exact_solution_has_no_gap_but_that_of_roundings(self, treatment):
        # x = ±1: w = 1, b = 0, α = ½ for every C ≥ ½
        p = Problem(np.array([[1.0], [-1.0], [3.0]]), np.array([1, -1, 1]), treatment, C=7.0)
        claim = p.claim(np.ones(1), 0.0, np.array([0.5, 0.5, 0.0]))
        assert claim.dual <= 0.5 <= claim.primal
        assert claim.relative_gap < 1e-14
        assert claim.verify(p.X, p.y)

    @pytest.mark.parametrize("treatment", TREATMENTS)
    def test_a_large_cost_does_not_enlarge_roundings_where_they_can_be_computed(self, treatment):
        # 0.1·10 rounds to 1, but the loss of the first example is 1 − 0.1·10 > 0 or < 0, times 2³⁰
        p = Problem(np.array([[0.1], [-0.1]]), np.array([1, -1]), treatment, C=2.0**30)
        claim = p.claim(np.array([10.0]), 0.0, np.array([50.0, 50.0]))
        assert claim.relative_gap < 1e-14
        assert claim.verify(p.X, p.y)

    def test_without_multipliers_the_objective_is_at_least_nothing(self):
        p = problem("plain", 1, "free")
        claim = p.claim(np.zeros(p.X.shape[1]), 0.0, np.zeros(p.signs.size))
        assert claim.dual == 0
        assert claim.relative_gap == 1
        assert claim.verify(p.X, p.y)

    @given(seed=seeds, scale=st.sampled_from([1e-3, 1.0, 1e6]))
    @settings(max_examples=40)
    def test_a_claim_of_floats_is_that_of_exact_sums(self, seed, scale):
        p = problem("plain", seed, ["free", "none"][seed % 2])
        p = p._replace(X=p.X * scale)
        w, b, alpha = stopped_early(p, seed)
        claim = p.claim(w, b, alpha)
        sums = soft_margin_gap._twofold_sums(claim, Sample.of(p.X, p.y, LABELS))
        assert sums is not None
        primal, dual = claim._objectives(*map(soft_margin_gap._rounded, sums))
        upper = exact.above(primal.value + SLACK_FACTOR * primal.within)
        lower = max(0.0, exact.below(dual.value - SLACK_FACTOR * dual.within))
        off = SLACK_FACTOR * (primal.within + dual.within)
        spread = Fraction(upper) - primal.value + dual.value - Fraction(lower) + off
        assert (claim.primal, claim.dual) == (upper, lower)
        assert claim.allowance == max(0.0, exact.above(spread))

    def test_multipliers_that_prove_nothing_prove_nothing(self):
        p = Problem(np.array([[100.0], [-100.0]]), np.array([1, -1]), "free")
        claim = p.claim(np.array([0.01]), 0.0, np.ones(2))  # D(α) = 2 − 20,000
        assert claim.dual == 0
        assert claim.verify(p.X, p.y)

    def test_no_cost_no_objective(self):
        p = Problem(np.eye(2), np.array([1, -1]), "none", sample_weight=np.zeros(2))
        claim = p.claim(np.zeros(2), 0.0, np.zeros(2))
        assert claim.primal == claim.gap == claim.relative_gap == 0
        assert claim.verify(p.X, p.y)
        assert not verified({**claim.to_dict(), "rows": [0], "dual_coef": [1e-300]}, p.X, p.y)

    def test_rows_without_a_multiplier_may_be_named(self):
        p = problem("plain", 1, "free")
        w, b, alpha = solved(p)
        alpha = feasible(alpha, p)
        claim = issue_soft_margin_gap(
            Sample.of(p.X, p.y, LABELS), LABELS, coef=w, intercept=b, treatment="free", C=p.C,
            rows=np.arange(p.signs.size), dual_coef=alpha * p.signs,
        )  # fmt: skip
        same = p.claim(w, b, alpha)
        assert (claim.primal, claim.dual) == (same.primal, same.dual)
        assert claim.verify(p.X, p.y)


class TestCosts:
    @given(seeds)
    def test_are_two_products_in_this_order(self, seed):
        rng = np.random.default_rng(seed)
        C, pair, weights = rng.random(), rng.random(2), rng.random(9)
        signs = rng.choice([-1, 1], 9).astype(np.int8)
        expected = [(C * pair[int(s > 0)]) * w for s, w in zip(signs, weights, strict=True)]
        assert costs_of(C, pair, signs, weights).tolist() == expected
        assert costs_of(C, (1, 1), signs).tolist() == [C] * 9

    @given(seeds, treatments)
    @settings(max_examples=40)
    def test_a_weight_is_as_good_as_repetition(self, seed, treatment):
        p = problem("plain", seed, treatment)._replace(class_weight=(1.0, 1.0))
        counts = np.random.default_rng(seed).integers(0, 4, p.signs.size)
        assume(counts.any())
        p = p._replace(sample_weight=counts.astype(float))
        w, b, alpha = stopped_early(p, seed)
        again = Problem(np.repeat(p.X, counts, axis=0), np.repeat(p.signs, counts), treatment, p.C)
        claim = p.claim(w, b, alpha)
        upper = true_primal(again, w, b)
        assert abs(upper - Fraction(claim.primal)) <= Fraction(claim.allowance) + upper * 2**-40


class TestRounding:
    @given(st.sampled_from(KINDS), seeds, treatments, st.sampled_from([-400, -130, 0, 130, 400]))
    @settings(max_examples=90)
    @example("plain", 0, "lifted", 0)
    def test_allowances_cover_what_is_not_computed_exactly(self, kind, seed, treatment, scale):
        """Every sum in its quick form, on data of any size."""
        p = problem(kind, seed, treatment)
        w, b, alpha = stopped_early(p, seed)
        p = p._replace(X=p.X * 2.0**scale)
        w = w * 2.0**-scale * (1 + 1e-3)
        alpha = alpha * 2.0 ** -max(2 * scale, 0)
        with pytest.MonkeyPatch.context() as patch:
            for name, value in (("MAX_SUMMED_ROWS", 3), ("EXACT_PRODUCTS", 1)):
                patch.setattr(combinations, name, value)
            patch.setattr(rounded, "SUM_LANES", 2)
            patch.setattr(exact, "SHORT", 0)
            claim = p.claim(w, b, alpha)
            primal, dual = true_primal(p, w, b), true_dual(p, alpha)
            # 1: work on the allowances, but nothing is so short
            for values in claim._values_in_turn(Sample(p.X, p.signs)):
                for value, truth in zip(values, (primal, dual), strict=True):
                    assert abs(value.value - truth) <= value.within
            assert primal <= claim.primal
            assert max(dual, 0) >= claim.dual
            gap = Fraction(claim.primal) - Fraction(claim.dual)  # claim.gap is rounded up
            assert primal - dual >= gap - Fraction(claim.allowance)

    @pytest.mark.parametrize("short", [1, 2**16])
    @given(st.sampled_from(KINDS), seeds, treatments)
    @settings(max_examples=20)
    def test_a_claim_holds_in_every_storage(self, short, kind, seed, treatment):
        p = problem(kind, seed, treatment)
        w, b, alpha = stopped_early(p, seed)
        square = Sample(p.X, p.signs).square_bound()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(combinations, "EXACT_PRODUCTS", short)
            for bound in (None, square):
                for store in (np.asarray, sparse.csr_array):
                    claim = p.claim(w, b, alpha, X=store(p.X), known=bound)
                    for other in STORES:
                        assert claim.verify(other(p.X), p.y)

    @pytest.mark.parametrize("supports", [0.03, 0.7])
    @pytest.mark.parametrize("treatment", TREATMENTS)
    def test_many_rows(self, treatment, supports):
        rng = np.random.default_rng(0)
        X = rng.integers(-8, 9, (20_000, 3)) / 8
        X[rng.random(X.shape) < 0.5] = 0
        signs = rng.choice([-1, 1], 20_000)
        p = Problem(X, signs, treatment, C=2.0**-10)
        chosen = np.flatnonzero(rng.random(20_000) < supports)
        alpha = np.zeros(20_000)
        alpha[chosen] = rng.integers(0, 2**10, chosen.size) * 2.0**-20
        alpha = feasible(alpha, p)
        w, b = np.array([0.1, -0.2, 0.3]), 0.0 if treatment == "none" else 0.1
        claim = p.claim(w, b, alpha)
        # all numbers are multiples of 2⁻²³: the sums of the dual are exact in float64
        v = (alpha * signs) @ np.c_[X, np.full(20_000, float(treatment == "lifted"))]
        assert claim.dual <= alpha.sum() - v @ v / 2 <= claim.dual + 1e-11 * alpha.sum()
        upper = w @ w / 2 + (b * b / 2 if treatment == "lifted" else 0)
        upper += p.C * np.maximum(1 - signs * (X @ w + b), 0).sum()
        assert abs(claim.primal - upper) <= 1e-11 * upper
        assert claim.allowance <= 1e-11 * upper
        for store in (np.float32, sparse.csr_array, np.asfortranarray):
            assert claim.verify(store(X), p.y)

    def test_the_sum_of_the_multipliers_is_an_entry_too(self, monkeypatch):
        """Lifted: 2⁵³ + 1 is rounded, and its square would be off by more than 2⁵⁴."""
        monkeypatch.setattr(combinations, "EXACT_PRODUCTS", 1)
        p = Problem(np.zeros((2, 1)), np.array([1, 1]), "lifted", C=2.0**53)
        alpha = np.array([2.0**53, 1.0])
        claim = p.claim(np.zeros(1), 0.0, alpha)
        for _, dual in claim._values_in_turn(Sample(p.X, p.signs)):
            assert abs(dual.value - (2**53 + 1 - Fraction((2**53 + 1) ** 2, 2))) <= dual.within

    def test_numbers_that_overflow_prove_nothing(self):
        p = Problem(np.array([[1.0], [-1.0]]), np.array([1, -1]), "none")
        good = p.claim(np.ones(1), 0.0, np.full(2, 0.5))
        assert verified({**good.to_dict(), "primal": 1e300}, p.X, p.y) is False  # the allowance
        assert verified({**good.to_dict(), "primal": 1e300, "allowance": 1e300}, p.X, p.y)
        for changes in ({"coef": [1e200]}, {"C": 1e308, "class_weight": [1.0, 1e10]}):
            huge = {**good.to_dict(), **changes, "primal": 1.7e308, "allowance": 1.7e308}
            assert not verified(huge, p.X, p.y)
        with pytest.raises(CannotClaim, match="overflow"):
            p.claim(np.array([1e200]), 0.0, np.full(2, 0.5))
        with pytest.raises(CannotClaim, match="overflow"):
            p._replace(C=1e308, class_weight=(1.0, 1e10)).claim(np.ones(1), 0.0, np.full(2, 0.5))
        with pytest.raises(CannotClaim, match="costs overflow"):  # though no loss is to be paid
            p._replace(C=1e308, class_weight=(1e10, 1e10)).claim(np.full(1, 2.0), 0.0, np.zeros(2))


class TestWhatCannotBeClaimed:
    def test_multipliers_must_be_feasible(self):
        p = Problem(np.array([[1.0], [-1.0]]), np.array([1, -1]), "free")
        w = np.ones(1)
        with pytest.raises(CannotClaim, match="same sum"):
            p.claim(w, 0.0, np.array([0.5, np.nextafter(0.5, 1)]))
        with pytest.raises(CannotClaim, match="2 multipliers above"):
            p.claim(w, 0.0, np.full(2, np.nextafter(1.0, 2)))
        with pytest.raises(CannotClaim, match="signs"):
            p.claim(w, 0.0, np.full(2, -0.5))
        assert p.claim(w, 0.0, np.ones(2)).verify(p.X, p.y)  # at the bound, and equal

    def test_words_do_not_round_in_their_own_favour(self):
        for seed in range(40):
            p = problem("plain", seed, TREATMENTS[seed % 3])
            claim = p.claim(*stopped_early(p, seed))
            high = claim.claim.split("at most ")[1].split(", where")[0]
            apart = claim.claim.split("lower by more than ")[1].split(":")[0]
            gap = claim.claim.split("gap is at most ")[1].rstrip(".")
            assert Fraction(high) >= Fraction(claim.primal)
            assert Fraction(apart) >= Fraction(claim.primal) - Fraction(claim.dual)
            assert Fraction(gap) * Fraction(claim.primal) >= (
                Fraction(claim.primal) - Fraction(claim.dual)
            )
            assert ("weight" in claim.claim) == (seed % 2 == 0 or seed % 3 == 0)

    def test_json_round_trip(self):
        for seed in range(6):
            p = problem("plain", seed, TREATMENTS[seed % 3])
            claim = p.claim(*stopped_early(p, seed))
            check_certificate(claim, p.X, p.y)
            assert set(claim.numbers) >= {"primal", "dual", "gap", "relative_gap", "allowance"}


class TestAttacks:
    @staticmethod
    def is_true(data, p: Problem, X, y) -> bool:
        """P(coef, intercept) ≤ primal exactly; no P is below dual, up to what a solver finds."""
        signs = np.where(np.asarray(y) == data["labels"]["classes"][1], 1, -1)
        p = Problem(
            X, signs, data["treatment"], data["C"], data["class_weight"], data["sample_weight"]
        )
        if true_primal(p, data["coef"], data["intercept"]) > data["primal"]:
            return False
        if not p.costs.any():
            return data["dual"] == 0
        return true_primal(p, *solved(p)[:2]) >= data["dual"]

    @given(st.sampled_from(KINDS), seeds, treatments, st.data())
    @settings(max_examples=100)
    def test_verified_claims_are_true(self, kind, seed, treatment, data):
        p = problem(kind, seed, treatment)
        w, b, alpha = solved(p)
        claim = p.claim(w, b, feasible(alpha, p))
        forged, X, y = claim.to_dict(), p.X.copy(), p.y.copy()
        assert verified(forged, X, y)
        field = data.draw(
            st.sampled_from(
                ["coef", "intercept", "dual_coef", "C", "class_weight", "sample_weight", "rows",
                 "treatment", "primal", "dual", "X", "y", "labels"]
            )
        )  # fmt: skip
        factor = data.draw(
            st.sampled_from([-1.0, 0.0, 0.5, 0.99, 1 - 1e-6, 1 + 1e-6, 1.01, 2.0, 1e6])
        )
        some = lambda values: data.draw(st.integers(0, len(values) - 1))  # noqa: E731
        if field in ("intercept", "C", "primal", "dual"):
            forged[field] *= factor
        elif field in ("coef", "dual_coef", "class_weight", "sample_weight") and forged[field]:
            forged[field][some(forged[field])] *= factor
            if field == "dual_coef" and factor > 0 and data.draw(st.booleans()):
                forged[field] = [factor * a for a in forged[field]]  # all: they balance still
        elif field == "rows" and forged["rows"]:
            forged["rows"][some(forged["rows"])] = some(y)
        elif field == "treatment":
            forged["treatment"] = data.draw(treatments)
        elif field == "X":
            X[some(X)] *= factor
        elif field == "y":
            y = np.roll(y, 1)
        elif field == "labels":
            forged["labels"]["classes"] = ["b", "a"]
        # what an attacker would do then: numbers as favourable as they can be
        changed = Problem(X, p.signs, treatment, forged["C"], p.class_weight, p.sample_weight)
        if data.draw(st.booleans()):
            forged["primal"] = float(true_primal(changed, forged["coef"], forged["intercept"]))
            forged["primal"] = max(float(np.nextafter(forged["primal"], np.inf)), forged["dual"])
        if data.draw(st.booleans()):
            full = np.zeros(len(y))
            full[forged["rows"]] = np.abs(forged["dual_coef"])
            lowest = float(np.nextafter(float(true_dual(changed, full)), -np.inf))
            forged["dual"] = max(lowest, 0.0)
            forged["primal"] = max(forged["primal"], forged["dual"])
        forged["allowance"] = data.draw(st.sampled_from([forged["allowance"], 1e300]))
        if verified(forged, X, y):
            assert self.is_true(forged, p, X, y)

    def claim(self, treatment="free"):
        """Four corners, and one example between them."""
        X = np.array([[-1.0, 0.0], [-1.0, 3.0], [1.0, 0.0], [1.0, 3.0], [0.5, 1.0]])
        p = Problem(X, np.array([-1, -1, 1, 1, 1]), treatment, C=0.25)
        w, b, alpha = solved(p)
        return p, p.claim(w, b, feasible(alpha, p)).to_dict()

    @pytest.mark.parametrize("treatment", TREATMENTS)
    def test_the_numbers_cannot_be_better(self, treatment):
        p, data = self.claim(treatment)
        assert verified(data, p.X, p.y)
        assert verified({**data, "primal": data["primal"] * 2, "allowance": 10.0}, p.X, p.y)
        assert verified({**data, "dual": data["dual"] / 2, "allowance": 10.0}, p.X, p.y)
        between = (data["primal"] + data["dual"]) / 2
        for changes in (
            {"primal": between}, {"dual": between},  # both are true, but not shown
            {"primal": data["dual"]}, {"dual": data["primal"]},
            {"primal": data["primal"] * (1 + 1e-6)}, {"dual": data["dual"] * (1 - 1e-6)},
            {"allowance": 0.0},
        ):  # fmt: skip
            assert not verified({**data, **changes}, p.X, p.y), changes

    def test_a_free_intercept_needs_multipliers_that_balance_exactly(self):
        # Σ α y = 2⁻⁵³, and an intercept far away would gain without limit
        p = Problem(np.array([[1.0], [-1.0]]), np.array([1, -1]), "free")
        data = p.claim(np.ones(1), 0.0, np.full(2, 0.5)).to_dict()
        off = {**data, "dual_coef": [float(np.nextafter(0.5, 1)), -0.5], "dual": 0.0,
               "allowance": 1.0}  # fmt: skip
        assert not verified(off, p.X, p.y)
        assert verified({**off, "treatment": "lifted"}, p.X, p.y)

    def test_the_smallest_imbalance_is_seen_among_large_multipliers(self):
        p = Problem(np.zeros((4, 1)), np.array([1, -1, 1, -1]), "free", C=1e16)
        tiny = 5e-324
        data = p.claim(np.zeros(1), 0.0, np.array([1e16, 1e16, tiny, tiny])).to_dict()
        assert verified(data, p.X, p.y)
        data["dual_coef"] = [1e16, -1e16, 2 * tiny, -tiny]
        assert not verified(data, p.X, p.y)

    def test_a_multiplier_above_its_cost_by_the_least(self):
        p, data = self.claim("none")
        top = int(np.argmax(np.abs(data["dual_coef"])))
        data["dual_coef"][top] = float(np.nextafter(0.25, 1)) * np.sign(data["dual_coef"][top])
        assert not verified({**data, "dual": 0.0, "allowance": 10.0}, p.X, p.y)
        data["dual_coef"][top] = 0.25 * np.sign(data["dual_coef"][top])
        assert verified({**data, "dual": 0.0, "allowance": 10.0}, p.X, p.y)

    def test_claims_about_other_data_are_refuted(self):
        p, data = self.claim()
        assert not verified(data, p.X[:-1], p.y[:-1])
        assert not verified(data, p.X[:, :1], p.y)
        assert not verified(data, p.X, p.y[::-1])
        assert not verified(data, 2 * p.X, p.y)
        assert not verified(data, p.X + 1e-6, p.y)
        assert not verified(data, np.vstack([p.X, p.X[:1]]), [*p.y, "a"])
        assert not verified({**data, "rows": [0, 5], "dual_coef": [-0.1, 0.1]}, p.X, p.y)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("treatment", "penalised"), ("treatment", 1), ("treatment", "none"), ("C", 0.0),
            ("C", -1.0), ("C", float("nan")), ("C", "1"), ("C", True), ("C", 10**400), ("C", 0.1),
            ("C", 2.0), ("class_weight", [1.0]), ("class_weight", [1.0, -1.0]),
            ("class_weight", [1.0, 1.0, 1.0]), ("class_weight", [1.0, 2.0]),
            ("class_weight", [0.0, 1.0]), ("class_weight", []), ("class_weight", 1.0),
            ("sample_weight", [1.0]), ("sample_weight", [2.0] * 5), ("sample_weight", [0.0] * 5),
            ("sample_weight", [1.0] * 6), ("sample_weight", [1, 1, 1, 1, -1]),
            ("rows", [-1, 0, 2, 4]), ("rows", [0, 99]), ("rows", []), ("dual_coef", []),
            ("dual_coef", [0.1]), ("dual_coef", [float("inf")]), ("coef", [1.0]),
            ("coef", [0.0, 0.0]), ("coef", [float("nan"), 0.0]), ("examples", 4),
            ("examples", True), ("intercept", "0"), ("intercept", 0.5), ("primal", -1.0),
            ("primal", 0.0), ("primal", float("nan")), ("primal", float("inf")), ("dual", -1.0),
            ("dual", 1e9), ("dual", None), ("allowance", -1.0), ("allowance", float("nan")),
            ("labels", {"classes": ["b", "a"], "positive": 1, "column": None}),
        ],
    )  # fmt: skip
    def test_hostile_values(self, name, value):
        p, data = self.claim()
        assert data["intercept"] != 0
        assert not verified({**data, name: value}, p.X, p.y)
