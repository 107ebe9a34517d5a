"""Pictures of densities beside histograms."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import stats

from certo import GaussianDensity, LogLinearDensity, plots
from certo.features import BoxPolynomials
from tests.plots.scenes import X, drawn


def test_densities():
    model = GaussianDensity().fit(X[:, :1])
    ax = drawn(plots.density(model, X[:, :1], names=["height"]))
    curve = ax.lines[0].get_xydata()
    expected = stats.norm(model.mean_[0], np.sqrt(model.covariance_[0, 0])).pdf(curve[:, 0])
    np.testing.assert_allclose(curve[:, 1], expected)
    assert ax.get_xlabel() == "height"
    bars = sum(bar.get_width() * bar.get_height() for bar in ax.patches)
    assert bars == pytest.approx(1.0)
    drawn(plots.density(GaussianDensity().fit(X[:, :2]), X[:, :2]))
    boxed = LogLinearDensity(features=BoxPolynomials(3), box=(-5, 5)).fit(X[:, :1])
    ax = drawn(plots.density(boxed, X[:, :1], ax=Figure().add_subplot()))
    assert ax.get_xlim() == (-5, 5)
    drawn(plots.convergence(boxed))
    with pytest.raises(ValueError, match=r"one or two features, but X has shape \(200, 3\)"):
        plots.density(GaussianDensity().fit(X), X)
