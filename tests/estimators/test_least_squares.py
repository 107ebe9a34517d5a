"""`certo.LeastSquares` as scikit-learn's and statsmodels' users will use it."""

import copy
import pickle
import signal
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from certo import LeastSquares
from certo.certificates import Composite
from certo.solvers import least_squares as solver
from certo.solvers.lsqr import lsqr


@parametrize_with_checks([LeastSquares(), LeastSquares(intercept="none"), LeastSquares(ridge=0.1)])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def data(seed=0, n=60, d=4, noise=0.5):
    random = np.random.default_rng(seed)
    X = 2 + random.standard_normal((n, d))
    return X, X @ np.arange(1.0, d + 1) - 3 + noise * random.standard_normal(n)


def classical(X, y, s=None, lifted=True):
    """Coefficients and their covariance from the normal equations, as textbooks have them."""
    s = np.ones(len(y)) if s is None else s
    full = np.column_stack([X, np.ones(len(X))]) if lifted else X
    inverse = np.linalg.inv(full.T @ (s[:, None] * full))
    beta = inverse @ (full.T @ (s * y))
    free = np.count_nonzero(s) - full.shape[1]
    variance = s @ (y - full @ beta) ** 2 / free
    return beta, variance * inverse, variance, free


STORAGES = [
    lambda X: X,
    lambda X: X.astype(np.float32),
    np.asfortranarray,
    lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    sparse.csr_matrix,
    sparse.csr_array,
    sparse.csc_matrix,
    pd.DataFrame,
    lambda X: pl.DataFrame(X, schema=[f"c{i}" for i in range(X.shape[1])]),
    lambda X: X.tolist(),
]


class TestCoefficients:
    @pytest.mark.parametrize("store", STORAGES)
    @pytest.mark.parametrize("intercept", ["free", "none"])
    def test_every_storage_gives_scikit_learns_and_verifies(self, store, intercept):
        X, y = data()
        X = X.astype(np.float32).astype(float)
        kept = store(X)
        model = LeastSquares(intercept=intercept).fit(kept, y)
        theirs = LinearRegression(fit_intercept=intercept == "free").fit(X, y)
        np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=1e-10)
        np.testing.assert_allclose(model.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(model.predict(kept), theirs.predict(X), rtol=1e-6)
        assert model.coef_.dtype == np.float64
        assert len(model.certificate_) == 1
        verification = model.certificate_.verify(kept, y)
        assert verification, verification

    @given(seed=st.integers(0, 100), ridge=st.sampled_from([0.01, 1.0, 100.0]))
    @settings(max_examples=20)
    def test_the_ridge_is_scikit_learns(self, seed, ridge):
        X, y = data(seed)
        s = np.random.default_rng(seed).random(60) + 0.1
        for fit_intercept in (True, False):
            ours = LeastSquares(intercept="free" if fit_intercept else "none", ridge=ridge).fit(
                X, y, s
            )
            theirs = Ridge(alpha=ridge * s.sum(), fit_intercept=fit_intercept, solver="svd")
            theirs.fit(X, y, s)
            np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
            np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8, atol=1e-12)
            assert ours.certificate_.verify(X, y)
            assert ours.standard_errors_ is ours.covariance_ is ours.residual_variance_ is None

    @given(seed=st.integers(0, 100))
    @settings(max_examples=20)
    def test_weights_are_repetitions(self, seed):
        X, y = data(seed, n=20, d=2)
        times = np.random.default_rng(seed).integers(0, 4, 20)
        times[:4] = 1
        weighted = LeastSquares().fit(X, y, sample_weight=times)
        repeated = LeastSquares().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-10)
        assert weighted.risk_ == pytest.approx(repeated.risk_)
        assert weighted.n_samples_fit_ == np.count_nonzero(times)
        left_out = LeastSquares().fit(X[times > 0], y[times > 0], times[times > 0])
        np.testing.assert_allclose(weighted.standard_errors_, left_out.standard_errors_, rtol=1e-9)
        assert weighted.certificate_.verify(X, y)

    def test_several_outputs_are_several_regressions(self):
        X, y = data()
        Y = np.column_stack([y, y**2, X[:, 0]])
        model = LeastSquares().fit(X, Y)
        assert model.coef_.shape == (3, 4)
        assert model.covariance_.shape == (3, 5, 5)
        for k in range(3):
            one = LeastSquares().fit(X, Y[:, k])
            np.testing.assert_allclose(model.coef_[k], one.coef_, atol=1e-12)
            np.testing.assert_allclose(model.intercept_[k], one.intercept_, atol=1e-12)
            np.testing.assert_allclose(model.standard_errors_[k], one.standard_errors_, atol=1e-12)
            np.testing.assert_allclose(model.predict(X)[:, k], one.predict(X), atol=1e-12)
        assert model.certificate_.verify(X, Y)
        assert model.predict_interval(X[:5])[0].shape == (5, 3)
        assert model.intervals().shape == (3, 5, 2)
        assert [row.group for row in model.summary()][::5] == ["y0", "y1", "y2"]

    @pytest.mark.parametrize("offset", [0.0, 1e4, 1e8])
    def test_far_from_the_origin(self, offset):
        random = np.random.default_rng(0)
        X = offset + random.standard_normal((200, 3))
        y = (X - offset) @ [1.0, 2.0, 3.0] + random.standard_normal(200)
        model = LeastSquares().fit(X, y)
        expected = np.linalg.lstsq(X - X.mean(axis=0), y - y.mean())[0]
        np.testing.assert_allclose(model.coef_, expected, rtol=1e-9 if offset < 1e8 else 1e-6)
        assert model.method_ == "cholesky"
        assert model.certificate_.verify(X, y)

    def test_columns_of_every_size(self):
        X, y = data()
        scale = np.array([1e8, 1e-8, 1.0, 1e3])
        plain, scaled = LeastSquares().fit(X, y), LeastSquares().fit(X * scale, y)
        assert scaled.rank_ == 4
        np.testing.assert_allclose(scaled.coef_ * scale, plain.coef_, rtol=1e-9)
        np.testing.assert_allclose(
            scaled.standard_errors_ * scale, plain.standard_errors_, rtol=1e-9
        )
        assert scaled.certificate_.verify(X * scale, y)

    def test_more_columns_than_rows(self):
        random = np.random.default_rng(0)
        X, y = random.standard_normal((10, 30)), random.standard_normal(10)
        for intercept in ("free", "none"):
            model = LeastSquares(intercept=intercept).fit(X, y)
            theirs = LinearRegression(fit_intercept=intercept == "free").fit(X, y)
            np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-12)
            assert model.rank_ == 10 - (intercept == "free")
            assert model.degrees_of_freedom_ == 0
            assert model.risk_ < 1e-25
            assert np.all(np.isnan(model.standard_errors_))
            assert "no more examples than coefficients" in repr(model.summary())
            assert model.certificate_.verify(X, y)
            (claim,) = model.certificate_
            assert claim.distance < 1e-10
            with pytest.raises(ValueError, match="more examples than coefficients"):
                model.predict_interval(X)

    def test_bad_numbers_are_named(self):
        X, y = data()
        for bad, word in ((np.nan, "NaN"), (np.inf, "infinity"), (1e300, "as large as 1e\\+300")):
            broken = X.copy()
            broken[7, 2] = bad
            for fit in (LeastSquares().fit, LeastSquares(ridge=1).fit, LeastSquares().partial_fit):
                with pytest.raises(ValueError, match=rf"X\[7, 2\] is {word}"):
                    fit(broken, y)
        with pytest.raises(ValueError, match="squares"):
            LeastSquares().fit(X, y * 1e200)
        with pytest.raises(ValueError, match=r"y\[0\] is the text"):
            LeastSquares().fit(X, np.array(["a"] * 60, dtype=object))

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"intercept": "lifted"}, "intercept must be 'free' or 'none', got 'lifted'"),
            ({"intercept": True}, "intercept must be"),
            ({"ridge": -1.0}, "ridge must be a number of at least 0, got -1.0"),
            ({"ridge": np.inf}, "ridge must be"),
            ({"ridge": None}, "ridge must be"),
        ],
    )
    def test_settings_are_checked(self, settings, message):
        with pytest.raises(ValueError, match=message):
            LeastSquares(**settings).fit(*data())

    def test_weights_are_checked(self):
        X, y = data()
        with pytest.raises(ValueError, match="at least one non-zero"):
            LeastSquares().fit(X, y, np.zeros(60))
        with pytest.raises(ValueError, match=r"[Nn]egative"):
            LeastSquares().fit(X, y, -np.ones(60))

    @pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
    @pytest.mark.parametrize("intercept", ["free", "none"])
    def test_columns_whose_squares_underflow_are_refused(self, store, intercept):
        X, y = data()
        model = LeastSquares(intercept=intercept)
        tiny = X * np.append(1e-170, np.ones(X.shape[1] - 1))
        for fit in (model.fit, model.partial_fit):
            with pytest.raises(ValueError, match=r"column 0 of X .*e-170\. Rescale"):
                fit(store(tiny), y)
        with pytest.raises(ValueError, match="column 0 of y"):
            model.fit(store(X), y * 1e-170)
        with pytest.raises(ValueError, match="roots of their weights"):
            model.fit(store(tiny * 1e60), y, sample_weight=np.full(len(y), 1e-100))
        X[:, 0] = 7.0  # no spread, but nothing is lost
        X[:, 1] = 0.0
        assert model.fit(store(X), y).rank_ < X.shape[1]


class TestInference:
    @given(seed=st.integers(0, 100), weighted=st.booleans(), lifted=st.booleans())
    @settings(max_examples=30)
    def test_covariance_and_intervals_agree_with_the_classical_formulas(
        self, seed, weighted, lifted
    ):
        X, y = data(seed)
        s = np.random.default_rng(seed).random(60) + 0.1 if weighted else None
        model = LeastSquares(intercept="free" if lifted else "none").fit(X, y, s)
        beta, covariance, variance, free = classical(X, y, s, lifted)
        np.testing.assert_allclose(model.covariance_, covariance, rtol=1e-7, atol=1e-12)
        assert model.residual_variance_ == pytest.approx(variance)
        assert model.degrees_of_freedom_ == free
        found = model.summary(level=0.9)
        errors = np.sqrt(np.diag(covariance))
        np.testing.assert_allclose([row.standard_error for row in found], errors, rtol=1e-8)
        np.testing.assert_allclose(
            [row.p_value for row in found], 2 * stats.t(free).sf(np.abs(beta / errors)), rtol=1e-5
        )
        reach = stats.t(free).ppf(0.95) * errors
        np.testing.assert_allclose(model.intervals(0.9)[:, 1], beta + reach, rtol=1e-8)
        np.testing.assert_allclose(model.standard_errors_, errors[:4], rtol=1e-8)
        assert (model.intercept_standard_error_ is not None) == lifted

    def test_an_example_of_known_numbers(self):
        # Anscombe's first quartet: slope 0.5001 ± 0.1179, intercept 3.0001 ± 1.1247, R² 0.6665
        x = np.array([10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5.0])
        y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]
        model = LeastSquares().fit(x[:, None], y)
        row = model.summary()[0]
        shown = [row.estimate, row.standard_error, row.statistic, row.p_value, row.low, row.high]
        np.testing.assert_allclose(
            shown, [0.5000909, 0.1179055, 4.241455, 0.00216963, 0.2333701, 0.7668117], rtol=1e-6
        )
        assert model.r2_ == pytest.approx(0.6665425, rel=1e-6)
        assert model.intercept_standard_error_ == pytest.approx(1.1247468, rel=1e-6)

    def test_r2_is_the_score_with_an_intercept_and_around_0_without(self):
        X, y = data()
        s = np.random.default_rng(0).random(60)
        model = LeastSquares().fit(X, y, s)
        assert model.r2_ == pytest.approx(model.score(X, y, s))
        model = LeastSquares(intercept="none").fit(X, y)
        assert model.r2_ == pytest.approx(1 - np.sum((y - model.predict(X)) ** 2) / np.sum(y**2))

    def test_prediction_intervals_are_those_of_the_textbooks(self):
        X, y = data()
        model = LeastSquares().fit(X, y)
        _, covariance, variance, free = classical(X, y)
        new = np.random.default_rng(9).standard_normal((7, 4)) * 3
        full = np.column_stack([new, np.ones(7)])
        mean = np.einsum("ij,jk,ik->i", full, covariance, full)
        for store in (np.asarray, sparse.csr_array):
            for spread, of_mean in ((mean, True), (mean + variance, False)):
                low, high = model.predict_interval(store(new), 0.8, mean=of_mean)
                reach = stats.t(free).ppf(0.9) * np.sqrt(spread)
                np.testing.assert_allclose(high - model.predict(new), reach, rtol=1e-8)
                np.testing.assert_allclose(model.predict(new) - low, reach, rtol=1e-8)

    def test_intervals_hold_what_they_promise(self):
        random = np.random.default_rng(0)
        X = random.standard_normal((15, 2))
        held = np.zeros(3)
        for _ in range(150):
            y = X @ [1.0, 0.0] + random.standard_normal(15)
            ends = LeastSquares().fit(X, y).intervals(0.9)
            held += (ends[:, 0] <= [1, 0, 0]) & (ends[:, 1] >= [1, 0, 0])
        assert np.all(np.abs(held / 150 - 0.9) < 0.08)

    def test_names_are_those_of_the_table(self):
        X, y = data()
        model = LeastSquares().fit(pd.DataFrame(X, columns=["a", "b", "c", "d"]), y)
        assert model.summary().names == ("a", "b", "c", "d", "intercept")


class TestExactFits:
    @pytest.mark.parametrize("level", [0.0, 1e6])
    @pytest.mark.parametrize("portions", [False, True])
    def test_rounding_is_not_tested(self, level, portions):
        X, _ = data()
        X = np.column_stack([X, np.tile([0, 1], 30)])
        y = 2 * X[:, 0] + level
        model = LeastSquares().partial_fit(X, y) if portions else LeastSquares().fit(X, y)
        assert np.isnan(model.residual_variance_)
        assert np.all(np.isnan(model.intervals()))
        assert all(row.p_value is None for row in model.summary())
        assert "exact up to rounding" in model.status_
        assert "exact up to rounding: what is left" in repr(model.summary())
        with pytest.raises(ValueError, match="exact up to rounding"):
            model.predict_interval(X)

    def test_little_noise_is_noise(self):
        X, _ = data()
        noise = np.random.default_rng(1).standard_normal(60)
        model = LeastSquares().fit(X, 2 * X[:, 0] + 1e-12 * noise)
        assert np.sqrt(model.residual_variance_) == pytest.approx(1e-12, rel=0.3)
        assert "exact" not in model.status_

    def test_one_output_of_two(self):
        X, y = data()
        model = LeastSquares().fit(X, np.column_stack([y, X[:, 1]]))
        assert np.isnan(model.residual_variance_).tolist() == [False, True]
        assert "The fit of y1 is exact" in model.status_
        assert "0 up to rounding" in repr(model.summary())
        low, _ = model.predict_interval(X)
        assert np.isnan(low).all(axis=0).tolist() == [False, True]

    @pytest.mark.parametrize("value", [0.0, 3.0])
    @pytest.mark.parametrize("intercept", ["free", "none"])
    def test_r2_of_a_constant_is_the_score(self, value, intercept):
        X, _ = data()
        y = np.full(60, value)
        model = LeastSquares(intercept=intercept).fit(X, y)
        if intercept == "free" or not value:
            assert model.r2_ == model.score(X, y) == 1.0

    def test_an_intercept_counts(self):
        X, y = data(n=5)
        with pytest.raises(ValueError, match="5 examples for a rank of 4 and an intercept"):
            LeastSquares().fit(X, y).predict_interval(X)


class TestDependentColumns:
    def dependent(self, n=60):
        random = np.random.default_rng(0)
        X = random.integers(0, 5, (n, 3)).astype(float)
        groups = np.eye(3)[random.integers(0, 3, n)]
        return np.column_stack([X, groups]), random.standard_normal(n) + X[:, 0]

    def test_the_shortest_are_taken_and_said(self):
        X, y = self.dependent()
        model = LeastSquares().fit(X, y)
        assert (model.rank_, model.method_) == (5, "cholesky")
        assert "rank 5: many coefficients give the same predictions" in model.status_
        np.testing.assert_allclose(model.coef_, LinearRegression().fit(X, y).coef_, atol=1e-12)
        (claim,) = model.certificate_
        assert claim.reach is None  # the relation is exact, so the claim is about all coefficients
        assert claim.distance < 1e-12
        assert model.certificate_.verify(X, y)

    def test_nearly_dependent_columns_are_reported(self):
        X = np.round(np.random.default_rng(0).standard_normal((30, 2)), 2)
        X = np.column_stack([X, X[:, 0] + X[:, 1]])  # rounded: exactly, the rank is 3
        model = LeastSquares().fit(X, X[:, 0] + np.arange(30) % 3)
        assert model.rank_ == 2
        assert "rank 2, up to rounding: many coefficients give the same" in model.status_
        assert "the same predictions, up to rounding, and the shortest" in model.status_

    def test_a_ridge_says_nothing_of_the_rank(self):
        X, y = self.dependent()
        model = LeastSquares(ridge=0.1).fit(X, y)
        assert model.rank_ is None
        assert "rank" not in model.status_
        assert "The column has rank 1." in LeastSquares().fit(X[:, :1], y).status_

    def test_errors_only_of_what_the_data_determine(self):
        X, y = self.dependent()
        model = LeastSquares().fit(X, y)
        assert np.isnan(model.standard_errors_).tolist() == [False] * 3 + [True] * 3
        assert np.isnan(model.intercept_standard_error_)
        _, covariance, _, free = classical(X[:, :5], y)
        assert model.degrees_of_freedom_ == free
        np.testing.assert_allclose(model.covariance_[:3, :3], covariance[:3, :3], rtol=1e-9)
        assert np.all(np.isnan(model.covariance_[3:]))
        assert "No standard error for x3, x4, x5, intercept:" in repr(model.summary())

    def test_predictions_are_determined_where_the_relation_holds(self):
        X, y = self.dependent()
        model, smaller = LeastSquares().fit(X, y), LeastSquares().fit(X[:, :5], y)
        for ours, theirs in zip(
            model.predict_interval(X[:9]), smaller.predict_interval(X[:9, :5]), strict=True
        ):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9)
        broken = X[:1] + np.eye(6)[3]
        assert [float(end[0]) for end in model.predict_interval(broken)] == [-np.inf, np.inf]

    def test_a_constant_column_and_no_column_that_varies(self):
        X, y = data()
        model = LeastSquares().fit(np.column_stack([X, np.full(60, 0.1)]), y)
        assert (model.rank_, model.coef_[4]) == (4, 0.0)
        (claim,) = model.certificate_  # The rows show what the sums, which are rounded, cannot.
        assert claim.reach is None
        assert len(claim.combinations) == 1
        assert claim.excess <= 1e-9 * claim.risk
        assert claim.verify(np.column_stack([X, np.full(60, 0.1)]), y)
        model = LeastSquares().fit(np.full((60, 2), 0.1), y)
        assert model.rank_ == 0
        assert model.coef_.tolist() == [0.0, 0.0]
        assert model.intercept_ == pytest.approx(y.mean())
        assert model.certificate_.verify(np.full((60, 2), 0.1), y)

    @given(seed=st.integers(0, 300))
    @settings(max_examples=40)
    def test_predictions_and_claims_on_every_kind_of_dependence(self, seed):
        random = np.random.default_rng(seed)
        n, d = int(random.integers(1, 15)), int(random.integers(1, 8))
        X = random.integers(-2, 3, (n, d)) / random.choice([1.0, 2.0, 10.0])
        X = X[:, random.integers(0, d, d)]
        y = random.standard_normal(n).round(int(random.integers(0, 5)))
        intercept = ["free", "none"][seed % 2]
        model = LeastSquares(intercept=intercept).fit(X, y)
        centre = (X.mean(axis=0), y.mean()) if intercept == "free" else (0.0, 0.0)
        expected = np.linalg.lstsq(X - centre[0], y - centre[1], rcond=1e-12)[0]
        np.testing.assert_allclose(model.coef_, expected, atol=1e-10)
        risk = np.mean((y - centre[1] - (X - centre[0]) @ expected) ** 2)
        assert model.risk_ == pytest.approx(risk, abs=1e-14)
        verification = model.certificate_.verify(X, y)
        assert verification, verification
        (claim,) = model.certificate_
        assert claim.lower <= risk * (1 + 1e-12) + 1e-15
        assert claim.risk >= risk * (1 - 1e-12) - 1e-15


class TestPortions:
    @given(
        seed=st.integers(0, 100),
        cuts=st.lists(st.integers(1, 59), max_size=5),
        kind=st.sampled_from(["plain", "offset", "dependent", "weights", "ridge", "none"]),
    )
    @settings(max_examples=50)
    def test_any_portions_give_what_fit_gives(self, seed, cuts, kind):
        X, y = data(seed)
        s = None
        if kind == "offset":
            X = X + 1e5
        elif kind == "dependent":
            X = np.column_stack([np.rint(X), np.rint(X[:, 0]) - 2 * np.rint(X[:, 1])])
        elif kind == "weights":
            s = np.random.default_rng(seed).random(60)
        new = LeastSquares(
            intercept="none" if kind == "none" else "free", ridge=0.3 if kind == "ridge" else 0.0
        )
        whole, model = clone(new).fit(X, y, s), clone(new)
        for a, b in pairwise(sorted({0, *cuts, 60})):
            model.partial_fit(X[a:b], y[a:b], None if s is None else s[a:b])
        assert model.rank_ == whole.rank_
        assert model.n_samples_fit_ == 60
        np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-8, atol=1e-10)
        assert model.risk_ == pytest.approx(whole.risk_, rel=1e-8)
        if kind != "ridge":
            np.testing.assert_allclose(
                model.standard_errors_, whole.standard_errors_, rtol=1e-6, atol=1e-12
            )
        assert len(model.certificate_) == (kind != "weights")
        verification = model.certificate_.verify(X, y)
        assert verification.holds or kind == "weights", verification

    def test_partial_fit_continues_a_fit(self):
        X, y = data()
        model = LeastSquares().fit(X[:40], y[:40]).partial_fit(X[40:], y[40:])
        np.testing.assert_allclose(model.coef_, LeastSquares().fit(X, y).coef_, rtol=1e-9)
        assert model.certificate_.not_claimed

    def test_partial_fit_refuses_fits_without_sums(self):
        X, y = data()
        model = LeastSquares().partial_fit(X, y)
        with pytest.raises(ValueError, match="intercept must stay"):
            model.set_params(intercept="none").partial_fit(X, y)
        model.set_params(intercept="free")
        with pytest.raises(ValueError, match="y must have 1 column, "):
            model.partial_fit(X, np.column_stack([y, y]))
        with pytest.raises(ValueError, match="expecting 4 features"):
            model.partial_fit(X[:, :3], y)
        wide = LeastSquares(ridge=1.0).fit(X[:3], y[:3])
        with pytest.raises(ValueError, match="cannot go on"):
            wide.partial_fit(X, y)

    def test_a_stream_longer_than_memory_needs_no_more_of_it(self):
        X, y = data()
        model = LeastSquares().partial_fit(X, y)
        before = len(pickle.dumps(model))
        for _ in range(20):
            model.partial_fit(X, y)
        assert abs(len(pickle.dumps(model)) - before) < 100


class TestLargeSparse:
    def test_iterations_are_certified_and_warned_of(self, monkeypatch):
        monkeypatch.setattr(solver, "MAX_DENSE_DIM", 20)
        X = sparse.random_array((60, 40), density=0.2, rng=3).tocsr()
        y = np.arange(60.0)
        model = LeastSquares(ridge=0.01).fit(X, y)
        assert (model.method_, model.rank_) == ("lsqr", None)
        assert model.status_.startswith("Solved by LSQR")
        (claim,) = model.certificate_
        assert claim.excess < 1e-12 * claim.risk
        assert model.certificate_.verify(X, y)
        monkeypatch.setattr(solver, "LSQR_MAX_ITER", 3)
        with pytest.warns(ConvergenceWarning, match="limit of iterations"):
            model.fit(X, y)
        (claim,) = model.certificate_
        assert claim.excess > 1e-12 * claim.risk
        assert model.certificate_.verify(X, y)

    def test_ctrl_c_ends_it_with_the_best_so_far(self, monkeypatch):
        def pressed(*given, **named):
            signal.raise_signal(signal.SIGINT)
            return lsqr(*given, **named)

        monkeypatch.setattr(solver, "MAX_DENSE_DIM", 20)
        monkeypatch.setattr(solver, "lsqr", pressed)
        X, y = sparse.random_array((60, 40), density=0.2, rng=3).tocsr(), np.arange(60.0)
        with pytest.warns(ConvergenceWarning, match="Stopped by hand"):
            model = LeastSquares().fit(X, y)
        assert model.risk_ < np.var(y)
        assert model.certificate_.verify(X, y)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


class TestCertificate:
    def test_a_false_coefficient_is_found_out(self):
        X, y = data()
        model = LeastSquares().fit(X, y)
        assert not model.certificate_.verify(X, y + np.eye(60)[0])
        assert not model.certificate_.verify(X[:50], y[:50])
        wrong = copy.deepcopy(model.certificate_[0].to_dict())
        wrong["lower"] = wrong["risk"] = wrong["risk"] * 1.01
        assert not Composite.from_dict(
            {"type": "Composite", "claims": [wrong], "not_claimed": []}
        ).verify(X, y)

    @pytest.mark.parametrize("condition", [1e2, 1e5, 1e7])
    def test_claim_is_tight_for_any_condition_number(self, condition):
        random = np.random.default_rng(0)
        X = random.standard_normal((300, 4))
        X[:, 3] = X[:, 0] + X[:, 3] / condition
        y = X @ np.ones(4) + random.standard_normal(300)
        model = LeastSquares().fit(X, y)
        (claim,) = model.certificate_
        assert claim.risk - claim.lower < 1e-6 * claim.risk
        assert model.certificate_.verify(X, y)


class TestConventions:
    def test_pickles_and_clones(self):
        X, y = data()
        model = LeastSquares(ridge=0.1).fit(X, y)
        again = pickle.loads(pickle.dumps(model))
        assert np.array_equal(again.predict(X), model.predict(X))
        assert again.certificate_.verify(X, y)
        assert clone(model).get_params() == {"intercept": "free", "ridge": 0.1}

    def test_in_a_pipeline_and_a_search(self):
        X, y = data()
        search = GridSearchCV(
            make_pipeline(StandardScaler(), LeastSquares()), {"leastsquares__ridge": [0.0, 10.0]}
        ).fit(X, y)
        assert search.best_params_ == {"leastsquares__ridge": 0.0}
        assert search.best_score_ > 0.9

    def test_unfitted_it_says_so(self):
        for method in ("predict", "predict_interval"):
            with pytest.raises(NotFittedError):
                getattr(LeastSquares(), method)([[1.0]])
        with pytest.raises(NotFittedError):
            LeastSquares().summary()

    def test_levels_are_checked(self):
        model = LeastSquares().fit(*data())
        for call in (
            model.summary,
            model.intervals,
            lambda level: model.predict_interval([[0] * 4], level),
        ):
            with pytest.raises(ValueError, match="level must be"):
                call(95)
        with pytest.raises(ValueError, match="needs standard errors"):
            LeastSquares(ridge=1).fit(*data()).predict_interval([[0.0] * 4])
