"""What feature maps share: vectors in, settings looked at, memory asked for before it is taken."""

from __future__ import annotations

import abc
import os

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from certo.containers import exact_input
from certo.facts import InputError
from certo.scale.device import on_host
from certo.words import refusals

MAX_COORDINATES = 10**7


class FeatureMap(TransformerMixin, BaseEstimator, abc.ABC):
    """A transformer that writes down φ(x): `_map` computes it, and `_learn` what that needs."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _vectors(self, X, *, reset: bool):
        X = exact_input(on_host(X), type(self).__name__)
        return validate_data(self, X, reset=reset, accept_sparse="csr", dtype=np.float64)

    @abc.abstractmethod
    def _learn(self, X) -> None:
        """Look at the settings, and set what the map needs to know of the examples X."""

    @abc.abstractmethod
    def _map(self, X):
        """φ(x) for each row of X, sparse where X and the map are."""

    def fit(self, X, y=None):
        """Learn what the map needs: the number of features, and what is drawn or counted by it.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features), or as the kernel takes them
        y : ignored

        Returns
        -------
        self
        """
        self._learn(self._vectors(X, reset=True))
        return self

    def transform(self, X):
        """φ(x) for each example.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features), or as the kernel takes them

        Returns
        -------
        array of shape (n_examples, n_coordinates); a CSR matrix where X is one and φ(x) is sparse
        """
        check_is_fitted(self)
        return self._map(self._vectors(X, reset=False))


def require_few(name: str, coordinates: int) -> None:
    if coordinates > MAX_COORDINATES:
        raise ValueError(
            f"{name} would have {coordinates:,} coordinates, more than {MAX_COORDINATES:,}. Use "
            "the kernel itself, which never writes them down, or a lower degree."
        )


def require_room(name: str, rows: int, columns: int) -> None:
    """Refuse a dense table that the machine's memory cannot hold."""
    needed, there = 8 * rows * columns, _memory()
    if needed > there:
        raise InputError(refusals.no_room_for_features, name, rows, columns, there)


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Not on this system.
        return 2**34
