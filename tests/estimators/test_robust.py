"""HC3 standard errors, against their formula and against statsmodels."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import softmax

from certo import LeastSquares, LogisticRegression

RNG = np.random.default_rng(1)
X = RNG.normal(size=(80, 3)) + np.array([0, 5, -2])
Z = np.column_stack([X, np.ones(80)])
Y = X @ [1, -2, 0] + RNG.normal(size=80) * (1 + abs(X[:, 0]))
KIND = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + RNG.logistic(size=80), [-0.7, 0.7])]
WEIGHTS = RNG.uniform(0.5, 2, 80)


def errors_by_formula(Z, y, weights):
    root = np.sqrt(weights)[:, None]
    Z, y = Z * root, y * root[:, 0]
    inverse = np.linalg.inv(Z.T @ Z)
    left = (y - Z @ (inverse @ Z.T @ y)) / (1 - np.sum(Z @ inverse * Z, axis=1))
    return np.sqrt(np.diag(inverse @ (Z.T * left**2) @ Z @ inverse))


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_least_squares_has_the_formula(weights):
    model = LeastSquares().fit(X, Y, weights)
    found = model.summary(robust="HC3", X=X, y=Y, sample_weight=weights)
    wanted = errors_by_formula(Z, Y, np.ones(80) if weights is None else weights)
    np.testing.assert_allclose(found.errors, wanted)
    assert "HC3" in repr(found)
    assert found.fit["f_statistic"] != model.summary().fit["f_statistic"]
    some = LeastSquares(intercept="none").fit(sparse.csr_array(X), Y)
    found = some.summary(robust="HC3", X=sparse.csr_array(X), y=Y)
    np.testing.assert_allclose(found.errors, errors_by_formula(X, Y, np.ones(80)))


@pytest.mark.slow
def test_statsmodels_agrees():
    api = pytest.importorskip("statsmodels.api")
    theirs = api.OLS(Y, Z).fit(cov_type="HC3", use_t=True)
    ours = LeastSquares().fit(X, Y).summary(robust="HC3", X=X, y=Y)
    np.testing.assert_allclose(ours.errors, theirs.bse, rtol=1e-9)
    np.testing.assert_allclose(ours.p_values, theirs.pvalues, rtol=1e-7)
    assert ours.fit["f_statistic"] == pytest.approx(theirs.fvalue)
    theirs = api.WLS(Y, Z, weights=WEIGHTS).fit(cov_type="HC3")
    ours = LeastSquares().fit(X, Y, WEIGHTS)
    ours = ours.summary(robust="HC3", X=X, y=Y, sample_weight=WEIGHTS)
    np.testing.assert_allclose(ours.errors, theirs.bse, rtol=1e-9)


def test_two_classes_have_the_formula():
    kind = KIND == "a"
    model = LogisticRegression().fit(X, kind)
    p = model.predict_proba(X)[:, 1]
    inverse = np.linalg.inv(Z.T @ (Z * (p * (1 - p))[:, None]))
    leverage = p * (1 - p) * np.sum(Z @ inverse * Z, axis=1)
    scores = Z * ((kind - p) / (1 - leverage))[:, None]
    wanted = np.sqrt(np.diag(inverse @ scores.T @ scores @ inverse))
    found = model.summary(robust="HC3", X=X, y=kind)
    np.testing.assert_allclose(found.errors, wanted, rtol=1e-6)


def test_several_classes_are_near_the_jackknife_of_one_newton_step():
    """HC3 is Σ_t (β − β_t)(β − β_t)ᵀ, β_t being one Newton step without example t."""
    model = LogisticRegression().fit(X, KIND)
    beta = np.column_stack([model.contrasts_, model.contrast_intercepts_])
    codes = np.searchsorted(["a", "b", "c"], KIND)

    def score_and_curvature(rows):
        z = Z[rows]
        p = softmax(np.column_stack([z @ beta.T, np.zeros(len(z))]), axis=1)[:, :2]
        left = (codes[rows, None] == np.arange(2)) - p
        W = p[:, :, None] * (np.eye(2) - p[:, None, :])
        return (left.T @ z).ravel(), np.einsum("tkl,ti,tj->kilj", W, z, z).reshape(8, 8)

    steps = []
    for row in range(80):
        score, curvature = score_and_curvature(np.delete(np.arange(80), row))
        steps.append(np.linalg.solve(curvature, score))
    wanted = np.sqrt(np.sum(np.square(steps), axis=0))
    found = model.summary(robust="HC3", X=X, y=KIND)
    np.testing.assert_allclose(found.errors, wanted, rtol=1e-6)


def test_weights_of_logistic_regression_are_copies():
    weights = np.tile([1.0, 2.0], 40)
    twice = np.repeat(np.arange(80), weights.astype(int))
    model = LogisticRegression().fit(X, KIND, weights)
    found = model.summary(robust="HC3", X=X, y=KIND, sample_weight=weights)
    again = LogisticRegression().fit(X[twice], KIND[twice])
    again = again.summary(robust="HC3", X=X[twice], y=KIND[twice])
    np.testing.assert_allclose(found.errors, again.errors, rtol=1e-6)


def test_what_is_refused():
    model, classes = LeastSquares().fit(X, Y), LogisticRegression().fit(X, KIND)
    with pytest.raises(ValueError, match="robust must be None or 'HC3', got 'HC9'"):
        model.summary(robust="HC9", X=X, y=Y)
    for one in (model, classes):
        with pytest.raises(ValueError, match="give X and y"):
            one.summary(robust="HC3")
    for rows, values in ((X, Y + 1), (X[:-1], Y[:-1])):
        with pytest.raises(ValueError, match="must be those of the fit, all 80"):
            model.summary(robust="HC3", X=rows, y=values)
    with pytest.raises(ValueError, match="must be those of the fit"):
        classes.summary(robust="HC3", X=X, y=KIND[::-1])
    ridge = LeastSquares(ridge=1.0).fit(X, Y)
    with pytest.raises(ValueError, match="needs standard errors"):
        ridge.summary(robust="HC3", X=X, y=Y)
    with pytest.raises(ValueError, match="needs standard errors"):
        LogisticRegression(ridge=1.0).fit(X, KIND).summary(robust="HC3", X=X, y=KIND)
    alone = np.column_stack([X, np.arange(80) == 3])
    with pytest.raises(ValueError, match=r"leverage of example 3 .* is 1"):
        LeastSquares().fit(alone, Y).summary(robust="HC3", X=alone, y=Y)
    double = np.column_stack([X, X[:, 0]])
    with pytest.raises(ValueError, match="columns depend on each other"):
        LogisticRegression().fit(double, KIND).summary(robust="HC3", X=double, y=KIND)
    found = LeastSquares().fit(double, Y).summary(robust="HC3", X=double, y=Y)
    assert np.isnan(found.errors).tolist() == [True, False, False, True, False]
    assert found.fit["f_statistic"] is None


def test_leverages_add_up_to_the_number_of_coefficients():
    for weights in (None, WEIGHTS):
        model = LeastSquares().fit(X, Y, weights)
        found = model.leverages(X, weights)
        assert np.sum(found) == pytest.approx(4)
        assert np.all((found > 0) & (found < 1))
    with pytest.raises(ValueError, match="leverages need the factor"):
        LeastSquares(ridge=1.0).fit(X, Y).leverages(X)


def test_names_of_columns_are_taken_as_those_of_the_fit():
    X = pd.DataFrame(np.random.default_rng(4).normal(size=(30, 2)), columns=["a", "b"])
    y = X["a"] + np.random.default_rng(5).normal(size=30)
    model = LeastSquares().fit(X, y)
    by_array = LeastSquares().fit(X.to_numpy(), y).summary(robust="HC3", X=X.to_numpy(), y=y)
    of_frame = model.summary(robust="HC3", X=X, y=y)  # A warning about names would be an error.
    assert of_frame.to_frame()["standard_error"].tolist() == pytest.approx(
        by_array.to_frame()["standard_error"].tolist(), rel=1e-12
    )
