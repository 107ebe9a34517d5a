"""One page about any model: what is on it holds, what is not has a reason, nothing false passes."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import linear_model, svm, tree
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, StandardScaler, scale

from certo import (
    SVM,
    GaussianDensity,
    HardMarginSVM,
    KernelPerceptron,
    LeastSquares,
    LogisticRegression,
    MinDisagreement,
    OnlineGradientDescent,
    Pegasos,
    Perceptron,
    bounds,
    certify,
)
from certo.certificates import Certified, RiskBound
from certo.kernels import Gaussian, Linear
from certo.losses import Hinge
from certo.words.dispatch import words_of

random = np.random.default_rng(5)
X = random.normal(size=(120, 3))
noisy = np.where(X[:, 0] + 0.2 * random.normal(size=120) > 0, "up", "low")
apart = np.where(X[:, 0] > 0, "up", "low")
X_apart = X + 0.3 * np.outer(np.sign(X[:, 0]), [1, 0, 0])
three = np.array(["a", "b", "c"])[np.digitize(X[:, 1], [-0.4, 0.4])]
height = X @ [1.0, 2.0, 0.0] + random.normal(size=120)
X_test = random.normal(size=(80, 3))
noisy_test = np.where(X_test[:, 0] > 0, "up", "low")

MODELS = {
    "perceptron": (Perceptron(epochs=20), X, noisy),
    "one pass": (Perceptron(epochs=1), X, noisy),
    "averaged": (Perceptron(epochs=2, average=True), X, noisy),
    "layer": (Perceptron(epochs=5), X, three),
    "kernel perceptron": (KernelPerceptron(Gaussian(2.0), epochs=2), X, noisy),
    "hard margin": (HardMarginSVM(), X_apart, apart),
    "svm": (SVM(intercept="none", tol=1e-8), X, noisy),
    "svm of classes": (SVM(tol=1e-8), X, three),
    "kernel svm": (SVM(Gaussian(2.0), tol=1e-8, intercept="none"), X, noisy),
    "pegasos": (Pegasos(max_iter=500, random_state=0), X, noisy),
    "online": (OnlineGradientDescent(lam=0.1), X, noisy),
    "fewest errors": (MinDisagreement(time_limit=10), X[:30], noisy[:30]),
    "logistic": (LogisticRegression(), X, noisy),
    "least squares": (LeastSquares(), X, height),
    "gaussian": (GaussianDensity(), X, None),
    "scikit-learn's SVC": (svm.SVC(C=2.0, gamma=0.5, tol=1e-8), X, noisy),
    "scikit-learn's LinearSVC": (svm.LinearSVC(), X, noisy),
    "scikit-learn's logistic": (linear_model.LogisticRegression(), X, three),
    "scikit-learn's ridge": (linear_model.Ridge(), X, height),
    "scikit-learn's regression": (linear_model.LinearRegression(), X, height),
    "a tree": (tree.DecisionTreeClassifier(max_depth=2), X, noisy),
}


@pytest.fixture(scope="module")
def pages():
    found = {}
    for name, (model, A, y) in MODELS.items():
        fitted = model.fit(A) if y is None else model.fit(A, y)
        given = (X_test, noisy_test) if y is noisy else (None, None)
        found[name] = certify(fitted, A, y, X_test=given[0], y_test=given[1]), A, y, *given
    return found


@pytest.mark.parametrize("name", MODELS)
def test_every_page_holds_and_says_what_it_does_not_claim(pages, name):
    page, A, y, *test = pages[name]
    assert len(page)
    verdict = page.verify(A, y, *test)
    assert verdict, verdict
    assert all(refusal.reason.endswith(".") for refusal in page.not_claimed), page.not_claimed
    assert all(claim.plain and claim.rigour != ("", "", "") for claim in page)
    assert page.model in repr(page)
    assert "<ul" in page._repr_html_()
    again = Certified.from_dict(json.loads(json.dumps(page.to_dict())))
    assert again == page
    assert again.to_dict() == page.to_dict()


@pytest.mark.parametrize("name", MODELS)
def test_other_labels_are_noticed(pages, name):
    page, A, y, *test = pages[name]
    other = A[::-1] if y is None else A
    changed = y if y is None else np.roll(y, 7)
    assert not page.verify(other if y is None else A, changed, *test) or y is None


EXPECTED = {
    "perceptron": {"MistakeBound", "TrainingErrors", "CompressionBound", "TestErrors"},
    "one pass": {"CompressionBound"},
    "averaged": {"MistakeBound", "CompressionBound", "TrainingErrors", "TestErrors"},
    "layer": {"CompressionBound"},
    "kernel perceptron": {"MistakeBound", "CompressionBound"},
    "hard margin": {"MaximumMargin", "Separable", "SupportBound"},
    "svm": {"SoftMarginGap", "SupportBound", "TestErrors"},
    "svm of classes": {"SoftMarginGap", "SupportBound"},
    "kernel svm": {"SoftMarginGap", "SupportBound"},
    "pegasos": {"ExpectedExcess"},
    "online": {"Regret", "AverageToBatch"},
    "fewest errors": {"ErrorCount"},
    "logistic": {"LogisticExcess", "TestErrors"},
    "least squares": {"LeastSquaresExcess"},
    "gaussian": {"GaussianLikelihood"},
    "scikit-learn's SVC": {"SoftMarginGap", "SupportBound", "TestErrors"},
    "scikit-learn's LinearSVC": {"TrainingErrors", "TestErrors"},
    "scikit-learn's logistic": {"LogisticExcess", "TrainingErrors"},
    "scikit-learn's ridge": {"LeastSquaresExcess"},
    "scikit-learn's regression": {"LeastSquaresExcess"},
    "a tree": {"TrainingErrors", "TestErrors"},
}


@pytest.mark.parametrize("name", EXPECTED)
def test_what_can_be_proved_is_claimed(pages, name):
    assert {claim.name for claim in pages[name][0]} >= EXPECTED[name]


def test_a_layer_has_a_bound_for_its_predictions_beside_those_of_its_outputs(pages):
    bounds = pages["layer"][0].of_kind("CompressionBound")
    assert [claim.scheme.outputs for claim in bounds if claim.of_predictions] == [3]


def test_the_sharpest_bound_pays_for_being_chosen(pages):
    page = pages["svm"][0]
    chosen = page.best
    rivals = [claim for claim in page.risks if claim.of_predictions]
    assert chosen.among == len(rivals) == 2
    assert chosen.claim.delta == page.delta / 2
    assert chosen.claim.best == min(claim.at(page.delta / 2).best for claim in rivals)
    first, second = repr(page).splitlines()[1:3]
    assert first.strip().startswith("With 95 % confidence, the error rate on new data from the ")
    assert first.endswith(" % (TestErrors, from the test examples).")
    assert "chosen among 2 after seeing" in second


def test_errors_are_those_of_predict_too():
    """Scores of several outputs that are level but for rounding."""
    random = np.random.default_rng(5)
    codes, A = random.integers(0, 5, 60), random.normal(size=(60, 2))
    A[:, 0] += codes
    model = SVM().fit(A, codes)
    (claim,) = certify(model, A, codes).of_kind("TrainingErrors")
    assert claim.surely <= np.count_nonzero(model.predict(A) != codes) <= claim.errors
    assert "whether computed exactly or in float64" in claim.claim


def test_delta_is_the_users():
    model = SVM(intercept="none", tol=1e-8).fit(X, noisy)
    loose, strict = (certify(model, X, noisy, delta=delta) for delta in (0.2, 0.01))
    (claim,) = strict.of_kind("SupportBound")
    assert claim.best > loose.of_kind("SupportBound")[0].best
    assert claim.bounds["Campi–Garatti"] == bounds.campi_garatti(120, claim.supports, 0.01)


@pytest.mark.parametrize("delta", [5e-324, 1e-301, 0.0, 1.0, -1])
def test_a_delta_that_cannot_be_shared_is_refused(delta):
    with pytest.raises(ValueError, match="delta must be a number from 1e-300 to below 1"):
        certify(SVM().fit(X, noisy), X, noisy, delta=delta)


@pytest.mark.parametrize("delta", [1e-300, 1 - 2.0**-53])
def test_extreme_deltas(delta):
    page = certify(SVM(tol=1e-8).fit(X, noisy), X, noisy, delta=delta, X_test=-X, y_test=noisy)
    assert "100 % confidence" not in " ".join(page.in_words())
    assert page.verify(X, noisy, -X, noisy)


def test_steps_fitted_to_the_examples_forbid_bounds_and_others_do_not():
    spoilt = make_pipeline(StandardScaler(), SVM(tol=1e-8)).fit(X, noisy)
    page = certify(spoilt, X, noisy, X_test=X_test, y_test=noisy_test)
    assert page.verify(X, noisy, X_test, noisy_test)
    assert [type(claim).__name__ for claim in page.risks] == ["TestErrors"]
    assert any("standardscaler" in refusal.reason for refusal in page.not_claimed)
    clean = make_pipeline(Normalizer(), SVM(tol=1e-8)).fit(X, noisy)
    page = certify(clean, X, noisy)
    assert page.of_kind("SupportBound")
    assert page.verify(X, noisy)


def test_a_search_over_settings_is_paid_for():
    search = GridSearchCV(SVM(tol=1e-8, intercept="none"), {"C": [0.1, 1, 10, 100]}, cv=3)
    page = certify(search.fit(X, noisy), X, noisy)
    assert page.model == f"{search.best_estimator_!r}, the best of 4 settings of GridSearchCV"
    (claim,) = page.of_kind("SupportBound")
    assert (claim.delta, claim.tried) == (0.05, 4)
    assert claim.bound == bounds.campi_garatti(120, claim.supports, 0.05 / 4)
    assert any("4 settings" in text for text in page.assumes)
    assert "4 settings" in claim.claim
    assert page.verify(X, noisy)
    data = page.to_dict()
    for forged in data["claims"]["claims"]:
        forged |= {"tried": 1} if "tried" in forged else {}
    with pytest.raises(ValueError, match="corrected for 4"):
        Certified.from_dict(data)


def test_a_choice_by_hand_is_paid_for_where_it_is_said():
    grid = {"C": [0.1, 1, 10, 100]}
    search = GridSearchCV(SVM(tol=1e-8, intercept="none"), grid, cv=3).fit(X, noisy)
    paid = certify(search, X, noisy).of_kind("SupportBound")
    best = search.best_estimator_
    assert certify(best, X, noisy, tried=4).of_kind("SupportBound") == paid
    (twice,) = certify(search, X, noisy, tried=np.int64(3)).of_kind("SupportBound")
    assert twice.tried == 12
    page = certify(best, X, noisy, tried="data", X_test=X_test, y_test=noisy_test)
    assert not page.of_kind("SupportBound")
    assert any("tried='data'" in refusal.reason for refusal in page.not_claimed)
    assert page.of_kind("TestErrors")[0].tried == 1
    for unusable in (0, 2.0, True, "4", None, 10**9 + 1):
        with pytest.raises(ValueError, match="tried must be an integer from 1 to"):
            certify(best, X, noisy, tried=unusable)


def test_bounds_that_were_not_found_are_paid_for():
    y = np.where(random.random(120) > 0.5, "up", "low")  # updates on more than half of them
    page = certify(Perceptron(epochs=20).fit(X, y), X, y, X_test=X_test, y_test=noisy_test)
    assert not page.of_kind("CompressionBound")
    assert page.best is None or page.best.among == 2


@pytest.mark.parametrize("classes", [3, 4])
def test_a_rule_is_only_claimed_if_the_model_follows_it(classes):
    """Rows of coef_ are pairs of classes here, and three of each."""
    centres = 10 * np.eye(4)[:classes, :2] + [[0, 0], [1, 0], [5, 5], [9, 9]][:classes]
    A = np.repeat(centres, 20, axis=0) + random.normal(size=(20 * classes, 2))
    y = np.repeat(np.arange(classes), 20)
    model = svm.SVC(kernel="linear").fit(A, y)
    (claim,) = certify(model, A, y).of_kind("TrainingErrors")
    assert claim.errors == np.count_nonzero(model.predict(A) != y)


def test_steps_that_look_at_the_batch_forbid_bounds():
    model = make_pipeline(FunctionTransformer(scale), SVM(tol=1e-8)).fit(X, noisy)
    page = certify(model, X, noisy)
    assert not page.of_kind("SupportBound")
    assert any("depends on the others" in refusal.reason for refusal in page.not_claimed)


def test_a_model_that_was_changed_by_hand_is_refused():
    model = SVM(tol=1e-8).fit(X, noisy)
    model.intercept_ = model.intercept_ + 100
    with pytest.raises(ValueError, match="changed after its fit"):
        certify(model, X, noisy)


def test_shapes_are_refused_in_words():
    rival = linear_model.LogisticRegression().fit(X, noisy)
    with pytest.raises(ValueError, match="label for each"):
        certify(rival, X, noisy[:5])
    with pytest.raises(ValueError, match="3 features"):
        certify(rival, X[:, :2], noisy)
    with pytest.raises(ValueError, match="refit=False"):
        certify(GridSearchCV(SVM(), {"C": [1]}, refit=False, cv=2).fit(X, noisy), X, noisy)


def test_test_examples_are_kept_apart(pages):
    data = pages["svm"][0].to_dict()
    moved = data["claims"] | {"claims": data["claims"]["claims"] + data["test"]["claims"]}
    with pytest.raises(ValueError, match="about test examples"):
        Certified.from_dict(data | {"claims": moved})
    with pytest.raises(ValueError, match="only be TestErrors"):
        Certified.from_dict(data | {"test": data["claims"]})


def test_names_of_columns_are_checked():
    frame = pd.DataFrame(X, columns=["one", "two", "three"])
    model = SVM(tol=1e-8).fit(frame, noisy)
    page = certify(model, frame, noisy)
    assert page.verify(frame, noisy)
    shuffled = frame[["two", "one", "three"]]
    assert "another order" in page.verify(shuffled, noisy).parts[0].why
    assert "missing" in page.verify(frame.rename(columns={"two": "2"}), noisy).parts[0].why
    with pytest.raises(ValueError, match="order"):
        certify(model, shuffled, noisy)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix, np.asfortranarray])
def test_the_form_of_the_numbers_does_not_matter(pages, form):
    page = pages["svm"][0]
    assert page.verify(form(X), noisy, form(X_test), noisy_test)


def test_float32():
    A = X.astype(np.float32)
    page = certify(SVM(tol=1e-6).fit(A, noisy), A, noisy)
    assert page.verify(A, noisy)
    assert page.verify(A.astype(np.float64), noisy)


def test_what_cannot_be_certified_is_refused():
    model = SVM().fit(X, noisy)
    with pytest.raises(NotFittedError):
        certify(SVM(), X, noisy)
    with pytest.raises(TypeError, match="fitted estimator"):
        certify("SVM", X, noisy)
    for delta in (0, 1, -1, np.nan, "0.05", True):
        with pytest.raises(ValueError, match="delta"):
            certify(model, X, noisy, delta=delta)
    with pytest.raises(ValueError, match="both X_test and y_test"):
        certify(model, X, noisy, X_test=X_test)
    with pytest.raises(ValueError, match="very examples of the fit"):
        certify(model, X_test, noisy_test)
    for wrong in (np.full((80, 3), np.nan), X_test[:, :2], X_test[:7], X_test[0], [["a"]] * 80):
        with pytest.raises(ValueError, match=r"X_test (must|holds)"):
            certify(model, X, noisy, X_test=wrong, y_test=noisy_test)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, np.float32, pd.DataFrame])
def test_test_examples_that_are_examples_of_the_fit(form):
    A = X.astype(np.float32)
    model = SVM().fit(form(A), noisy)
    page = certify(model, form(A), noisy, X_test=form(A[:50]), y_test=noisy[:50])
    assert not page.test.claims
    assert page.test.not_claimed[0].reason == "all test rows are training rows."
    more = np.append(A[:50], -A[:50], axis=0), np.append(noisy[:50], noisy[:50])
    page = certify(model, form(A), noisy, X_test=form(more[0]), y_test=more[1])
    (remark,) = page.remarks
    assert remark == "50 of the 100 test rows are training rows: they are not counted."
    assert page.test[0].examples == 50
    verdict = page.verify(form(A), noisy, form(more[0]), more[1])
    assert verdict
    assert verdict.parts[-1].why.endswith(remark)
    assert remark in repr(page)
    assert remark in page._repr_html_()
    assert Certified.from_dict(json.loads(json.dumps(page.to_dict()))).remarks == (remark,)
    other = np.where(noisy == "up", "low", "up")  # the same features with other labels
    page = certify(model, form(A), noisy, X_test=form(A), y_test=other)
    assert page.test.not_claimed[0].reason == "all test rows are training rows."


def test_labels_that_the_rule_does_not_know_are_errors():
    model, labels = SVM().fit(X, noisy), noisy_test.astype(object)
    labels[:2] = "sideways"
    page = certify(model, X, noisy, X_test=X_test, y_test=labels)
    (claim,) = page.test
    assert claim.errors == np.count_nonzero(model.predict(X_test) != labels)
    assert "2 of them have labels that the rule does not know" in claim.claim
    assert page.verify(X, noisy, X_test, labels)
    known = page.verify(X, noisy, X_test, noisy_test)
    assert known.why.startswith("1 of 4 claims does not hold: TestErrors: 0 labels of y")
    strange = certify(model, X, noisy, X_test=X_test, y_test=np.zeros(80, int))
    assert "no label" in strange.test.not_claimed[0].reason
    labels[3] = None
    with pytest.raises(ValueError, match=r"X_test must.*None"):
        certify(model, X, noisy, X_test=X_test, y_test=labels)


def test_a_page_without_its_test_examples(pages):
    page, A, y, *_ = pages["svm"]
    verdict = page.verify(A, y)
    assert not verdict
    assert verdict.why == (
        "1 of 4 claims could not be checked: it is about test examples, give X_test and y_test."
    )
    assert page[0].name == "SoftMarginGap"
    assert page[-1].name == "TestErrors"
    assert any(claim.vacuous for found, *_ in pages.values() for claim in found.risks)
    for found, *_ in pages.values():
        weak = sum(not claim.informative for claim in found)
        assert repr(found).count("○") == found._repr_html_().count("○") == weak


def test_a_page_is_no_stronger_than_its_claims(pages):
    page, A, y, *test = pages["svm"]
    assert not page.verify(A, y)  # without test examples
    data = page.to_dict()
    for claim in data["claims"]["claims"]:
        for name, value in claim.items():
            if name in ("bound", "tail", "preference", "upper"):
                forged = Certified.from_dict(
                    {**data, "claims": {**data["claims"], "claims": [{**claim, name: value / 2}]}}
                )
                assert not forged.verify(A, y, *test)


@pytest.mark.parametrize(
    "change",
    [
        {"delta": 2},
        {"tried": 0},
        {"columns": "abc"},
        {"model": 3},
        {"claims": []},
        {"remarks": [1]},
        {"more": 1},
    ],
)
def test_hostile_pages(pages, change):
    with pytest.raises(ValueError):  # noqa: PT011
        Certified.from_dict(pages["svm"][0].to_dict() | change)


def test_risks_are_bounds(pages):
    for page, *_ in pages.values():
        for claim in page.risks:
            assert isinstance(claim, RiskBound)
            values = list(claim.bounds.values())
            assert values == sorted(values, reverse=True), claim
            assert claim.best >= getattr(claim, "errors", 0) / claim.examples or claim.vacuous


@pytest.mark.parametrize("y", [np.array([0, 1] * 4), np.array([0, 1, 2, 0, 1, 2, 0, 1])])
@pytest.mark.parametrize(
    "machine",
    [
        SVM(intercept="none"),
        SVM(),
        SVM(kernel=Linear(), intercept="none"),
        Perceptron(intercept="none", epochs=3),
        Pegasos(lam=0.1, max_iter=20, intercept="none", random_state=0),
        OnlineGradientDescent(intercept="none"),
        KernelPerceptron(Linear()),
        LeastSquares(intercept="none"),
        LeastSquares(),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore")
def test_rows_of_zeros(machine, y):
    X, y = np.zeros((8, 2)), y.astype(float) if isinstance(machine, LeastSquares) else y
    machine = clone(machine).fit(X, y)
    assert machine.certificate_.verify(X, y) or not len(machine.certificate_)
    assert certify(machine, X, y).verify(X, y)


def test_what_has_no_tags_is_refused_in_words():
    class Bare:
        def fit(self, X, y):
            self.fitted_ = True
            return self

        def predict(self, X):
            return np.zeros(len(X))

    X, y = np.eye(4), np.array([0, 1, 0, 1])
    for model in (Bare(), make_pipeline(Bare())):
        with pytest.raises(TypeError, match="follows scikit-learn's conventions"):
            certify(model.fit(X, y), X, y)


def test_the_first_sentence_has_the_condition_of_its_claim():
    Z = np.random.default_rng(0).uniform(-1, 1, (4000, 2))
    y = (Z[:, 0] > 0).astype(int)
    page = certify(OnlineGradientDescent(loss=Hinge(), lam=0, radius=2.0).fit(Z, y), Z, y)
    assert page.best.claim.name == "AverageToBatch"
    condition = words_of(page.best.claim).condition
    assert condition in page.in_words()[0]
    assert condition in page.best.claim.plain
