"""Scores on a device, beside those of the checker."""

from __future__ import annotations

import numpy as np
import pytest

from certo.certificates.spaces.images import KernelSample
from certo.kernels import Gaussian, Linear, Polynomial

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'certo[gpu]'")

from certo.scale.device_kernels import tensor  # noqa: E402
from certo.scale.device_scores import sums, sums_and_sizes, waves  # noqa: E402

CPU = torch.device("cpu")
KERNELS = (
    Linear(),
    Polynomial(3, scale=0.5, offset=2.0),
    Gaussian(2.0),
    Gaussian(1e-3),
    Gaussian(2.0) + Linear(),
    3.0 * (Polynomial(2) * Gaussian(5.0)),
    Polynomial(2).normalised(),
)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_sums_and_sizes_are_those_of_the_checker(kernel):
    rng = np.random.default_rng(2)
    X, rows = rng.normal(size=(60, 4)), np.arange(0, 60, 2)
    coef = rng.normal(size=rows.size)
    sample = KernelSample(kernel, X, np.ones(60, np.int8))
    scores = sample.scores(rows, coef)
    value, size = sums_and_sizes(kernel, tensor(X, CPU), rows, coef)
    assert np.all(np.abs(value - scores.value) <= 2 * scores.slack)
    assert np.allclose(size, sample._sums(X, rows, coef)[1], rtol=1e-9, atol=0)
    again = sums(kernel, X, X[rows], coef[:, None], CPU)[:, 0]
    assert np.all(np.abs(again - scores.value) <= 2 * scores.slack)


def test_waves_have_length_one():
    rng = np.random.default_rng(0)
    table = waves(rng.normal(size=(7, 3)), rng.normal(size=(3, 5)), CPU)
    assert table.shape == (7, 10)
    assert np.allclose((table**2).sum(axis=1), 1.0, rtol=0, atol=1e-14)
