"""Claims about several classes verify only if they are true."""

from __future__ import annotations

import copy
import functools
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo import separability
from certo.certificates import Certificate, ClassSeparability, Labels, Separable
from certo.certificates.separation.inseparable import Inseparable
from tests.oracles.rationals import CHANGES, dot, exact


def three_classes():
    X = np.array([[0.0, 0], [1, 0], [5, 5], [6, 5], [0, 9], [1, 9]])
    return X, np.array(["a", "a", "b", "b", "c", "c"])


# three blades, each apart from each other, but no three half-lines from one point between them
PINWHEEL = np.array([[-1.0, -1], [10, -1], [1, 0], [-4, 9], [0, 1], [-6, -8]])


@functools.cache
def jointly(twist):
    X, y = three_classes()
    return separability(PINWHEEL if twist else X, y).joint.to_dict()


def test_three_classes_can_be_apart_in_pairs_but_not_together():
    verdict = separability(PINWHEEL, list("aabbcc"))
    assert all(isinstance(claim, Separable) for claim in verdict.pairwise)
    assert isinstance(verdict.joint, Inseparable)
    assert verdict.verify(PINWHEEL, list("aabbcc"))
    X, y = three_classes()
    assert isinstance(separability(X, y).joint, Separable)


def joint_is_true(data, X, y):
    classes = data["labels"]["classes"]
    rows = [[Fraction(float(v)) for v in row] for row in X]
    codes = [classes.index(label) for label in y]
    if data["examples"] != len(y):
        return False
    if data["type"] == "Separable":
        W = [[exact(v) for v in w] for w in data["coef"]]
        b = [exact(v) for v in data["intercept"]]
        if len(W[0]) != X.shape[1]:
            return False
        for x, c in zip(rows, codes, strict=True):
            scores = [dot(w, x) + v for w, v in zip(W, b, strict=True)]
            least = scores[c] - max(score for k, score in enumerate(scores) if k != c)
            if least <= 0 or least < exact(data["functional_margin"]):
                return False
        return data["margin"] == 0
    lift = [Fraction(1)] * (data["intercept"] == "free")
    total = [[Fraction(0)] * (X.shape[1] + len(lift)) for _ in classes]
    for index, a in zip(data["vectors"], data["weights"], strict=True):
        t, k = divmod(index, len(classes))
        if t >= len(y) or codes[t] == k or data["features"] != X.shape[1]:
            return False
        for j, v in enumerate(rows[t] + lift):
            total[codes[t]][j] += exact(a) * v
            total[k][j] -= exact(a) * v
    return not any(v for row in total for v in row)


@settings(max_examples=60)
@given(st.booleans(), st.data())
def test_claims_about_several_classes_verify_only_if_true(twist, data):
    X, y = three_classes()
    X = PINWHEEL if twist else X
    plain = jointly(twist)
    assert joint_is_true(plain, X, y)
    plain = copy.deepcopy(plain)
    if data.draw(st.booleans()):
        k = data.draw(st.integers(0, len(plain["vectors" if twist else "coef"]) - 1))
        if twist:
            plain["vectors"][k] = data.draw(st.integers(0, 3 * 7))
        elif data.draw(st.booleans()):
            plain["coef"][k][0] += data.draw(CHANGES)
        else:
            name = data.draw(st.sampled_from(["functional_margin", "margin"]))
            plain[name] += data.draw(CHANGES)
    if data.draw(st.booleans()):
        t = data.draw(st.integers(0, len(y) - 1))
        y = y.copy()
        y[t] = data.draw(st.sampled_from("abc"))
    try:
        claim = Certificate.from_dict(json.loads(json.dumps(plain)))
    except ValueError:
        return
    assert bool(claim.verify(X, y)) <= joint_is_true(plain, X, y)


def test_the_verdicts_on_several_classes_must_be_all_there():
    X, y = three_classes()
    verdict = separability(X, y)
    assert verdict.verify(X, y)
    assert not verdict.verify(X, y[::-1])
    assert not verdict.verify(X[:3], y)
    plain = verdict.to_dict()
    swapped = plain | {"pairwise": plain["pairwise"][::-1]}
    for broken in (swapped, plain | {"joint": plain["pairwise"][0]}, plain | {"classes": ["a"]}):
        with pytest.raises(ValueError, match="verdict"):
            ClassSeparability.from_dict(broken)
    with pytest.raises(ValueError, match="exactly"):
        ClassSeparability.from_dict({"type": "ClassSeparability"})


def test_the_verdicts_on_several_classes_are_about_the_same_hyperplanes():
    X, y = np.array([[1.0], [2], [3], [4]]), np.array(list("abcb"))
    free, none = (separability(X, y, mode).to_dict() for mode in ("free", "none"))
    assert ClassSeparability.from_dict(free).intercept == "free"
    assert ClassSeparability.from_dict(none).intercept == "none"
    for part in ("one_against_rest", "pairwise", "joint"):
        for one, other in ((free, none), (none, free)):
            with pytest.raises(ValueError, match="through the origin"):
                ClassSeparability.from_dict(one | {part: other[part]})


def test_an_example_is_no_rival_of_its_own_class():
    """Where the allowance for rounding is infinite, all is decided exactly."""
    W = np.array([[1.0, 0], [0, 1], [-1, -1]])
    for length in (1e10, 1e308):
        claim = Separable(Labels((0, 1, 2), None), W * length, np.zeros(3), 3, 0.0, 0.0)
        assert claim.verify(W * 1e300, [0, 1, 2])
        assert not claim.verify(W * 1e300, [0, 2, 1])
