"""The Perceptron: every update as vectors, and ‖w‖² between the two curves of the theorem."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from certo.certificates.composite import Composite
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.certificates.separation.separable import Separable
from certo.estimators.hard_margin import HardMarginSVM
from certo.estimators.perceptron import Perceptron
from certo.estimators.verdict import separability
from certo.geometry.neuron import Neuron
from certo.lab.experiment import Asked, Experiment, Job, MachineRun, Run
from certo.lab.experiments.shown import theorem_curves
from certo.lab.scene import BOUND_DIGITS, chart, line, number, series, text, verdict
from certo.lab.settings import Choice, decades, wholes
from certo.rates import Geometric, Power

GHOSTS = 14  # Earlier boundaries that are still seen.
MAX_BOUND_DIGITS = 12  # Of X and γ, where as many are needed to make the bound of them.
CURVE_POINTS, MAX_DRAWN = 120, 600  # Of the theorem, and of the run: more is not seen.


class PerceptronExperiment(Experiment):
    name = "perceptron"
    preset = "narrow"
    settings = (
        wholes("epochs", 50, (1, 2, 3, 5, 10, 20, 50, 100, 200)),
        Choice("rate", "constant", ("constant", "power", "geometric")),
        decades("eta", 1.0, -1, 1),
        Choice("order", "cyclic", ("cyclic", "shuffled", "misclassified")),
        Choice("start", "zeros", ("zeros", "random")),
        Choice("intercept", "lifted", ("lifted", "none")),
        wholes("seed", 0, range(100)),
    )

    def _run(self, asked: Asked, before: Run | None) -> Run:
        return PerceptronRun(asked)


class PerceptronRun(MachineRun):
    prints = '"updates:", model.updates_[0]'
    claims: Any = None

    def __init__(self, asked: Asked) -> None:
        self.asked, self.X, self.y = asked, asked.bench.X, asked.bench.y
        eta = asked["eta"]
        rates = {"constant": eta, "power": Power(eta), "geometric": Geometric(eta)}
        self.model = Perceptron(
            learning_rate=rates[asked["rate"]],
            epochs=asked["epochs"],
            order=asked["order"],
            init=asked["start"],
            intercept=asked["intercept"],
            random_state=asked["seed"],
        )
        self.model.fit(self.X, self.y)
        if asked["rate"] != "constant":
            self.prepares = ("from certo.rates import Geometric, Power",)
        self.claims, self.inseparable = self.model.certificate_, False
        if not self.model.converged_:
            self._compare_with_the_best()
        self.claim = next(iter(self.claims.of_kind(MistakeBound)), None)
        self.trace = self.model.trace_
        start = self.claim.start if self.claim is not None else np.zeros(0)
        start = start if start.size else np.zeros(3)
        self.weights = np.vstack([start, self.trace.weights])
        self.updates = np.concatenate([[0], self.trace.weights_update])
        if self.updates[-1] != self.total:  # Of very many updates, not the last weights are kept.
            last = np.append(self.model.coef_[0], self.model.intercept_[0])
            self.weights = np.vstack([self.weights, last])
            self.updates = np.append(self.updates, self.total)
        self.steps = len(self.updates) - 1
        self.at = {int(update): k for k, update in enumerate(self.trace.update)}

    def _compare_with_the_best(self) -> None:
        """A run that was cut short has no separator of its own: the bound is that of the largest
        margin, if there is one."""
        lifted = self.asked["intercept"] == "lifted"
        found = separability(self.X, self.y, "free" if lifted else "none")
        self.inseparable = not isinstance(found, Separable)
        if self.inseparable:
            return
        best = HardMarginSVM(intercept=self.asked["intercept"]).fit(self.X, self.y)
        bound = self.model.mistake_bound(self.X, self.y, best.coef_, best.intercept_)
        others = [one for one in self.claims if not isinstance(one, MistakeBound)]
        self.claims = Composite((*others, *bound.claims), self.claims.not_claimed)

    @property
    def total(self) -> int:
        return int(self.model.updates_[0])

    @property
    def lifted(self) -> str:
        """What the keys of margins and lengths end with that are those of (x, 1)."""
        return "_lifted" * (self.asked["intercept"] == "lifted")

    @property
    def bound(self) -> int | None:
        """What the theorem allows; None, where it allows any number."""
        return None if self.claim is None else self.claim.bound

    @property
    def is_plain(self) -> bool:
        """Whether the bound is (X/γ)²: for a run from w = 0 at a constant rate."""
        return self.asked["rate"] == "constant" and self.asked["start"] == "zeros"

    def _margin_and_longest(self) -> tuple[float, float, int]:
        """γ, X, and how many of their digits give the bound when a reader computes (X/γ)²."""
        assert self.claim is not None
        margin = self.claim.target / self.claim.comparator_norm
        longest, digits = math.sqrt(self.claim.radius2), BOUND_DIGITS
        while self.is_plain and digits < MAX_BOUND_DIGITS:
            shown = Fraction(text(longest, "most", digits)), Fraction(text(margin, "least", digits))
            if int((shown[0] / shown[1]) ** 2) == self.bound:
                break
            digits += 1
        return margin, longest, digits

    def frame(self, step: int, job: Job) -> dict[str, Any]:
        w, update = self.weights[step], int(self.updates[step])
        earlier = range(max(0, step - GHOSTS), step)
        lines = [
            line("ghost", self.weights[k][:2], self.weights[k][2], age=step - k) for k in earlier
        ]
        lines.append(line("boundary", w[:2], w[2]))
        scene: dict[str, Any] = {"lines": lines, "vectors": [], "marks": {}}
        if self.claim is not None and self.claim.separable:
            u = self.claim.comparator
            scene["lines"].insert(0, line("separator", u.coef, u.intercept, name="line.separator"))
        epoch, place = 0, self.at.get(update)
        if place is not None:
            example = int(self.trace.example[place])
            epoch = int(self.trace.epoch[place])
            scene["marks"]["current"] = [example]
        if place is not None and step and self.updates[step - 1] == update - 1:
            before = self.weights[step - 1]
            scene["vectors"] = [
                {"kind": "old", "tip": before[:2].tolist()},
                {"kind": "update", "tail": before[:2].tolist(), "tip": w[:2].tolist()},
            ]
        scene["vectors"].append({"kind": "w", "tip": w[:2].tolist()})
        wrong = np.flatnonzero(self.y * Neuron(w[:2], w[2]).induced_local_field(self.X) <= 0)
        scene["marks"]["wrong"] = wrong.tolist()
        scene["half"] = line("half", w[:2], w[2])
        return {
            "scene": scene,
            "strip": self._strip(step, update, epoch, wrong.size),
            "verdict": self._verdict(step),
            "cursors": {"norm": update},
        }

    def _strip(self, step: int, update: int, epoch: int, wrong: int) -> list[dict[str, Any]]:
        w = self.weights[step]
        strip = [
            number("updates", update, bound=self.bound, of_run=self.inseparable),
            number("squared_norm", float(w @ w)),
            number("wrong_now", wrong),
            number("epoch", epoch),
        ]
        if self.claim is not None and self.claim.separable:
            margin, longest, digits = self._margin_and_longest()
            strip += [
                number(f"separator_margin{self.lifted}", margin, at="least", digits=digits),
                number(f"longest{self.lifted}", longest, at="most", digits=digits),
            ]
        return strip

    def _facts(self) -> dict[str, Any]:
        """What the theorem says of every run on these points; nothing, if it says nothing."""
        claim, bound = self.claim, self.bound
        if claim is None or not claim.separable or bound is None:
            return {}
        margin, longest, digits = self._margin_and_longest()
        return {"margin": text(margin, "least", digits), "longest": text(longest, "most", digits),
                "bound": bound}  # fmt: skip

    def _verdict(self, step: int) -> dict[str, Any]:
        facts, place = self._facts(), self.at.get(int(self.updates[step]))
        if step < self.steps and not step:
            return verdict(self._start_key(facts), **facts)
        if (
            step < self.steps
            and place is not None
            and self.updates[step - 1] + 1 == self.updates[step]
        ):
            example, before = int(self.trace.example[place]), self.weights[step - 1]
            field = Neuron(before[:2], before[2]).induced_local_field(self.X[example])
            told: dict[str, Any] = {"update": int(self.updates[step]), "example": str(example + 1),
                    "field": float(self.y[example] * field)}  # fmt: skip
            return verdict("perceptron.step" + "_endless" * (not facts), **told, **facts)
        if facts:
            converged = "perceptron.converged" + (self.lifted if self.is_plain else "_other")
            key = converged if self.model.converged_ else "perceptron.unfinished"
            tone = "good" if self.model.converged_ else "plain"
            return verdict(key, tone, updates=self.total, **facts)
        if self.model.converged_:
            return verdict("perceptron.converged_plain", "good", updates=self.total)
        key = "perceptron.endless" if self.inseparable else "perceptron.stopped"
        if self.inseparable and not self.lifted:
            key += "_origin"
        return verdict(key, "bad", updates=self.total, epochs=int(self.model.n_iter_))

    def _start_key(self, facts: dict[str, Any]) -> str:
        if facts:
            return "perceptron.start" if self.is_plain else "perceptron.start_other"
        if not self.inseparable:
            return "perceptron.start_open"
        return "perceptron.start_endless" + "_origin" * (not self.lifted)

    def code(self, step: int) -> list[str]:
        weights = f"model.trace_.weights[{step - 1}]"
        shown = f'print("after", {self.updates[step]}, "updates:", {weights})'
        return [*super().code(step), *([shown] if 0 < step < self.steps else [])]

    def charts(self) -> list[dict[str, Any]]:
        if not self.total:
            return []
        n = np.unique(np.linspace(1, self.total, CURVE_POINTS).astype(np.int64))
        start = float(self.weights[0] @ self.weights[0])
        kept = np.unique(np.linspace(0, len(self.trace) - 1, MAX_DRAWN).astype(np.int64))
        curves = [
            series(
                "norm.w",
                np.append(0, self.trace.update[kept]),
                np.append(start, self.trace.squared_norm[kept]),
            )
        ]
        if self.claim is not None:
            curves += theorem_curves("norm", self.claim, n)
        return [chart("norm", curves)]
