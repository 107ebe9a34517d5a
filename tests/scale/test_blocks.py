"""The protocol: blocks in their order, sums in a fixed order, passes that are counted."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from certo.scale import ArrayBlocks
from certo.solvers.interrupt import Stopped
from certo.stop import Stop
from tests.scale.scenes import cuts, table

X, TWO, _, _ = table(500)


def concatenated(state, block):
    return f"{state}{block.start}:{block.rows},", block.rows


def text_of(block):
    return f"{block.start}:{block.rows} "


@pytest.mark.parametrize("ends", cuts(500))
def test_blocks_hold_all_rows_in_order(ends):
    blocks = ArrayBlocks(X, TWO, ends=ends)
    found = list(blocks)
    assert blocks.count == len(found) == len(ends)
    np.testing.assert_array_equal(np.vstack([block.X for block in found]), X)
    np.testing.assert_array_equal(np.concatenate([block.y for block in found]), TWO)
    assert [block.start for block in found] == [0, *ends[:-1]]


def test_sums_are_added_in_the_order_of_the_blocks():
    blocks = ArrayBlocks(X, ends=[100, 350, 500])
    assert blocks.total(text_of) == "0:100 100:250 350:150 "  # + of texts does not commute.
    *_, (part, state, output) = blocks.relay(concatenated, [""], [500])
    assert (part, state, output) == (0, "0:100,100:250,350:150,", 150)
    assert blocks.passes == 2


def test_parts_of_the_rows_are_gone_through_from_a_state_each():
    blocks = ArrayBlocks(X, ends=[100, 350, 500])
    steps = blocks.relay(concatenated, ["a", "b"], [120, 500])
    reached = {part: state for part, state, _ in steps}
    assert reached == {0: "a0:100,100:20,", 1: "b120:230,350:150,"}


def test_rows_are_picked_by_their_numbers():
    for rows in (X, sparse.csr_array(X), X.astype(np.float32)):
        found, y = ArrayBlocks(rows, TWO, ends=[100, 350, 500]).pick(np.array([0, 99, 100, 499]))
        found = found.toarray() if sparse.issparse(found) else found
        np.testing.assert_array_equal(found, X.astype(found.dtype)[[0, 99, 100, 499]])
        np.testing.assert_array_equal(y, TWO[[0, 99, 100, 499]])


def test_a_pass_ends_when_asked_to():
    asked = iter([None, Stop.BY_HAND])
    blocks = ArrayBlocks(X, ends=[100, 350, 500])
    with blocks.stopping(lambda: next(asked)), pytest.raises(Stopped):
        blocks.total(text_of)
    assert blocks.total(text_of)  # Nobody asks any more.


def test_memory_maps_are_not_copied(tmp_path):
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    block = next(iter(ArrayBlocks(mapped)))
    assert np.shares_memory(block.X, mapped)


@pytest.mark.parametrize("ends", [[500, 500], [0, 500], [499], []])
def test_ends_that_are_none(ends):
    with pytest.raises(ValueError, match="ends must increase"):
        ArrayBlocks(X, ends=ends)


def test_targets_that_do_not_fit():
    with pytest.raises(ValueError, match="500 rows of X, but it has 3"):
        ArrayBlocks(X, TWO[:3])


def test_what_is_no_number_is_refused():
    for X in (np.ones((3, 2)) * 1j, np.full((3, 2), "1"), np.zeros((3, 2), "datetime64[s]")):
        with pytest.raises(ValueError, match=r"X holds .*, where numbers are needed"):
            ArrayBlocks(X)
    with pytest.raises(ValueError, match="integers that float64 cannot hold"):
        list(ArrayBlocks(np.full((3, 2), 2**60 + 1)))
