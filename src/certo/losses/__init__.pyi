# ruff: noqa: I001
from certo.losses.base import (
    ConvexLoss as ConvexLoss,
    Loss as Loss,
    MarginLoss as MarginLoss,
    ResidualLoss as ResidualLoss,
    SmoothLoss as SmoothLoss,
)
from certo.losses.confidence import EstimatedRisk as EstimatedRisk
from certo.losses.hinge import Hinge as Hinge
from certo.losses.logistic import Logistic as Logistic
from certo.losses.negative_log_likelihood import (
    LogDensityLoss as LogDensityLoss,
    NegativeLogLikelihood as NegativeLogLikelihood,
)
from certo.losses.squared import Squared as Squared
from certo.losses.zero_one import ZeroOne as ZeroOne

LOSS_MODULES: dict[str, str]
