"""scikit-learn's SVC: its multipliers prove what ours do, and what they cannot has a reason."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC

from certo import SVM, certify
from certo.certificates import SoftMarginGap, SupportBound
from certo.guarantees.multipliers import gap, kernel_of
from certo.kernels import Gaussian, Linear, Polynomial

RANDOM = np.random.default_rng(8)
y = np.where(RANDOM.random(100) < 0.5, "low", "up")
X = RANDOM.normal(size=(100, 2)) + np.where(y == "up", 1.0, -1.0)[:, None]

MODELS = {
    "linear": SVC(kernel="linear", tol=1e-6),
    "rbf": SVC(gamma=0.3, tol=1e-6),
    "auto": SVC(gamma="auto", tol=1e-6),
    "poly": SVC(kernel="poly", degree=2, gamma=0.5, coef0=1.0, tol=1e-6),
}


def reasons(page) -> dict[str, str]:
    return {refusal.name: refusal.reason for refusal in page.not_claimed}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_its_gap_and_what_follows(name, storage):
    model, examples = MODELS[name], storage(X)
    page = certify(model.fit(examples, y), examples, y)
    claims = {claim.name: claim for claim in page}
    near = claims.get("SoftMarginGap") or claims["SoftMarginGap"]
    ours = SVM(None if name == "linear" else kernel_of(model), tol=1e-9).fit(X, y)
    best = ours.objective_[0]
    assert near.dual <= best * (1 + 1e-9)
    assert best <= near.primal <= best * (1 + 1e-4)
    assert near.intercept == model.intercept_[0]
    assert claims["SupportBound"].supports >= len(ours.support_)
    assert page.verify(examples, y)


def test_kernels_mean_the_same():
    for model in MODELS.values():
        model.fit(X, y)
        coef = model.dual_coef_[0]
        scores = kernel_of(model)(X, model.support_vectors_) @ coef + model.intercept_
        np.testing.assert_allclose(scores, model.decision_function(X), atol=1e-9)
    assert kernel_of(MODELS["linear"]) == Linear()
    assert kernel_of(MODELS["rbf"]) == Gaussian(1 / 0.6)
    assert kernel_of(MODELS["poly"]) == Polynomial(2, 0.5, 1.0)
    for strange in (
        SVC(kernel="sigmoid"),
        SVC(kernel="poly", coef0=-1.0),
        SVC(kernel="poly", degree=0),
        SVC(gamma=0.0),
        SVC(kernel=lambda a, b: a @ b.T),
    ):
        assert kernel_of(strange.fit(X, y)) is None


def test_what_was_computed_from_the_examples_bounds_nothing():
    page = certify(SVC().fit(X, y), X, y)
    assert "gamma" in reasons(page)["SupportBound"]
    page = certify(SVC(gamma=0.3, class_weight="balanced", tol=1e-6).fit(X, y), X, y)
    assert "class_weight" in reasons(page)["SupportBound"]
    assert page.claims.of_kind(SoftMarginGap)[0].relative_gap < 1e-4
    assert page.verify(X, y)


def test_what_is_not_claimed():
    page = certify(SVC(kernel="sigmoid", gamma=0.3).fit(X, y), X, y)
    assert {"SoftMarginGap", "SupportBound"} <= set(reasons(page))
    three = np.where(X[:, 0] > 1, "more", y)
    page = certify(SVC(gamma=0.3).fit(X, three), X, three)
    assert len(page.of_kind("SoftMarginGap")) == 3
    assert page.claims.of_kind(SupportBound)
    assert page.verify(X, three)


def test_a_matrix():
    K = Gaussian(2.0)(X)
    page = certify(SVC(kernel="precomputed", tol=1e-6).fit(K, y), K, y)
    assert page.claims.of_kind(SoftMarginGap)[0].relative_gap < 1e-4
    K[0, 0] = -1.0
    page = certify(SVC(kernel="precomputed").fit(K, y), K, y)
    assert "SoftMarginGap" in reasons(page)


@pytest.mark.parametrize("name", ["linear", "rbf"])
def test_other_examples(name):
    model = MODELS[name].fit(X, y)
    flipped = np.where(y == "up", "low", "up")
    for examples, labels in ((X[::-1], y), (X[:-1], y[:-1]), (2 * X, y), (X, flipped)):
        with pytest.raises(ValueError, match="the very examples of the fit"):
            gap(model, examples, labels)


def test_weights_of_examples_make_the_gap_large_not_false():
    """A model does not say that it was fitted with weights: its gap is that of the problem without
    them."""
    weights = RANDOM.choice([0.1, 1.0, 5.0], 100)
    model = SVC(kernel="linear", tol=1e-8).fit(X, y, sample_weight=weights)
    claim = gap(model, X, y)
    assert isinstance(claim, SoftMarginGap)
    assert claim.verify(X, y)
    best = SVM(tol=1e-9).fit(X, y).objective_[0]
    assert claim.dual <= best <= claim.primal
