"""GaussianLikelihood and NoGaussianDensity beside the truth in exact arithmetic."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo import GaussianDensity, NoDensity
from certo.certificates import CannotClaim, Certificate, GaussianLikelihood, NoGaussianDensity
from certo.checks import check_certificate
from certo.issue.density import issue_gaussian_likelihood, issue_no_gaussian_density
from tests.oracles.density_truth import (
    Moments,
    gaussian_is_true,
    gaussian_risk,
    least_gaussian_risk,
    real,
)

KINDS = ["full", "diagonal"]


def some(seed: int, m: int = 12, d: int = 3):
    """Examples with a far mean and correlated columns of different scale."""
    rng = np.random.default_rng(seed)
    mixed = rng.standard_normal((m, d)) @ rng.standard_normal((d, d))
    return mixed * 10.0 ** rng.integers(-4, 5, d) + 10.0 ** rng.integers(0, 5)


def issued(X, kind="full", weights=None) -> GaussianLikelihood:
    return GaussianDensity(covariance=kind).fit(X, sample_weight=weights).certificate_[0]


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from(KINDS), st.booleans())
def test_claims_are_true_and_tight(seed, kind, weighted):
    X = some(seed)
    weights = np.random.default_rng(seed).integers(0, 4, len(X)).astype(float) + 0.5
    claim = issued(X, kind, weights if weighted else None)
    assert gaussian_is_true(claim.to_dict(), X)
    assert claim.verify(X)
    assert claim.excess < 1e-7
    assert claim.covariance_error < 1e-9


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(KINDS), st.floats(-3.0, 0.7))
def test_the_bound_holds_for_densities_that_are_not_the_likeliest(seed, kind, size):
    X = some(seed, 8, 2)
    best = issued(X, kind)
    rng = np.random.default_rng(seed)
    spread = np.sqrt(np.diag(best.covariance))
    mean = best.mean + 10.0**size * 0.5 * spread * rng.standard_normal(2)
    factor = best.factor * np.exp(10.0**size * 0.2 * rng.standard_normal((2, 2)))
    try:
        claim = issue_gaussian_likelihood(
            X, mean=mean, covariance=best.covariance, factor=factor, kind=kind
        )
    except CannotClaim:
        assume(False)
    assert gaussian_is_true(claim.to_dict(), X)
    assert claim.verify(X)
    moments = Moments(X)
    excess = gaussian_risk(moments, mean, factor) - least_gaussian_risk(moments, kind)
    assert excess <= real(claim.excess)


def test_the_covariance_is_that_of_the_density_too():
    X = some(0)
    best = issued(X)
    claim = issue_gaussian_likelihood(
        X, mean=best.mean, covariance=best.covariance, factor=1.2 * best.factor
    )
    assert claim.covariance_error > 1 - 1.2**-2
    assert not replace(claim, covariance_error=1e-9).verify(X)


def mutations(data: dict, rng: np.random.Generator):
    """The claim with one thing changed, as someone would who wants to be believed."""
    for name in ("risk", "lower", "mean_error", "covariance_error"):
        for factor in (1 + 1e-9, 1 - 1e-9, 0.5, 2.0, 0.0):
            yield data | {name: data[name] * factor}
        for shift in (1e-12, 1e-9, 1e-3):
            for sign in (1, -1):
                yield data | {name: data[name] + sign * shift}
    for name in ("mean", "covariance", "factor"):
        for size in (1e-13, 1e-9, 1e-4, 0.3):
            changed = copy.deepcopy(data)
            value = np.array(changed[name])
            noise = 1 + size * rng.standard_normal(value.shape)
            noise = (noise + noise.T) / 2 if name == "covariance" else noise
            changed[name] = (value * noise).tolist()
            yield changed
    yield data | {"kind": "diagonal" if data["kind"] == "full" else "full"}
    yield data | {"examples": data["examples"] + 1}
    yield data | {"sample_weight": rng.random(data["examples"]).tolist()}
    yield data | {"risk": data["lower"], "lower": data["lower"]}
    yield data | {"risk": data["risk"], "lower": data["risk"]}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_false_claims_do_not_verify(kind, seed):
    X = some(seed, 9, 2)
    rng = np.random.default_rng(seed)
    data = issued(X, kind).to_dict()
    believed = rejected = 0
    for changed in mutations(data, rng):
        try:
            claim = Certificate.from_dict(json.loads(json.dumps(changed)))
        except ValueError:
            rejected += 1
            continue
        if claim.verify(X):
            assert gaussian_is_true(changed, X), changed
            believed += 1
        else:
            rejected += 1
    assert believed > 5  # what was only weakened
    assert rejected > 20
    for row, column, change in [(0, 0, 1e-3), (3, 1, 2.0), (8, 0, 1e-9)]:
        other = X.copy()
        other[row, column] *= 1 + change
        if issued(X, kind).verify(other):
            assert gaussian_is_true(data, other)
    assert not issued(X, kind).verify(X[:-1])
    assert not issued(X, kind).verify(X[:, :1])
    assert not issued(X, kind).verify(sparse.csr_array(X))


def test_weakening_is_allowed():
    X = some(1)
    data = issued(X).to_dict()
    weaker = data | {
        "risk": data["risk"] + 1,
        "lower": data["lower"] - 1,
        "mean_error": 0.1,
        "covariance_error": 0.1,
    }
    assert Certificate.from_dict(weaker).verify(X)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "round"},
        {"kind": None},
        {"lower": float("nan")},
        {"risk": float("inf")},
        {"mean": [[1.0]]},
        {"mean": ["1"]},
        {"factor": [[1.0, 0.0], [1.0, 1.0]]},
        {"factor": [[-1.0, 0.0], [0.0, 1.0]]},
        {"factor": [[1.0, 0.0]]},
        {"covariance": [[1.0, 0.5], [0.25, 1.0]]},
        {"covariance": [[1.0, float("nan")], [0.25, 1.0]]},
        {"mean_error": -1.0},
        {"lower": 1e9},
        {"sample_weight": [1.0]},
        {"sample_weight": [-1.0] + [1.0] * 8},
        {"sample_weight": [0.0] * 9},
        {"sample_weight": [1e-300] + [1.0] * 8},
        {"labels": {"classes": [0, 1]}},
        {"extra": 1},
    ],
)
def test_hostile_fields_are_refused(change):
    data = issued(some(0, 9, 2)).to_dict()
    with pytest.raises(ValueError, match=r"."):
        Certificate.from_dict(data | change)


def test_json_is_exact_and_the_words_say_what_is_claimed():
    X = some(5)
    claim = issued(X)
    check_certificate(claim, X)
    assert "12 examples" in claim.claim
    assert "there is a likeliest" in claim.claim
    assert "independent columns" in issued(X, "diagonal").claim
    assert "weighted" in issued(X, weights=np.ones(12)).claim
    assert not claim.assumes


def test_extreme_numbers_are_not_claimed():
    X = np.random.default_rng(3).standard_normal((9, 2))
    best = issued(X)
    for far in (1e200, 1e-200, 1e305):
        with pytest.raises(CannotClaim):
            issue_gaussian_likelihood(
                X * far, mean=best.mean, covariance=best.covariance, factor=best.factor
            )
    assert not best.verify(X * 1e300)
    assert not best.verify(np.where(X > 0, np.inf, X))


def test_float32_and_integers_are_taken_as_they_are():
    X = np.random.default_rng(0).integers(-5, 6, (20, 2))
    assert issued(X).verify(X.astype(np.float32))
    assert gaussian_is_true(issued(X.astype(np.float32)).to_dict(), X)


# There is none


@st.composite
def flat(draw):
    """Integers on a hyperplane: a repeated, constant or combined column."""
    m, d = draw(st.integers(2, 8)), draw(st.integers(1, 4))
    entry = st.integers(-4, 4)
    X = np.array(draw(st.lists(st.lists(entry, min_size=d, max_size=d), min_size=m, max_size=m)))
    terms = np.array(draw(st.lists(st.integers(-2, 2), min_size=d, max_size=d)))
    return np.column_stack([X, X @ terms + draw(entry)]).astype(float) * draw(
        st.sampled_from([1.0, 0.1, 1e-8, 1e8, 0.25])
    )


@settings(max_examples=80)
@given(flat(), st.sampled_from(KINDS))
def test_existence_is_decided_as_exact_arithmetic_does(X, kind):
    exists = least_gaussian_risk(Moments(X), kind) is not None
    try:
        found = issued(X, kind)
    except NoDensity as refusal:
        found = refusal.proof
    if isinstance(found, GaussianLikelihood):
        assert exists
        assert gaussian_is_true(found.to_dict(), X)
    elif found is not None:
        assert not exists
        assert found.verify(X)
    else:  # 0.1·integers are collinear up to rounding only
        assert kind == "full"


def test_false_proofs_that_there_is_none_are_rejected():
    X = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 5.0], [3.0, 7.0]])  # on the line 2x − y = −1
    proof = issue_no_gaussian_density(X, [2, -1], -1)
    check_certificate(proof, X)
    assert "columns 0, 1" in proof.claim
    assert not issue_no_gaussian_density(X, [2, -1], 0).verify(X)
    assert not issue_no_gaussian_density(X, [2, 1], -1).verify(X)
    assert not issue_no_gaussian_density(X).verify(X)
    near = X.copy()
    near[3, 1] = np.nextafter(7, 8)
    assert not proof.verify(near)
    weights = np.array([1.0, 1.0, 1.0, 0.0])  # what does not count may be anywhere
    assert issue_no_gaussian_density(near, [2, -1], -1, sample_weight=weights).verify(near)
    assert not proof.verify(X[:3])
    with pytest.raises(ValueError, match="one column"):
        issue_no_gaussian_density(X, [2, -1], -1, kind="diagonal")
    with pytest.raises(ValueError, match="not all may be 0"):
        issue_no_gaussian_density(X, [0, 0], 0)
    with pytest.raises(ValueError, match="fractions"):
        NoGaussianDensity(proof.labels, np.zeros(0), 4, 2, "full", (0.5, 1), Fraction(0))


def test_few_different_examples_lie_on_a_hyperplane():
    X = np.repeat([[0.0, 1.0, 2.0], [5.0, 1.0, 4.0]], 4, axis=0)
    claim = issue_no_gaussian_density(X)
    assert claim.verify(X)
    assert not issue_no_gaussian_density(X, kind="diagonal").verify(X)
    assert issue_no_gaussian_density(X[:4], kind="diagonal").verify(X[:4])
    X[0, 0], X[1, 1] = 7.0, 9.0
    assert not claim.verify(X)


def test_words_are_about_examples_that_count():
    X = np.array([[1.0], [1.0], [5.0]])
    claim = issue_no_gaussian_density(X, (1,), 1, sample_weight=[1, 1, 0])
    assert claim.verify(X)
    assert "in all 2 examples of positive weight (of 3)" in claim.claim
