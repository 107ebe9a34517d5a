"""No figure stays open, and machines that several tests draw."""

import pytest
from matplotlib import pyplot

from certo import LogisticRegression
from tests.plots.scenes import KIND, X


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    pyplot.close("all")


@pytest.fixture(scope="session")
def logistic():
    return LogisticRegression().fit(X, KIND)
