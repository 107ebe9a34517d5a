"""What README shows of commands is what they print."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_tour_prints_what_it_shows(certo, tmp_path):
    text = (ROOT / "README.md").read_text("utf-8")
    model, table = tmp_path / "m", ROOT / "examples" / "tumours.csv"
    printed = certo("fit", table, "--target", "diagnosis", "--out", model).out
    printed += certo("verify", model, table).out
    shown = [
        block for block in re.findall(r"```\n(.*?)```", text, flags=re.S) if "$ certo" in block
    ]
    lines = [
        line for block in shown for line in block.splitlines() if line[:1] not in ("$", "…", "")
    ]
    assert len(lines) > 8
    for line in lines:
        assert line in printed


def test_it_fits_on_a_few_screens():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150
