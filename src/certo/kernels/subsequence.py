from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from certo.kernels.base import compiled, flag, number, whole
from certo.kernels.sequence import SequenceKernel, longest, padded, symbols
from certo.numbers.rounding import OVERFLOW_LIMIT, TINY, UNBOUNDED, Rounding, gamma

BLOCK_CELLS = 2**16  # Cells (i, j) of all pairs that are computed at once.


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
        lengths = symbols(base).lengths
        out = np.zeros((rows.size, columns.size))
        order = np.argsort(lengths[columns], kind="stable")
        for i, row in enumerate(rows):
            x = padded(base, row[None], int(lengths[row])).T
            step = max(1, BLOCK_CELLS // max(1, x.size * int(np.max(lengths[columns], initial=0))))
            for start in range(0, columns.size, step):
                some = order[start : start + step]
                z = padded(base, columns[some], int(lengths[columns[some[-1]]])).T
                out[i, some] = self._sums(x[:, None] == z)
        return out

    def _squares(self, base):
        lengths = symbols(base).lengths
        out = np.zeros(len(base))
        for length in np.unique(lengths).tolist():
            alike = np.flatnonzero(lengths == length)
            step = max(1, BLOCK_CELLS // max(1, length**2))
            for start in range(0, alike.size, step):
                some = alike[start : start + step]
                x = padded(base, some, length).T
                out[some] = self._sums(x[:, None] == x)
        return out

    def _sums(self, same: np.ndarray) -> np.ndarray:
        """Of [x_i = z_j], the third axis being that of the pairs x, z:

        S_1(i, j) = decay²·[x_i = z_j],   S_{p+1}(i, j) = S_1(i, j)·A_p(i−1, j−1), where
        A_p(i, j) = Σ decay^(i−k + j−l)·S_p(k, l) over k ≤ i and l ≤ j, one axis after the other;
        the value is the sum of all S_p for p = length, or for all p up to it."""
        first = self.decay * self.decay * same
        S, total = first.copy(), np.zeros(same.shape[2])
        with np.errstate(over="ignore", invalid="ignore"):  # `rounding` knows of overflow.
            for p in range(1, self.length + 1):
                if self.upto or p == self.length:
                    total += S.sum(axis=0).sum(axis=0)
                if p == self.length:
                    break
                for i in range(1, S.shape[0]):
                    S[i] += self.decay * S[i - 1]
                for j in range(1, S.shape[1]):
                    S[:, j] += self.decay * S[:, j - 1]
                S[1:, 1:] = first[1:, 1:] * S[:-1, :-1]
                S[:1] = S[:, :1] = 0.0
        return total

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
