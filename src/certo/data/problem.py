"""The one kind of error that a person, not a programmer, is meant to read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Problem(ValueError):
    """Input that cannot be used: what was required, what came, where, and what to do."""


@contextmanager
def problems_of(what: str) -> Iterator[None]:
    """Where there are several inputs, a problem begins with the one that it is of."""
    try:
        yield
    except Problem as wrong:
        raise Problem(f"{what}: {wrong}") from wrong
