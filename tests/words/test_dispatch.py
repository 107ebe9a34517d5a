"""The page about rigour says of every kind of claim what the claim says of itself."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from certo import certificates, words
from certo.words import Rigour

DOCS = Path(__file__).parent.parent.parent / "docs" / "claims"
KINDS = {name: getattr(certificates, name) for name in certificates.KINDS}
PAGE = (DOCS / "rigour.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| \[(\w+)\]\((.*) \|$", PAGE, re.MULTILINE))


def test_every_kind_of_claim_is_there_and_no_other():
    assert list(ROWS) == sorted(KINDS)


@pytest.mark.parametrize("name", sorted(KINDS))
def test_the_page_says_what_the_claim_says(name):
    link, *texts = ROWS[name].split(" | ")
    assert [("" if text == "–" else text) for text in texts] == list(words.rigour(KINDS[name]))
    assert (DOCS / link.rstrip(")")).is_file()


@pytest.mark.parametrize("name", sorted(KINDS))
def test_a_claim_rests_on_something_and_says_it_in_sentences(name):
    rigour = words.rigour(KINDS[name])
    assert any(rigour)
    assert all(text == "" or (text[0].isupper() and text.endswith(".")) for text in rigour)
    new = "delta" in {field.name for field in fields(KINDS[name])}
    assert bool(rigour.statistical) >= new  # a claim with a delta is statistical
    assert isinstance(rigour, Rigour)
