"""Where a long run of small steps looks up: to be stopped, to tell how far it is, to keep notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from certo.stop import Asked, Stop

BLOCK_STEPS = 2**14  # Largest number of steps between two checks.


def blocks(before: int, steps: int) -> Iterator[tuple[int, bool]]:
    """How many steps have been taken at each look up, those `before` included, and whether notes
    are kept there: after 1, 2, 4, 8, … steps and after the last."""
    now, last = before, before + steps
    while now < last:
        checkpoint = min(1 << now.bit_length(), last)
        now = min(now + BLOCK_STEPS, checkpoint)
        yield now, now == checkpoint


def run_in_blocks(
    before: int,
    steps: int,
    advance: Callable[[int], None],
    keep_note: Callable[[int], None],
    after_block: Asked,
) -> Stop:
    """`advance(n)` until n steps have been taken, those `before` included, block by block; then
    `keep_note(n)` where notes are kept. `after_block()` may say why to stop earlier."""
    for end, is_kept in blocks(before, steps):
        advance(end)
        stop = after_block()
        stop = stop if end < before + steps else None
        if stop or is_kept:
            keep_note(end)
        if stop:
            return stop
    return Stop.MAX_ITER
