"""Separability: the hyperplane, or the few points whose hulls meet, example by example."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from certo.certificates.composite import Composite
from certo.certificates.separation.classes import ClassSeparability
from certo.certificates.separation.inseparable import Inseparable
from certo.certificates.separation.separable import Separable
from certo.estimators.hard_margin import HardMarginSVM
from certo.estimators.verdict import separability
from certo.geometry.neuron import Neuron
from certo.lab.experiment import Asked, Experiment, Job, Proof, Run, first_rows
from certo.lab.scene import chart, line, number, series, verdict
from certo.lab.settings import Choice, Flag


class SeparabilityExperiment(Experiment):
    name = "separability"
    preset = "touching"
    needs_both = False
    fewest = 1
    settings = (Choice("intercept", "free", ("free", "none")), Flag("widest", True))

    def _run(self, asked: Asked, before: Run | None) -> Run:
        return SeparabilityRun(asked)


class VerdictRun(Run):
    """A run whose answer is a verdict about separability."""

    X: np.ndarray
    y: np.ndarray
    whole: Separable | Inseparable

    intercept: str = "free"

    @property
    def _call(self) -> str:
        return f"separability(X, y, intercept={self.intercept!r})"

    def proof(self, job: Job) -> Proof:
        return Proof(Composite((self.whole,)), None, self.X, self.y, self._call)

    def code(self, step: int) -> list[str]:
        return [
            "from certo import separability",
            f"verdict = {self._call}",
            "print(verdict)",
            "print(verdict.verify(X, y))",
        ]

    def _hulls(self, found: Inseparable) -> tuple[dict[str, Any], tuple[float, float]]:
        """The few points, mirrored if only hyperplanes through the origin count, with the fractions
        that make one point of those of either label: they add up to 1 within a label."""
        rows, free = found.rows, self.intercept == "free"
        signs, points = self.y[rows], self.X[rows]
        if not free:
            points, signs = points * signs[:, None], np.ones_like(signs)
        total = {sign: sum((w for w, s in zip(found.weights, signs, strict=True) if s == sign),
                           Fraction(0)) for sign in (-1, 1)}  # fmt: skip
        shares = [w / total[int(s)] for w, s in zip(found.weights, signs, strict=True)]
        first = signs == signs[0]
        meeting = np.array([float(share) for share in shares])[first] @ points[first]
        at = (float(meeting[0]), float(meeting[1]))
        tags = [
            {"row": int(row), "at": point, "text": str(share), "sign": int(sign)}
            for row, point, share, sign in zip(rows, points.tolist(), shares, signs, strict=True)
        ]
        hulls = [
            {"sign": side, "at": points[signs == side].tolist()}
            for side in (-1, 1)
            if np.any(signs == side)
        ]
        scene = {"tags": tags, "hulls": hulls, "meeting": list(at), "mirrored": not free}
        return scene | {"marks": {"hull": rows.tolist()}}, at


class SeparabilityRun(VerdictRun):
    """The examples come one after the other; the verdict is about those that came."""

    begins_at = 1

    def __init__(self, asked: Asked) -> None:
        self.asked, self.X, self.y = asked, asked.bench.X, asked.bench.y
        self.steps, self.intercept = len(self.y), asked["intercept"]
        self.verdicts: dict[int, Separable | Inseparable] = {}
        self.whole = self._verdict_of(self.steps)

    def _verdict_of(self, count: int) -> Separable | Inseparable:
        """The verdict about the first so many."""
        if count not in self.verdicts:
            free = self.intercept
            found = separability(self.X[:count], self.y[:count], intercept=free)
            if isinstance(found, Inseparable):  # Nor are they with any others that come later.
                self.verdicts |= dict.fromkeys(range(count, self.steps + 1), found)
            assert not isinstance(found, ClassSeparability)  # There are at most two labels.
            self.verdicts[count] = found
        return self.verdicts[count]

    def _best(self, count: int) -> HardMarginSVM:
        """The machine with the widest band around the first so many."""
        return HardMarginSVM(intercept=self.intercept).fit(self.X[:count], self.y[:count])

    def _has_band(self, found: Separable | Inseparable) -> bool:
        return isinstance(found, Separable) and self.asked["widest"] and bool(found.coef.any())

    def proof(self, job: Job) -> Proof:
        """Of the line that is shown: with the widest band that is not the one of the verdict."""
        if not self._has_band(self.whole):
            return super().proof(job)
        best = self._best(self.steps)
        return Proof(best.certificate_, best, self.X, self.y, repr(best))

    def code(self, step: int) -> list[str]:
        lines = [*first_rows(step, self.steps), *super().code(step)]
        if not self._has_band(self._verdict_of(step)):
            return lines
        return [
            *lines,
            "from certo import HardMarginSVM",
            f"widest = HardMarginSVM(intercept={self.intercept!r}).fit(X, y)",
            'print("margin:", widest.geometric_margin_[0])',
            "print(widest.certificate_.verify(X, y))",
        ]

    def frame(self, step: int, job: Job) -> dict[str, Any]:
        found = self._verdict_of(step)
        scene: dict[str, Any] = {"lines": [], "marks": {"faded": list(range(step, self.steps))}}
        strip = [number("examples_seen", step)]
        cursors = {"margins": step}
        if isinstance(found, Separable):
            coef, intercept, margin = found.coef, float(found.intercept), found.margin
            if self._has_band(found):
                best = self._best(step)
                coef, intercept = best.coef_[0], float(best.intercept_[0])
                margin = float(best.geometric_margin_[0])
                scene["band"] = line("band", coef, intercept)
            scene["lines"] = [line("boundary", coef, intercept)]
            scene["half"] = line("half", coef, intercept)
            strip.append(number("margin", margin, at="least"))
            through = "_origin" * (self.intercept == "none")
            told = verdict(f"separability.yes{through}", "good", margin=strip[-1]["text"])
            if not coef.any():
                told = verdict("separability.one_class", "good")
            return {"scene": scene, "strip": strip, "verdict": told, "cursors": cursors}
        hulls, meeting = self._hulls(found)
        scene |= hulls
        strip.append(number("witnesses", len(found.rows)))
        told = verdict("separability.no", "bad", count=len(found.rows), x=meeting[0], y=meeting[1])
        if self.intercept == "none":
            told = verdict("separability.no_origin", "bad", count=len(found.rows))
        return {"scene": scene, "strip": strip, "verdict": told, "cursors": cursors}

    def more(self, job: Job) -> dict[str, Any]:
        """How the largest margin shrinks as examples come, until there is none."""
        counts, margins = [], []
        kept: Any = None
        for count in range(2, self.steps + 1):
            job.tell(done=count, of=self.steps)
            if len(np.unique(self.y[:count])) < 2:
                continue
            if isinstance(self._verdict_of(count), Inseparable):
                counts.append(count)
                margins.append(0.0)
                break
            new, sign = self.X[count - 1 : count], self.y[count - 1]
            if kept is None or sign * kept.induced_local_field(new)[0] < 1:  # It is a support now.
                best = self._best(count)
                kept = Neuron(best.coef_[0], best.intercept_[0])
                margin = float(best.geometric_margin_[0])
            counts.append(count)
            margins.append(margin)
        if not counts:
            return {}
        return {"charts": [chart("margins", [series("margins.largest", counts, margins, "step")])]}
