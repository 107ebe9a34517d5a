"""Bounds on trial: sample after sample of a known world, and how often each bound is violated."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from certo import worlds
from certo.certificates.certified import Certified
from certo.data.problem import Problem
from certo.estimators.perceptron import Perceptron
from certo.estimators.svm import SVM
from certo.guarantees import certify
from certo.lab.experiment import WIDER, Asked, Experiment, Job, Proof, Run
from certo.lab.presets import bayes_region
from certo.lab.scene import chart, line, number, series, text, verdict
from certo.lab.settings import Choice, Number, wholes
from certo.numbers.digits import share_text

#: Worlds in which the risk of a hyperplane is a formula, not a quadrature.
FLAT_WORLDS = {
    "gaussian": worlds.GaussianClasses(),
    "apart": worlds.GaussianClasses(distance=2.0),
    "split": worlds.SplitCloud(),
}
#: The key of each bound, by its name in `RiskBound.bounds`.
KEYS = {"printed": "printed", "exact tail": "tail", "Campi–Garatti": "campi_garatti",
        "test set": "test_set"}  # fmt: skip
SUPPORT_TOL = 1e-8  # Of the machine: the fewer examples may be supports, the sharper the bound.


class BoundsExperiment(Experiment):
    name = "bounds"
    preset = "separable"
    draws = True
    settings = (
        Choice("world", "apart", tuple(FLAT_WORLDS)),
        Choice("machine", "svm", ("svm", "perceptron")),
        wholes("m", 200, (20, 50, 100, 200, 500, 1000)),
        Number("delta", 0.1, (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)),
        wholes("draws", 100, (10, 20, 50, 100, 200, 500)),
        wholes("seed", 0, range(100)),
    )

    def _run(self, asked: Asked, before: Run | None) -> Run:
        return BoundsRun(asked, before)


class Sample(NamedTuple):
    """One draw: the examples, the machine, what is claimed, and the risk itself."""

    X: np.ndarray
    y: np.ndarray
    test: tuple[np.ndarray, np.ndarray]
    model: Any
    page: Certified
    risk: float

    def bounds(self, delta: float) -> dict[str, float]:
        """Each bound at δ, by its key."""
        found: dict[str, float] = {}
        for claim in self.page.risks:
            claim = claim if claim.delta == delta or claim.vacuous else claim.at(delta)
            found |= {KEYS[name]: float(value) for name, value in claim.bounds.items()}
        return found


class BoundsRun(Run):
    """Frame k: k samples have been drawn, each independently of the others."""

    begins_at = opens_at = 1

    def __init__(self, asked: Asked, before: Run | None) -> None:
        self.asked, self.world = asked, FLAT_WORLDS[asked["world"]]
        self.steps, self.delta = asked["draws"], float(asked["delta"])
        self.same = {k: asked[k] for k in ("world", "machine", "m", "seed")}
        self.samples: list[Sample] = []
        if isinstance(before, BoundsRun) and before.same == self.same:
            self.samples = before.samples
        self.found: list[dict[str, float]] = []

    def _machine(self) -> Any:
        if self.asked["machine"] == "perceptron":
            return Perceptron(epochs=10)
        return SVM(C=1.0, intercept="none", tol=SUPPORT_TOL)

    def _draw(self, k: int) -> Sample:
        """The k-th sample, from 0, and as many test examples."""
        m, seed = self.asked["m"], self.asked["seed"]
        X, y = self.world.draw(m, rng=[seed, k, 0])
        if len(np.unique(y)) < 2:
            raise Problem(f"draw {k + 1} has examples of one label alone: choose a larger m.")
        test = self.world.draw(m, rng=[seed, k, 1])
        model = self._machine().fit(X, y)
        page = certify(model, X, y, delta=self.delta, X_test=test.X, y_test=test.y)
        return Sample(X, y, (test.X, test.y), model, page, float(self.world.risk(model)))

    def _up_to(self, count: int, job: Job) -> None:
        while len(self.samples) < count:
            job.tell(done=len(self.samples), of=count)
            self.samples.append(self._draw(len(self.samples)))
        while len(self.found) < count:
            job.go_on()
            self.found.append(self.samples[len(self.found)].bounds(self.delta))

    def frame(self, step: int, job: Job) -> dict[str, Any]:
        self._up_to(step, job)
        sample = self.samples[step - 1]
        furthest = max(float(np.max(np.abs(one.X))) for one in self.samples[:step])
        reach = next((r for r in WIDER if r >= furthest), WIDER[-1])
        coef, intercept = sample.model.coef_[0], float(sample.model.intercept_[0])
        scene: dict[str, Any] = {
            "points": [[*x, int(s)] for x, s in zip(sample.X.tolist(), sample.y, strict=True)],
            "lines": [line("boundary", coef, intercept)],
            "half": line("half", coef, intercept),
            "bayes": bayes_region(self.world, reach),
            "marks": {"wrong": np.flatnonzero(sample.model.predict(sample.X) != sample.y).tolist()},
        }
        risks = np.array([one.risk for one in self.samples[:step]])
        keys = [key for key in KEYS.values() if any(key in one for one in self.found[:step])]
        strip = [
            number("draws", step),
            number("true_risk", sample.risk),
            number("bayes_risk", float(self.world.bayes_risk)),
        ]
        worst = 0
        for key in keys:
            have = [(risk, one[key]) for risk, one in zip(risks, self.found, strict=False)
                    if key in one]  # fmt: skip
            violated = sum(risk > bound for risk, bound in have)
            worst = max(worst, violated)
            told = number(f"violated_{key}", violated)
            share = violated / len(have)
            told |= {"of": len(have), "share": share_text(share, 1), "part": share / self.delta}
            now = self.found[step - 1].get(key)
            if now is not None:
                told |= {"now": text(now, "most"), "now_value": now}
            strip.append(told)
        allowed = share_text(self.delta, 0)
        told = verdict("bounds.kept", "good", draws=step, allowed=allowed, worst=worst)
        if worst:
            told = verdict("bounds.violated", "plain", draws=step, allowed=allowed, worst=worst)
        return {
            "scene": scene,
            "reach": reach,
            "strip": strip,
            "verdict": told,
            "cursors": {"trials": step},
            "charts": [self._chart(step, keys, risks)],
        }

    def _chart(self, count: int, keys: list[str], risks: np.ndarray) -> dict[str, Any]:
        draws = np.arange(1, count + 1)
        lines = [series("trials.risk", draws, risks, "strong")]
        for key in keys:
            values = [min(one.get(key, np.nan), 1.05) for one in self.found[:count]]
            lines.append(series(f"trials.{key}", draws, values, f"bound-{key}"))
        return chart("trials", lines, top=1.05)

    def proof(self, job: Job) -> Proof:
        """What is claimed of the sample that was drawn last."""
        self._up_to(1, job)
        sample = self.samples[-1]
        page = sample.page
        return Proof(
            page.claims, sample.model, sample.X, sample.y, page.model, self.delta,
            page.test, sample.test,
        )  # fmt: skip

    def code(self, step: int) -> list[str]:
        m, seed = self.asked["m"], self.asked["seed"]
        name = type(self._machine()).__name__
        return [
            f"from certo import {name}, certify, worlds",
            f"world = worlds.{self.world!r}",
            "violated = 0",
            f"for k in range({step}):",
            f"    X, y = world.draw({m}, rng=[{seed}, k, 0])",
            f"    test = world.draw({m}, rng=[{seed}, k, 1])",
            f"    model = {self._machine()!r}.fit(X, y)",
            f"    page = certify(model, X, y, delta={self.delta}, X_test=test.X, y_test=test.y)",
            "    risk = world.risk(model)",
            "    violated += any(risk > bound for claim in page.risks",
            "                    for bound in claim.bounds.values())",
            f'print("samples with a violated bound:", violated, "of", {step})',
        ]
