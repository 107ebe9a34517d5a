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
from certo.certificates import Certificate, ClassSeparability, Labels, Sample, Separable
from certo.certificates.base import CannotClaim
from certo.certificates.separation.inseparable import Inseparable
from certo.certificates.separation.quasi_separable import QuasiSeparable
from certo.certificates.spaces.exact_rows import score_signs
from certo.certificates.spaces.family import Signed
from certo.issue.separation.inseparable import issue_inseparable
from certo.issue.separation.separable import issue_separable
from certo.numbers.whole import PRIME, independent, null_space

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


def exact(value):
    if isinstance(value, str):
        above, below = value.split("/")
        return Fraction(int(above, 16), int(below, 16))
    return Fraction(value)


def rank(rows):
    rows, found = [list(row) for row in rows], 0
    for k in range(len(rows[0]) if rows else 0):
        at = next((i for i in range(found, len(rows)) if rows[i][k]), None)
        if at is None:
            continue
        rows[found], rows[at] = rows[at], rows[found]
        for i in range(found + 1, len(rows)):
            factor = rows[i][k] / rows[found][k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[found], strict=True)]
        found += 1
    return found


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


def dot(a, b):
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))


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


CHANGES = st.sampled_from([-2, -1, 1, 2, 0.5, 2.0**-40])


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


SMALL = st.integers(-2, 2)
ROWS = st.lists(st.lists(SMALL, min_size=4, max_size=4), min_size=1, max_size=7)


@given(ROWS, st.integers(0, 7), st.booleans(), st.sampled_from([1.0, 0.1, float(PRIME)]))
def test_rows_beyond_a_span_agree_with_the_rank(rows, count, lifted, factor):
    X = np.array(rows) * np.array([factor, 1, 1, 1])
    sample = Sample(X, np.ones(len(X), np.int8))
    lift = [Fraction(1)] * lifted
    z = [[*map(Fraction, row), *lift] for row in X.tolist()]
    few = np.arange(min(count, len(X)))
    core = z[: few.size]
    outside = [t for t in range(len(X)) if rank([*core, z[t]]) > rank(core)]
    assert Signed(sample, lifted).beyond(few, np.ones(len(X), bool)).tolist() == outside


@given(ROWS)
def test_independent_modulo_a_prime_is_independent(rows):
    places = independent(np.array(rows, dtype=object))
    some = [[Fraction(v) for v in rows[t]] for t in places]
    assert rank(some) == len(some) == rank([[Fraction(v) for v in row] for row in rows])


@settings(max_examples=80)
@given(
    st.lists(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3), min_size=1, max_size=8),
    st.lists(st.integers(-(2**70), 2**70), min_size=4, max_size=4),
    st.booleans(),
)
def test_signs_of_scores_are_exact(rows, w, lifted):
    X = np.array([*rows, [0.0, 0, 0], [1e308, -1e308, 5e-324]])
    sample = Sample(X, np.where(np.arange(len(X)) % 2, 1, -1).astype(np.int8))
    w = w if lifted else w[:3]
    lift = [Fraction(1)] * lifted
    for t, sign in enumerate(score_signs(sample, w, lifted).tolist()):
        score = int(sample.signs[t]) * dot(map(Fraction, w), [*map(Fraction, X[t]), *lift])
        assert sign == (score > 0) - (score < 0)


@given(st.lists(st.lists(st.integers(-3, 3), min_size=4, max_size=4), max_size=6))
def test_the_null_space_is_all_that_is_orthogonal(rows):
    basis = null_space(rows, 4)
    assert len(basis) == 4 - rank([[Fraction(v) for v in row] for row in rows])
    assert all(dot(w, row) == 0 for w in basis for row in rows)
    assert rank([[Fraction(v) for v in w] for w in basis]) == len(basis)
