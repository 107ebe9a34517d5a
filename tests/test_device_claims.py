"""Claims of fits on a GPU, which were stored, hold of the data, by NumPy alone.

`python -m benchmarks.device_claims tests/golden/device`, on a machine with a GPU, writes them.
"""

from __future__ import annotations

import sys

import pytest
from benchmarks.device_claims import ROWS, data, machines, read

from certo.certificates import Composite
from tests.test_golden import GOLDEN

FOLDER = GOLDEN / "device"


@pytest.mark.parametrize("name", machines())
def test_a_claim_of_a_gpu_holds(name, monkeypatch):
    path = FOLDER / f"{name}.json.xz"
    if not path.exists():
        pytest.skip(f"no claims of a GPU are stored for {name} yet")
    monkeypatch.setitem(sys.modules, "torch", None)  # A check that asked for it would fail.
    machine, seed = machines()[name]
    stored, device = read(path)
    certificate = Composite.from_dict(stored)
    (claim,) = certificate
    assert device.startswith("cuda")
    assert claim.examples == ROWS
    assert claim.relative_gap <= machine.tol
    X, y = data(seed)
    assert certificate.verify(X, y)
    y[claim.rows[0]] = "in" if y[claim.rows[0]] == "out" else "out"
    assert not certificate.verify(X, y)
