"""How long the examples of a run are."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from certo.certificates import Sample, Vectors
from certo.certificates.base import Refuted
from certo.certificates.runs.lengths import check_lengths


@pytest.mark.parametrize(("radius2", "lifted"), [(25.0, False), (26.0, True)])
def test_the_longest_example_decides(radius2, lifted):
    sample = Sample(np.array([[1.0, 0.0], [3.0, 4.0]]), np.ones(2, np.int8))
    claim = SimpleNamespace(space=Vectors(), radius2=radius2, lifted=lifted)
    check_lengths(claim, sample)
    claim.radius2 = float(np.nextafter(radius2, 0))
    with pytest.raises(Refuted, match="example 1") as refused:
        check_lengths(claim, sample)
    assert refused.value.rows == (1,)
