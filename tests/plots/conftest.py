"""No figure stays open."""

import pytest
from matplotlib import pyplot


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    pyplot.close("all")
