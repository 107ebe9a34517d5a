from __future__ import annotations

import itertools
import math

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from certo.features._base import FeatureMap, require_few, require_room


class Conic(FeatureMap):
    """φ(x1, x2) = (1, x1², x2², √2·x1, √2·x2, √2·x1·x2): hyperplanes there are conics in the plane.

    φ(x)·φ(z) = (1 + x·z)². Of more than two features it takes all squares, all features, and all
    products of two, in this order, and the boundaries are quadrics. It is `Monomials(degree=2)`
    in the order of the textbook.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : array of names, if X has them

    Examples
    --------
    >>> import numpy as np
    >>> from certo.kernels import Polynomial
    >>> X = np.array([[1.0, 2.0], [3.0, -1.0]])
    >>> F = Conic().fit_transform(X)
    >>> F[0].round(4)
    array([1.    , 1.    , 4.    , 1.4142, 2.8284, 2.8284])
    >>> np.allclose(F @ F.T, Polynomial(2)(X))
    True
    """

    def fit(self, X, y=None):
        """Learn the number of features.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        d = self._vectors(X, reset=True).shape[1]
        require_few(f"Conic of {d:,} features", (d + 1) * (d + 2) // 2)
        return self

    def transform(self, X):
        """φ(x) for each row of X, sparse if X is.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features)

        Returns
        -------
        array or CSR matrix of shape (n_examples, (d + 1)(d + 2)/2)
        """
        check_is_fitted(self, "n_features_in_")
        X = self._vectors(X, reset=False)
        d, root = X.shape[1], math.sqrt(2.0)
        pairs = np.array(list(itertools.combinations(range(d), 2)), dtype=np.intp).reshape(-1, 2)
        first, second, ones = X[:, pairs[:, 0]], X[:, pairs[:, 1]], np.ones((X.shape[0], 1))
        if sparse.issparse(X):
            parts = [ones, X.multiply(X), root * X, root * first.multiply(second)]
            return sparse.hstack([sparse.csr_array(part) for part in parts], format="csr")
        require_room("Conic", X.shape[0], (d + 1) * (d + 2) // 2)
        return np.hstack([ones, X * X, root * X, root * first * second])

    def get_feature_names_out(self, input_features=None):
        """'1', 'x0^2', 'x1^2', 'x0', 'x1', 'x0 x1'."""
        check_is_fitted(self, "n_features_in_")
        names = _check_feature_names_in(self, input_features)
        pairs = [f"{a} {b}" for a, b in itertools.combinations(names, 2)]
        return np.array(["1", *(f"{name}^2" for name in names), *names, *pairs], dtype=object)
