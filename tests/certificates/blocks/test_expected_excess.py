"""ExpectedExcess by blocks: as strong as of a table in memory, and refused where too strong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from certo import Pegasos
from certo.scale import ArrayBlocks
from tests.scale.scenes import cuts, table

X, TWO, _, _ = table(800)
BLOCKS = ArrayBlocks(X, TWO, ends=cuts(800)[2])
RUN = Pegasos(random_state=0, max_iter=5000)
(CLAIM,) = RUN.fit(BLOCKS).certificate_


def test_it_is_nearly_the_claim_of_a_table_in_memory():
    (usual,) = Pegasos(random_state=0, max_iter=5000).fit(X, TWO).certificate_
    assert usual.verify(BLOCKS)
    for name in ("objective", "radius2", "bound"):
        assert getattr(CLAIM, name) == pytest.approx(getattr(usual, name), rel=1e-9)


def test_the_objective_is_not_below_the_truth():
    signs = np.where(TWO == "up", 1, -1)
    losses = np.maximum(1 - signs * (X @ CLAIM.coef + CLAIM.intercept), 0)
    penalty = CLAIM.lam / 2 * (CLAIM.coef @ CLAIM.coef + CLAIM.intercept**2)
    assert losses.mean() + penalty <= CLAIM.objective * (1 + 1e-15)


@pytest.mark.parametrize(
    "change",
    [
        lambda c: {"objective": c.objective * (1 - 1e-6)},
        lambda c: {"bound": c.bound * (1 - 1e-6)},
        lambda c: {"radius2": c.radius2 * 0.99},
        lambda c: {"steps": c.steps + 1, "bound": 0.5 * c.bound},
        lambda c: {"coef": 1.01 * c.coef},
        lambda c: {"examples": c.examples - 1},
    ],
)
def test_what_is_not_shown_is_refused(change):
    assert not replace(CLAIM, **change(CLAIM)).verify(BLOCKS)
