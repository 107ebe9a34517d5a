"""Which rows a model was fitted to, known by a sample of them.

An interval for the risk on new examples means nothing if these examples made the model. A fit keeps
at most `MOST_ROWS` of its rows, evenly spread, which costs next to none of its time; examples that
come later are compared with them, by 64-bit keys. So a training set is always recognised, and a
test set that shares a part of its rows with it is, the surer the larger the part. What is not seen:
rows that are no table of numbers, single rows of a large fit, a model that was loaded from a file
or unpickled, and choices that a person made by looking at the examples.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

MOST_ROWS, MOST_NUMBERS = 128, 2**12
MOST_PARTS = 256  # calls of partial_fit whose samples are kept
KEY_SEED = 20_240_229  # of the odd multipliers of the columns: any will do


class SeenRows(NamedTuple):
    """Samples of the rows of one fit, or of the parts of one, out of so many `rows`."""

    samples: tuple[Any, ...]
    rows: int

    @classmethod
    def of(cls, X: Any, before: SeenRows | None = None) -> SeenRows:
        """Those of the rows X, and of those before."""
        m, d = X.shape
        most = max(16, min(MOST_ROWS, MOST_NUMBERS // max(d, 1)))
        some = X[:: max(1, -(-m // most))].copy()
        if before is None:
            return cls((some,), m)
        return cls((*before.samples[-MOST_PARTS + 1 :], some), before.rows + m)

    @property
    def sampled(self) -> int:
        return sum(sample.shape[0] for sample in self.samples)

    @property
    def _keys(self) -> np.ndarray:
        found = [row_keys(sample) for sample in self.samples]
        return np.unique(np.concatenate([keys for keys in found if keys is not None]))

    @property
    def seldom_repeats(self) -> bool:
        """Whether most rows are different: where they often repeat each other, rows that were drawn
        apart repeat them, too."""
        return 2 * self._keys.size > self.sampled

    def among(self, X: Any) -> tuple[int, float]:
        """How many of the rows X are among the rows kept, and which part of X that makes likely to
        be rows of the fit."""
        keys = row_keys(X)
        if keys is None or not keys.size:
            return 0, 0.0
        known = int(np.count_nonzero(np.isin(keys, self._keys)))
        return known, min(1.0, known * self.rows / self.sampled / keys.size)


def row_keys(X: Any) -> np.ndarray | None:
    """A 64-bit key of every row of a table of numbers, the same in every container and precision;
    None where X is none."""
    try:
        if sparse.issparse(X):
            return _sparse_keys(sparse.csr_array(X, dtype=np.float64))
        X = np.asarray(X)
        if X.ndim != 2 or X.dtype.kind not in "biuf":
            X = X.astype(np.float64) if X.dtype.kind == "O" and X.ndim == 2 else None
        return None if X is None else _dense_keys(np.ascontiguousarray(X, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        return None


def _dense_keys(X: np.ndarray) -> np.ndarray:
    return _mixed(X) @ _multipliers(X.shape[1])


def _sparse_keys(X: sparse.csr_array) -> np.ndarray:
    X.sum_duplicates()
    terms = _mixed(X.data) * _multipliers(X.shape[1])[X.indices]
    keys, filled = np.zeros(X.shape[0], np.uint64), np.diff(X.indptr) > 0
    if terms.size:
        keys[filled] = np.add.reduceat(terms, X.indptr[:-1][filled])
    return keys


def _mixed(values: np.ndarray) -> np.ndarray:
    """The bits of numbers, the high ones mixed into the low ones; 0 of zero, whatever its sign, so
    that an entry that is not stored counts as one that is 0."""
    bits = (values + 0.0).view(np.uint64)
    return bits ^ (bits >> np.uint64(29))


@lru_cache(maxsize=8)
def _multipliers(d: int) -> np.ndarray:
    return np.random.default_rng(KEY_SEED).integers(2**63, size=d, dtype=np.uint64) * 2 + 1
