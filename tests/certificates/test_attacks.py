"""Nothing false verifies: certificates edited by someone who wants to be believed.

Each claim has a truth here, computed from the words of the claim in rational arithmetic, without
the code under test. Whatever verifies must be true; what was only weakened must still verify.
"""

from __future__ import annotations

import copy
import decimal
import json
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo import Perceptron
from certo.certificates import Certificate, Labels, MistakeBound, Sample, Separable
from certo.certificates.runs import perceptron_run
from certo.rates import Power

KINDS = ["Separable", "MistakeBound", "CompressionBound"]


def exact_rows(X):
    X = X.toarray() if sparse.issparse(X) else np.asarray(X)
    return [[Fraction(float(v)) for v in row] for row in X]


def dot(a, b):
    return sum((Fraction(p) * Fraction(q) for p, q in zip(a, b, strict=True)), Fraction(0))


def signs_of(data, y):
    classes = data["labels"]["classes"]
    return [1 if label == classes[data["labels"]["positive"]] else -1 for label in y]


def margins(data, X, y, coef, bias):
    return [
        s * (dot(x, data[coef]) + Fraction(data[bias]))
        for x, s in zip(exact_rows(X), signs_of(data, y), strict=True)
    ]


def separable_is_true(data, X, y) -> bool:
    if data["examples"] != len(y) or len(data["coef"]) != X.shape[1]:
        return False
    least = min(margins(data, X, y, "coef", "intercept"))
    distance = Fraction(data["margin"])
    near = distance > 0 and (
        not any(data["coef"]) or least**2 < distance**2 * dot(data["coef"], data["coef"])
    )
    return least > 0 and least >= Fraction(data["functional_margin"]) and not near


def steps_are_true(data, X, y) -> bool:
    """start + Σ η y x̃ is what the weights are, up to the rounding of that many additions."""
    rows, counts = data["rows"], [abs(int(c)) for c in data["dual_coef"]]
    if rows and rows[-1] >= len(y):
        return False
    if [np.sign(c) for c in data["dual_coef"]] != [signs_of(data, y)[t] for t in rows]:
        return False
    if sum(counts) != data["updates"] or min(counts, default=1) < 1:
        return False
    eta = Fraction(data["sums"]["rate"]["value"])
    X, signs, lift = exact_rows(X), signs_of(data, y), int(data["lifted"])
    for j, weight in enumerate([*data["coef"], data["intercept"]]):
        steps = [
            counts[k] * eta * signs[t] * (X[t][j] if j < len(X[t]) else lift)
            for k, t in enumerate(rows)
        ]
        begin = Fraction(data["start"][j])
        size = abs(begin) + sum(map(abs, steps))
        room = 4 * (data["updates"] + len(rows) + 8) * size / 2**53 + Fraction(1, 2**1000)
        if abs(Fraction(weight) - begin - sum(steps)) > room:
            return False
    return True


def mistake_is_true(data, X, y) -> bool:
    d = X.shape[1]
    sizes = (len(data["coef"]), len(data["comparator_coef"]), len(data["start"]) - 1)
    if data["examples"] != len(y) or sizes != (d, d, d) or not steps_are_true(data, X, y):
        return False
    lifted, bias = data["lifted"], data["comparator_intercept"]
    if not lifted and any((bias, data["intercept"], data["start"][-1])):
        return False
    radius2, target = Fraction(data["radius2"]), Fraction(data["target"])
    if max(dot(x, x) for x in exact_rows(X)) + lifted > radius2 or target <= 0:
        return False
    eta, all_margins = (
        Fraction(data["sums"]["rate"]["value"]),
        margins(data, X, y, "comparator_coef", "comparator_intercept"),
    )
    falls = Fraction(data["shortfall"])
    if falls == 0:
        if min(all_margins) < target:
            return False
    elif falls < sum(
        abs(int(c)) * eta * max(target - all_margins[t], 0)
        for t, c in zip(data["rows"], data["dual_coef"], strict=True)
    ):
        return False
    if data["bound"] is None:
        return True
    u = [*data["comparator_coef"], bias]
    M = data["bound"] + 1
    left = target * eta * M - falls + dot(data["start"], u)
    hold = dot(u, u) * (dot(data["start"], data["start"]) + radius2 * eta**2 * M)
    return data["updates"] <= data["bound"] and left > 0 and left**2 > hold


def compression_is_true(data, X, y) -> bool:
    m, rows, scheme = len(y), data["updated"], data["scheme"]
    (run,), (coef,), (intercept,) = scheme["runs"], scheme["coef"], scheme["intercept"]
    if data["examples"] != m or len(coef) != X.shape[1] or (rows and rows[-1] >= m):
        return False
    if 2 * len(rows) > m or run["order"] != "cyclic" or run["init"] != "zeros":
        return False
    others, own = set(range(m)) - set(rows), data | {"coef": coef, "intercept": intercept}
    wrong = 0
    for t, margin in enumerate(margins(own, X, y, "coef", "intercept")):
        if t in others:
            wrong += margin < 0 or (margin == 0 and signs_of(data, y)[t] != scheme["zero_sign"])
    with decimal.localcontext(decimal.Context(prec=60)):
        inside = (len(rows) + 1) * Decimal(m).ln() + 1 - Decimal(data["delta"]).ln()
        bound = Decimal(data["errors"]) / (m - len(rows)) + (inside / m).sqrt()
    if wrong > data["errors"] or Decimal(data["printed"]) < bound * (1 - Decimal(10) ** -50):
        return False
    n, p = m - len(rows), Fraction(data["tail"])
    below = sum(math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(data["errors"] + 1))
    if p <= 0 or (p < 1 and below * m * math.comb(m, n) > Fraction(data["delta"])):
        return False
    if "gives these weights" not in Certificate.from_dict(data).claim:
        return (
            min(data["printed"], data["tail"]) >= 1
        )  # vacuous, and the words do not speak of a re-run
    # the box in float64, its (at most three) products added as `lane_scores` states
    signs, lift, eta = signs_of(data, y), float(run["lifted"]), float(run["rate"]["value"])
    at_zero = {"always": (-1, 1), "positive": (1,), "negative": (-1,)}[run["update_at_zero"]]
    w = [0.0] * (X.shape[1] + 1)
    for _ in range(min(run["epochs"], 2_000)):
        before = list(w)
        for t in rows:
            x = X[t].tolist()
            p = [a * b for a, b in zip(x, w, strict=False)] + [0.0, 0.0]
            margin = signs[t] * (((p[0] + p[2]) + p[1]) + lift * w[-1])
            if margin < 0 or (margin == 0 and signs[t] in at_zero):
                w = [a + eta * signs[t] * b for a, b in zip(w, [*x, lift], strict=True)]
        if w == before:
            break
    return w == [*coef, intercept]


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Edited settings may ask for runs without end."""
    monkeypatch.setattr(perceptron_run, "MAX_REPLAY_UPDATES", 2_000)


TRUTH = {
    "Separable": separable_is_true,
    "MistakeBound": mistake_is_true,
    "CompressionBound": compression_is_true,
}


def is_true(data, X, y) -> bool:
    return TRUTH[data["type"]](data, X, y)


def problem(seed: int):
    """Integers: every run is exact, so that truth can be told."""
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(8, 24)), int(rng.integers(1, 4))
    X = rng.integers(-4, 5, (m, d)).astype(float)
    y = np.where(X @ rng.integers(-3, 4, d) + rng.integers(-2, 3) > 0, "up", "down")
    y[0], y[1] = "up", "down"
    if seed % 3 == 0:
        flip = rng.integers(0, m)
        y[flip] = "up" if y[flip] == "down" else "down"
    options = {"intercept": "none" if seed % 2 else "lifted", "learning_rate": 1.0 + seed % 2}
    model = Perceptron(epochs=30, **options).fit(X, y)
    return X, y, [claim.to_dict() for claim in model.certificate_]


def verified(data, X, y) -> bool:
    try:
        return bool(Certificate.from_dict(json.loads(json.dumps(data))).verify(X, y))
    except ValueError:
        return False


@pytest.mark.parametrize("seed", range(12))
def test_the_truth_told_here_agrees_with_what_fits_issue(seed):
    X, y, claims = problem(seed)
    for data in claims:
        assert is_true(data, X, y)
        assert verified(data, X, y)


def leaves(data, path=()):
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        if isinstance(value, dict | list):
            if value == []:
                yield (*path, key)
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key)


def place(data, path):
    for key in path[:-1]:
        data = data[key]
    return data, path[-1]


def edited(draw, value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return draw(
            st.sampled_from([value + 1, value - 1, 0, -value, 2 * value, 10**6, 2**62, None])
        )
    if isinstance(value, float):
        near = [np.nextafter(value, np.inf), np.nextafter(value, -np.inf), value * (1 + 1e-12)]
        far = [0.0, -value, 2 * value, value / 2, value + 1, value - 1, 1e300, 1e-300, 5e-324]
        return float(draw(st.sampled_from(near + far)))
    if isinstance(value, str):
        words = ["up", "down", "cyclic", "shuffled", "zeros", "random", "always", "positive",
                 "negative", "misclassified", "Constant", "Power"]  # fmt: skip
        return draw(st.sampled_from(words))
    return draw(st.sampled_from([None, 0, 1, 10**6, [], [0], [1.0]]))


@st.composite
def attacks(draw):
    seed = draw(st.integers(0, 60))
    X, y, claims = problem(seed)
    data = copy.deepcopy(draw(st.sampled_from(claims)))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from([p for p in leaves(data) if p != ("type",)]))
        where, key = place(data, path)
        if isinstance(where, list) and draw(st.integers(0, 4)) == 0:
            del where[key]
        else:
            where[key] = edited(draw, where[key])
    return data, X, y


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(attacks())
def test_an_edited_certificate_verifies_only_if_it_is_true(attack):
    data, X, y = attack
    if verified(data, X, y):
        run = data["scheme"]["runs"][0] if data["type"] == "CompressionBound" else {}
        rate = data.get("sums", run).get("rate", {"name": "Constant"})
        plain = {"order": "cyclic", "init": "zeros"}
        if rate["name"] == "Constant" and plain | run == run | plain:
            assert is_true(data, X, y)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 60), st.integers(0, 10**6), st.data())
def test_changed_data_verify_only_if_the_claim_is_still_true(seed, salt, draw):
    X, y, claims = problem(seed)
    rng = np.random.default_rng(salt)
    X, y = X.copy(), y.copy()
    t = rng.integers(len(y))
    how = draw.draw(
        st.sampled_from(["entry", "label", "swap", "drop", "repeat", "scale", "column"])
    )
    if how == "entry":
        X[t, rng.integers(X.shape[1])] += draw.draw(st.sampled_from([1.0, -1.0, 1e-13, 50.0]))
    elif how == "label":
        y[t] = "up" if y[t] == "down" else "down"
    elif how == "swap":
        X[[0, t]] = X[[t, 0]]
    elif how == "drop":
        X, y = np.delete(X, t, 0), np.delete(y, t)
    elif how == "repeat":
        X, y = np.vstack([X, X[t]]), np.append(y, y[t])
    elif how == "scale":
        X *= draw.draw(st.sampled_from([1 + 2**-30, 0.5, -1.0]))
    else:
        X = X[:, ::-1]
    for data in claims:
        result = verified(data, X, y)
        if data["type"] == "CompressionBound" and how in ("scale", "entry", "label"):
            # The replay rounds, the truth does not; and the majority class may be another.
            assert not result or is_true(data, X, y)
        elif data["type"] != "MistakeBound":
            assert result == is_true(data, X, y)
        else:
            assert not result or is_true(data, X, y)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 60), st.integers(0, 10**6))
def test_claims_recomputed_from_other_data_are_refuted(seed, salt):
    """He fits other rows, or other labels, and presents what that issued for the true ones."""
    X, y, _ = problem(seed)
    rng = np.random.default_rng(salt)
    X2, y2 = X + (rng.random(X.shape) < 0.1) * rng.integers(-2, 3, X.shape), y.copy()
    flip = rng.random(len(y)) < 0.1
    y2[flip] = np.where(y2[flip] == "up", "down", "up")
    if len(set(y2)) < 2:
        return
    model = Perceptron(epochs=30, learning_rate=1.0).fit(X2, y2)
    for claim in model.certificate_:
        data = claim.to_dict()
        assert verified(data, X2, y2)
        assert not verified(data, X, y) or is_true(data, X, y)


@pytest.mark.parametrize("seed", range(12))
def test_weakened_claims_are_still_accepted(seed):
    X, y, claims = problem(seed)
    for data in claims:
        weaker = {
            "Separable": [("functional_margin", lambda v: v / 2), ("margin", lambda v: v / 2),
                          ("functional_margin", lambda v: 0.0), ("margin", lambda v: 0.0)],
            "MistakeBound": [("bound", lambda v: v + 3), ("bound", lambda v: None)],
            "CompressionBound": [("printed", lambda v: v * 2),
                                 ("printed", lambda v: np.nextafter(v, 9)),
                                 ("tail", lambda v: min(v * (1 + 1e-9), 1.0)),
                                 ("tail", lambda v: 1.0)],
        }[data["type"]]  # fmt: skip
        for name, change in weaker:
            assert verified({**data, name: change(data[name])}, X, y)
        if data["type"] == "MistakeBound":
            wider = {**data, "radius2": data["radius2"] * 1.5, "bound": data["bound"] * 9 + 99}
            assert verified(wider, X, y)
            if data["shortfall"] == 0:
                assert verified(
                    {**data, "target": data["target"] / 2, "bound": data["bound"] * 9 + 9}, X, y
                )
            else:
                assert verified(
                    {**data, "shortfall": data["shortfall"] + 1, "bound": data["bound"] * 9 + 99},
                    X,
                    y,
                )


def find(kind, wanted=lambda data: True):
    for seed in range(100):
        X, y, claims = problem(seed)
        for data in claims:
            if data["type"] == kind and wanted(data):
                return X, y, data
    raise AssertionError("no such certificate")


def test_strengthened_numbers_are_refused():
    X, y, data = find("Separable")
    more = np.nextafter(data["functional_margin"], np.inf)
    assert not verified({**data, "functional_margin": more}, X, y)
    assert not verified({**data, "margin": data["margin"] * (1 + 1e-14)}, X, y)
    X, y, data = find("MistakeBound", lambda data: data["shortfall"] == 0)
    assert not verified({**data, "bound": data["bound"] - 1}, X, y)
    assert not verified({**data, "target": data["target"] * (1 + 1e-12)}, X, y)
    assert not verified({**data, "radius2": data["radius2"] * (1 - 1e-13)}, X, y)
    X, y, data = find("MistakeBound", lambda data: data["shortfall"] > 0)
    assert not verified({**data, "shortfall": data["shortfall"] * (1 - 1e-9), "bound": 10**9}, X, y)
    assert not verified({**data, "shortfall": 0.0, "bound": 10**9}, X, y)
    X, y, data = find("CompressionBound")
    for change in ({"printed": np.nextafter(data["printed"], 0)},
                   {"tail": data["tail"] * (1 - 1e-9)}, {"errors": data["errors"] + 1},
                   {"delta": data["delta"] / 2}, {"updated": data["updated"][1:]},
                   {"examples": len(y) + 1}):  # fmt: skip
        assert not verified({**data, **change}, X, y)


def test_counts_that_wrap_around_do_not_count():
    """Four times 2⁶² is 0 in int64; sums of steps that cancel would hide them."""
    X, y = np.array([[1.0], [1.0], [2.0], [2.0], [4.0]]), list("ababa")
    labels = Labels(("a", "b"))
    claim = Perceptron(epochs=1, intercept="none").fit(X, y).certificate_.of_kind(MistakeBound)[0]
    data = claim.to_dict()
    many = 2.0**62
    data.update(rows=[0, 1, 2, 3, 4], dual_coef=[-many, many, -many, many, -1.0], updates=1)
    data.update(coef=[-4.0], shortfall=1e300, bound=10**310)
    assert labels.signs(y)[4] == -1
    assert not verified(data, X, y)
    data.update(updates=2**64 + 1, bound=10**310)
    data["coef"] = [1e9]  # beyond any rounding? not of that many updates: so none is allowed
    assert not verified(data, X, y)


def test_numbers_that_overflow_prove_nothing():
    X, y = np.array([[1e308, 1.0], [-1e308, 1.0], [1e308, -1.0]]), ["a", "b", "a"]
    base = {
        "type": "MistakeBound", "labels": {"classes": ["a", "b"], "positive": 1, "column": None},
        "coef": [5.0, 5.0], "intercept": 0.0, "lifted": False,
        "sums": {"rate": {"name": "Constant", "value": 1e300}, "before": 0},
        "start": [0.0, 0.0, 0.0], "rows": [0, 1, 2], "dual_coef": [-1.0, 1.0, -1.0], "totals": [],
        "comparator_coef": [-1.0, 0.0], "comparator_intercept": 0.0, "comparator_rows": [],
        "comparator_dual_coef": [], "comparator_norm": 1.0, "examples": 3, "updates": 3,
        "space": {"name": "Vectors"}, "averaged": False,
        "radius2": 1.7e308, "target": 1.0, "shortfall": 1e308, "bound": None,
    }  # fmt: skip
    assert not verified(base, X, y)
    for rate in ({"name": "Power", "initial": 1e308, "exponent": 0.1},
                 {"name": "Geometric", "initial": 1.0, "factor": 1e200}):  # fmt: skip
        data = {**base, "sums": {"rate": rate, "before": 0}, "totals": [1.0, 1.0, 1.0]}
        assert not verified(data, X / 1e308, y)


def test_a_schedule_needs_totals_that_its_rates_can_give():
    X, y, _ = problem(0)
    model = Perceptron(epochs=5, learning_rate=Power(1.0, 0.5)).fit(X, y)
    data = model.certificate_.of_kind(MistakeBound)[0].to_dict()
    assert verified(data, X, y)
    k = int(np.argmax(data["totals"]))
    more = copy.deepcopy(data)
    more["totals"][k] += 0.5
    assert not verified(more, X, y)
    moved = copy.deepcopy(data)  # weights that fit, from shares that no rates can have
    j = (k + 1) % len(moved["totals"])
    moved["totals"][k], moved["totals"][j] = moved["totals"][k] + moved["totals"][j], 0.0
    sample = Sample.of(X, y, Labels(("down", "up")))
    steps = np.array(moved["totals"]) * sample.signs[moved["rows"]]
    moved["coef"] = (X[moved["rows"]].T @ steps).tolist()
    moved["intercept"] = float(steps.sum())
    assert not verified(moved, X, y)
    assert not verified({**data, "sums": {**data["sums"], "before": 3}}, X, y)


def test_without_a_direction_there_is_no_distance():
    X, y = np.array([[1.0], [2.0]]), [1, 1]
    claim = Separable(Labels((0, 1)), np.zeros(1), 1.0, 2, 1.0, 0.0)
    assert claim.verify(X, y)
    data = claim.to_dict()
    assert not verified({**data, "margin": 5e-324}, X, y)


def test_labels_cannot_be_bent():
    X, y, data = find("Separable")
    for classes, positive in (
        (["down", "up"], 0), (["up", "down"], 1), (["down"], 0), (["down", "up"], -1),
        (["down", "up"], 2), ([], 0), (["up", "up"], 1), (["down", "up"], None),
    ):  # fmt: skip
        labels = {"classes": classes, "positive": positive, "column": None}
        assert not verified({**data, "labels": labels}, X, y)
    assert not verified({**data, "labels": {**data["labels"], "column": 0}}, X, y)


def test_words_do_not_round_in_their_own_favour():
    for seed in range(30):
        for data in problem(seed)[2]:
            claim = Certificate.from_dict(data)
            if isinstance(claim, Separable):
                shown = claim.claim.split("margin at least ")[1].split(",")[0]
                assert Fraction(shown) <= Fraction(claim.functional_margin)
                shown = claim.claim.split("distance of at least ")[1].rstrip(".")
                assert Fraction(shown) <= Fraction(claim.margin)
            elif isinstance(claim, MistakeBound) and claim.separable:
                shown = claim.claim.split("longer than ")[1].split(". ")[0]
                assert Fraction(shown) ** 2 >= Fraction(claim.radius2)
