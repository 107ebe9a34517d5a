"""Files of svmlight and libsvm, larger than memory: lines of a label and of index:value."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from certo.facts import InputError
from certo.scale.blocks import Block, Blocks
from certo.words import blocks as sentences

LINES_PER_BLOCK = 16_384


class SvmlightBlocks(Blocks):
    """The lines of a file, as CSR rows of float64 with the columns 1, 2, … of its indices (from 0
    on, if that occurs). A first look at all lines counts rows and columns."""

    def __init__(self, path: str | Path):
        self.path = Path(path)
        rows = most = 0
        self.zero_based = False
        for lines in self._lines():
            rows += len(lines)
            for line in lines:
                pairs = line.partition(b"#")[0].split()[1:]
                for pair in (pairs[0], pairs[-1]) if pairs else ():
                    index = pair.partition(b":")[0]
                    if index.isdigit():
                        most = max(most, int(index))
                        self.zero_based |= int(index) == 0
        if not rows:
            raise InputError(sentences.no_rows, path)
        super().__init__((rows, most + self.zero_based), np.float64)

    @property
    def count(self) -> int:
        return -(-self.shape[0] // LINES_PER_BLOCK)

    def _lines(self) -> Iterator[list[bytes]]:
        with self.path.open("rb") as file:
            lines = (line for line in file if line.partition(b"#")[0].strip())
            while some := list(itertools.islice(lines, LINES_PER_BLOCK)):
                yield some

    def _blocks(self) -> Iterator[Block]:
        from sklearn.datasets import load_svmlight_file

        start = 0
        for lines in self._lines():
            try:
                X, y = load_svmlight_file(
                    io.BytesIO(b"".join(lines)), n_features=self.shape[1],
                    zero_based=self.zero_based,
                )  # fmt: skip
            except (ValueError, OverflowError) as wrong:
                raise InputError(
                    sentences.unreadable_lines, self.path, start, len(lines), wrong
                ) from wrong
            yield Block(X, y, start, f"{self.path.name}, from row {start + 1:,}")
            start += len(lines)
