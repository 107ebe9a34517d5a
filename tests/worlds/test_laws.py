"""Laws of every world: what is drawn is what is said of it, and nothing beats the Bayes risk."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

import certo
from certo import bounds, worlds
from certo.estimators.description import descriptions
from certo.features import BoxPolynomials
from certo.kernels import Gaussian
from certo.losses import NegativeLogLikelihood, Squared
from certo.worlds import ClassWorld, DensityWorld, NumberWorld

EVERY = [getattr(worlds, name)() for name in worlds.__all__]
CLASSES = [world for world in EVERY if isinstance(world, ClassWorld)]
NUMBERS = [world for world in EVERY if isinstance(world, NumberWorld)]
DENSITIES = [world for world in EVERY if isinstance(world, DensityWorld)]
every_world = pytest.mark.parametrize("world", EVERY, ids=repr)
every_class_world = pytest.mark.parametrize("world", CLASSES, ids=repr)
law = settings(max_examples=8, deadline=None)

#: The least risk of each world, by formulas that its code does not use.
BAYES = {
    "NoisyGrid": 0.1,
    "GaussianClasses": special.ndtr(-1.0),
    "SplitCloud": 0.0,
    "Ring": 0.05,
    "Checkerboard": 0.1,
    "Waves": 0.5 - 0.9 / math.pi,
    "NoisyLine": 0.25,
    "NoisySine": 0.09,
    "BetaDensity": float(stats.beta(2, 5).entropy()),
}


def test_there_are_worlds_of_every_kind():
    assert len(EVERY) == len(CLASSES) + len(NUMBERS) + len(DENSITIES) >= 6
    assert NUMBERS
    assert DENSITIES
    assert {world.n_features for world in CLASSES} == {1, 2}


@every_world
def test_a_draw_fits_what_takes_it_and_repeats_with_its_seed(world):
    X, y = world.draw(50, rng=3)
    assert X.shape == (50, world.n_features)
    assert X.dtype == np.float64
    assert (y is None) == isinstance(world, DensityWorld)
    again = world.draw(50, rng=np.random.default_rng(3))
    assert np.array_equal(again.X, X)
    assert y is None or np.array_equal(again.y, y)
    assert world.draw(0).X.shape == (0, world.n_features)
    for wrong in (-1, 2.5):
        with pytest.raises(ValueError, match="must be a number of examples"):
            world.draw(wrong)


@every_world
def test_the_least_risk_is_that_of_an_independent_formula(world):
    name = type(world).__name__
    if name == "LogisticLine":  # no formula: another program's quadrature

        def least(x):
            eta = special.expit(10 * x - 3)
            return stats.beta(2, 5).pdf(x) * min(eta, 1 - eta)

        expected = sum(
            integrate.quad(least, *ends, epsabs=1e-13)[0] for ends in ((0, 0.3), (0.3, 1))
        )
    else:
        expected = BAYES[name]
    assert world.bayes_risk == pytest.approx(expected, abs=1e-10)


@every_class_world
def test_eta_is_how_often_an_example_is_positive(world):
    """E η over a region is the share of positive examples in it: at a level of 1e-6 in all."""
    X, y = world.draw(20_000, rng=0)
    assert set(np.unique(y)) <= {-1, 1}
    eta = world.eta(X)
    assert eta.min() >= 0
    assert eta.max() <= 1
    regions = [np.ones(len(X), bool), X[:, 0] > np.median(X[:, 0]), eta >= 0.5]
    allowed = math.sqrt(math.log(2 * len(regions) / 1e-6) / 2)  # Hoeffding
    for region in regions:
        count = max(int(region.sum()), 1)
        assert abs(np.mean(y[region] == 1) - np.mean(eta[region])) <= allowed / math.sqrt(count)


@pytest.mark.slow
@every_class_world
def test_the_bayes_classifier_has_the_bayes_risk_and_its_opposite_the_rest(world):
    assert world.risk(world.bayes) == pytest.approx(world.bayes_risk, abs=1e-9)
    opposite = world.risk(lambda X: -world.bayes(X))
    assert opposite == pytest.approx(1 - world.bayes_risk, abs=2e-6)
    everywhere = [world.risk(lambda X, says=says: np.full(len(X), says)) for says in (-1, 1)]
    assert sum(everywhere) == pytest.approx(1.0, abs=1e-9)
    assert min(everywhere) >= world.bayes_risk


def machines(world):
    """Of every kind, from rough to over-fitted, each fitted to a sample of this world."""
    X, y = world.draw(60, rng=1)
    if isinstance(world, DensityWorld):
        features = [BoxPolynomials(1), BoxPolynomials(5)]
        made = [certo.LogLinearDensity(features=phi, box=(0, 1)) for phi in features]
        return [machine.fit(X) for machine in (*made, certo.GaussianDensity())]
    if isinstance(world, NumberWorld):
        return [one.fit(X, y) for one in (certo.LeastSquares(), KNeighborsRegressor(1))]
    made = [
        certo.Perceptron(epochs=2),
        certo.KernelPerceptron(Gaussian(0.2), epochs=2),
        certo.LogisticRegression(ridge=0.1),
        certo.SVM(C=1.0),
        certo.SVM(Gaussian(0.2), C=10.0),
        certo.Pegasos(lam=0.1, max_iter=500, random_state=0),
        certo.OnlineGradientDescent(lam=0.1),
        certo.MinDisagreement(time_limit=0.5),
        DecisionTreeClassifier(random_state=0),
    ]
    made += [certo.HardMarginSVM()] if isinstance(world, worlds.SplitCloud) else []
    made += [KNeighborsClassifier(1)] if world.n_features == 1 else []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two epochs seldom suffice
        return [machine.fit(X, y) for machine in made]


@pytest.mark.slow
def test_every_machine_is_among_those_that_are_compared_with_the_bayes_risk():
    one_of_each = (worlds.SplitCloud(), worlds.NoisyLine(), worlds.BetaDensity())
    kinds = {type(machine) for world in one_of_each for machine in machines(world)}
    assert {description.kind for description in descriptions()} <= kinds


@pytest.mark.slow
@every_world
def test_no_machine_has_less_than_the_bayes_risk_and_the_risk_is_what_new_examples_show(world):
    """A million errors would show a risk to a thousandth; the interval has a level of 1e-6."""
    new = world.draw(20_000, rng=2)
    for machine in machines(world):
        risk = world.risk(machine)
        assert risk >= world.bayes_risk
        if isinstance(world, ClassWorld):
            errors = int(np.sum(machine.predict(new.X) != new.y))
            low, high = bounds.clopper_pearson(len(new.y), errors, 1e-6)
            # A rule of nearest neighbours may cross a line twice between two of its points.
            assert low - 2e-3 <= risk <= high + 2e-3
        else:
            loss = NegativeLogLikelihood() if new.y is None else Squared()
            assert certo.risk(machine, *new, loss) == pytest.approx(risk, abs=0.05)


@pytest.mark.slow
@law
@example(20840, 1.0, 2)  # nearly level: all of it is in a band of the second coordinate
@given(st.integers(0, 10**6), st.floats(-1, 1), st.sampled_from([1, 2]))
def test_the_formula_for_hyperplanes_is_the_integral_over_the_plane(seed, b, d):
    w = np.random.default_rng(seed).normal(size=d)

    def rule(X):
        return np.where(X @ w + b >= 0, 1, -1)

    for world in (worlds.GaussianClasses(1.2, d=d), worlds.SplitCloud(0.3, d=d)):
        assert world.hyperplane_risk(w, b) == pytest.approx(world.risk(rule), abs=3e-6)
    grid = worlds.NoisyGrid()
    assert grid.risk(lambda X: rule(X[:, :d])) >= grid.bayes_risk


@law
@given(st.integers(0, 10**6), st.floats(-1, 1), st.floats(-1, 2))
def test_short_margins_are_as_frequent_as_in_a_large_draw(seed, b, margin):
    rng = np.random.default_rng(seed)
    for world in (worlds.GaussianClasses(1.0, d=4), worlds.SplitCloud(d=3), worlds.NoisyGrid()):
        w = rng.normal(size=world.n_features)
        X, y = world.draw(4000, rng)
        count = int(np.sum(y * (X @ w + b) < margin))
        low, high = bounds.clopper_pearson(4000, count, 1e-8)
        assert low <= world.short_margins(w, b, margin) <= high


@pytest.mark.slow
def test_a_hyperplane_without_weights_gives_one_answer():
    for world in (worlds.GaussianClasses(), worlds.SplitCloud(), worlds.NoisyGrid()):
        always = world.risk(lambda X: np.ones(len(X)))
        assert world.hyperplane_risk([0.0, 0.0], 0.0) == pytest.approx(always, abs=1e-9)
        assert world.hyperplane_risk([0.0, 0.0], -1.0) == pytest.approx(1 - always, abs=1e-9)


@pytest.mark.slow
def test_a_line_on_the_checkerboard_keeps_a_square_wrong():
    world = worlds.Checkerboard(noise=0.1)
    random = np.random.default_rng(0)
    found = [world.hyperplane_risk(random.normal(size=2), random.normal()) for _ in range(5)]
    assert min(found) >= 0.1 + 0.8 / 4 - 1e-6
    assert world.hyperplane_risk([1.0, 1e-9], 0.0) == pytest.approx(0.5, abs=1e-6)


@pytest.mark.slow
def test_what_a_risk_cannot_be_computed_of_is_refused():
    ring, line, density = worlds.Ring(), worlds.NoisyLine(), worlds.BetaDensity()
    with pytest.raises(ValueError, match="answers must be -1 and \\+1"):
        ring.risk(lambda X: np.zeros(len(X)))
    with pytest.raises(ValueError, match="one for each row"):
        line.risk(lambda X: X)
    with pytest.raises(TypeError, match="fitted machine with predict"):
        ring.risk("a text")
    with pytest.raises(ValueError, match="the integral of q is larger than 1"):
        density.risk(lambda X: np.full(len(X), 3.0))
    with pytest.raises(ValueError, match=r"shape \(examples, 2\)"):
        ring.eta(np.zeros((3, 1)))
    with pytest.raises(ValueError, match="coef must have 2 entries"):
        ring.hyperplane_risk([1.0])
    with pytest.raises(ValueError, match="is computed in the plane"):
        worlds.GaussianClasses(d=3).risk(lambda X: np.ones(len(X)))


def test_an_impossible_density_has_an_infinite_risk():
    world = worlds.BetaDensity()
    half = certo.LogLinearDensity(features=BoxPolynomials(1), box=(0, 0.9))
    half.fit(0.5 * world.draw(50, rng=0).X)
    assert world.risk(half) == math.inf


@pytest.mark.parametrize(
    "make",
    [
        lambda: worlds.Ring(noise=0.6),
        lambda: worlds.Ring(radius=-1),
        lambda: worlds.NoisyGrid(noise="much"),
        lambda: worlds.GaussianClasses(d=0),
        lambda: worlds.GaussianClasses(distance=math.nan),
        lambda: worlds.SplitCloud(d=2.0),
        lambda: worlds.Waves(count=0),
        lambda: worlds.NoisySine(frequency=1e9),
        lambda: worlds.BetaDensity(a=0.5),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(make):
    with pytest.raises(ValueError, match="must be a"):
        make()
