"""Checks in one pass over blocks of rows, of which no two need be in memory together.

A check takes an iterable of blocks, each a tuple that begins with X and y. What a claim needs of a
block is computed by the same functions as for a table in memory, with the same allowances; the
sums over the blocks, and what these sums round, are in `sums`. `verify` is the entry; each module
has the claims of its name: which numbers of a block they need (`terms`), and what the sums show.

A block may be of any size: an allowance grows with the number of blocks and with the number of rows
of the largest, since a sum passes through that many roundings.
"""

from __future__ import annotations

from certo.certificates.blocks.check import CHECKED as CHECKED
from certo.certificates.blocks.check import shown_of as shown_of
from certo.certificates.blocks.check import verify as verify
