r"""What blocks of rows add up to, and how much is lost to rounding.

A `BlockSum` holds, by name, what one block has, or what several have together:

- `Rounded` numbers are added as fractions, exactly, and so are their allowances;
- integers, and truth values that must hold of every block (`all_hold`), are exact;
- arrays and floats are added in float64, one block after another;
- `Top` holds the greatest numbers of all blocks.

Rounding. If an entry of a block's array is a sum in which no term passed through more than
`roundings` roundings, and there are B blocks, then no term of the whole passes through more than
`depth` = max roundings + B: each addition of a block adds one. So |computed − Σ terms| ≤
γ_depth Σ|terms| (see `certo.numbers.rounding`), whatever the sizes of the blocks, and in whatever
order they are added. An array that comes with an allowance of its own, g_b within o_b of the true
one for block b, is after the addition within Σ o_b + γ_B Σ|g_b| of the sum of the true ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from certo.numbers.rounded import Rounded

CURVED_STRIDE = 8  # One row in so many is looked at for the curvature.
MIN_CURVED_ROWS = 64  # Rows of a block, for each coordinate, from which on a part is enough.


class Top(NamedTuple):
    """Of these, the greatest over all blocks is meant."""

    value: Any


@dataclass(frozen=True)
class BlockSum:
    rows: int
    roundings: int
    parts: dict[str, Any]
    all_hold: bool = True
    blocks: int = 1

    def __add__(self, other: BlockSum) -> BlockSum:
        with np.errstate(over="ignore", invalid="ignore"):
            parts = {name: _joined(part, other.parts[name]) for name, part in self.parts.items()}
        return BlockSum(
            self.rows + other.rows, max(self.roundings, other.roundings), parts,
            self.all_hold and other.all_hold, self.blocks + other.blocks,
        )  # fmt: skip

    def __getitem__(self, name: str) -> Any:
        part = self.parts[name]
        return part.value if isinstance(part, Top) else part

    @property
    def depth(self) -> int:
        """How many roundings a term passed through at most."""
        return self.roundings + self.blocks


class Sums(list[Any]):
    """Several sums over the same blocks, added one by one."""

    def __add__(self, other: Any) -> Sums:
        return Sums(a + b for a, b in zip(self, other, strict=True))


def _joined(one: Any, other: Any) -> Any:
    if isinstance(one, Top):
        return Top(np.maximum(one.value, other.value))
    return one.plus(other) if isinstance(one, Rounded) else one + other
