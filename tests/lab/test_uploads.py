"""Tables of a user's: two columns and labels, or why not."""

from __future__ import annotations

import contextlib
import gzip
from pathlib import Path

import numpy as np
import pytest

from certo.data.problem import Problem
from certo.lab.uploads import MAX_UPLOAD_BYTES, read_upload, too_large

IRIS = Path(__file__).parents[2] / "examples" / "iris.csv"


def test_two_columns_of_iris():
    table = read_upload("iris.csv", IRIS.read_bytes())
    told = table.describe()
    assert (told["rows"], len(told["numbers"])) == (150, 4)
    label = next(name for name, values in told["labels"].items() if "setosa" in values)
    bench = table.bench(*told["numbers"][2:], label, "setosa")
    assert len(bench) == 150
    assert np.sum(bench.signs == 1) == 50
    assert np.max(np.abs(bench.X.mean(axis=0))) < 1e-3
    assert np.max(np.abs(bench.X.std(axis=0) - 1)) < 1e-2


def test_many_rows_are_drawn_the_same_way_and_missing_values_left_out():
    rows = [f"{k},{k * k % 97},{'no' if k % 3 else 'yes'}" for k in range(2000)]
    content = "\n".join(["a,b,c", ",1,yes", "2,,no", "3,3,", *rows]).encode()
    table = read_upload("t.csv", content)
    bench = table.bench("a", "b", "c", "yes")
    assert len(bench) == 500
    assert bench.key == table.bench("a", "b", "c", "yes").key


def test_a_broken_file_is_told_what_is_needed_here():
    """Of the formats that tables have elsewhere, the bench takes one."""
    ragged, packed = b"a,b,c\n1,2\n3,4,5,6\n", b"PK\x03\x04nothing"
    for broken, wanted in ((ragged, "as many cells in each row"), (packed, "A CSV file is needed")):
        with pytest.raises(Problem, match=wanted) as told:
            read_upload("t.csv", broken)
        assert "Parquet" not in str(told.value)
        assert "say so with" not in str(told.value)  # There is nothing on the page to say it.


def test_huge_values_do_not_overflow():
    content = b"a,b,c\n1e300,1,x\n-1e300,2,y\n3e299,3,x\n0,1,y\n"
    bench = read_upload("t.csv", content).bench("a", "b", "c", "x")
    assert np.all(np.abs(bench.X) <= 2)
    constant = read_upload("t.csv", b"a,b,c\n1,1,x\n1,2,y\n1,3,x\n").bench("a", "b", "c", "x")
    assert np.all(constant.X[:, 0] == 0)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b""),
        ("header.csv", b"a,b,c\n"),
        ("one.csv", b"a,c\n1,x\n2,y\n"),
        ("words.csv", b"a,b,c\nx,y,z\nu,v,w\n"),
        ("nolabels.csv", b"a,b\n" + b"".join(b"%d.5,%d.25\n" % (k, k) for k in range(60))),
        ("ragged.csv", b'a,b,c\n1,2\n3,4,5,6\n"'),
        ("binary.csv", bytes(range(256)) * 50),
        ("broken.parquet", b"PAR1" + b"\0" * 100 + b"PAR1"),
        ("broken.xlsx", b"PK\x03\x04nothing"),
        ("broken.npz", b"PK\x03\x04nothing"),
        ("../../etc/passwd", b"a,b\n1,2\n"),
        ("nul.csv", b"a,b,c\n1,\x00,x\n"),
        ("large.csv", b"1" * (MAX_UPLOAD_BYTES + 1)),
        ("wide.csv", (",".join(f"c{k}" for k in range(60_000)) + "\n").encode() * 2),
        ("bomb.csv", gzip.compress(b"0," * 2**20)),
    ],
)
def test_a_broken_or_huge_file_is_refused_in_words(name, content):
    with pytest.raises(Problem) as refused:
        read_upload(name, content)
    said = str(refused.value)
    assert len(said) > 20
    assert "/tmp" not in said
    assert "upload." not in said


@pytest.mark.parametrize("strange", ["inf", "-inf", "1e999"])
def test_values_that_are_not_finite_are_refused_with_their_row(strange):
    table = read_upload("t.csv", f"a,b,c\n1,2,x\n{strange},4,y\n5,6,x\n7,1,y\n".encode())
    with pytest.raises(Problem, match=r"'a' must hold finite numbers, but row 2 holds"):
        table.bench("a", "b", "c", "x")


def test_what_is_not_a_number_is_left_out_or_refused():
    table = read_upload("t.csv", b"a,b,c\n1,2,x\nnan,4,y\n5,6,x\n7,1,y\n")
    with contextlib.suppress(Problem):
        assert len(table.bench("a", "b", "c", "x")) == 3


def test_columns_that_are_not_there_are_refused():
    table = read_upload("t.csv", b"a,b,c\n1,2,x\n3,4,y\n")
    for asked in [("a", "z", "c", "x"), ("a", "c", "c", "x"), ("a", "b", "c", "z")]:
        with pytest.raises(Problem, match=r"column|value"):
            table.bench(*asked)


def test_what_is_said_of_a_file_is_said_of_the_file_that_was_sent():
    table = read_upload("mele.csv", "x;y;città\n1,5;2,5;à\n3,5;4,5;è\n".encode("cp1252"))
    assert table.notes
    assert all("table.csv" not in note for note in table.notes)
    assert any(note.startswith("mele.csv is separated by semicolons") for note in table.notes)
    with pytest.raises(Problem, match="if there is no header line, add one") as refused:
        read_upload("twice.csv", b"1,1,a\n3,4,b\n")
    assert "no-header" not in str(refused.value)  # Nothing of the kind can be said on the page.
    (note,) = read_upload("numbers.csv", b"1.5,2.5,a\n4,5,b\n7,8,a\n9,1.5,b\n").notes
    assert "add one" in note
    assert "at most 5 MB, but there are 5.1 MB" in too_large(MAX_UPLOAD_BYTES + 1)
