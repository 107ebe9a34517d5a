"""What densities share: the mean log-likelihood as score, weights, the error if there is none."""

from __future__ import annotations

import abc

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from certo.certificates.composite import Composite
from certo.containers import exact_input
from certo.estimators import _input, description
from certo.estimators._errors import ProofError
from certo.estimators._linear import Proving
from certo.facts import InputError
from certo.kernels.base import whole
from certo.words import refusals
from certo.words.reader import columns_at

#: What a fit of every density leaves.
DENSITY: dict[str, description.Check] = {
    "n_features_in_": lambda value, sizes: type(value) is int and value == sizes.features,
    "risk_": description.FLOAT,
    "status_": description.of_type(str),
    "certificate_": description.of_type(Composite),
}


class NoDensity(ProofError):
    """No density of this form is the likeliest; `proof` is a certificate of it, or None where
    float64 cannot tell."""


class Density(Proving, DensityMixin, abc.ABC):
    """A density p fitted by maximum likelihood."""

    def score(self, X, y=None):
        """The mean log p over the examples X: minus their empirical risk."""
        return float(np.mean(self.score_samples(X)))

    def _examples(self, X, *, reset: bool) -> np.ndarray:
        """X by scikit-learn's rules, in its own precision, dense and finite."""
        X = validate_data(
            self, exact_input(X, type(self).__name__), reset=reset,
            dtype=[np.float64, np.float32], order="C", ensure_all_finite=False,
        )  # fmt: skip
        with np.errstate(over="ignore", invalid="ignore"):
            suspect = not np.isfinite(np.sum(X))
        if suspect and not np.all(np.isfinite(X)):
            row, column = np.argwhere(~np.isfinite(X))[0]
            who = type(self).__name__
            raise InputError(
                refusals.unusable_entry, who, int(row), int(column), float(X[row, column])
            )
        if reset:
            _input.remember(self, X, fresh=True)
        return X

    def sample(self, n_samples=1, random_state=None):
        """Draw examples from the density.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, RandomState instance or None, default=None

        Returns
        -------
        ndarray (n_samples, n_features)
        """
        check_is_fitted(self)
        n_samples = whole(n_samples, "n_samples", 1)
        return self._draw(n_samples, check_random_state(random_state))

    @abc.abstractmethod
    def _draw(self, n_samples: int, random: np.random.RandomState) -> np.ndarray:
        """So many examples, drawn at random."""

    def _columns(self, places: list[int]) -> str:
        """Columns as the user knows them: 'column 3 (from 0)', 'columns 'age' and 'height''."""
        return columns_at(places, getattr(self, "feature_names_in_", None))
