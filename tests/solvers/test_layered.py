"""Traces of several outputs in one keep whose they were."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from certo.solvers.layered import Layered


@dataclass
class Trace(Layered):
    output: np.ndarray
    value: np.ndarray
    best_output: np.ndarray


def test_outputs_are_numbered_and_the_rest_is_kept():
    traces = [Trace(np.zeros(n, int), np.full(n, 0.5 * n), np.zeros(n, int)) for n in (2, 0, 3)]
    both = Trace.layer(traces)
    assert len(both) == 5
    assert both.output.tolist() == both.best_output.tolist() == [0, 0, 2, 2, 2]
    assert both.value.tolist() == [1.0, 1.0, 1.5, 1.5, 1.5]
    assert traces[2].output.tolist() == [0, 0, 0], "those of before are left alone"
