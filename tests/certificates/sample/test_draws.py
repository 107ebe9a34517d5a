"""What shows that rows are not independent draws, and what must not be taken for it."""

import itertools
import json

import numpy as np
import pytest

from certo import KernelPerceptron, OnlineGradientDescent, Perceptron, certify
from certo.certificates import Certified, LinearPredictor
from certo.certificates.base import CannotClaim
from certo.certificates.sample import draws, label_order, shared_rows
from certo.issue.errors import issue_test_errors
from certo.issue.risk import issue_online_to_batch
from certo.kernels import Gaussian
from certo.losses import Hinge
from tests.oracles.coins import TOSSED, tosses


def attacks(random):
    """Machines and rows of a fair coin that are not draws, with test rows or without."""
    X, y = random.normal(size=(3000, 200)), tosses(random, 3000)
    fit = X[:100], y[:100]
    more = X[:102], y[:102]
    yield Perceptron(epochs=200), (*fit, *more)
    some = random.permutation(np.repeat(np.arange(30), 60))
    for machine in (
        Perceptron(epochs=20),
        Perceptron(epochs=20, order="shuffled", random_state=0),
        KernelPerceptron(Gaussian(100.0), epochs=20),
    ):
        yield machine, (X[some], y[some])
    lucky = np.flatnonzero(Perceptron().fit(*fit).predict(X[100:160]) == y[100:160])
    chosen = np.repeat(100 + lucky, 500)
    yield Perceptron(), (*fit, X[chosen], y[chosen])
    twice = np.concatenate([part[np.argsort(y[part])] for part in np.split(np.arange(3000), 2)])
    machine = OnlineGradientDescent(loss=Hinge(), lam=0, radius=3.0)
    yield machine, (0.1 * np.tanh(X[twice, :1]), y[twice])


@pytest.mark.parametrize("place", range(6))
def test_fair_coin_yields_no_false_claim(place, monkeypatch):
    random = np.random.default_rng(5)
    machine, data = next(itertools.islice(attacks(random), place, None))
    model = machine.fit(*data[:2])
    X, y, X_test, y_test = (*data, None, None)[:4]
    settings = {"delta": 1e-6, "X_test": X_test, "y_test": y_test}
    page = certify(model, X, y, **settings)
    assert all(claim.best >= 0.5 for claim in page.risks), TOSSED
    assert page.verify(X, y, X_test, y_test)
    # Whoever issues the claims all the same does not get them past the checker.
    none = shared_rows.Known(np.zeros(np.size(y_test), bool), np.zeros(np.size(y_test), bool))
    with monkeypatch.context() as blind:
        blind.setattr(draws, "why_copied", lambda *data: "")
        blind.setattr(label_order, "why_ordered", lambda *data: "")
        blind.setattr("certo.guarantees.certifying.known_examples", lambda *data: none)
        page = certify(machine.fit(X, y), X, y, **settings)
    assert any(claim.best < 0.5 for claim in page.risks)
    assert not page.verify(X, y, X_test, y_test)
    page = Certified.from_dict(json.loads(json.dumps(page.to_dict())))
    assert not page.verify(X, y, X_test, y_test)


def test_shuffled_visits_of_sorted_rows_are_draws_in_order():
    random = np.random.default_rng(6)
    X = random.normal(size=(400, 2))
    y = np.where(X[:, 0] > 0, "up", "down")
    order = np.argsort(y)
    X, y = X[order], y[order]

    def of(**settings):
        model = Perceptron(epochs=1, **settings).fit(X, y)
        runs = [claim.scheme.runs[0] for claim in model.certificate_.of_kind("CompressionBound")]
        return issue_online_to_batch(X, y, ["down", "up"], runs, model.coef_, model.intercept_)

    with pytest.raises(CannotClaim, match=r"sorted by their labels \(2 runs"):
        of()
    assert of(order="shuffled", random_state=1).verify(X, y)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_average_of_a_pass_over_sorted_rows_is_not_bounded(classes):
    """The looks between updates tell how many examples each class has."""
    random = np.random.default_rng(6)
    X = random.normal(size=(600, 2))
    X[:, 0] = np.where(X[:, 0] > 0, 1, -1) * (1 + np.abs(X[:, 0]))
    y = (X[:, 0] > 0).astype(int) + (X[:, 0] > 0) * (X[:, 1] > 0) * (classes == 3)
    for order, bounded in ((np.arange(600), True), (np.argsort(y), False)):
        rows = X[order], y[order]
        model = Perceptron(epochs=1, average=True).fit(*rows)
        assert bool([c for c in certify(model, *rows).risks if not c.vacuous]) == bounded
        assert certify(Perceptron(epochs=1).fit(*rows), *rows).risks


def test_issuing_refuses_what_checking_would():
    random = np.random.default_rng(7)
    X, y = random.normal(size=(20, 3)), random.integers(0, 2, 20)
    rows = np.repeat(np.arange(20), 30)
    rule = LinearPredictor(random.normal(size=(1, 3)), [0.0])
    with pytest.raises(CannotClaim, match="Remove the copies"):
        issue_test_errors(X[rows], y[rows], (0, 1), rule)
    assert issue_test_errors(X, y, (0, 1), rule).verify(X, y)
