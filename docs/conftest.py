"""The doctests of a page may open many figures; they are closed after it."""

import pytest
from matplotlib import pyplot


@pytest.fixture(autouse=True)
def closed_figures():
    with pyplot.rc_context({"figure.max_open_warning": 0}):
        yield
    pyplot.close("all")
