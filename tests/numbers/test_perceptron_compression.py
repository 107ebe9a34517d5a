"""The compression bound of a Perceptron as it is printed."""

import math

import pytest

from certo.bounds import perceptron_compression


def test_the_printed_form():
    m, k, e, delta = 1000, 50, 7, 0.05
    printed = e / (m - k) + math.sqrt(((k + 1) * math.log(m) + math.log(math.e / delta)) / m)
    assert perceptron_compression(m, k, e, delta) == pytest.approx(printed, rel=1e-14)
    assert perceptron_compression(10, 5, 5, 0.5) > 1  # as printed, not clipped
    with pytest.raises(ValueError, match="k ≤ m/2"):
        perceptron_compression(10, 6, 0, 0.5)
