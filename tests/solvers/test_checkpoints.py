"""Long runs look up often, keep few notes, and stop where they are asked to."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.solvers.checkpoints import BLOCK_STEPS, blocks, run_in_blocks
from certo.stop import Stop, go_on


@given(st.integers(0, 10**5), st.integers(0, 2 * 10**5))
def test_looks_and_notes(before, steps):
    found = list(blocks(before, steps))
    ends = [before, *(end for end, _ in found)]
    assert all(0 < b - a <= BLOCK_STEPS for a, b in itertools.pairwise(ends))
    assert ends[-1] == before + steps
    powers = {2**k for k in range(20)}
    notes = [end for end, kept in found if kept]
    assert set(notes) == {n for n in powers if before < n < before + steps} | {*ends[1:][-1:]}


def test_all_steps_are_taken():
    taken, notes = [], []
    assert run_in_blocks(3, 7, taken.append, notes.append, go_on) is Stop.MAX_ITER
    assert taken == notes == [4, 8, 10]


@pytest.mark.parametrize("looks", [1, 2])
def test_a_run_that_is_stopped_keeps_a_note_of_its_end(looks):
    taken, notes = [], []

    def ask():
        return Stop.BY_HAND if len(taken) >= looks else None

    steps = 5 * BLOCK_STEPS
    stop = run_in_blocks(2 * BLOCK_STEPS, steps, taken.append, notes.append, ask)
    assert stop is Stop.BY_HAND
    assert len(taken) == looks
    assert notes[-1] == taken[-1]


def test_who_asks_after_the_last_step_comes_too_late():
    stop = run_in_blocks(0, 1, lambda end: None, lambda end: None, lambda: Stop.CALLBACK)
    assert stop is Stop.MAX_ITER
