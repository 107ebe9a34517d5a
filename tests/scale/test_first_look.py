"""The first pass: classes, lengths, a sample; and rows that no fit can use, by place."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from certo.scale import ArrayBlocks
from certo.scale.first_look import BadRows, first_look
from tests.scale.scenes import cuts, table

X, TWO, _, V = table(500)
RNG = np.random.default_rng(0)


@pytest.mark.parametrize("ends", cuts(500))
def test_what_is_found(ends):
    found = first_look(ArrayBlocks(X, TWO, ends=ends), RNG, classes=True)
    assert found.counts == {label: int(np.sum(label == TWO)) for label in ("up", "down")}
    assert np.isclose(found.square, np.max(np.sum(X * X, axis=1)), rtol=1e-15)
    np.testing.assert_array_equal(found.sample[0], X)  # Of a small table all rows are drawn.


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_named(value):
    bad = X.copy()
    bad[350, 2] = value
    for rows in (bad, sparse.csr_array(bad)):
        with pytest.raises(BadRows, match=r"column 2 of row 350 .*is (nan|inf)"):
            first_look(ArrayBlocks(rows, TWO, ends=[100, 500]), RNG, classes=True)


def test_targets_that_cannot_be_used():
    with pytest.raises(BadRows, match="no target"):
        first_look(ArrayBlocks(X), RNG, classes=True)
    with pytest.raises(BadRows, match="no finite number"):
        first_look(ArrayBlocks(X, np.where(V > 2, np.nan, V)), RNG, classes=False)
    many = np.repeat(X, 4, axis=0)
    with pytest.raises(ValueError, match="more than 1,000 different values"):
        first_look(ArrayBlocks(many, np.arange(2000), ends=[900, 2000]), RNG, classes=True)
    with pytest.raises(BadRows, match="all be texts or all be numbers"):
        first_look(ArrayBlocks(X, np.where(V > 0, TWO, None)), RNG, classes=True)
    with pytest.raises(BadRows, match=r"a target of numbers is needed, but it holds '(up|down)'"):
        first_look(ArrayBlocks(X, TWO), RNG, classes=False)
