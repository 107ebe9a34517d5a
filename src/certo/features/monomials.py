from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from certo.facts import InputError
from certo.features._base import FeatureMap, require_few, require_room
from certo.kernels.polynomial import Polynomial
from certo.words import refusals


class Monomials(FeatureMap):
    r"""The feature map of the polynomial kernel (offset + scale·x·z)^degree, exactly.

    By the binomial theorem K(x, z) = Σ_k C(n,k)·offset^(n−k)·scale^k·(x·z)^k, and (x·z)^k is the
    sum over all ordered tuples (v_1, …, v_k) of Π x_{v_s} · Π z_{v_s}. So the coordinates
    √(C(n,k)·offset^(n−k)·scale^k)·x_{v_1}⋯x_{v_k}, k ≤ n, are a map of K. Tuples that differ
    only in order give equal coordinates; taken together they make one, with the square root of
    their number as a weight.

    Parameters
    ----------
    degree : int, default=2
    scale : float, default=1.0
        Above 0.
    offset : float, default=1.0
        At least 0. With 0, only the products of exactly `degree` features are there.
    ordered : bool, default=False
        True: one coordinate for each ordered tuple, (d^(n+1) − 1)/(d − 1) of them (n + 1 for
        d = 1), as the map is first written down. False: one for each monomial, C(n + d, n).

    Attributes
    ----------
    kernel_ : Polynomial
        The kernel that this is the map of.
    n_output_features_ : int
    n_features_in_ : int
    feature_names_in_ : array of names, if X has them

    Examples
    --------
    >>> import numpy as np
    >>> from certo.kernels import Polynomial
    >>> X = np.array([[1.0, 2.0], [3.0, -1.0]])
    >>> phi = Monomials(degree=2).fit(X)
    >>> phi.get_feature_names_out().tolist()
    ['1', 'x0', 'x1', 'x0^2', 'x0 x1', 'x1^2']
    >>> F = phi.transform(X)
    >>> np.allclose(F @ F.T, Polynomial(2)(X))
    True
    """

    def __init__(self, degree=2, *, scale=1.0, offset=1.0, ordered=False):
        self.degree = degree
        self.scale = scale
        self.offset = offset
        self.ordered = ordered

    def _learn(self, X):
        kernel = Polynomial(self.degree, scale=self.scale, offset=self.offset)
        degree, scale, offset = kernel.degree, kernel.scale, kernel.offset
        d, name = X.shape[1], type(self).__name__
        counts = [d**k if self.ordered else math.comb(d + k - 1, k) for k in self._orders(degree)]
        require_few(f"{name}(degree={degree}) of {d:,} features", sum(counts))
        # The sum of all squared weights is K(1, 1), and none of their factors exceeds this.
        if degree * math.log10(max(1.0, offset) + max(1.0, scale) * d) > 300:
            raise InputError(refusals.weights_beyond_float64, name, degree, d)
        self.n_output_features_ = sum(counts)
        self.kernel_ = kernel

    def _orders(self, degree: int) -> range:
        """The k of the tuples that have a weight."""
        return range(0 if self.offset > 0 else degree, degree + 1)

    def _tuples(self, k: int):
        d = self.n_features_in_
        if self.ordered:
            return itertools.product(range(d), repeat=k)
        return itertools.combinations_with_replacement(range(d), k)

    def _map(self, X):
        if not sparse.issparse(X):
            require_room(type(self).__name__, X.shape[0], self.n_output_features_)
        blocks = [self._block(X, k) for k in self._orders(self.kernel_.degree)]
        return sparse.hstack(blocks, format="csr") if sparse.issparse(X) else np.hstack(blocks)

    def _block(self, X, k: int):
        """All weighted products of k features."""
        kernel = self.kernel_
        outer = math.comb(kernel.degree, k) * kernel.offset ** (kernel.degree - k) * kernel.scale**k
        if k == 0:
            ones = np.full((X.shape[0], 1), math.sqrt(outer))
            return sparse.csr_array(ones) if sparse.issparse(X) else ones
        tuples = list(self._tuples(k))
        columns = np.array(tuples, dtype=np.intp)
        weights = np.array([math.sqrt(outer * self._orderings(v)) for v in tuples])
        block = X[:, columns[:, 0]]
        for s in range(1, k):
            factor = X[:, columns[:, s]]
            block = block.multiply(factor) if sparse.issparse(X) else block * factor
        return block.multiply(weights[None, :]) if sparse.issparse(X) else block * weights

    def _orderings(self, v: tuple[int, ...]) -> int:
        """How many ordered tuples this one stands for: a multinomial coefficient."""
        if self.ordered:
            return 1
        return math.factorial(len(v)) // math.prod(map(math.factorial, Counter(v).values()))

    def get_feature_names_out(self, input_features=None):
        """'x0^2 x1' for the monomial, 'x0 x1 x0' for the ordered tuple, '1' for the constant."""
        check_is_fitted(self, "n_features_in_")
        names = _check_feature_names_in(self, input_features)
        tuples = (v for k in self._orders(self.degree) for v in self._tuples(k))
        return np.array([self._name(v, names) for v in tuples], dtype=object)

    def _name(self, v: tuple[int, ...], names) -> str:
        if self.ordered:
            return " ".join(names[j] for j in v) or "1"
        powers = Counter(v).items()
        return " ".join(names[j] if p == 1 else f"{names[j]}^{p}" for j, p in powers) or "1"


class Conic(Monomials):
    """φ(x1, x2) = (1, x1², x2², √2·x1, √2·x2, √2·x1·x2): hyperplanes there are conics in the plane.

    φ(x)·φ(z) = (1 + x·z)². Of more than two features it takes all squares, all features, and all
    products of two, in this order, and the boundaries are quadrics. It is `Monomials(degree=2)`
    in the order of the textbook, with the same attributes.

    Examples
    --------
    >>> Conic().fit_transform([[1.0, 2.0]]).round(4)
    array([[1.    , 1.    , 4.    , 1.4142, 2.8284, 2.8284]])
    """

    degree, scale, offset, ordered = 2, 1.0, 1.0, False

    def __init__(self):
        """There is nothing to set."""

    def _order(self) -> np.ndarray:
        """Where the constant, the squares, the features and the products are in `Monomials(2)`."""
        d = self.n_features_in_
        pairs = np.array(list(self._tuples(2)), dtype=np.intp)
        is_square = pairs[:, 0] == pairs[:, 1]
        squares, products = (1 + d + np.flatnonzero(kind) for kind in (is_square, ~is_square))
        return np.concatenate([[0], squares, np.arange(1, 1 + d), products])

    def _map(self, X):
        return super()._map(X)[:, self._order()]

    def get_feature_names_out(self, input_features=None):
        """'1', 'x0^2', 'x1^2', 'x0', 'x1', 'x0 x1'."""
        return super().get_feature_names_out(input_features)[self._order()]
