"""Regret: true, up to the rounding it states, whenever it verifies."""

from __future__ import annotations

import copy
import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo import OnlineGradientDescent
from certo.certificates import CannotClaim, Certificate, GradientRun, Labels, Sample
from certo.certificates.runs import regret as module
from certo.certificates.runs.gradient_run import loss_named, replay
from certo.issue.runs import regret as issuer
from certo.issue.runs.regret import _rough_slack, against, issue_regret
from certo.losses import Hinge, Logistic, Squared
from tests.oracles.online_boxes import gradient_box

SETTINGS = [
    {"loss": Hinge(), "lam": 0.1},
    {"loss": Hinge(), "lam": 0.0, "radius": 2.0, "average": False},
    {"loss": Logistic(), "lam": 0.5, "intercept": "none"},
    {"loss": Logistic(base=2), "lam": 0.0, "radius": 1.5},
    {"loss": Squared(), "lam": 0.1, "radius": 1.0},
]
NEAR = 1e-7  # the truth told here is rounded too


def problem(seed):
    random = np.random.default_rng(seed)
    m, d = int(random.integers(4, 25)), int(random.integers(1, 4))
    X = random.standard_normal((m, d))
    y = np.where(X[:, 0] + random.standard_normal(m) > 0, "up", "down")
    y[:2] = ("up", "down")
    model = OnlineGradientDescent(**SETTINGS[seed % 5]).fit(X, y)
    return X, y, model.certificate_[0].to_dict()


def is_true(data, X, y) -> bool:
    """From the words of the claim, by the plain box."""
    run, m = data["run"], len(y)
    d = X.shape[1]
    if data["examples"] != m or len(data["coef"]) != d or len(data["comparator"]) != d:
        return False
    if not run["lifted"] and (data["intercept"] or data["comparator_intercept"]):
        return False
    up = data["labels"]["classes"][data["labels"]["positive"]]
    signs = np.where(y == up, 1.0, -1.0)
    loss, lam, radius = loss_named(run["loss"]), run["lam"], run["radius"]
    with np.errstate(all="ignore"):
        iterates, gradients = gradient_box(X, signs, loss, lam, radius, lifted=run["lifted"])
        rows = np.c_[X, np.full(m, float(run["lifted"]))]
        used, u = iterates[:-1], np.array([*data["comparator"], data["comparator_intercept"]])
        suffered = np.sum(
            loss.of(signs, np.sum(rows * used, axis=1)) + lam / 2 * np.sum(used**2, axis=1)
        )
        fixed = np.sum(loss.of(signs, rows @ u)) + m * lam / 2 * (u @ u)
        squares = np.sum(gradients**2, axis=1)
        if lam:
            bound = np.sum(squares / (2 * lam * np.arange(1, m + 1)))
        else:
            bound = 2 * np.sqrt(2) * radius * np.sqrt(np.sum(squares))
        if radius is not None and np.linalg.norm(u) > radius * (1 + NEAR):
            return False
        answer = np.mean(used, axis=0) if run["average"] else iterates[-1]
        w = np.array([*data["coef"], data["intercept"]])
        return bool(
            np.max(np.abs(answer - w)) <= NEAR * np.max(np.abs(answer))
            and abs(suffered - data["suffered"]) <= NEAR * suffered
            and abs(fixed - data["comparator_loss"]) <= NEAR * fixed
            and data["bound"] >= bound * (1 - NEAR)
            and suffered - fixed <= data["bound"] + NEAR * (suffered + fixed + bound)
        )


def verified(data, X, y) -> bool:
    try:
        return bool(Certificate.from_dict(json.loads(json.dumps(data))).verify(X, y))
    except ValueError:
        return False


@pytest.mark.parametrize("seed", range(25))
def test_issued_claims_are_true_and_verify(seed):
    X, y, data = problem(seed)
    assert is_true(data, X, y)
    for store in (np.asarray, sparse.csr_array):
        assert verified(data, store(X), y)
    assert verified(data | {"bound": data["bound"] * 2}, X, y)
    assert not verified(data | {"bound": data["bound"] * 0.999}, X, y)
    assert not verified(data | {"suffered": data["suffered"] * 1.001}, X, y)
    assert not verified(data | {"comparator_loss": data["comparator_loss"] * 0.999}, X, y)
    assert not verified(data, X[::-1], y[::-1])  # another order is another run


@settings(max_examples=120, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 40), st.data())
def test_an_edited_certificate_verifies_only_if_it_is_true(seed, draw):
    X, y, data = problem(seed)
    data = copy.deepcopy(data)
    places = [(data, k) for k in ("suffered", "comparator_loss", "bound", "examples", "intercept")]
    places += [(data, "comparator_intercept"), (data["coef"], 0), (data["comparator"], 0)]
    places += [(data["run"], k) for k in ("loss", "lam", "radius", "lifted", "average")]
    for _ in range(draw.draw(st.integers(1, 2))):
        where, key = draw.draw(st.sampled_from(places))
        value = where[key]
        if isinstance(value, bool):
            where[key] = not value
        elif isinstance(value, int):
            where[key] = value + draw.draw(st.sampled_from([1, -1, 10**9]))
        elif isinstance(value, str):
            where[key] = draw.draw(st.sampled_from(["Hinge()", "Squared()", "Logistic()"]))
        elif value is None:
            where[key] = draw.draw(st.sampled_from([1.0, 1e300, 1e-300]))
        else:
            factors = [0.0, -1.0, 0.5, 1 + 1e-6, 1 - 1e-6, 2.0, 1e30, 1e-30, 5e-324]
            where[key] = value * draw.draw(st.sampled_from(factors))
    if verified(data, X, y):
        assert is_true(data, X, y)


def test_against_another_comparator():
    X, y, data = problem(0)
    claim = Certificate.from_dict(data)
    sample = Sample.of(X, y, claim.labels)
    other = against(claim, sample, np.zeros(X.shape[1]))
    assert other.comparator_loss == pytest.approx(len(y))  # the hinge loss of w = 0
    assert other.regret <= other.bound
    assert other.verify(X, y)
    assert other.suffered == claim.suffered


def test_a_comparator_outside_the_ball_is_refused():
    X, y, data = problem(1)
    claim = Certificate.from_dict(data)
    with pytest.raises(CannotClaim, match="in the ball of radius"):
        against(claim, Sample.of(X, y, claim.labels), np.full(X.shape[1], 9.0))


def test_runs_too_long_to_check_are_not_claimed(monkeypatch):
    X, y, data = problem(0)
    monkeypatch.setattr(module, "MAX_REPLAY_ROUNDS", 3)
    monkeypatch.setattr(issuer, "MAX_REPLAY_ROUNDS", 3)
    model = OnlineGradientDescent().fit(X, y)
    assert not model.certificate_.claims
    assert "repeats the run" in model.certificate_.not_claimed[0].reason
    assert not verified(data, X, y)


def test_a_loss_that_overflows_is_not_claimed():
    sample = Sample(np.array([[1e130], [-1e130]]), np.array([1, -1], np.int8))
    with pytest.raises(CannotClaim, match="overflow"):
        issue_regret(
            sample, Labels((0, 1)), GradientRun("Squared()", 0.0, 1e200, False, True),
            coef=np.zeros(1), intercept=0.0, suffered=1.0, bound=1.0, comparator=np.array([1e100]),
        )  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value"),
    [("suffered", -1.0), ("bound", -1.0), ("bound", "x"), ("comparator", [None]), ("coef", "x"),
     ("run", None), ("run", {}), ("examples", 1.5)],
)  # fmt: skip
def test_hostile_values_are_refused(field, value):
    _, _, data = problem(1)
    with pytest.raises(ValueError, match="must"):
        Certificate.from_dict(data | {field: value})


@pytest.mark.parametrize(
    ("field", "value"),
    [("loss", "eval()"), ("loss", "Logistic(base=__import__)"), ("lam", -1.0), ("lam", None),
     ("radius", 0.0), ("radius", "1"), ("lifted", 1), ("average", None)],
)  # fmt: skip
def test_hostile_runs_are_refused(field, value):
    _, _, data = problem(1)
    with pytest.raises(ValueError, match=r"must|could not convert"):
        Certificate.from_dict(data | {"run": data["run"] | {field: value}})


def test_a_loss_whose_allowance_overflows_is_not_accepted():
    # (1 − r)² is the largest float64 number, so that any allowance for it is infinite.
    r = 1.3407807929942596e154
    X, y, run = np.array([[1.0]]), [1], GradientRun("Squared()", 0.0, r, False, False)
    sample = Sample.of(X, y, Labels((0, 1)))
    again = replay(run, sample)
    numbers = {
        "coef": again.answer(run)[:-1], "intercept": 0.0, "suffered": again.suffered,
        "bound": run.bound(again.squares, again.budget, again.rounds),
    }  # fmt: skip
    honest = issue_regret(sample, Labels((0, 1)), run, comparator=np.array([1.0]), **numbers)
    assert honest.verify(X, y)
    assert not replace(honest, comparator=np.array([r]), comparator_loss=0.0).verify(X, y)
    with pytest.raises(CannotClaim, match="overflow"):
        issue_regret(sample, Labels((0, 1)), run, comparator=np.array([r]), **numbers)


def test_losses_that_rounding_hides_are_not_claimed():
    # The scores of u = (0.7, −0.7) are differences of numbers of 7e16, and rounded to multiples
    # of 8: the sum of their losses has no right digit.
    random = np.random.default_rng(0)
    X = 16.0 * random.integers(-9, 10, (40, 2)) + 1e17
    y = (X[:, 0] > X[:, 1]).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = OnlineGradientDescent(lam=0.1).fit(X, y)
    (claim,) = model.certificate_
    assert claim.verify(X, y)
    sample = Sample.of(X, y, claim.labels)
    with pytest.raises(CannotClaim, match="lost in the rounding"):
        against(claim, sample, [0.7, -0.7])
    hidden = replace(claim, comparator=np.array([0.7, -0.7]), comparator_intercept=0.0)
    computed = module._comparator_loss(claim.run, sample, np.array([0.7, -0.7, 0.0]))
    assert not replace(hidden, comparator_loss=computed).verify(X, y)


@given(st.integers(0, 10**6), st.sampled_from(SETTINGS), st.floats(0, 12))
@settings(max_examples=40, deadline=None)
def test_the_rough_allowance_is_one(seed, options, size):
    random = np.random.default_rng(seed)
    X = random.standard_normal((9, 3)) + 10.0**size * random.integers(0, 2)
    sample, u = Sample(X, random.choice([-1, 1], 9)), random.standard_normal(4)
    u[-1] *= options.get("intercept") != "none"
    run = GradientRun(
        repr(options["loss"]), options["lam"], options.get("radius"), bool(u[-1]), True
    )
    total = module._comparator_loss(run, sample, u)
    rough = _rough_slack(run, sample, u, total, float(np.max(np.sum(X**2, axis=1))))
    assert rough >= module._comparator_slack(run, sample, u, total)


def test_a_regret_that_doing_nothing_has_is_vacuous():
    X, y = np.array([[3.0, 0.0], [-3.0, 1.0]] * 2), ["up", "down"] * 2
    claim = OnlineGradientDescent(radius=1e6).fit(X, y).certificate_[0]
    assert not claim.informative
    assert claim.bound >= len(y)  # The hinge loss of a score of 0 is 1.
    assert "vacuous" in claim.claim
    better = OnlineGradientDescent(lam=0, radius=0.01).fit(X, y).certificate_[0]
    assert better.informative
    assert better.bound < len(y)
    assert "vacuous" not in better.claim
