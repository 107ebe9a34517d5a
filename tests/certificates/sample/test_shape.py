"""X and y must have the shape that a claim speaks of."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from certo.certificates import Sample
from certo.certificates.base import Refuted
from certo.certificates.sample import shape

SAMPLE = Sample(np.zeros((4, 2)), np.ones(4, np.int8))


def claim(examples=4, features=2, weights=0):
    return SimpleNamespace(
        examples=examples, coef=np.zeros((3, features)), sample_weight=np.ones(weights)
    )


def test_what_fits_is_accepted():
    shape.check_weights(claim(), SAMPLE)
    for weights in (0, 4):
        shape.check_costs(claim(weights=weights), SAMPLE)


@pytest.mark.parametrize(
    ("check", "wrong", "words"),
    [
        (shape.check_weights, claim(examples=5), "about 5 examples, but there are 4"),
        (shape.check_weights, claim(features=3), "about 3 features, but X has 2 columns"),
        (shape.check_costs, claim(weights=3), "there are 3 weights for 4 examples"),
    ],
)
def test_what_does_not_is_refuted_in_words(check, wrong, words):
    with pytest.raises(Refuted, match=words):
        check(wrong, SAMPLE)
