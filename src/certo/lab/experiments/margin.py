"""Largest and soft margin: band, supports, slacks, and what removing an example changes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from certo.certificates.margins.maximum_margin import MaximumMargin
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.separation.inseparable import Inseparable
from certo.estimators.hard_margin import HardMarginSVM, NotSeparable
from certo.estimators.svm import SVM
from certo.lab.experiment import Asked, Experiment, Job, MachineRun, Run
from certo.lab.experiments.separability import VerdictRun
from certo.lab.experiments.shown import objective_numbers, support_marks
from certo.lab.scene import chart, line, number, series, verdict
from certo.lab.settings import Choice, decades

PRECISE = 1e-10  # Relative gap to which machines are fitted, so that a change can be seen.


class MarginExperiment(Experiment):
    name = "margin"
    preset = "overlapping"
    settings = (
        Choice("machine", "soft", ("soft", "hard")),
        decades("C", 1.0, -3, 3),
        Choice("intercept", "free", ("free", "lifted", "none")),
    )

    def _run(self, asked: Asked, before: Run | None) -> Run:
        return MarginRun(asked) if asked["machine"] == "soft" else hard_margin_run(asked)


def hard_margin_run(asked: Asked) -> Run:
    try:
        return MarginRun(asked)
    except NotSeparable as found:
        proof: Any = found.proof  # Without a kernel there is one.
        return NoMarginRun(asked, proof)


class MarginRun(MachineRun):
    """Frame k: the machine without the first k examples of an order, in which those come first
    that are furthest on their own side, and supports last."""

    opens_at = 0
    prints = '"supports:", model.support_'

    def __init__(self, asked: Asked) -> None:
        self.asked, self.X, self.y = asked, asked.bench.X, asked.bench.y
        self.model = self._machine().fit(self.X, self.y)
        self.w = np.append(self.model.coef_[0], self.model.intercept_[0])
        own = self.y * self.model.decision_function(self.X)
        supports = set(self.model.support_.tolist())
        self.order = sorted(range(len(self.y)), key=lambda t: (t in supports, -own[t]))
        self.steps = self._removable()
        self.without: dict[int, Any] = {0: self.model}

    def _machine(self) -> Any:
        if self.asked["machine"] == "hard":
            return HardMarginSVM(intercept=self.asked["intercept"], tol=PRECISE)
        return SVM(C=self.asked["C"], intercept=self.asked["intercept"], tol=PRECISE)

    def _removable(self) -> int:
        """How many can go before one label is left alone."""
        left = {sign: int(np.sum(self.y == sign)) for sign in (-1, 1)}
        for count, row in enumerate(self.order):
            left[int(self.y[row])] -= 1
            if not left[int(self.y[row])]:
                return count
        return len(self.order)

    def _fitted(self, step: int) -> Any:
        if step not in self.without:
            rows = self._kept(step)
            self.without[step] = self._machine().fit(self.X[rows], self.y[rows])
        return self.without[step]

    def _kept(self, step: int) -> np.ndarray:
        return np.sort(np.array(self.order[step:], dtype=np.int64))

    def frame(self, step: int, job: Job) -> dict[str, Any]:
        model, rows = self._fitted(step), self._kept(step)
        coef, intercept = model.coef_[0], float(model.intercept_[0])
        supports = rows[model.support_]
        scores = model.decision_function(self.X[rows])
        own = self.y[rows] * scores
        slacks = np.zeros(rows.size)
        if isinstance(model, SVM):
            slacks = model.slacks(self.X[rows], self.y[rows])
        scene: dict[str, Any] = {
            "lines": [line("boundary", coef, intercept)],
            "half": line("half", coef, intercept),
            "marks": {
                **support_marks(supports, model.dual_coef_[0]),
                "removed": self.order[:step],
                "wrong": rows[own <= 0].tolist(),
            },
        }  # fmt: skip
        if coef.any():
            scene["band"] = line("band", coef, intercept)
            # x + ξ y w/‖w‖² has margin 1: it is on the line of its own label.
            feet = self.X[rows] + (slacks * self.y[rows] / float(coef @ coef))[:, None] * coef
            scene["segments"] = [
                {"kind": "slack", "from": self.X[row].tolist(), "to": foot.tolist()}
                for row, foot, slack in zip(rows, feet, slacks, strict=True)
                if slack > 1e-9
            ]
        moved, allowed = self._moved(model)
        strip = self._strip(model, supports.size, slacks, int(np.sum(own <= 0)), moved)
        return {"scene": scene, "strip": strip, "verdict": self._verdict(step, moved, allowed),
                "cursors": {}}  # fmt: skip

    def _gap(self, model: Any) -> float:
        """How far ½‖w‖² + CΣξ, or ½‖w‖², can be from the least."""
        if isinstance(model, SVM):
            (soft,) = model.certificate_.of_kind(SoftMarginGap)
            return soft.gap
        (hard,) = model.certificate_.of_kind(MaximumMargin)
        return max(0.0, float(model.objective_[0]) - 0.5 / hard.upper**2)

    def _moved(self, model: Any) -> tuple[float, float]:
        """How far w is from that of all examples, and how far it would be at most if both had the
        same minimiser: by strong convexity ½‖w − w*‖² is at most the gap."""
        last = 3 if self.asked["intercept"] == "lifted" else 2
        w = np.append(model.coef_[0], model.intercept_[0])
        allowed = math.sqrt(2 * self._gap(model)) + math.sqrt(2 * self._gap(self.model))
        return float(np.linalg.norm((w - self.w)[:last])), allowed

    def _strip(self, model, supports: int, slacks, wrong: int, moved: float) -> list[Any]:
        norm = float(np.linalg.norm(model.coef_[0]))
        strip = [
            number("margin", 1 / norm if norm else math.inf, at="least"),
            number("supports", supports),
            number("errors", wrong),
            number("slack_sum", float(np.sum(slacks))),
        ]
        for soft in model.certificate_.of_kind(SoftMarginGap):
            strip += objective_numbers(soft)
        hard = model.certificate_.of_kind(MaximumMargin)
        for claim in hard:  # In the space of the claim, in which points may be (x, 1).
            if claim.treatment == "lifted":
                strip.append(number("margin_lifted", claim.lower, at="least"))
                strip.append(number("margin_most_lifted", claim.upper, at="most"))
            else:
                strip.append(number("margin_most", claim.upper, at="most"))
        return [*strip, number("moved", moved)]

    def _verdict(self, step: int, moved: float, allowed: float) -> dict[str, Any]:
        if not step:
            key = f"margin.{self.asked['machine']}"
            if key == "margin.hard":
                key += {"none": "_origin", "lifted": "_lifted"}.get(self.asked["intercept"], "")
            return verdict(key, "plain", supports=len(self.model.support_), total=len(self.y))
        is_support = self.order[step - 1] in set(self.model.support_.tolist())
        if moved <= allowed:
            key = "margin.same_support" if is_support else "margin.same"
            return verdict(key, "good", removed=step, example=str(self.order[step - 1] + 1))
        return verdict("margin.changed", "bad", removed=step, moved=moved,
                       example=str(self.order[step - 1] + 1))  # fmt: skip

    def code(self, step: int) -> list[str]:
        gone = [
            f"gone = {self.order[:step]}",
            "X, y = np.delete(X, gone, axis=0), np.delete(y, gone)",
        ]
        return [*(gone if step else []), *super().code(step)]

    def charts(self) -> list[dict[str, Any]]:
        trace = self.model.trace_
        if isinstance(self.model, HardMarginSVM):
            looks = np.arange(1, len(trace) + 1)
            lines = [series("bounds.upper", looks, trace.upper, "upper"),
                     series("bounds.lower", looks, trace.lower)]  # fmt: skip
            return [chart("margin_bounds", lines)]
        looks = np.arange(1, len(trace) + 1)
        gaps = np.maximum(trace.gap, 2.0**-53)
        return [chart("gap", [series("gap.relative", looks, gaps)], log_y=True)]


class NoMarginRun(VerdictRun):
    """No hyperplane separates the examples: the proof, instead of a margin."""

    whole: Inseparable

    def __init__(self, asked: Asked, proof: Inseparable) -> None:
        self.X, self.y, self.whole = asked.bench.X, asked.bench.y, proof
        self.intercept = proof.intercept

    def frame(self, step: int, job: Job) -> dict[str, Any]:
        hulls, _ = self._hulls(self.whole)
        key = "margin.none" + "_origin" * (self.intercept == "none")
        told = verdict(key, "bad", count=self.whole.rows.size)
        return {"scene": {"lines": []} | hulls, "strip": [], "verdict": told, "cursors": {}}
