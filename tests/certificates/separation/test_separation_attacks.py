"""Nothing false verifies: verdicts on separability edited by someone who wants to be believed.

The truth of each claim is computed here from its words, in rational arithmetic, without the code
under test. Whatever verifies must be true.
"""

from __future__ import annotations

import copy
import functools
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo import quasi_separability, separability
from certo.certificates import Certificate, Labels, Sample
from certo.certificates.base import CannotClaim
from certo.certificates.separation.inseparable import Inseparable
from certo.certificates.separation.quasi_separable import QuasiSeparable
from certo.issue.separation import issue_inseparable, issue_separable
from tests.oracles.rationals import CHANGES, dot, exact, rank

XOR = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0], [0.25, 2]])
SAMPLES = {
    "Separable": (separability, np.array([[0.1, 2], [1, 3], [-1, 0.7], [2, -1]]), [1, 1, 0, 0]),
    "Inseparable": (separability, XOR, [0, 0, 1, 1, 1]),
    "QuasiSeparable": (
        quasi_separability,
        np.array([[0.0, 0], [1, 0], [1, 0], [2, 0], [3, 4]]),
        [0, 0, 1, 1, 0],
    ),
    "Overlapping": (quasi_separability, XOR, [0, 0, 1, 1, 1]),
}


def is_true(data, X, y) -> bool:
    classes = data["labels"]["classes"]
    if any(label not in classes for label in y) or data["examples"] != len(y):
        return False
    signs = [1 if label == classes[data["labels"]["positive"]] else -1 for label in y]
    rows = [[Fraction(float(v)) for v in row] for row in X]
    if data["type"] == "Separable":
        coef, bias = [exact(v) for v in data["coef"]], exact(data["intercept"])
        if len(coef) != X.shape[1]:
            return False
        pairs = zip(signs, rows, strict=True)
        least = min(s * (dot(coef, x) + bias) for s, x in pairs)
        margin = exact(data["margin"])
        return (
            least > 0
            and least >= exact(data["functional_margin"])
            and (margin == 0 or (any(coef) and least**2 >= margin**2 * dot(coef, coef)))
        )
    if data["features"] != X.shape[1] or any(t >= len(y) for t in data["vectors"]):
        return False
    lift = [Fraction(1)] * (data["intercept"] == "free")
    z = [[s * v for v in x + lift] for s, x in zip(signs, rows, strict=True)]
    weights = [exact(v) for v in data["weights"]]
    core = [z[t] for t in data["vectors"]]
    if any(sum(a * v[j] for a, v in zip(weights, core, strict=True)) for j in range(len(z[0]))):
        return False
    if data["type"] == "Inseparable":
        return bool(core)
    ties = range(len(y))
    if data["type"] == "QuasiSeparable":
        w = [exact(v) for v in data["direction"][0]]
        ties = [t for t in range(len(y)) if t not in data["won"]]
        if len(ties) >= len(y) or any(t >= len(y) for t in data["won"]):
            return False
        if any((dot(w, v) == 0) != (t in ties) or dot(w, v) < 0 for t, v in enumerate(z)):
            return False
    return rank(core + [z[t] for t in ties]) == rank(core)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_sample_gives_this_claim_and_it_is_true(name):
    ask, X, y = SAMPLES[name]
    claim = ask(X, y)
    assert claim.name == name
    assert claim.verify(X, y)
    assert is_true(claim.to_dict(), X, y)
    assert claim.assumes == ()
    assert claim.name in repr(claim)
    assert "<strong>" in claim._repr_html_()


@functools.cache
def asked(name):
    ask, X, y = SAMPLES[name]
    return ask(X, y).to_dict()


def edited(data, draw):
    """The claim with one of its values changed."""
    data = copy.deepcopy(data)
    field = draw(st.sampled_from([k for k in data if k not in ("type", "labels", "intercept")]))
    value = data[field]
    if isinstance(value, list) and value:
        k = draw(st.integers(0, len(value) - 1))
        if draw(st.booleans()) and field != "coef":
            del value[k]
        elif isinstance(value[k], list):  # of a direction
            j = draw(st.integers(0, len(value[k]) - 1))
            moved = exact(value[k][j]) + Fraction(draw(CHANGES)) / 8
            value[k][j] = f"{moved.numerator:x}/{moved.denominator:x}"
        elif isinstance(value[k], str):
            moved = exact(value[k]) + Fraction(draw(CHANGES)) / 8
            value[k] = f"{moved.numerator:x}/{moved.denominator:x}"
            if field == "weights" and len(value) > 1:  # still adding up to 1
                rest = 1 - sum(exact(v) for i, v in enumerate(value) if i != (k + 1) % len(value))
                value[(k + 1) % len(value)] = f"{rest.numerator:x}/{rest.denominator:x}"
        else:
            value[k] += draw(CHANGES) if field == "coef" else draw(st.sampled_from([-1, 1]))
    elif isinstance(value, str):
        moved = exact(value) + Fraction(draw(CHANGES))
        data[field] = f"{moved.numerator:x}/{moved.denominator:x}"
    elif not isinstance(value, list):
        whole = field in ("examples", "features")
        data[field] = value + (draw(st.sampled_from([-1, 1])) if whole else draw(CHANGES))
    return data


@settings(max_examples=120)
@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_an_edited_claim_verifies_only_if_it_is_true(name, data):
    _, X, y = SAMPLES[name]
    plain = asked(name)
    for _ in range(data.draw(st.integers(0, 2))):
        plain = edited(plain, data.draw)
    if name != "Separable" and data.draw(st.booleans()):
        plain = plain | {"intercept": data.draw(st.sampled_from(["free", "none"]))}
        if plain["intercept"] == "none" and "direction" in plain:
            plain["direction"] = [row[:2] for row in plain["direction"]]
    X, y = X.copy(), list(y)
    if data.draw(st.booleans()):  # other data than the claim was made about
        t = data.draw(st.integers(0, len(y) - 1))
        if data.draw(st.booleans()):
            y[t] = 1 - y[t]
        else:
            X[t, data.draw(st.integers(0, 1))] += data.draw(CHANGES)
    try:
        claim = Certificate.from_dict(json.loads(json.dumps(plain)))
    except ValueError:
        return  # refused as no claim at all
    assert bool(claim.verify(X, y)) <= is_true(plain, X, y)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"weights": ["1/2", "1/2"]}, "one weight for each vector"),
        ({"weights": ["1/4", "1/4", "1/4", "1/8"]}, "add up to 1"),
        ({"weights": ["-1/4", "1/4", "1/2", "1/2"]}, "positive"),
        ({"weights": [0.25, 0.25, 0.25, 0.25]}, "fraction"),
        ({"weights": ["1/0", "1/4", "1/4", "1/4"]}, "fraction"),
        ({"vectors": [], "weights": []}, "one weight for each vector"),
        ({"vectors": [0, 2, 1, 3]}, "increasing"),
        ({"vectors": [-1, 0, 1, 2]}, "increasing"),
        ({"intercept": "lifted"}, "'free' or 'none'"),
        ({"intercept": 1}, "str"),
        ({"examples": 5.5}, "integer"),
    ],
)
def test_hostile_values_are_refused(change, match):
    ask, X, y = SAMPLES["Inseparable"]
    plain = ask(X, y).to_dict()
    assert plain["vectors"] == [0, 1, 2, 3]
    with pytest.raises(ValueError, match=match):
        Certificate.from_dict(plain | change)


def test_an_example_may_not_be_named_twice():
    sample = Sample(np.array([[1.0]]), np.array([1], np.int8))
    with pytest.raises(CannotClaim, match="zero"):
        issue_inseparable(sample, Labels((0, 1)), "none", [0], [1])
    with pytest.raises(ValueError, match="increasing"):
        Inseparable(Labels((0, 1)), "none", 1, 1, [0, 0], (Fraction(1, 2), Fraction(1, 2)))


def test_separable_may_claim_less_but_not_more():
    ask, X, y = SAMPLES["Separable"]
    claim = ask(X, y)
    plain = claim.to_dict()
    assert Certificate.from_dict(plain | {"margin": claim.margin / 2}).verify(X, y)
    assert Certificate.from_dict(plain | {"margin": 0.0}).verify(X, y)
    assert not Certificate.from_dict(plain | {"margin": claim.margin * (1 + 1e-9)}).verify(X, y)
    for name in ("margin", "functional_margin"):
        with pytest.raises(ValueError, match="negative"):
            Certificate.from_dict(plain | {name: -1.0})
    with pytest.raises(CannotClaim, match="own side"):
        issue_separable(Sample.of(X, y, claim.labels), claim.labels, np.zeros(2), 0.0)


def test_a_margin_too_small_for_floats_still_separates():
    X = np.array([[5e-324], [-5e-324]])
    claim = issue_separable(
        Sample.of(X, [1, 0], Labels((0, 1))), Labels((0, 1)), np.array([0.5]), 0.0
    )
    assert claim.verify(X, [1, 0])
    assert claim.margin <= 5e-324
    assert not claim.verify(X, [0, 1])


@pytest.mark.slow
def test_denominators_without_end_are_refused():
    X, y = np.ones((3, 3000)), [1, 1, 0]
    X[2] = -1
    odd = range(10**100 + 1, 10**100 + 6001, 2)  # with few divisors in common
    coef = tuple(Fraction(1, n) for n in odd)
    claim = QuasiSeparable(
        Labels((0, 1)), "none", 3, 3000, np.zeros(0, int), (), (coef,), np.arange(3)
    )
    assert "denominator" in str(claim.verify(X, y))
