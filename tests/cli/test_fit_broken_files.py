"""Files that are no tables: one line says why, exit code 2, and nothing is written."""

from __future__ import annotations

import os

import numpy as np
import pytest

GOOD = "a,b,y\n" + "".join(f"{i},{i % 7},{'uv'[i % 2]}\n" for i in range(60))
MANY = 100_000  # Columns.
BROKEN = {
    "empty": ("", "is empty"),
    "binary": (bytes(np.random.default_rng(0).integers(0, 256, 4000, np.uint8)), "binary file"),
    "wrong delimiter": (GOOD.replace(",", "~"), "no target column 'y'. The table has"),
    "ragged rows": (GOOD + "1,2\n3,4,5,6\n", "row 61 has 2 cells"),
    "huge field": (GOOD + f"1,{'x' * 2_000_000},u\n", "column 'b' in row 61 has 2,000,000"),
    "open quotation mark": (GOOD + f'1,"{"x" * 100_000},u\n', "but row 61 has"),
    "mixed types": (GOOD + "red,2,u\n", "'a' holds numbers, but 'red' in row 61 (1 such row)"),
    "duplicate header": (GOOD.replace("a,b,y", "a,a,y"), "'a' occurs more than once"),
    "all missing": ("a,b,y\n" + ",,\n" * 60, "missing in 60 rows"),
    "a column missing": (GOOD.replace("\n", "\n,", 60).replace("a,b,y\n", "c,a,b,y\n"), "missing"),
    "one class": (GOOD.replace(",v", ",u"), "at least two classes"),
    "100,000 columns": (
        ",".join([*(f"c{j}" for j in range(MANY)), "y"]) + "\n" + ("1," * MANY + "u\n") * 2,
        "at most 50,000 columns, but this one has 100,001",
    ),
}


SLOW = {"100,000 columns"}


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=[pytest.mark.slow] * (what in SLOW)) for what in BROKEN]
)
def test_broken_files_are_refused_in_one_line(certo, tmp_path, what):
    content, expected = BROKEN[what]
    table = tmp_path / "t.csv"
    table.write_bytes(content if isinstance(content, bytes) else content.encode())
    outputs = ["--out", tmp_path / "m", "--report", tmp_path / "r.html"]
    said = certo("fit", table, "--target", "y", *outputs)
    assert said.code == 2
    assert said.out == ""
    assert expected in said.err
    assert len(said.err.splitlines()) == 1
    assert len(said.err) < 600
    assert os.listdir(tmp_path) == ["t.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("what", BROKEN)
def test_a_comparison_refuses_them_likewise(certo, tmp_path, what):
    content, expected = BROKEN[what]
    table = tmp_path / "t.csv"
    table.write_bytes(content if isinstance(content, bytes) else content.encode())
    said = certo("compare", table, "--target", "y", "--report", tmp_path / "r.html")
    assert (said.code, said.out) == (2, "")
    assert expected in said.err
    assert len(said.err.splitlines()) == 1
    assert os.listdir(tmp_path) == ["t.csv"]


@pytest.mark.slow
def test_what_the_message_advises_helps(certo, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text(BROKEN["mixed types"][0])
    words = "fit", table, "--target", "y"
    for advice in (["--na", "red", "--missing", "drop"], ["--category", "a"], ["--drop", "a"]):
        assert certo(*words, *advice).code == 0
