"""Steps that learn nothing from the values of the examples keep the bounds of the machine."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    Normalizer,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)
from sklearn.random_projection import GaussianRandomProjection

from certo import SVM, Perceptron, certify
from certo.features import (
    Conic,
    CountedFeatures,
    GaussianTaylor,
    Monomials,
    RandomFeatures,
    UnitFeatures,
    explicit_map,
)
from certo.guarantees.fixed_maps import is_fixed
from certo.kernels import Linear, Polynomial, Spectrum

random = np.random.default_rng(7)
X = random.normal(size=(150, 2))
y = np.where(X[:, 0] ** 2 + X[:, 1] + 0.3 * random.normal(size=150) > 0.5, "in", "out")


class Untagged:
    """A transformer that is no BaseEstimator."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X


class Scaled(PolynomialFeatures):
    """A subclass may learn more than its class."""


class Recentred(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.mean_ = np.mean(X, axis=0)
        return self

    def transform(self, X):
        return X - self.mean_


FIXED = [
    Conic(),
    Monomials(3),
    GaussianTaylor(2.0, degree=3),
    RandomFeatures(2.0, 20, random_state=0),
    RandomFeatures(2.0, 20),
    PolynomialFeatures(2),
    Normalizer(),
    Binarizer(),
    FunctionTransformer(np.abs),
    RBFSampler(gamma=0.5, random_state=1),
    GaussianRandomProjection(2, random_state=0),
    UnitFeatures(Polynomial(2)),
    explicit_map(2 * Linear() + Polynomial(2)),
    make_pipeline(Normalizer(), Conic()),
    FeatureUnion([("conic", Conic()), ("waves", RandomFeatures(1.0, 5))]),
    ColumnTransformer([("squares", PolynomialFeatures(2), [0])], remainder="passthrough"),
]
LEARNED = [
    StandardScaler(),
    PCA(2),
    Nystroem(n_components=5),
    RBFSampler(gamma="scale"),
    Scaled(),
    Recentred(),
    make_pipeline(Normalizer(), StandardScaler()),
    FeatureUnion([("conic", Conic()), ("scaled", StandardScaler())]),
    ColumnTransformer([("scaled", StandardScaler(), [0])], remainder="passthrough"),
    ColumnTransformer([("squares", Conic(), make_column_selector())], remainder=StandardScaler()),
]


@pytest.mark.parametrize("step", FIXED, ids=lambda step: type(step).__name__)
def test_bounds_are_kept(step):
    model = make_pipeline(step, SVM(tol=1e-8)).fit(X, y)
    page = certify(model, X, y)
    assert page.of_kind("SupportBound"), page.not_claimed
    assert page.verify(X, y)


@pytest.mark.parametrize("step", LEARNED, ids=lambda step: type(step).__name__)
def test_bounds_are_withdrawn_with_a_true_reason(step):
    model = make_pipeline(step, SVM(tol=1e-8))
    if isinstance(step, ColumnTransformer):
        pd = pytest.importorskip("pandas")
        A = pd.DataFrame(X, columns=["one", "two"])
    else:
        A = X
    page = certify(model.fit(A, y), A, y)
    assert not page.of_kind("SupportBound")
    (reason,) = {item.reason for item in page.not_claimed if item.name == "SupportBound"}
    assert "not known to have learned nothing from their values" in reason


@pytest.mark.parametrize("intercept", ["free", "lifted", "none"])
@pytest.mark.parametrize("C", [0.2, 5.0])
def test_a_map_and_its_kernel_are_one_function_with_one_bound(intercept, C):
    settings = {"C": C, "intercept": intercept, "tol": 1e-9}
    machines = (
        SVM(Polynomial(2), **settings),
        make_pipeline(Conic(), SVM(**settings)),
        make_pipeline(Monomials(2), SVM(**settings)),
        make_pipeline(explicit_map(Polynomial(2)), SVM(**settings)),
    )
    found = [certify(machine.fit(X, y), X, y).of_kind("SupportBound")[0] for machine in machines]
    assert len({claim.supports for claim in found}) == 1
    assert len({claim.bound for claim in found}) == 1


def test_a_given_seed_is_an_assumption():
    for state, remarks in ((0, 1), (None, 0)):
        model = make_pipeline(RandomFeatures(2.0, 20, random_state=state), SVM(tol=1e-8)).fit(X, y)
        page = certify(model, X, y)
        assert len(page.remarks) == remarks
        assert repr(page).count("random_state of 'randomfeatures' was chosen without") == remarks


def test_other_machines_keep_their_bounds():
    page = certify(make_pipeline(Conic(), Perceptron(epochs=5)).fit(X, y), X, y)
    assert page.of_kind("CompressionBound")
    search = GridSearchCV(make_pipeline(Conic(), SVM(tol=1e-8)), {"svm__C": [0.1, 1.0]}, cv=3)
    (claim,) = certify(search.fit(X, y), X, y).of_kind("SupportBound")
    assert claim.tried == 2


def test_categories_and_words_that_were_given():
    given = OneHotEncoder(categories=[["a", "b", "c"]])
    letters = np.array(["a", "b", "c", "a"])[:, None]
    assert is_fixed(given.fit(letters))
    assert not is_fixed(OneHotEncoder().fit(letters))
    grouped = OneHotEncoder(categories=[["a", "b", "c"]], min_frequency=2)
    assert not is_fixed(grouped.fit(letters))
    texts = ["one two", "two three"]
    assert is_fixed(CountVectorizer(vocabulary=["one", "two"]).fit(texts))
    assert not is_fixed(CountVectorizer().fit(texts))
    assert not is_fixed(TfidfVectorizer(vocabulary=["one", "two"]).fit(texts))
    assert not is_fixed(CountedFeatures(Spectrum(2)).fit(texts))
    assert not is_fixed(Untagged())


def test_batches_are_compared_up_to_rounding():
    wide = random.normal(size=(200, 30))
    labels = np.where(wide[:, 0] > 0, 1, 0)
    model = make_pipeline(RandomFeatures(40.0, 64, random_state=3), SVM(tol=1e-8))
    page = certify(model.fit(wide, labels), wide, labels)
    assert not any("depends on the others" in item.reason for item in page.not_claimed)


@pytest.mark.parametrize(
    "step",
    [Conic(), Monomials(3), GaussianTaylor(4.0), RandomFeatures(4.0, 40, random_state=0),
     StandardScaler()],
)  # fmt: skip
def test_images_of_a_coarse_table_are_no_copies(step):
    """Measurements to one decimal repeat; products and cosines of them look fine, and repeat too.
    Test rows that repeat some of the fit are counted."""
    draw = np.random.default_rng(3)
    X = np.round(draw.normal(5.0, 0.8, (400, 2)), 1)
    y = np.where(X[:, 0] + X[:, 1] > 10, "in", "out")
    pipeline = make_pipeline(step, SVM(intercept="none", C=10.0, tol=1e-6)).fit(X[:200], y[:200])
    page = certify(pipeline, X[:200], y[:200], X_test=X[200:], y_test=y[200:])
    assert page.test[0].examples == 200
    assert page.verify(X[:200], y[:200], X[200:], y[200:])
    assert not any("fine" in refusal.reason for refusal in page.not_claimed)


def test_products_that_were_made_by_hand_are_no_copies_either():
    draw = np.random.default_rng(3)
    X = np.round(draw.normal(5.0, 0.8, (400, 2)), 1)
    y = np.where(X[:, 0] * X[:, 1] > 25, "in", "out")
    made = Conic().fit_transform(X)
    page = certify(SVM(intercept="none", C=10.0, tol=1e-6).fit(made, y), made, y)
    (bound,) = page.risks
    assert bound.verify(made, y)
    levels = np.random.default_rng(35).integers(0, 3, (7, 2))
    originals = np.column_stack([levels, np.random.default_rng(5).normal(size=(7, 6))])
    copied = originals[draw.integers(0, 7, 400)]  # two columns of three levels tell them, by chance
    assert len(np.unique(levels, axis=0)) == 7
    y = np.where(copied[:, 2] > 0, "in", "out")
    page = certify(SVM(intercept="none", C=10.0, tol=1e-6).fit(copied, y), copied, y)
    assert not page.risks
