"""How files of text are written, where a person says so."""

from __future__ import annotations

import pytest

from certo.data.dialect import Dialect, current_dialect, written_in
from certo.data.problem import Problem


def test_names_of_delimiters():
    assert [Dialect(name).delimiter for name in ("tab", "\\t", "bar", "&")] == [
        "\t",
        "\t",
        "|",
        "&",
    ]


@pytest.mark.parametrize("delimiter", ["", "::", '"', "\n", "·"])
def test_what_is_no_delimiter_is_refused(delimiter):
    with pytest.raises(Problem, match="one ASCII character"):
        Dialect(delimiter)


@pytest.mark.parametrize("encoding", ["utf-99", "rot13", "hex", ""])
def test_what_is_no_encoding_is_refused(encoding):
    with pytest.raises(Problem, match="must be a character encoding"):
        Dialect(encoding=encoding)


def test_a_dialect_holds_within():
    assert not current_dialect().is_given
    with written_in(Dialect(";")):
        assert current_dialect().delimiter == ";"
    assert not current_dialect().is_given
