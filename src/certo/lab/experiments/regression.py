"""Least squares: residuals, example by example, and the normal equations that they obey."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from certo.estimators.least_squares import LeastSquares
from certo.lab.experiment import Asked, Experiment, Job, MachineRun, Run, first_rows
from certo.lab.scene import chart, number, series, verdict
from certo.lab.settings import Choice, Number


class LeastSquaresExperiment(Experiment):
    """The second coordinate of each point is the value to predict from the first."""

    name = "least-squares"
    preset = "line"
    needs_both = labels = False
    settings = (
        Choice("intercept", "free", ("free", "none")),
        Number("ridge", 0.0, (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)),
    )

    def _run(self, asked: Asked, before: Run | None) -> Run:
        return LeastSquaresRun(asked)


class LeastSquaresRun(MachineRun):
    """Frame k: the first k examples; those that come later are not known yet."""

    begins_at = 1
    prepares = ("X, y = X[:, :1], X[:, 1]  # the height of a point from its place to the right",)
    prints = '"slope:", model.coef_[0], "intercept:", model.intercept_'

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.X, self.y = asked.bench.X[:, :1], asked.bench.X[:, 1]
        self.steps = len(self.y)
        self.settings = {"intercept": asked["intercept"], "ridge": float(asked["ridge"])}
        self.model = self._fit(self.steps)

    def _fit(self, count: int) -> LeastSquares:
        with warnings.catch_warnings(action="ignore"):
            return LeastSquares(**self.settings).fit(self.X[:count], self.y[:count])

    def frame(self, step: int, job: Job) -> dict[str, Any]:
        model = self.model if step == self.steps else self._fit(step)
        slope, constant = float(model.coef_[0]), float(model.intercept_)
        predicted = model.predict(self.X[:step])
        residuals = self.y[:step] - predicted
        points = zip(self.X[:step, 0].tolist(), self.y.tolist(), predicted.tolist(), strict=False)
        scene: dict[str, Any] = {
            "lines": [{"kind": "boundary", "w": [slope, -1.0], "b": constant}],
            "segments": [{"kind": "residual", "from": [x, y], "to": [x, p]} for x, y, p in points],
            "marks": {"faded": list(range(step, self.steps))},
            "unlabelled": True,
        }
        strip = [
            number("slope", slope),
            number("constant", constant),
            number("risk", float(model.risk_)),
            number("r2", float(model.r2_)),
            number("normal_sum", float(np.sum(residuals))),
            number("normal_product", float(residuals @ self.X[:step, 0])),
        ]
        key = "least_squares.normal"
        if self.settings["ridge"]:
            key = "least_squares.ridge"
        elif self.settings["intercept"] == "none":
            key = "least_squares.normal_origin"
        if model.rank_ == 0 and not self.settings["ridge"]:
            key = "least_squares.flat"
        told = verdict(key, "good")
        return {"scene": scene, "strip": strip, "verdict": told, "cursors": {"risks": step}}

    def code(self, step: int) -> list[str]:
        return [*first_rows(step, self.steps), *super().code(step)]

    def more(self, job: Job) -> dict[str, Any]:
        """How the mean squared error, and the slope, settle as examples come."""
        counts = range(1, self.steps + 1)
        risks, slopes = [], []
        for count in counts:
            job.tell(done=count, of=self.steps)
            model = self._fit(count)
            risks.append(float(model.risk_))
            slopes.append(float(model.coef_[0]))
        lines = [series("risks.risk", counts, risks), series("risks.slope", counts, slopes)]
        return {"charts": [chart("risks", lines)]}
