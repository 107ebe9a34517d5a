"""Examples that are not one array: tables in files, larger than memory, read block by block.

All that the solvers and the claims need of the data is a sum over rows, or a run through the rows
in their order. So a table may stay where it is: `Blocks` (in `blocks`) says how it is read, and
the functions that are summed over its blocks know nothing of files.

    arrays in memory                                   `ArrayBlocks`
    Parquet, Arrow, Feather, folders of CSV files      `ArrowBlocks`
    .npy memory maps, svmlight                         `ArrayBlocks` of a map, `SvmlightBlocks`

`open_blocks(path, target)` makes one of a path, and `as_blocks` of whatever an estimator was given.
"""

from __future__ import annotations

from certo.lazy import by_name, names_of

_SCALE_NAMES = by_name(
    {
        "blocks": "ArrayBlocks Block Blocks",
        "arrow_files": "ArrowBlocks",
        "svmlight_files": "SvmlightBlocks",
        "opening": "as_blocks is_in_blocks open_blocks",
    }
)
__all__ = sorted(_SCALE_NAMES)

__getattr__, __dir__ = names_of(__name__, _SCALE_NAMES)
