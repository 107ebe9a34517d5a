"""ExpectedExcess with a kernel: true whenever it verifies, whoever wrote it."""

from __future__ import annotations

import copy
import decimal
import functools
import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo import Pegasos
from certo.certificates import CannotClaim, Certificate, KernelSample, Labels
from certo.issue.machines import function
from certo.issue.runs.expected_excess import issue_expected_excess
from certo.kernels import Function, Gaussian, Linear, Polynomial, Precomputed
from tests.oracles.kernel_truth import shared_letters, true_gram

KERNELS = [Linear(), Polynomial(2), Gaussian(0.8), Precomputed()]
NUMBERS = ["objective", "bound", "radius2", "lam", "steps", "examples", "intercept", "lifted"]


def changed(data: dict, name: str, value) -> dict:
    """The claim with another value, which may be one of its space."""
    if name in ("kernel", "shift"):
        name, value = "space", {**data["space"], name: value}
    return {**data, name: value}


@functools.cache
def problem(seed):
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(3, 14)), int(rng.integers(1, 4))
    X = rng.standard_normal((m, d)) * 10.0 ** rng.integers(-1, 2)
    y = np.where(X[:, 0] + rng.standard_normal(m) * np.abs(X[:, 0]) > 0, "up", "down")
    y[:2] = ("up", "down")
    kernel = KERNELS[seed % 4]
    if kernel == Precomputed():
        X = Polynomial(3)(X)
    model = Pegasos(
        lam=float(10.0 ** rng.integers(-3, 2)),
        max_iter=int(rng.integers(1, 300)),
        kernel=kernel,
        intercept="lifted" if rng.random() < 0.5 else "none",
        random_state=seed,
    ).fit(X, y)
    return kernel, X, y, model.certificate_[0].to_dict()


def is_true(data, X, y) -> bool:
    """From the words of the claim, in rational and decimal arithmetic."""
    kernel, m = Certificate.from_dict(data).space.kernel, len(y)
    if data["examples"] != m or max(data["rows"], default=0) >= m:
        return False
    gram = true_gram(kernel, X, data["space"]["shift"])
    lift, lam, b = int(data["lifted"]), Fraction(data["lam"]), Fraction(data["intercept"])
    if not lift and b:
        return False
    f = list(zip(map(Fraction, data["dual_coef"]), data["rows"], strict=True))
    values = [sum((c * gram[s][t] for c, s in f), Fraction(0)) for t in range(m)]
    signs = [1 if label == "up" else -1 for label in y]
    hinge = sum(max(1 - s * (v + b), Fraction(0)) for s, v in zip(signs, values, strict=True))
    length2 = sum((c * values[s] for c, s in f), Fraction(0)) + b * b
    radius2 = Fraction(data["radius2"])
    if max(gram[t][t] for t in range(m)) + lift > radius2 or length2 * lam**2 > radius2:
        return False
    if hinge / m + lam / 2 * length2 > Fraction(data["objective"]):
        return False
    with decimal.localcontext(decimal.Context(prec=60)):
        T = data["steps"]
        bound = 2 * Decimal(data["radius2"]) / Decimal(data["lam"]) / T * (1 + Decimal(T).ln())
        return Decimal(data["bound"]) >= bound * (1 - Decimal(10) ** -45)


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
    for name in ("objective", "bound"):  # weaker is still true
        assert verified(data | {name: data[name] * 2}, X, y)
        assert not verified(data | {name: data[name] * 0.999}, X, y)
    assert Certificate.from_dict(data).to_dict() == data


@settings(max_examples=90, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 80), st.data())
def test_an_edited_certificate_verifies_only_if_it_is_true(seed, draw):
    _, X, y, data = problem(seed)
    data = copy.deepcopy(data)
    for _ in range(draw.draw(st.integers(1, 2))):
        name = draw.draw(st.sampled_from([*NUMBERS, "dual_coef", "rows", "shift"]))
        where, key = data["space"] if name == "shift" else data, name
        if isinstance(where[name], list):
            if not data[name]:
                continue
            where, key = data[name], 0
        value = where[key]
        if isinstance(value, bool):
            where[key] = not value
        elif isinstance(value, int):
            where[key] = draw.draw(st.sampled_from([value + 1, value - 1, 2 * value, 0, 10**9]))
        else:
            factors = [0.0, -1.0, 0.5, 1 - 1e-12, 1 + 1e-12, 1 - 1e-15, 1.5, 2.0, 1e30, 1e-30]
            where[key] = value * draw.draw(st.sampled_from(factors))
    if verified(data, X, y):
        assert is_true(data, X, y)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 80), st.integers(0, 10**6))
def test_on_other_data_it_verifies_only_if_it_is_still_true(seed, salt):
    kernel, X, y, data = problem(seed)
    rng = np.random.default_rng(salt)
    X, y = X.copy(), y.copy()
    t = rng.integers(len(y))
    if salt % 3 == 0 and kernel != Precomputed():
        X[t] *= rng.choice([1 + 1e-9, 3.0, -1.0, 0.0])
    elif salt % 3 == 1:
        y[t] = "up" if y[t] == "down" else "down"
    elif kernel != Precomputed():
        X, y = np.delete(X, t, 0), np.delete(y, t)
    assert not verified(data, X, y) or is_true(data, X, y)


def test_functions_longer_than_any_run_are_not_claimed():
    sample = KernelSample(Linear(), np.ones((2, 1)), np.array([1, -1], np.int8))
    with pytest.raises(CannotClaim, match="longer than those of any run"):
        issue_expected_excess(
            sample, Labels((0, 1)), machine=function([0], [3.0]), lifted=False, lam=0.5, steps=10,
        )  # fmt: skip


def test_in_probability_and_on_trust():
    words, y = ["tea", "tee", "mate", "coffee", "cafe"], ["t", "t", "t", "c", "c"]
    model = Pegasos(lam=0.1, max_iter=300, kernel=Function(shared_letters), random_state=0).fit(
        words, y
    )
    claim = model.certificate_[0]
    assert claim.verify(words, y)
    assert not claim.verify([*words[:4], "cup of tea, please"], y)
    assert claim.in_probability(0.5) == 2 * claim.bound
    with pytest.raises(ValueError, match="delta"):
        claim.in_probability(0)
    assert "symmetric" in claim.assumes[0]


@pytest.mark.parametrize(
    ("field", "value"),
    [("lam", 0.0), ("lam", -1.0), ("lam", "x"), ("steps", 0), ("steps", 1.5), ("lifted", 1),
     ("radius2", -1.0), ("objective", -1.0), ("bound", -1.0), ("bound", None),
     ("dual_coef", ["a"]), ("dual_coef", [None]), ("examples", True), ("rows", [0, 0]),
     ("kernel", {"name": "Gaussian", "variance": -1.0}), ("shift", 0.5)],
)  # fmt: skip
def test_hostile_values_are_refused(field, value):
    _, _, _, data = problem(1)
    with pytest.raises(ValueError, match="must"):
        Certificate.from_dict(changed(data, field, value))
