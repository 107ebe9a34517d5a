"""What several experiments show: sizes of supports, an objective, and the curves of a theorem."""

from __future__ import annotations

import numpy as np
import pytest

from certo import SVM
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.lab.experiments.shown import objective_numbers, support_marks, theorem_curves
from certo.lab.state import State
from tests.lab import run_of


def test_rings_are_as_large_as_multipliers():
    marks = support_marks(np.array([3, 5, 8]), np.array([-2.0, 0.5, 1.0]))
    assert marks == {"support": [3, 5, 8], "size": [1.0, 0.25, 0.5]}
    assert support_marks(np.array([2]), np.array([0.0]))["size"] == [0]
    assert support_marks(np.array([], dtype=int), np.array([])) == {"support": [], "size": []}


def test_the_objective_is_that_of_the_claim():
    bench = State.of_link("margin").bench
    (claim,) = SVM(C=1.0).fit(bench.X, bench.y).certificate_.of_kind(SoftMarginGap)
    numbers = {one["key"]: one["value"] for one in objective_numbers(claim)}
    assert numbers == {"objective": claim.primal, "relative_gap": claim.relative_gap}


@pytest.mark.parametrize(("link", "count"), [("perceptron", 2), ("perceptron?preset=xor", 1)])
def test_only_what_is_separable_has_a_lower_curve(link, count):
    run = run_of(link)
    (claim,) = run.claims.of_kind(MistakeBound)
    curves = theorem_curves("norm", claim, np.arange(1, 5))
    assert len(curves) == count
    squares = run.trace.squared_norm[:4]
    assert np.all(squares <= np.array(curves[0]["y"]))
    if count == 2:
        assert np.all(squares >= np.array(curves[1]["y"]))
