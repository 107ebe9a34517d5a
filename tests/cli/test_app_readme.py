"""What README and the documentation show of commands is what they print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

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


def without_times_and_gaps(text: str) -> str:
    """These differ from run to run, or from processor to processor."""
    return re.sub(r"\d\.\de-\d\d|\d+\.\d\d(?=$)", "#", text, flags=re.M)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["start/quickstart.md", "howto/compare.md"])
def test_a_page_shows_what_commands_print(page, certo, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    text = (ROOT / "docs" / page).read_text("utf-8")
    blocks = [b for b in re.findall(r"```\n(.*?)```", text, flags=re.S) if b[:2] == "$ "]
    assert blocks
    for command, *shown in (block.splitlines() for block in blocks):
        printed = without_times_and_gaps(certo(*shlex.split(command)[2:]).out)
        for line in shown:
            assert line == "…" or without_times_and_gaps(line) in printed
