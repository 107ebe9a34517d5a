"""Pictures of kernels beside each other: errors above, supports below."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib.figure import Figure

from certo import SVM, compare_kernels, plots
from certo.kernels import Function, Gaussian, Linear, Polynomial
from tests.plots.scenes import OUT, PLANE


@pytest.fixture(scope="module")
def curve():
    kernels = [Gaussian(v) for v in (10.0, 0.1, 1.0)]
    return compare_kernels(PLANE, OUT, kernels, SVM(C=10.0), cv=3, random_state=0)


@pytest.mark.slow
def test_a_validation_curve_with_its_supports_below(curve):
    ax = plots.validation_curve(curve)
    above, below = ax.figure.axes
    assert above is ax
    assert ax.get_xscale() == below.get_xscale() == "log"
    lines = {str(line.get_label()): line for line in ax.lines}
    order = np.argsort([kernel.variance for kernel in curve.kernels])
    for name, values in (
        ("validation error", curve.validation_error),
        ("training error", curve.training_error),
    ):
        assert lines[name].get_xdata().tolist() == [0.1, 1.0, 10.0]
        np.testing.assert_allclose(lines[name].get_ydata(), 100 * values[order])
    supports = max(below.lines, key=lambda line: len(line.get_xdata()))
    np.testing.assert_allclose(supports.get_ydata(), curve.supports[order])
    near = lines[curve.neighbours.name]
    assert near.get_ydata()[0] == pytest.approx(100 * curve.neighbours.validation_error)
    assert f"least: variance {curve.best.variance:g}" in lines
    assert "over-fitting" in below.get_xlabel()
    ax.figure.savefig(io.BytesIO(), format="svg")


def test_validation_curves_of_degrees_and_of_any_kernels():
    degrees = [Polynomial(n) for n in (1, 2, 3)]
    other = [Linear(), Gaussian(1.0) + Linear(), Function(lambda a, b: float(a @ b))]
    for kernels, scale, label in ((degrees, "linear", "degree"), (other, "linear", "number of")):
        found = compare_kernels(PLANE, OUT, kernels, cv=2, neighbours=None, random_state=0)
        ax = Figure().add_subplot()
        assert plots.validation_curve(found, ax=ax) is ax
        below = ax.figure.axes[1]
        assert ax.get_xscale() == scale
        assert label in below.get_xlabel()
        ax.figure.savefig(io.BytesIO(), format="svg")
    with pytest.raises(ValueError, match="subplots"):
        plots.validation_curve(found, ax=Figure().add_axes((0, 0, 1, 1)))
