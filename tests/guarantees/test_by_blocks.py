"""certify and risk of blocks: the page of a table in memory, as far as blocks allow."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import certo
from certo import SVM, LeastSquares, LogisticRegression, Pegasos, certify
from certo.losses import Hinge
from certo.scale import ArrayBlocks
from tests.scale.scenes import cuts, table

X, TWO, THREE, V = table(900)
FIT, NEW = slice(0, 600), slice(600, 900)


def blocks(y, some=FIT, seed=0):
    return ArrayBlocks(X[some], y[some], ends=cuts(len(y[some]), seed)[2])


@pytest.mark.parametrize(
    ("machine", "y"), [(SVM(), TWO), (LogisticRegression(), THREE), (Pegasos(random_state=0), TWO)]
)
def test_the_page_holds_of_blocks_and_of_a_table(machine, y):
    machine.fit(blocks(y))
    page = certify(machine, blocks(y, seed=1), X_test=blocks(y, NEW))
    names = [claim.name for claim in page]
    assert names == [machine.certificate_[0].name, "TrainingErrors", "TestErrors"]
    assert page.verify(blocks(y, seed=2), X_test=blocks(y, NEW, seed=2))
    assert page.verify(X[FIT], y[FIT], X[NEW], y[NEW])
    assert not page.verify(blocks(y, seed=2))
    usual = certify(machine, X[FIT], y[FIT], X_test=X[NEW], y_test=y[NEW])
    (mine,), (theirs,) = page.of_kind("TestErrors"), usual.of_kind("TestErrors")
    assert mine.bounds == theirs.bounds
    assert any("rows of the fit" in remark for remark in page.remarks)


def test_a_regression_and_a_model_of_scikit_learn():
    page = certify(LeastSquares().fit(blocks(V)), blocks(V))
    assert [claim.name for claim in page] == ["LeastSquaresExcess"]
    page = certify(TheirLogistic().fit(X[FIT], TWO[FIT]), blocks(TWO))
    assert [claim.name for claim in page] == ["TrainingErrors"]
    page = certify(DecisionTreeClassifier().fit(X[FIT], TWO[FIT]), blocks(TWO))
    assert [refusal.name for refusal in page.not_claimed] == ["TrainingErrors", "TestErrors"]


def test_other_examples_and_pipelines_are_refused():
    machine = SVM().fit(blocks(TWO))
    with pytest.raises(ValueError, match="not the examples of the fit"):
        certify(machine, blocks(TWO, NEW))
    steps = make_pipeline(StandardScaler(), SVM()).fit(X[FIT], TWO[FIT])
    with pytest.raises(ValueError, match="takes no pipeline"):
        certify(steps, blocks(TWO))


@pytest.mark.parametrize("loss", [certo.losses.ZeroOne(), Hinge()])
def test_risk(loss):
    machine = SVM().fit(X[FIT], TWO[FIT])
    assert certo.risk(machine, blocks(TWO), loss=loss) == certo.risk(
        machine, X[FIT], TWO[FIT], loss
    )
    with pytest.raises(ValueError, match="have their own answers"):
        certo.risk(machine, blocks(TWO), TWO[FIT])
    found = certo.risk(machine, blocks(TWO, NEW), confidence=0.95)
    assert found == certo.risk(machine, X[NEW], TWO[NEW])
    assert found.low < found < found.high
    assert np.isfinite(found.high)
