"""The empirical risk against hand computations, against scikit-learn, and its refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import hinge_loss, log_loss, mean_squared_error, zero_one_loss
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from certo import risk
from certo.geometry import Hyperplane, Neuron
from certo.losses import Hinge, Logistic, NegativeLogLikelihood, Squared, ZeroOne

law = settings(max_examples=30, deadline=None)

X, CODES = make_classification(60, 4, flip_y=0.3, random_state=0)
NAMES = np.array(["no", "yes"])[CODES]
SIGNS = 2 * CODES - 1
WEIGHTS = np.random.default_rng(0).integers(0, 4, 60)


@pytest.fixture(scope="module")
def classifier():
    return make_pipeline(StandardScaler(), LogisticRegression()).fit(X, NAMES)


# --- by hand ---

SCORES, Y = np.array([2.0, 0.5, 0.0, -3.0]), np.array([+1, +1, -1, +1])
BY_HAND = [
    (ZeroOne(), (0 + 0 + 1 + 1) / 4),
    (Hinge(), (0 + 0.5 + 1 + 4) / 4),
    (Squared(), (1 + 0.25 + 1 + 16) / 4),
    (Logistic(), np.log1p(np.exp([-2.0, -0.5, 0.0, 3.0])).mean()),
    (Logistic(base=2), np.log2(1 + np.exp([-2.0, -0.5, 0.0, 3.0])).mean()),
    (NegativeLogLikelihood(), 0.5 / 4),
]


@pytest.mark.parametrize(("loss", "expected"), BY_HAND, ids=repr)
def test_scores_by_hand(loss, expected):
    assert risk(SCORES, None, Y, loss) == pytest.approx(expected, rel=1e-14)
    assert risk(lambda X: X[:, 0], SCORES[:, None], Y, loss) == risk(SCORES, None, Y, loss)
    assert risk(SCORES.tolist(), None, Y.tolist(), loss) == risk(SCORES, None, Y, loss)
    assert risk(SCORES.astype(np.float32), None, Y.astype(float), loss) == pytest.approx(expected)


def test_the_default_is_the_error_rate():
    assert risk(SCORES, None, Y) == 0.5
    assert risk([0.0], None, [+1]) == risk([0.0], None, [-1]) == 1.0


def test_labels_of_any_kind():
    assert risk(["a", "b", "c", "a"], None, ["a", "b", "a", "a"]) == 0.25
    assert risk([0, 2, 1], None, [0, 2, 2]) == pytest.approx(1 / 3)
    assert risk([0.0, 1.0, 1.0], None, [0.0, 0.0, 1.0]) == pytest.approx(1 / 3)
    y = np.array(["a", "b"], dtype=object)
    assert risk(y[::-1], None, y) == 1.0


def test_several_labels_are_right_together_and_several_outputs_are_summed():
    assert risk([[0, 1], [1, 1]], None, [[0, 1], [0, 1]]) == 0.5
    assert risk([[0.0, 1.0], [1.0, 1.0]], None, [[3.0, 1.0], [1.0, 0.0]], Squared()) == 5.0


def test_a_hyperplane_and_a_neuron():
    points, y = np.array([[0.0], [1.0], [3.0], [1.0]]), np.array([-1, +1, +1, -1])
    plane = Hyperplane([2.0], 2.0)  # scores −2, 0, 4, 0
    assert risk(plane, points, y) == 0.5
    assert risk(plane, points, y, Hinge()) == (0 + 1 + 0 + 1) / 4
    # a neuron answers at zero, so there one of the two is right; its score is the field
    assert risk(Neuron([2.0], -2.0), points, y) == 0.25
    assert risk(Neuron([2.0], -2.0, zero_sign=-1), points, y) == 0.25
    assert risk(Neuron([2.0], -2.0), points, y, Hinge()) == risk(plane, points, y, Hinge())
    assert risk(Neuron([2.0], -2.0), points, y, Squared()) == (1 + 1 + 9 + 1) / 4


# --- against scikit-learn ---


@pytest.mark.parametrize("weight", [None, WEIGHTS], ids=["plain", "weighted"])
def test_classifiers_against_sklearn(classifier, weight):
    score = classifier.decision_function(X)
    expected = {
        ZeroOne(): zero_one_loss(NAMES, classifier.predict(X), sample_weight=weight),
        Hinge(): hinge_loss(NAMES, score, sample_weight=weight),
        Logistic(): log_loss(NAMES, classifier.predict_proba(X), sample_weight=weight),
        Squared(): mean_squared_error(SIGNS, score, sample_weight=weight),
    }
    for loss, value in expected.items():
        assert risk(classifier, X, NAMES, loss, weight) == pytest.approx(value, rel=1e-12)
        if loss != ZeroOne():
            assert risk(score, None, SIGNS, loss, weight) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("weight", [None, WEIGHTS], ids=["plain", "weighted"])
def test_regression_and_density_against_sklearn(weight):
    target = X @ [1.0, 2.0, 3.0, 4.0] + CODES
    model = LinearRegression().fit(X, target)
    expected = mean_squared_error(target, model.predict(X), sample_weight=weight)
    assert risk(model, X, target, Squared(), weight) == pytest.approx(expected, rel=1e-12)
    density = GaussianMixture(2, random_state=0).fit(X)
    log_p = density.score_samples(X)
    expected = -np.average(log_p, weights=weight)
    loss = NegativeLogLikelihood()
    assert risk(density, X, None, loss, weight) == pytest.approx(expected, rel=1e-12)
    assert risk(density.score_samples, X, loss=loss, sample_weight=weight) == pytest.approx(
        expected, rel=1e-12
    )


def test_many_classes_under_the_zero_one_loss():
    y = np.array(["a", "b", "c"])[np.arange(60) % 3]
    model = KNeighborsClassifier(3).fit(X, y)
    assert risk(model, X, y) == pytest.approx(zero_one_loss(y, model.predict(X)))
    # labels that the sample happens not to show are still labels
    assert risk(model, X[:1], y[:1]) == float(model.predict(X[:1])[0] != y[0])


def test_a_regressor_is_judged_by_sign_when_passed_as_a_function():
    model = LinearRegression().fit(X, SIGNS)
    expected = np.mean(SIGNS * model.predict(X) <= 0)
    assert risk(model.predict, X, SIGNS) == expected
    with pytest.raises(ValueError, match=r"pass `model.predict` as a function"):
        risk(model, X, SIGNS)


# --- laws of the mean ---

scores = arrays(np.float64, 6, elements=st.floats(-10, 10))
weights = arrays(np.int64, 6, elements=st.integers(0, 3)).filter(lambda w: w.sum() > 0)


@pytest.mark.parametrize("loss", [loss for loss, _ in BY_HAND], ids=repr)
@law
@given(score=scores, weight=weights, factor=st.sampled_from([5e-324, 0.3, 5e307]))
def test_weights_are_repetitions_and_have_no_unit(loss, score, weight, factor):
    y = np.array([+1, -1] * 3)
    weighted = risk(score, None, y, loss, weight)
    repeated = risk(np.repeat(score, weight), None, np.repeat(y, weight), loss)
    assert weighted == pytest.approx(repeated, rel=1e-12, abs=1e-12)
    assert risk(score, None, y, loss, factor * weight) == pytest.approx(
        weighted, rel=1e-12, abs=1e-12
    )


def test_infinite_losses():
    assert risk([-math.inf, 1.0], None, [+1, +1], Logistic()) == math.inf
    assert risk([math.inf, math.inf], None, [+1, -1]) == 0.5
    assert risk([-math.inf, 1.0], None, [+1, +1], Hinge(), [0.0, 2.0]) == 0.0
    with pytest.raises(ValueError, match="mean is undefined"):
        risk([-math.inf, math.inf], None, None, NegativeLogLikelihood())


# --- refusals: what was required, what came, what to do ---

NLL = NegativeLogLikelihood()
REFUSALS = [
    (([1.0, 2.0], None, [1, 1, 1]), r"y has \(3,\) and the predictions \(2,\)"),
    (([1.0, 2.0], None, [[1], [1]]), r"y\.ravel\(\)"),
    (([1.0, math.nan], None, [1, 1]), r"scores must not be NaN, but that of example 1"),
    (([1.0, 1.0], None, [math.nan, 1.0], Squared()), "y must not be NaN"),
    (([], None, []), "empty sample"),
    (([], None, None, NLL), "empty sample"),
    (([1.0], None, None, Hinge()), "y is None"),
    (([1.0, 2.0], None, [0, 1], Hinge()), r"got the labels 0, 1\. .* pass 2\*y - 1"),
    (([1.0, 2.0], None, ["a", "b"], Logistic()), "got the labels 'a', 'b'"),
    (([0.3, 2.0], None, [0, 1]), "0.3 is not a label of y"),
    ((["a", "b"], None, [0, 1]), "labels must be of one kind"),
    (([True, False], None, [-1, 1]), "must be one number per example, got an array of bool"),
    (([1.0, 2.0], None, [1, 1], Hinge(), [1.0]), "1 weights came for 2 examples"),
    (([1.0, 2.0], None, [1, 1], Hinge(), [1.0, -1.0]), "they run from -1 to 1"),
    (([1.0, 2.0], None, [1, 1], Hinge(), [0.0, 0.0]), "positive sum"),
    (([1.0, 2.0], None, [1, 1], Hinge(), [1.0, math.inf]), "finite"),
    (([1.0, 2.0], None, [1, 1], Hinge(), [1.0, math.nan]), "sample_weight must not be NaN"),
    (([[1.0], [2.0]], None, [[1], [1]], Hinge()), r"of shape \(2, 1\)"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSALS, ids=[m for _, m in REFUSALS])
def test_refusals(arguments, message):
    with pytest.raises(ValueError, match=message):
        risk(*arguments)


def test_refusals_of_classifiers(classifier):
    three = LogisticRegression().fit(X, np.arange(60) % 3)
    with pytest.raises(ValueError, match=r"needs two classes, but the predictor has 3: 0, 1, 2"):
        risk(three, X, np.arange(60) % 3, Hinge())
    with pytest.raises(ValueError, match=r"labels -1, 1, but the predictor knows only 'no', 'yes'"):
        risk(classifier, X, np.arange(60) % 2 * 2 - 1, Hinge())
    with pytest.raises(ValueError, match="labels must be of one kind"):
        risk(classifier, X, SIGNS)
    neighbours = KNeighborsClassifier(3).fit(X, SIGNS)
    for loss in (Hinge(), Squared()):
        with pytest.raises(TypeError, match=r"needs a fitted predictor with .* is not one"):
            risk(neighbours, X, SIGNS, loss)
    with pytest.raises(TypeError, match="needs a fitted predictor"):
        risk(LogisticRegression, X, SIGNS)
    with pytest.raises(TypeError, match=r"such as Hinge\(\), got"):
        risk(classifier, X, NAMES, Hinge)
