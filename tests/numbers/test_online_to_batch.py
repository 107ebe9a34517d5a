"""From the losses of a run to a risk, as it is printed."""

import math

import pytest

from certo.bounds import online_to_batch


def test_the_printed_form():
    m, delta = 1000, 0.05
    printed = 12.5 / m + 3 * math.sqrt(math.log(1 / delta) / (2 * m))
    assert online_to_batch(m, 12.5, delta, span=3) == pytest.approx(printed, rel=1e-14)
    with pytest.raises(ValueError, match="at most span·m"):
        online_to_batch(m, 3001, delta, span=3)
