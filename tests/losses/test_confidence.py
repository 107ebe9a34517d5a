"""Intervals for the risk: against SciPy, by simulation, and their refusals; and −log p(y|x)."""

from __future__ import annotations

import copy
import json
import math
import pickle

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from certo import risk
from certo.losses import (
    EstimatedRisk,
    Hinge,
    Logistic,
    NegativeLogLikelihood,
    Squared,
    ZeroOne,
)

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(("errors", "m"), [(0, 1), (1, 1), (0, 30), (8, 100), (100, 100), (7, 9)])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_error_rates_have_the_exact_binomial_interval(errors, m, confidence):
    y = np.r_[np.ones(errors), -np.ones(m - errors)]
    found = risk(-np.ones(m), None, y, confidence=confidence)
    expected = stats.binomtest(errors, m).proportion_ci(confidence, method="exact")
    assert found == errors / m
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert found.method == "Clopper–Pearson"
    assert found.confidence == confidence


def covers(draw, truth, times=400):
    """How often the interval has the true risk in it."""
    rng = np.random.default_rng(1)
    return np.mean(
        [found.low <= truth <= found.high for found in (draw(rng) for _ in range(times))]
    )


@pytest.mark.slow
@pytest.mark.parametrize("m", [5, 60])
def test_intervals_cover_the_risk(m):
    def errors(rng):
        return risk(np.where(rng.random(m) < 0.1, -1.0, 1.0), None, np.ones(m), confidence=0.9)

    def errors_by_weight(rng):
        scores = np.where(rng.random(m) < 0.1, -1.0, 1.0)
        weights = np.arange(1, m + 1)
        return risk(scores, None, np.ones(m), sample_weight=weights, confidence=0.9)

    def bounded(rng):
        values = rng.random(m) ** 4  # E = 1/5
        return risk(
            np.sqrt(values), None, np.zeros(m), Squared(), confidence=0.9, loss_range=(0, 1)
        )

    def normal(rng):
        return risk(rng.normal(size=m), None, np.zeros(m), Squared(), confidence=0.9)

    assert covers(errors, 0.1) >= 0.9
    assert covers(errors_by_weight, 0.1) >= 0.9
    assert covers(bounded, 0.2) >= 0.9
    assert covers(normal, 1.0) == pytest.approx(0.9, abs=0.06) or m == 5, "an approximation"


def test_which_interval_is_taken():
    scores, y = RNG.normal(size=40), np.where(RNG.random(40) < 0.5, 1, -1)
    weights = RNG.integers(0, 3, 40)

    def method(loss, **how):
        return risk(scores, None, y, loss, confidence=0.95, **how).method

    assert method(ZeroOne()) == method(ZeroOne(), sample_weight=np.full(40, 0.3))
    assert method(ZeroOne(), sample_weight=weights) == "Hoeffding"
    assert method(Squared(), loss_range=(0, 50), sample_weight=weights) == "Hoeffding"
    assert method(Squared(), loss_range=(0, 50)) == "empirical Bernstein"
    assert method(Hinge()) == "normal approximation"
    assert method(Hinge(), sample_weight=weights) == "normal approximation"


def test_the_normal_interval_is_the_usual_one():
    X, y = RNG.normal(size=(50, 2)), RNG.normal(size=50)
    model = LinearRegression().fit(X, y)
    losses = (y - model.predict(X)) ** 2
    found = risk(model, X, y, Squared(), confidence=0.95)
    low, high = stats.norm.interval(0.95, losses.mean(), losses.std(ddof=1) / math.sqrt(50))
    assert (found, found.low, found.high) == pytest.approx((losses.mean(), low, high))


def test_more_confidence_and_fewer_examples_widen_it():
    wrong = np.tile([1.0, 1, 1, -1], 50)
    widths = [
        found.high - found.low
        for found in (
            risk(wrong, None, np.ones(200), confidence=0.5),
            risk(wrong, None, np.ones(200), confidence=0.9),
            risk(wrong[:40], None, np.ones(40), confidence=0.9),
        )
    ]
    assert widths == sorted(widths)


def test_few_and_infinite_losses():
    alone = risk([2.0], None, [1.0], Squared(), confidence=0.9)
    assert (alone.low, alone.high) == (0, math.inf)
    alone = risk([2.0], None, loss=NegativeLogLikelihood(), confidence=0.9)
    assert (alone.low, alone.high) == (-math.inf, math.inf)
    few = risk([0.0, 0.0, 9.0], None, [0.0, 0.0, 0.0], Squared(), confidence=0.99)
    assert few.low == 0 < few < few.high
    alone = risk([2.0], None, [1.0], Squared(), confidence=0.9, loss_range=(0, 4))
    assert (alone.low, alone.high) == (0, 4)
    endless = risk([-math.inf, 1], None, [1, 1], Logistic(), confidence=0.9)
    assert (endless, endless.low, endless.high) == (math.inf, math.inf, math.inf)


def test_it_is_a_float():
    found = risk([1.0, -1.0], None, [1, 1], confidence=0.95)
    assert isinstance(found, float)
    assert isinstance(found, EstimatedRisk)
    assert json.loads(json.dumps(found)) == 0.5
    assert f"{found:.2f}" == "0.50"
    assert str(found) == (
        "0.5 (0.01257 to 0.9875 at 95 %, Clopper–Pearson, if these examples had no part in the fit)"
    )
    for again in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert (again, again.low, again.method) == (found, found.low, found.method)
    assert type(risk([1.0, -1.0], None, [1, 1])) is float


REFUSALS = [
    ({"confidence": 1.0}, "between 0 and 1, such as 0.95, got 1.0"),
    ({"confidence": 95}, "such as 0.95, got 95"),
    ({"confidence": "0.9"}, "got '0.9'"),
    ({"confidence": math.nan}, "got nan"),
    ({"loss_range": (0, 9)}, "say with what confidence"),
    ({"confidence": 0.9, "loss_range": (0, 1)}, r"must lie in .*\(0, 1\), but .* from 1 to 4"),
    ({"confidence": 0.9, "loss_range": (0, math.inf)}, "must lie in"),
    ({"confidence": 0.9, "loss_range": 4}, r"must be two numbers, as in \(0, 1\), got 4"),
]


@pytest.mark.parametrize(("how", "message"), REFUSALS, ids=[m for _, m in REFUSALS])
def test_refusals(how, message):
    with pytest.raises(ValueError, match=message):
        risk([1.0, 2.0], None, [0, 0], Squared(), **how)


# --- −log p(y|x) ---

X = RNG.normal(size=(90, 3))
LETTERS = np.array(list("abc"))[np.arange(90) % 3]


@pytest.mark.parametrize(
    "machine", [LogisticRegression(), GaussianNB(), KNeighborsClassifier(20)], ids=str
)
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_against_sklearn(machine, classes):
    some = slice(None) if classes == 3 else LETTERS != "c"
    rows, y = X[some], LETTERS[some]
    model = machine.fit(rows, y)
    expected = log_loss(y, model.predict_proba(rows))
    assert risk(model, rows, y, Logistic()) == pytest.approx(expected, rel=1e-12)
    assert risk(model, rows, y, NegativeLogLikelihood()) == pytest.approx(expected, rel=1e-12)
    assert risk(model, rows, y, Logistic(base=2)) == pytest.approx(expected / math.log(2))


def test_probabilities_that_cannot_be_judged():
    model = LogisticRegression().fit(X, LETTERS)
    with pytest.raises(ValueError, match="labels 'd', but the predictor knows only 'a', 'b', 'c'"):
        risk(model, X, np.full(90, "d"), Logistic())
    with pytest.raises(ValueError, match=r"y has shape \(80,\) and the probabilities \(90, 3\)"):
        risk(model, X, LETTERS[:80], Logistic())
    with pytest.raises(ValueError, match="needs two classes"):
        risk(model, X, LETTERS, Hinge())
    sure = DummyClassifier(strategy="constant", constant="a").fit(X, LETTERS)
    for loss in (Logistic(), NegativeLogLikelihood()):
        assert risk(sure, X, LETTERS, loss) == math.inf  # without a warning
        assert risk(sure, X[:1], ["a"], loss, confidence=0.9).low == 0


@pytest.mark.parametrize("confidence", [0.9999999, 1 - 1e-12, 1 - 2.0**-53])
def test_repr_never_rounds_confidence_to_100_percent(confidence):
    said = repr(risk(["a"] * 50, None, ["a"] * 50, confidence=confidence))
    assert " 100 %" not in said
    assert " at 99.99999" in said
