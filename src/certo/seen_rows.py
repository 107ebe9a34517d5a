"""Which rows a model was fitted to, known by a sample of them.

An interval for the risk on new examples means nothing if these examples made the model. A fit keeps
at most `MAX_SAMPLED_ROWS` of its rows, evenly spread, which costs little time; examples that
come later are compared with them, by 64-bit keys. So a training set is always recognised, and a
test set that shares a part of its rows with it is, the surer the larger the part. What is not seen:
rows that are no table of numbers, single rows of a large fit, a model that was loaded from a file
or unpickled, and choices that a person made by looking at the examples.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from certo.row_keys import row_keys

MAX_SAMPLED_ROWS, MAX_SAMPLED_NUMBERS = 128, 2**12
MAX_SAMPLES = 256  # The samples of so many calls of partial_fit are kept.


class SeenRows(NamedTuple):
    """Samples of the rows of one fit, or of the parts of one, out of so many `rows`."""

    samples: tuple[Any, ...]
    rows: int

    @classmethod
    def of(cls, X: Any, before: SeenRows | None = None) -> SeenRows:
        """Those of the rows X, and of those before."""
        m, d = X.shape
        most = max(16, min(MAX_SAMPLED_ROWS, MAX_SAMPLED_NUMBERS // max(d, 1)))
        some = X[:: max(1, -(-m // most))].copy()
        if before is None:
            return cls((some,), m)
        return cls((*before.samples[-MAX_SAMPLES + 1 :], some), before.rows + m)

    @property
    def sampled(self) -> int:
        return sum(sample.shape[0] for sample in self.samples)

    @property
    def _keys(self) -> np.ndarray:
        found = [keys_of_numbers(sample) for sample in self.samples]
        return np.unique(np.concatenate([keys for keys in found if keys is not None]))

    @property
    def seldom_repeats(self) -> bool:
        """Whether most rows are different: where they often repeat each other, rows that were drawn
        apart repeat them, too."""
        return 2 * self._keys.size > self.sampled

    def may_be(self, X: Any) -> bool:
        """Whether X may be all the rows of the fit, in their order."""
        if X.shape[0] != self.rows or len(self.samples) > 1:
            return False
        keys, kept = map(keys_of_numbers, (SeenRows.of(X).samples[0], self.samples[0]))
        return keys is not None and kept is not None and np.array_equal(keys, kept)

    def among(self, X: Any) -> tuple[int, float]:
        """How many of the rows X are among the rows kept, and which part of X that makes likely to
        be rows of the fit."""
        keys = keys_of_numbers(X)
        if keys is None or not keys.size:
            return 0, 0.0
        known = int(np.count_nonzero(np.isin(keys, self._keys)))
        return known, min(1.0, known * self.rows / self.sampled / keys.size)


def keys_of_numbers(X: Any) -> np.ndarray | None:
    """`row_keys` of a table of numbers in any container; None where X is none."""
    try:
        if sparse.issparse(X):
            X = sparse.csr_array(X, dtype=np.float64)
            X.sum_duplicates()
            return row_keys(X)
        X = np.asarray(X)
        if X.ndim != 2 or X.dtype.kind not in "biufO":
            return None
        return row_keys(X.astype(np.float64, copy=False))
    except (TypeError, ValueError, OverflowError):
        return None
