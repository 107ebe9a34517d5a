"""SoftMarginGap with a kernel: the excess is at most the gap, and no false claim verifies."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.certificates import (
    CannotClaim,
    Certificate,
    Composite,
    Images,
    KernelSample,
    Labels,
    Sample,
    SoftMarginGap,
)
from certo.checks import check_certificate
from certo.issue.margins.soft_margin_gap import issue_soft_margin_gap
from certo.kernels import Function, Gaussian, Kernel, Linear, Polynomial, Precomputed, Product
from certo.numbers.rounding import gamma
from tests.oracles.kernel_truth import (
    KERNELS,
    LABELS,
    STORIES,
    Problem,
    problem,
    shared_letters,
    solved,
    stopped_early,
    true_values,
)  # fmt: skip

TREATMENTS = ["free", "lifted", "none"]
treatments = st.sampled_from(TREATMENTS)
kernels, stories = st.sampled_from(KERNELS), st.sampled_from(STORIES)
seeds = st.integers(0, 10**6)


def verified(data, X, y) -> bool:
    try:
        return bool(Certificate.from_dict(json.loads(json.dumps(data))).verify(X, y))
    except ValueError:
        return False


def changed(data: dict, name: str, value) -> dict:
    """The claim with another value, which may be one of its space."""
    if name in ("kernel", "shift"):
        name, value = "space", {**data["space"], name: value}
    return {**data, name: value}


class TestTheGap:
    @given(kernels, stories, seeds, treatments)
    @settings(max_examples=72)
    def test_the_excess_is_at_most_the_gap_wherever_one_stops(self, kernel, story, seed, treatment):
        p = problem(kernel, story, seed, treatment)
        assume(p.costs.any())
        b, alpha = stopped_early(p, seed)
        claim = p.claim(b, alpha)
        primal, dual = true_values(p, b, alpha, claim.space.shift)
        assert primal <= claim.primal
        assert max(dual, 0) >= claim.dual
        assert primal - dual >= Fraction(claim.gap) - Fraction(claim.allowance)
        best = true_values(p, *solved(p), claim.space.shift)[0]
        assert best >= claim.dual
        assert primal - best <= claim.gap
        assert claim.verify(p.X, p.y)

    @given(kernels, stories, seeds, treatments)
    @settings(max_examples=60)
    def test_scores_from_elsewhere_save_the_pass(self, kernel, story, seed, treatment):
        p = problem(kernel, story, seed, treatment)
        b, alpha = stopped_early(p, seed)
        sample, rows = p.sample, np.flatnonzero(alpha)
        scores = kernel(p.X, kernel.take(kernel.examples(p.X), rows)) @ (alpha * p.signs)[rows]
        claim = p.claim(b, alpha, known=scores)
        primal, dual = true_values(p, b, alpha, claim.space.shift)
        assert primal <= claim.primal
        assert max(dual, 0) >= claim.dual
        assert primal - dual >= Fraction(claim.gap) - Fraction(claim.allowance)
        assert claim.verify(p.X, p.y)
        assert sample.shift == claim.space.shift

    @pytest.mark.parametrize("treatment", TREATMENTS)
    @pytest.mark.parametrize("kernel", KERNELS[:4])
    def test_a_good_pair_has_a_tiny_gap(self, kernel, treatment):
        for seed in range(1, 12, 2):
            p = problem(kernel, "plain", seed, treatment)
            claim = p.claim(*solved(p))
            assert claim.relative_gap < 1e-7
            assert claim.allowance < 1e-8 * claim.primal

    def test_bad_scores_are_not_taken(self):
        p = problem(Gaussian(1.0), "plain", 5, "none")
        b, alpha = solved(p)
        rows = np.flatnonzero(alpha)
        scores = p.kernel(p.X, p.X[rows]) @ (alpha * p.signs)[rows]
        right = p.claim(b, 0.5 * alpha)
        for wrong in (scores, np.full(scores.shape, np.nan), scores.astype(np.float32) / 2):
            claim = p.claim(b, 0.5 * alpha, known=wrong)
            assert claim == right
        assert right.verify(p.X, p.y)

    @given(seeds, treatments)
    @example(8937, "free")  # an objective of 0, of which rounding is all there is
    @settings(max_examples=30)
    def test_the_linear_kernel_proves_what_vectors_prove(self, seed, treatment):
        p = problem(Linear(), "plain", seed, treatment)
        b, alpha = stopped_early(p, seed)
        ours = p.claim(b, alpha)
        rows = np.flatnonzero(alpha)
        signed = alpha * p.signs
        theirs = issue_soft_margin_gap(
            Sample.of(p.X, p.y, LABELS), LABELS, coef=p.X.T @ signed, intercept=b,
            treatment=treatment, C=p.C, class_weight=p.class_weight,
            sample_weight=p.sample_weight, rows=rows, dual_coef=signed[rows],
        )  # fmt: skip
        # Both bound the same objective from above, ours by scores of at most n products of sums of
        # d, each within γ_{n+d+4} of Σ|α_s x_s·x_t| + |b| + 1, twice that for the allowance and
        # four times for the checker's room; so do the products of the multipliers in the dual.
        n, d = p.X.shape
        size = np.abs(p.X @ p.X.T) @ alpha + abs(b) + 1.0
        rounding = 16 * gamma(n + d + 4) * float((p.costs + alpha) @ size)
        near = 1e-9 * ours.primal + rounding
        assert abs(ours.primal - theirs.primal) <= near
        assert abs(ours.dual - theirs.dual) <= near

    def test_without_multipliers_the_objective_is_at_least_nothing(self):
        p = problem(Gaussian(1.0), "plain", 1, "free")
        claim = p.claim(0.0, np.zeros(p.signs.size))
        assert claim.dual == 0
        assert claim.relative_gap == 1
        assert claim.verify(p.X, p.y)

    def test_many_rows_in_every_storage(self):
        rng = np.random.default_rng(0)
        X = (rng.integers(-8, 9, (1500, 3)) / 8).astype(np.float32)
        X[rng.random(X.shape) < 0.5] = 0
        signs = rng.choice([-1, 1], 1500)
        alpha = rng.integers(0, 2**10, 1500) * 2.0**-20
        p = Problem(Gaussian(1.0), X, signs, "lifted", C=2.0**-10)
        claim = p.claim(0.1, alpha)
        K = np.exp(-0.5 * np.sum((X[:, None] - X[None].astype(float)) ** 2, axis=2))
        square = (alpha * signs) @ K @ (alpha * signs)
        primal = (square + 0.01) / 2 + p.C * np.maximum(
            1 - signs * (K @ (alpha * signs) + 0.1), 0
        ).sum()
        dual = alpha.sum() - (square + (alpha @ signs) ** 2) / 2
        assert claim.dual <= dual <= claim.dual + 1e-9 * primal
        assert abs(claim.primal - primal) <= 1e-9 * primal
        for store in (
            np.asarray,
            np.float64,
            sparse.csr_array,
            np.asfortranarray,
            np.ndarray.tolist,
        ):
            assert claim.verify(store(X), p.y)


class TestWords:
    def test_json_round_trip(self):
        for seed, kernel in enumerate(KERNELS[:5]):
            p = problem(kernel, "plain", seed, TREATMENTS[seed % 3])
            claim = p.claim(*stopped_early(p, seed))
            check_certificate(claim, p.X, p.y)
            assert repr(kernel) in claim.claim
            assert claim.assumes == ()
        other = p.claim(*stopped_early(p, seed + 1))
        assert other != claim

    def test_a_python_function_stays_in_python(self):
        p = problem(Function(shared_letters), "plain", 1, "none")
        b, alpha = solved(p)
        claim = p.claim(b, alpha)
        assert claim.verify(p.X, p.y)
        assert claim == p.claim(b, alpha)
        assert any("positive semi-definite" in text for text in claim.assumes)
        with pytest.raises(ValueError, match="no JSON form"):
            claim.to_dict()
        mixed = problem(3 * Function(shared_letters), "plain", 1, "none")
        sample = KernelSample.of(p.X, p.y, LABELS, mixed.kernel)
        claim = issue_soft_margin_gap(
            sample, LABELS, intercept=0.0, treatment="none", C=1.0, rows=[], dual_coef=[]
        )
        assert len(claim.assumes) == 1

    def test_words_do_not_round_in_their_own_favour(self):
        for seed in range(20):
            p = problem(KERNELS[seed % 5], "plain", seed, TREATMENTS[seed % 3])
            claim = p.claim(*stopped_early(p, seed))
            high = claim.claim.split("of at most ")[1].split(", where")[0]
            apart = claim.claim.split("lower by more than ")[1].split(":")[0]
            gap = claim.claim.split("gap is at most ")[1].rstrip(".")
            assert Fraction(high) >= Fraction(claim.primal)
            assert Fraction(apart) >= Fraction(claim.primal) - Fraction(claim.dual)
            assert Fraction(gap) * Fraction(claim.primal) >= (
                Fraction(claim.primal) - Fraction(claim.dual)
            )

    def test_the_shift_is_said(self):
        p = problem(Precomputed(), "repeated", 1, "none")
        claim = p.claim(0.0, np.zeros(p.signs.size))
        assert claim.space.shift > 0
        assert repr(claim.space.shift) in claim.claim


class TestTogether:
    def test_a_composite_reads_each_kernel_once(self, monkeypatch):
        from certo.certificates.spaces import images

        rng = np.random.default_rng(0)
        X, y = rng.standard_normal((30, 2)), rng.choice([0, 1, 2], 30)
        claims: list[Certificate] = []
        for positive in range(3):
            labels = Labels((0, 1, 2), positive)
            for kernel in (Gaussian(1.0), Polynomial(2)):
                sample = KernelSample.of(X, y, labels, kernel)
                claim = issue_soft_margin_gap(
                    sample, labels, intercept=0.5, treatment="lifted", C=1.0,
                    rows=np.arange(30), dual_coef=rng.random(30) * sample.signs,
                )  # fmt: skip
                claims.append(claim)
        signs = np.where(y == 2, 1, -1)
        linear = issue_soft_margin_gap(
            Sample(X, signs), Labels((0, 1, 2), 2), coef=np.ones(2), intercept=0.0,
            treatment="none", C=1.0, rows=[], dual_coef=[],
        )  # fmt: skip
        claims.append(linear)
        read, seen = images.readable, []
        monkeypatch.setattr(
            images, "readable", lambda X, kernel: seen.append(kernel) or read(X, kernel)
        )
        together = Composite(tuple(claims))
        assert together.verify(X, y)
        assert seen == [Gaussian(1.0), Polynomial(2)]
        assert not together.verify(X, np.roll(y, 1))
        again = Composite.from_dict(json.loads(json.dumps(together.to_dict())))
        assert again.verify(X.tolist(), y.tolist())
        wrong = together.verify(X[:, :, None], y)
        assert len(wrong.parts) == 7
        assert not any(wrong.parts)


class TestWhatCannotBeClaimed:
    def test_multipliers_must_be_feasible(self):
        p = Problem(Gaussian(1.0), np.array([[1.0], [-1.0]]), np.array([1, -1]), "free")
        with pytest.raises(CannotClaim, match="same sum"):
            p.claim(0.0, np.array([0.5, np.nextafter(0.5, 1)]))
        with pytest.raises(CannotClaim, match="2 multipliers above"):
            p.claim(0.0, np.full(2, np.nextafter(1.0, 2)))
        with pytest.raises(CannotClaim, match="signs"):
            p.claim(0.0, np.full(2, -0.5))
        assert p.claim(0.0, np.ones(2)).verify(p.X, p.y)

    def test_numbers_that_overflow_prove_nothing(self):
        X = np.array([[1e100], [-1e100]])
        p = Problem(Polynomial(3), X, np.array([1, -1]), "none")
        with pytest.raises(CannotClaim):
            p.claim(0.0, np.ones(2))
        p = Problem(Linear(), X, np.array([1, -1]), "none", C=1e300)
        with pytest.raises(CannotClaim, match="overflow"):
            p.claim(0.0, np.full(2, 1e300))

    def test_a_function_that_is_no_kernel(self):
        p = Problem(Function(lambda x, z: -1.0), ["x", "y"], np.array([1, -1]), "none")
        with pytest.raises(CannotClaim, match="no kernel"):
            p.claim(0.0, np.ones(2))

    def test_a_function_that_fails_on_other_examples(self):
        p = problem(Function(shared_letters), "plain", 1, "none")
        claim = p.claim(*solved(p))
        nowhere = Function(lambda x, z: float("nan"))
        object.__setattr__(claim, "space", Images(nowhere, 0.0))
        assert "finite" in claim.verify(p.X, p.y).why


class TestAttacks:
    @staticmethod
    def is_true(data, X, y) -> bool:
        """P(f, b) ≤ primal exactly; no P is below dual, up to what a solver finds."""
        signs = np.where(np.asarray(y) == data["labels"]["classes"][1], 1, -1)
        p = Problem(
            Kernel.from_dict(data["space"]["kernel"]), X, signs, data["treatment"], data["C"],
            data["class_weight"], data["sample_weight"],
        )  # fmt: skip
        alpha = np.zeros(len(signs))
        alpha[data["rows"]] = np.abs(data["dual_coef"])
        if true_values(p, data["intercept"], alpha, data["space"]["shift"])[0] > data["primal"]:
            return False
        if not p.costs.any():
            return data["dual"] == 0
        return true_values(p, *solved(p), data["space"]["shift"])[0] >= data["dual"]

    @given(st.sampled_from(KERNELS[:5]), stories, seeds, treatments, st.data())
    @settings(max_examples=70)
    def test_verified_claims_are_true(self, kernel, story, seed, treatment, data):
        p = problem(kernel, story, seed, treatment)
        claim = p.claim(*solved(p))
        forged, X, y = claim.to_dict(), p.X.copy(), p.y.copy()
        assert verified(forged, X, y)
        field = data.draw(
            st.sampled_from(
                ["intercept", "dual_coef", "C", "class_weight", "sample_weight", "rows", "kernel",
                 "shift", "treatment", "primal", "dual", "X", "y", "labels"]
            )
        )  # fmt: skip
        factor = data.draw(
            st.sampled_from([-1.0, 0.0, 0.5, 0.99, 1 - 1e-6, 1 + 1e-6, 1.01, 2.0, 1e6])
        )
        some = lambda values: data.draw(st.integers(0, len(values) - 1))  # noqa: E731
        if field == "shift":
            forged["space"]["shift"] *= factor
        elif field in ("intercept", "C", "primal", "dual"):
            forged[field] *= factor
        elif field in ("dual_coef", "class_weight", "sample_weight") and forged[field]:
            forged[field][some(forged[field])] *= factor
            if field == "dual_coef" and factor > 0 and data.draw(st.booleans()):
                forged[field] = [factor * a for a in forged[field]]  # all: they balance still
        elif field == "rows" and forged["rows"]:
            forged["rows"][some(forged["rows"])] = some(y)
        elif field == "kernel":
            others = [Gaussian(2.0), Polynomial(2), Linear(), Gaussian(1 + 1e-6)]
            forged["space"]["kernel"] = data.draw(st.sampled_from(others)).to_dict()
            if isinstance(kernel, Precomputed):
                forged["space"]["shift"] = 0.0
        elif field == "treatment":
            forged["treatment"] = data.draw(treatments)
        elif field == "X":
            t = some(X)
            X[t] *= factor
            if isinstance(kernel, Precomputed):
                X[:, t] = X[t]
        elif field == "y":
            y = np.roll(y, 1)
        elif field == "labels":
            forged["labels"]["classes"] = ["b", "a"]
        # what an attacker would do then: numbers as favourable as they can be
        full = np.zeros(len(y))
        full[forged["rows"]] = np.abs(forged["dual_coef"])
        now = Problem(
            Kernel.from_dict(forged["space"]["kernel"]), X, p.signs, treatment, forged["C"],
            p.class_weight, p.sample_weight,
        )  # fmt: skip
        primal, dual = true_values(now, forged["intercept"], full, abs(forged["space"]["shift"]))
        if data.draw(st.booleans()):
            forged["primal"] = max(float(np.nextafter(float(primal), np.inf)), forged["dual"])
        if data.draw(st.booleans()):
            forged["dual"] = max(float(np.nextafter(float(dual), -np.inf)), 0.0)
            forged["primal"] = max(forged["primal"], forged["dual"])
        forged["allowance"] = data.draw(st.sampled_from([forged["allowance"], 1e300]))
        if verified(forged, X, y):
            assert self.is_true(forged, X, y)

    def claim(self, treatment="free", kernel=Gaussian(4.0)):  # noqa: B008
        """Four corners, and one example between them."""
        X = np.array([[-1.0, 0.0], [-1.0, 3.0], [1.0, 0.0], [1.0, 3.0], [0.5, 1.0]])
        p = Problem(kernel, X, np.array([-1, -1, 1, 1, 1]), treatment, C=0.25)
        return p, p.claim(*solved(p)).to_dict()

    @pytest.mark.parametrize("treatment", TREATMENTS)
    def test_the_numbers_cannot_be_better(self, treatment):
        p, data = self.claim(treatment)
        assert verified(data, p.X, p.y)
        assert verified({**data, "primal": data["primal"] * 2, "allowance": 10.0}, p.X, p.y)
        assert verified({**data, "dual": data["dual"] / 2, "allowance": 10.0}, p.X, p.y)
        for changes in (
            {"primal": data["dual"]}, {"dual": data["primal"]},
            {"primal": data["primal"] * (1 + 1e-6)}, {"dual": data["dual"] * (1 - 1e-6)},
            {"allowance": 0.0},
        ):  # fmt: skip
            assert not verified({**data, **changes}, p.X, p.y), changes

    def test_a_free_intercept_needs_multipliers_that_balance_exactly(self):
        # Σ α y = 2⁻⁵³, and an intercept far away would gain without limit
        p = Problem(Gaussian(1.0), np.array([[1.0], [-1.0]]), np.array([1, -1]), "free")
        data = p.claim(0.0, np.full(2, 0.5)).to_dict()
        off = {**data, "dual_coef": [float(np.nextafter(0.5, 1)), -0.5], "dual": 0.0,
               "allowance": 1.0}  # fmt: skip
        assert not verified(off, p.X, p.y)
        assert verified({**off, "treatment": "lifted"}, p.X, p.y)

    def test_claims_about_other_data_are_refuted(self):
        p, data = self.claim()
        assert not verified(data, p.X[:-1], p.y[:-1])
        assert not verified(data, p.X[:, :1], p.y)
        assert not verified(data, p.X, p.y[::-1])
        assert not verified(data, 2 * p.X, p.y)
        assert not verified(data, p.X * (1 + 1e-6), p.y)
        assert not verified(data, np.vstack([p.X, p.X[:1]]), [*p.y, "a"])
        assert not verified({**data, "rows": [0, 5], "dual_coef": [-0.1, 0.1]}, p.X, p.y)

    def test_a_matrix_that_is_no_kernel_has_no_best_function(self):
        """With a negative direction the objective has no least value, whatever multipliers say."""
        K, signs = np.array([[1.0, 3.0], [3.0, 1.0]]), np.array([1, -1])
        sample = KernelSample(Precomputed(), K, signs)  # as if it had been looked at
        claim = issue_soft_margin_gap(
            sample, LABELS, intercept=0.0, treatment="none", C=1.0, rows=[], dual_coef=[]
        )
        assert not claim.verify(K, ["b", "a"])
        assert "positive" in claim.verify(K, ["b", "a"]).why
        assert verified(changed(claim.to_dict(), "shift", 2.001), K, ["b", "a"])

    @pytest.mark.filterwarnings("ignore:(overflow|invalid value):RuntimeWarning")
    @pytest.mark.parametrize(
        ("kernel", "X", "says"),
        [
            ((1e200 * Linear()).normalised(), [[1e75], [1.0]], "precisely enough"),
            (Precomputed(), [[2.0, 5.0], [-5.0, 2.0]], "symmetric, but K[0, 1] is 5.0"),
            (2 * Precomputed(), [[2.0, 1.0], [0.5, 2.0]], "symmetric, but K[0, 1] is 1.0"),
            (Precomputed(), [[1e301, 0.0], [0.0, 1e301]], "is not shown to be at most"),
            (Precomputed(), [[1e302, 0.0], [0.0, 1e302]], "below 1e300"),
            (1e10 * Precomputed(), [[1e295, 0.0], [0.0, 1e295]], "below 1e300"),
            (Product((Linear(),) * 500), [[1e70], [1.0]], "precisely enough"),
        ],
        ids=repr,
    )
    def test_impossible_claims_are_refused_with_a_reason(self, kernel, X, says):
        weights = np.zeros(0)
        claim = SoftMarginGap(
            labels=LABELS, space=Images(kernel, 0.0), coef=weights, intercept=0.0,
            treatment="none", C=1.0, class_weight=np.ones(2), sample_weight=weights,
            rows=np.array([1]), dual_coef=np.array([0.5]), examples=2,
            primal=1.5, dual=0.0, allowance=10.0,
        )  # fmt: skip
        found = claim.verify(np.array(X), ["a", "b"])
        assert not found
        assert says in found.why

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("kernel", None), ("kernel", "Gaussian"), ("kernel", {"name": "Gaussian"}),
            ("kernel", {"name": "Gaussian", "variance": -1.0}),
            ("kernel", {"name": "Gaussian", "variance": float("nan")}),
            ("kernel", {"name": "Function", "of": "shared_letters"}),
            ("kernel", {"name": "Precomputed"}), ("kernel", {"name": "Linear"}),
            ("kernel", {"name": "__import__"}), ("shift", 1e-9), ("shift", -1.0),
            ("shift", float("nan")), ("shift", None),
            ("treatment", "penalised"), ("treatment", 1), ("treatment", "none"), ("C", 0.0),
            ("C", -1.0), ("C", float("nan")), ("C", "1"), ("C", True), ("C", 0.1), ("C", 2.0),
            ("class_weight", [1.0]), ("class_weight", [1.0, -1.0]), ("class_weight", [1.0, 2.0]),
            ("sample_weight", [1.0]), ("sample_weight", [2.0] * 5),
            ("rows", [-1, 0, 2, 4]), ("rows", [0, 99]), ("rows", []), ("dual_coef", []),
            ("dual_coef", [0.1]), ("dual_coef", [float("inf")]), ("examples", 4),
            ("examples", True), ("intercept", "0"), ("intercept", 0.5), ("primal", -1.0),
            ("primal", 0.0), ("primal", float("nan")), ("primal", float("inf")), ("dual", -1.0),
            ("dual", 1e9), ("dual", None), ("allowance", -1.0), ("allowance", float("nan")),
            ("labels", {"classes": ["b", "a"], "positive": 1, "column": None}),
            ("space", None), ("space", "Images"), ("space", {}), ("space", {"name": "Vectors"}),
            ("space", {"name": "Nowhere"}), ("space", {"name": "Images"}), ("coef", [1.0, 0.0]),
        ],
    )  # fmt: skip
    def test_hostile_values(self, name, value):
        p, data = self.claim()
        assert data["intercept"] != 0
        assert not verified(changed(data, name, value), p.X, p.y)


@pytest.mark.slow
def test_an_auditor_needs_numpy_and_scipy_only():
    p = problem(Gaussian(1.0), "plain", 1, "free")
    claim = p.claim(*solved(p))
    code = (
        "import sys, json; "
        "heavy = ['numba', 'sklearn', 'threadpoolctl', 'certo.compiled']; "
        "sys.modules.update(dict.fromkeys(heavy)); "
        "from certo.certificates import Certificate; "
        "claim, X, y = json.load(sys.stdin); "
        "print(Certificate.from_dict(claim).verify(X, y).holds)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True,
        input=json.dumps([claim.to_dict(), p.X.tolist(), p.y.tolist()]),
    )  # fmt: skip
    assert found.stdout == "True\n", found.stderr
