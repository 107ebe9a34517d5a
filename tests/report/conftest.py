"""Pictures take most of the time of a page: where only the words are looked at, none is drawn."""

from __future__ import annotations

from contextlib import contextmanager

import pytest


@pytest.fixture(scope="session")
def undrawn():
    """A context in which pages have the titles of their pictures in place of these."""

    @contextmanager
    def titles_only():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("certo.report.page.inline_svg", _title)
            yield

    return titles_only


def _title(figure, prefix):
    return f"<svg>{figure.axes[0].get_title()}</svg>"
