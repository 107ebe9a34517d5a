"""Machines that take examples one after another: of blocks the bits of a table in memory."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from certo import OnlineGradientDescent, Pegasos, Perceptron
from certo.losses import Logistic
from certo.rates import Power
from certo.scale import ArrayBlocks, streams
from certo.solvers.interrupt import stopped_by
from certo.stop import Stop
from tests.scale.scenes import cuts, table

X, TWO, THREE, _ = table()
M = len(X)
NORMAL = np.array([1.0, -2.0, 0.5, 1.0])
CLEAR = np.abs((X - 1) @ NORMAL) > 0.5
APART = np.where((X[CLEAR] - 1) @ NORMAL > 0, "a", "b")

RUNS = [
    (Pegasos(random_state=3, max_iter=20_000), X, TWO),
    (Pegasos(random_state=3, max_iter=3_000, intercept="none", average=False), X, TWO),
    (Pegasos(random_state=3, max_iter=20_000), X.astype(np.float32), THREE),
    (OnlineGradientDescent(), X, TWO),
    (OnlineGradientDescent(loss=Logistic(), radius=5.0, lam=0.0, average=False), X, THREE),
    (Perceptron(epochs=5), X, TWO),
    (Perceptron(epochs=5, average=True, learning_rate=Power(0.5)), X, THREE),
    (Perceptron(epochs=3, init="random", random_state=1), X, TWO),
    (Perceptron(), X[CLEAR], APART),
    (Perceptron(shards=4), X[CLEAR], APART),
    (Perceptron(shards=3, epochs=4), X, THREE),
]


@pytest.mark.parametrize(("machine", "rows", "y"), RUNS)
def test_the_same_bits_whatever_the_blocks(machine, rows, y):
    usual = type(machine)(**machine.get_params()).fit(rows, y)
    for ends in cuts(len(y)):
        found = machine.fit(ArrayBlocks(rows, y, ends=ends))
        np.testing.assert_array_equal(found.coef_, usual.coef_)
        np.testing.assert_array_equal(found.intercept_, usual.intercept_)
        assert found.n_iter_ == usual.n_iter_
        if isinstance(machine, Perceptron):
            np.testing.assert_array_equal(found.updates_, usual.updates_)
            np.testing.assert_array_equal(found.trace_.epoch_updates, usual.trace_.epoch_updates)
        else:
            for name, values in vars(usual.trace_).items():
                np.testing.assert_array_equal(getattr(found.trace_, name), values)
    if getattr(machine, "average", True) or isinstance(machine, Perceptron):
        assert found.certificate_.verify(rows, y)
        for others in cuts(len(y), seed=1):
            assert found.certificate_.verify(ArrayBlocks(rows, y, ends=others))


@pytest.mark.slow
@pytest.mark.parametrize(
    "machine",
    [Pegasos(random_state=0, max_iter=3000), Perceptron(epochs=3), OnlineGradientDescent()],
)
def test_sparse_rows(machine):
    thin = sparse.csr_array(X * (np.abs(X) > 1))
    usual = type(machine)(**machine.get_params()).fit(thin, TWO)
    found = machine.fit(ArrayBlocks(thin, TWO, ends=cuts(M)[2]))
    np.testing.assert_array_equal(found.coef_, usual.coef_)
    assert found.certificate_.verify(thin, TWO)
    assert found.certificate_.verify(ArrayBlocks(thin, TWO, ends=cuts(M, 1)[2]))


def test_pegasos_fetches_rows_in_several_passes(monkeypatch):
    usual = Pegasos(random_state=3, max_iter=90_000).fit(X, THREE)
    once = ArrayBlocks(X, THREE)
    Pegasos(random_state=3, max_iter=90_000).fit(once)
    monkeypatch.setattr(streams, "MAX_DRAWN_NUMBERS", 12 * 20_000)
    blocks = ArrayBlocks(X, THREE)
    found = Pegasos(random_state=3, max_iter=90_000).fit(blocks)
    assert blocks.passes > once.passes == 3
    np.testing.assert_array_equal(found.coef_, usual.coef_)
    for name, values in vars(usual.trace_).items():
        np.testing.assert_array_equal(getattr(found.trace_, name), values)


@pytest.mark.parametrize("machine", [Perceptron(epochs=50), OnlineGradientDescent(), Pegasos()])
def test_ctrl_c_keeps_what_was_reached(machine):
    blocks = ArrayBlocks(X, TWO, ends=cuts(M)[3])
    with stopped_by(lambda: blocks.passes > 1), pytest.warns(match="Stopped by hand"):
        found = machine.fit(blocks)
    assert found._stop is Stop.BY_HAND
    assert np.all(np.isfinite(found.coef_))
    for claim in found.certificate_:
        assert claim.name == "MistakeBound"  # It is about steps, however many were made.
        assert claim.verify(X, TWO)


@pytest.mark.parametrize("order", ["shuffled", "misclassified"])
def test_orders_that_need_all_rows_are_refused(order):
    with pytest.raises(ValueError, match='order="cyclic"'):
        Perceptron(order=order).fit(ArrayBlocks(X, TWO))


def test_overflow_is_said():
    with pytest.raises(ValueError, match="overflowed float64 in epoch 1"):
        Perceptron(learning_rate=1e308).fit(ArrayBlocks(1e3 * X, TWO, ends=cuts(M)[3]))


def test_more_shards_than_rows_are_refused():
    with pytest.raises(ValueError, match="3,001 shards"):
        Perceptron(shards=M + 1).fit(ArrayBlocks(X, TWO))
