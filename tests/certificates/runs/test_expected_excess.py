"""ExpectedExcess: true whenever it verifies, whoever wrote it."""

from __future__ import annotations

import copy
import decimal
import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo import Pegasos
from certo.certificates import CannotClaim, Certificate, Labels, Sample
from certo.certificates.runs.expected_excess import guarantee
from certo.issue.machines import hyperplane
from certo.issue.runs.expected_excess import issue_expected_excess

NUMBERS = ["objective", "bound", "radius2", "lam", "steps", "examples", "intercept", "lifted"]


def problem(seed):
    random = np.random.default_rng(seed)
    m, d = int(random.integers(4, 30)), int(random.integers(1, 4))
    X = random.standard_normal((m, d)) * 10.0 ** random.integers(-3, 4)
    y = np.where(X[:, 0] + random.standard_normal(m) * np.abs(X[:, 0]) > 0, "up", "down")
    y[:2] = ("up", "down")
    model = Pegasos(
        lam=float(10.0 ** random.integers(-3, 2)),
        max_iter=int(random.integers(1, 500)),
        intercept="lifted" if seed % 2 else "none",
        random_state=seed,
    ).fit(X, y)
    return X, y, model.certificate_[0].to_dict()


def is_true(data, X, y) -> bool:
    """From the words of the claim, in rational and decimal arithmetic."""
    d = X.shape[1]
    if data["examples"] != len(y) or len(data["coef"]) != d:
        return False
    if not data["lifted"] and data["intercept"] != 0:
        return False
    w = [Fraction(v) for v in [*data["coef"], data["intercept"]]]
    lift, lam = int(data["lifted"]), Fraction(data["lam"])
    rows = [[Fraction(float(v)) for v in x] + [Fraction(1)] for x in X]
    up = data["labels"]["classes"][data["labels"]["positive"]]
    hinge = Fraction(0)
    for x, label in zip(rows, y, strict=True):
        margin = (1 if label == up else -1) * sum(a * b for a, b in zip(w, x, strict=True))
        hinge += max(1 - margin, Fraction(0))
    length2 = sum(v * v for v in w)
    radius2 = Fraction(data["radius2"])
    if max(sum(v * v for v in x[:-1]) for x in rows) + lift > radius2:
        return False
    if length2 * lam**2 > radius2 or hinge / len(y) + lam / 2 * length2 > Fraction(
        data["objective"]
    ):
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


@pytest.mark.parametrize("seed", range(30))
def test_issued_claims_are_true_and_verify(seed):
    X, y, data = problem(seed)
    assert is_true(data, X, y)
    for store in (np.asarray, sparse.csr_array):
        assert verified(data, store(X), y)
    for name in ("objective", "bound"):  # weaker is still true
        assert verified(data | {name: data[name] * 2}, X, y)


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 60), st.data())
def test_an_edited_certificate_verifies_only_if_it_is_true(seed, draw):
    X, y, data = problem(seed)
    data = copy.deepcopy(data)
    for _ in range(draw.draw(st.integers(1, 2))):
        name = draw.draw(st.sampled_from([*NUMBERS, "coef"]))
        where, key = (data, name) if name != "coef" else (data["coef"], 0)
        value = where[key]
        if isinstance(value, bool):
            where[key] = not value
        elif isinstance(value, int):
            where[key] = draw.draw(st.sampled_from([value + 1, value - 1, 2 * value, 0, 10**9]))
        else:
            factor = [0.0, -1.0, 0.5, 1 - 1e-12, 1 + 1e-12, 1 - 1e-15, 1.5, 2.0, 1e30, 1e-30]
            where[key] = value * draw.draw(st.sampled_from(factor))
    if verified(data, X, y):
        assert is_true(data, X, y)


@settings(max_examples=80, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 60), st.integers(0, 10**6))
def test_on_other_data_it_verifies_only_if_it_is_still_true(seed, salt):
    X, y, data = problem(seed)
    random = np.random.default_rng(salt)
    X, y = X.copy(), y.copy()
    t = random.integers(len(y))
    if salt % 3 == 0:
        X[t] *= random.choice([1 + 1e-9, 3.0, -1.0, 0.0])
    elif salt % 3 == 1:
        y[t] = "up" if y[t] == "down" else "down"
    else:
        X, y = np.delete(X, t, 0), np.delete(y, t)
    assert not verified(data, X, y) or is_true(data, X, y)


def test_an_objective_made_a_little_smaller_is_refuted():
    for seed in range(20):
        X, y, data = problem(seed)
        assert not verified(data | {"objective": data["objective"] * (1 - 1e-6)}, X, y)
        assert not verified(data | {"bound": data["bound"] * (1 - 1e-12)}, X, y)
        assert not verified(data | {"radius2": data["radius2"] * (1 - 1e-9)}, X, y)


def test_the_formula():
    assert guarantee(1.0, 0.5, 1) == pytest.approx(4, rel=1e-15)
    assert guarantee(3.0, 0.1, 1000) == pytest.approx(60 * (1 + np.log(1000)) / 1000, rel=1e-14)
    _, _, data = problem(3)
    claim = Certificate.from_dict(data)
    assert claim.in_probability(0.5) == 2 * claim.bound
    with pytest.raises(ValueError, match="delta"):
        claim.in_probability(0)


def test_weights_longer_than_any_run_are_not_claimed():
    sample = Sample(np.ones((2, 1)), np.array([1, -1], np.int8))
    with pytest.raises(CannotClaim, match="longer than those of any run"):
        issue_expected_excess(
            sample, Labels((0, 1)), machine=hyperplane([3.0]), lifted=False, lam=0.5, steps=10,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value"),
    [("lam", 0.0), ("lam", -1.0), ("lam", "x"), ("steps", 0), ("steps", 1.5), ("lifted", 1),
     ("radius2", -1.0), ("objective", -1.0), ("bound", -1.0), ("bound", None), ("coef", ["a"]),
     ("coef", [None]), ("examples", True)],
)  # fmt: skip
def test_hostile_values_are_refused(field, value):
    _, _, data = problem(1)
    with pytest.raises(ValueError, match="must"):
        Certificate.from_dict(data | {field: value})
