"""certo fit of a density: from a table to a checked proof folder."""

from __future__ import annotations

import json

import numpy as np
import pytest

from certo.verify import verify_folder
from tests.cli.test_app_json import check

ROWS = np.random.default_rng(1).normal([0, 10, -5], size=(50, 3)).round(3)


@pytest.fixture
def table(tmp_path):
    lines = [",".join(map(str, row)) for row in ROWS.tolist()]
    (tmp_path / "t.csv").write_text("\n".join(["height,weight,age", *lines]) + "\n")
    return tmp_path / "t.csv"


@pytest.mark.slow
def test_the_whole_chain(certo, table, tmp_path):
    model, report = tmp_path / "m", tmp_path / "r.html"
    words = "--machine", "gaussian-density", "--out", model, "--report", report
    said = certo("fit", table, *words, "--json").json
    check(said, "density")
    assert [one["name"] for one in said["moments"]] == ["height", "weight", "age"]
    assert [one["mean"] for one in said["moments"]] == pytest.approx(ROWS.mean(axis=0))
    lowest = said["unusual"][0]
    assert lowest["log_density"] <= said["unusual"][1]["log_density"] < said["mean_log_density"]
    assert said["verify_with"] in certo("fit", table, *words).out
    assert all(
        text in report.read_text() for text in ("GaussianLikelihood", "weight", "log density")
    )
    check(certo("verify", model, table, "--json").json, "verify")
    check(certo("info", model, "--json").json, "info")
    check(certo("proof", model, table, "--out", tmp_path / "p", "--json").json, "proof")
    check(json.loads(json.dumps(verify_folder(tmp_path / "p").to_dict())), "folder")
    predicted = certo("predict", model, table).out.splitlines()
    assert predicted[0] == "row,log density"
    assert len(predicted) == 51
    assert float(predicted[lowest["row"]].split(",")[1]) == pytest.approx(lowest["log_density"])


def test_a_density_on_a_box(certo, tmp_path):
    (tmp_path / "t.csv").write_text("share\n" + "\n".join(f"0.{k}" for k in range(1, 60)) + "\n")
    words = "--machine", "log-linear-density", "--set", "box=(0, 1)"
    told = certo("fit", tmp_path / "t.csv", *words, "--set", "features=BoxCosines(2)")
    assert told.code == 0
    assert "No other density of its form" in told.out
    refused = certo("fit", tmp_path / "t.csv", *words)
    assert refused.code == 2
    assert "needs its features, such as --set 'features=" in refused.err
    refused = certo("fit", tmp_path / "t.csv", *words, "--set", "features=Nonsense(2)")
    assert refused.code == 2
    assert "BoxPolynomials(3)" in refused.err


@pytest.mark.parametrize(
    "words",
    [("--target", "age"), ("--test", "0.2"), ("--tried", "5"), ("--scale", "standard")],
)
def test_options_that_make_no_sense_for_a_density(certo, table, words):
    refused = certo("fit", table, "--machine", "gaussian-density", *words)
    assert refused.code == 2
    assert f"{words[0]} makes no sense for a density" in refused.err


def test_other_machines_need_a_target(certo, table):
    refused = certo("fit", table, "--machine", "svm")
    assert refused.code == 2
    assert "--target must name the column to predict" in refused.err
