"""Least squares by blocks: one pass where sums are precise enough, and claims that everyone's check
accepts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from certo import LeastSquares
from certo.certificates import LeastSquaresExcess
from certo.certificates.blocks.least_squares import terms
from certo.issue.by_blocks import for_any_cut
from certo.issue.regression.row_sums import RowSums, seen_by_sums
from certo.scale import ArrayBlocks
from certo.scale.blocks import Block
from certo.scale.least_squares import first_shift, sums_at
from tests.scale.scenes import cuts, table


def fitted(X, y, ends=None, **settings) -> tuple[LeastSquares, ArrayBlocks]:
    blocks = ArrayBlocks(X, y, ends=ends)
    return LeastSquares(**settings).fit(blocks), blocks


def numbers_of(machine) -> np.ndarray:
    return np.append(machine.coef_, machine.intercept_)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("settings", [{}, {"ridge": 0.1}, {"intercept": "none"}])
def test_one_pass_gives_the_answer_and_a_claim_that_holds_for_every_cut(settings, dtype):
    X, _, _, y = table(dtype=dtype)
    usual = LeastSquares(**settings).fit(X, y)
    for ends in cuts(len(y)):
        machine, blocks = fitted(X, y, ends, **settings)
        assert blocks.passes == 1
        np.testing.assert_allclose(numbers_of(machine), numbers_of(usual), rtol=1e-12)
        (claim,) = machine.certificate_
        assert claim.verify(X, y)
        assert all(claim.verify(ArrayBlocks(X, y, ends=other)) for other in cuts(len(y), 1))


def test_units_of_columns_cost_no_digits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 20)) * 10.0 ** rng.integers(-6, 7, 20) + 1
    y = (X / X.std(axis=0)) @ rng.normal(size=20) + rng.normal(size=5000)
    machine, _ = fitted(X, y)
    usual = LeastSquares().fit(X, y)
    np.testing.assert_allclose(machine.coef_, usual.coef_, rtol=1e-11)


def test_a_small_residual_needs_a_pass_over_the_residuals():
    X, _, _, y = table()
    exact = X @ np.arange(1.0, 5.0) + 1e-5 * (y - y.mean())
    machine, blocks = fitted(X, exact)
    assert blocks.passes > 1
    (claim,) = machine.certificate_
    assert claim.verify(X, exact)
    assert claim.excess < 1e-12 * claim.risk


def test_a_mean_that_the_first_rows_do_not_tell_takes_a_second_pass():
    X, _, _, y = table()
    X[:1000] += 1e5
    machine, blocks = fitted(X, y, [1000, len(y)])
    assert blocks.passes >= 2
    assert machine.certificate_.verify(X, y)


def test_a_claim_that_says_less_error_is_refuted():
    X, _, _, y = table()
    machine, blocks = fitted(X, y)
    (claim,) = machine.certificate_
    for number in (np.nextafter(claim.lower, 0) * (1 - 1e-8), claim.risk * (1 - 1e-8)):
        assert not replace(claim, risk=number, lower=min(number, claim.lower)).verify(blocks)
    assert not replace(claim, excess=claim.excess * 1e-9).verify(X, y)


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_what_sums_show_bounds_what_the_rows_show(seed, scaled):
    """Term by term, for the sums of rows as they are, and for those of standardised rows."""
    X, _, _, y = table(m=700, seed=seed)
    rng = np.random.default_rng(seed)
    first = Block(X, y, 0)
    shift = first_shift(first, True)
    known = RowSums.of(sums_at(first, shift), shift)
    if scaled:
        mean, scale = X.mean(axis=0), X.std(axis=0)
        X = (X - mean) / scale
        known = known.standardised(mean, scale)
    (claim,) = LeastSquares().fit(X, y).certificate_.of_kind(LeastSquaresExcess)
    claim = replace(
        claim, coef=claim.coef + rng.normal(size=claim.coef.shape), kept=np.arange(5),
        shift=np.append(X.mean(axis=0), y.mean()),
        factor=np.triu(rng.normal(size=(5, 5))) + 3 * np.eye(5),
    )  # fmt: skip
    rows = terms(claim, claim._sample(claim._read(X), y), 0, 1)
    sums = seen_by_sums(claim, known)
    apart = abs(rows["losses"].value - sums["losses"].value)
    assert apart <= sums["losses"].within <= 1e-9 * sums["losses"].value
    assert np.all(rows["sizes"] <= sums["sizes"])
    assert np.all(rows["squares"] <= sums["squares"])
    depth = for_any_cut(rows).depth
    assert np.all(np.abs(rows["sums"] - sums["sums"]) <= 2.0**-53 * depth * sums["sizes"])
    gram = [total["gram"] / total["curved_rows"] for total in (rows, sums)]
    off = [total["gram_off"] / total["curved_rows"] for total in (rows, sums)]
    assert np.linalg.norm(gram[0] - gram[1], 2) <= sum(off)
