"""What can be checked by blocks, what it needs, and what is said of the rest."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from certo import SVM, HardMarginSVM, LeastSquares
from certo.certificates.blocks import CHECKED, check, verify
from certo.check_files import lines_of, modules_needed
from certo.scale import ArrayBlocks
from tests.scale.scenes import cuts, table

#: Code lines that a check by blocks brings along, at most. The limit may only fall.
MAX_LINES_BY_BLOCKS = 2_600
X, TWO, THREE, V = table(600)


@pytest.mark.slow
def test_an_auditor_needs_numpy_and_scipy_only():
    code = (
        "import sys, certo.certificates.blocks; heavy = {'numba', 'sklearn', 'pyarrow', 'skops', "
        "'certo.solvers', 'certo.scale', 'certo.issue'}; print(*sorted(heavy & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []


@pytest.mark.parametrize("module", sorted({module for module, *_ in CHECKED.values()}))
def test_a_check_by_blocks_needs_no_more_code_than_this(module):
    needed = modules_needed(f"certo.certificates.blocks.{module}")
    assert lines_of(needed) <= MAX_LINES_BY_BLOCKS


def test_one_pass_for_all_claims():
    blocks = ArrayBlocks(X, THREE, ends=cuts(600)[2])
    certificate = SVM(multiclass="rest").fit(blocks).certificate_
    before = blocks.passes
    assert certificate.verify(blocks)
    assert len(certificate) == 3
    assert blocks.passes == before + 1


def test_a_plain_iterable_of_pairs_is_enough():
    (claim,) = LeastSquares().fit(ArrayBlocks(X, V)).certificate_
    assert verify([claim], [(X[:100], V[:100]), (X[100:], V[100:])])
    found = verify([claim], [(X[:100], V[:100]), (X[100:], np.full(500, "a"))])
    assert not found
    assert not verify([claim], [])


def test_data_frames_are_no_blocks():
    polars = pytest.importorskip("polars")  # Its frames have a method `fold`.
    frame = polars.DataFrame({f"x{j}": X[:, j] for j in range(4)})
    assert SVM().fit(X, TWO).certificate_.verify(frame, TWO)


def test_other_kinds_are_checked_of_few_rows_and_say_so_of_many(monkeypatch):
    y = np.where(X[:, 0] > 1, "a", "b")
    claims = HardMarginSVM().fit(X, y).certificate_
    blocks = ArrayBlocks(X, y, ends=cuts(600)[2])
    assert {claim.name for claim in claims} - set(CHECKED)
    assert claims.verify(blocks)
    monkeypatch.setattr(check, "MAX_GATHERED_NUMBERS", X.size - 1)
    found = claims.verify(blocks)
    refused = [part for part in found.parts if not part]
    assert {part.name for part in refused} == {claim.name for claim in claims} - set(CHECKED)
    assert all("checked with all examples in memory" in part.why for part in refused)
