"""Text of a file as a terminal or a page may show it."""

from __future__ import annotations

import unicodedata


def visible(text: str) -> str:
    """The text with every control or formatting character written as its escape, so that a label
    of a file cannot move a cursor, hide, or break a page."""
    return "".join(
        c
        if c.isprintable() or unicodedata.category(c) == "Zs"
        else c.encode("unicode_escape").decode()
        for c in text
    )
