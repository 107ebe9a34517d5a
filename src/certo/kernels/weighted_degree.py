from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from certo.kernels.base import compiled, whole
from certo.kernels.sequence import SequenceKernel, padded, symbols
from certo.numbers.rounding import Rounding, gamma

BLOCK_PAIRS = 2**14  # Pairs computed at once, so that they stay in the processor's cache.


@final
@dataclass(frozen=True)
class WeightedDegree(SequenceKernel):
    """The weighted degree kernel: the same symbols at the same places, the more on end the better.

    Definition    K(x, z) = Σ_{k ≤ degree} β_k Σ_l [x_l … x_{l+k−1} = z_l … z_{l+k−1}],
                  β_k = 2(degree − k + 1)/(degree·(degree + 1)), whose sum is 1; with a shift, in
                  place of the bracket, Σ_{|s| ≤ shift} δ_s [x_{l+s} … = z_l …], δ_0 = 1,
                  δ_s = 1/(2(1 + |s|))
    Domain        sequences that are aligned, such as DNA around a site; of different lengths, what
                  both have is compared
    Map           for shift 0: √β_k for each place and k-gram found there
    Reference     Rätsch, Sonnenburg (2004); shifts: Rätsch, Sonnenburg, Schölkopf (2005)
    Note          with shifts it is positive semi-definite since 1/2 + Σ_{s ≤ S} cos(sω)/(1 + s) ≥ 0
                  (Rogosinski, Szegő, 1928): the matrix δ_{l−l'} is

    Parameters
    ----------
    degree : int, at least 1
        The most symbols on end that are looked at together.
    shift : int, at least 0
        By how many places the two may be out of step.

    Examples
    --------
    >>> WeightedDegree(2)(["ACGT"], ["ACGT", "ACCT", "CGTA"])  # (2·4 + 3)/3, (2·3 + 1)/3, 0
    array([[3.66666667, 2.33333333, 0.        ]])
    """

    degree: int
    shift: int = 0

    by_pair = True

    def __post_init__(self):
        object.__setattr__(self, "degree", whole(self.degree, "degree", 1, 10_000))
        object.__setattr__(self, "shift", whole(self.shift, "shift", 0, 10_000))

    def _plain(self, base, rows, columns):
        longest = int(np.max(symbols(base).lengths, initial=0))
        x, z = padded(base, rows, longest).T, padded(base, columns, longest).T
        out = np.zeros((rows.size, columns.size))
        step = max(1, BLOCK_PAIRS // max(1, columns.size))
        for i in range(0, rows.size, step):
            out[i : i + step] = self._of_places(x[:, i : i + step, None], z[:, None, :])
        return out

    def _squares(self, base):
        longest = int(np.max(symbols(base).lengths, initial=0))
        x = padded(base, np.arange(len(base)), longest).T[:, :, None]
        return self._of_places(x, x)[:, 0]

    def _of_places(self, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        total = self._runs(x, z).astype(np.float64)
        for s in range(1, min(self.shift, len(z)) + 1):
            both = self._runs(x[s:], z[:-s]) + self._runs(x[:-s], z[s:])
            total += both / (2.0 * (1 + s))
        return 2.0 * total / (self.degree * (self.degree + 1))

    def _runs(self, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Σ_k (degree − k + 1)·(how many times k places on end are the same): where t places on end
        are, or more than t = degree, those that end there count degree + (degree − 1) + … (t terms)
        = t(2·degree + 1 − t)/2 times."""
        run = np.zeros((x.shape[1], z.shape[2]), dtype=np.int64)
        total = np.zeros_like(run)
        for a, b in zip(x, z, strict=True):
            run += 1
            np.minimum(run, self.degree, out=run)
            run *= (a == b) & (a >= 0)  # Beyond their ends, two sequences are not the same.
            total += run * (2 * self.degree + 1 - run)
        return total // 2

    def _fast(self, base, rows, columns):
        codes, first, _ = symbols(base)
        shift = min(self.shift, int(np.max(symbols(base).lengths, initial=0)))
        weighted_degrees = compiled("sequences").weighted_degree_block
        block = weighted_degrees(codes, first, rows, columns, self.degree, shift)
        block /= self.degree * (self.degree + 1) / 2
        return block

    def rounding(self, X, Z):
        """Counts are integers below 2⁵³, for sequences of less than 10⁷ symbols; each is
        divided, added to `shift` others, and divided again: none is negative, so the sum is within
        γ_{shift + 3} of itself, and K(x, z) ≤ √K(x,x)·√K(z,z)."""
        return Rounding(gamma(self.shift + 3), 0.0)
