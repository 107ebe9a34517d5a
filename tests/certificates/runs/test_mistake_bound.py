"""The convergence theorem, as the notes state it and in general."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from certo.certificates import CannotClaim, Labels, MistakeBound, PerceptronRun, Sample, UpdateSums
from certo.certificates.spaces.space import Machine
from certo.checks import check_certificate
from certo.issue.machines import hyperplane
from certo.issue.runs.mistake_bound import issue_mistake_bound
from certo.plots.update_curves import update_curves
from certo.rates import Constant, Geometric, Power
from certo.solvers.perceptron import perceptron

LABELS = Labels((-1, 1))
law = settings(max_examples=50, deadline=None)
seeds = st.integers(0, 10**6)


def claim_of(X, signs, run, outcome, u, bias=0.0, before=0) -> MistakeBound:
    rows = np.flatnonzero(outcome.counts)
    return issue_mistake_bound(
        Sample(X, signs), LABELS, lifted=run.lifted, sums=UpdateSums(run.rate, before),
        machine=Machine(
            outcome.w[:-1], rows, outcome.counts[rows] * signs[rows], float(outcome.w[-1])
        ),
        start=outcome.start,
        totals=outcome.totals[rows] if outcome.totals.size else outcome.totals,
        comparator=hyperplane(u, float(bias)),
    )  # fmt: skip


def separable(seed, m=30, d=3, gap=0.3):
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(d)
    X = rng.standard_normal((m, d)) * 2
    score = X @ u
    keep = np.abs(score) > gap
    return X[keep], np.where(score > 0, 1, -1).astype(np.int8)[keep], u


@law
@given(
    seed=seeds, order=st.sampled_from(["cyclic", "shuffled", "misclassified"]), lifted=st.booleans()
)
def test_no_run_on_separable_data_exceeds_the_bound_of_any_separator(seed, order, lifted):
    X, signs, u = separable(seed)
    assume(len(X) > 2)
    run = PerceptronRun(1000, order, lifted=lifted, seed=seed)
    outcome = perceptron(X, signs, run)
    rng = np.random.default_rng(seed)
    for k in range(4):
        other = u * 10.0 ** rng.integers(-6, 6) + (k * 0.05 * rng.standard_normal(u.size))
        claim = claim_of(X, signs, run, outcome, other)
        assert claim.updates == outcome.updates <= claim.bound
        assert claim.verify(X, signs)
        if claim.separable:  # (‖u‖X/γ(u))², in rational arithmetic
            sample = Sample(X, signs)
            gamma = min(sample.score(t, other, 0.0) * int(s) for t, s in enumerate(signs))
            longest = max(sample.square(t) for t in range(len(X))) + lifted
            real = sum(Fraction(v) ** 2 for v in other) * longest / gamma**2
            assert math.floor(real) <= claim.bound <= math.floor(real * (1 + Fraction(1, 10**12)))


def test_the_bound_is_attained():
    """e_1, …, e_k, all positive: k updates, and (‖u‖X/γ(u))² = k for u = (1, …, 1)."""
    for k in (1, 2, 5, 30):
        X, signs = np.eye(k), np.ones(k, np.int8)
        run = PerceptronRun(10, lifted=False)
        outcome = perceptron(X, signs, run)
        for scale in (1.0, 0.1, 1 / 3, 1e-170, 1e100):
            claim = claim_of(X, signs, run, outcome, np.full(k, scale))
            assert claim.updates == k == claim.bound
            assert claim.verify(X, signs)


def test_a_schedule_that_never_converges_has_no_limit():
    """w0 = −10, x = 1, y = +1, η_n = 2⁻ⁿ: Ση = 1, so w stays below −9 for ever."""
    X, signs = np.array([[1.0]]), np.ones(1, np.int8)
    run = PerceptronRun(40, lifted=False, rate=Geometric(1.0, 0.5))
    outcome = perceptron(X, signs, run, start=np.array([-10.0, 0.0]))
    assert not outcome.converged
    claim = claim_of(X, signs, run, outcome, [1.0])
    assert claim.bound is None
    assert claim.verify(X, signs)
    assert "No limit is claimed" in claim.claim


@pytest.mark.slow
@law
@given(
    seed=seeds,
    rate=st.sampled_from([Constant(1.0), Constant(0.3), Power(1.0, 0.3), Geometric(1.0, 0.99)]),
    random=st.booleans(),
    lifted=st.booleans(),
)
def test_any_rate_and_start(seed, rate, random, lifted):
    X, signs, u = separable(seed)
    assume(len(X) > 2)
    run = PerceptronRun(
        30, init="random" if random else "zeros", lifted=lifted, rate=rate, seed=seed
    )
    outcome = perceptron(X, signs, run)
    for comparator in (u, outcome.w[:-1], -u, 0 * u):
        claim = claim_of(X, signs, run, outcome, comparator)
        assert claim.bound is None or claim.updates <= claim.bound
        assert claim.verify(X, signs)
        check_certificate(claim, X, signs)


@law
@given(seed=seeds)
def test_mistake_bound_for_inseparable_data(seed):
    rng = np.random.default_rng(seed)
    X, signs = rng.standard_normal((20, 2)), rng.choice([-1, 1], 20).astype(np.int8)
    run = PerceptronRun(7, lifted=False)
    outcome = perceptron(X, signs, run)
    u = rng.standard_normal(2)
    claim = claim_of(X, signs, run, outcome, u)
    if claim.separable:
        return
    # u/ρ has target 1: M ≤ ((a + √(a² + 4H))/2)² ≤ H + a² + a√H
    a = math.sqrt(claim.radius2 * float(u @ u)) / claim.target
    margins = signs * (X @ u) / claim.target
    falls = float(np.sum(outcome.counts * np.maximum(0, 1 - margins)))
    real = ((a + math.sqrt(a * a + 4 * falls)) / 2) ** 2
    assert abs(claim.bound - math.floor(real)) <= (abs(real - round(real)) < 1e-9 * real)
    assert outcome.updates <= claim.bound
    assert real <= (falls + a * a + a * math.sqrt(falls)) * (1 + 1e-12)


@law
@given(
    seed=seeds,
    rate=st.sampled_from([Constant(1.0), Constant(0.25), Power(1.0, 0.5)]),
    random=st.booleans(),
)
def test_squared_norms_stay_between_the_curves(seed, rate, random):
    X, signs, u = separable(seed)
    assume(len(X) > 2)
    run = PerceptronRun(50, init="random" if random else "zeros", rate=rate, seed=seed)
    outcome = perceptron(X, signs, run)
    for comparator in (u, np.random.default_rng(seed).standard_normal(u.size)):
        claim = claim_of(X, signs, run, outcome, comparator)
        lower, upper = update_curves(claim, outcome.trace.update)
        norms = outcome.trace.squared_norm
        assert np.all(lower <= norms * (1 + 1e-9) + 1e-9)
        assert np.all(norms <= upper * (1 + 1e-9) + 1e-9)


def test_extreme_scales_give_weak_claims_and_no_false_ones():
    X = np.array([[1.0, 2.0], [-1.5, 0.5], [0.3, -2.0], [-0.1, -1.0]])
    signs = np.array([1, 1, -1, -1], np.int8)
    for rate in (Constant(1e-170), Power(1e-170, 0.5), Geometric(1e-170, 0.9), Geometric(1.0, 3.0)):
        run = PerceptronRun(20, lifted=False, rate=rate)
        outcome = perceptron(X, signs, run)
        claim = claim_of(X, signs, run, outcome, outcome.w[:-1])
        assert claim.verify(X, signs)


def test_overflowing_runs_are_not_claimed():
    X, signs = np.array([[1e200], [-1e200]]), np.array([1, -1], np.int8)
    with pytest.raises(CannotClaim, match="overflow"):
        issue_mistake_bound(
            Sample(X, signs), LABELS, machine=hyperplane(np.zeros(1)), lifted=False,
            start=np.zeros(2), comparator=hyperplane(np.ones(1)),
        )  # fmt: skip


def test_more_updates_than_the_theorem_allows_are_not_claimed():
    X, signs = np.eye(2), np.ones(2, np.int8)
    with pytest.raises(CannotClaim, match="more than the 2"):
        issue_mistake_bound(
            Sample(X, signs), LABELS, lifted=False, start=np.zeros(3),
            machine=Machine(np.full(2, 9.0), np.arange(2), np.full(2, 9), 0.0),
            comparator=hyperplane(np.ones(2)),
        )  # fmt: skip
    with pytest.raises(ValueError, match="intercept"):
        issue_mistake_bound(
            Sample(X, signs), LABELS, lifted=False, start=np.zeros(3),
            machine=Machine(np.ones(2), np.arange(2), np.ones(2), 0.0),
            comparator=hyperplane(np.ones(2), 1.0),
        )  # fmt: skip
