"""What is shown of classifiers: hyperplanes, and functions of a kernel's space."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from certo import plots
from certo.certificates.errors.error_count import is_error
from certo.certificates.margins.maximum_margin import MaximumMargin
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.runs.expected_excess import ExpectedExcess
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.certificates.sample.examples import Sample
from certo.estimators import (
    SVM,
    HardMarginSVM,
    KernelPerceptron,
    MinDisagreement,
    Pegasos,
    Perceptron,
)
from certo.estimators.description import has_kernel
from certo.numbers.decimals import readable, rounded_down, rounded_up
from certo.numbers.digits import three_digits
from certo.report.face import MAX_OUTPUTS_DRAWN, Face, Tile, in_order, new_axes, shows
from certo.tables.examples import Examples
from certo.words.labels import against, rest_of, shown_of
from certo.words.reader import example

MAX_SUPPORTS_SHOWN = 3  # Numbers of supports beside each other.
MAX_LISTED_PAIRS = 10  # Pairs of classes whose examples on the wrong side are listed.
MAX_COMPARED_ROWS = 5000  # Up to here the best function of a kernel's space is looked for.


def supports_per_output(machine) -> list[int]:
    return [machine.supports_of_output(k)[0].size for k in range(len(machine.outputs_))]


def supports_tile(said: dict[str, Any]) -> Tile:
    many = said["supports"]
    if len(many) > MAX_SUPPORTS_SHOWN:
        return Tile(f"{readable(min(many))} to {readable(max(many))}", "supports of each boundary")
    return Tile("/".join(map(readable, many)), "supports")


def rules(machine, examples: Examples, flat, beside=None) -> Iterator[Axes]:
    """For each output a hyperplane as `flat` draws it, or the scores of a function of a kernel's
    space, and what is drawn `beside`; before all these the regions of a kernel machine, where there
    are two features."""
    X, y, names = examples.X, examples.y, examples.feature_names
    is_flat = not has_kernel(machine)
    if X.shape[1] == 2 and not is_flat:
        yield plots.regions(machine, X, y, ax=new_axes(), names=names, places=examples.places)
    for output in in_order(machine, examples)[:MAX_OUTPUTS_DRAWN]:
        if is_flat:
            yield flat(machine, X, y, output, ax=new_axes(), names=names, places=examples.places)
        else:
            yield plots.scores(machine, X, y, output, ax=new_axes())
        if beside is not None:
            yield beside(machine, output, ax=new_axes())


def worst(machine, number: str, kind: type) -> float | None:
    """The largest of a number that all outputs have in their claims of this kind."""
    values = [getattr(claim, number) for claim in machine.certificate_.of_kind(kind)]
    return max(values) if len(values) == len(machine.outputs_) else None


@shows(Perceptron)
class PerceptronFace(Face):
    def numbers(self, machine) -> dict[str, Any]:
        claims = machine.certificate_.of_kind(MistakeBound)
        return {
            "converged": bool(machine.converged_),
            "epochs": int(machine.n_iter_),
            "updates": machine.updates_.tolist(),
            "updates_allowed": [claim.bound for claim in claims],
        }

    def tiles(self, said: dict[str, Any]) -> list[Tile]:
        updates, allowed = sum(said["updates"]), said["updates_allowed"]
        tiles = [Tile(readable(said["epochs"]), "epochs"), Tile(readable(updates), "updates")]
        if len(allowed) == len(said["updates"]) and None not in allowed:
            most = f"≤ {readable(sum(allowed))}"
            tiles.append(Tile(most, "updates: what the theorem allows"))
        return tiles

    def pictures(self, machine, examples: Examples) -> Iterator[Axes]:
        yield from rules(machine, examples, plots.boundary, beside=plots.squared_norm)
        yield plots.mistakes(machine, ax=new_axes())


@shows(KernelPerceptron)
class KernelPerceptronFace(PerceptronFace):
    def numbers(self, machine) -> dict[str, Any]:
        return super().numbers(machine) | {"supports": supports_per_output(machine)}

    def tiles(self, said: dict[str, Any]) -> list[Tile]:
        return [*super().tiles(said), supports_tile(said)]


@shows(HardMarginSVM)
class HardMarginFace(Face):
    def numbers(self, machine) -> dict[str, Any]:
        return {
            "converged": bool(machine.converged_),
            "margins": machine.margin_.tolist(),
            "geometric_margins": machine.geometric_margin_.tolist(),
            "supports": supports_per_output(machine),
            "relative_gap": worst(machine, "relative_gap", MaximumMargin),
        }

    def tiles(self, said: dict[str, Any]) -> list[Tile]:
        smallest = min(said["geometric_margins"])
        which = "margin" if len(said["supports"]) == 1 else "smallest margin"
        where = ", in the kernel's space" if said["kernel"] else ""
        return [
            Tile(rounded_down(smallest, 3), f"{which}: the distance to the nearest example{where}"),
            supports_tile(said),
            Tile.at_most(said["relative_gap"], "relative gap to the largest"),
        ]

    def rows(self, machine, X, y) -> list[tuple[str, np.ndarray]]:
        K = len(machine.classes_)
        return [
            (f"supports of {against(labels)}", machine.supports_of_output(k)[0])
            for k, labels in enumerate(machine.outputs_[: max(MAX_LISTED_PAIRS, K)])
        ]

    def pictures(self, machine, examples: Examples) -> Iterator[Axes]:
        yield from rules(machine, examples, plots.margin_band)


@shows(SVM)
class SVMFace(Face):
    def numbers(self, machine) -> dict[str, Any]:
        return {
            "converged": bool(machine.converged_),
            "C": machine.C_,
            "objectives": machine.objective_.tolist(),
            "supports": supports_per_output(machine),
            "passes": machine.n_iter_,
            "relative_gap": worst(machine, "relative_gap", SoftMarginGap),
        }

    def tiles(self, said: dict[str, Any]) -> list[Tile]:
        which = "objective" if len(said["supports"]) == 1 else "largest objective"
        form = "C" if said["settings"]["lam"] is None else "λ"
        return [
            Tile(three_digits(max(said["objectives"])), f"{which}, in the form with {form}"),
            Tile.at_most(said["relative_gap"], "relative gap to the smallest"),
            supports_tile(said),
        ]

    def rows(self, machine, X, y) -> list[tuple[str, np.ndarray]]:
        found = []
        slacks = machine.slacks(X, y).reshape(len(y), -1)
        for labels, slack in zip(machine.outputs_, slacks.T, strict=True):
            wrong = np.flatnonzero(slack >= 1)
            what = (
                f"{example()}s on the wrong side between {shown_of(labels)} and {rest_of(labels)}"
            )
            furthest = wrong[np.argsort(-slack[wrong], kind="stable")]
            found.append((what + ", the furthest first" * (wrong.size > 1), furthest))
        if len(machine.classes_) < len(found):  # There are many pairs.
            found.sort(key=lambda item: -item[1].size)
            return [item for item in found[:MAX_LISTED_PAIRS] if item[1].size]
        return found

    def pictures(self, machine, examples: Examples) -> Iterator[Axes]:
        yield from rules(machine, examples, plots.margin_band)
        yield plots.gap(machine, ax=new_axes())


@shows(Pegasos)
class PegasosFace(Face):
    def numbers(self, machine) -> dict[str, Any]:
        supports = {"supports": supports_per_output(machine)} if has_kernel(machine) else {}
        return {
            "steps": machine.steps_.tolist(),
            "objectives": machine.objective_.tolist(),
            "expected_excess": worst(machine, "bound", ExpectedExcess),
        } | supports

    def tiles(self, said: dict[str, Any]) -> list[Tile]:
        which = "objective" if len(said["steps"]) == 1 else "largest objective"
        return [
            Tile(three_digits(max(said["objectives"])), f"{which} F(w)"),
            Tile.at_most(said["expected_excess"], "expected excess", 3),
            Tile(readable(max(said["steps"])), "steps"),
            *([supports_tile(said)] if "supports" in said else []),
        ]

    def pictures(self, machine, examples: Examples) -> Iterator[Axes]:
        yield from rules(machine, examples, plots.boundary)
        if not has_kernel(machine) or len(examples.y) <= MAX_COMPARED_ROWS:
            yield plots.pegasos_excess(machine, examples.X, examples.y, ax=new_axes())


def _at_most(weight: float) -> str:
    """A count as it is, a sum of weights rounded up."""
    return rounded_up(weight) if isinstance(weight, float) else readable(weight)


@shows(MinDisagreement)
class MinDisagreementFace(Face):
    def numbers(self, machine) -> dict[str, Any]:
        return {
            "errors": machine.errors_,
            "lower_bound": machine.lower_bound_,
            "optimal": machine.optimal_,
            "answer": machine.answer_,
        }

    def tiles(self, said: dict[str, Any]) -> list[Tile]:
        errors, least = said["errors"], said["lower_bound"]
        worth = "errors: proved to be the fewest" if said["optimal"] else "errors: the best found"
        tiles = [Tile(_at_most(errors), worth)]
        if not said["optimal"]:
            necessary = rounded_down(least) if isinstance(least, float) else readable(least)
            gap = _at_most(errors - least)
            tiles.append(Tile(necessary, f"errors are proved necessary: a gap of {gap}"))
        if said["answer"] is not None:
            target = readable(said["settings"]["target"])
            tiles.append(Tile(said["answer"].capitalize(), f"to the target of {target}"))
        return tiles

    def rows(self, machine, X, y) -> list[tuple[str, np.ndarray]]:
        sample = Sample.of(X, y, machine.outputs_[0])
        wrong = is_error(sample, machine.coef_[0], float(machine.intercept_[0]))
        return [("errors, zero scores included", np.flatnonzero(wrong))]

    def pictures(self, machine, examples: Examples) -> Iterator[Axes]:
        X, y, names, places = examples.X, examples.y, examples.feature_names, examples.places
        yield plots.boundary(machine, X, y, ax=new_axes(), names=names, places=places)
        yield plots.bounds(machine, ax=new_axes())
