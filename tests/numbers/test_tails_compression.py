"""Compression bounds as they are printed."""

import math

import pytest

from certo import bounds


def test_the_printed_forms():
    m, k, e, delta = 1000, 50, 7, 0.05
    perceptron = e / (m - k) + math.sqrt(((k + 1) * math.log(m) + math.log(math.e / delta)) / m)
    vectors = e / (m - k) + math.sqrt((k + (k + 1) * math.log(m) + math.log(1 / delta)) / m)
    assert bounds.perceptron_compression(m, k, e, delta) == pytest.approx(perceptron, rel=1e-14)
    assert bounds.support_vector_compression(m, k, e, delta) == pytest.approx(vectors, rel=1e-14)
    batch = 12.5 / m + 3 * math.sqrt(math.log(1 / delta) / (2 * m))
    assert bounds.online_to_batch(m, 12.5, delta, span=3) == pytest.approx(batch, rel=1e-14)
    assert bounds.perceptron_compression(10, 5, 5, 0.5) > 1  # as printed, not clipped
