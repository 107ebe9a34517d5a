"""Sentences about blocks, from the facts of errors."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from certo import SVM, LeastSquares, LogisticRegression, Perceptron
from certo.facts import InputError
from certo.scale import ArrayBlocks
from certo.words import blocks as sentences

X = np.arange(40.0).reshape(20, 2)
Y = np.arange(20) % 3


@pytest.mark.parametrize(
    ("wrong", "says", "facts"),
    [
        (lambda: SVM().fit(ArrayBlocks(X, Y)), sentences.no_pairs, {"classes": [0, 1, 2]}),
        (
            lambda: LogisticRegression(class_weight="balanced").fit(ArrayBlocks(X, Y)),
            sentences.other_setting,
            {"who": "LogisticRegression", "name": "class_weight", "needed": None,
             "came": "balanced"},
        ),
        (
            lambda: Perceptron(shards=30).fit(ArrayBlocks(X, Y > 1)),
            sentences.too_many_shards,
            {"shards": 30, "count": 20},
        ),
        (
            lambda: LeastSquares().fit(ArrayBlocks(X, X[:3, 0])),
            sentences.other_count,
            {"count": 20, "values": 3},
        ),
    ],
)  # fmt: skip
def test_facts_travel_with_the_error(wrong, says, facts):
    with pytest.raises(InputError) as caught:
        wrong()
    again = pickle.loads(pickle.dumps(caught.value))  # Workers of a cluster raise them, too.
    for error in (caught.value, again):
        assert (error.says, error.facts) == (says, facts)
        assert str(error) == says(**facts)
