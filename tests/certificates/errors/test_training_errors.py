"""Errors counted, and attempts to make the count say more."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import sparse

from certo.certificates import (
    CannotClaim,
    Certificate,
    Composite,
    Labels,
    LinearPredictor,
    StatedPredictions,
    TestErrors,
    TrainingErrors,
)
from certo.certificates.sample.examples import SampleMismatch
from certo.issue.errors import issue_test_errors, issue_training_errors
from certo.numbers.decimals import rounded_down, rounded_up
from certo.words.phrases import no_better
from certo.words.risk import percentage

CLASSES = ("ash", "elm", "oak")


def problem(classes=3, m=60, seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, 2))
    coef = random.standard_normal((classes if classes > 2 else 1, 2))
    y = np.array(CLASSES)[random.integers(0, classes, m)]
    return X, y, LinearPredictor(coef, np.zeros(len(coef)))


def naive(X, y, rule, classes) -> int:
    scores = X @ rule.coef.T + rule.intercept
    codes = np.argmax(scores, axis=1) if classes > 2 else (scores[:, 0] > 0).astype(int)
    return int(np.count_nonzero(np.array(CLASSES)[codes] != y))


@pytest.mark.parametrize("classes", [2, 3])
def test_errors_are_counted_and_survive_json(classes):
    X, y, rule = problem(classes)
    for kind in (TrainingErrors, TestErrors):
        issue = {TestErrors: issue_test_errors, TrainingErrors: issue_training_errors}[kind]
        claim = issue(X, y, CLASSES[:classes], rule)
        assert claim.errors == claim.surely == naive(X, y, rule, classes)
        again = Certificate.from_dict(json.loads(json.dumps(claim.to_dict())))
        assert again == claim
        for points in (X, sparse.csr_array(X), np.asfortranarray(X)):
            assert again.verify(points, list(y))
        assert not claim.verify(X[::-1], y)
        assert not claim.verify(X[:, ::-1], y)
        assert not claim.verify(-X, y)
        assert not claim.verify(X[1:], y[1:])
        assert not claim.verify(X[1:], y)
        assert not claim.verify(X[:, :1], y)
        assert "not one of the classes" in claim.verify(X, np.full(len(X), "yew")).why
        assert "table of numbers" in claim.verify([[1.0], [2.0, 3.0]], y).why
        assert "wrong" in claim.plain
        assert "%" not in claim.claim
    both = Composite((issue_training_errors(X, y, CLASSES[:classes], rule), claim))
    assert both.verify(X, y)


def test_ties_may_be_either():
    X, y = np.array([[1.0, -1.0], [1.0, 1.0], [2.0, 2.0], [0.5, 3.0]]), np.array([1, 1, 0, 1])
    rule = LinearPredictor([[1.0, -1.0]], [0.0])  # right, two ties, wrong
    claim = issue_test_errors(X, y, (0, 1), rule, 0.1)
    assert (claim.errors, claim.ties, claim.surely) == (3, 2, 1)
    assert (
        claim.lower
        == issue_test_errors(None, y, (0, 1), StatedPredictions([1, 1, 0, 0]), 0.1).lower
    )
    assert (
        claim.upper
        == issue_test_errors(None, y, (0, 1), StatedPredictions([1, 0, 1, 0]), 0.1).upper
    )
    assert "from 1 to 3 of 4" in claim.claim
    assert claim.verify(X, y)
    weaker = Certificate.from_dict(claim.to_dict() | {"errors": 4, "ties": 3, "upper": 1.0})
    assert weaker.verify(X, y)  # at least 1, at most 4: true
    for false in ({"errors": 2, "ties": 1}, {"ties": 1}, {"ties": 0}, {"errors": 4}):
        assert not Certificate.from_dict(claim.to_dict() | false).verify(X, y)
    nothing = LinearPredictor(np.zeros((3, 2)), np.zeros(3))
    claim = issue_test_errors(X, y, (0, 1, 2), nothing)
    assert (claim.errors, claim.ties, claim.interval) == (4, 4, (0.0, 1.0))
    assert claim.vacuous


def test_hostile_fields_are_refused():
    X, y, rule = problem(2)
    written = issue_test_errors(X, y, CLASSES[:2], rule).to_dict()
    for change in (
        {"errors": 61}, {"errors": -1}, {"ties": 40}, {"ties": -1}, {"examples": 0},
        {"lower": 0.9, "upper": 0.1}, {"upper": 1.5}, {"lower": -0.5}, {"delta": 0.0},
        {"unknown": -1}, {"unknown": 60},
        {"delta": 1.0}, {"errors": 1.5}, {"predictor": {}}, {"predictor": 3},
        {"labels": {"classes": ["ash", "elm"], "positive": 0, "column": None}},
        {"labels": {"classes": list(CLASSES), "positive": 2, "column": None}},
        {"labels": {"classes": list(CLASSES), "positive": 2, "column": 0}},
        {"predictor": LinearPredictor(np.ones((2, 2)), np.ones(2)).to_dict()},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r".+"):
            Certificate.from_dict(written | change)
    with pytest.raises(ValueError, match="must be a rule"):
        TrainingErrors(Labels((0, 1)), None, 1, 0, 0)
    with pytest.raises(CannotClaim, match="at least two classes"):
        issue_training_errors(X, y, ("ash",), rule)
    with pytest.raises(SampleMismatch, match="60 examples, but y has 59"):
        issue_training_errors(X, y[1:], CLASSES[:2], rule)
    with pytest.raises(CannotClaim, match="2 features"):
        issue_training_errors(X[:, :1], y, CLASSES[:2], rule)


def test_plain_words():
    def said(errors, ties, examples=60):
        rule = StatedPredictions(np.zeros(examples, int))
        return TrainingErrors(Labels((0, 1)), rule, examples, errors, ties).plain

    assert said(41, 0) == "On the 60 training examples, the stated answers are wrong 41 times."
    assert said(0, 0) == "On the 60 training examples, the stated answers are never wrong."
    assert said(41, 3).endswith("are wrong 38 to 41 times (3 too close to call).")
    X, y, rule = problem(2)
    claim = issue_test_errors(X, y, CLASSES[:2], rule, 0.05 / 3)
    assert claim.plain.startswith("On the 60 test examples, the rule is wrong ")
    assert ". With 98.33 % confidence, the error rate on new data from the same " in claim.plain
    assert no_better("coefficients", 3, 2.0**-6).endswith("3 examples, by more than 1.6 %.")
    assert no_better("coefficients", 3, 1.0).startswith("Nothing is proved about how much lower")


def test_words_are_rounded_to_the_weak_side():

    assert percentage(0.12341, rounded_up) == "12.4"
    assert percentage(0.12349, rounded_down) == "12.3"
    assert (
        "independent draws" in issue_test_errors(*problem(2)[:2], CLASSES[:2], problem(2)[2]).claim
    )


def test_stated_answers_are_classes():
    # −1 is the place of a label that is none of the classes: an answer −1 would be right there.
    with pytest.raises(ValueError, match="answers must be places of classes"):
        StatedPredictions(np.array([0, 1, -1]))
    y = ["ash"] * 40 + ["elm"] * 40 + ["yew"] * 20
    answers = np.array([0] * 40 + [1] * 20 + [0] * 40)
    claim = issue_test_errors(None, y, CLASSES[:2], StatedPredictions(answers))
    assert (claim.errors, claim.unknown) == (40, 20)
    data = claim.to_dict()
    data["predictor"]["answers"] = [0] * 40 + [1] * 20 + [0] * 20 + [-1] * 20
    with pytest.raises(ValueError, match="answers must be places of classes"):
        Certificate.from_dict(data)
