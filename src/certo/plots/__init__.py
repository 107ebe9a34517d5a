"""Pictures of what a machine learned. Each function draws on `ax`, or on a new figure's axes."""

from certo.plots._canvas import MAX_NAMED_LINES, MAX_POINTS_DRAWN
from certo.plots.conflicts import conflict
from certo.plots.conics import lifted_conic
from certo.plots.curves import fitted_curve
from certo.plots.densities import density
from certo.plots.functions import regions, scores
from certo.plots.hyperplanes import boundary, margin_band
from certo.plots.kernel_choice import validation_curve
from certo.plots.neurons import network, neuron
from certo.plots.objectives import losses, weight_space
from certo.plots.paths import path
from certo.plots.perceptron_runs import mistakes, squared_norm
from certo.plots.probabilities import calibration
from certo.plots.proofs import bounds, convergence, gap, pegasos_excess, regret
from certo.plots.ranking import precision_recall, roc
from certo.plots.regression import (
    MAX_COEFFICIENTS_DRAWN,
    coefficients,
    leverage,
    normal_quantiles,
    residuals,
)
from certo.plots.risk import risk_bounds
from certo.plots.structures import gram, kernel_pca
from certo.plots.successive_boundaries import (
    boundaries,
    update,
    update_animation,
    update_frames,
)
from certo.plots.vectors import half_spaces, lifting, projection
from certo.plots.worlds import world

__all__ = [
    "MAX_COEFFICIENTS_DRAWN",
    "MAX_NAMED_LINES",
    "MAX_POINTS_DRAWN",
    "boundaries",
    "boundary",
    "bounds",
    "calibration",
    "coefficients",
    "conflict",
    "convergence",
    "density",
    "fitted_curve",
    "gap",
    "gram",
    "half_spaces",
    "kernel_pca",
    "leverage",
    "lifted_conic",
    "lifting",
    "losses",
    "margin_band",
    "mistakes",
    "network",
    "neuron",
    "normal_quantiles",
    "path",
    "pegasos_excess",
    "precision_recall",
    "projection",
    "regions",
    "regret",
    "residuals",
    "risk_bounds",
    "roc",
    "scores",
    "squared_norm",
    "update",
    "update_animation",
    "update_frames",
    "validation_curve",
    "weight_space",
    "world",
]
