"""MaximumMargin with a kernel: true claims verify in every storage, and no false one does."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.certificates import CannotClaim, Certificate, Images, KernelSample, MaximumMargin, Sample
from certo.checks import check_certificate
from certo.issue.margins.maximum_margin import issue_maximum_margin
from certo.kernels import Gaussian, Kernel, Linear, Polynomial, Precomputed
from tests.oracles.kernel_truth import (
    LABELS,
    Problem,
    rational,
    solved,
    true_gram,
    true_scores,
    true_square,
)

TREATMENTS = ["free", "lifted", "none"]
treatments = st.sampled_from(TREATMENTS)
kernels = st.sampled_from([Gaussian(1.0), Gaussian(20.0), Polynomial(3), Precomputed()])
seeds = st.integers(0, 10**6)


def verified(data, X, y) -> bool:
    try:
        return bool(Certificate.from_dict(json.loads(json.dumps(data))).verify(X, y))
    except ValueError:
        return False


def separable(kernel: Kernel, seed: int, treatment: str) -> Problem:
    """Different examples, which the Gaussian and most polynomials separate whatever the labels."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(3, 9))
    grid = np.array([(i, j) for i in range(-2, 3) for j in range(-2, 3)], dtype=float)
    X = grid[rng.choice(25, m, replace=False)] + np.array([0.25, 0.5])
    signs = rng.choice([-1, 1], m)
    signs[:2] = 1, -1
    if isinstance(kernel, Precomputed):
        X = Gaussian(1.0).plain(X, X)
    return Problem(kernel, X, signs, treatment, C=2.0**8)


def changed(data: dict, name: str, value) -> dict:
    """The claim with another value, which may be one of its space."""
    if name in ("kernel", "shift"):
        name, value = "space", {**data["space"], name: value}
    return {**data, name: value}


def claimed(p: Problem, b=None, alpha=None, **changes) -> MaximumMargin:
    if alpha is None:
        b, alpha = solved(p)
    rows = np.flatnonzero(alpha)
    witness = {
        "intercept": b,
        "treatment": p.treatment,
        "rows": rows,
        "dual_coef": (alpha * p.signs)[rows],
        **changes,
    }
    return issue_maximum_margin(p.sample, LABELS, **witness)


def true_bounds(p: Problem, b: float, signed, shift=0.0) -> tuple[Fraction, Fraction]:
    """(least margin of f + b)·|…|/length² and the square of the bound from above, exactly."""
    K, lifted = true_gram(p.kernel, p.X, shift), p.treatment == "lifted"
    square = true_square(K, signed)
    scores = true_scores(K, signed)
    least = min(int(y) * (s + Fraction(b)) for y, s in zip(p.signs, scores, strict=True))
    length2 = square + lifted * Fraction(b) ** 2
    lower2 = least * abs(least) / length2 if length2 else Fraction(0)
    balance, total = sum(rational(signed)), sum(rational(np.abs(signed)))
    return lower2, (square + lifted * balance**2) / total**2


class TestTrueClaims:
    @given(kernels, seeds, treatments, st.sampled_from([1.0, 1.0, 0.5, 0.9, 1.3]))
    @settings(max_examples=60)
    def test_the_bounds_hold_and_are_what_the_multipliers_give(self, kernel, seed, treatment, off):
        p = separable(kernel, seed, treatment)
        b, alpha = solved(p)
        alpha[np.argmax(alpha)] *= off if treatment != "free" else 1.0
        try:
            claim = claimed(p, b, alpha)
        except CannotClaim as reason:
            assert "own side" in str(reason)  # noqa: PT017
            return
        lower2, upper2 = true_bounds(p, b, alpha * p.signs, claim.space.shift)
        assert Fraction(claim.lower) ** 2 <= lower2
        assert upper2 <= Fraction(claim.upper) ** 2
        assert float(upper2) >= claim.upper**2 * (1 - 1e-9)
        assert float(lower2) >= claim.lower**2 * (1 - 1e-9)
        check_certificate(claim, p.X, p.y)

    @pytest.mark.parametrize("treatment", TREATMENTS)
    def test_a_good_pair_has_a_small_gap(self, treatment):
        for seed in range(10):
            claim = claimed(separable(Gaussian(1.0), seed, treatment))
            assert claim.relative_gap < 1e-5

    @pytest.mark.parametrize("treatment", TREATMENTS)
    def test_two_points_of_the_gaussian(self, treatment):
        """‖φ(x) − φ(z)‖² = 2 − 2K(x, z), and the margin is half of that distance."""
        p = Problem(Gaussian(2.0), np.array([[0.0], [1.0]]), np.array([-1, 1]), treatment)
        claim = claimed(p, 0.0, np.ones(2))
        half = np.sqrt(2 - 2 * np.exp(-0.25)) / 2
        assert claim.lower <= half <= claim.upper
        assert claim.relative_gap < 1e-12
        assert claim.verify(p.X, p.y)
        assert "no" in claim.claim

    @pytest.mark.parametrize("treatment", TREATMENTS)
    def test_the_linear_kernel_proves_what_vectors_prove(self, treatment):
        X = np.array([[-1.0, 0.0], [-1.0, 3.0], [1.0, 0.0], [1.0, 3.0], [5.0, 1.0]])
        p = Problem(Linear(), X, np.array([-1, -1, 1, 1, 1]), treatment)
        alpha = np.array([0.5, 0, 0.5, 0, 0])
        ours = claimed(p, 0.0, alpha)
        theirs = issue_maximum_margin(
            Sample.of(X, p.y, LABELS), LABELS, coef=np.array([1.0, 0.0]), intercept=0.0,
            treatment=treatment, rows=np.array([0, 2]), dual_coef=np.array([-0.5, 0.5]),
        )  # fmt: skip
        assert abs(ours.lower - theirs.lower) < 1e-12
        assert abs(ours.upper - theirs.upper) < 1e-12

    @pytest.mark.parametrize("store", [np.float32, sparse.csr_array, np.asfortranarray, list])
    def test_in_any_storage(self, store):
        for kernel in (Gaussian(1.0), Polynomial(3)):
            p = separable(kernel, 3, "none")
            assert claimed(p).verify(store(p.X), p.y)

    def test_impossible_claims_are_refused(self):
        X, signs = np.array([[1.0], [1.0], [2.0]]), np.array([1, -1, 1])
        p = Problem(Gaussian(1.0), X, signs, "none")
        with pytest.raises(CannotClaim, match="own side"):  # the same example, twice
            claimed(p, 0.0, np.ones(3))
        with pytest.raises(CannotClaim, match="multipliers"):
            claimed(p, 0.0, np.zeros(3))
        with pytest.raises(CannotClaim, match="same sum"):
            claimed(p._replace(treatment="free"), 0.0, np.ones(3))
        with pytest.raises(CannotClaim, match="signs"):
            claimed(p, 0.0, -np.ones(3))
        with pytest.raises(CannotClaim, match="rows of X"):
            claimed(p, 0.0, np.ones(3), rows=[0, 1, 9])

    def test_words_do_not_round_in_their_own_favour(self):
        for seed in range(12):
            claim = claimed(separable(Gaussian(1.0), seed, TREATMENTS[seed % 3]))
            low = claim.claim.split("is at least ")[1].split(",")[0]
            apart = claim.claim.split(" by at most ")[1].split(":")[0]
            gap = claim.claim.split("gap is at most ")[1].rstrip(".")
            assert Fraction(low) <= Fraction(claim.lower)
            assert Fraction(apart) >= Fraction(claim.upper) - Fraction(claim.lower)
            true_gap = 1 - (Fraction(claim.lower) / Fraction(claim.upper)) ** 2
            assert Fraction(gap) >= true_gap


class TestAttacks:
    @given(kernels, seeds, treatments, st.data())
    @settings(max_examples=90)
    def test_verified_claims_are_true(self, kernel, seed, treatment, data):
        p = separable(kernel, seed, treatment)
        b, alpha = solved(p)
        try:
            forged = claimed(p, b, alpha).to_dict()
        except CannotClaim:
            return
        X, y = p.X.copy(), p.y.copy()
        assert verified(forged, X, y)
        field = data.draw(
            st.sampled_from(
                ["lower", "upper", "dual_coef", "rows", "intercept", "treatment", "kernel", "X",
                 "y", "labels"]
            )
        )  # fmt: skip
        factor = data.draw(st.sampled_from([0.0, 0.5, 0.9, 1 - 1e-7, 1 + 1e-7, 1.1, 2.0, -1.0]))
        some = lambda values: data.draw(st.integers(0, len(values) - 1))  # noqa: E731
        if field in ("upper", "lower", "intercept"):
            forged[field] *= factor
        elif field == "dual_coef":
            forged[field][some(forged[field])] *= factor
        elif field == "rows":
            forged["rows"][some(forged["rows"])] = some(y)
        elif field == "treatment":
            forged["treatment"] = data.draw(treatments)
        elif field == "kernel":
            others = [Gaussian(2.0), Polynomial(2), Linear(), Gaussian(1 + 1e-6)]
            forged["space"]["kernel"], forged["space"]["shift"] = (
                data.draw(st.sampled_from(others)).to_dict(),
                0.0,
            )
        elif field == "X":
            t = some(X)
            X[t] *= factor
            if isinstance(kernel, Precomputed):
                X[:, t] = X[t]
        elif field == "y":
            y = np.roll(y, 1)
        else:
            forged["labels"]["classes"] = ["b", "a"]
        signs = np.where(y == forged["labels"]["classes"][1], 1, -1)
        now = Problem(
            Kernel.from_dict(forged["space"]["kernel"]), X, signs, forged["treatment"], C=2.0**8
        )
        signed = np.zeros(len(y))
        signed[forged["rows"]] = forged["dual_coef"]
        lower2, upper2 = true_bounds(now, forged["intercept"], signed, forged["space"]["shift"])
        if data.draw(st.booleans()) and lower2 > 0:  # what an attacker would do then
            forged["lower"] = float(lower2) ** 0.5 * (1 - 1e-9)
            forged["upper"] = max(forged["lower"], float(max(upper2, 0)) ** 0.5 * (1 + 1e-9))
        if verified(forged, X, y):
            assert Fraction(forged["lower"]) ** 2 <= lower2
            best = solved(now)  # any function is a bound of the margin from below
            reached = true_bounds(now, best[0], best[1] * signs, forged["space"]["shift"])[0]
            assert float(reached) <= forged["upper"] ** 2 * (1 + 1e-9)

    def claim(self):
        p = separable(Gaussian(1.0), 3, "free")
        return p, claimed(p).to_dict()

    def test_a_free_intercept_needs_multipliers_that_balance_exactly(self):
        p, data = self.claim()
        data["dual_coef"][0] = float(np.nextafter(data["dual_coef"][0], 9.0))
        assert not verified({**data, "upper": 10.0}, p.X, p.y)
        assert verified({**data, "upper": 10.0, "lower": 1e-9, "treatment": "lifted"}, p.X, p.y)

    def test_an_indefinite_matrix(self):
        K, signs = np.array([[1.0, 3.0], [3.0, 1.0]]), np.array([1, -1])
        claim = MaximumMargin(
            LABELS, Images(Precomputed(), 4.0), 2, np.zeros(0), 0.0, np.arange(2),
            np.array([1.0, -1.0]), "none", 0.5, 9.0,
        )  # fmt: skip
        assert claim.verify(K, ["b", "a"])
        assert not verified(changed(claim.to_dict(), "shift", 1.9), K, ["b", "a"])
        assert np.linalg.eigvalsh(K + 1.9 * np.eye(2))[0] < 0
        assert KernelSample(Precomputed(), K, signs, 4.0).m == 2

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("treatment", "penalised"), ("treatment", "none"), ("lower", -1.0), ("lower", 0.0),
            ("lower", 2.0), ("upper", float("nan")), ("upper", float("inf")), ("rows", [1, 0]),
            ("rows", [-1, 2]), ("rows", []), ("dual_coef", []), ("dual_coef", [0.0, 0.5]),
            ("dual_coef", [float("inf")]), ("examples", 4), ("examples", True), ("shift", 1.0),
            ("intercept", "0"), ("intercept", 5.0), ("kernel", {"name": "Linear"}), ("kernel", {}),
        ],
    )  # fmt: skip
    def test_hostile_values(self, name, value):
        p, data = self.claim()
        assert data["intercept"] != 0
        assert not verified(changed(data, name, value), p.X, p.y)
