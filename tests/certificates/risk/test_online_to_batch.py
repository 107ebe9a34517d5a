"""One pass and what it promises: mistakes by brute force, refusals, attacks."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from certo.certificates import CannotClaim, Certificate, GradientRun, PerceptronRun
from certo.certificates.risk import online_to_batch as module
from certo.checks import check_certificate
from certo.issue.risk import issue_average_to_batch, issue_online_to_batch
from certo.losses import Hinge, Logistic, Squared
from certo.rates import Power


def problem(classes=2, m=80, seed=0, whole=False):
    random = np.random.default_rng(seed)
    X = random.integers(-3, 4, (m, 3)).astype(float) if whole else random.standard_normal((m, 3))
    scores = X @ random.standard_normal((3, classes)) + random.standard_normal((m, classes))
    return X, np.array(list("abcd"))[np.argmax(scores, axis=1)], "abcd"[:classes]


def brute(runs, X, codes):
    """The pass, one example after another; scores in fractions decide who is wrong."""
    m, d = X.shape
    order = runs[0].random_order().permutation(m) if runs[0].order == "shuffled" else range(m)
    weights, updates, mistakes = [run.start(d) for run in runs], [0] * len(runs), 0
    for t in order:
        x = [*X[t].tolist(), float(runs[0].lifted)]
        pairs = [zip(w.tolist(), x, strict=True) for w in weights]
        scores = [sum(Fraction(a) * Fraction(b) for a, b in pair) for pair in pairs]
        if len(runs) == 1:
            mistakes += (scores[0] if codes[t] else -scores[0]) <= 0
        else:
            mistakes += any(s >= scores[codes[t]] for k, s in enumerate(scores) if k != codes[t])
        for k, run in enumerate(runs):
            sign = 1 if codes[t] == (1 if len(runs) == 1 else k) else -1
            margin = sign * scores[k]
            at_zero = {"always": 0, "positive": 1, "negative": -1}[run.update_at_zero] * sign >= 0
            if margin < 0 or (margin == 0 and at_zero):
                updates[k] += 1
                weights[k] = weights[k] + float(run.rate(np.array(updates[k]))) * sign * np.array(x)
    return np.array(weights), mistakes


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"update_at_zero": "negative", "lifted": False},
        {"order": "shuffled", "seed": 7},
        {"init": "random", "seed": 3, "rate": Power()},
    ],
    ids=lambda settings: "-".join(map(str, settings)) or "plain",
)
def test_mistakes_are_those_of_the_pass(classes, settings):
    # integers tie, and are summed without rounding
    X, y, names = problem(classes, whole="init" not in settings)
    codes = np.array([names.index(label) for label in y])
    outputs = 1 if classes == 2 else classes
    runs = [PerceptronRun(1, output=k, **settings) for k in range(outputs)]
    weights, mistakes = brute(runs, X, codes)
    for points in (X, sparse.csr_array(X)):
        runs = [replace(run, sparse=sparse.issparse(points)) for run in runs]
        if outputs > 1 and "order" in settings:
            with pytest.raises(CannotClaim, match="order of its own"):
                issue_online_to_batch(points, y, names, runs, weights[:, :-1], weights[:, -1])
            continue
        found, _ = module.one_pass(runs, module.class_sample(points, y, names))
        assert np.allclose(found, weights)
        claim = issue_online_to_batch(points, y, names, runs, found[:, :-1], found[:, -1], 0.1)
        assert claim.mistakes == mistakes
        assert claim.bound == pytest.approx(mistakes / 80 + math.sqrt(math.log(10) / 160))
        assert not claim.of_predictions
        check_certificate(claim, points, y)
        assert claim.at(0.01).verify(points, y)
        assert claim.at(0.01).bound > claim.bound
        assert ("seed" in claim.assumes[-1]) == ("seed" in settings)


def issued():
    X, y, names = problem(m=120)
    runs = [PerceptronRun(1)]
    weights, _ = module.one_pass(runs, module.class_sample(X, y, names))
    return X, y, issue_online_to_batch(X, y, names, runs, weights[:, :-1], weights[:, -1])


def test_attacks_on_a_pass():
    X, y, claim = issued()
    written = claim.to_dict()
    assert "last weights" in claim.claim
    for change in (
        {"mistakes": claim.mistakes - 1},
        {"mistakes": claim.mistakes - 1, "bound": claim.bound - 1 / 120},
        {"bound": math.nextafter(claim.bound, 0)},
        {"delta": 0.04},
        {"intercept": [claim.intercept[0] + 1]},
        {"coef": (claim.coef * (1 + 1e-15)).tolist()},
        {"runs": [written["runs"][0] | {"lifted": False}]},
        {"examples": 119},
    ):
        assert not Certificate.from_dict(written | change).verify(X, y)
    weak = {"mistakes": claim.mistakes + 1, "bound": claim.bound + 0.1}
    assert Certificate.from_dict(written | weak).verify(X, y)
    swapped = np.where(y == "a", "b", "a")
    for points, labels in ((X[::-1], y[::-1]), (X, swapped), (X[:, :2], y), (X[1:], y[1:])):
        assert not claim.verify(points, labels)
    for hostile in (
        {"runs": [written["runs"][0] | {"epochs": 2}]},
        {"runs": [written["runs"][0] | {"order": "misclassified"}]},
        {"runs": []},
        {"mistakes": -1},
        {"mistakes": 121},
        {"coef": claim.coef[0].tolist()},
        {"delta": 0},
    ):
        with pytest.raises(ValueError, match=r".+"):
            Certificate.from_dict(written | hostile)


def test_refusals(monkeypatch):
    X, y, claim = issued()
    arguments = claim.coef, claim.intercept
    for run, reason in (
        (PerceptronRun(2), "one pass only"),
        (PerceptronRun(1, "misclassified"), "depends on the data"),
        (PerceptronRun(1, lifted=False), "does not end with these weights"),
    ):
        with pytest.raises(CannotClaim, match=reason):
            issue_online_to_batch(X, y, "ab", [run], *arguments)
    monkeypatch.setattr(module, "MAX_PASS_ROUNDS", 100)
    with pytest.raises(CannotClaim, match="asked for up to 100"):
        issue_online_to_batch(X, y, "ab", [PerceptronRun(1)], *arguments)
    assert "asked for up to 100" in claim.verify(X, y).why


def descent(run: GradientRun, X, signs):
    """(the average of the iterates, Σ losses, the longest iterate), written out."""
    loss = {"H": Hinge(), "L": Logistic(), "S": Squared()}[run.loss[0]]
    w, total, squares, losses, longest = np.zeros(4), np.zeros(4), 0.0, 0.0, 0.0
    for t, (x, y) in enumerate(zip(X, signs, strict=True), 1):
        x = np.append(x, float(run.lifted))
        losses += float(loss.of(y, w @ x))
        total += w
        longest = max(longest, float(np.linalg.norm(w)))
        gradient = run.lam * w + float(loss.gradient(y, w @ x)) * x
        squares += gradient @ gradient
        rate = 1 / (run.lam * t) if run.lam else math.sqrt(2) * run.radius / math.sqrt(squares)
        w = w - rate * gradient
        if run.radius is not None:
            w = w * min(1.0, run.radius / max(float(np.linalg.norm(w)), 1e-300))
    return total / len(X), losses, longest


@pytest.mark.parametrize(
    ("loss", "lam", "radius"),
    [(Hinge(), 0.5, None), (Hinge(), 0.0, 1.0), (Logistic(), 0.5, None), (Squared(), 0.1, 1.0)],
)
@pytest.mark.parametrize("lifted", [True, False])
def test_the_average_of_a_descent(loss, lam, radius, lifted):
    X, y, names = problem(m=100)
    signs = np.where(y == "b", 1.0, -1.0)
    run = GradientRun(repr(loss), lam, radius, lifted, True)
    w, losses, longest = descent(run, X, signs)
    claim = issue_average_to_batch(X, y, names, run, w[:-1], float(w[-1]), 0.1)
    assert claim.loss == pytest.approx(losses)
    assert claim.loss >= losses * (1 - 1e-12)
    assert claim.off < 1e-9
    reach = float(np.max(np.linalg.norm(X, axis=1)))
    far = math.hypot(reach, float(lifted))
    length = radius or far / lam
    assert longest <= length * (1 + 1e-9)
    span, least = float(loss.of(1.0, -length * far)), float(loss.of(1.0, 0.0))
    expected = (losses / 100 + span * math.sqrt(math.log(10) / 200)) / least
    assert claim.bound == pytest.approx(expected, rel=1e-5)
    assert claim.bound >= expected
    check_certificate(claim, X, y)
    assert claim.verify(sparse.csr_array(X), y)
    assert claim.at(0.01).verify(X, y)
    assert "longer than" in claim.assumes[-1]


def test_attacks_on_an_average():
    X, y, names = problem(m=100, seed=2)
    run = GradientRun("Hinge()", 0.0, 0.5, True, True)
    w, _, _ = descent(run, X, np.where(y == "b", 1.0, -1.0))
    claim = issue_average_to_batch(X, y, names, run, w[:-1], float(w[-1]), 0.5)
    assert not claim.vacuous
    written = claim.to_dict()
    for change in (
        {"loss": claim.loss * 0.999},
        {"loss": claim.loss * 0.999, "bound": claim.bound * 0.999},
        {"reach": claim.reach * 0.9},
        {"bound": math.nextafter(claim.bound, 0)},
        {"off": 0.0},
        {"delta": 0.4},
        {"coef": (w[:-1] + 1e-6).tolist()},
        {"intercept": float(w[-1]) + 1.0, "off": 1.0},
        {"run": written["run"] | {"radius": 0.4}},
        {"run": written["run"] | {"loss": "Logistic()"}},
    ):
        assert not Certificate.from_dict(written | change).verify(X, y)
    assert not claim.verify(X[::-1], y[::-1])
    impossible = Certificate.from_dict(written | {"loss": 1e300})  # more than any m losses
    assert not impossible.verify(X, y)
    assert impossible.at(0.1).vacuous
    assert f"longer than {claim.reach:g}" in claim.assumes[-1]
    assert float(f"{claim.reach:g}") == claim.reach
    # other weights are further from the average: paid for in the bound
    far = issue_average_to_batch(X, y, names, run, w[:-1] + 1e-3, float(w[-1]), 0.5)
    assert far.bound > claim.bound
    assert far.verify(X, y)
    for other, reason in (
        (replace(run, average=False), "not the last"),
        (replace(run, radius=1e-200), "underflow"),
    ):
        with pytest.raises(CannotClaim, match=reason):
            issue_average_to_batch(X, y, names, other, w[:-1], float(w[-1]))
    with pytest.raises(CannotClaim, match="too far"):
        issue_average_to_batch(X, y, names, run, w[:-1] + 10, float(w[-1]))
    with pytest.raises(CannotClaim, match="made for two"):
        issue_average_to_batch(X, y, "abc", run, w[:-1], float(w[-1]))
    for hostile in (
        {"run": written["run"] | {"average": False}},
        {"reach": -1.0},
        {"loss": -1.0},
        {"examples": 0},
        {"labels": {"classes": ["a", "b", "c"], "positive": 2, "column": None}},
    ):
        with pytest.raises(ValueError, match=r".+"):
            Certificate.from_dict(written | hostile)
