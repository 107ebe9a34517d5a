"""Kernels: regions and supports, the nearest neighbours beside them, under- and over-fitting."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.estimators.kernel_perceptron import KernelPerceptron
from certo.estimators.svm import SVM
from certo.kernels.base import Kernel
from certo.kernels.gaussian import Gaussian
from certo.kernels.polynomial import Polynomial
from certo.lab.experiment import Asked, Experiment, Job, MachineRun, Run
from certo.lab.experiments.shown import objective_numbers, support_marks, theorem_curves
from certo.lab.scene import chart, grid_of, number, region, series, verdict
from certo.lab.settings import Choice, Flag, decades, wholes
from certo.rkhs import Expansion
from certo.selection import compare_kernels
from certo.solvers.interrupt import stopped_by

VARIANCES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # Of the curve.
DEGREES = (1, 2, 3, 4, 5, 6, 8, 10, 12)
FOLDS = 5
COARSE_GRID = 48  # Of the small picture.
ISLANDS_SHARE = 0.9  # A share of supports above which every example is an island.


class KernelExperiment(Experiment):
    name = "kernels"
    preset = "moons"
    settings = (
        Choice("machine", "svm", ("svm", "perceptron")),
        Choice("kernel", "gaussian", ("gaussian", "polynomial")),
        decades("variance", 0.5, -3, 2),
        wholes("degree", 3, range(1, 13)),
        decades("C", 1.0, -2, 3),
        wholes("epochs", 10, (1, 2, 5, 10, 20, 50)),
        wholes("neighbours", 5, range(1, 52, 2)),
        Flag("beside", True),
    )

    def _run(self, asked: Asked, before: Run | None) -> Run:
        run = KernelSvmRun(asked) if asked["machine"] == "svm" else KernelPerceptronRun(asked)
        if isinstance(before, KernelRun) and before.of_curve == run.of_curve:
            run.curve = before.curve
        return run


class KernelRun(MachineRun):
    """What both machines have."""

    prints = '"supports:", len(model.support_)'
    curve: dict[str, Any] | None = None  # It does not depend on the slider that it is over.

    def __init__(self, asked: Asked) -> None:
        self.asked, self.X, self.y = asked, asked.bench.X, asked.bench.y
        self.kernel: Kernel = Gaussian(asked["variance"])
        if asked["kernel"] == "polynomial":
            self.kernel = Polynomial(asked["degree"])
        self.prepares = (f"from certo.kernels import {type(self.kernel).__name__}",)
        self.grid = grid_of(asked.reach)

    @property
    def of_curve(self) -> tuple[Any, ...]:
        """What the curve depends on."""
        chosen = (self.asked[name] for name in ("machine", "kernel", "C", "epochs"))
        return (*chosen, self.asked.bench.key)

    def _beside(self) -> dict[str, Any]:
        """The rule of the nearest neighbours on the same examples."""
        k = min(self.asked["neighbours"], len(self.y) - 1 + len(self.y) % 2)
        rule = KNeighborsClassifier(k).fit(self.X, self.y)
        share = rule.predict_proba(grid_of(self.asked.reach, COARSE_GRID))[:, 1] - 0.5
        wrong = int(np.sum(rule.predict(self.X) != self.y))
        return {"region": region(share, self.asked.reach), "k": k, "wrong": wrong}

    def _scene(self, scores: np.ndarray, own: np.ndarray) -> dict[str, Any]:
        levels = (-1.0, 0.0, 1.0) if self.asked["machine"] == "svm" else (0.0,)
        scene: dict[str, Any] = {
            "lines": [],
            "region": region(scores, self.asked.reach, levels),
            "marks": {"wrong": np.flatnonzero(self.y * own <= 0).tolist()},
        }
        if self.asked["beside"] and len(self.y) > 1:
            scene["beside"] = self._beside()
        return scene

    def more(self, job: Job) -> dict[str, Any]:
        """Errors on the examples, and on others, for several values of the slider."""
        if self.curve is None:
            self.curve = self._curve(job)
        return self.curve

    def _curve(self, job: Job) -> dict[str, Any]:
        fewest = min(int(np.sum(self.y == sign)) for sign in (-1, 1))
        if fewest < 2:
            return {}
        gaussian = self.asked["kernel"] == "gaussian"
        values = VARIANCES if gaussian else DEGREES
        kernels = [Gaussian(v) if gaussian else Polynomial(int(v)) for v in values]
        found = compare_kernels(
            self.X, self.y, kernels, self._machine_of_curve(), cv=min(FOLDS, fewest),
            random_state=0, report=lambda done, of: job.tell(done=done, of=of),
        )  # fmt: skip
        lines = [
            series("fitting.training", values, found.training_error),
            series("fitting.validation", values, found.validation_error, "strong"),
        ]
        if found.neighbours is not None:
            errors = [found.neighbours.validation_error] * 2
            lines.append(series("fitting.neighbours", [values[0], values[-1]], errors, "lower"))
        key = "fitting_variance" if gaussian else "fitting_degree"
        return {"charts": [chart(key, lines, log_x=gaussian)]}

    @abc.abstractmethod
    def _machine_of_curve(self) -> Any:
        """The machine that the curve compares kernels for."""


class KernelSvmRun(KernelRun):
    """There are no steps: `run` moves the slider of the kernel."""

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self.sweeps = "variance" if asked["kernel"] == "gaussian" else "degree"
        self.model = SVM(self.kernel, C=asked["C"])
        with stopped_by(lambda: asked.job.cancelled):
            self.model.fit(self.X, self.y)
        asked.job.go_on()

    def _machine_of_curve(self) -> Any:
        return SVM(C=self.asked["C"])

    def frame(self, step: int, job: Job) -> dict[str, Any]:
        own = self.model.decision_function(self.X)
        scene = self._scene(self.model.decision_function(self.grid), own)
        scene["marks"] |= support_marks(self.model.support_, self.model.dual_coef_[0])
        wrong, supports = int(np.sum(self.y * own <= 0)), len(self.model.support_)
        strip = [number("errors", wrong), number("supports", supports)]
        for claim in self.model.certificate_.of_kind(SoftMarginGap):
            strip += objective_numbers(claim)
        if "beside" in scene:
            strip.append(number("neighbour_errors", scene["beside"]["wrong"]))
        told = verdict("kernels.svm", "plain", wrong=wrong, supports=supports, total=len(self.y))
        if (
            self.asked["kernel"] == "gaussian"
            and supports >= ISLANDS_SHARE * len(self.y)
            and not wrong
        ):
            told = verdict("kernels.islands", "bad", supports=supports, total=len(self.y))
        return {"scene": scene, "strip": strip, "verdict": told, "cursors": {}}


class KernelPerceptronRun(KernelRun):
    """Frame k: f after k mistakes, a sum of k terms y_s K(x_s, ·)."""

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self.model = KernelPerceptron(self.kernel, epochs=asked["epochs"]).fit(self.X, self.y)
        self.trace = self.model.trace_
        # Of very many mistakes the trace keeps some: then the first frame is followed by the last.
        self.complete = len(self.trace) == int(self.model.updates_[0])
        self.steps = len(self.trace) if self.complete else 1

    def _function(self, step: int) -> Expansion:
        if not self.complete:
            return self.model.expansions_[0]
        rows, counts = np.unique(self.trace.example[:step], return_counts=True)
        return Expansion(self.kernel, self.X[rows], counts * self.y[rows].astype(np.float64))

    def _machine_of_curve(self) -> Any:
        return KernelPerceptron(epochs=self.asked["epochs"])

    def frame(self, step: int, job: Job) -> dict[str, Any]:
        values, own = np.zeros(len(self.grid)), np.zeros(len(self.y))
        rows, counts = np.unique(self.trace.example[:step], return_counts=True)
        if step:
            f = self._function(step)
            values, own = f(self.grid), f(self.X)
        if step == self.steps:  # Of all mistakes, even where not all are kept.
            rows, counts = self.model.support_, np.abs(self.model.dual_coef_[0])
        scene = self._scene(values, own)
        scene["marks"] |= support_marks(rows, counts)
        if step and self.complete:
            scene["marks"]["current"] = [int(self.trace.example[step - 1])]
        claim = next(iter(self.model.certificate_.of_kind(MistakeBound)), None)
        limit = None if claim is None else claim.bound
        wrong, last = int(np.sum(self.y * own <= 0)), step == self.steps
        mistakes = int(self.model.updates_[0]) if last else step
        strip = [
            number(
                "mistakes",
                mistakes,
                bound=limit,
                of_run=claim is not None and not claim.separable,
            ),
            number("supports", len(rows)),
            number("errors", wrong),
        ]
        if step:
            strip.append(
                number("squared_norm_f", float(self.trace.squared_norm[-1 if last else step - 1]))
            )
        if "beside" in scene:
            strip.append(number("neighbour_errors", scene["beside"]["wrong"]))
        told = self._verdict(step)
        return {"scene": scene, "strip": strip, "verdict": told, "cursors": {"norm_f": mistakes}}

    def _verdict(self, step: int) -> dict[str, Any]:
        """What happened at this frame; at the last one, what became of the run."""
        if step == self.steps:
            key = "kernels.converged" if self.model.converged_ else "kernels.unfinished"
            tone = "good" if self.model.converged_ else "plain"
            supports = len(self.model.support_)
            return verdict(key, tone, mistakes=int(self.model.updates_[0]), supports=supports)
        if not step:
            return verdict("kernels.start")
        example = str(int(self.trace.example[step - 1]) + 1)
        return verdict("kernels.mistake", mistakes=step, example=example)

    def code(self, step: int) -> list[str]:
        shown = f'print("mistakes so far, on examples", model.trace_.example[:{step}])'
        return [*super().code(step), *([shown] if step < self.steps else [])]

    def charts(self) -> list[dict[str, Any]]:
        if not self.steps:
            return []
        n = self.trace.update
        curves = [series("norm_f.f", [0, *n], [0.0, *self.trace.squared_norm])]
        for claim in self.model.certificate_.of_kind(MistakeBound):
            curves += theorem_curves("norm_f", claim, n)
        return [chart("norm_f", curves)]
