"""Logistic regression: Newton's steps as weighted least squares, and what separation does."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from certo.certificates.regression.no_estimate import NoEstimate
from certo.estimators.logistic_regression import LogisticRegression
from certo.geometry.neuron import Neuron
from certo.lab.experiment import Asked, Experiment, Job, MachineRun, Run
from certo.lab.scene import chart, grid_of, line, number, region, series, text, verdict
from certo.lab.settings import Choice, Number
from certo.losses.logistic import Logistic
from certo.problems.logistic import WorkingResponse
from certo.solvers.least_squares import least_squares

LOG_ODDS = (-2.1972, 0.0, 2.1972)  # Lines along which the probability is 0.1, 0.5 and 0.9.
MAX_SHOWN_STEPS = 12
SETTLED = 1e-13  # Steps end once the mean loss changes by no more than this.
LEAST_WEIGHT = 1e-200  # Of an example in a step: below, float64 has no working response.
LEAST_DRAWN_LOSS = 1e-16  # A loss below this is drawn as this, on a logarithmic scale.


class LogisticExperiment(Experiment):
    name = "logistic"
    preset = "overlapping"
    settings = (
        Choice("intercept", "free", ("free", "none")),
        Number("ridge", 0.0, (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)),
    )

    def _run(self, asked: Asked, before: Run | None) -> Run:
        return LogisticRun(asked)


class Iterate(NamedTuple):
    """Weights after some steps, and what the next step will fit."""

    neuron: Neuron
    scores: np.ndarray
    working: WorkingResponse
    loss: float

    @classmethod
    def at(cls, coef: np.ndarray, intercept: float, X: np.ndarray, y: np.ndarray) -> Iterate:
        neuron = Neuron(coef, intercept)
        scores = neuron.induced_local_field(X)
        loss = float(np.mean(Logistic().of(y, scores)))
        return cls(neuron, scores, WorkingResponse.of(y, scores), loss)


class LogisticRun(MachineRun):
    """Frame k: after k steps from w = 0, each a fit of least squares to the working response."""

    prints = '"coef:", model.coef_, "intercept:", model.intercept_'

    def __init__(self, asked: Asked) -> None:
        self.asked, self.X, self.y = asked, asked.bench.X, asked.bench.y
        self.ridge = float(asked["ridge"])
        self.model = LogisticRegression(intercept=asked["intercept"], ridge=self.ridge)
        self.model.fit(self.X, self.y)
        self.iterates = [Iterate.at(np.zeros(2), 0.0, self.X, self.y)]
        while len(self.iterates) <= MAX_SHOWN_STEPS:
            new = self._next(self.iterates[-1])
            if new is None:
                break
            self.iterates.append(new)
            if abs(self.iterates[-2].loss - new.loss) <= SETTLED:
                break
        self.steps = len(self.iterates) - 1

    def _next(self, now: Iterate) -> Iterate | None:
        """A step of iteratively reweighted least squares; None where float64 has no further one.
        The mean loss has the penalty (ridge/2)‖w‖², least squares ridge'·‖w‖² and the mean weighted
        by p(1 − p): the same minimum, if ridge' is ridge·m/Σ p(1 − p)."""
        response, weights = now.working
        if float(weights.min()) < LEAST_WEIGHT or not np.all(np.isfinite(response)):
            return None
        ridge = self.ridge * len(self.y) / float(weights.sum())
        lifted = self.asked["intercept"] == "free"
        step = least_squares(self.X, response[:, None], weights=weights, lifted=lifted, ridge=ridge)
        return Iterate.at(step.coef[0], float(step.intercept[0]), self.X, self.y)

    def frame(self, step: int, job: Job) -> dict[str, Any]:
        now, reach = self.iterates[step], self.asked.reach
        w, b = now.neuron.weights, now.neuron.bias
        shares = now.working.weights / np.max(now.working.weights)
        scores = now.neuron.induced_local_field(grid_of(reach))
        scene: dict[str, Any] = {
            "lines": [line("boundary", w, b)],
            "region": region(scores, reach, LOG_ODDS if w.any() else ()) | {"soft": True},
            "marks": {
                "weight": shares.tolist(),
                "wrong": np.flatnonzero(self.y * now.scores <= 0).tolist(),
            },
        }
        strip = [
            number("newton_steps", step),
            number("mean_loss", now.loss, at="most"),
            number("norm", float(np.hypot(np.linalg.norm(w), b))),
            number("expected", float(np.sum(expit(now.scores)))),
            number("observed", int(np.sum(self.y > 0))),
        ]
        if np.isfinite(self.model.infimum_) and not self.ridge:
            strip.append(number("infimum", float(self.model.infimum_), at="least"))
        return {
            "scene": scene,
            "strip": strip,
            "verdict": self._verdict(step),
            "cursors": {"loss": step},
            "charts": [self._response(now, shares)],
        }

    def _response(self, now: Iterate, shares: np.ndarray) -> dict[str, Any]:
        """The working response against the score: what the next step fits, with these weights."""
        ends = [float(now.scores.min()), float(now.scores.max())]
        lines = [series("response.score", ends, ends, "lower")]
        for sign, key in ((1, "response.positive"), (-1, "response.negative")):
            rows = np.flatnonzero(self.y == sign)
            dots = series(key, now.scores[rows], now.working.response[rows], "dots")
            lines.append(dots | {"size": shares[rows].tolist(), "sign": sign})
        return chart("response", lines)

    def _verdict(self, step: int) -> dict[str, Any]:
        """What is known of the estimate; before the last frame, how far the step is from it."""
        model, now = self.model, self.iterates[step]
        if model.certificate_.of_kind(NoEstimate):
            return verdict("logistic.none", "bad")
        if not model.estimate_exists_:
            return verdict("logistic.open")
        ridge = "_ridge" * (self.ridge > 0)
        if step < self.steps:
            weights = now.neuron.weights
            objective = now.loss + self.ridge / 2 * float(weights @ weights)
            excess = text(max(0.0, objective - float(model.infimum_)))
            return verdict(f"logistic.step{ridge}", steps=step, excess=excess)
        return verdict(f"logistic.exists{ridge}", "good", gap=model.gap_)

    def code(self, step: int) -> list[str]:
        """Before the last frame, the steps that were made: the machine itself makes others."""
        if step == self.steps:
            return super().code(step)
        machine = f"LeastSquares(intercept={self.asked['intercept']!r}, ridge=ridge)"
        return [
            *super().code(step),
            "from certo import LeastSquares",
            "from certo.problems.logistic import WorkingResponse",
            "w, b = np.zeros(2), 0.0",
            f"for _ in range({step}):",
            "    response, weights = WorkingResponse.of(y, X @ w + b)",
            f"    ridge = {self.ridge!r} * len(y) / weights.sum()",
            f"    step = {machine}.fit(X, response, weights)",
            "    w, b = step.coef_, float(step.intercept_)",
            f'print("after", {step}, "steps:", w, b)',
        ]

    def charts(self) -> list[dict[str, Any]]:
        losses = np.maximum([one.loss for one in self.iterates], LEAST_DRAWN_LOSS)
        wide = float(np.max(losses)) > 50 * float(np.min(losses))
        return [chart("loss", [series("loss.mean", range(len(losses)), losses)], log_y=wide)]
