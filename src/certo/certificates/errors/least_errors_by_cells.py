"""LeastErrorsByCells: every cell of an arrangement of hyperplanes is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from certo.certificates.base import Refuted, require
from certo.certificates.errors import cells
from certo.certificates.errors.least_errors import Groups, LeastErrors, proved
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.exact_rows import integer_rows
from certo.numbers.decimals import readable


@final
@dataclass(frozen=True, repr=False, eq=False)
class LeastErrorsByCells(LeastErrors):
    """Proof: every cell of the arrangement of hyperplanes w·z_t = 0 is looked at (see `cells`).
    There is no witness: the check is the search itself."""

    def _check_groups(self, sample: Sample, groups: Groups, need: int) -> str:
        if need <= 0:
            return "repeated and opposite examples already cost as much."
        vectors = cells.coordinates(integer_rows(sample, groups.rows.tolist(), self.lifted))
        require(len(vectors) > 0, "there is nothing left to err on.")
        size = cells.work(len(vectors), len(vectors[0]))
        require(size <= cells.MAX_SORTED_NUMBERS, "there are too many cells to look at.")
        weights, unit = cells.coarse(groups.weights)
        enough = -(-need // unit)
        found = cells.least(vectors, weights, enough)
        if found.value < enough:
            least = readable(proved(found.value * unit, groups))
            raise Refuted(f"looking at all cells proves only {least}.")
        rank = len(vectors[0])
        return f"all cells of {len(vectors):,} hyperplanes in dimension {rank} were looked at."
