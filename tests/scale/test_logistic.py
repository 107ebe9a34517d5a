"""Logistic regression by blocks: all digits of the answer at the usual `tol`."""

from __future__ import annotations

import numpy as np
import pytest

from certo import LogisticRegression
from certo.scale import ArrayBlocks
from tests.scale.scenes import cuts, table

X, TWO, THREE, _ = table()


def numbers_of(machine) -> np.ndarray:
    return np.append(np.ravel(machine.coef_), machine.intercept_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # Of the strict tol.
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("ridge", [1e-6, 1e-3, 1.0])
def test_the_last_step_leaves_no_digits_to_gain(y, ridge):
    """Its decrease of the objective is below rounding, but the coefficients gain digits by it."""
    usual = numbers_of(LogisticRegression(ridge=ridge, tol=1e-14).fit(X, y))
    for ends in cuts(len(y))[1:3]:
        machine = LogisticRegression(ridge=ridge).fit(ArrayBlocks(X, y, ends=ends))
        apart = np.max(np.abs(numbers_of(machine) - usual))
        assert apart <= 1e-10 * np.max(np.abs(usual))
        assert machine.converged_
        assert machine.certificate_.verify(X, y)
