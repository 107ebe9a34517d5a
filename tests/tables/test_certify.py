"""Somebody else's model on a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from certo.data.problem import Problem
from certo.tables.certify import certify_table
from certo.tables.foreign_model import ForeignModel

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.normal(size=(200, 2)), columns=["u", "v"])
Y = np.where(FRAME.u + 0.3 * RNG.normal(size=200) > 0, "yes", "no")
TABLE = pa.table({"name": [str(k) for k in range(200)], "y": Y, "v": FRAME.v, "u": FRAME.u})
TRAIN, TEST = TABLE.slice(0, 120), TABLE.slice(120)


def fitted(model, frame=True):
    X = FRAME[:120] if frame else FRAME[["v", "u"]][:120].to_numpy()
    return ForeignModel(model.fit(X, Y[:120]), "")


@pytest.mark.parametrize("frame", [True, False])
def test_columns_by_name_or_all_numbers_in_order(frame):
    found = certify_table(fitted(SVC(gamma=1.0), frame), TRAIN, "y", test=TEST)
    assert found.columns == (["u", "v"] if frame else ["v", "u"])
    assert [claim.name for claim in found.page] == [
        "SoftMarginGap", "TrainingErrors", "SupportBound", "TestErrors",
    ]  # fmt: skip
    assert found.checked
    assert found.page.best.on_test


def test_pipelines_and_regressions():
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    found = certify_table(fitted(pipeline), TRAIN, "y")
    assert found.checked
    assert found.page.of_kind("LogisticExcess")
    line = ForeignModel(LinearRegression().fit(FRAME[["v"]][:120], FRAME.u[:120]), "")
    found = certify_table(line, TRAIN, "u")
    assert found.checked
    assert found.columns == ["v"]


@pytest.mark.parametrize(
    ("table", "target", "why"),
    [
        (TRAIN, "z", "no target column 'z'"),
        (TRAIN.drop_columns(["u"]), "y", "no column 'u'"),
        (TRAIN.set_column(3, "u", TRAIN["name"]), "y", "'u' must hold numbers"),
        (TRAIN.set_column(3, "u", pa.array([None, *range(119)])), "y", "in row 1 it is missing"),
        (TRAIN.set_column(1, "y", TRAIN["name"]), "y", "cannot be certified on this table"),
    ],
)
def test_other_tables_are_refused(table, target, why):
    with pytest.raises(Problem, match=why):
        certify_table(fitted(LogisticRegression()), table, target)


def test_as_many_columns_as_the_fit_had():
    with pytest.raises(Problem, match="fitted to 2 columns without names"):
        certify_table(fitted(SVC(), False), TRAIN.drop_columns(["u"]), "y")


def test_a_problem_of_test_rows_says_so():
    with pytest.raises(Problem, match="the test table: there is no column 'u'"):
        certify_table(fitted(SVC()), TRAIN, "y", test=TEST.drop_columns(["u"]))
