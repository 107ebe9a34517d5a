"""MistakeBound with a kernel: true whenever it verifies, whoever wrote it."""

from __future__ import annotations

import copy
import functools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo import HardMarginSVM, KernelPerceptron
from certo.certificates import CannotClaim, Certificate, KernelSample, Labels
from certo.issue.machines import function
from certo.issue.runs.mistake_bound import issue_mistake_bound
from certo.kernels import Function, Gaussian, Linear, Polynomial, Precomputed
from certo.plots.update_curves import update_curves
from tests.oracles.kernel_truth import shared_letters, true_gram

KERNELS = [Linear(), Polynomial(2), Gaussian(0.8), Precomputed(), 2 * Gaussian(1.0)]
FLOATS = [
    "radius2", "comparator_norm", "target", "shortfall", "comparator_intercept", "shift",
    "intercept",
]  # fmt: skip
VECTORS = ["dual_coef", "comparator_dual_coef", "rows", "comparator_rows"]


def changed(data: dict, name: str, value) -> dict:
    """The claim with another value, which may be one of its space."""
    if name in ("kernel", "shift"):
        name, value = "space", {**data["space"], name: value}
    return {**data, name: value}


@functools.cache
def problem(seed):
    """A run, and its claim as plain data."""
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(3, 14)), int(rng.integers(1, 4))
    X = rng.standard_normal((m, d)) * 10.0 ** rng.integers(-1, 2)
    y = np.where(X[:, 0] + rng.standard_normal(m) * (seed % 2) * np.abs(X[:, 0]) > 0, "b", "a")
    y[:2] = ("a", "b")
    kernel = KERNELS[seed % 4]
    if kernel == Precomputed():
        X = Polynomial(3)(X)
    model = KernelPerceptron(
        kernel,
        epochs=int(rng.integers(1, 200)),
        intercept="lifted" if rng.random() < 0.5 else "none",
        update_at_zero=["negative", "always", "positive"][seed % 3],
    ).fit(X, y)
    return kernel, X, y, model.certificate_[0].to_dict()


def is_true(data, X, y) -> bool:
    """From the words of the claim, in rational arithmetic."""
    kernel = Certificate.from_dict(data).space.kernel
    lift, m = int(data["lifted"]), len(y)
    gram = true_gram(kernel, X, data["space"]["shift"])
    if data["examples"] != m or max([*data["rows"], *data["comparator_rows"]], default=0) >= m:
        return False
    signs = [1 if label == "b" else -1 for label in y]
    counts = [Fraction(c) for c in data["dual_coef"]]
    if any(c * signs[t] <= 0 for c, t in zip(counts, data["rows"], strict=True)):
        return False
    if sum(map(abs, counts)) != data["updates"] or any(data["start"]):
        return False
    if Fraction(data["intercept"]) != lift * sum(counts):
        return False
    if max(gram[t][t] for t in range(m)) + lift > Fraction(data["radius2"]):
        return False
    coef = [Fraction(c) for c in data["comparator_dual_coef"]]
    u, b = (
        list(zip(coef, data["comparator_rows"], strict=True)),
        Fraction(data["comparator_intercept"]),
    )
    values = [sum((c * gram[s][t] for c, s in u), Fraction(0)) for t in range(m)]
    length2 = sum((c * values[s] for c, s in u), Fraction(0)) + b * b
    margins = [signs[t] * (values[t] + b) for t in range(m)]
    target = Fraction(data["target"])
    missing = sum(
        (abs(c) * max(target - margins[t], Fraction(0)))
        for c, t in zip(counts, data["rows"], strict=True)
    )
    if length2 > Fraction(data["comparator_norm"]) ** 2:
        return False
    H = Fraction(data["shortfall"])
    if (missing > H) if H else (min(margins) < target):
        return False
    # the largest M with ρM − H ≤ √(‖u‖²R²M)
    square = Fraction(data["comparator_norm"]) ** 2 * Fraction(data["radius2"])

    def allowed(M):
        left = target * M - H
        return left <= 0 or left * left <= square * M

    return allowed(data["updates"]) and not allowed(data["bound"] + 1)


def verified(data, X, y) -> bool:
    try:
        return bool(Certificate.from_dict(json.loads(json.dumps(data))).verify(X, y))
    except ValueError:
        return False


@pytest.mark.parametrize("seed", range(40))
def test_issued_claims_are_true_and_verify(seed):
    kernel, X, y, data = problem(seed)
    assert is_true(data, X, y)
    assert verified(data, X, y)
    if kernel != Precomputed():
        assert verified(data, sparse.csr_array(X), y)
    assert Certificate.from_dict(data).to_dict() == data


@settings(max_examples=90, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 80), st.data())
def test_an_edited_certificate_verifies_only_if_it_is_true(seed, draw):
    _, X, y, data = problem(seed)
    data = copy.deepcopy(data)
    for _ in range(draw.draw(st.integers(1, 2))):
        name = draw.draw(st.sampled_from([*FLOATS, *VECTORS, "updates", "bound", "lifted",
                                          "averaged", "examples"]))  # fmt: skip
        where, key = data["space"] if name == "shift" else data, name
        if name in VECTORS:
            if not data[name]:
                continue
            where, key = data[name], draw.draw(st.integers(0, len(data[name]) - 1))
        value = where[key]
        if isinstance(value, bool):
            where[key] = not value
        elif isinstance(value, int):
            where[key] = draw.draw(st.sampled_from([value + 1, value - 1, 2 * value, 0, 10**9]))
        else:
            factors = [0.0, -1.0, 0.5, 1 - 1e-12, 1 + 1e-12, 1 - 1e-15, 1.5, 2.0, 1e30, 1e-30]
            where[key] = value * draw.draw(st.sampled_from(factors))
    # an attacker would make the rest fit
    if draw.draw(st.booleans()):
        try:
            claim = Certificate.from_dict(data)
            data["updates"] = int(np.abs(claim.dual_coef).sum())
            data["bound"] = Certificate.from_dict(data)._most_updates()
        except (ValueError, OverflowError):
            return
    if verified(data, X, y):
        assert is_true(data, X, y)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 80), st.integers(0, 10**6))
def test_on_other_data_it_verifies_only_if_it_is_still_true(seed, salt):
    kernel, X, y, data = problem(seed)
    rng = np.random.default_rng(salt)
    X, y = X.copy(), y.copy()
    t = rng.integers(len(y))
    if salt % 3 == 0 and kernel != Precomputed():
        X[t] *= rng.choice([1 + 1e-9, 3.0, -1.0, 0.0])
    elif salt % 3 == 1:
        y[t] = "a" if y[t] == "b" else "b"
    elif kernel != Precomputed():
        X, y = np.delete(X, t, 0), np.delete(y, t)
    assert not verified(data, X, y) or is_true(data, X, y)


@pytest.mark.parametrize("seed", range(0, 40, 2))
def test_numbers_made_a_little_stronger_are_refuted(seed):
    _, X, y, data = problem(seed)
    assert not verified(data | {"radius2": data["radius2"] * (1 - 1e-9)}, X, y)
    assert not verified(data | {"comparator_norm": data["comparator_norm"] * 0.999}, X, y)
    assert not verified(data | {"bound": data["bound"] - 1}, X, y)
    assert not verified(data | {"updates": data["updates"] + 1}, X, y)
    if data["shortfall"] == 0:
        assert not verified(data | {"target": data["target"] * 1.001}, X, y)
    elif data["shortfall"] > 1e-6 * data["target"]:
        assert not verified(data | {"shortfall": data["shortfall"] * 0.999}, X, y)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), lifted=st.booleans())
def test_no_run_makes_more_mistakes_than_any_separator_allows(seed, lifted):
    """In any order, with any rule at zero; the largest margin allows the fewest."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((25, 2))
    y = np.where((X**2).sum(axis=1) > 1.2, "out", "in")
    y[:2] = ("in", "out")
    kernel = Gaussian(0.05)  # narrow: every labelling is separated
    intercept = "lifted" if lifted else "none"
    best = HardMarginSVM(kernel=kernel, intercept=intercept, tol=1e-3).fit(X, y)
    bounds = set()
    for rule in ("negative", "always", "positive"):
        model = KernelPerceptron(
            kernel, epochs=50, order="shuffled", update_at_zero=rule, intercept=intercept,
            random_state=seed,
        ).fit(X, y)  # fmt: skip
        (claim,) = model.mistake_bound(X, y, best)
        assert claim.separable
        assert claim.verify(X, y)
        assert model.updates_[0] == claim.updates <= claim.bound
        bounds.add(claim.bound)
        own = model.certificate_[0]
        assert not own.separable or own.bound >= claim.bound * (1 - 1e-2)
        n = np.arange(1, claim.updates + 1)
        lower, upper = update_curves(claim, n)
        trace = model.trace_
        assert np.all(trace.squared_norm <= upper[trace.update - 1] * (1 + 1e-9))
        assert np.all(trace.squared_norm >= lower[trace.update - 1] * (1 - 1e-9))
    assert len(bounds) == 1  # one for all runs


def test_the_bound_is_attained():
    """e_1, …, e_k, all of one class: k mistakes, and ‖u‖² R²/ρ² = k for u = Σ K(e_i, ·)."""
    for k in (1, 2, 5, 30):
        X, signs = np.eye(k + 1), -np.ones(k + 1, np.int8)
        signs[k] = 1  # of which the box needs no mistake
        sample = KernelSample(Linear(), X, signs)
        everyone = np.arange(k + 1)
        claim = issue_mistake_bound(
            sample, Labels((-1, 1)), lifted=False, machine=function(everyone[:k], -np.ones(k)),
            comparator=function(everyone, signs.astype(float)),
        )  # fmt: skip
        assert claim.updates == k
        assert claim.bound == k + 1  # as if all were mistakes
        assert claim.verify(X, signs)


def test_the_formula_where_nothing_separates():
    """((a + √(a² + 4H))/2)² with ρ = 1."""
    X, y = np.array([[1.0], [1.0], [-2.0]]), np.array([1, -1, -1])
    signs = y.astype(np.int8)
    claim = issue_mistake_bound(
        KernelSample(Linear(), X, signs), Labels((-1, 1)), lifted=False,
        machine=function([0, 1], [1.0, -2.0]), comparator=function([2], [-0.25]),
    )  # fmt: skip
    rho = claim.target  # u(x) = x/2
    H, a = claim.shortfall / rho, claim.comparator_norm * math.sqrt(claim.radius2) / rho
    assert pytest.approx(max(rho - 0.5, 0) / rho + 2 * (rho + 0.5) / rho) == H
    assert claim.bound == math.floor(((a + math.sqrt(a * a + 4 * H)) / 2) ** 2)


def test_more_mistakes_than_can_be_are_not_claimed():
    X, signs = np.array([[1.0], [-1.0]]), np.array([1, -1], np.int8)
    with pytest.raises(CannotClaim, match="more than the 1 that the theorem allows"):
        issue_mistake_bound(
            KernelSample(Linear(), X, signs), Labels((-1, 1)), lifted=False,
            machine=function([0], [7.0]), comparator=function([0], [1.0]),
        )  # fmt: skip


def test_functions_are_taken_on_trust_and_have_no_json():
    words, y = ["tea", "tee", "mate", "coffee", "cafe"], ["t", "t", "t", "c", "c"]
    claim = KernelPerceptron(Function(shared_letters), epochs=20).fit(words, y).certificate_[0]
    assert claim.verify(words, y)
    assert not claim.verify(["tea", "tee", "mate", "coffee", "cup of tea, please"], y)
    assert "symmetric" in claim.assumes[0]
    with pytest.raises(ValueError, match="JSON"):
        claim.to_dict()
    assert claim.verify(words, ["c", "c", "c", "t", "t"]).holds is False


@pytest.mark.parametrize(
    ("field", "value"),
    [("target", 0.0), ("target", -1.0), ("shortfall", -1.0), ("radius2", -1.0), ("lifted", 1),
     ("averaged", 0), ("dual_coef", [0.5]), ("dual_coef", [0.0]), ("rows", [-1]), ("rows", [1, 0]),
     ("comparator_dual_coef", ["a"]), ("kernel", {"name": "os.system"}), ("kernel", None),
     ("bound", 1.5), ("updates", True), ("shift", -1.0), ("shift", 1.0),
     ("comparator_norm", float("nan"))],
)  # fmt: skip
def test_hostile_values_are_refused(field, value):
    _, _, _, data = problem(1)
    with pytest.raises(ValueError, match=r"must|name"):
        Certificate.from_dict(changed(data, field, value))
