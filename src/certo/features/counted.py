from __future__ import annotations

import abc
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from certo.facts import InputError
from certo.kernels.counting import CountingKernel
from certo.kernels.settings import WithKernel
from certo.words import refusals


class KernelFeatures(WithKernel, TransformerMixin, BaseEstimator, abc.ABC):
    """A feature map of one kernel, whose features are found while they are computed."""

    def __init__(self, kernel):
        self.kernel = kernel

    def fit(self, X, y=None):
        """Find the features of the examples X."""
        self.fit_transform(X)
        return self

    @abc.abstractmethod
    def fit_transform(self, X, y=None):
        """Find the features of the examples X, and compute them."""


class CountedFeatures(KernelFeatures):
    """The feature vectors of a kernel that counts, as rows of a sparse matrix.

    Features are those found in the examples of the fit. Of new examples others are left out, which
    changes no product with an example of the fit: so a linear machine on these features is the
    kernel machine, and needs none of the examples to predict.

    Parameters
    ----------
    kernel : a kernel with explicit features
        `Spectrum`, `WeisfeilerLehman`, … ; `explicit_map` takes sums and cosines of them too.

    Attributes
    ----------
    kernel_ : the kernel, with what was left open decided by the examples
    features_ : list
        What each column counts: a k-gram, a pair of labels and their distance, …

    Examples
    --------
    >>> from certo.kernels import Spectrum
    >>> counted = CountedFeatures(Spectrum(2))
    >>> counted.fit_transform(["ana", "nana"]).toarray()
    array([[1., 1.],
           [1., 2.]])
    >>> counted.get_feature_names_out()
    array(['an', 'na'], dtype=object)
    """

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    def fit_transform(self, X, y=None):
        """Find the features of the examples X, and count them."""
        if not isinstance(self.kernel, CountingKernel):
            raise InputError(refusals.counts_nothing, self.kernel)
        X = self.kernel.examples(X)
        self.kernel_ = self.kernel.fitted_to(X)
        matrix, keys = self.kernel_.fast_counts(X.base)
        matrix = matrix[X.rows]
        found = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]))
        self.features_ = [keys[f] for f in found.tolist()]
        self._places = {key: place for place, key in enumerate(self.features_)}
        if not found.size:
            warnings.warn(
                f"{self.kernel_!r} finds no feature in any of the examples.", stacklevel=2
            )
        return _narrow(matrix[:, found])

    def transform(self, X):
        """How often each feature is found in each of the examples X."""
        check_is_fitted(self)
        X = self.kernel_.examples(X)
        matrix, keys = self.kernel_.fast_counts(X.base)
        places = np.array([self._places.get(key, -1) for key in keys], dtype=np.intp)
        found = np.flatnonzero(places >= 0)
        # One entry a row: where a feature of these examples is among those of the fit.
        moved = sparse.csr_array(
            (np.ones(found.size), (found, places[found])),
            shape=(len(places), len(self.features_)),
        )
        counts = matrix[X.rows] @ moved
        counts.sort_indices()
        return _narrow(counts)

    def get_feature_names_out(self, input_features=None):
        """What each column counts, as text."""
        check_is_fitted(self)
        return np.array([_name(key) for key in self.features_], dtype=object)


def _narrow(counts) -> sparse.csr_array:
    """With 32-bit indices where they are enough: some of scikit-learn's machines take no others."""
    kind = np.int32 if max(counts.nnz, *counts.shape) < 2**31 else np.int64
    parts = counts.data, counts.indices.astype(kind), counts.indptr.astype(kind)
    return sparse.csr_array(parts, shape=counts.shape)


def _name(key) -> str:
    """Words one after the other."""
    words = isinstance(key, tuple) and all(isinstance(word, str) for word in key)
    return " ".join(key) if words else str(key)
