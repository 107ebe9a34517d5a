"""`certo.GaussianDensity` as scikit-learn's users will use it, beside SciPy."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import certo
from certo import GaussianDensity, NoDensity
from certo.certificates import Composite
from certo.losses import NegativeLogLikelihood

KINDS = ["full", "diagonal"]


def cannot(estimator):
    """With 27 examples of 30 features there is no likeliest density, whatever their weights."""
    wide = ["check_sample_weight_equivalence_on_dense_data"]
    return dict.fromkeys(wide if estimator.covariance == "full" else [], cannot.__doc__)


@parametrize_with_checks(
    [GaussianDensity(), GaussianDensity(covariance="diagonal")], expected_failed_checks=cannot
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def some(seed=0, m=60, d=3):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, d)) @ rng.standard_normal((d, d)) + rng.uniform(-5, 5, d)


@pytest.mark.parametrize("kind", KINDS)
def test_density_agrees_with_scipy(kind):
    X = some()
    model = GaussianDensity(covariance=kind).fit(X)
    covariance = np.cov(X.T, bias=True)
    covariance = np.diag(np.diag(covariance)) if kind == "diagonal" else covariance
    np.testing.assert_allclose(model.mean_, X.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(model.covariance_, covariance, rtol=1e-10)
    own = stats.multivariate_normal(X.mean(axis=0), covariance)
    new = some(1)
    np.testing.assert_allclose(model.score_samples(new), own.logpdf(new), rtol=1e-9)
    assert model.score(new) == pytest.approx(own.logpdf(new).mean(), rel=1e-9)
    assert model.risk_ == pytest.approx(-model.score(X), rel=1e-11)
    assert certo.risk(model, X, loss=NegativeLogLikelihood()) == pytest.approx(-model.score(X))
    assert model.certificate_.verify(X)
    assert "no density of this form" in model.status_


@pytest.mark.parametrize("kind", KINDS)
def test_no_other_density_does_better(kind):
    X = some(3, 20, 2)
    model = GaussianDensity(covariance=kind).fit(X)
    lower = model.certificate_[0].lower
    rng = np.random.default_rng(0)
    for size in (1e-6, 1e-3, 0.1, 1.0):
        covariance = model.covariance_ * np.exp(size * rng.standard_normal())
        other = stats.multivariate_normal(model.mean_ + size * rng.standard_normal(2), covariance)
        assert -other.logpdf(X).mean() >= lower


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(KINDS))
def test_weights_are_repetitions(seed, kind):
    X = some(seed, 12, 2)
    weights = np.random.default_rng(seed).integers(0, 4, 12)
    weights[:4] = 1
    one = GaussianDensity(covariance=kind).fit(X, sample_weight=weights)
    two = GaussianDensity(covariance=kind).fit(np.repeat(X, weights, axis=0))
    np.testing.assert_allclose(one.mean_, two.mean_, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(one.covariance_, two.covariance_, rtol=1e-8, atol=1e-12)
    assert one.risk_ == pytest.approx(two.risk_, rel=1e-10)
    assert one.certificate_.verify(X)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.floats(-6, 6), st.floats(-8, 8))
def test_shift_and_scale_go_through(seed, size, far):
    X = some(seed, 15, 2)
    moved = X * 10.0**size + np.sign(far) * 10.0 ** abs(far) * 10.0**size
    one, two = GaussianDensity().fit(X), GaussianDensity().fit(moved)
    assert two.certificate_.verify(moved)
    assert two.risk_ - one.risk_ == pytest.approx(2 * size * np.log(10), abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_samples_have_the_moments_of_the_density(kind):
    model = GaussianDensity(covariance=kind).fit(some())
    drawn = model.sample(200_000, random_state=0)
    spread = np.sqrt(np.diag(model.covariance_))
    np.testing.assert_allclose((drawn.mean(axis=0) - model.mean_) / spread, 0, atol=0.01)
    off = (np.cov(drawn.T) - model.covariance_) / np.outer(spread, spread)
    np.testing.assert_allclose(off, 0, atol=0.02)
    np.testing.assert_array_equal(model.sample(3, random_state=1), model.sample(3, random_state=1))
    assert model.sample().shape == (1, 3)


def test_examples_on_a_hyperplane_are_refused():
    X = np.random.default_rng(0).integers(-9, 9, (30, 3)).astype(float)
    table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(total=X.sum(axis=1) + 4)
    with pytest.raises(NoDensity, match="'a', 'b', 'c' and 'total'") as refusal:
        GaussianDensity().fit(table)
    assert refusal.value.proof.verify(table.to_numpy())
    again = pickle.loads(pickle.dumps(refusal.value))
    assert again.proof == refusal.value.proof
    assert GaussianDensity(covariance="diagonal").fit(table).certificate_.verify(table.to_numpy())
    constant = table.assign(b=1.0)
    for kind in KINDS:
        with pytest.raises(NoDensity, match="column 'b' has the same value") as refusal:
            GaussianDensity(covariance=kind).fit(constant)
        assert refusal.value.proof.verify(constant.to_numpy())
    with pytest.raises(NoDensity, match="3 examples with 3 features") as refusal:
        GaussianDensity().fit(X[:3])
    assert refusal.value.proof.verify(X[:3])
    with pytest.raises(NoDensity, match="1 sample"):
        GaussianDensity(covariance="diagonal").fit(X[:1])
    few = np.zeros(30)
    few[[0, 5]] = 1.0  # examples of weight zero do not count
    with pytest.raises(NoDensity, match="2 examples") as refusal:
        GaussianDensity().fit(X, sample_weight=few)
    assert refusal.value.proof.verify(X)


def test_limits_of_float64_are_reported():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 2))
    nearly = np.column_stack([X, X.sum(axis=1) * (1 + 1e-16 * rng.standard_normal(50))])
    nearly[0, 2] = np.nextafter(nearly[0, 2], 9)
    with pytest.raises(NoDensity, match="float64") as refusal:
        GaussianDensity().fit(nearly)
    assert refusal.value.proof is None
    weak = np.column_stack([X, X.sum(axis=1) + 3e-12 * rng.standard_normal(50)])
    with pytest.warns(ConvergenceWarning, match="nearly collinear"):
        model = GaussianDensity().fit(weak)
    assert model.certificate_.verify(weak)


@pytest.mark.parametrize("far", [1e-200, 1e200])
def test_extreme_sizes_are_refused(far):
    with pytest.raises(ValueError, match=r"column 0 .* Rescale"):
        GaussianDensity().fit(some(d=1) * far)


@pytest.mark.parametrize("kind", ["round", None, 3, ["full"]])
def test_settings_are_looked_at(kind):
    with pytest.raises(ValueError, match="covariance must be 'full' or 'diagonal'"):
        GaussianDensity(covariance=kind).fit(some())


def test_input_is_looked_at():
    X = some()
    with pytest.raises(ValueError, match="at least one non-zero"):
        GaussianDensity().fit(X, sample_weight=np.zeros(60))
    with pytest.raises(ValueError, match="egative"):
        GaussianDensity().fit(X, sample_weight=-np.ones(60))
    with pytest.raises(ValueError, match=r"X\[0, 0\] is 1152921504606846977"):
        GaussianDensity().fit(np.array([[2**60 + 1], [3], [4]]))
    for value, name in ((np.nan, "NaN"), (-np.inf, "infinity")):
        wrong = X.copy()
        wrong[7, 1] = value
        with pytest.raises(ValueError, match=rf"X\[7, 1\] is {name}"):
            GaussianDensity().fit(wrong)
    with pytest.raises(ValueError, match=r"X\[0, 0\] is NaN"):
        GaussianDensity().fit(X).score_samples(np.full_like(X, np.nan))
    for count in (-1, 0, 2.5, True):
        with pytest.raises(ValueError, match="n_samples must be an integer of at least 1"):
            GaussianDensity().fit(X).sample(count)


def test_copies_files_and_selection():
    X = some()
    model = GaussianDensity().fit(X)
    again = pickle.loads(pickle.dumps(model))
    assert isinstance(again.certificate_, Composite)
    assert json.dumps(again.certificate_.to_dict()) == json.dumps(model.certificate_.to_dict())
    np.testing.assert_array_equal(again.score_samples(X), model.score_samples(X))
    assert clone(model).get_params() == {"covariance": "full"}
    assert np.all(np.isfinite(cross_val_score(GaussianDensity(), X)))
    search = GridSearchCV(GaussianDensity(), {"covariance": KINDS}).fit(X)
    assert search.best_params_["covariance"] == "full"  # columns are correlated


def test_float32_is_its_own_numbers():
    X = some().astype(np.float32)
    model = GaussianDensity().fit(X)
    assert model.mean_.dtype == np.float64
    assert model.certificate_.verify(X)
    assert model.certificate_.verify(X.astype(np.float64))


def test_many_rows_in_blocks():
    X = some(2, 30_000, 2)
    model = GaussianDensity().fit(X)
    np.testing.assert_allclose(model.covariance_, np.cov(X.T, bias=True), rtol=1e-10)
    assert model.certificate_[0].excess < 1e-11
