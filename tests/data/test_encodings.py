"""Which encoding a text is in."""

from __future__ import annotations

import pytest

from certo.data.columns import read_table
from certo.data.dialect import Dialect, written_in
from certo.data.encodings import SAMPLE
from certo.data.problem import Problem

TEXT = "naïve,naïf\n1,é\n2,ü\n"
TABLE = {"naïve": [1, 2], "naïf": ["é", "ü"]}


@pytest.fixture
def read(tmp_path):
    def reading(content):
        path = tmp_path / "t.csv"
        path.write_bytes(content)
        return read_table(path)

    return reading


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16-LE"),
        ("utf-16-be", "UTF-16-BE"),
        ("utf-32", "UTF-32"),
        ("latin-1", "Windows-1252"),
        ("cp1252", "Windows-1252"),
    ],
)
def test_encodings_are_found_out_and_said(read, encoding, said):
    found = read(TEXT.encode(encoding))
    assert found.table.to_pydict() == TABLE
    assert [said in note for note in found.notes] == [True] * (said is not None)


def test_a_letter_beyond_the_first_block(read):
    content = b"a,b\n" + b"1,x\n" * (SAMPLE // 4) + "2,é\n".encode("cp1252")
    found = read(content)
    assert found.table.column("b").to_pylist()[-1] == "é"
    assert "Windows-1252" in found.notes[0]


def test_a_letter_across_two_blocks(read):
    content = b"a,b\n" + b"x" * (SAMPLE - 6) + ",é\n".encode()
    assert content[SAMPLE - 2 : SAMPLE] == b",\xc3"
    found = read(content + b"y,z\n")
    assert found.table.column("b").to_pylist() == ["é", "z"]
    assert found.notes == []


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("a,é\n".encode() + b"1,\xff\n", r"UTF-8, but it has the byte 0xff.*encoding"),
        (b"a,b\n1,\x81\n", r"byte 0x81 in line 2.*encoding"),
        (b"a,b\n1,\x01\xe9\n", "binary file"),
        (b"\xff\xfea\0,\0b\0\n\0x\0\x00\xd8", "not text in UTF-16"),
        (b"\xff\xfe \0\n\0", "is empty"),
        (b"\xd0\xcf\x11\xe0 and more", "old Office document"),
        (b"%PDF-1.4", "PDF"),
        (b"PK\x03\x04 and more", "ZIP archive"),
        (b"\xff\xff\xff\xff1234", "stream of Arrow"),
    ],
)
def test_what_is_no_text_is_refused(read, content, why):
    with pytest.raises(Problem, match=why):
        read(content)


def test_an_encoding_can_be_given(read):
    with written_in(Dialect(encoding="cp437")):
        found = read(TEXT.encode("cp437"))
    assert found.table.to_pydict() == TABLE
    assert found.notes == []
    with written_in(Dialect(encoding="ascii")), pytest.raises(Problem, match="not text in ASCII"):
        read(TEXT.encode())
