from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy import sparse

from certo.kernels.base import flag, whole
from certo.kernels.counting import CountingKernel, Counts
from certo.kernels.sequence import Names, SequenceKernel, grams, symbols

MAX_GRAM_SYMBOLS = 100_000


@final
@dataclass(frozen=True)
class Spectrum(SequenceKernel, CountingKernel):
    """The spectrum kernel: sequences look alike that have many k-grams in common.

    Definition    K(x, z) = Σ_g c_g(x)·c_g(z), over all g of k symbols; c_g(x) is how often g stands
                  in x, its symbols on end
    Domain        sequences: strings, or lists, tuples, 1-D arrays of symbols
    Map           `certo.features.explicit_map`: the counts themselves
    Reference     Leslie, Eskin, Noble (2002)

    Parameters
    ----------
    k : int, at least 1
    upto : bool
        Whether all lengths from 1 to k are counted, or k alone.

    Examples
    --------
    >>> Spectrum(2)(["banana"], ["bandana", "ananas"])  # an·2·2 + ba + na·2; an·2·2 + na·2·2
    array([[7., 8.]])
    >>> Spectrum(1)([["to", "be"]], [["be", "to", "be"]])
    array([[3.]])
    """

    k: int
    upto: bool = False

    def __post_init__(self):
        object.__setattr__(self, "k", whole(self.k, "k", 1, MAX_GRAM_SYMBOLS))
        object.__setattr__(self, "upto", flag(self.upto, "upto"))

    @property
    def _least(self):
        return 1 if self.upto else self.k

    def _count(self, base):
        codes, first, alphabet = symbols(base)
        longest = int(np.max(np.diff(first), initial=0))
        lengths = range(1, min(self.k, longest) + 1) if self.upto else [self.k]
        found = [grams(base, length) for length in lengths] or [grams(base, self.k)]
        matrix = found[0].matrix
        if len(found) > 1:
            matrix = sparse.hstack([part.matrix for part in found], format="csr")
        starts = np.concatenate([part.starts for part in found])
        sizes = np.repeat([*lengths] or [self.k], [part.starts.size for part in found])
        return Counts(matrix, Names(codes, alphabet, starts, sizes))
