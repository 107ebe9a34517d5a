"""The documentation: what it must have, as far as that can be seen without building it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs.extensions import reference

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [path for path in sorted(DOCS.rglob("*.md")) if "_build" not in path.parts]
PICTURE = re.compile(r"!\[(.*?)\]\(([^)]*)\)", re.DOTALL)


def test_every_public_name_has_one_page():
    names = reference.listed_names()
    assert reference.public_names() <= set(names)
    assert len(names) == len(set(names))
    for name in names:
        assert reference.found(name).__doc__, name


def shown_pictures() -> dict[Path, list[Path]]:
    """The pictures that each page shows."""
    return {
        page: [(page.parent / link).resolve() for _, link in PICTURE.findall(page.read_text())]
        for page in PAGES
    }


def test_every_picture_of_a_page_exists_and_every_picture_is_on_a_page():
    shown = {picture for pictures in shown_pictures().values() for picture in pictures}
    there = {path.resolve() for path in (DOCS / "pictures").iterdir()}
    assert shown - there == set()
    assert there - shown == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_every_picture_has_a_text_for_those_who_do_not_see_it(page):
    for text, link in PICTURE.findall(page.read_text()):
        assert len(text.split()) >= 4, link
