"""The fewest errors: what was found, what is proved to be necessary, and when they met."""

from __future__ import annotations

from typing import Any

import numpy as np

from certo.estimators.min_disagreement import MinDisagreement
from certo.geometry.neuron import Neuron
from certo.lab.experiment import Asked, Experiment, Job, MachineRun, Run
from certo.lab.scene import chart, line, number, series, verdict
from certo.lab.settings import Choice, wholes
from certo.solvers.interrupt import stopped_by

LEAST_MILLISECONDS = 0.1  # What is quicker is drawn here, on a logarithmic scale.


class FewestErrorsExperiment(Experiment):
    name = "errors"
    preset = "noise"
    settings = (
        Choice("intercept", "free", ("free", "none")),
        wholes("seconds", 10, (1, 2, 5, 10, 20, 60)),
    )

    def _run(self, asked: Asked, before: Run | None) -> Run:
        return FewestErrorsRun(asked)


class FewestErrorsRun(MachineRun):
    """Frame k: what was known after the k-th change of a bound."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.X, self.y = asked, asked.bench.X, asked.bench.y
        self.model = MinDisagreement(
            intercept=asked["intercept"], time_limit=asked["seconds"], random_state=0
        )
        job, model = asked.job, self.model

        def wish() -> bool:
            if hasattr(model, "lower_bound_"):
                job.report(lower=model.lower_bound_, upper=model.errors_)
            return job.cancelled

        with stopped_by(wish):
            model.fit(self.X, self.y)
        job.go_on()
        self.trace = model.trace_
        self.steps = len(self.trace) - 1

    def frame(self, step: int, job: Job) -> dict[str, Any]:
        w = self.trace.weights[step]
        if step == self.steps:
            w = np.append(self.model.coef_[0], self.model.intercept_[0])
        wrong = np.flatnonzero(self.y * Neuron(w[:2], w[2]).induced_local_field(self.X) <= 0)
        scene: dict[str, Any] = {
            "lines": [line("boundary", w[:2], w[2])],
            "half": line("half", w[:2], w[2]),
            "marks": {"wrong": wrong.tolist()},
        }
        upper, lower = (int(getattr(self.trace, side)[step]) for side in ("upper", "lower"))
        seconds = float(self.trace.seconds[step])
        strip = [
            number("errors_found", upper),
            number("errors_needed", lower),
            number("seconds", seconds),
            number("share_wrong", upper / len(self.y)),
        ]
        key = "errors.met" if upper == lower else "errors.between"
        if upper == lower and self.asked["intercept"] == "none":
            key = "errors.met_origin"
        told = verdict(key, "good" if upper == lower else "plain", upper=upper, lower=lower)
        cursors = {"bounds": max(seconds * 1e3, LEAST_MILLISECONDS)}
        return {"scene": scene, "strip": strip, "verdict": told, "cursors": cursors}

    def charts(self) -> list[dict[str, Any]]:
        milliseconds = np.maximum(self.trace.seconds * 1e3, LEAST_MILLISECONDS)
        lines = [
            series("bounds.found", milliseconds, self.trace.upper, "upper-step"),
            series("bounds.proved", milliseconds, self.trace.lower, "lower-step"),
        ]
        return [chart("bounds", lines, log_x=True)]
