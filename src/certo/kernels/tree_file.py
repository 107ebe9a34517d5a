"""Files of trees."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from certo.kernels.tree import Tree, trees_in


def read_trees(path: str | PathLike) -> list[Tree]:
    """The trees of a text file in UTF-8, one after another, on one line each or on several.

    A ValueError names the file, and the line and column at which a bracket is missing or too many,
    or the byte that is not in UTF-8.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")  # With or without a byte order mark.
        return [tree for _, tree in trees_in(text, lines=True)]
    except UnicodeDecodeError as wrong:
        raise ValueError(
            f"{path}: trees are read from text in UTF-8, but byte {wrong.start} is "
            f"{wrong.object[wrong.start]:#04x}. Convert the file, as with "
            "iconv -f LATIN1 -t UTF-8."
        ) from None
    except ValueError as wrong:
        raise ValueError(f"{path}: {wrong}") from None
