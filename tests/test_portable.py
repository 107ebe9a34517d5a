"""Claims issued under one arithmetic verify under another; `make portable` tries many."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import portable

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow  # each test starts processes
#: whose checks add up rounded products, one for each way in which that is done
KINDS = (
    "SoftMarginGap", "GaussianLikelihood", "SoftMarginGap", "MaximumMargin", "LeastSquaresExcess",
    "LogisticExcess", "MomentMatching", "TestErrors",
)  # fmt: skip


def test_claims_are_exchanged_with_another_arithmetic(tmp_path):
    """With the kernels of an old processor in BLAS and NumPy, and one thread."""
    old = portable.blas_variant("Sandybridge", 1)
    if old.missing:
        pytest.skip(old.missing)
    there, here = tmp_path / "there.json", tmp_path / "here.json"
    portable.issue_to(here, KINDS, 1, {})
    command = [
        sys.executable, "-m", "tests.portable", "--check", str(here), "--issue", str(there),
        "--count", "1", "--kinds", *KINDS,
    ]  # fmt: skip
    settings = {**old.environment, **portable.without_optional_instructions()}
    seen = subprocess.run(command, env=settings, cwd=ROOT, capture_output=True, text=True)
    assert seen.returncode == 0, seen.stdout + seen.stderr
    given = json.loads(there.read_text())["cases"]
    assert {case["kind"] for case in given} == set(KINDS)
    assert portable.rejected(given) == []


def test_differences_are_reported():
    case = portable.issued(["SoftMarginGap"], 1)[0]
    case["X"][0][0] += 1
    assert len(portable.rejected([case])) == 1
    assert portable.differences({"a": {"b": 1}}, {"a": {"b": 2}}) == ["/a/b: 1 and 2"]


def test_missing_results_are_reported(monkeypatch):
    monkeypatch.setitem(portable.NEEDS, "SkylakeX", ("AVX1024F",))
    missing = portable.blas_variant("SkylakeX", 1).missing
    assert missing == "this processor has no AVX1024F"
