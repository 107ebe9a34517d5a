"""Where a long run of small steps looks up: to be stopped, to tell how far it is, to keep notes."""

from __future__ import annotations

from collections.abc import Iterator

BLOCK = 2**14  # steps from one look up to the next, at most


def blocks(before: int, steps: int) -> Iterator[tuple[int, bool]]:
    """How many steps have been taken at each look up, those `before` included, and whether notes
    are kept there: after 1, 2, 4, 8, … steps and after the last."""
    now, last = before, before + steps
    while now < last:
        checkpoint = min(1 << now.bit_length(), last)
        now = min(now + BLOCK, checkpoint)
        yield now, now == checkpoint
