"""Separable and Inseparable by blocks: claims of a table in memory, and changed ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from certo import separability
from certo.scale import ArrayBlocks
from tests.scale.scenes import cuts

RNG = np.random.default_rng(0)
X = RNG.integers(-9, 10, size=(400, 3)).astype(float)
SCORE = X @ [3.0, -1.0, 2.0] + 0.5
APART = np.where(SCORE > 0, "up", "down")
FLIPPED = np.where((SCORE > 0) ^ (np.arange(400) % 57 == 3), "up", "down")
SEPARABLE, INSEPARABLE = separability(X, APART), separability(X, FLIPPED)


@pytest.mark.parametrize("ends", cuts(400))
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_claims_of_a_table_in_memory_are_accepted(ends, form):
    assert SEPARABLE.verify(ArrayBlocks(form(X), APART, ends=ends))
    assert INSEPARABLE.verify(ArrayBlocks(form(X), FLIPPED, ends=ends))


@pytest.mark.parametrize(
    "change",
    [
        lambda c: {"coef": -c.coef},
        lambda c: {"functional_margin": 1.01 * c.functional_margin},
        lambda c: {"margin": 1.01 * c.margin},
        lambda c: {"examples": 399},
    ],
)
def test_a_stronger_separable_is_refused(change):
    assert not replace(SEPARABLE, **change(SEPARABLE)).verify(ArrayBlocks(X, APART))


def test_an_inseparable_of_other_rows_is_refused():
    blocks = ArrayBlocks(X, FLIPPED, ends=cuts(400)[2])
    for further in (1, 400):
        assert not replace(INSEPARABLE, vectors=INSEPARABLE.vectors + further).verify(blocks)
    assert not replace(INSEPARABLE, examples=401).verify(blocks)
    assert not INSEPARABLE.verify(ArrayBlocks(X, APART))
    assert not INSEPARABLE.verify(ArrayBlocks(X[:, :2], FLIPPED))


def test_a_tie_is_on_no_side():
    """The margin of the last row is exactly 0."""
    rows = np.vstack([X, [[0.0, 0.5, 0.0]]])
    labels = np.append(APART, "up")
    claim = replace(SEPARABLE, examples=401, functional_margin=0.0, margin=0.0)
    exact = replace(claim, coef=np.array([3.0, -1.0, 2.0]), intercept=0.5)
    assert replace(exact, examples=400).verify(ArrayBlocks(X, APART))
    assert not exact.verify(ArrayBlocks(rows, labels))
