from __future__ import annotations

import math

from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer

from certo.features.counted import CountedFeatures
from certo.features.monomials import Monomials
from certo.kernels import Frobenius, Gaussian, Kernel, Linear, Normalised, Polynomial, Scaled, Sum
from certo.kernels.counting import CountingKernel


def explicit_map(kernel: Kernel):
    """A transformer whose φ has φ(x)·φ(z) = K(x, z) exactly, up to rounding.

    Parameters
    ----------
    kernel : Kernel
        `Linear`, `Polynomial`, `Frobenius` of these, kernels that count (as `Spectrum` or
        `WeisfeilerLehman`), and sums, multiples and cosines of them.

    Returns
    -------
    scikit-learn transformer
        `Monomials` for the first two, `CountedFeatures` for the others; side by side for a sum,
        scaled to length 1 for a cosine.

    Examples
    --------
    >>> import numpy as np
    >>> from certo.kernels import Linear, Polynomial
    >>> kernel = 2 * Linear() + Polynomial(3).normalised()
    >>> X = np.array([[1.0, 2.0], [0.5, -1.0]])
    >>> F = explicit_map(kernel).fit_transform(X)
    >>> np.allclose(F @ F.T, kernel(X))
    True
    """
    match kernel:
        case Linear():
            return Monomials(1, offset=0.0)
        case Polynomial(degree, scale, offset):
            return Monomials(degree, scale=scale, offset=offset)
        case CountingKernel():
            return CountedFeatures(kernel)
        case Frobenius(inner):
            entries = FunctionTransformer(_entries, kw_args={"kernel": kernel})
            return make_pipeline(entries, explicit_map(inner))
        case Sum(parts):
            return FeatureUnion([(f"part{k}", explicit_map(part)) for k, part in enumerate(parts)])
        case Scaled(inner, factor):
            weights = {"part": math.sqrt(factor)}
            return FeatureUnion([("part", explicit_map(inner))], transformer_weights=weights)
        case Normalised(inner):
            return make_pipeline(explicit_map(inner), Normalizer())
        case Gaussian(variance):
            raise ValueError(
                "the Gaussian kernel's map has infinitely many coordinates: take "
                f"GaussianTaylor({variance!r}), RandomFeatures({variance!r}) or "
                f"Nystroem({kernel!r}), which say how far off they are."
            )
    raise ValueError(f"no explicit feature map is known here for {kernel!r}. Nystroem takes it.")


def _entries(X, kernel: Frobenius):
    """Matrices as rows of their entries."""
    X = kernel.examples(X)
    return X.reshape(len(X), -1)
