"""Votes of pairs: what they get wrong, by scores that are exact or rounded."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.certificates import Labels, TrainingErrors
from certo.certificates.errors.predictor import Predictor
from certo.certificates.errors.votes import KernelVotes, LinearVotes
from certo.certificates.sample.pairs import pairs_of
from certo.kernels import Gaussian, Linear


def voted(scores, classes, code, by_confidence):
    """1: right, 0: not said, -1: wrong, one example and one class after the other."""
    votes = [0] * classes
    for (i, j), score in zip(pairs_of(classes), scores, strict=True):
        votes[i if score > 0 else j] += 1
    best = [k for k in range(classes) if votes[k] == max(votes)]
    if by_confidence and len(best) > 1:
        return 0 if code in best else -1
    return 1 if code == best[0] else -1


@given(st.integers(3, 5), st.booleans(), st.integers(0, 2**32 - 1))
def test_whole_scores_are_voted_on_as_by_hand(classes, by_confidence, seed):
    random = np.random.default_rng(seed)
    pairs = len(pairs_of(classes))
    coef, intercept = random.integers(-2, 3, (pairs, 2)) * 1.0, random.integers(-1, 2, pairs) * 1.0
    X = random.integers(-2, 3, (12, 2)) * 1.0
    codes = random.integers(-1, classes, 12)
    found = LinearVotes(intercept, by_confidence, coef).wrong(X, codes)
    scores = X @ coef.T + intercept
    for t in range(12):
        stand = voted(scores[t], classes, codes[t], by_confidence) if codes[t] >= 0 else -1
        if np.all(scores[t] != 0):  # A score of 0 may be rounding.
            assert (bool(found.errors[t]), bool(found.ties[t])) == (stand < 1, stand == 0)
        elif not found.errors[t]:
            assert stand == 1
        elif not found.ties[t]:
            assert stand == -1


def test_what_is_near_0_is_open():
    """One score is nothing but rounding: 0.1 + 0.2 − 0.3."""
    X = np.array([[0.1, 0.2, 0.3]])
    coef = np.array([[1.0, 1.0, -1.0], [1.0, 0, 0], [1.0, 0, 0]])
    rule = LinearVotes(np.zeros(3), False, coef)
    for code, (error, tie) in enumerate([(True, True), (True, True), (True, False)]):
        found = rule.wrong(X, np.array([code]))
        assert (bool(found.errors[0]), bool(found.ties[0])) == (error, tie)


def test_multipliers_by_class_are_those_of_the_pairs():
    random = np.random.default_rng(0)
    vectors, codes = random.standard_normal((9, 2)), np.repeat([0, 1, 2], 3)
    dual_coef, intercept = random.standard_normal((2, 9)), random.standard_normal(3)
    linear = np.array([
        dual_coef[j - 1, codes == i] @ vectors[codes == i]
        + dual_coef[i, codes == j] @ vectors[codes == j]
        for i, j in pairs_of(3)
    ])  # fmt: skip
    X, y = random.standard_normal((50, 2)), random.integers(0, 3, 50)
    one = KernelVotes(intercept, False, Linear(), vectors, codes, dual_coef)
    other = LinearVotes(intercept, False, linear)
    for a, b in zip(one.wrong(X, y), other.wrong(X, y), strict=True):
        np.testing.assert_array_equal(a, b)


def rule(**changed):
    given = {
        "intercept": [0.5, 0.0, 1.0], "by_confidence": True, "kernel": Gaussian(1.0),
        "vectors": np.eye(3), "codes": [0, 1, 2], "dual_coef": np.ones((2, 3)),
    }  # fmt: skip
    return KernelVotes(**given | changed)


def test_json_and_back():
    for one in (rule(), LinearVotes(np.ones(3), False, np.eye(3))):
        assert Predictor.from_dict(one.to_dict()) == one
        assert one.outputs == 3


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"intercept": [0.0]}, "each pair of three classes"),
        ({"intercept": [0.0] * 4}, "each pair of three classes"),
        ({"codes": [0, 1]}, "a column for each vector"),
        ({"codes": [0, 1, 3]}, "places of classes"),
        ({"dual_coef": np.ones((3, 3))}, "a column for each vector"),
        ({"by_confidence": 1}, "True or False"),
    ],
)
def test_what_is_no_rule_is_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        rule(**changed)


def test_a_claim_needs_as_many_classes():
    votes = LinearVotes(np.zeros(3), False, np.eye(3))
    TrainingErrors(Labels(("a", "b", "c"), 2), votes, 1, 1, 1)
    with pytest.raises(ValueError, match="4 classes must have 4"):
        TrainingErrors(Labels(("a", "b", "c", "d"), 3), votes, 1, 1, 1)
