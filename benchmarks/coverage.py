"""Do the bounds hold? Data from known distributions, fits, every bound, and beside it the truth.

A bound at level δ may be below the true risk in a share δ of the draws. For every world, machine
and bound: how often it was (with what Monte-Carlo error allows), its mean, and the mean true risk.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from benchmarks.harness import BenchTable
from certo import SVM, HardMarginSVM, Perceptron, bounds, certify
from certo.estimators.new_examples import one_pass
from certo.kernels import Gaussian

DELTA = 0.05
EXAMPLES, TEST = 400, 200


class Draw(NamedTuple):
    X: np.ndarray
    y: np.ndarray


@dataclass(frozen=True)
class World:
    """A distribution of examples, and how often the rule sign(w·x + b) (or a model, where no
    formula is known) is wrong, or has a margin below `least`."""

    draw: Callable[[np.random.Generator, int], Draw]
    risk: Callable[..., float]


def overlapping(d: int = 5, distance: float = 1.5) -> World:
    """Two Gaussian classes, so far from the origin each, on one axis; the best risk is
    Φ(−distance)."""

    def draw(rng, m):
        y = rng.choice([-1, 1], m)
        X = rng.normal(size=(m, d))
        X[:, 0] += distance * y
        return Draw(X, y)

    def risk(w, b, least=0.0):
        length = max(float(np.linalg.norm(w)), 1e-300)
        short = [(least - distance * w[0] - sign * b) / length for sign in (-1, 1)]
        return float(np.mean(special.ndtr(short)))

    return World(draw, risk)


def separated(d: int = 3, gap: float = 0.0) -> World:
    """A Gaussian cloud, split at x₀ = 0 and perhaps pulled apart: every sample is separable."""
    middle = special.ndtri(
        (np.arange(20_000) + 0.5) / 20_000
    )  # of equally likely parts of the line
    places = middle + gap * np.sign(middle)

    def draw(rng, m):
        X = rng.normal(size=(m, d))
        y = np.where(X[:, 0] > 0, 1, -1)
        X[:, 0] += gap * y
        return Draw(X, y)

    def risk(w, b, least=0.0):
        across = max(float(np.linalg.norm(w[1:])), 1e-300)
        short = least - np.sign(places) * (w[0] * places + b)
        return float(np.mean(special.ndtr(short / across)))

    return World(draw, risk)


def noisy_grid(noise: float = 0.1) -> World:
    """Twenty-five points that repeat again and again, on a line through some of them, labels
    flipped at random: duplicates, ties and contradictions."""
    points = np.array([(i, j) for i in range(-2, 3) for j in range(-2, 3)], float)
    side = np.where(points.sum(axis=1) + 0.5 > 0, 1, -1)

    def draw(rng, m):
        at = rng.integers(25, size=m)
        flip = np.where(rng.random(m) < noise, -1, 1)
        return Draw(points[at], side[at] * flip)

    def risk(w, b, least=0.0):
        scores = points @ w + b
        if least == 0:
            right = np.where(scores >= 0, 1, -1) == side
            return float(np.mean(np.where(right, noise, 1 - noise)))
        short = [sign * side * scores < least - 1e-6 for sign in (1, -1)]  # many are at 1
        return float(np.mean((1 - noise) * short[0] + noise * short[1]))

    return World(draw, risk)


def ring(noise: float = 0.05, fresh: int = 20_000) -> World:
    """A disc inside the plane, labels flipped at random; the risk is counted on fresh examples."""

    def draw(rng, m):
        X = rng.normal(size=(m, 2))
        y = np.where(np.sum(X**2, axis=1) > 1.4, 1, -1)
        return Draw(X, np.where(rng.random(m) < noise, -y, y))

    X, y = draw(np.random.default_rng(1), fresh)

    def risk(model):
        return float(np.mean(model.predict(X) != y))

    return World(draw, risk)


SETTINGS = {
    ("Gaussian classes", "perceptron, one pass"): (overlapping(), Perceptron(epochs=1)),
    ("Gaussian classes", "perceptron, 3 passes"): (overlapping(), Perceptron(epochs=3)),
    ("Gaussian classes", "SVM, no intercept"): (overlapping(), SVM(C=1, intercept="none")),
    ("Gaussian classes", "SVM, lifted"): (overlapping(), SVM(C=1, intercept="lifted")),
    ("Gaussian classes", "SVM, free"): (overlapping(), SVM(C=1, intercept="free")),
    ("separable", "perceptron"): (separated(), Perceptron(epochs=500)),
    ("separable", "hard margin, none"): (separated(), HardMarginSVM(intercept="none")),
    ("separable", "hard margin, free"): (separated(), HardMarginSVM(intercept="free")),
    ("noisy grid", "perceptron, one pass"): (noisy_grid(), Perceptron(epochs=1)),
    ("noisy grid", "SVM, free"): (noisy_grid(), SVM(C=0.1, intercept="free")),
    ("ring", "SVM, Gaussian kernel"): (ring(), SVM(Gaussian(1.0), C=1, intercept="none")),
}


class Seen(NamedTuple):
    """One bound of one draw; a bound on a side that there is not is 0."""

    name: str
    lower: float
    upper: float
    risk: float


def iterates(run, X, y) -> np.ndarray:
    """The weights (intercept last) before each round of one pass, by the box of the perceptron."""
    rows = np.column_stack([X, np.full(len(y), float(run.lifted))])
    w, found = np.zeros(rows.shape[1]), []
    for x, sign in zip(rows, y, strict=True):
        found.append(w)
        if sign * (x @ w) <= 0:
            w = w + sign * x
    return np.array(found)


def look(world: World, model, rng, m: int = EXAMPLES, test: int = TEST) -> Iterator[Seen]:
    """Fit one draw, certify it, and put every bound beside the true risk of what it speaks of."""
    (X, y), (X_test, y_test) = world.draw(rng, m), world.draw(rng, test)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a run of one pass never converges
        model = clone(model).fit(X, y)
    linear = getattr(model, "kernel", None) is None
    risk = world.risk(model.coef_[0], float(model.intercept_[0])) if linear else world.risk(model)
    page = certify(model, X, y, delta=DELTA, X_test=X_test, y_test=y_test)
    of_the_pass = isinstance(model, Perceptron) and model.epochs == 1
    for claim in (*page.risks, *([one_pass(model, X, y, DELTA)] if of_the_pass else [])):
        true, lower = risk, 0.0
        if claim.name == "OnlineToBatch":  # about an iterate drawn at random
            true = np.mean([world.risk(w[:-1], w[-1]) for w in iterates(model.run(), X, y)])
        if claim.name == "TestErrors":
            lower = claim.interval[0]
        for name, value in claim.bounds.items():
            yield Seen(name, lower, value, float(true))
        if claim.name == "SupportBound" and linear:  # its theorem speaks of margins
            short = short_margins(world, model, X, y)
            yield Seen("Campi–Garatti, margins below 1", 0.0, claim.best, short)
    if isinstance(model, HardMarginSVM):  # no certificate claims that all samples are separable
        most = bounds.fixed_dimension(m, X.shape[1] + (model.intercept != "none"), DELTA)
        yield Seen("fixed dimension", 0.0, most, risk)
        short = short_margins(world, model, X, y)
        yield Seen("fixed dimension, margins below 1", 0.0, most, short)


def short_margins(world: World, model, X, y) -> float:
    """How often a margin is below 1; hard margins in units of the smallest of the sample."""
    w, b = model.coef_[0], float(model.intercept_[0])
    unit = np.min(y * (X @ w + b)) if isinstance(model, HardMarginSVM) else 1.0
    return world.risk(w / unit, b / unit, 1.0)


def simulate(world: World, model, draws: int, seed: int = 0, **sizes) -> dict[str, list[Seen]]:
    """What was seen of each bound; one that could not be claimed of a draw is not seen there."""
    found: dict[str, list[Seen]] = {}
    for stream in np.random.default_rng(seed).spawn(draws):
        for seen in look(world, model, stream, **sizes):
            found.setdefault(seen.name, []).append(seen)
    return found


def row(name: str, seen: list[Seen], draws: int) -> dict:
    """`holds`: the share of violations could be δ or less, at a level of 1 in 1000. A draw
    without the bound counts as one where it held."""
    violated = sum(not s.lower <= s.risk <= s.upper for s in seen)
    upper, risk = np.mean([s.upper for s in seen]), np.mean([s.risk for s in seen])
    return {
        "bound": name,
        "claimed": f"{len(seen)}/{draws}",
        "violated": violated / draws,
        "may be": DELTA,
        "holds": "yes" if bounds.clopper_pearson(draws, violated, 0.002)[0] <= DELTA else "NO",
        "mean bound": float(upper),
        "mean true risk": float(risk),
        "bound / risk": float(upper / max(risk, 1e-9)),
    }


def run(quick: bool = False) -> list[BenchTable]:
    draws = 15 if quick else 200
    table = BenchTable(
        "coverage: bounds beside the true risk",
        f"{draws} draws of {EXAMPLES} examples (and {TEST} for the test set), δ = {DELTA}",
    )
    for seed, ((world, machine), setting) in enumerate(SETTINGS.items()):
        for name, seen in simulate(*setting, draws, seed).items():
            table.rows.append({"world": world, "machine": machine, **row(name, seen, draws)})
    return [table]
