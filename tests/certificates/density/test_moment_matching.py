"""MomentMatching and NoLogLinearDensity beside rigorous integration and brute force."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse

from certo import LogLinearDensity, NoDensity
from certo.certificates import CannotClaim, Certificate, MomentMatching
from certo.certificates.density.box_features import FEATURE_FAMILIES, BoxCosines, BoxPolynomials
from certo.checks import check_certificate
from certo.issue.density import find_no_log_linear_density, issue_moment_matching
from certo.solvers.dependence import hyperplanes
from tests.oracles.density_truth import LogLinear, real

KINDS = sorted(FEATURE_FAMILIES)
BOX = (-1.5, 4.0)


def some(seed: int, m: int = 15) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return BOX[0] + (BOX[1] - BOX[0]) * rng.beta(*rng.uniform(0.6, 4, 2), (m, 1))


def issued(X, family="polynomials", degree=3, weights=None, box=BOX) -> MomentMatching:
    model = LogLinearDensity(features=FEATURE_FAMILIES[family](degree), box=box).fit(
        X, sample_weight=weights
    )
    return model.certificate_[0]


def truth_of(data: dict, X) -> LogLinear:
    return LogLinear(
        data["family"], data["degree"], data["low"][0], data["high"][0], X, data["sample_weight"]
    )


def is_true(data: dict, X, best) -> bool:
    """best: coefficients near the minimiser, of this family and degree."""
    if data["examples"] != len(X) or len(data["low"]) != X.shape[1]:
        return False
    truth = truth_of(data, X)
    w = [real(c) for c in data["coef"]]
    return (
        truth.inside
        and truth.risk(w) <= real(data["risk"])
        and all(abs(g) <= real(data["moment_error"]) for g in truth.gradient(w))
        and real(data["lower"]) <= truth.least(best) + real(1e-20)
    )


@settings(max_examples=8)
@given(st.integers(0, 10**6), st.sampled_from(KINDS), st.integers(1, 4), st.booleans())
def test_claims_are_true_and_tight(seed, family, degree, weighted):
    X = some(seed)
    weights = np.random.default_rng(seed).random(len(X)) + 0.1 if weighted else None
    claim = issued(X, family, degree, weights)
    assert is_true(claim.to_dict(), X, claim.coef)
    assert claim.verify(X)
    assert claim.excess < 1e-9
    assert claim.moment_error < 1e-10


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from(KINDS), st.floats(-8.0, -1.0))
def test_the_bound_holds_for_densities_that_are_not_the_likeliest(seed, family, size):
    X = some(seed)
    best = issued(X, family, 2)
    coef = best.coef + 10.0**size * np.random.default_rng(seed).standard_normal(2)
    factor = best.factor
    try:
        claim = issue_moment_matching(
            X,
            features=FEATURE_FAMILIES[family](2),
            low=best.low,
            high=best.high,
            coef=coef,
            factor=factor,
        )
    except CannotClaim:
        return
    truth = truth_of(claim.to_dict(), X)
    assert is_true(claim.to_dict(), X, best.coef)
    excess = truth.risk([real(c) for c in coef]) - truth.least(best.coef)
    assert excess <= real(claim.excess)
    assert claim.verify(X)


def mutations(data: dict, rng: np.random.Generator):
    for name in ("risk", "lower", "moment_error"):
        for factor in (1 + 1e-9, 1 - 1e-9, 0.5, 2.0, 0.0):
            yield data | {name: data[name] * factor}
        for shift in (1e-11, 1e-6):
            yield data | {name: data[name] + shift}
            yield data | {name: data[name] - shift}
    for name in ("coef", "factor"):
        for size in (1e-14, 1e-10, 1e-4, 0.3):
            changed = copy.deepcopy(data)
            value = np.array(changed[name])
            changed[name] = (value * (1 + size * rng.standard_normal(value.shape))).tolist()
            yield changed
    other = next(name for name in KINDS if name != data["family"])
    yield data | {"family": other}
    yield data | {"low": [data["low"][0] - 1e-6]}
    yield data | {"high": [data["high"][0] + 1.0]}
    yield data | {"examples": data["examples"] - 1}
    yield data | {"sample_weight": (1 + 1e-6 * rng.random(data["examples"])).tolist()}


@pytest.mark.slow
@pytest.mark.parametrize("family", KINDS)
def test_false_claims_do_not_verify(family):
    X = some(4)
    rng = np.random.default_rng(0)
    best = issued(X, family, 2)
    data = best.to_dict()
    believed = rejected = 0
    for changed in mutations(data, rng):
        try:
            claim = Certificate.from_dict(json.loads(json.dumps(changed)))
        except ValueError:
            rejected += 1
            continue
        if claim.verify(X):
            assert is_true(changed, X, claim.coef), changed
            believed += 1
        else:
            rejected += 1
    assert believed > 3
    assert rejected > 15
    for row, change in [(0, 1e-3), (3, 1e-9), (5, 1e-12)]:
        moved = X.copy()
        moved[row] += change
        if best.verify(moved):
            assert is_true(data, moved, best.coef)
    outside = X.copy()
    outside[2] = 4.5
    assert "outside" in best.verify(outside).why
    assert not best.verify(X[:-1])
    assert not best.verify(np.hstack([X, X]))
    assert not best.verify(sparse.csr_array(X))


@pytest.mark.parametrize(
    "change",
    [
        {"family": "splines"},
        {"family": ["cosines"]},
        {"degree": 3},
        {"degree": 10**6},
        {"degree": -1},
        {"degree": 2.0},
        {"low": [4.0]},
        {"low": [-1.5, 0.0]},
        {"low": []},
        {"high": [float("inf")]},
        {"low": [-1e308], "high": [1e308]},
        {"coef": [1.0]},
        {"coef": [float("nan"), 1.0]},
        {"factor": [[1.0, 0.0], [1.0, 1.0]]},
        {"factor": [[0.0, 1.0], [0.0, 1.0]]},
        {"moment_error": -1e-3},
        {"lower": 1e9},
        {"sample_weight": [0.0] * 15},
    ],
)
def test_hostile_fields_are_refused(change):
    data = issued(some(0), degree=2).to_dict()
    with pytest.raises(ValueError, match=r"."):
        Certificate.from_dict(data | change)


def test_too_sharp_density_is_refuted():
    X = some(0)
    data = issued(X, degree=2).to_dict()
    sharp = Certificate.from_dict(data | {"coef": [0.0, -1e12], "risk": 1e300, "lower": -1e300})
    assert "nodes" in sharp.verify(X).why
    assert "nodes" in replace(sharp, coef=np.full(2, 1e308)).verify(X).why  # their sum overflows


def test_json_is_exact_and_the_words_say_what_is_claimed():
    X = some(5)
    claim = issued(X)
    check_certificate(claim, X)
    assert "15 examples" in claim.claim
    assert "polynomials of degree 3" in claim.claim
    assert not claim.assumes


# Existence


def hull_says(X, degree: int, box) -> bool:
    """Whether the mean of φ is interior to the hull of φ(box): no u with u·(φ(x) − φ̄) ≤ 0 on a fine
    grid and the examples, by a linear program."""
    features = BoxPolynomials(degree)
    low, high = np.array(box).reshape(-1, 2).T
    axes = [np.linspace(0, 1, 201 if len(low) == 1 else 21) for _ in low]
    grid = np.stack([g.ravel() for g in np.meshgrid(*axes)], axis=1)
    own = features.at((X - low) / (high - low))
    every = np.vstack([features.at(grid), own]) - own.mean(axis=0)
    # max −Σ u·ψ over |u| ≤ 1, ψ = φ − φ̄, with u·ψ ≤ 0 everywhere
    best = optimize.linprog(
        every.sum(axis=0), A_ub=every, b_ub=np.zeros(len(every)), bounds=(-1, 1), method="highs"
    )
    return bool(best.fun > -1e-6)


@settings(max_examples=40)
@given(
    st.integers(1, 4),
    st.lists(st.sampled_from([0.0, 0.125, 0.5, 0.75, 1.0]), min_size=1, max_size=8),
)
def test_on_an_interval_existence_is_known_exactly(degree, values):
    X = np.array(values)[:, None]
    different = set(values)
    index = sum(1 if v in (0.0, 1.0) else 2 for v in different)
    exists = index > degree
    proof = find_no_log_linear_density(X, features=BoxPolynomials(degree), low=[0.0], high=[1.0])
    assert (proof is None) == exists
    assert hull_says(X, degree, (0, 1)) == exists
    if exists:
        claim = issued(X, degree=degree, box=(0.0, 1.0))
        assert claim.verify(X)
    else:
        assert Certificate.from_dict(json.loads(json.dumps(proof.to_dict()))) == proof
        with pytest.raises(NoDensity) as refusal:
            issued(X, degree=degree, box=(0.0, 1.0))
        assert refusal.value.proof.verify(X)


@settings(max_examples=40)
@given(
    st.integers(1, 3),
    st.lists(st.tuples(*[st.sampled_from([0.0, 0.3, 0.5, 1.0])] * 2), min_size=1, max_size=9),
)
def test_on_a_rectangle_no_proof_is_wrong(degree, points):
    X = np.array(points)
    proof = find_no_log_linear_density(
        X, features=BoxPolynomials(degree), low=[0, 0], high=[1, 1], hyperplanes=hyperplanes(X)
    )
    if proof is not None:
        assert proof.verify(X)
        assert not hull_says(X, degree, [(0, 1), (0, 1)])


def test_false_proofs_that_there_is_none_are_rejected():
    X = np.array([[0.2], [0.2], [0.7]])
    settings = {"low": [0.0], "high": [1.0]}
    proof = find_no_log_linear_density(X, features=BoxCosines(4), **settings)
    assert proof.verify(X)
    assert "so few different values" in proof.claim
    assert find_no_log_linear_density(X, features=BoxCosines(3), **settings) is None
    data = proof.to_dict()
    assert not Certificate.from_dict(data | {"degree": 3}).verify(X)
    assert not proof.verify(np.array([[0.2], [0.3], [0.7]]))
    assert not proof.verify(X[:2])
    assert not proof.verify(X + 0.5)
    assert not proof.verify(sparse.csr_array(X))
    more = np.vstack([X, [[0.4]]])
    weights = [1.0, 1.0, 2.0, 0.0]
    assert find_no_log_linear_density(more, features=BoxCosines(4), **settings) is None
    weighed = find_no_log_linear_density(
        more, features=BoxCosines(4), **settings, sample_weight=weights
    )
    assert weighed.verify(more)
    assert "The 3 examples of positive weight (of 4) have" in weighed.claim
    for change in ({"axis": 1}, {"axis": -1}, {"degree": 0}, {"low": [2.0]}, {"coef": ["1/1"]}):
        with pytest.raises(ValueError, match=r"."):
            Certificate.from_dict(data | change)


def test_few_points_of_a_rectangle():
    rng = np.random.default_rng(0)
    X = rng.random((5, 2))
    proof = find_no_log_linear_density(X, features=BoxCosines(4), low=[0, 0], high=[1, 1])
    assert proof.axis is None
    assert math.comb(4, 2) == 6  # one more example, and it is not shown
    X = rng.random((6, 2))
    assert find_no_log_linear_density(X, features=BoxCosines(4), low=[0, 0], high=[1, 1]) is None


def test_points_on_a_line():
    x = np.array([0.0, 0.125, 0.5, 0.75, 1.0, 0.875, 0.25, 0.375])
    X = np.column_stack([x, 0.5 - x / 4])
    box = {"low": [0, 0], "high": [1, 1]}
    proof = find_no_log_linear_density(
        X, features=BoxPolynomials(2), **box, hyperplanes=hyperplanes(X)
    )
    assert proof.coef
    assert proof.verify(X)
    assert "on one hyperplane" in proof.claim
    data = json.loads(json.dumps(proof.to_dict()))
    assert Certificate.from_dict(data) == proof
    off = X.copy()
    off[3, 1] = np.nextafter(off[3, 1], 1)
    assert not proof.verify(off)
    for change in ({"family": "cosines"}, {"degree": 1}, {"coef": ["0/1", "0/1"]}, {"axis": 0}):
        with pytest.raises(ValueError, match=r"."):
            Certificate.from_dict(data | change)
    for features in (BoxPolynomials(1), BoxCosines(2)):  # a line, but no line in the angles
        assert (
            find_no_log_linear_density(X, features=features, **box, hyperplanes=hyperplanes(X))
            is None
        )
