"""Feature maps one can look at: φ with φ(x)·φ(z) = K(x, z), exactly or with a stated error; and
the functions on a box that log-linear densities are made of."""

from certo.certificates.density.box_features import BoxCosines, BoxPolynomials
from certo.features.counted import CountedFeatures
from certo.features.explicit import UnitFeatures, explicit_map
from certo.features.gaussian_taylor import GaussianTaylor
from certo.features.monomials import Conic, Monomials
from certo.features.nystroem import Nystroem
from certo.features.random_features import RandomFeatures
from certo.features.repaired import RepairedSimilarity

__all__ = [
    "BoxCosines",
    "BoxPolynomials",
    "Conic",
    "CountedFeatures",
    "GaussianTaylor",
    "Monomials",
    "Nystroem",
    "RandomFeatures",
    "RepairedSimilarity",
    "UnitFeatures",
    "explicit_map",
]
