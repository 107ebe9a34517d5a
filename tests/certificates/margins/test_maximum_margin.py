"""MaximumMargin: true claims verify in every storage, and no false one does."""

from __future__ import annotations

import copy
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo import HardMarginSVM
from certo.certificates import CannotClaim, Certificate, Labels, MaximumMargin, Sample, Vectors
from certo.certificates.spaces import combinations
from certo.checks import check_certificate
from certo.issue.margins import maximum_margin as issuer
from certo.issue.margins.maximum_margin import issue_maximum_margin

LABELS = Labels(("a", "b"))

# Two pairs of points at distance 2: the margin is exactly 1, by x₁ = 0.
SQUARE = np.array([[-1.0, 0.0], [-1.0, 3.0], [1.0, 0.0], [1.0, 3.0], [5.0, 1.0]])
SIDES = ["a", "a", "b", "b", "b"]


def square(treatment="free", **changes):
    fields = {
        "coef": np.array([1.0, 0.0]),
        "intercept": 0.0,
        "treatment": treatment,
        "rows": np.array([0, 2]),
        "dual_coef": np.array([-0.5, 0.5]),
        **changes,
    }
    return issue_maximum_margin(Sample.of(SQUARE, SIDES, LABELS), LABELS, **fields)


def issued(seed: int, treatment: str):
    """A claim from a plain projected-gradient search, right or weak but never wrong."""
    random = np.random.default_rng(seed)
    X = random.integers(-4, 5, (12, 2)) + 0.5 * random.integers(0, 2, (12, 2))
    u = random.integers(-3, 4, 3)
    score = X @ u[:2] + (0 if treatment == "none" else u[2])
    X, score = X[score != 0], score[score != 0]
    y = np.where(score > 0, "b", "a")
    if len(set(y.tolist())) < 2:
        return None
    sample = Sample.of(X, y, LABELS)
    signs = sample.signs.astype(float)
    intercept = 0.0 if treatment == "none" else float(u[2])
    rows = np.sort(np.r_[random.choice(np.flatnonzero(signs > 0)),
                         random.choice(np.flatnonzero(signs < 0))])  # fmt: skip
    claim = issue_maximum_margin(
        sample, LABELS, coef=u[:2].astype(float), intercept=intercept, treatment=treatment,
        rows=rows, dual_coef=signs[rows] * 0.25,
    )  # fmt: skip
    return X, y, claim


def best_margin(X, signs, treatment, directions=2_000):
    """A lower bound of γ* from many directions, for plane examples."""
    angle = np.linspace(0, 2 * np.pi, directions, endpoint=False)
    U = np.array([np.cos(angle), np.sin(angle)])
    scores = X @ U
    if treatment == "none":
        return float((signs[:, None] * scores).min(axis=0).max())
    low, high = scores[signs > 0].min(axis=0), scores[signs < 0].max(axis=0)
    if treatment == "free":
        return float(((low - high) / 2).max())
    best = 0.0
    for tilt in np.linspace(-1.5, 1.5, 101):
        shifted = np.cos(tilt) * scores + np.sin(tilt)
        best = max(best, float((signs[:, None] * shifted).min(axis=0).max()))
    return best


def verified(data, X, y) -> bool:
    try:
        return bool(Certificate.from_dict(json.loads(json.dumps(data))).verify(X, y))
    except ValueError:
        return False


class TestTrueClaims:
    def test_an_exact_margin_has_no_gap_but_that_of_roundings(self):
        claim = square()
        assert claim.lower <= 1 <= claim.upper
        assert claim.relative_gap < 1e-13
        assert claim.verify(SQUARE, SIDES)
        assert "no hyperplane has more" in claim.claim

    @pytest.mark.parametrize("store", [np.float32, sparse.csr_array, np.asfortranarray, list])
    def test_in_any_storage(self, store):
        for treatment in ("free", "lifted", "none"):
            assert square(treatment).verify(store(SQUARE), SIDES)

    def test_json_round_trip(self):
        claim = square("lifted")
        check_certificate(claim, SQUARE, SIDES)

    @pytest.mark.parametrize("treatment", ["free", "lifted", "none"])
    @given(seed=st.integers(0, 10_000))
    @settings(max_examples=40)
    def test_the_margin_is_between_the_bounds(self, treatment, seed):
        found = issued(seed, treatment)
        if found is None:
            return
        X, y, claim = found
        assert claim.verify(X, y)
        best = best_margin(X, np.where(y == "b", 1, -1), treatment)
        assert best <= claim.upper * (1 + 1e-12)
        assert claim.lower <= claim.upper

    def test_exactly_or_with_an_allowance(self, monkeypatch):
        rounded = square("lifted")
        assert rounded.upper > 1
        monkeypatch.setattr(issuer, "NEGLIGIBLE_SQUARE_SHARE", -1.0)
        exact = square("lifted")
        assert 1 <= exact.upper < rounded.upper <= 1 + 1e-13
        for store in (np.asarray, sparse.csr_array):
            assert rounded.verify(store(SQUARE), SIDES)
            assert exact.verify(store(SQUARE), SIDES)
            lowered = {**exact.to_dict(), "lower": 0.5, "upper": 1 - 1e-15}
            assert not verified(lowered, store(SQUARE), SIDES)
            monkeypatch.setattr(combinations, "EXACT_PRODUCTS", 0)
            assert not verified(lowered, store(SQUARE), SIDES)
            monkeypatch.undo()
            monkeypatch.setattr(issuer, "NEGLIGIBLE_SQUARE_SHARE", -1.0)

    def test_impossible_claims_are_refused(self):
        with pytest.raises(CannotClaim, match="own side"):
            square(coef=np.array([0.0, 1.0]))
        with pytest.raises(CannotClaim, match="multipliers"):
            square(rows=np.zeros(0, int), dual_coef=np.zeros(0))
        with pytest.raises(CannotClaim, match="own side"):
            square(coef=np.zeros(2))


class TestAttacks:
    @pytest.mark.parametrize("treatment", ["free", "lifted", "none"])
    @given(seed=st.integers(0, 10_000), data=st.data())
    @settings(max_examples=60)
    def test_a_mutated_claim_that_is_false_is_rejected(self, treatment, seed, data):
        found = issued(seed, treatment)
        if found is None:
            return
        X, y, claim = found
        forged = copy.deepcopy(claim.to_dict())
        kind = data.draw(st.sampled_from(["upper", "lower", "dual", "rows", "coef", "labels", "X"]))
        factor = data.draw(st.sampled_from([0.5, 0.9, 1 - 1e-9, 1 + 1e-9, 1.1, 2.0, -1.0]))
        X = X.copy()
        if kind in ("upper", "lower"):
            forged[kind] *= abs(factor)
        elif kind == "dual":
            forged["dual_coef"][data.draw(st.integers(0, 1))] *= factor
        elif kind == "rows":
            forged["rows"] = sorted(
                data.draw(st.sets(st.integers(0, len(X)), min_size=2, max_size=2))
            )
        elif kind == "coef":
            forged["coef"][data.draw(st.integers(0, 1))] += factor
        elif kind == "labels":
            y = np.roll(y, 1)
        else:
            X[data.draw(st.integers(0, len(X) - 1))] *= factor
        if verified(forged, X, y):  # then it must be true
            signs = np.where(y == "b", 1, -1)
            margins = signs * (X @ np.array(forged["coef"]) + forged["intercept"])
            last = forged["intercept"] if treatment == "lifted" else 0.0
            length = float(np.hypot(np.linalg.norm(forged["coef"]), last))
            assert margins.min() / length >= forged["lower"] * (1 - 1e-12)
            assert best_margin(X, signs, treatment) <= forged["upper"] * (1 + 1e-12)

    def test_a_free_intercept_needs_multipliers_that_balance_exactly(self):
        # Σ a y = 2⁻⁵², and an intercept far away would gain without limit
        data = square().to_dict()
        assert verified(data, SQUARE, SIDES)
        data["dual_coef"] = [-0.5, float(np.nextafter(0.5, 1))]
        data["upper"] = 1.1
        assert not verified(data, SQUARE, SIDES)
        assert verified({**data, "treatment": "lifted", "lower": 0.1}, SQUARE, SIDES)

    def test_a_margin_of_zero_is_no_margin(self):
        """It would say of XOR that this hyperplane has it on all examples."""
        with pytest.raises(ValueError, match="positive"):
            Certificate.from_dict({**square().to_dict(), "lower": 0.0})

    def test_one_class_cannot_bound_a_free_margin(self):
        data = square().to_dict()
        assert not verified({**data, "rows": [2, 3], "dual_coef": [0.5, 0.5]}, SQUARE, SIDES)
        assert not verified({**data, "rows": [2, 3], "dual_coef": [0.5, -0.5]}, SQUARE, SIDES)
        assert not verified({**data, "rows": [], "dual_coef": []}, SQUARE, SIDES)

    def test_an_intercept_where_there_is_none(self):
        data = square("none").to_dict()
        assert verified(data, SQUARE, SIDES)
        assert not verified({**data, "intercept": 1e-300}, SQUARE, SIDES)

    def test_the_treatment_cannot_be_exchanged(self):
        shifted = SQUARE + np.array([10.0, 0.0])
        claim = issue_maximum_margin(
            Sample.of(shifted, SIDES, LABELS), LABELS, coef=np.array([1.0, 0.0]), intercept=-10.0,
            treatment="free", rows=np.array([0, 2]), dual_coef=np.array([-0.5, 0.5]),
        )  # fmt: skip
        data = claim.to_dict()
        assert verified(data, shifted, SIDES)
        for other in ("lifted", "none"):  # 1/‖(w, b)‖ is far smaller
            assert not verified({**data, "treatment": other}, shifted, SIDES)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("treatment", "penalised"), ("treatment", 1), ("lower", -1.0), ("lower", 2.0),
            ("upper", float("nan")), ("upper", float("inf")), ("rows", [2, 0]), ("rows", [0, 0]),
            ("rows", [-1, 2]), ("rows", [0, 99]), ("dual_coef", [0.0, 0.5]), ("dual_coef", [-0.5]),
            ("dual_coef", [-0.5, float("inf")]), ("coef", [1.0]), ("coef", [float("nan"), 0.0]),
            ("examples", 4), ("examples", True), ("intercept", "0"), ("coef", [0.0, 0.0]),
        ],
    )  # fmt: skip
    def test_hostile_values(self, name, value):
        assert not verified({**square().to_dict(), name: value}, SQUARE, SIDES)

    def test_numbers_that_overflow_prove_nothing(self, monkeypatch):
        data = square().to_dict()
        huge = {**data, "dual_coef": [-1.7e308, 1.7e308]}
        assert verified(huge, SQUARE, SIDES)  # exactly, since the rounded sums overflow
        monkeypatch.setattr(combinations, "EXACT_PRODUCTS", 0)
        assert not verified({**huge, "upper": 1.7e308}, SQUARE * 2, SIDES)

    def test_words_do_not_round_in_their_own_favour(self):
        for seed in range(40):
            found = issued(seed, "free")
            if found is None:
                continue
            claim = found[2]
            low = claim.claim.split("is at least ")[1].split(",")[0]
            apart = claim.claim.split(" by at most ")[1].split(":")[0]
            gap = claim.claim.split("gap is at most ")[1].rstrip(".")
            assert Fraction(low) <= Fraction(claim.lower)
            assert Fraction(apart) >= Fraction(claim.upper) - Fraction(claim.lower)
            true_gap = 1 - (Fraction(claim.lower) / Fraction(claim.upper)) ** 2
            assert Fraction(gap) >= true_gap


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sums_that_are_0_in_one_storage_only():
    # Σ a_t y_t x_t is 0 but for rounding: dense and sparse products differ in what is left of it.
    X = 2.0**300 * np.array([[-1.2], [-0.1], [-1.7], [0.1], [-1.3]])
    y = np.array([0, 0, 1, 0, 1])
    for store in (np.asarray, sparse.csr_array):
        model = HardMarginSVM(intercept="lifted").fit(store(X), y)
        for other in (np.asarray, sparse.csr_array, sparse.csc_array, np.asfortranarray):
            assert model.certificate_.verify(other(X), y)


def test_the_exact_sum_decides_where_the_rounded_one_does_not():
    # Σ a_t y_t x_t = (0, 2e-3) has a length of twice the bound, and no room for an allowance.
    X = np.array([[0.1, 1e-3], [0.1, -1e-3]])
    claim = MaximumMargin(
        LABELS, Vectors(), 2, np.array([0.0, 1.0]), 0.0, np.array([0, 1]), np.array([1.0, -1.0]),
        "none", 1e-4, 1e-3,
    )  # fmt: skip
    assert claim.verify(X, ["b", "a"])
    assert claim.verify(sparse.csr_array(X), ["b", "a"])


@pytest.mark.parametrize(
    ("treatment", "meant"),
    [("free", "largest margin between"), ("none", "margin of hyperplanes through the origin"),
     ("lifted", "margin in the space with the extra feature 1 between")],
)  # fmt: skip
def test_words_say_of_which_hyperplanes_the_margin_is_the_largest(treatment, meant):
    X, y = np.array([[2.0, 0.5], [2.0, -0.5], [4.0, 0.5], [-1.0, 3.0]]), [0, 0, 1, 0]
    X = X - [3.0, 0.0] if treatment == "none" else X
    (_, claim) = HardMarginSVM(intercept=treatment).fit(X, y).certificate_
    assert meant in claim.claim
