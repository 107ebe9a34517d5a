from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from certo.features._base import FeatureMap, positive, require_few, require_room
from certo.kernels.base import whole
from certo.kernels.polynomial import Polynomial


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

    def fit(self, X, y=None):
        """Learn the number of features, and count the coordinates.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        degree = whole(self.degree, "degree", 1)
        scale = positive(self.scale, "scale")
        offset = self.offset if self.offset == 0 else positive(self.offset, "offset")
        d = self._vectors(X, reset=True).shape[1]
        counts = [d**k if self.ordered else math.comb(d + k - 1, k) for k in self._orders(degree)]
        require_few(f"Monomials(degree={degree}) of {d:,} features", sum(counts))
        # the sum of all squared weights is K(1, 1), and none of their factors exceeds this
        if degree * math.log10(max(1.0, offset) + max(1.0, scale) * d) > 300:
            raise ValueError(
                f"Monomials(degree={degree}) of {d:,} features has weights beyond the range of "
                "float64. Use the kernel itself, or a lower degree."
            )
        self.n_output_features_ = sum(counts)
        self.kernel_ = Polynomial(degree, scale=scale, offset=float(offset))
        return self

    def _orders(self, degree: int) -> range:
        """The k of the tuples that have a weight."""
        return range(0 if self.offset > 0 else degree, degree + 1)

    def _tuples(self, k: int):
        d = self.n_features_in_
        if self.ordered:
            return itertools.product(range(d), repeat=k)
        return itertools.combinations_with_replacement(range(d), k)

    def transform(self, X):
        """φ(x) for each row of X, sparse if X is.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features)

        Returns
        -------
        array or CSR matrix of shape (n_examples, ``n_output_features_``)
        """
        check_is_fitted(self)
        X = self._vectors(X, reset=False)
        if not sparse.issparse(X):
            require_room("Monomials", X.shape[0], self.n_output_features_)
        degree = self.kernel_.degree
        blocks = [self._block(X, k) for k in self._orders(degree)]
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
