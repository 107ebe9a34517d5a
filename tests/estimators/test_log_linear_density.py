"""`certo.LogLinearDensity` as scikit-learn's users will use it, beside SciPy."""

from __future__ import annotations

import itertools
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize, stats
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import estimator_checks_generator

import certo
from certo import LogLinearDensity, NoDensity
from certo.certificates import MomentMatching
from certo.features import BoxCosines, BoxPolynomials
from certo.losses import NegativeLogLikelihood
from certo.solvers import log_linear as solver
from certo.stop import Stop

FAMILIES = [BoxPolynomials, BoxCosines]


def some(seed=0, m=80, d=1):
    return np.random.default_rng(seed).beta(2.0, 4.0, (m, d))


# scikit-learn's checks draw their own examples, outside any box and of many columns: those that
# need no such examples, or of which one can be scaled into a box, apply
APPLY = {
    "check_estimator_cloneable",
    "check_estimator_tags_renamed",
    "check_valid_tag_types",
    "check_estimator_repr",
    "check_no_attributes_set_in_init",
    "check_mixin_order",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
    "check_do_not_raise_errors_in_init_or_set_params",
}


@pytest.mark.parametrize("name", sorted(APPLY))
def test_scikit_learns_own_checks_that_apply(name):
    made = estimator_checks_generator(LogLinearDensity(features=BoxPolynomials(2), box=(0, 1)))
    found = [check for _, check in made if check.func.__name__ == name]
    for check in found:
        check(LogLinearDensity(features=BoxPolynomials(2), box=(0, 1)))
    assert found or name == "check_parameters_default_constructible"


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("degree", [1, 3, 6])
def test_fit_is_the_likeliest_density(family, degree):
    X = some(degree, 60)
    features = family(degree)
    model = LogLinearDensity(features=features, box=(0, 1)).fit(X)
    total = integrate.quad(lambda x: math.exp(model.score_samples([[x]])[0]), 0, 1)[0]
    assert total == pytest.approx(1, abs=1e-10)
    grid, weights = np.polynomial.legendre.leggauss(400)
    places, weights = (grid[:, None] + 1) / 2, weights / 2

    def risk(w):
        return math.log(weights @ np.exp(features.at(places) @ w)) - features.at(X).mean(axis=0) @ w

    best = optimize.minimize(risk, np.zeros(degree), method="BFGS", options={"gtol": 1e-9})
    assert model.risk_ <= best.fun + 1e-10
    assert model.risk_ == pytest.approx(best.fun, abs=1e-7)
    np.testing.assert_allclose(model.coef_, best.x, atol=1e-3 * np.abs(best.x).max())
    assert model.risk_ == pytest.approx(-model.score(X), abs=1e-11)
    assert certo.risk(model, X, loss=NegativeLogLikelihood()) == pytest.approx(-model.score(X))
    assert model.certificate_.verify(X)
    assert model.certificate_[0].excess < 1e-8
    np.testing.assert_allclose(model.trace_.risk[-1], model.risk_, atol=1e-9)
    assert np.all(np.diff(model.trace_.risk) < 1e-12)


def test_degree_two_is_a_truncated_gaussian():
    X = stats.truncnorm(-2.0, 1.5, loc=1.0, scale=0.5).rvs(500, random_state=0)[:, None]
    model = LogLinearDensity(features=BoxPolynomials(2), box=(0.0, 1.75)).fit(X)

    def risk(parameters):
        loc, scale = parameters[0], math.exp(parameters[1])
        own = stats.truncnorm((0 - loc) / scale, (1.75 - loc) / scale, loc, scale)
        return -own.logpdf(X[:, 0]).mean()

    best = optimize.minimize(risk, [1.0, -0.7], method="Nelder-Mead", options={"xatol": 1e-9})
    assert model.risk_ == pytest.approx(best.fun, abs=1e-7)


def test_independent_axes_are_a_product():
    X = some(0, 50, 2)
    both = LogLinearDensity(features=BoxPolynomials(1), box=[(0, 1), (0, 2)]).fit(X)
    each = [
        LogLinearDensity(features=BoxPolynomials(1), box=box).fit(X[:, [j]])
        for j, box in enumerate([(0, 1), (0, 2)])
    ]
    assert both.risk_ == pytest.approx(each[0].risk_ + each[1].risk_, abs=1e-11)
    np.testing.assert_allclose(both.coef_, [each[0].coef_[0], each[1].coef_[0]], atol=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_on_a_rectangle(family):
    X = some(1, 200, 2) * [2.0, 1.0] + [0.0, 5.0]
    model = LogLinearDensity(features=family(3), box=[(0, 2), (5, 6)]).fit(X)
    assert model.certificate_.verify(X)
    total = integrate.dblquad(
        lambda y, x: math.exp(model.score_samples([[x, y]])[0]), 0, 2, 5, 6, epsabs=1e-7
    )[0]
    assert total == pytest.approx(1, abs=1e-6)


@pytest.mark.slow
@settings(max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from(FAMILIES), st.integers(1, 4))
def test_weights_are_repetitions_and_boxes_may_move(seed, family, degree):
    X = some(seed, 15)
    weights = np.random.default_rng(seed).integers(0, 4, 15)
    weights[:6] = 1
    one = LogLinearDensity(features=family(degree), box=(0, 1)).fit(X, sample_weight=weights)
    two = LogLinearDensity(features=family(degree), box=(0, 1)).fit(np.repeat(X, weights, axis=0))
    assert one.risk_ == pytest.approx(two.risk_, abs=1e-10)
    moved = LogLinearDensity(features=family(degree), box=(-4, 12)).fit(
        X * 16 - 4, sample_weight=weights
    )
    assert moved.risk_ == pytest.approx(one.risk_ + math.log(16), abs=1e-8)
    assert moved.certificate_.verify(X * 16 - 4)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("d", [1, 2])
def test_samples_are_drawn_from_the_density(family, d):
    X = some(0, 200, d)
    features = family(4)
    model = LogLinearDensity(features=features, box=[(0, 1)] * d).fit(X)
    drawn = model.sample(100_000, random_state=0)
    assert drawn.shape == (100_000, d)
    own = features.at(X)
    spread = features.at(drawn).std(axis=0)
    off = (features.at(drawn).mean(axis=0) - own.mean(axis=0)) / spread * math.sqrt(100_000)
    assert np.abs(off).max() < 4.5
    np.testing.assert_array_equal(model.sample(4, random_state=3), model.sample(4, random_state=3))
    if d == 1:
        edges = np.linspace(0, 1, 11)
        chances = [
            integrate.quad(lambda x: math.exp(model.score_samples([[x]])[0]), a, b)[0]
            for a, b in itertools.pairwise(edges)
        ]
        counts = np.histogram(drawn, edges)[0]
        assert stats.chisquare(counts, 100_000 * np.array(chances) / sum(chances)).pvalue > 1e-4


@pytest.mark.slow
def test_a_sharp_density():
    X = 0.3 + 1e-2 * np.random.default_rng(0).standard_normal((100, 1))
    model = LogLinearDensity(features=BoxPolynomials(2), box=(0, 1)).fit(X)
    assert model.risk_ == pytest.approx(certo.GaussianDensity().fit(X).risk_, abs=1e-6)
    assert model.certificate_.verify(X)
    assert abs(model.sample(1000, random_state=0).std() / X.std() - 1) < 0.1
    with pytest.warns(ConvergenceWarning, match="Not proved: .* smaller box"):
        sharper = LogLinearDensity(features=BoxPolynomials(2), box=(0, 5)).fit(X + 2)
    assert sharper.risk_ == pytest.approx(model.risk_, abs=1e-3)


def test_any_function_may_be_a_feature():
    X = some()

    def powers(points):
        return np.hstack([points, points**2, points**3])

    model = LogLinearDensity(features=powers, box=(0, 1)).fit(X)
    same = LogLinearDensity(features=BoxPolynomials(3), box=(0, 1)).fit(X)
    assert model.risk_ == pytest.approx(same.risk_, abs=1e-10)
    np.testing.assert_allclose(model.score_samples(X), same.score_samples(X), atol=1e-8)
    assert len(model.certificate_) == 0
    assert "Python function" in model.certificate_.not_claimed[0].reason
    assert "Not proved" in model.status_
    assert abs(model.sample(20_000, random_state=0).mean() - X.mean()) < 0.01
    plane = some(1, 80, 2)
    both = LogLinearDensity(features=lambda points: points, box=[(0, 1), (0, 1)]).fit(plane)
    assert abs(both.sample(20_000, random_state=0).mean(axis=0) - plane.mean(axis=0)).max() < 0.01
    with pytest.raises(ValueError, match="linearly independent"):
        LogLinearDensity(features=lambda points: np.hstack([points, 2 * points]), box=(0, 1)).fit(X)
    with pytest.raises(ValueError, match="shape"):
        LogLinearDensity(features=lambda points: points[:3], box=(0, 1)).fit(X)
    with pytest.raises(ValueError, match="finite"):
        LogLinearDensity(features=lambda points: np.full_like(points, np.nan), box=(0, 1)).fit(X)


def test_few_distinct_values_have_no_estimate():
    X = np.repeat([[0.2], [0.6]], 10, axis=0)
    with pytest.raises(NoDensity, match="lower degree") as refusal:
        LogLinearDensity(features=BoxCosines(4), box=(0, 1)).fit(X)
    assert refusal.value.proof.verify(X)
    double = np.hstack([some(), some()])
    with pytest.raises(NoDensity, match="one line") as refusal:
        LogLinearDensity(features=BoxPolynomials(2), box=[(0, 1), (0, 1)]).fit(double)
    assert refusal.value.proof.verify(double)
    table = pd.DataFrame({"age": some()[:, 0], "sex": np.arange(80) % 2})
    with pytest.raises(NoDensity, match="column 'sex'"):
        LogLinearDensity(features=BoxPolynomials(2), box=[(0, 1), (0, 1)]).fit(table)


@pytest.mark.slow
def test_undecided_existence_makes_no_claim():
    x = some(0, 30)
    X = np.hstack([x, x**2])  # on a parabola, which is the zero of a polynomial of degree 2
    with pytest.warns(ConvergenceWarning, match="there may be no likeliest one"):
        model = LogLinearDensity(features=BoxPolynomials(3), box=[(0, 1), (0, 1)]).fit(X)
    assert not model.certificate_.of_kind(MomentMatching)
    assert "Not proved" in model.status_


def test_outside_the_box():
    model = LogLinearDensity(features=BoxPolynomials(2), box=(0, 1)).fit(some())
    scores = model.score_samples([[-1e-9], [0.0], [1.0], [np.nextafter(1, 2)]])
    assert np.isneginf(scores).tolist() == [True, False, False, True]
    with pytest.raises(ValueError, match=r"X\[1, 0\] is 1.5, outside \[0, 1\]"):
        LogLinearDensity(features=BoxPolynomials(2), box=(0, 1)).fit([[0.5], [1.5], [0.2]])


@pytest.mark.parametrize(
    "box", [None, 3, (1, 0), (0, 0), (0, np.inf), (0, np.nan), [(0, 1)] * 3, "01", [[0, 1, 2]], []]
)
def test_boxes_are_looked_at(box):
    with pytest.raises(ValueError, match="box must be"):
        LogLinearDensity(features=BoxPolynomials(1), box=box).fit(some())


def test_settings_are_looked_at():
    with pytest.raises(ValueError, match="features must be"):
        LogLinearDensity(features=4, box=(0, 1)).fit(some())
    with pytest.raises(ValueError, match="max_iter"):
        LogLinearDensity(features=BoxPolynomials(1), box=(0, 1), max_iter=0).fit(some())
    with pytest.raises(ValueError, match="one pair for each column"):
        LogLinearDensity(features=BoxPolynomials(1), box=(0, 1)).fit(some(d=2))
    with pytest.raises(NotFittedError):
        LogLinearDensity(features=BoxPolynomials(1), box=(0, 1)).sample()


def test_time_limit_and_interrupts_are_obeyed(monkeypatch):
    with pytest.warns(ConvergenceWarning, match="max_iter = 1"):
        model = LogLinearDensity(features=BoxPolynomials(4), box=(0, 1), max_iter=1).fit(some())
    assert model.n_iter_ == 1
    slow = solver.log_linear
    monkeypatch.setattr(
        "certo.estimators.log_linear_density.log_linear",
        lambda *given, asked, **named: slow(*given, asked=lambda: Stop.BY_HAND, **named),
    )
    with pytest.warns(ConvergenceWarning, match="by hand"):
        model = LogLinearDensity(features=BoxPolynomials(4), box=(0, 1)).fit(some())
    assert model.n_iter_ == 0


@pytest.mark.slow
def test_copies_files_and_selection():
    X = some()
    model = LogLinearDensity(features=BoxPolynomials(3), box=(0, 1)).fit(X)
    again = pickle.loads(pickle.dumps(model))
    assert again.certificate_.verify(X)
    np.testing.assert_array_equal(again.trace_.risk, model.trace_.risk)
    assert clone(model).get_params()["features"] == BoxPolynomials(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search = GridSearchCV(
            LogLinearDensity(features=BoxPolynomials(1), box=(0, 1)),
            {"features": [BoxPolynomials(1), BoxPolynomials(2), BoxCosines(2)]},
        ).fit(X)
    assert search.best_score_ > 0


def test_float32_is_its_own_numbers():
    X = some().astype(np.float32)
    model = LogLinearDensity(features=BoxPolynomials(2), box=(0, 1)).fit(X)
    assert model.certificate_.verify(X)
    assert model.certificate_.verify(X.astype(np.float64))
