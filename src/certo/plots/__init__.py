"""Pictures of what a machine learned. Each function draws on `ax`, or on a new figure's axes."""

from certo.plots._canvas import MOST_NAMED, MOST_POINTS
from certo.plots.conflicts import conflict
from certo.plots.densities import density
from certo.plots.functions import regions, scores
from certo.plots.hyperplanes import boundary, margin_band
from certo.plots.kernel_choice import validation_curve
from certo.plots.perceptron_runs import mistakes, squared_norm
from certo.plots.probabilities import calibration
from certo.plots.proofs import bounds, convergence, gap, pegasos_excess
from certo.plots.regression import MOST_COEFFICIENTS, coefficients, normal_quantiles, residuals
from certo.plots.risk import risk_bounds
from certo.plots.structures import gram, kernel_pca

__all__ = [
    "MOST_COEFFICIENTS",
    "MOST_NAMED",
    "MOST_POINTS",
    "boundary",
    "bounds",
    "calibration",
    "coefficients",
    "conflict",
    "convergence",
    "density",
    "gap",
    "gram",
    "kernel_pca",
    "margin_band",
    "mistakes",
    "normal_quantiles",
    "pegasos_excess",
    "regions",
    "residuals",
    "risk_bounds",
    "scores",
    "squared_norm",
    "validation_curve",
]
