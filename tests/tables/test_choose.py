"""A machine chosen by cross-validation on the training rows alone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from certo.certificates.errors.held_out_errors import TestErrors
from certo.certificates.risk.risk_bound import RiskBound
from certo.data.problem import Problem
from certo.estimators import SVM
from certo.stop import Stop
from certo.tables.choose import CANDIDATES, FOLDS, Choice, choose
from certo.tables.fit import fit_table
from certo.tables.held_out import HeldOut

random = np.random.default_rng(0)
M = 150
X = random.normal(size=(M, 2))
INSIDE = np.where((X**2).sum(axis=1) < 1.2, "in", "out")
TABLE = pa.table({"a": X[:, 0], "b": X[:, 1], "kind": INSIDE})
SPLIT = HeldOut(0.2, 0)


def test_a_curved_boundary_needs_the_kernel():
    told = []
    found = choose(TABLE, "kind", "classes", SPLIT, 0, lambda *steps: told.append(steps))
    assert list(found.errors) == list(CANDIDATES["classes"])
    assert found.best == "svm, Gaussian kernel"
    assert (found.rows, found.folds) == (120, FOLDS)
    assert told[-1] == (25, 25)
    assert repr(found.machine()) == "SVM(kernel=Gaussian(variance='scale'))"
    assert found.to_dict()["best"] == found.best


def test_the_rows_held_out_have_no_part_in_it():
    unseen = SPLIT.of(M)
    other = TABLE.set_column(2, "kind", pa.array(np.where(unseen, "in", INSIDE)))
    other = other.set_column(0, "a", pa.array(np.where(unseen, 1e6, X[:, 0])))
    assert choose(TABLE, "kind", "classes", SPLIT, 0) == choose(other, "kind", "classes", SPLIT, 0)


def test_numbers_with_missing_values_and_categories():
    size = np.where(random.random(M) < 0.1, np.nan, 2 * X[:, 0] + 0.1 * random.normal(size=M))
    level = np.where(X[:, 1] > 0, "u", "v")
    table = pa.table({"a": X[:, 0], "c": level, "size": pa.array(size, from_pandas=True)})
    found = choose(table, "size", "numbers", None, 0, missing="drop")
    assert found.rows == M - np.isnan(size).sum()
    assert 0.05 < found.errors["least-squares"] < 0.2
    assert found.best != "least-squares, ridge = 1"
    with pytest.raises(Problem, match="must have a value in every row"):
        choose(table, "size", "numbers", None, 0)


def test_machines_without_an_answer_are_passed_over():
    found = Choice("classes", {"svm, C = 1": 0.3, "svm, C = 10": None}, 100, 5)
    assert found.best == "svm, C = 1"
    with pytest.raises(Problem, match="none of the machines"):
        _ = Choice("classes", {"svm, C = 1": None}, 100, 5).best
    with pytest.raises(Problem, match=r"at least 10 rows are needed, got 9\. Name a machine"):
        choose(TABLE.slice(0, 9), "kind", "classes", None, 0)


def test_a_fit_that_was_stopped_by_hand_ends_the_comparison(monkeypatch):
    fit = SVM.fit

    def stopped(machine, X, y):
        fit(machine, X, y)._stop = Stop.BY_HAND
        return machine

    monkeypatch.setattr(SVM, "fit", stopped)
    with pytest.raises(KeyboardInterrupt):
        choose(TABLE, "kind", "classes", SPLIT, 0)


def test_of_very_many_rows_no_kernel_is_tried(monkeypatch):
    monkeypatch.setattr("certo.tables.choose.MAX_KERNEL_ROWS", 119)
    assert "svm, Gaussian kernel" not in choose(TABLE, "kind", "classes", SPLIT, 0).errors


def test_only_bounds_from_the_training_rows_pay_for_the_choice():
    words = {"held_out": SPLIT, "scale": "none"}
    plain, paid = (
        fit_table(TABLE, "kind", SVM(intercept="none"), compared=k, **words) for k in (1, 5)
    )
    assert (plain.certified.tried, paid.certified.tried) == (1, 5)
    for claim in paid.certified:
        if isinstance(claim, RiskBound):
            assert claim.tried == (1 if isinstance(claim, TestErrors) else 5)
    (first,), (second,) = plain.certified.test, paid.certified.test
    assert first.upper == second.upper
