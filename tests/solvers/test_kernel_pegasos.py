"""Kernel Pegasos is the box of the notes, and with the linear kernel the one on the vectors."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.kernels import Function, Gaussian, Linear, Polynomial, Precomputed
from certo.solvers import kernel_steps
from certo.solvers.kernel_pegasos import kernel_pegasos
from certo.solvers.kernel_steps import GramRows
from certo.solvers.pegasos import pegasos
from certo.stop import Stop
from tests.oracles.kernel_boxes import kernel_pegasos_box

seeds, law = st.integers(0, 10**6), settings(max_examples=40, deadline=None)


def problem(seed, most=40):
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(2, most)), int(rng.integers(1, 4))
    X = rng.standard_normal((m, d))
    return X, np.where(X[:, 0] + rng.standard_normal(m) > 0, 1, -1).astype(np.int8)


@law
@given(
    seed=seeds,
    steps=st.integers(1, 120),
    lifted=st.booleans(),
    average=st.booleans(),
    lam=st.sampled_from([0.01, 0.25, 3.0]),
    size=st.integers(1, 200),
)
def test_agrees_with_the_plain_algorithm(seed, steps, lifted, average, lam, size):
    X, signs = problem(seed)
    kernel = Gaussian(1.5)
    gram = kernel(X)
    draws = np.random.default_rng(seed).integers(len(X), size=steps)
    iterates = kernel_pegasos_box(gram, signs, lam, draws, lift=int(lifted))
    used = iterates[:-1] if average else iterates[-1:]
    expected = [float(sum(part, Fraction(0)) / len(used)) for part in zip(*used, strict=True)]
    sizes = dict(kernel_steps.BLOCK_VISITS)
    try:
        kernel_steps.BLOCK_VISITS.update(dict.fromkeys(sizes, size))
        for rows in (
            GramRows(kernel, X, len(X)),
            GramRows(Precomputed(), gram, len(X)),
            GramRows(Function(lambda i, j: gram[i, j]), list(range(len(X))), len(X), 1),
        ):
            outcome = kernel_pegasos(
                rows, signs, lam, steps,
                lifted=lifted, rng=np.random.default_rng(seed), average=average,
            )  # fmt: skip
            assert outcome.w[:-1] == pytest.approx(expected, rel=1e-9, abs=1e-9 / lam)
            assert outcome.w[-1] == pytest.approx(lifted * sum(expected), abs=1e-9 / lam)
    finally:
        kernel_steps.BLOCK_VISITS.update(sizes)


@law
@given(seed=seeds, lifted=st.booleans(), steps=st.integers(1, 300), average=st.booleans())
def test_with_the_linear_kernel_it_is_that_of_the_vectors(seed, lifted, steps, average):
    X, signs = problem(seed)
    options = {"lifted": lifted, "average": average}
    ours = kernel_pegasos(
        GramRows(Linear(), X, len(X)), signs, 0.1, steps, rng=np.random.default_rng(5), **options
    )
    theirs = pegasos(X, signs, 0.1, steps, rng=np.random.default_rng(5), **options)
    assert X.T @ ours.w[:-1] == pytest.approx(theirs.w[:-1], abs=1e-9)
    assert ours.w[-1] == pytest.approx(theirs.w[-1], abs=1e-9)
    assert ours.trace.step.tolist() == theirs.trace.step.tolist()
    assert ours.trace.weights[:, :-1] @ X == pytest.approx(theirs.trace.weights[:, :-1], abs=1e-9)


@law
@given(seed=seeds, cut=st.integers(1, 38))
def test_a_stream_goes_on_where_it_stopped(seed, cut):
    X, signs = problem(seed)
    m = len(X)
    cut = 1 + cut % (m - 1)
    kernel = Polynomial(2)
    whole = kernel_pegasos(GramRows(kernel, X, m), signs, 0.1, m, lifted=True, rng=None)
    first = kernel_pegasos(
        GramRows(kernel, X[:cut], cut), signs[:cut], 0.1, cut, lifted=True, rng=None
    )
    sums = np.zeros((2, m))
    sums[:, :cut] = first.state.sums
    rest = kernel_pegasos(
        GramRows(kernel, X, m), signs, 0.1, m - cut, lifted=True, rng=None, first=cut,
        start=first.state._replace(sums=sums),
    )  # fmt: skip
    assert rest.w == pytest.approx(whole.w, abs=1e-9)
    assert rest.state.steps == whole.state.steps == m


def test_iterates_are_no_longer_than_they_may_be():
    X, signs = problem(7)
    gram = Gaussian(1.0)(X)
    for steps in (1, 10, 1000):
        outcome = kernel_pegasos(
            GramRows(Gaussian(1.0), X, len(X)), signs, 0.01, steps, lifted=False,
            rng=np.random.default_rng(0), average=False,
        )  # fmt: skip
        w = outcome.w[:-1]
        assert w @ gram @ w <= (1 + 1e-12) / 0.01**2


def test_stop_request_and_overflow_are_reported():
    X, signs = problem(1)
    rows = GramRows(Gaussian(1.0), X, len(X))
    outcome = kernel_pegasos(
        rows,
        signs,
        0.1,
        1000,
        lifted=False,
        rng=np.random.default_rng(0),
        after_block=lambda: Stop.BY_HAND,
    )
    assert outcome.stop is Stop.BY_HAND
    assert outcome.state.steps == 1
    with pytest.raises(ValueError, match="overflowed"):
        kernel_pegasos(
            rows, signs, 1e-320, 500, lifted=False, rng=np.random.default_rng(0), average=False
        )
