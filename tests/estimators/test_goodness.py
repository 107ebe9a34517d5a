"""Numbers about a fit as a whole, against their formulas and against statsmodels."""

import numpy as np
import pytest
from scipy import stats

from certo import LeastSquares, LogisticRegression
from certo.estimators._goodness import wald_test

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X @ [1, -2, 0] + RNG.normal(size=60) * (1 + abs(X[:, 0]))
KIND = (X[:, 0] + RNG.logistic(size=60) > 0).astype(int)


@pytest.mark.parametrize("intercept", ["free", "none"])
def test_least_squares_has_the_numbers_of_its_formulas(intercept):
    fit = LeastSquares(intercept=intercept).fit(X, Y).summary().fit
    lifted = int(intercept == "free")
    Z = np.column_stack([X, np.ones((60, lifted))])
    left = Y - Z @ np.linalg.lstsq(Z, Y)[0]
    rss, tss = left @ left, np.sum((Y - lifted * Y.mean()) ** 2)
    free = 57 - lifted
    f = (tss - rss) / 3 / (rss / free)
    likelihood = np.sum(stats.norm.logpdf(left, scale=np.sqrt(rss / 60)))
    assert fit["r2"] == pytest.approx(1 - rss / tss)
    assert fit["adjusted_r2"] == pytest.approx(1 - (rss / free) / (tss / (60 - lifted)))
    assert fit["f_statistic"] == pytest.approx(f)
    assert fit["f_degrees"] == [3, free]
    assert fit["f_p_value"] == pytest.approx(stats.f(3, free).sf(f))
    assert fit["log_likelihood"] == pytest.approx(likelihood)
    assert fit["aic"] == pytest.approx(2 * (3 + lifted) - 2 * likelihood)
    assert fit["bic"] == pytest.approx(np.log(60) * (3 + lifted) - 2 * likelihood)


@pytest.mark.slow
def test_statsmodels_agrees():
    api = pytest.importorskip("statsmodels.api")
    Z = api.add_constant(X, prepend=False)
    theirs, ours = api.OLS(Y, Z).fit(), LeastSquares().fit(X, Y).summary().fit
    for name, value in (
        ("adjusted_r2", theirs.rsquared_adj), ("f_statistic", theirs.fvalue),
        ("f_p_value", theirs.f_pvalue), ("aic", theirs.aic), ("bic", theirs.bic),
        ("log_likelihood", theirs.llf),
    ):  # fmt: skip
        assert ours[name] == pytest.approx(value, rel=1e-9), name
    theirs = api.Logit(KIND, Z).fit(disp=0, tol=1e-12)
    ours = LogisticRegression().fit(X, KIND).summary().fit
    for name, value in (
        ("likelihood_ratio", theirs.llr), ("likelihood_ratio_p_value", theirs.llr_pvalue),
        ("aic", theirs.aic), ("bic", theirs.bic), ("mcfadden_r2", theirs.prsquared),
    ):  # fmt: skip
        assert ours[name] == pytest.approx(value, rel=1e-6), name


def test_weights_leave_no_likelihood_and_are_not_forgotten():
    model = LeastSquares().fit(X, Y, np.full(60, 1.0))
    fit = model.summary().fit
    assert fit["aic"] is fit["bic"] is fit["log_likelihood"] is None
    assert fit["f_statistic"] == pytest.approx(
        LeastSquares().fit(X, Y).summary().fit["f_statistic"]
    )
    model.partial_fit(X, Y)
    assert model.summary().fit["aic"] is None
    assert model.fit(X, Y).summary().fit["aic"] is not None


def test_what_cannot_be_said_is_none():
    ridge = LeastSquares(ridge=0.1).fit(X, Y).summary().fit
    assert ridge["r2"] is not None
    assert all(value is None for name, value in ridge.items() if name != "r2")
    exact = LeastSquares().fit(X, X @ [1.0, 2.0, 3.0]).summary().fit
    assert exact["f_statistic"] is exact["aic"] is None
    alone = LeastSquares().fit(np.zeros((5, 1)), [1.0, 2, 3, 4, 6]).summary().fit
    assert alone["f_statistic"] is None
    assert alone["aic"] is not None
    for settings in ({"ridge": 0.1}, {"class_weight": "balanced"}):
        fit = LogisticRegression(**settings).fit(X, KIND).summary().fit
        assert fit["likelihood_ratio"] is fit["aic"] is None
        assert fit["log_likelihood"] < 0


def test_several_outputs_have_numbers_each():
    both = LeastSquares().fit(X, np.column_stack([Y, -3 * Y])).summary()
    first, second = both.fit["outputs"]
    assert first["f_statistic"] == pytest.approx(second["f_statistic"])
    assert repr(both).count("Adjusted R²") == 2


def test_logistic_regression_counts_copies_as_weights_do():
    once = LogisticRegression().fit(np.repeat(X, 2, axis=0), np.repeat(KIND, 2)).summary().fit
    weighted = LogisticRegression().fit(X, KIND, np.full(60, 2.0)).summary().fit
    for name, value in once.items():
        assert weighted[name] == pytest.approx(value), name


def test_wald_test_of_independent_slopes_is_the_mean_of_squares():
    found = wald_test(np.array([2.0, 3.0]), np.diag([1.0, 4.0, 9.0]), 20)
    assert found["f_statistic"] == pytest.approx((4 + 9 / 4) / 2)
    assert found["f_p_value"] == pytest.approx(stats.f(2, 20).sf(3.125))
    assert wald_test(np.ones(1), np.full((1, 1), np.nan), 3)["f_p_value"] is None
