"""MistakeBound by blocks: the steps must be those of the rows, wherever blocks end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from certo import Perceptron
from certo.rates import Power
from certo.scale import ArrayBlocks
from tests.scale.scenes import cuts, table

X, TWO, _, _ = table(800)
BLOCKS = ArrayBlocks(X, TWO, ends=cuts(800)[2])


def claim_of(y=TWO, **settings):
    (claim,) = (
        Perceptron(epochs=4, **settings).fit(ArrayBlocks(X, y)).certificate_.of_kind("MistakeBound")
    )
    return claim


CLAIM = claim_of()


@pytest.mark.parametrize(
    "settings", [{}, {"shards": 3}, {"learning_rate": Power(0.5)}, {"average": True}]
)
def test_claims_of_a_table_in_memory_are_accepted(settings):
    usual = Perceptron(epochs=4, **settings).fit(X, TWO).certificate_.of_kind("MistakeBound")[0]
    for ends in cuts(800):
        assert usual.verify(ArrayBlocks(X, TWO, ends=ends))
    mine = claim_of(**settings)
    assert mine.verify(X, TWO)
    assert mine.updates == usual.updates
    assert mine.updates <= mine.bound <= 1.2 * usual.bound


def test_a_separator_bounds_every_run():
    normal = np.array([1.0, -2.0, 0.5, 1.0])
    clear = np.abs((X - 1) @ normal) > 0.5
    y = np.where((X[clear] - 1) @ normal > 0, "a", "b")
    blocks = ArrayBlocks(X[clear], y)
    separable, claim = Perceptron().fit(blocks).certificate_
    assert (separable.name, claim.separable) == ("Separable", True)
    for ends in cuts(len(y)):
        assert claim.verify(ArrayBlocks(X[clear], y, ends=ends))
    assert not replace(claim, target=1.01 * claim.target).verify(blocks)


def first_two(claim):
    rows = claim.rows.copy()
    rows[0] = rows[1]
    return rows


@pytest.mark.parametrize(
    "change",
    [
        lambda c: {"coef": c.coef + 1e-6},
        lambda c: {"bound": c.bound - 1},
        lambda c: {"shortfall": 0.99 * c.shortfall},
        lambda c: {"radius2": 0.99 * c.radius2},
        lambda c: {"comparator_norm": 0.99 * c.comparator_norm},
        lambda c: {"updates": c.updates + 1},
        lambda c: {"dual_coef": -c.dual_coef},
        lambda c: {"rows": first_two(c)},
        lambda c: {"rows": c.rows[::-1].copy(), "dual_coef": c.dual_coef[::-1].copy()},
        lambda c: {"rows": c.rows + 800},
        lambda c: {"examples": 799},
    ],
)
def test_what_is_not_shown_is_refused(change):
    try:
        changed = replace(CLAIM, **change(CLAIM))
    except ValueError:
        return
    assert not changed.verify(BLOCKS)


def test_blocks_in_another_order_are_other_rows():
    order = np.random.default_rng(0).permutation(800)
    assert not CLAIM.verify(ArrayBlocks(X[order], TWO[order]))
