from __future__ import annotations

import math

import numpy as np
from scipy import sparse
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

from certo.facts import InputError
from certo.features.counted import CountedFeatures, KernelFeatures
from certo.features.monomials import Monomials
from certo.kernels.algebra import Normalised, Scaled, Sum
from certo.kernels.base import Kernel
from certo.kernels.counting import CountingKernel
from certo.kernels.frobenius import Frobenius
from certo.kernels.gaussian import Gaussian
from certo.kernels.linear import Linear
from certo.kernels.polynomial import Polynomial
from certo.words import refusals


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
        `Monomials` for the first two, `CountedFeatures` for those that count; side by side for a
        sum, divided by √K(x, x) for a cosine.

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
            return UnitFeatures(inner)
        case Gaussian(variance):
            variance = "variance" if variance == "scale" else repr(variance)
            raise ValueError(
                "the Gaussian kernel's map has infinitely many coordinates: take "
                f"GaussianTaylor({variance}), RandomFeatures({variance}) or "
                f"Nystroem({kernel!r}), which say how far off they are."
            )
    raise InputError(refusals.no_explicit_map, kernel)


def _entries(X, kernel: Frobenius):
    """Matrices as rows of their entries."""
    X = kernel.examples(X)
    return X.reshape(len(X), -1)


class UnitFeatures(KernelFeatures):
    """φ(x)/√K(x, x), φ the explicit map of a kernel: also of new examples, of which φ leaves out
    what the examples of the fit have nothing of."""

    def __sklearn_tags__(self):
        return explicit_map(self.kernel).__sklearn_tags__()

    def fit_transform(self, X, y=None):
        X = self._read(X)
        self.kernel_ = self.kernel.fitted_to(X)
        self.map_ = explicit_map(self.kernel_)
        return self._divided(self.map_.fit_transform(X), X)

    def transform(self, X):
        """The features of the examples X."""
        check_is_fitted(self)
        X = self._read(X)
        return self._divided(self.map_.transform(X), X)

    def _read(self, X):
        """Objects are encoded once; what vectors must be is for the map to say."""
        return self.kernel.examples(X) if self.kernel.takes == "objects" else X

    def _divided(self, F, X):
        lengths = np.sqrt(self.kernel_._diagonal(X))
        scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        return sparse.diags_array(scale) @ F if sparse.issparse(F) else F * scale[:, None]

    def get_feature_names_out(self, input_features=None):
        """Those of the kernel's map."""
        check_is_fitted(self)
        return self.map_.get_feature_names_out(input_features)
