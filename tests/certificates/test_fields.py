"""Fields of claims: numbers that are none are refused, and NumPy's become plain."""

from __future__ import annotations

import json

import numpy as np
import pytest

from certo.certificates import Labels, Separable
from certo.certificates.fields import check_weights


@pytest.mark.parametrize(
    "wrong",
    [{"margin": float("nan")}, {"intercept": float("inf")}, {"margin": True}, {"examples": 2.0},
     {"coef": [[1.0]]}, {"coef": [np.nan]}, {"functional_margin": "1"}, {"examples": None}],
)  # fmt: skip
def test_a_certificate_of_impossible_numbers_cannot_be_made(wrong):
    right = {"labels": Labels((0, 1)), "coef": [1.0], "intercept": 0.0, "examples": 2,
             "functional_margin": 1.0, "margin": 1.0}  # fmt: skip
    Separable(**right)
    with pytest.raises(ValueError, match="must"):
        Separable(**{**right, **wrong})


def test_numpy_numbers_are_taken_and_become_plain():
    claim = Separable(Labels((0, 1)), [1], np.float32(0), np.int64(2), np.float64(1), 1)
    assert json.loads(json.dumps(claim.to_dict())) == claim.to_dict()


def test_there_are_as_many_weights_as_examples_or_none():
    for weights in (0, 4):
        check_weights(np.ones(weights), 4)
    with pytest.raises(ValueError, match="one number for each example, or none"):
        check_weights(np.ones(3), 4)
