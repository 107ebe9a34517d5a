"""Errors counted by blocks: those of a table in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from certo import SVM
from certo.certificates import TestErrors, TrainingErrors
from certo.certificates.blocks import verify
from certo.guarantees.predicting import predictor_of
from certo.issue.by_blocks import issue_errors
from certo.issue.errors import issue_test_errors, issue_training_errors
from certo.scale import ArrayBlocks
from tests.scale.scenes import cuts, table

X, TWO, THREE, _ = table(600)


@pytest.mark.parametrize("y", [TWO, THREE])
def test_errors_are_those_of_a_table_in_memory(y):
    rule = predictor_of(SVM().fit(X, y), X)
    classes = np.unique(y).tolist()
    for ends in cuts(600):
        blocks = ArrayBlocks(X, y, ends=ends)
        trained, tested = (
            issue_errors(blocks, classes, rule),
            issue_errors(blocks, classes, rule, 0.05),
        )
        assert trained == issue_training_errors(X, y, classes, rule)
        assert tested == issue_test_errors(X, y, classes, rule)
        assert verify([trained, tested], blocks)
        assert isinstance(trained, TrainingErrors)
        assert isinstance(tested, TestErrors)


def test_counts_that_are_wrong_are_refused():
    rule, blocks = predictor_of(SVM().fit(X, TWO), X), ArrayBlocks(X, TWO, ends=cuts(600)[2])
    claim = issue_errors(blocks, ["down", "up"], rule)
    for errors in (claim.errors - 1, claim.errors + 1):
        assert not replace(claim, errors=errors).verify(blocks)
    tested = issue_errors(blocks, ["down", "up"], rule, 0.05)
    for change in ({"upper": tested.upper * 0.99}, {"majority": tested.majority + 1}):
        assert not replace(tested, **change).verify(blocks)
