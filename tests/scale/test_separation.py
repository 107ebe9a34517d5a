"""Separability by blocks: the verdict of a table in memory, and its proof."""

from __future__ import annotations

import numpy as np
import pytest

from certo import separability
from certo.certificates import Inseparable, Separable
from certo.scale import ArrayBlocks, separation
from tests.scale.scenes import cuts

RNG = np.random.default_rng(0)
X = RNG.normal(size=(6000, 5))
SCORE = X @ RNG.normal(size=5) + 0.1
APART = np.where(SCORE > 0, "up", "down")
FLIPPED = np.where((SCORE > 0) ^ (np.arange(6000) == 4321), "up", "down")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("y", "kind"), [(APART, Separable), (FLIPPED, Inseparable)])
def test_the_verdict_is_proved_by_blocks(y, kind, dtype):
    rows = X.astype(dtype)
    for ends in cuts(6000)[2:]:
        found = separability(ArrayBlocks(rows, y, ends=ends))
        assert isinstance(found, kind)
        assert found.examples == 6000
        assert found.verify(rows, y)
        for others in cuts(6000, 1)[::2]:
            assert found.verify(ArrayBlocks(rows, y, ends=others))
        assert not found.verify(ArrayBlocks(rows, y[::-1]))
        assert not found.verify(ArrayBlocks(rows[:-1], y[:-1]))


def test_few_rows_are_decided_about(monkeypatch):
    monkeypatch.setattr(separation, "MIN_FIRST_ROWS", 50)
    monkeypatch.setattr(separation, "FIRST_ROWS", 2)
    blocks = ArrayBlocks(X, APART, ends=cuts(6000)[2])
    assert separability(blocks).verify(X, APART)
    assert blocks.passes > 4
    assert separability(ArrayBlocks(X, FLIPPED)).verify(X, FLIPPED)
    monkeypatch.setattr(separation, "MAX_JOINED_NUMBERS", 300)
    with pytest.raises(ArithmeticError, match="was not decided"):
        separability(ArrayBlocks(X, APART, ends=cuts(6000)[2]))


def test_the_origin():
    y = np.where(SCORE - 0.1 > 0, 1, 0)
    found = separability(ArrayBlocks(X, y), intercept="none")
    assert isinstance(found, Separable)
    assert found.intercept == 0
    assert found.verify(X, y)


def test_three_classes_are_refused():
    with pytest.raises(ValueError, match="takes two classes, got 3"):
        separability(ArrayBlocks(X, np.arange(6000) % 3))
