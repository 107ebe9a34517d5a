"""Do the bounds hold? The short version of `python -m benchmarks coverage`, and exact coverage
where it can be computed."""

import numpy as np
import pytest
from benchmarks import coverage
from scipy import stats

from certo import SVM, HardMarginSVM, Perceptron, bounds, worlds

DRAWS = 6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("world", "model", "expected"),
    [
        (worlds.GaussianClasses(distance=1.5), Perceptron(epochs=1), {"printed", "exact tail"}),
        (worlds.NoisyGrid(), SVM(C=0.1, intercept="free"), {"exact tail", "Campi–Garatti"}),
        (worlds.SplitCloud(gap=0.0), HardMarginSVM(intercept="none"), {"Campi–Garatti"}),
    ],
    ids=["perceptron", "free intercept, ties", "hard margin"],
)
def test_no_bound_is_below_the_true_risk_more_often_than_it_may(world, model, expected):
    found = coverage.simulate(world, model, DRAWS, m=80, test=40)
    assert expected | {"test set"} <= set(found)
    for name, seen in found.items():
        row = coverage.row(name, seen, DRAWS)
        assert row["holds"] == "yes", row
        assert row["mean bound"] > row["mean true risk"]


@pytest.mark.parametrize(("n", "delta"), [(15, 0.05), (40, 0.2)])
def test_clopper_pearson_covers_every_rate(n, delta):
    intervals = [bounds.clopper_pearson(n, e, delta) for e in range(n + 1)]
    for p in np.linspace(0.001, 0.999, 97):
        missed = [not lower <= p <= upper for lower, upper in intervals]
        assert stats.binom.pmf(np.arange(n + 1), n, p) @ missed <= delta


def test_the_exact_tail_covers_every_rate_of_one_compression_set():
    """The places of the k examples fixed beforehand, the errors on the others are binomial, and
    the share of δ that the union leaves to one set of places is kept."""
    m, k, delta = 30, 3, 0.5
    tails = np.array([bounds.binomial_tail(m, k, e, delta) for e in range(m - k + 1)])
    share = delta / (m * stats.binom.pmf(k, m, 0.5) * 2**m)
    for p in np.linspace(0.001, 0.999, 97):
        assert stats.binom.pmf(np.arange(m - k + 1), m - k, p) @ (tails < p) <= share * (1 + 1e-9)


@pytest.mark.parametrize("d", [1, 3])
def test_boxes_change_as_often_as_campi_and_garatti_allow(d):
    """The smallest box around points of the unit cube is kept by at most 2d of them, and has
    preference; a new point changes it with the probability of the rest of the cube."""
    m, draws, delta = 60, 4000, 0.1
    points = np.random.default_rng(d).random((draws, m, d))
    low, high = points.min(axis=1), points.max(axis=1)
    change = 1 - np.prod(high - low, axis=1)
    ends = np.concatenate([points.argmin(axis=1), points.argmax(axis=1)], axis=1)
    kept = np.array([len(set(row)) for row in ends])
    limits = np.array([bounds.campi_garatti(m, k, delta) for k in range(2 * d + 1)])
    violated = int(np.sum(change > limits[kept]))
    assert bounds.clopper_pearson(draws, violated, 0.002).lower <= delta
    # in one dimension there are always two, and the fixed dimension is exact
    if d == 1:
        share = np.mean(change > bounds.fixed_dimension(m, 2, delta))
        assert share == pytest.approx(delta, abs=0.02)
