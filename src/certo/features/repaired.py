from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from certo.containers import exact_input
from certo.kernels.repairs import repair


class RepairedSimilarity(TransformerMixin, BaseEstimator):
    """Similarities made into a kernel's matrix, as a step before a machine with `Precomputed`.

    In a cross-validation the matrix of each fold's training examples is repaired, and new examples
    are transformed consistently with it: see `certo.kernels.repair`.

    Parameters
    ----------
    how : "clip", "flip" or "shift"
        With "correlation" there is no transform of new examples.

    Attributes
    ----------
    repaired_ : certo.kernels.Repaired
        The matrix, and how far it was moved.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from certo import SVM
    >>> from certo.kernels import Precomputed
    >>> S = [[1.0, 0.9, 0.0], [0.9, 1.0, 0.9], [0.0, 0.9, 1.0]]
    >>> machine = make_pipeline(RepairedSimilarity(), SVM(Precomputed(), C=10)).fit(S, [0, 0, 1])
    >>> machine[0].repaired_.negative, machine.predict(S).tolist()
    (1, [0, 0, 1])
    """

    def __init__(self, how="clip"):
        self.how = how

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags

    def fit(self, X, y=None):
        """Repair the similarities X of the training examples, (n, n)."""
        X = validate_data(self, exact_input(X, "RepairedSimilarity"), dtype=np.float64)
        self.repaired_ = repair(X, self.how)
        return self

    def fit_transform(self, X, y=None):
        """Repair, and return the kernel's matrix."""
        return self.fit(X).repaired_.kernel.copy()

    def transform(self, X):
        """Rows of similarities to the training examples, (m, n), made consistent with the repair.

        The rows of the training examples become those of the repaired matrix (with "shift" but
        for what was added to its diagonal)."""
        check_is_fitted(self)
        X = exact_input(X, "RepairedSimilarity")
        return self.repaired_.transform(validate_data(self, X, dtype=np.float64, reset=False))
