"""Text of a file cannot move a cursor, hide, or break a page."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.visible import visible


@given(st.text())
def test_nothing_invisible_is_left(text):
    shown = visible(text)
    assert not any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") for c in shown)
    assert visible(shown) == shown


@given(st.text(st.characters(categories=["L", "M", "N", "P", "S", "Zs"])))
def test_what_can_be_seen_stays(text):
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"), [("a\nb", "a\\nb"), ("\x1b[2J", "\\x1b[2J"), ("\u202eab", "\\u202eab")]
)
def test_escapes_are_those_of_python(text, shown):
    assert visible(text) == shown
