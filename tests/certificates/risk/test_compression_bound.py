"""Corollary 3, the re-run it rests on, and when it is refused."""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo import Perceptron, bounds
from certo.certificates import (
    CannotClaim,
    CompressionBound,
    Labels,
    PerceptronRun,
    PerceptronScheme,
    Sample,
)
from certo.certificates.risk import perceptron_scheme as module
from certo.issue.risk import issue_compression_bound
from certo.solvers.perceptron import perceptron

LABELS = Labels((-1, 1))


def printed(m: int, k: int, errors: int, delta: float) -> Decimal:
    """er ≤ ẽr + sqrt(((M + 1) ln m + ln(e/δ)) / m), to 90 digits."""
    with decimal.localcontext(decimal.Context(prec=90)):
        e = Decimal(1).exp()
        inside = (k + 1) * Decimal(m).ln() + (e / Decimal(delta)).ln()
        return Decimal(errors) / Decimal(m - k) + (inside / Decimal(m)).sqrt()


@settings(max_examples=60, deadline=None)
@given(
    m=st.integers(1, 10**9),
    share=st.floats(0, 0.5),
    wrong=st.floats(0, 1),
    delta=st.floats(0, 1, exclude_min=True, exclude_max=True),
)
def test_the_formula_is_the_printed_one_rounded_up(m, share, wrong, delta):
    k = int(m * share)
    errors = int((m - k) * wrong)
    exact = printed(m, k, errors, delta)
    ours = bounds.perceptron_compression(m, k, errors, delta)
    assert Decimal(ours) >= exact
    assert Fraction(ours) <= Fraction(exact) * (1 + Fraction(1, 2**51))
    naive = errors / (m - k) + math.sqrt(
        ((k + 1) * math.log(m) + math.log(math.e) - math.log(delta)) / m
    )
    assert ours == pytest.approx(naive, rel=1e-13)


def issued(m=400, seed=0, noise=0.0, run=None, zero_sign=1, **options):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, 2))
    X[:, 0] += np.sign(X[:, 0])
    signs = np.where(X[:, 0] + noise * rng.standard_normal(m) > 0, 1, -1).astype(np.int8)
    run = run or PerceptronRun(20)
    outcome = perceptron(X, signs, run)
    rows = np.flatnonzero(outcome.counts)
    scheme = PerceptronScheme((run,), outcome.w[None, :-1], outcome.w[-1:], zero_sign)
    claim = issue_compression_bound(Sample(X, signs), LABELS, scheme, rows, **options)
    return X, signs, claim


@pytest.mark.parametrize("order", ["cyclic", "shuffled"])
@pytest.mark.parametrize("init", ["zeros", "random"])
def test_a_bound_is_issued_and_verified(order, init):
    X, signs, claim = issued(run=PerceptronRun(20, order, init, seed=4))
    assert not claim.vacuous
    assert claim.verify(X, signs)
    assert any("seed" in text for text in claim.assumes) == ((order, init) != ("cyclic", "zeros"))
    scores = X @ claim.scheme.coef[0] + claim.scheme.intercept[0]
    others = np.setdiff1d(np.arange(len(X)), claim.updated)
    assert claim.errors == np.count_nonzero(signs[others] * scores[others] < 0)


def test_reasons_to_refuse():
    with pytest.raises(CannotClaim, match="order depends on the data"):
        issued(run=PerceptronRun(20, "misclassified"))
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    refused = Perceptron(epochs=3).fit(X, y).certificate_.not_claimed
    (reason,) = (item.reason for item in refused if item.name == "CompressionBound")
    assert "at most half of the examples" in reason


@pytest.mark.parametrize("wrong", [{"delta": 0.0}, {"delta": 1.0}, {"zero_sign": 0}])
def test_impossible_parameters_are_refused(wrong):
    with pytest.raises(ValueError, match="must"):
        issued(**wrong)


def test_vacuous_claim_is_marked_and_skips_the_rerun(monkeypatch):
    X, signs, short = issued(m=30, seed=1, noise=1.0, run=PerceptronRun(5), delta=1e-9)
    assert short.printed > 1 > short.best == short.tail > 0.5
    assert "alone gives these weights" in short.claim
    assert short.verify(X, signs)
    monkeypatch.setattr(module, "REPLAY_VISITS", 0)
    X, signs, claim = issued(m=30, seed=1, noise=1.0, run=PerceptronRun(5), delta=1e-9)
    assert claim.vacuous
    assert claim.tail == 1
    assert "vacuous" in claim.claim
    assert "alone gives these weights" not in claim.claim
    assert claim.verify(X, signs)
    assert "not replayed" in claim.verify(X, signs).why


def test_a_bound_below_one_is_never_believed_without_the_rerun(monkeypatch):
    monkeypatch.setattr(module, "REPLAY_VISITS", 0)
    X, signs, claim = issued()
    assert claim.verify(X, signs)
    data = claim.to_dict()
    data["scheme"]["coef"][0][0] *= 1 + 2**-30
    assert not CompressionBound.from_dict(data).verify(X, signs)


def test_the_exact_tail_is_sharper_and_checked():
    X, signs, claim = issued()
    assert list(claim.bounds) == ["printed", "exact tail"]
    assert claim.best == claim.tail < claim.printed
    data = claim.to_dict()
    for tail, holds in ((claim.tail * (1 - 1e-9), False), (claim.tail * 1.1, True), (0.0, False)):
        assert bool(CompressionBound.from_dict({**data, "tail": tail}).verify(X, signs)) == holds
    surer = claim.at(1e-6)
    assert surer.tail > claim.tail
    assert surer.printed > claim.printed
    assert surer.verify(X, signs)
    assert surer.at(0.05) == claim
    with pytest.raises(ValueError, match="delta"):
        claim.at(0.0)


def test_words_are_not_stronger_than_numbers():
    _, _, claim = issued(delta=0.01)
    assert Fraction(claim.claim.split("at most ")[-1].rstrip(".")) >= Fraction(claim.best)
    assert "1 − 0.01" in claim.claim


def test_an_average_depends_on_the_places_of_the_examples_too():
    """Running on the updated examples as if there were no others gives another average."""
    random = np.random.default_rng(4)
    X = random.normal(size=(300, 2))
    y = np.where(X[:, 0] + 0.3 * random.normal(size=300) > 0, "p", "n")
    for average in (False, True):
        model = Perceptron(average=average, epochs=2).fit(X, y)
        (claim,) = model.certificate_.of_kind("CompressionBound")
        alone = Perceptron(average=average, epochs=2).fit(X[claim.updated], y[claim.updated])
        assert np.array_equal(alone.coef_, model.coef_) == (not average)
        assert ("each at its place among all looks" in claim.claim) == average
        assert claim.verify(X, y)
