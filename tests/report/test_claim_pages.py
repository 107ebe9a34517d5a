"""Pages of the documentation about claims exist, and speak of them."""

from pathlib import Path

import pytest

from certo.report.claim_pages import PAGES, page_of

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("kind", PAGES)
def test_the_page_of_a_claim_exists(kind):
    page = ROOT / page_of(kind)
    assert page.is_file()
    words = page.read_text()
    assert kind in words or kind.removeprefix("LeastErrors")[:2] == "By"


def test_other_kinds_have_none():
    assert page_of("Nothing") is None
