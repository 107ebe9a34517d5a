from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy import signal

from certo.kernels.base import number
from certo.kernels.rounding import HUGE, LEAST, UNKNOWN, Rounding, gamma
from certo.kernels.sequence import SequenceKernel, flag, padded, symbols, whole

CELLS = 2**20  # of all pairs that are worked on at once


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

    def __post_init__(self):
        object.__setattr__(self, "length", whole(self.length, "length", 1, 1000))
        object.__setattr__(self, "decay", number(self.decay, "decay"))
        if self.decay > 1:
            raise ValueError(f"decay must be at most 1, got {self.decay:g}.")
        object.__setattr__(self, "upto", flag(self.upto, "upto"))

    def _plain(self, base, rows, columns):
        """All cells of one x and several z at once: A_p(i, j) = Σ decay^(i−k+j−l)·S_p(k, l) over
        k ≤ i and l ≤ j is S_p after a filter along each axis, and
        S_{p+1}(i, j) = decay²·[x_i = z_j]·A_p(i−1, j−1), A_0 = 1."""
        lengths = symbols(base).lengths
        out = np.zeros((rows.size, columns.size))
        order = np.argsort(lengths[columns], kind="stable")
        for i, row in enumerate(rows):
            x = padded(base, row[None], lengths[row])[0]
            step = max(1, CELLS // max(1, x.size * int(np.max(lengths[columns], initial=0))))
            for start in range(0, columns.size, step):
                some = order[start : start + step]
                z = padded(base, columns[some], int(lengths[columns[some[-1]]]))
                with np.errstate(over="ignore", invalid="ignore"):  # as `rounding` says
                    out[i, some] = self._sums(x[:, None] == z[:, None, :])
        return out

    def _sums(self, same: np.ndarray) -> np.ndarray:
        """Of `same`, [x_i = z_j] in the last two axes, the sum of S_length, or of all S_p."""
        weights = self.decay * self.decay * same
        S, total = weights, np.zeros(same.shape[0])
        for p in range(1, self.length + 1):
            if self.upto or p == self.length:
                total += S.sum(axis=-1).sum(axis=-1)
            if p < self.length and S.size:
                for axis in (1, 2):
                    S = signal.lfilter([1.0], [1.0, -self.decay], S, axis=axis)
                S = np.pad(S[:, :-1, :-1], ((0, 0), (1, 0), (1, 0))) * weights
        return total

    def _fast(self, base, rows, columns):
        from certo.compiled.sequences import subsequence_block

        codes, first, _ = symbols(base)
        block = subsequence_block(codes, first, rows, columns, self.length, self.decay, self.upto)
        if not np.all(np.isfinite(block)):
            raise ValueError(
                f"values of {self!r} overflow: sequences of up to "
                f"{int(np.max(symbols(base).lengths))} symbols have too many subsequences in "
                "common. Choose a smaller decay or length."
            )
        return block

    def rounding(self, X, Z):
        """No term is negative, and a term is rounded by: each step of a filter, twice, of which
        there are at most |x| + |z| in all; a filter's last addition, twice for each p; decay², its
        product and what it multiplies, three times for each p; sums along two axes, |x| + |z|; the
        sum over p. That is γ_n with n = 3(|x| + |z|) + 6·length of K(x, z) ≤ √K(x,x)·√K(z,z).

        A product that underflows is off by 2⁻¹⁰⁷⁴ at most; there are four for each p and cell. Such
        an error in a cell grows by no more than the terms that begin there: by decay² for each of
        the |x|·|z| cells that follow, in each of the p that follow. Nothing is known once a value
        overflows."""
        X, Z = self.examples(X), self.examples(Z)
        m, n = (int(np.max(symbols(p.base).lengths[p.rows], initial=0)) for p in (X, Z))
        growth = (self.length - 1) * math.log2(1.0 + self.decay**2 * m * n)
        parts = (X, Z) if growth < 900 else ()
        if not all(np.all(self.diagonal(part) < HUGE) for part in parts) or not parts:
            return UNKNOWN
        absolute = 4.0 * self.length * m * n * 2.0**growth * 1.01 * LEAST
        return Rounding(gamma(3 * (m + n) + 6 * self.length), absolute)
