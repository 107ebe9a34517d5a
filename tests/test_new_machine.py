"""A machine from outside the package: a description is all that the whole chain needs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import certo
from certo.certificates import Composite, LinearPredictor, TrainingErrors
from certo.cli.app import main
from certo.estimators import _input, description
from certo.estimators._linear import LinearClassifier
from certo.estimators.new_examples import no_few_examples
from certo.issue.errors import issue_training_errors
from certo.report.face import Face, Tile, shows
from certo.tables.model_file import load_model
from certo.verify import verify_folder

IRIS = Path(__file__).parents[1] / "examples" / "iris.csv"


class NearestCentroid(LinearClassifier, BaseEstimator):
    """Predict the class whose mean is nearest, as in `docs/contribute/extend.md`."""

    def fit(self, X, y):
        X, y = _input.labelled_examples(self, X, y, reset=True)
        self.classes_, self._multilabel = _input.targets(self, y).classes, False
        means = np.array([np.ravel(X[y == label].mean(axis=0)) for label in self.classes_])
        coef, intercept = means, -0.5 * np.sum(means**2, axis=1)
        two = len(self.classes_) == 2
        self.coef_ = coef[1:] - coef[:1] if two else coef
        self.intercept_ = intercept[1:] - intercept[:1] if two else intercept
        self.n_iter_, self.trace_ = 1, None
        self.status_ = "Converged: the mean of each class was computed."
        rule = LinearPredictor(self.coef_, self.intercept_)
        claim = issue_training_errors(X, y, self.classes_.tolist(), rule)
        self.certificate_ = Composite((claim,))
        return self


DESCRIPTION = description.Description(
    kind=NearestCentroid,
    command="nearest-centroid",
    learns="classes",
    summary="the class whose mean is nearest",
    claims={TrainingErrors: description.always},
    bounds=no_few_examples,
    spoken_of=lambda machine: ("coef_", "intercept_"),
    fitted=lambda machine: description.LINEAR,
)


@shows(NearestCentroid)
class CentroidFace(Face):
    def tiles(self, said):
        return [Tile(f"{said['centroids']}", "classes, each with its mean")]

    def numbers(self, machine):
        return {"centroids": len(machine.classes_)}


def test_the_page_shows_this_machine():
    page = Path(__file__).parents[1] / "docs" / "contribute" / "extend.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), flags=re.S)
    shown = [line.strip() for b in blocks if ">>>" not in b for line in b.splitlines()]
    mine = {line.strip() for line in Path(__file__).read_text("utf-8").splitlines()}
    others = {line for line in shown if line not in mine}
    assert len(shown) > 30
    assert others == {
        '"""Predict the class whose mean is nearest.  [Parameters, Attributes, Examples]"""',
        "description.register(",
        "description.Description(",
    }


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    """For these tests alone: others look at all machines that are known."""
    monkeypatch.setattr(description, "_KNOWN", dict(description._KNOWN))
    description.register(DESCRIPTION)


@pytest.fixture
def run(capsys, monkeypatch):
    def command(*words) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["certo", *map(str, words)])
        monkeypatch.setattr(sys, "warnoptions", ["error"])
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code, capsys.readouterr().out

    return command


def test_from_the_table_to_a_checked_proof(run, tmp_path):
    model, page, folder = tmp_path / "m", tmp_path / "page.html", tmp_path / "proof"
    words = "--target", "species", "--machine", "nearest-centroid", "--report", page
    words = *words, "--test", "none"
    code, said = run("fit", IRIS, *words, "--out", model, "--json")
    assert code == 0
    assert [claim["type"] for claim in json.loads(said)["claims"]] == ["TrainingErrors"]
    assert "classes, each with its mean" in page.read_text()
    assert run("verify", model, IRIS)[0] == 0
    assert run("proof", model, IRIS, "--out", folder)[0] == 0
    assert verify_folder(folder).code == 0
    assert set(load_model(model).model.machine.classes_) == {"setosa", "versicolor", "virginica"}


def test_in_python(tmp_path):
    X = np.random.default_rng(0).normal(size=(50, 2))
    y = X[:, 0] > 0
    machine = NearestCentroid().fit(X, y)
    assert certo.certify(machine, X, y).verify(X, y)
    certo.save(machine, tmp_path / "m")
    assert np.array_equal(certo.load(tmp_path / "m").predict(X), machine.predict(X))
