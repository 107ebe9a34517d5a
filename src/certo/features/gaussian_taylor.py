from __future__ import annotations

import math

import numpy as np
from scipy import sparse
from scipy.special import gammainc
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from certo.features._base import FeatureMap
from certo.features.monomials import Monomials
from certo.kernels.base import number, whole
from certo.kernels.gaussian import Gaussian
from certo.kernels.vectors import squares

MAX_DEGREE = 170  # 170! is in the range of float64


class GaussianTaylor(FeatureMap):
    r"""The Gaussian kernel's own feature map, cut off after the products of `degree` features.

    exp(−‖x−z‖²/(2γ)) = e^(−‖x‖²/2γ)·e^(−‖z‖²/2γ)·Σ_k (x·z)^k/(k!·γ^k), with γ the variance, so
    e^(−‖x‖²/2γ)·x_{v_1}⋯x_{v_k}/√(k!·γ^k), over all tuples v of all lengths k, is a map of it, into
    infinitely many dimensions. Here it stops at k = degree; tuples that differ only in order are
    taken together, as in `Monomials`.

    The error is e^(−(‖x‖²+‖z‖²)/2γ)·Σ_{k>degree} (x·z/γ)^k/k!. With r = ‖x‖‖z‖/γ, which is at most
    (‖x‖²+‖z‖²)/2γ, its size is at most e^(−r)·Σ_{k>degree} r^k/k!: the probability that a Poisson
    variable of mean r exceeds `degree`. That grows with r, so the longest points give a bound for
    all: see `error_bound`.

    Parameters
    ----------
    variance : float, default=1.0
    degree : int, default=4
        At most 170.

    Attributes
    ----------
    kernel_ : Gaussian
        The kernel that this approximates.
    n_output_features_ : int
        C(degree + d, degree).
    n_features_in_ : int
    feature_names_in_ : array of names, if X has them

    Examples
    --------
    >>> import numpy as np
    >>> from certo.kernels import Gaussian
    >>> X = np.array([[0.5, 0.2], [-0.3, 0.9], [1.0, 0.0]])
    >>> phi = GaussianTaylor(variance=1.0, degree=4).fit(X)
    >>> F = phi.transform(X)
    >>> error = np.abs(F @ F.T - Gaussian(1.0)(X)).max()
    >>> bool(error <= phi.error_bound(X)), round(phi.error_bound(X), 4)
    (True, 0.0037)
    """

    def __init__(self, variance=1.0, degree=4):
        self.variance = variance
        self.degree = degree

    def _learn(self, X):
        variance = number(self.variance, "variance")
        degree = whole(self.degree, "degree", 1)
        if degree > MAX_DEGREE:
            raise ValueError(
                f"degree must be at most {MAX_DEGREE}, beyond which k! is out of the range of "
                f"float64, got {degree}. Use the kernel itself."
            )
        self._monomials = Monomials(degree).fit(X)
        self.n_output_features_ = self._monomials.n_output_features_
        self.kernel_ = Gaussian(variance)

    def _map(self, X):
        variance, degree = self.kernel_.variance, self._monomials.kernel_.degree
        with np.errstate(over="ignore"):
            rows = np.exp(-squares(X) / (2.0 * variance))
        near = (rows > 0)[:, None]  # The others' images are 0, though their products overflow.
        X = X.multiply(near).tocsr() if sparse.issparse(X) else X * near
        # The monomials' weights, √(C(n,k)·orderings), turned into √(orderings/k!).
        F = self._monomials.transform(X / math.sqrt(variance))
        lengths = [math.comb(self.n_features_in_ + k - 1, k) for k in range(degree + 1)]
        turn = [
            1.0 / math.sqrt(math.comb(degree, k) * math.factorial(k)) for k in range(degree + 1)
        ]
        columns = np.repeat(turn, lengths)
        if sparse.issparse(F):
            return F.multiply(columns[None, :]).multiply(rows[:, None]).tocsr()
        return F * columns * rows[:, None]

    def error_bound(self, X, Z=None) -> float:
        """What |φ(x)·φ(z) − K(x, z)| does not exceed, for x of X and z of Z (Z=None: X again).

        Parameters
        ----------
        X, Z : arrays or sparse matrices of shape (n_examples, n_features)

        Returns
        -------
        float
            P[Poisson(r) > degree] with r = max‖x‖·max‖z‖/variance (rounding aside).
        """
        check_is_fitted(self)
        squared = [
            float(np.max(squares(self._vectors(points, reset=False))))
            for points in (X, X if Z is None else Z)
        ]
        reach = math.sqrt(squared[0] * squared[1]) / self.kernel_.variance
        return float(gammainc(self._monomials.kernel_.degree + 1, reach))

    def get_feature_names_out(self, input_features=None):
        """Those of `Monomials`."""
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        return self._monomials.get_feature_names_out(names)
