"""`certo.LogisticRegression` as scikit-learn's and statsmodels' users will use it."""

import copy
import json
import pickle
import signal
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax
from sklearn.base import clone
from sklearn.callback import ProgressBar
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import certo
from certo import LogisticRegression, Separated, SeparationWarning
from certo.certificates import Composite, LogisticExcess, NoEstimate, Overlapping

MODES = ("free", "none")
SEPARATED = "ignore:No estimate exists:certo.SeparationWarning"


def expected(estimator):
    if estimator.intercept == "free":
        return {}
    reason = "through the origin one class cannot be predicted nearly everywhere"
    return {"check_class_weight_classifiers": reason}


@pytest.mark.filterwarnings(SEPARATED)
@parametrize_with_checks(
    [
        LogisticRegression(),
        LogisticRegression(intercept="none", on_separation="ridge"),
    ],
    expected_failed_checks=expected,
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def overlapping(m=200, d=3, seed=0, classes=("no", "yes")):
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d))
    scores = X @ random.standard_normal((d, len(classes))) + 0.3 * np.arange(len(classes))
    return X, np.array(classes)[np.argmax(scores + random.gumbel(size=scores.shape), axis=1)]


def lifted(X, intercept="free"):
    return np.column_stack([X, np.ones(len(X))]) if intercept == "free" else np.asarray(X)


def mean_loss(coef, intercept, X, y, weights=None):
    """By its definition, with classes in order."""
    scores = X @ coef.T + intercept
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros(len(scores)), scores])
    codes = np.unique(y, return_inverse=True)[1]
    return np.average(-log_softmax(scores, axis=1)[np.arange(len(y)), codes], weights=weights)


def by_bfgs(X, y, intercept="free", weights=None):
    """An independent minimiser over classes against the first, (K − 1, p)."""
    Z, codes = lifted(X, intercept), np.unique(y, return_inverse=True)[1]
    K, p, m = codes.max() + 1, Z.shape[1], len(y)
    shares = np.full(m, 1 / m) if weights is None else weights / weights.sum()

    def value(flat):
        scores = np.column_stack([np.zeros(m), Z @ flat.reshape(K - 1, p).T])
        slopes = softmax(scores, axis=1)
        slopes[np.arange(m), codes] -= 1
        loss = -shares @ log_softmax(scores, axis=1)[np.arange(m), codes]
        return loss, ((slopes * shares[:, None]).T @ Z)[1:].ravel()

    found = minimize(value, np.zeros((K - 1) * p), jac=True, method="BFGS", options={"gtol": 1e-9})
    return found.x.reshape(K - 1, p), found.fun


def information(X, y, W, intercept="free", weights=None):
    """Σ s (diag(p) − ppᵀ) ⊗ x̃x̃ᵀ at weights W against the first class."""
    Z = lifted(X, intercept)
    s = np.ones(len(y)) if weights is None else weights
    P = softmax(np.column_stack([np.zeros(len(Z)), Z @ W.T]), axis=1)[:, 1:]
    return sum(
        w * np.kron(np.diag(p) - np.outer(p, p), np.outer(z, z))
        for w, p, z in zip(s, P, Z, strict=True)
    )


class TestEstimate:
    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c"), (1, 2, 3, 4)])
    def test_what_a_fit_proves(self, mode, classes):
        X, y = overlapping(classes=classes)
        model = LogisticRegression(intercept=mode, reference=classes[0]).fit(X, y)
        W, least = by_bfgs(X, y, mode)
        (claim,) = model.certificate_
        assert type(claim) is LogisticExcess
        assert model.certificate_.verify(X, y)
        assert not model.certificate_.verify(X, np.roll(y, 1))
        assert model.status_.startswith("Converged")
        assert model.converged_
        assert model.estimate_exists_ is True
        assert model.separation_ is None
        assert 0 <= model.gap_ == claim.gap <= 1e-8
        assert model.infimum_ <= least + 1e-13
        assert model.objective_ == pytest.approx(least, abs=1e-8)
        assert model.risk_ == pytest.approx(mean_loss(model.coef_, model.intercept_, X, y))
        assert model.log_likelihood_ == pytest.approx(-len(y) * model.risk_)
        assert model.coef_.shape == (1 if len(classes) == 2 else len(classes), 3)
        np.testing.assert_allclose(model.contrasts_, W[:, :3], atol=1e-5)
        if mode == "free":
            np.testing.assert_allclose(model.contrast_intercepts_, W[:, 3], atol=1e-5)
        else:
            assert not np.any(model.intercept_)
        if len(classes) > 2:
            np.testing.assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-12)
            np.testing.assert_allclose(model.intercept_.sum(), 0, atol=1e-12)
        assert model.rank_ == 3
        assert model.n_iter_ == len(model.trace_.step) - 1 <= 10
        assert np.all(np.diff(model.trace_.objective) <= 1e-15)

    @pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")])
    def test_the_equation_of_the_intercept(self, classes):
        X, y = overlapping(classes=classes)
        p = LogisticRegression().fit(X, y).predict_proba(X)
        np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-15)
        for k, name in enumerate(classes):
            assert p[:, k].sum() == pytest.approx(np.sum(y == name), abs=1e-6)

    @pytest.mark.parametrize(
        "store",
        [np.float32, np.asfortranarray, sparse.csr_matrix, sparse.csc_array, pd.DataFrame, list],
    )
    @pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")])
    def test_every_storage(self, store, classes):
        X, y = overlapping(classes=classes)
        X = X.astype(np.float32).astype(np.float64)
        kept = store(X)
        if isinstance(kept, pd.DataFrame):
            kept.columns = [f"c{j}" for j in range(3)]
        model, plain = LogisticRegression().fit(kept, y), LogisticRegression().fit(X, y)
        assert model.certificate_.verify(kept, y)
        assert model.coef_.dtype == np.float64
        np.testing.assert_allclose(model.coef_, plain.coef_, atol=1e-6)
        np.testing.assert_allclose(model.standard_errors_, plain.standard_errors_, rtol=1e-5)
        np.testing.assert_allclose(model.predict_proba(kept), plain.predict_proba(X), atol=1e-6)

    def test_probabilities_far_out(self):
        X, y = overlapping()
        for classes in (("no", "yes"), ("a", "b", "c")):
            X, y = overlapping(classes=classes)
            model = LogisticRegression().fit(X, y)
            far = 1e6 * X
            with warnings.catch_warnings(action="error"):
                p, log_p = model.predict_proba(far), model.predict_log_proba(far)
            np.testing.assert_allclose(p.sum(axis=1), 1)
            assert np.all(np.isfinite(log_p))
            assert log_p.min() < -1e4
            near = model.predict_log_proba(X)
            np.testing.assert_allclose(near, np.log(model.predict_proba(X)), rtol=1e-12)
            best = model.classes_[np.argmax(near, axis=1)]
            assert np.array_equal(model.predict(X), best)

    @pytest.mark.parametrize("scale", [1e-8, 1e4, 1e8])
    def test_scales_and_offsets(self, scale):
        X, y = overlapping(300)
        plain = LogisticRegression().fit(X, y)
        model = LogisticRegression().fit(X * scale, y)
        assert model.converged_
        np.testing.assert_allclose(model.coef_ * scale, plain.coef_, rtol=1e-4)
        np.testing.assert_allclose(
            model.standard_errors_ * scale, plain.standard_errors_, rtol=1e-4
        )
        mixed = LogisticRegression().fit(X * [1, scale, 1], y)
        assert mixed.converged_
        assert mixed.risk_ == pytest.approx(plain.risk_, abs=1e-8)
        away = LogisticRegression().fit(X + 1e4, y)
        assert away.risk_ == pytest.approx(plain.risk_, abs=1e-8)

    @pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")])
    @pytest.mark.parametrize("mode", MODES)
    def test_a_ridge_is_scikit_learns_c(self, classes, mode):
        X, y = overlapping(classes=classes)
        model = LogisticRegression(intercept=mode, ridge=0.05).fit(X, y)
        theirs = TheirLogisticRegression(
            C=1 / (0.05 * len(y)), fit_intercept=mode == "free", tol=1e-12, max_iter=10_000
        ).fit(X, y)
        np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-5)
        np.testing.assert_allclose(model.intercept_, theirs.intercept_, atol=1e-5)
        assert model.ridge_ == 0.05
        assert model.estimate_exists_ is True
        assert model.certificate_.verify(X, y)
        penalty = 0.025 * np.sum(model.coef_**2)
        assert model.objective_ == pytest.approx(model.risk_ + penalty, abs=1e-12)
        assert model.standard_errors_ is None
        assert "ridge" in repr(model.summary())

    @pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
    @pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")])
    def test_more_columns_than_rows_with_a_ridge(self, store, classes):
        X, y = overlapping(40, 120, classes=classes)
        model = LogisticRegression(ridge=0.1).fit(store(X), y)
        theirs = TheirLogisticRegression(C=1 / 4.0, tol=1e-12, max_iter=10_000).fit(X, y)
        assert model.converged_
        assert model.certificate_.verify(store(X), y)
        np.testing.assert_allclose(model.coef_, theirs.coef_, atol=2e-4)

    def test_in_a_pipeline_with_names(self):
        X, y = overlapping()
        frame = pd.DataFrame(X, columns=["dose", "age", "weight"])
        model = make_pipeline(StandardScaler().set_output(transform="pandas"), LogisticRegression())
        table = model.fit(frame, y)[-1].summary()
        assert table.names == ("dose", "age", "weight", "intercept")
        assert table["dose"].estimate == model[-1].coef_[0, 0]


class TestWeights:
    @pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")])
    def test_weights_are_repetitions(self, classes):
        X, y = overlapping(60, classes=classes)
        times = np.random.default_rng(1).integers(0, 4, 60)
        weighted = LogisticRegression().fit(X, y, sample_weight=times)
        repeated = LogisticRegression().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-6)
        np.testing.assert_allclose(weighted.covariance_, repeated.covariance_, rtol=1e-5)
        assert weighted.log_likelihood_ == pytest.approx(repeated.log_likelihood_)
        assert weighted.null_log_likelihood_ == pytest.approx(repeated.null_log_likelihood_)
        assert weighted.certificate_.verify(X, y)

    @pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")])
    def test_class_weight(self, classes):
        X, y = overlapping(classes=classes)
        model = LogisticRegression(class_weight="balanced", ridge=0.01).fit(X, y)
        theirs = TheirLogisticRegression(
            C=1 / 2.0, class_weight="balanced", tol=1e-12, max_iter=10_000
        ).fit(X, y)
        np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-5)
        assert model.certificate_.verify(X, y)
        heavy = dict.fromkeys(classes, 1.0) | {classes[0]: 3.0}
        model = LogisticRegression(class_weight=heavy).fit(X, y)
        times = np.where(y == classes[0], 3.0, 1.0)
        same = LogisticRegression().fit(X, y, sample_weight=times)
        np.testing.assert_allclose(model.coef_, same.coef_, atol=1e-6)
        assert model.standard_errors_ is None
        assert "class_weight" in repr(model.summary())
        assert same.standard_errors_ is not None

    def test_examples_of_weight_zero_do_not_count_for_separation(self):
        X, y = np.array([[0.0], [1.0], [2.0], [3.0], [1.5]]), [0, 0, 1, 1, 0]
        s = [1, 1, 1, 1, 0]
        X[4] = 2.5  # it is the only one between the others
        with pytest.warns(SeparationWarning):
            model = LogisticRegression().fit(X, y, sample_weight=s)
        assert model.estimate_exists_ is False
        assert model.certificate_.verify(X, y)
        assert LogisticRegression().fit(X, y).estimate_exists_ is True

    def test_nor_do_they_where_one_of_three_classes_is_separated(self):
        X, y = np.array([[0.0], [0.0], [1.0], [0.0], [0.0], [0.0]]), np.array([0, 1, 2, 0, 2, 1])
        s = np.array([2, 0.5, 2, 0, 0, 0.5])
        with pytest.warns(SeparationWarning):
            model = LogisticRegression().fit(X, y, sample_weight=s)
        with pytest.warns(SeparationWarning):
            without = LogisticRegression().fit(X[s > 0], y[s > 0], sample_weight=s[s > 0])
        assert model.infimum_ == pytest.approx(without.infimum_, rel=1e-9)
        assert model.certificate_.verify(X, y)


class TestInference:
    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")])
    def test_standard_errors_are_those_of_the_information(self, mode, classes):
        X, y = overlapping(classes=classes)
        weights = np.random.default_rng(2).integers(1, 4, len(y)).astype(float)
        model = LogisticRegression(intercept=mode, reference=classes[0]).fit(X, y, weights)
        W, _ = by_bfgs(X, y, mode, weights)
        covariance = np.linalg.inv(information(X, y, W, mode, weights))
        np.testing.assert_allclose(model.covariance_, covariance, rtol=1e-5, atol=1e-9)
        errors = np.sqrt(np.diag(covariance)).reshape(len(classes) - 1, -1)
        np.testing.assert_allclose(model.standard_errors_, errors[:, :3], rtol=1e-5)
        table = model.summary(level=0.9)
        z = (W / errors).ravel()
        np.testing.assert_allclose(table.statistics, z, rtol=1e-4)
        np.testing.assert_allclose(table.p_values, 2 * stats.norm.sf(np.abs(z)), rtol=1e-3)
        reach = stats.norm.ppf(0.95) * errors.ravel()
        ends = np.column_stack([W.ravel() - reach, W.ravel() + reach])
        np.testing.assert_allclose(model.intervals(level=0.9), ends, atol=1e-4)

    def test_every_reference_says_the_same(self):
        X, y = overlapping(classes=("a", "b", "c"))
        models = {k: LogisticRegression(reference=k).fit(X, y) for k in "abc"}
        assert LogisticRegression().fit(X, y).reference_ == "c"
        assert models["a"].reference_ == "a"
        # b against a is minus a against b, with the same error
        np.testing.assert_allclose(models["a"].contrasts_[0], -models["b"].contrasts_[0], atol=1e-9)
        np.testing.assert_allclose(
            models["a"].standard_errors_[0], models["b"].standard_errors_[0], rtol=1e-9
        )
        # the variance of c − b from that of the contrasts with a
        V = models["a"].covariance_
        apart = np.hstack([-np.eye(4), np.eye(4)])
        np.testing.assert_allclose(models["b"].covariance_[4:, 4:], apart @ V @ apart.T, rtol=1e-6)
        two = LogisticRegression().fit(*overlapping())
        assert two.reference_ == "no"
        assert np.array_equal(two.contrasts_, two.coef_)
        other = LogisticRegression(reference="yes").fit(*overlapping())
        assert np.array_equal(other.contrasts_, -two.coef_)
        assert np.array_equal(other.coef_, two.coef_)

    @pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")])
    def test_likelihood_ratios(self, classes):
        X, y = overlapping(classes=classes)
        model = LogisticRegression().fit(X, y)
        tests = model.likelihood_ratio_tests(X, y)
        _, full = by_bfgs(X, y)
        df = len(classes) - 1
        for j in range(3):
            _, less = by_bfgs(np.delete(X, j, axis=1), y)
            statistic = 2 * len(y) * (less - full)
            assert tests[f"x{j}"].statistic == pytest.approx(statistic, abs=1e-5)
            assert tests[j].p_value == pytest.approx(stats.chi2.sf(statistic, df), rel=1e-4)
            assert tests[j].degrees == df
        statistic = 2 * len(y) * (by_bfgs(X, y, "none")[1] - full)
        assert tests["intercept"].statistic == pytest.approx(statistic, abs=1e-5)
        assert 0 < tests.within < 1e-5
        assert len(tests) == len(json.loads(json.dumps(tests.to_dict()))["rows"]) == 4
        assert "P>χ²" in repr(tests)
        assert "<table" in tests._repr_html_()
        with pytest.raises(KeyError, match="x9"):
            tests["x9"]

    def test_ratios_are_of_the_same_examples(self):
        X, y = overlapping()
        model = LogisticRegression().fit(X, y)
        with pytest.raises(ValueError, match="those of the fit"):
            model.likelihood_ratio_tests(X, np.roll(y, 1))
        with pytest.raises(ValueError, match=r"likelihood_ratio_tests compares .* ridge"):
            LogisticRegression(ridge=0.1).fit(X, y).likelihood_ratio_tests(X, y)

    def test_a_model_of_intercepts_alone(self):
        X, y = np.zeros((10, 1)), np.array([0] * 3 + [1] * 7)
        model = LogisticRegression().fit(X, y)
        assert model.coef_.tolist() == [[0.0]]
        assert model.intercept_[0] == pytest.approx(np.log(7 / 3))
        assert model.log_likelihood_ == pytest.approx(model.null_log_likelihood_)
        assert model.rank_ == 0
        table = model.summary()
        assert table["x0"].standard_error is None
        assert table["intercept"].standard_error == pytest.approx(np.sqrt(10 / 21))


class TestTinyColumns:
    @pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
    def test_refused_where_squares_underflow(self, store):
        X, y = overlapping()
        with pytest.raises(ValueError, match=r"column 1 of X \(from 0\) is .*e-180. Rescale"):
            LogisticRegression().fit(store(X * [1, 1e-180, 1]), y)
        X[:-1, 1] = 0.0
        X[-1, 1] = 1e-180
        with pytest.raises(ValueError, match="column 1"):
            LogisticRegression().fit(store(X), y)

    @pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
    def test_not_for_few_numbers_or_zeros(self, store):
        X, y = overlapping()
        X[0], X[:, 2] = 1e-200, 0.0
        assert LogisticRegression().fit(store(X), y).converged_


class TestDependentColumns:
    @pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")])
    @pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
    def test_the_shortest_coefficients(self, classes, store):
        X, y = overlapping(classes=classes)
        X = np.round(X, 2)
        plain = LogisticRegression().fit(X, y)
        wide = np.column_stack([X, X[:, 0], X[:, 1] - 2 * X[:, 2], np.full(len(X), 5.0)])
        wide = np.round(wide * 128) / 128  # so that combinations are exact
        wide[:, 3], wide[:, 4] = wide[:, 0], wide[:, 1] - 2 * wide[:, 2]
        plain = LogisticRegression().fit(wide[:, :3], y)
        model = LogisticRegression().fit(store(wide), y)
        assert model.rank_ == 3
        assert model.converged_
        assert model.estimate_exists_ is True
        assert "The 6 columns have rank 3" in model.status_
        assert model.certificate_.verify(store(wide), y)
        np.testing.assert_allclose(model.predict_proba(wide), plain.predict_proba(wide[:, :3]))
        scores = (plain.coef_ @ wide[:, :3].T).T
        centred = wide - wide.mean(axis=0)
        shortest = np.linalg.pinv(centred) @ (scores - scores.mean(axis=0))
        np.testing.assert_allclose(model.coef_, shortest.T, atol=1e-8)
        assert np.all(np.isnan(model.standard_errors_))
        assert "depend on each other" in repr(model.summary())
        tests = model.likelihood_ratio_tests(store(wide), y)
        assert [row.degrees for row in tests] == [0] * 7
        assert tests[0].p_value is None

    def test_a_ridge_says_nothing_of_the_rank(self):
        X, y = overlapping()
        model = LogisticRegression(ridge=0.1).fit(np.column_stack([X, X[:, 0]]), y)
        assert model.rank_ is None
        assert "rank" not in model.status_

    def test_columns_that_are_not_concerned_keep_their_errors(self):
        X, y = overlapping()
        X = np.round(X * 128) / 128
        plain = LogisticRegression().fit(X, y)
        model = LogisticRegression().fit(np.column_stack([X, 2 * X[:, 0]]), y)
        np.testing.assert_allclose(model.standard_errors_[0, 1:3], plain.standard_errors_[0, 1:])
        assert np.isnan(model.standard_errors_[0, [0, 3]]).all()
        np.testing.assert_allclose(
            model.intercept_standard_errors_, plain.intercept_standard_errors_
        )

    @pytest.mark.parametrize("off", [1e-15, 1e-10])
    def test_nearly_dependent_columns_leave_the_infimum_open(self, off):
        """Weights of 1e10 and more could use what is left; nothing is proved about them. Whether
        some are the best depends on the last digits: that is decided if it is asked for."""
        X, y = overlapping()
        noise = np.random.default_rng(3).standard_normal(len(y))
        wide = np.column_stack([X, X[:, 0] + X[:, 1] / 3 + off * noise])
        model = LogisticRegression().fit(wide, y)
        assert model.converged_
        assert model.rank_ == 3
        assert model.estimate_exists_ is None
        assert model.standard_errors_ is None
        first = model.status_.split(". ")[0]
        assert "among coefficients of which those of 1 column, nearly a combination of" in first
        assert first.endswith("whether others have less is not known")
        assert "have rank 3 nearly, not exactly" in model.status_
        assert "it is not decided whether an estimate exists" in repr(model.summary())
        assert model.decide_existence(wide, y) is True
        assert [type(claim) for claim in model.certificate_] == [LogisticExcess, Overlapping]
        assert "An estimate exists." in model.status_
        assert model.standard_errors_ is None
        assert "No standard errors: columns are nearly, not exactly, combin" in repr(
            model.summary()
        )
        assert model.certificate_.verify(wide, y)

    def test_ill_conditioned_is_not_dependent(self):
        X, y = overlapping(400)
        noise = np.random.default_rng(3).standard_normal(len(y))
        near = np.column_stack([X, X[:, 0] + 1e-5 * noise])
        model = LogisticRegression().fit(near, y)
        plain = LogisticRegression().fit(np.column_stack([X, noise]), y)
        assert model.rank_ == 4
        assert model.estimate_exists_ is True
        assert model.risk_ == pytest.approx(plain.risk_, abs=1e-8)
        wrong = model.standard_errors_[0, 3] * 1e-5
        assert wrong == pytest.approx(plain.standard_errors_[0, 3], rel=1e-3)

    @pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")])
    def test_columns_far_from_zero(self, classes):
        X, y = overlapping(classes=classes)
        far = X + 2.0**12
        model, plain = LogisticRegression().fit(far, y), LogisticRegression().fit(far - 2.0**12, y)
        assert model.rank_ == 3
        assert model.estimate_exists_ is True
        assert model.risk_ == pytest.approx(plain.risk_, abs=1e-8)
        np.testing.assert_allclose(model.standard_errors_, plain.standard_errors_, rtol=1e-4)
        errors = model.intercept_standard_errors_ / 2.0**12
        assert np.all(errors > plain.standard_errors_.max(axis=1) / 2)

    def test_columns_too_far_from_zero(self):
        """Scores are sums of numbers of 1e8: what is proved has fewer digits, and that is said."""
        X, y = overlapping()
        with pytest.warns(ConvergenceWarning, match="float64 allows no further progress"):
            model = LogisticRegression().fit(X + 1e8, y)
        assert model.rank_ == 3
        assert model.estimate_exists_ is True
        assert model.gap_ < 1e-4
        assert "not proved to be within the tol of 1e-08 of the smallest" in repr(model.summary())


class TestSeparation:
    def complete(self):
        return np.array([[0.0, 3.0], [1.0, 1.0], [2.0, 2.0], [3.0, 1.0]]), np.array(list("llrr"))

    def partial(self, classes=("no", "yes")):
        """An indicator that is 1 with one class only."""
        X, y = overlapping(classes=classes)
        mark = np.zeros(len(y))
        mark[np.flatnonzero(y == classes[-1])[:12]] = 1.0
        return np.column_stack([X, mark]), y

    def test_one_warning_with_columns_and_rows(self):
        X, y = self.partial()
        frame = pd.DataFrame(X, columns=["dose", "age", "weight", "treated"])
        with pytest.warns(SeparationWarning, match="No estimate exists") as seen:
            model = LogisticRegression().fit(frame, y)
        assert len(seen) == 1
        assert seen[0].filename == __file__
        said = str(seen[0].message)
        assert said == model.status_
        assert "'treated'" in said
        assert str(np.flatnonzero(X[:, 3])[0]) in said
        assert "not an estimate" in said

    @pytest.mark.filterwarnings(SEPARATED)
    @pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")])
    def test_the_infimum_is_that_of_the_rest(self, classes):
        X, y = self.partial(classes)
        model = LogisticRegression().fit(X, y)
        marked = X[:, 3] > 0
        if len(classes) == 2:
            _, least = by_bfgs(X[~marked], y[~marked])
            least *= np.mean(~marked)
            assert model.infimum_ == pytest.approx(least, abs=1e-8)
        assert model.estimate_exists_ is False
        assert model.converged_
        assert model.infimum_ <= model.objective_ <= model.infimum_ + 1e-8
        assert model.standard_errors_ is model.covariance_ is None
        assert "no estimate" in repr(model.summary())
        excess, proof = model.certificate_
        assert type(excess) is LogisticExcess
        assert not excess.exists
        assert type(proof) is NoEstimate
        assert model.separation_ is proof
        assert model.certificate_.verify(X, y)
        p = model.predict_proba(X)
        np.testing.assert_allclose(p[marked, -1], 1, atol=1e-6)

    @pytest.mark.filterwarnings(SEPARATED)
    @pytest.mark.parametrize("mode", MODES)
    def test_complete_separation(self, mode):
        X, y = self.complete()
        model = LogisticRegression(intercept=mode).fit(X - (0 if mode == "free" else [1.5, 0]), y)
        assert model.infimum_ == 0
        assert model.risk_ <= 1e-8
        assert model.predict(X - (0 if mode == "free" else [1.5, 0])).tolist() == list("llrr")
        assert model.log_likelihood_ == pytest.approx(0, abs=1e-7)

    @pytest.mark.filterwarnings(SEPARATED)
    def test_iris(self):
        """Setosa is separated from the others, which overlap."""
        X, y = load_iris(return_X_y=True)
        model = LogisticRegression().fit(X, y)
        assert model.certificate_.verify(X, y)
        some = y > 0
        _, least = by_bfgs(StandardScaler().fit_transform(X[some]), y[some])
        assert model.infimum_ == pytest.approx(least * 2 / 3, abs=1e-7)
        two = LogisticRegression().fit(X[some], y[some])
        assert two.estimate_exists_ is True
        near = model.coef_[2] - model.coef_[1]
        np.testing.assert_allclose(near, two.coef_[0], rtol=1e-4)

    def test_raise_carries_the_proof(self):
        for X, y in (self.complete(), self.partial(), self.partial(("a", "b", "c"))):
            with pytest.raises(Separated, match="No estimate exists") as stop:
                LogisticRegression(on_separation="raise").fit(X, y)
            assert stop.value.proof.verify(X, y)
            again = pickle.loads(pickle.dumps(stop.value))
            assert str(again) == str(stop.value)
            assert again.proof == stop.value.proof
            assert isinstance(stop.value, ValueError)

    def test_ridge_takes_a_stated_one(self):
        for X, y in (self.complete(), self.partial(), self.partial(("a", "b", "c"))):
            with pytest.warns(SeparationWarning, match="ridge ="):
                model = LogisticRegression(on_separation="ridge").fit(X, y)
            assert model.ridge_ == 1 / len(y)
            assert model.ridge == 0
            assert model.estimate_exists_ is False
            assert model.standard_errors_ is None
            asked = LogisticRegression(ridge=1 / len(y)).fit(X, y)
            np.testing.assert_allclose(model.coef_, asked.coef_, atol=1e-6)
            assert model.certificate_.verify(X, y)
            assert model.separation_ is not None
            assert asked.estimate_exists_ is True
            assert asked.separation_ is None

    def test_a_ridge_has_no_such_question(self):
        X, y = self.complete()
        model = LogisticRegression(ridge=1e-3, on_separation="raise").fit(X, y)
        assert model.converged_
        assert model.certificate_[0].exists

    @pytest.mark.filterwarnings(SEPARATED)
    @pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")])
    def test_more_columns_than_rows(self, classes):
        X, y = overlapping(12, 30, classes=classes)
        model = LogisticRegression().fit(X, y)
        assert model.infimum_ == 0
        assert model.risk_ <= 1e-8
        assert model.certificate_.verify(X, y)

    @pytest.mark.filterwarnings(SEPARATED)
    def test_ratio_tests_have_a_meaning(self):
        X, y = self.partial()
        model = LogisticRegression().fit(X, y)
        tests = model.likelihood_ratio_tests(X, y)
        _, less = by_bfgs(X[:, :3], y)
        assert tests["x3"].statistic == pytest.approx(2 * len(y) * (less - model.risk_), abs=1e-4)
        assert tests["x3"].degrees == 1


class TestNewton:
    # 1,012 examples: bare Newton overshoots where the curvature vanishes
    X, y, times = [[-2.0], [0.0], [1.0], [13.0]], [1, 0, 1, 0], [1, 1000, 1, 10]

    def test_bare_newton_diverges(self):
        with pytest.warns(ConvergenceWarning, match="diverged"):
            model = LogisticRegression(solver="newton").fit(self.X, self.y, self.times)
        assert not model.converged_
        assert model.standard_errors_ is None
        assert np.all(np.isfinite(model.coef_))
        assert not np.all(np.diff(model.trace_.objective) <= 0)

    def test_damped_newton_converges(self):
        model = LogisticRegression().fit(self.X, self.y, self.times)
        assert model.converged_
        assert model.estimate_exists_ is True
        assert np.all(np.diff(model.trace_.objective) <= 0)
        assert np.any(model.trace_.step[1:] < 1)

    def test_undamped_and_damped_steps_agree_when_full_steps_descend(self):
        X, y = overlapping()
        bare, damped = (LogisticRegression(solver=s).fit(X, y) for s in ("newton", "damped"))
        assert bare.estimate_exists_ is True
        np.testing.assert_allclose(bare.coef_, damped.coef_, atol=1e-5)


class TestStops:
    def test_max_iter(self):
        X, y = overlapping()
        with pytest.warns(
            ConvergenceWarning, match="Stopped at max_iter = 1 Newton steps: "
        ) as seen:
            model = LogisticRegression(max_iter=1, tol=1e-12).fit(X, y)
        assert seen[0].filename == __file__
        assert model.n_iter_ == 1
        assert not model.converged_
        assert model.standard_errors_ is None
        assert model.certificate_.verify(X, y)

    def test_risk_threshold(self):
        X, y = overlapping()
        least = LogisticRegression().fit(X, y).risk_
        model = LogisticRegression(risk_threshold=least + 0.02).fit(X, y)
        assert model.risk_ <= least + 0.02
        assert "risk threshold" in model.status_
        never = LogisticRegression(risk_threshold=least / 2).fit(X, y)
        assert never.converged_

    def test_time_limit(self):
        X, y = overlapping()
        with pytest.warns(ConvergenceWarning, match="time limit"):
            model = LogisticRegression(time_limit=1e-9, tol=1e-12).fit(X, y)
        assert model.predict(X).shape == y.shape

    def test_ctrl_c(self, monkeypatch):
        import certo.estimators._logistic as module

        solve = module.logistic

        def interrupted(*args, **settings):
            signal.raise_signal(signal.SIGINT)
            return solve(*args, **settings)

        monkeypatch.setattr(module, "logistic", interrupted)
        X, y = overlapping()
        with pytest.warns(ConvergenceWarning, match="Stopped by hand"):
            LogisticRegression().fit(X, y)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def test_a_progress_bar(self, capsys):
        X, y = overlapping()
        LogisticRegression().set_callbacks(ProgressBar()).fit(X, y)


class TestRefusals:
    @pytest.mark.parametrize(
        ("settings", "said"),
        [
            ({"intercept": "lifted"}, "intercept must be 'free' or 'none', got 'lifted'"),
            ({"ridge": -1}, "ridge must be a number of at least 0, got -1"),
            ({"ridge": np.nan}, "ridge must be"),
            ({"reference": "maybe"}, "reference must be one of the classes .*'no', 'yes'.*'maybe'"),
            ({"solver": "lbfgs"}, "solver must be 'damped' or 'newton' .*leave out.*, got 'lbfgs'"),
            ({"on_separation": "ignore"}, "on_separation must be 'warn', 'raise' or 'ridge'"),
            ({"tol": 0}, "tol must be a positive number, got 0"),
            ({"risk_threshold": -0.1}, "risk_threshold must be"),
            ({"max_iter": 0}, "max_iter must be an integer"),
            ({"time_limit": -1}, "time_limit must be"),
            ({"class_weight": "even"}, "class_weight must be"),
        ],
    )
    def test_settings(self, settings, said):
        with pytest.raises(ValueError, match=said):
            LogisticRegression(**settings).fit(*overlapping())

    def test_examples(self):
        X, y = overlapping()
        with pytest.raises(ValueError, match="only one class"):
            LogisticRegression().fit(X, np.full(len(y), "no"))
        with pytest.raises(ValueError, match="zero for all of class 'yes'"):
            LogisticRegression().fit(X, y, sample_weight=(y == "no").astype(float))
        with pytest.raises(ValueError, match="one label for each example"):
            LogisticRegression().fit(X, np.column_stack([y == "no", y == "yes"]).astype(int))
        wrong = X.copy()
        wrong[7, 1] = np.nan
        with pytest.raises(ValueError, match=r"X\[7, 1\] is NaN"):
            LogisticRegression().fit(wrong, y)
        with pytest.raises(NotFittedError):
            LogisticRegression().summary()


class TestKept:
    @pytest.mark.filterwarnings(SEPARATED)
    @pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")])
    @pytest.mark.parametrize("separated", [False, True])
    def test_pickles(self, classes, separated):
        X, y = TestSeparation().partial(classes) if separated else overlapping(classes=classes)
        model = LogisticRegression().fit(X, y)
        for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
            assert again.certificate_.verify(X, y)
            assert repr(again.summary()) == repr(model.summary())
            assert np.array_equal(again.trace_.objective, model.trace_.objective)
            assert (again.separation_ is None) is (not separated)
        written = json.loads(json.dumps(model.certificate_.to_dict()))
        assert Composite.from_dict(written).verify(X, y)

    def test_fit_begins_anew(self):
        X, y = overlapping()
        model = LogisticRegression().fit(X, y)
        before = model.coef_.copy()
        assert np.array_equal(model.fit(X, y).coef_, before)
        assert clone(model).get_params() == model.get_params()
        assert certo.LogisticRegression is LogisticRegression

    def test_other_threads(self):
        X, y = overlapping()
        found = []
        work = [
            threading.Thread(target=lambda: found.append(LogisticRegression().fit(X, y).coef_))
            for _ in range(3)
        ]
        for one in work:
            one.start()
        for one in work:
            one.join()
        assert len(found) == 3
        assert all(np.array_equal(coef, found[0]) for coef in found)

    def test_as_many_coefficients_as_expit_says(self):
        """One more independent look: the score equation Σ (y − p) x = 0."""
        X, y = overlapping()
        model = LogisticRegression().fit(X, y)
        p = expit(X @ model.coef_[0] + model.intercept_[0])
        np.testing.assert_allclose(X.T @ ((y == "yes") - p), 0, atol=1e-4)
