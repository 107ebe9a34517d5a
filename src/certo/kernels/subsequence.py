from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from certo.kernels.base import compiled, flag, number, whole
from certo.kernels.sequence import SequenceKernel, longest, padded, symbols
from certo.numbers.rounding import OVERFLOW_LIMIT, TINY, UNBOUNDED, Rounding, gamma

PAIR_VALUES_AT_ONCE = 2**16  # Numbers of all pairs and lengths that are computed at once.


@final
@dataclass(frozen=True)
class Subsequence(SequenceKernel):
    """The gap-weighted subsequence kernel: symbols in common, in the same order, gaps allowed.

    Definition    K(x, z) = Σ decay^(span in x + span in z), over all `length` places in x and as
                  many in z, each in increasing order, at which the same symbols stand; the span
                  of places from i to j is j − i + 1
    Domain        sequences: strings, or lists, tuples, 1-D arrays of symbols
    Map           one coordinate for each of the sequences of `length` symbols: Σ decay^span over
                  the places at which it is found
    Cost          length·|x|·|z| steps
    Reference     Lodhi, Saunders, Shawe-Taylor, Cristianini, Watkins (2002)

    Values are of the size of decay^(2·length) and more. One below 1e-308 becomes 0, and one that
    overflows is refused: a decay between 0.5 and 1 avoids the first, and a smaller one the second.

    Parameters
    ----------
    length : int, at least 1
    decay : float, above 0 and at most 1
        With 1 gaps cost nothing; near 0 only symbols on end count, and the kernel is close to
        decay^(2·length)·Spectrum(length).
    upto : bool
        Whether all lengths from 1 to `length` are summed.

    Examples
    --------
    >>> Subsequence(2, decay=0.5)(["cat"], ["cat", "car", "bar"])  # ca, at; ca; none
    array([[0.140625, 0.0625  , 0.      ]])
    """

    length: int
    decay: float = 0.5
    upto: bool = False

    by_pair = True

    def __post_init__(self):
        object.__setattr__(self, "length", whole(self.length, "length", 1, 1000))
        object.__setattr__(self, "decay", number(self.decay, "decay"))
        if self.decay > 1:
            raise ValueError(f"decay must be at most 1, got {self.decay:g}.")
        object.__setattr__(self, "upto", flag(self.upto, "upto"))

    @property
    def _least(self):
        return 1 if self.upto else self.length

    def _plain(self, base, rows, columns):
        if columns is rows:
            block = np.empty((rows.size, rows.size))
            i, j = np.triu_indices(rows.size)
            block[i, j] = block[j, i] = self._values(base, rows[i], rows[j])
            return block
        pairs = np.repeat(rows, columns.size), np.tile(columns, rows.size)
        return self._values(base, *pairs).reshape(rows.size, columns.size)

    def _squares(self, base):
        every = np.arange(len(base))
        return self._values(base, every, every)

    def _values(self, base, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """K(x, z) of these pairs of items, those of about the same lengths together."""
        lengths = symbols(base).lengths
        values, order = np.zeros(left.size), np.lexsort((lengths[right], lengths[left]))
        step = max(
            1, PAIR_VALUES_AT_ONCE // (self.length * max(1, int(np.max(lengths, initial=0))))
        )
        for start in range(0, order.size, step):
            some = order[start : start + step]
            x, z = left[some], right[some]
            X = padded(base, x, int(np.max(lengths[x])), fill=-1).T
            Z = padded(base, z, int(np.max(lengths[z])), fill=-2).T
            values[some] = self._sums(X, Z)
        return values

    def _sums(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """K(x, z) of the columns x of X and z of Z, by A_0 = 1 and, for p = 1, …, length,

        S_p(i, j) = decay²·[x_i = z_j]·A_{p−1}(i−1, j−1)
        R_p(i, j) = decay·R_p(i, j−1) + S_p(i, j)
        A_p(i, j) = decay·A_p(i−1, j) + R_p(i, j)

        for all i + j = t at once, t = 0, 1, …; the value is the sum of all S_p for p = length, or
        for all p up to it. In `A` place i + 1 is that of i, and what is not yet computed is 0."""
        (m, pairs), n, Z = X.shape, len(Z), Z[::-1]
        sums = np.zeros((m, pairs))
        R = np.zeros((self.length - 1, m, pairs))
        A = [np.zeros((self.length, m + 1, pairs)) for _ in range(3)]
        for part in A:
            part[0] = 1.0
        with np.errstate(over="ignore", invalid="ignore"):  # `rounding` knows of overflows.
            for t in range(m + n - 1):
                low, high = max(0, t - n + 1), min(t + 1, m)
                now, last, before = (A[(t - k) % 3][:, low : high + 1] for k in range(3))
                same = X[low:high] == Z[n - 1 - t + low : n - 1 - t + high]
                S = (self.decay * self.decay * same) * before[:, :-1]
                sums[low:high] += S.sum(axis=0) if self.upto else S[-1]
                along = R[:, low:high]
                along *= self.decay
                along += S[:-1]
                np.multiply(last[1:, :-1], self.decay, out=now[1:, 1:])
                now[1:, 1:] += along
        return sums.sum(axis=0)

    def _fast(self, base, rows, columns):
        codes, first, _ = symbols(base)
        given, settings = (codes, first, rows, columns), (self.length, self.decay, self.upto)
        block = compiled("sequences").subsequence_block(*given, *settings)
        if not np.all(np.isfinite(block)):
            raise ValueError(
                f"values of {self!r} overflow: sequences of up to "
                f"{int(np.max(symbols(base).lengths))} symbols have too many subsequences in "
                "common. Choose a smaller decay or length."
            )
        return block

    def rounding(self, X, Z):
        """No term is negative. A term is rounded twice in each step along an axis, and there are at
        most |x| + |z| of these for all p together; when it is first added to what comes along an
        axis, twice for each p; by decay² and the product with it, twice for each p; in sums along
        two axes, |x| + |z| times; in the sum over p. So the value is within γ_n of K(x, z), which
        is at most √K(x,x)·√K(z,z), n = 3(|x| + |z|) + 6·length. As K(x, x) and K(z, z) are computed
        too, both lengths are taken to be the larger one.

        A product that underflows is off by 2⁻¹⁰⁷⁴ at most; there are four for each p and cell. Such
        an error in a cell grows by no more than the terms that begin there: by decay² for each of
        the |x|·|z| cells that follow, in each of the p that follow. Nothing is known once a value
        overflows."""
        X, Z = self.examples(X), self.examples(Z)
        n = longest(X, Z)
        growth = (self.length - 1) * math.log2(1.0 + self.decay**2 * n**2)
        if growth > 900 or not all(np.all(self.diagonal(part) < OVERFLOW_LIMIT) for part in (X, Z)):
            return UNBOUNDED
        absolute = 4.0 * self.length * n**2 * 2.0**growth * 1.01 * TINY
        return Rounding(gamma(6 * (n + self.length)), absolute)
