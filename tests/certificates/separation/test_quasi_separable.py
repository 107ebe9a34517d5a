"""Quasi-separation of several classes under attack: what is not true does not verify."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from certo import quasi_separability
from certo.certificates import Certificate, Overlapping, QuasiSeparable

PARTLY = (
    np.array([[0, 0], [1, 0], [0, 1], [1, 1], [0, 0], [2, 1], [3, 0]], dtype=float),
    list("abcabcc"),
)
MIXED = (np.repeat([[0.0, 0.0], [3.0, 1.0], [0.0, 2.0]], 3, axis=0), list("abcabcabc"))


def truth(X, y, mode):
    """(the comparisons that some direction wins while it loses none), by HiGHS."""
    classes = "abc"
    lift = np.c_[X, np.ones((len(X), int(mode == "free")))]
    pairs = [(t, k) for t in range(len(y)) for k in range(3) if classes[k] != y[t]]
    Z = np.zeros((len(pairs), 3, lift.shape[1]))
    for z, (t, k) in zip(Z, pairs, strict=True):
        z[classes.index(y[t])] += lift[t]
        z[k] -= lift[t]
    Z = Z.reshape(len(pairs), -1)
    n, size = Z.shape
    found = linprog(
        np.append(np.zeros(size), -np.ones(n)),
        A_ub=np.hstack([-Z, np.eye(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1e5, 1e5)] * size + [(0, 1)] * n,
    )
    return {3 * t + k for (t, k), s in zip(pairs, found.x[size:], strict=True) if s > 0.5}


def is_true(plain, X, y):
    """Whether the claim holds of these data, whatever its proof."""
    if plain["examples"] != len(y) or plain["features"] != X.shape[1]:
        return False
    best = truth(X, y, plain["intercept"])
    if plain["type"] == "Overlapping":
        return not best
    if set(plain["won"]) != best or not best:
        return False
    u = [[Fraction(*(int(n, 16) for n in v.split("/"))) for v in row] for row in plain["direction"]]
    for t, k in itertools.product(range(len(y)), range(3)):
        own = "abc".index(y[t])
        x = [Fraction(float(v)) for v in X[t]] + [Fraction(1)] * (plain["intercept"] == "free")
        value = sum((a - b) * v for a, b, v in zip(u[own], u[k], x, strict=True))
        if value < 0 or (value > 0) != (3 * t + k in best):
            return False
    return True


@pytest.mark.parametrize("mode", ["free", "none"])
@pytest.mark.parametrize("data", [PARTLY, MIXED])
def test_issued_claims_verify(data, mode):
    X, y = data
    claim = quasi_separability(X, y, mode)
    check = claim.verify(X, y)
    assert check, check
    assert is_true(claim.to_dict(), X, y)
    assert Certificate.from_dict(json.loads(json.dumps(claim.to_dict()))) == claim
    if isinstance(claim, QuasiSeparable):
        assert np.flatnonzero(claim.strict).tolist() == claim.won.tolist()
        assert f"{claim.won.size} of the {2 * len(y)} comparisons" in claim.claim
    else:
        assert "even in part" in claim.claim


def test_both_kinds_are_attacked():
    assert isinstance(quasi_separability(*PARTLY), QuasiSeparable)
    assert isinstance(quasi_separability(*MIXED), Overlapping)


@settings(max_examples=60)
@given(st.sampled_from([PARTLY, MIXED]), st.data())
def test_an_edited_claim_verifies_only_if_it_is_true(given_data, data):
    X, y = given_data[0].copy(), list(given_data[1])
    plain = quasi_separability(X, y).to_dict()
    n = len(plain["vectors"])
    kind = data.draw(st.sampled_from(["drop", "vectors", "won", "direction", "mode", "data", "y"]))
    if kind == "drop":  # fewer comparisons that cancel, weights as an attacker would give them
        kept = sorted(data.draw(st.sets(st.integers(0, n - 1))))
        plain["vectors"] = [plain["vectors"][k] for k in kept]
        plain["weights"] = [f"1/{len(kept):x}"] * len(kept)
    elif kind == "vectors":  # another class to be compared with, perhaps the own one
        k = data.draw(st.integers(0, n - 1))
        plain["vectors"][k] = plain["vectors"][k] // 3 * 3 + data.draw(st.integers(-1, 3))
    elif kind == "won" and "won" in plain:
        plain["won"] = sorted(set(plain["won"]) ^ {data.draw(st.integers(0, 3 * len(y)))})
    elif kind == "direction" and "direction" in plain:
        row, j = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))
        plain["direction"][row][j] = data.draw(st.sampled_from(["0/1", "1/1", "-1/1", "1/3"]))
    elif kind == "mode":
        plain["intercept"] = "none"
        if "direction" in plain:
            plain["direction"] = [row[:-1] for row in plain["direction"]]
    elif kind == "data":
        t, j = data.draw(st.integers(0, len(y) - 1)), data.draw(st.integers(0, 1))
        X[t, j] += data.draw(st.sampled_from([1.0, -1.0, 2.0**-8, -(2.0**-8)]))
    elif kind == "y":
        y[data.draw(st.integers(0, len(y) - 1))] = data.draw(st.sampled_from("abc"))
    try:
        claim = Certificate.from_dict(json.loads(json.dumps(plain)))
    except ValueError:
        return  # refused as no claim at all
    if claim.verify(X, y):
        assert is_true(plain, X, y)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"vectors": [0]}, "one weight for each vector"),
        ({"vectors": [7] * 99}, "increasing"),
        ({"intercept": "lifted"}, "'free' or 'none'"),
        ({"direction": [["0/1"]]}, "fractions for each class"),
        ({"won": [3, 2]}, "increasing"),
        ({"weights": []}, "one weight"),
    ],
)
def test_hostile_values_are_refused(change, match):
    plain = quasi_separability(*PARTLY).to_dict()
    with pytest.raises(ValueError, match=match):
        Certificate.from_dict(plain | change)


def test_comparisons_may_not_be_named_twice_or_far_outside():
    plain = quasi_separability(*MIXED).to_dict()
    named = plain["vectors"]
    with pytest.raises(ValueError, match="increasing"):
        Certificate.from_dict(plain | {"vectors": [1] * len(named)})
    with pytest.raises(ValueError, match="integers"):
        Certificate.from_dict(plain | {"vectors": [*named[:-1], 2**64]})
    for far in (3 * 99, 2**62):
        claim = Certificate.from_dict(plain | {"vectors": [*named[:-1], far]})
        assert f"example {far // 3} with class {'abc'[far % 3]!r} is named" in str(
            claim.verify(*MIXED)
        )


def test_an_example_is_not_compared_with_its_own_class():
    """That vector is zero, and would cancel by itself."""
    plain = quasi_separability(*MIXED).to_dict()
    own = Certificate.from_dict(plain | {"vectors": [0], "weights": ["1/1"]})
    assert "example 0 with class 'a' is named" in str(own.verify(*MIXED))


def test_several_classes_have_no_single_hyperplane():
    claim = quasi_separability(*PARTLY)
    for name in ("coef", "bias", "ties"):
        with pytest.raises(AttributeError, match="no one hyperplane"):
            getattr(claim, name)
