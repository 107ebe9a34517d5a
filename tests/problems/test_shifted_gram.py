"""A least-squares claim follows from these sums alone."""

from __future__ import annotations

import numpy as np

from certo.certificates import Values
from certo.issue.regression.least_squares_excess import issue_least_squares_excess
from certo.problems.shifted_gram import ShiftedGram


def test_the_least_objective_is_that_of_the_sums():
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 2.0, 4.0])
    Z = np.column_stack([X, y, np.ones(3)])
    for shift in (np.zeros(2), np.array([1.0, 2.0])):
        moved = Z - np.append(shift, 0.0)
        sums = ShiftedGram(shift, moved.T @ moved, examples=3, roundings=5)
        claim = issue_least_squares_excess(
            sums, Values(), coef=np.array([[1.5]]), intercept=np.array([5 / 6]), treatment="free"
        )
        assert claim.lower <= 1 / 18 <= claim.risk
        assert claim.verify(X, y)
