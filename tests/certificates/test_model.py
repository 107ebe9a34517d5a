"""The rule of a model that a proof names: from its numbers, or from none."""

from __future__ import annotations

import numpy as np
import pytest

from certo.certificates.errors.training_errors import TrainingErrors
from certo.certificates.model import Model, strangers
from certo.issue.labels import all_labels
from certo.kernels import Gaussian

X = np.random.default_rng(0).normal(size=(9, 2))
KERNEL = Gaussian(1.0).to_dict()


def pairs(support, dual) -> Model:
    numbers = {"support_": support, "dual_coef_": dual, "intercept_": [0.0] * 3}
    return Model([0, 1, 2], numbers, KERNEL, "first")


def test_a_vote_is_made_of_every_multiplier():
    support = [[0, 3], [1, 6], [3, 6]]
    rule = pairs(support, [[5.0, -5.0], [3.0, -3.0], [1.0, -1.0]]).rule(X)
    np.testing.assert_array_equal(rule.codes, [0, 0, 1, 2])
    np.testing.assert_array_equal(rule.dual_coef, [[5, 0, -5, -3], [0, 3, 1, -1]])


def test_a_row_is_of_one_class():
    """A row that is +1 for one class and −1 for another would lose one of its multipliers, and a
    true claim about the rule that is left would be taken for one about the model."""
    support, dual = [[0, 3], [0, 6], [3, 6]], [[5.0, -5.0], [-3.0, -3.0], [1.0, -1.0]]
    with pytest.raises(ValueError, match="two different classes"):
        pairs(support, dual).rule(X)


@pytest.mark.parametrize(
    ("support", "dual"),
    [
        ([[2, 2]], [[1.0, 2.0]]),  # Two multipliers of one row.
        ([[1, 2]], [[1.0]]),  # One for two.
        ([[1, 2]], []),  # None.
        ([[-1, 2]], [[1.0, 2.0]]),  # The last row, counted from the end.
        ([[1, 9]], [[1.0, 2.0]]),  # A row that is not there.
    ],
)
def test_numbers_that_are_no_function_make_no_rule(support, dual):
    """Claims about a rule made of them in some other way would hold, and say nothing of a model."""
    numbers = {"support_": [[1, 2]], "dual_coef_": [[1.0, 2.0]], "intercept_": [0.0]}
    model = Model([0, 1], numbers, KERNEL)
    rule, y = model.rule(X), np.arange(9) % 2
    errors = int(rule.wrong(rule.read(X), y)[0].sum())
    claim = TrainingErrors(all_labels((0, 1)), rule, 9, errors, 0)
    assert claim.verify(X, y)
    assert strangers([claim], model, X) == []
    forged = model._replace(numbers={**numbers, "support_": support, "dual_coef_": dual})
    with pytest.raises((ValueError, LookupError)):
        forged.rule(X)
    assert any("another rule" in why for why in strangers([claim], forged, X))
