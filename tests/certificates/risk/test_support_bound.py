"""SupportBound: no example of the exact optimum is missed, and no false bound verifies."""

from __future__ import annotations

import copy
import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo import SVM, HardMarginSVM, bounds
from certo.certificates import (
    CannotClaim,
    Certificate,
    Composite,
    Images,
    Labels,
    Sample,
    SoftMarginGap,
    SupportBound,
    Vectors,
)
from certo.certificates.risk.support_bound import Near, nearby
from certo.certificates.spaces.scores import Scores
from certo.issue.margins.soft_margin_gap import issue_soft_margin_gap
from certo.issue.risk import issue_support_bound
from certo.kernels import Function, Gaussian, Linear, Polynomial, Precomputed
from tests.oracles.kernel_truth import STORIES, gram, problem, solved, stopped_early

TREATMENTS = ["free", "lifted", "none"]
RANDOM = np.random.default_rng(3)
M = 90
SIDES = np.where(RANDOM.random(M) < 0.5, "a", "b")
X = RANDOM.normal(size=(M, 2)) + np.where(SIDES == "b", 1.0, -1.0)[:, None]
APART = X + np.where(SIDES == "b", 2.0, -2.0)[:, None]
CLASSES = RANDOM.integers(0, 3, M)
X3 = RANDOM.normal(size=(M, 2)) + 3.0 * np.array([[0, 0], [2, 0], [0, 2]])[CLASSES]


def solutions(model):
    return [claim for claim in model.certificate_ if "Separable" not in claim.name]


def soft(treatment="free", kernel=None, tol=1e-9, examples=X, labels=SIDES, **options):
    model = SVM(kernel, intercept=treatment, tol=tol, random_state=0, **options)
    return model.fit(examples, labels)


def issued(treatment="free", kernel=None, **options) -> SupportBound:
    return issue_support_bound(X, SIDES, solutions(soft(treatment, kernel, **options)))


def verified(data, examples=X, labels=SIDES) -> bool:
    try:
        return bool(Certificate.from_dict(json.loads(json.dumps(data))).verify(examples, labels))
    except ValueError:
        return False


class TestWhereTheOptimumIs:
    @given(
        st.sampled_from([Gaussian(1.0), Polynomial(2), Linear()]),
        st.sampled_from([story for story in STORIES if story != "far"]),
        st.integers(0, 10**6),
        st.sampled_from(TREATMENTS),
    )
    @settings(max_examples=30)
    def test_scores_intercept_and_supports_are_where_it_is_said(
        self, kernel, story, seed, treatment
    ):
        p = problem(kernel, story, seed, treatment)
        p = p._replace(class_weight=(1.0, 1.0), sample_weight=())
        best, alpha = solved(p)
        y = p.signs.astype(float)
        scores = gram(p) @ (alpha * y)
        if treatment == "free":  # the smallest one
            best = np.sort(y - scores)[np.count_nonzero(y > 0) - 1]
        margins = y * (scores + best)
        # what an independent solver says is off by a little itself
        off = nearby(p.claim(best, alpha), p.sample)
        off = 1.01 * float(np.max(off.lengths)) * off.radius + 1e-9
        near = nearby(p.claim(*stopped_early(p, seed)), p.sample)
        assert np.all(np.abs(near.scores.value - scores) <= near.unsure + off)
        if treatment != "lifted":
            low, high = near.ends
            assert low - off <= best <= high + off
        assert np.all(near.supports[margins < 1 - 2 * off])

    @given(
        st.lists(st.tuples(st.integers(-4, 4), st.booleans()), min_size=1, max_size=9).filter(
            lambda rows: any(side for _, side in rows)
        )
    )
    @settings(max_examples=60)
    def test_the_smallest_best_intercept_is_a_kink_of_known_rank(self, rows):
        scores = [Fraction(score, 2) for score, _ in rows]
        signs = [1 if side else -1 for _, side in rows]

        def loss(b):
            pairs = zip(signs, scores, strict=True)
            return sum(max(1 - y * (s + b), Fraction(0)) for y, s in pairs)

        kinks = [y - s for y, s in zip(signs, scores, strict=True)]
        least = min(map(loss, kinks))
        expected = min(b for b in kinks if loss(b) == least)
        value = np.array([float(s) for s in scores])
        near = Near(
            np.array(signs), Scores(value, 0.0 * value), Fraction(0), 0.0 * value, 0.0, 0.0, True
        )
        low, high = near.ends
        assert low <= expected <= high
        assert high - low < 1e-12

    @pytest.mark.parametrize("seed", range(8))
    def test_exactly_those_of_an_optimum_known_exactly(self, seed):
        """On a line, through the origin: w* is where the slope w − C Σ_{y x w < 1} y x changes
        sign, in rational numbers."""
        random = np.random.default_rng(seed)
        x = random.integers(-6, 9, 30) / 4
        y = np.where(random.random(30) < 0.8, 1, -1)
        y[:2] = 1, -1
        C, z = Fraction(1, 2), [Fraction(float(v)) for v in x * y]
        points = sorted({1 / v for v in z if v} | {Fraction(-100), Fraction(100)})
        found = []
        for left, right in itertools.pairwise(points):
            middle = (left + right) / 2
            still = C * sum(v for v in z if v * middle < 1)
            found += [min(max(still, left), right)]

        def objective(w):
            return w * w / 2 + C * sum(max(1 - w * v, Fraction(0)) for v in z)

        w = min(found, key=objective)
        true = sum(v * w <= 1 for v in z)
        counts = []
        for tol in (1e-2, 1e-5, 1e-9):
            model = soft("none", tol=tol, examples=x[:, None], labels=y, C=0.5)
            near = nearby(model.certificate_[0], Sample.of(x[:, None], y, Labels((-1, 1))))
            assert abs(Fraction(model.coef_[0, 0]) - w) <= Fraction(near.radius)
            counts.append(np.count_nonzero(near.supports))
            assert counts[-1] >= true
        assert counts[-1] == true

    @pytest.mark.parametrize("treatment", TREATMENTS)
    @pytest.mark.parametrize("hard", [False, True])
    def test_the_others_can_be_dropped(self, treatment, hard):
        examples = APART if hard else X

        def fit(rows):
            if hard:
                return HardMarginSVM(intercept=treatment).fit(examples[rows], SIDES[rows])
            return soft(treatment, tol=1e-11, examples=examples[rows], labels=SIDES[rows])

        whole = fit(np.arange(M))
        (solution,) = solutions(whole)
        sample = Sample.of(examples, SIDES, solution.labels)
        kept = np.flatnonzero(nearby(solution, sample).supports)
        assert len(whole.support_) <= kept.size < M / 2
        part = fit(kept)
        np.testing.assert_allclose(part.coef_, whole.coef_, atol=1e-4)
        np.testing.assert_allclose(part.intercept_, whole.intercept_, atol=1e-4)


class TestIssued:
    @pytest.mark.parametrize("treatment", TREATMENTS)
    @pytest.mark.parametrize("kernel", [None, Gaussian(4.0)])
    def test_soft_margins(self, treatment, kernel):
        sharp = issued(treatment, kernel)
        loose = issued(treatment, kernel, tol=1e-5)
        n = len(soft(treatment, kernel).support_)
        assert n < sharp.supports <= loose.supports < M
        assert sharp.bound == bounds.campi_garatti(M, sharp.supports, 0.05)
        assert list(sharp.bounds) == ["printed", "exact tail", "Campi–Garatti"]
        assert sorted(sharp.bounds.values(), reverse=True) == list(sharp.bounds.values())
        assert not sharp.vacuous
        assert Certificate.from_dict(json.loads(json.dumps(sharp.to_dict()))) == sharp
        for some in (sharp, loose, sharp.at(0.01)):
            assert some.verify(X, SIDES), some.verify(X, SIDES)
        assert sharp.at(0.01).bound > sharp.bound
        for storage in (sparse.csr_array(X), np.asfortranarray(X)):
            assert sharp.verify(storage, SIDES)
        assert not sharp.verify(X.astype(np.float32), SIDES)

    @pytest.mark.parametrize("treatment", TREATMENTS)
    @pytest.mark.parametrize("kernel", [None, Gaussian(4.0)])
    def test_hard_margins(self, treatment, kernel):
        model = HardMarginSVM(kernel=kernel, intercept=treatment).fit(APART, SIDES)
        claim = issue_support_bound(APART, SIDES, solutions(model))
        assert len(model.support_) < claim.supports < M / 2
        assert claim.verify(APART, SIDES)
        assert not claim.verify(1.01 * APART, SIDES)
        assert Certificate.from_dict(json.loads(json.dumps(claim.to_dict()))) == claim

    def test_several_classes_at_once(self):
        model = soft(examples=X3, labels=CLASSES)
        claim = issue_support_bound(X3, CLASSES, model.certificate_)
        every = set(model.support_.tolist())
        assert len(every) < claim.supports <= len(every) + 2
        assert claim.verify(X3, CLASSES)
        assert Composite((*model.certificate_, claim)).verify(X3, CLASSES)
        assert claim.labels == Labels((0, 1, 2), 2)

    def test_words(self):
        claim = issued()
        assert f"at most {claim.supports} of 90 examples" in claim.claim
        assert "probability at least 1 − 0.05" in claim.claim
        assert len(claim.assumes) == 3
        vacuous = issued(kernel=Gaussian(0.001))
        assert vacuous.vacuous
        assert "vacuous" in vacuous.claim
        assert vacuous.verify(X, SIDES)

    def test_kernels_of_objects_and_matrices(self):
        words = ["aab", "aba", "abb", "cdd", "dcd", "ddc", "acd", "bcd"] * 5
        sides = ["x", "x", "x", "y", "y", "y", "y", "y"] * 5
        model = soft(kernel=Function(_shared), tol=1e-7, examples=words, labels=sides)
        claim = issue_support_bound(words, sides, model.certificate_)
        assert claim.verify(words, sides)
        assert "positive semi-definite" in claim.assumes[-1]
        assert claim == claim.at(claim.delta)
        K = np.eye(M) + np.outer(SIDES == "b", SIDES == "b")
        model = soft(kernel=Precomputed(), tol=1e-7, examples=K)
        claim = issue_support_bound(K, SIDES, model.certificate_)
        assert claim.verify(K, SIDES)
        assert "chosen before" in claim.assumes[-1]
        K[0, 1] = 1e-17
        assert not claim.verify(K, SIDES)


def _shared(a: str, b: str) -> int:
    return sum(a.count(letter) * b.count(letter) for letter in "abcd")


class TestRefused:
    def test_weights(self):
        for model in (
            soft(class_weight={"a": 2.0}),
            SVM(tol=1e-9).fit(X, SIDES, sample_weight=np.full(M, 0.5)),
        ):
            with pytest.raises(CannotClaim, match="weights"):
                issue_support_bound(X, SIDES, model.certificate_)

    def test_far_from_the_optimum(self):
        (own,) = soft("none").certificate_
        far = issue_soft_margin_gap(
            Sample.of(X, SIDES, own.labels), own.labels, coef=0.8 * own.coef, intercept=0.0,
            treatment="none", C=own.C, rows=own.rows, dual_coef=own.dual_coef,
        )  # fmt: skip
        with pytest.raises(CannotClaim, match="suffices") as reason:
            issue_support_bound(X, SIDES, [far])
        enough = float(str(reason.value).split("(tol) of ")[1].split()[0])
        assert own.relative_gap < enough < far.relative_gap

    def test_a_repaired_matrix(self):
        K = X @ X.T
        model = soft(kernel=Precomputed(), examples=(K + K.T) / 2)
        assert model.certificate_[0].space.shift > 0
        with pytest.raises(CannotClaim, match="diagonal"):
            issue_support_bound((K + K.T) / 2, SIDES, model.certificate_)

    def test_other_examples(self):
        with pytest.raises(CannotClaim):
            issue_support_bound(X[::-1], SIDES, soft().certificate_)

    def test_other_solutions(self):
        three = soft(examples=X3, labels=CLASSES).certificate_.claims
        two = soft().certificate_[0]
        for strange in ([], three[:2], three[::-1], [two, two], [issued()], ["text"]):
            with pytest.raises(CannotClaim, match="there must be"):
                issue_support_bound(X3, CLASSES, strange)
        mixed = [three[0], three[1], soft("none", examples=X3, labels=CLASSES).certificate_[2]]
        priced = [three[0], three[1], soft(C=2.0, examples=X3, labels=CLASSES).certificate_[2]]
        for strange in (mixed, priced):
            with pytest.raises(CannotClaim, match="of one kind"):
                issue_support_bound(X3, CLASSES, strange)

    def test_delta(self):
        with pytest.raises(ValueError, match="delta"):
            issued().at(0.0)


class TestAttacks:
    """What would be false is rejected, whatever else is made to fit."""

    @pytest.mark.parametrize("treatment", TREATMENTS)
    @pytest.mark.parametrize("kernel", [None, Gaussian(4.0)])
    def test_changing_one_number_refutes_the_claim(self, treatment, kernel):
        claim = issued(treatment, kernel)
        data = claim.to_dict()
        assert verified(data)
        inside = data["solutions"][0]
        changes = [
            {"supports": claim.supports - 1},
            {"supports": 1, "bound": bounds.campi_garatti(M, 1, 0.05)},
            {"supports": 0},
            {"bound": claim.bound * (1 - 1e-9)},
            {"tail": claim.tail * (1 - 1e-9)},
            {"printed": claim.printed * (1 - 1e-9)},
            {"delta": 0.04},
            {"examples": M + 1},
            {"solutions": []},
            {"solutions": [data]},
            {"solutions": [inside, inside]},
            {"labels": {**data["labels"], "positive": 0}},
            {"labels": {**data["labels"], "classes": ["b", "a"]}},
        ]
        for change in changes:
            assert not verified({**data, **change}), change
        C = inside["C"]
        for change in (
            {"C": 1.1 * C},
            {"C": 0.9 * C},
            {"dual": inside["primal"]},
            {"primal": inside["dual"]},
            {"intercept": inside["intercept"] + 0.5},
            {"treatment": "free" if treatment == "lifted" else "lifted"},
            {"class_weight": [2.0, 1.0]},
            {"sample_weight": [1.0] * M},
            {"sample_weight": [1.0, 0.0] * (M // 2)},
            {"rows": inside["rows"][1:], "dual_coef": inside["dual_coef"][1:]},
            {"space": Vectors().to_dict() if kernel else Images(Gaussian(1.0), 0.0).to_dict()},
        ):
            assert not verified({**data, "solutions": [{**inside, **change}]}), change

    def test_a_gap_that_is_loosened_costs_examples(self):
        """A larger gap is true, but then more examples may matter."""
        data = issued(tol=1e-6).to_dict()
        inside = data["solutions"][0]
        loose = copy.deepcopy(data)
        loose["solutions"][0] = {
            **inside, "primal": inside["primal"] + 0.005, "allowance": inside["allowance"] + 0.01
        }  # fmt: skip
        assert Certificate.from_dict(loose["solutions"][0]).verify(X, SIDES)
        assert not verified(loose)

    def test_a_true_solution_of_another_problem(self):
        """The same hyperplane with a true, but large gap for another C, or unbalanced rows."""
        claim = issued("none")
        (own,) = claim.solutions
        sample = Sample.of(X, SIDES, own.labels)
        other = issue_soft_margin_gap(
            sample, own.labels, coef=own.coef, intercept=0.0, treatment="none", C=30.0,
            rows=own.rows, dual_coef=own.dual_coef,
        )  # fmt: skip
        data = claim.to_dict()
        assert other.verify(X, SIDES)
        assert not verified({**data, "solutions": [other.to_dict()]})

    def test_claims_about_other_data_are_refuted(self):
        claim = issued()
        flipped = SIDES.copy()
        flipped[0] = "a" if SIDES[0] == "b" else "b"
        longer = X.copy()
        longer[5] *= 1.5
        for examples, labels in (
            (X[1:], SIDES[1:]), (X[:, ::-1], SIDES), (2 * X, SIDES), (longer, SIDES),
            (X, flipped), (X, np.roll(SIDES, 1)), (X, np.full(M, "a")), (X, np.full(M, "c")),
        ):  # fmt: skip
            assert not claim.verify(examples, labels)

    def test_a_class_without_examples(self):
        """Nothing is said of classes that only the claim knows."""
        model = soft("none")
        two = issue_support_bound(X, SIDES, model.certificate_).to_dict()
        lone = np.where(SIDES == "b", "a", "a")
        assert not verified(two, X, lone)

    def test_classes_that_are_left_out(self):
        model = soft(examples=X3, labels=CLASSES)
        data = issue_support_bound(X3, CLASSES, model.certificate_).to_dict()
        assert verified(data, X3, CLASSES)
        assert not verified({**data, "solutions": data["solutions"][:2]}, X3, CLASSES)
        assert not verified({**data, "solutions": data["solutions"][:1] * 3}, X3, CLASSES)
        other = soft("lifted", examples=X3, labels=CLASSES).certificate_[2].to_dict()
        assert not verified({**data, "solutions": [*data["solutions"][:2], other]}, X3, CLASSES)

    def test_hard_margins(self):
        model = HardMarginSVM().fit(APART, SIDES)
        data = issue_support_bound(APART, SIDES, solutions(model)).to_dict()
        inside = data["solutions"][0]
        assert verified(data, APART)
        for change in (
            {"lower": inside["lower"] * 0.9, "upper": inside["upper"] * 1.1},  # true, but far
            {"upper": inside["lower"]},
            {"lower": inside["upper"] * (1 + 1e-9), "upper": inside["upper"] * 2},
            {"treatment": "none"},
            {"coef": [2 * v for v in inside["coef"]]},
            {"intercept": inside["intercept"] + 0.1},
        ):
            assert not verified({**data, "solutions": [{**inside, **change}]}, APART), change
        assert not verified({**data, "supports": data["supports"] - 1}, APART)

    def test_kernels_that_differ(self):
        claim = issued("free", Gaussian(4.0))
        (own,) = claim.solutions
        assert isinstance(own, SoftMarginGap)
        data = claim.to_dict()
        for kernel in (Gaussian(4.0 * (1 + 1e-6)), Gaussian(8.0), Linear()):
            inside = {**data["solutions"][0], "kernel": kernel.to_dict()}
            assert not verified({**data, "solutions": [inside]}), kernel


def test_both_counts_are_named():
    """The notes count support vectors; the formulas are evaluated at the count that is safe."""
    random = np.random.default_rng(2)
    X = random.normal(size=(200, 3))
    y = np.where(X[:, 0] + 0.3 * random.normal(size=200) > 0, 1, -1)
    for model in (SVM(tol=1e-8), SVM(Gaussian(2.0), tol=1e-8)):
        model.fit(X, y)
        claim = issue_support_bound(X, y, model.certificate_)
        assert claim.support_vectors == model.support_.size
        assert claim.support_vectors < claim.supports
        assert claim.numbers["support_vectors"] == claim.support_vectors
        assert f"{claim.support_vectors:,} are support vectors" in claim.claim
        assert f"at most {claim.supports:,} of 200 examples" in claim.claim
