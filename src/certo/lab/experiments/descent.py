"""Pegasos and online gradient descent: iterates, their average, and the excess under its bound."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from certo.certificates.composite import Composite
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.estimators.online_gradient_descent import OnlineGradientDescent
from certo.estimators.pegasos import Pegasos
from certo.geometry.neuron import Neuron
from certo.lab.experiment import Asked, Experiment, Job, MachineRun, Run, first_rows
from certo.lab.scene import chart, line, number, series, verdict
from certo.lab.settings import Choice, decades, wholes
from certo.losses.hinge import Hinge
from certo.solvers.online_gradient import online_gradient
from certo.solvers.pegasos import StepTrace, pegasos

EVERY_STEP = 24  # So many of the first steps are frames; later ones are further apart.
RATIO = 1.25  # Of the numbers of steps of two later frames.
TRAIL = 10  # Earlier iterates that are still seen.
LEAST_DRAWN_EXCESS = 1e-12  # An excess below this is drawn as this, on a logarithmic scale.


class DescentExperiment(Experiment):
    name = "descent"
    preset = "overlapping"
    settings = (
        Choice("algorithm", "pegasos", ("pegasos", "ogd")),
        decades("lam", 0.1, -4, 1),
        wholes("T", 2000, (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000)),
        Choice("intercept", "lifted", ("lifted", "none")),
        wholes("seed", 0, range(100)),
    )

    def _run(self, asked: Asked, before: Run | None) -> Run:
        return PegasosRun(asked) if asked["algorithm"] == "pegasos" else GradientDescentRun(asked)


def frames_up_to(last: int) -> list[int]:
    """Numbers of steps: each of the first ones, then some, then the last."""
    found = list(range(1, min(last, EVERY_STEP) + 1))
    while found[-1] < last:
        found.append(min(last, int(found[-1] * RATIO) + 1))
    return found


class DescentRun(MachineRun):
    """What both have: iterates and averages after some numbers of steps, and the minimiser."""

    at: list[int]  # The number of steps of each frame; the frame 0 is w = 0.
    iterates: np.ndarray  # (frames, 3): w after so many steps
    averages: np.ndarray  # (frames, 3): the mean of the iterates before
    rows: np.ndarray  # The example of each step.
    best: np.ndarray  # The minimiser.

    def _lines(self, step: int) -> dict[str, Any]:
        lines = [line("separator", self.best[:2], self.best[2], name="line.minimiser")]
        if step:
            trail = range(max(0, step - 1 - TRAIL), step - 1)
            lines += [line("ghost", self.iterates[k][:2], self.iterates[k][2], age=step - 1 - k)
                      for k in trail]  # fmt: skip
            last, mean = self.iterates[step - 1], self.averages[step - 1]
            lines.append(line("iterate", last[:2], last[2], name="line.iterate"))
            lines.append(line("boundary", mean[:2], mean[2], name="line.average"))
        marks = {"current": [int(self.rows[self.at[step - 1] - 1])]} if step else {}
        return {"lines": lines, "marks": marks}

    @property
    def steps_of(self) -> list[int]:
        return [0, *self.at]


class PegasosRun(DescentRun):
    claimed = "model.excess(X, y).certificate"

    @property
    def claims(self) -> Composite:
        return self.excess.certificate

    def __init__(self, asked: Asked) -> None:
        self.X, self.y = asked.bench.X, asked.bench.y
        settings = {"lam": asked["lam"], "intercept": asked["intercept"]}
        steps, lifted = asked["T"], asked["intercept"] == "lifted"
        self.model = Pegasos(max_iter=steps, random_state=asked["seed"], **settings)
        self.model.fit(self.X, self.y)
        self.at = frames_up_to(steps)
        # The same draws once more, looked at after each of these numbers of steps.
        seed = int(check_random_state(asked["seed"]).randint(2**31 - 1))
        rng, state = np.random.default_rng([seed, 0]), None
        signs = self.y.astype(np.int8)
        answers, iterates = [], []
        for before, now in zip([0, *self.at], self.at, strict=False):
            state = pegasos(self.X, signs, asked["lam"], now - before, lifted=lifted, rng=rng,
                            start=state, keep=1).state  # fmt: skip
            answers.append(state.answer(asked["lam"], average=True))
            iterates.append(state.answer(asked["lam"], average=False))
        self.averages, self.iterates = np.array(answers), np.array(iterates)
        self.rows = np.random.default_rng([seed, 0]).integers(len(self.y), size=steps)
        self.steps = len(self.at)
        self.model.trace_ = StepTrace.of(list(zip(self.at, answers, strict=True)))
        self.excess = self.model.excess(self.X, self.y)
        (optimum,) = self.excess.certificate.of_kind(SoftMarginGap)
        self.best = np.append(optimum.coef, optimum.intercept)

    def frame(self, step: int, job: Job) -> dict[str, Any]:
        scene, steps = self._lines(step), self.steps_of[step]
        strip = [number("steps", steps)]
        told = verdict("descent.start")
        if step:
            value, bound = self.excess.excess[step - 1], self.excess.bound[step - 1]
            strip += [
                number("objective_mean", float(self.excess.objective[step - 1]), at="most"),
                number("least_objective", float(self.excess.least[step - 1]), at="least"),
                number("excess", float(value), at="most", bound=float(bound)),
            ]
            key = "descent.under" if value <= bound else "descent.over"
            tone = "good" if value <= bound else "plain"
            told = verdict(key, tone, steps=steps, excess=strip[-1]["text"],
                           bound=strip[-1]["bound"]["text"])  # fmt: skip
        return {"scene": scene, "strip": strip, "verdict": told, "cursors": {"excess": steps}}

    def machine_of(self, step: int) -> Pegasos:
        return clone(self.model).set_params(max_iter=self.steps_of[step] or self.at[-1])

    def charts(self) -> list[dict[str, Any]]:
        found = np.maximum(self.excess.excess, LEAST_DRAWN_EXCESS)
        lines = [
            series("excess.mean", self.at, found),
            series("excess.bound", self.at, self.excess.bound, "upper"),
        ]
        return [chart("excess", lines, log_x=True, log_y=True)]


class GradientDescentRun(DescentRun):
    """One pass over the examples in their order: the regret against the best fixed weights."""

    claimed = "model.regret(X, y)"
    claims: Any = None

    def __init__(self, asked: Asked) -> None:
        self.X, self.y = asked.bench.X, asked.bench.y
        settings = {"lam": asked["lam"], "intercept": asked["intercept"]}
        self.model = OnlineGradientDescent(**settings).fit(self.X, self.y)
        run, signs = self.model.run(), self.y.astype(np.int8)
        self.at = list(range(1, len(self.y) + 1))
        progress, after = None, []
        for t in range(len(self.y)):
            found = online_gradient(self.X[t : t + 1], signs[t : t + 1], run, before=progress)
            progress = found.progress
            after.append(progress)
        self.iterates = np.array([one.last(run) for one in after])
        self.averages = np.array([one.mean(run) for one in after])
        self.suffered = np.array([one.suffered for one in after])
        self.bounds = np.array([run.bound(p.squares, p.budget, p.rounds) for p in after])
        self.rows, self.steps = np.arange(len(self.y)), len(self.y)
        self.claims = self.model.regret(self.X, self.y)
        (optimum,) = self.claims.of_kind(SoftMarginGap)
        self.best = np.append(optimum.coef, optimum.intercept)
        scores = Neuron(optimum.coef, optimum.intercept).induced_local_field(self.X)
        square = asked["lam"] / 2 * float(self.best @ self.best)
        self.regret = self.suffered - np.cumsum(Hinge().of(self.y, scores) + square)

    def frame(self, step: int, job: Job) -> dict[str, Any]:
        scene, strip = self._lines(step), [number("rounds", step)]
        told = verdict("descent.start")
        if step:
            regret, bound = float(self.regret[step - 1]), float(self.bounds[step - 1])
            strip += [
                number("suffered", float(self.suffered[step - 1])),
                number("regret", regret, bound=bound),
            ]
            told = verdict("descent.regret", "good", rounds=step, regret=regret,
                           bound=strip[-1]["bound"]["text"])  # fmt: skip
        return {"scene": scene, "strip": strip, "verdict": told, "cursors": {"regret": step}}

    def code(self, step: int) -> list[str]:
        return [*(first_rows(step, self.steps) if step else []), *super().code(step)]

    def charts(self) -> list[dict[str, Any]]:
        lines = [
            series("regret.run", self.at, self.regret),
            series("regret.bound", self.at, self.bounds, "upper"),
        ]
        return [chart("regret", lines)]
