"""Scores on a device, beside those of the checker."""

from __future__ import annotations

import numpy as np
import pytest

from certo.certificates.spaces.images import KernelSample
from tests.scale.devices import KERNELS, NO_TORCH

torch = pytest.importorskip("torch", reason=NO_TORCH)

from certo.scale.device_kernels import tensor  # noqa: E402
from certo.scale.device_scores import sums, sums_and_sizes, waves  # noqa: E402

CPU = torch.device("cpu")


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
