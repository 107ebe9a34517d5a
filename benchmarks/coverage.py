"""Do the bounds hold? Data from known distributions, fits, every bound, and beside it the truth.

A bound at level δ may be below the true risk in a share δ of the draws. For every world, machine
and bound: how often it was (with what Monte-Carlo error allows), its mean, and the mean true risk.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy import special
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from benchmarks.harness import BenchTable
from certo import SVM, HardMarginSVM, Perceptron, bounds, certify
from certo.estimators.new_examples import one_pass
from certo.kernels import Gaussian
from certo.worlds import ClassWorld, GaussianClasses, NoisyGrid, Ring, SplitCloud

DELTA = 0.05
EXAMPLES, TEST = 400, 200
MARGIN_SLACK = 1e-6  # Supports have a margin of 1 up to the gap, and their points may occur again.


@dataclass(frozen=True)
class Clouds:
    """Several classes, equally probable: a normal cloud in the plane about each corner of a regular
    polygon. Probabilities are sums over a fine grid, whose cells have known shares."""

    classes: int = 4
    radius: float = 1.6
    cells: int = 160

    @property
    def centres(self) -> np.ndarray:
        turns = 2 * np.pi * np.arange(self.classes) / self.classes
        return self.radius * np.column_stack([np.cos(turns), np.sin(turns)])

    def draw(self, m: int, rng) -> tuple[np.ndarray, np.ndarray]:
        y = rng.integers(self.classes, size=m)
        return self.centres[y] + rng.standard_normal((m, 2)), y

    @cached_property
    def grid(self) -> tuple[np.ndarray, np.ndarray]:
        """The middles of the cells, and the probability of each with each class."""
        reach = self.radius + 6.0
        ends = np.linspace(-reach, reach, self.cells + 1)
        shares = [np.diff(special.ndtr(ends[None] - c), axis=1) for c in self.centres.T[:, :, None]]
        both = np.einsum("ki,kj->kij", *shares).reshape(self.classes, -1) / self.classes
        middles = (ends[1:] + ends[:-1]) / 2
        return np.stack(np.meshgrid(middles, middles, indexing="ij"), -1).reshape(-1, 2), both

    def risk(self, model) -> float:
        X, shares = self.grid
        said = np.asarray(model.predict(X))
        return float(1 - shares[said, np.arange(len(X))].sum())

    def unclear(self, model) -> float:
        """How often a margin is below 1 in a pair of the own class."""
        X, shares = self.grid
        scores = model._pair_scores(X)
        least = np.full(shares.shape, np.inf)
        for (i, j), score in zip(combinations(range(self.classes), 2), scores.T, strict=True):
            least[i], least[j] = np.minimum(least[i], score), np.minimum(least[j], -score)
        return float(shares[least < 1 - MARGIN_SLACK].sum())


GAUSSIAN = GaussianClasses(distance=1.5, d=5)
SEPARABLE = SplitCloud(gap=0.0, d=3)
SETTINGS = {
    ("Gaussian classes", "perceptron, one pass"): (GAUSSIAN, Perceptron(epochs=1)),
    ("Gaussian classes", "perceptron, 3 passes"): (GAUSSIAN, Perceptron(epochs=3)),
    ("Gaussian classes", "SVM, no intercept"): (GAUSSIAN, SVM(C=1, intercept="none")),
    ("Gaussian classes", "SVM, lifted"): (GAUSSIAN, SVM(C=1, intercept="lifted")),
    ("Gaussian classes", "SVM, free"): (GAUSSIAN, SVM(C=1, intercept="free")),
    ("separable", "perceptron"): (SEPARABLE, Perceptron(epochs=500)),
    ("separable", "hard margin, none"): (SEPARABLE, HardMarginSVM(intercept="none")),
    ("separable", "hard margin, free"): (SEPARABLE, HardMarginSVM(intercept="free")),
    ("noisy grid", "perceptron, one pass"): (NoisyGrid(), Perceptron(epochs=1)),
    ("noisy grid", "SVM, free"): (NoisyGrid(), SVM(C=0.1, intercept="free")),
    ("clouds", "SVM, pairs, free"): (Clouds(), SVM(C=1, tol=1e-8)),
    ("clouds", "SVM, pairs, lifted"): (Clouds(), SVM(C=1, intercept="lifted", tol=1e-8)),
    ("clouds", "SVM, pairs, Gaussian"): (Clouds(), SVM(Gaussian(2.0), C=1, tol=1e-8)),
    ("far clouds", "hard margin, pairs"): (Clouds(3, 8.0), HardMarginSVM()),
    ("ring", "SVM, Gaussian kernel"): (Ring(), SVM(Gaussian(1.0), C=1, intercept="none")),
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


def look(
    world: ClassWorld | Clouds, model, rng, m: int = EXAMPLES, test: int = TEST
) -> Iterator[Seen]:
    """Fit one draw, certify it, and put every bound beside the true risk of what it speaks of."""
    (X, y), (X_test, y_test) = world.draw(m, rng), world.draw(test, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a run of one pass never converges
        model = clone(model).fit(X, y)
    linear = getattr(model, "kernel", None) is None
    risk = world.risk(model)
    page = certify(model, X, y, delta=DELTA, X_test=X_test, y_test=y_test)
    of_the_pass = isinstance(model, Perceptron) and model.epochs == 1
    for claim in (*page.risks, *([one_pass(model, X, y, DELTA)] if of_the_pass else [])):
        true, lower = risk, 0.0
        if claim.name == "OnlineToBatch":  # about an iterate drawn at random
            states = iterates(model.run(), X, y)
            true = np.mean([world.hyperplane_risk(w[:-1], w[-1]) for w in states])
        if claim.name == "TestErrors":
            lower = claim.interval[0]
        for name, value in claim.bounds.items():
            yield Seen(name, lower, value, float(true))
        if claim.name == "SupportBound" and isinstance(world, Clouds):
            yield Seen("Campi–Garatti, margins below 1", 0.0, claim.best, world.unclear(model))
        elif claim.name == "SupportBound" and linear:  # its theorem speaks of margins
            short = short_margins(world, model, X, y)
            yield Seen("Campi–Garatti, margins below 1", 0.0, claim.best, short)
    if isinstance(model, HardMarginSVM) and not isinstance(
        world, Clouds
    ):  # no certificate claims that all samples are separable
        most = bounds.fixed_dimension(m, X.shape[1] + (model.intercept != "none"), DELTA)
        yield Seen("fixed dimension", 0.0, most, risk)
        short = short_margins(world, model, X, y)
        yield Seen("fixed dimension, margins below 1", 0.0, most, short)


def short_margins(world: ClassWorld, model, X, y) -> float:
    """How often a margin is below 1; hard margins in units of the smallest of the sample."""
    w, b = model.coef_[0], float(model.intercept_[0])
    unit = np.min(y * (X @ w + b)) if isinstance(model, HardMarginSVM) else 1.0
    return world.short_margins(w / unit, b / unit, 1 - MARGIN_SLACK)


def simulate(
    world: ClassWorld | Clouds, model, draws: int, seed: int = 0, **sizes
) -> dict[str, list[Seen]]:
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
