"""The lift of conics: points of the plane in a space of three products, and a plane among them."""

from __future__ import annotations

from typing import Any

import numpy as np

from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.estimators.svm import SVM
from certo.features.monomials import Monomials
from certo.lab.experiment import Asked, Experiment, Job, MachineRun, Run
from certo.lab.experiments.shown import objective_numbers, support_marks
from certo.lab.scene import grid_of, number, region, verdict
from certo.lab.settings import decades

LIFT_STEPS = 24  # Frames from the plane to the space.
NEARLY_NONE = 1e-9  # Below this share a part of the equation of a conic is not seen in a picture.


class ConicsExperiment(Experiment):
    name = "conics"
    preset = "ring"
    settings = (decades("C", 10.0, -2, 3),)

    def _run(self, asked: Asked, before: Run | None) -> Run:
        return ConicsRun(asked)


class ConicsRun(MachineRun):
    """Frame k: the points on their way from (x₁, x₂, 0) to (x₁², √2x₁x₂, x₂²), the map of the
    kernel (x·x')². In the last frame they are there, and a plane separates them as it can."""

    steps = LIFT_STEPS
    prepares = (
        "from certo.features import Monomials",
        "X = Monomials(2, offset=0.0).fit_transform(X)  # three products of the coordinates",
    )
    prints = '"plane:", model.coef_, model.intercept_'

    def __init__(self, asked: Asked) -> None:
        self.asked, self.y = asked, asked.bench.y
        self.flat, self.map = asked.bench.X, Monomials(2, offset=0.0)
        self.X = self.map.fit_transform(self.flat)
        self.model = SVM(C=asked["C"]).fit(self.X, self.y)

    def frame(self, step: int, job: Job) -> dict[str, Any]:
        flat = np.column_stack([self.flat[:, 0], np.zeros(len(self.y)), self.flat[:, 1]])
        part = step / self.steps
        points = (1 - part) * flat + part * self.X
        w, b = self.model.coef_[0], float(self.model.intercept_[0])
        reach = self.asked.reach
        scores = self.model.decision_function(self.map.transform(grid_of(reach)))
        own = self.model.decision_function(self.X)
        wrong = np.flatnonzero(self.y * own <= 0)
        last = step == self.steps
        solid: dict[str, Any] = {"points": points.round(6).tolist(), "part": part}
        if last:
            solid["plane"] = {"w": w.tolist(), "b": b}
        scene: dict[str, Any] = {
            "lines": [],
            "region": region(scores, reach, (-1.0, 0.0, 1.0)) if last else None,
            "marks": {"wrong": wrong.tolist() if last else []},
            "solid": solid,
        }
        if last:
            scene["marks"] |= support_marks(self.model.support_, self.model.dual_coef_[0])
        (claim,) = self.model.certificate_.of_kind(SoftMarginGap)
        strip = [
            number("errors", wrong.size),
            number("supports", len(self.model.support_)),
            *objective_numbers(claim),
        ]
        told = verdict(f"conics.{conic_of(w, b)}", "good" if not wrong.size else "plain",
                       wrong=wrong.size)  # fmt: skip
        if not last:
            told = verdict("conics.lifting")
        return {"scene": scene, "strip": strip, "verdict": told, "cursors": {}}


def conic_of(w: np.ndarray, b: float) -> str:
    """What w₁x₁² + √2w₂x₁x₂ + w₃x₂² + b = 0 is, by the signs of its discriminant and of b."""
    size = float(np.linalg.norm(w))
    if size <= NEARLY_NONE * max(1.0, abs(b)):
        return "missed"  # There is no plane, or it is further than any point.
    sign, trace = float(2 * w[0] * w[2] - w[1] ** 2), float(w[0] + w[2])
    through_origin = abs(b) <= NEARLY_NONE * size
    if sign < 0:
        return "cross" if through_origin else "hyperbola"
    # The form has one sign, that of its trace: it reaches −b only where that has the same one.
    if through_origin or trace * b >= 0:
        return "missed"
    return "ellipse" if sign > 0 else "parabola"
