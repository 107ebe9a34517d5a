"""What a fit issues can be verified, on the same data in the same or another storage."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo import Perceptron
from certo.certificates import CompressionBound, MistakeBound, Separable
from certo.checks import check_certificate
from certo.issue.slack import sum_above
from certo.numbers import exact
from certo.rates import Geometric, Power
from tests.oracles.hard_tables import table

KINDS = [
    "noisy", "separable", "two rows", "one feature", "duplicates", "contradiction",
    "constant columns", "zeros", "integers", "large", "small", "mixed scales", "three classes",
    "labels", "unit length",
]  # fmt: skip
STORES = [
    np.asarray,
    np.float32,
    sparse.csr_array,
    lambda X: sparse.csr_array(X.astype(np.float32)),
]
SETTINGS = [
    {},
    {"intercept": "none", "update_at_zero": "negative"},
    {"order": "shuffled", "init": "random", "random_state": 1, "zero_sign": -1},
    {"order": "misclassified", "random_state": 2, "update_at_zero": "positive"},
    {"learning_rate": Power(1.0, 0.5), "intercept": "none"},
    {"learning_rate": Geometric(1.0, 0.99), "init": "random", "random_state": 3},
    {"learning_rate": 1e-170, "epochs": 7},
    {"learning_rate": 0.1, "epochs": 60},
]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("store", STORES, ids=["float64", "float32", "csr", "csr32"])
def test_every_fit_can_be_verified(kind, store):
    X, y = table(kind)
    if kind in ("large", "small", "mixed scales"):
        store = store if store in (np.asarray, sparse.csr_array) else np.asarray
    X = store(X)
    for options in SETTINGS:
        model = Perceptron(**{"epochs": 15, **options}).fit(X, y)
        check_certificate(model.certificate_, X, y)
        assert len(model.certificate_.of_kind(MistakeBound)) == len(model.coef_)


@pytest.mark.parametrize("kind", ["noisy", "three classes", "labels"])
def test_every_partial_fit_can_be_verified(kind):
    X, y = table(kind)
    for options in SETTINGS:
        model = Perceptron(**options)
        for part in (slice(0, 30), slice(30, 60), slice(0, 60)):
            model.partial_fit(X[part], y[part])
            check_certificate(model.certificate_, X[part], y[part])
        assert not model.certificate_.of_kind(CompressionBound)


@pytest.mark.parametrize("rate", [1.0, Power(1.0, 0.5)])
def test_a_run_without_updates_can_be_verified(rate):
    X, y = np.array([[1.0, 2.0], [0.0, 0.0]]), ["b", "b"]
    model = Perceptron(learning_rate=rate, update_at_zero="negative")
    model.partial_fit(X, y, classes=["a", "b"])
    assert model.updates_.tolist() == [0]
    assert not model.coef_.any()
    check_certificate(model.certificate_, X, y)


@pytest.mark.parametrize("kind", ["separable", "duplicates", "unit length", "integers"])
def test_claims_without_a_rerun_hold_in_any_storage(kind):
    X, y = table(kind)
    model = Perceptron(epochs=200).fit(X, y)
    claims = model.certificate_.without(CompressionBound, "it is about a run on one storage")
    for store in (np.asfortranarray, sparse.csr_array, sparse.csc_matrix, np.longdouble, list):
        assert claims.verify(store(X), y)
    backwards = X[:, ::-1]  # another order of summation
    for claim in claims.of_kind(Separable):
        data = claim.to_dict()
        data["coef"] = data["coef"][::-1]
        assert Separable.from_dict(data).verify(backwards, y)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=8))
def test_sum_above_is_above_the_exact_sum(terms):
    assert sum_above(*terms) == exact.above(sum(map(Fraction, terms), Fraction(0)))
