"""Pictures of what a machine learned. Each function draws on `ax`, or on a new figure's axes."""

from certo.plots._canvas import MOST_NAMED, MOST_POINTS
from certo.plots.conflicts import conflict
from certo.plots.functions import regions, scores
from certo.plots.hyperplanes import boundary, margin_band
from certo.plots.kernel_choice import validation_curve
from certo.plots.perceptron_runs import mistakes, squared_norm
from certo.plots.proofs import bounds, gap, pegasos_excess

__all__ = [
    "MOST_NAMED",
    "MOST_POINTS",
    "boundary",
    "bounds",
    "conflict",
    "gap",
    "margin_band",
    "mistakes",
    "pegasos_excess",
    "regions",
    "scores",
    "squared_norm",
    "validation_curve",
]
