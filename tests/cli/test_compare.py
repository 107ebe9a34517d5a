"""certo compare: all suitable machines beside each other on a table."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import numpy as np
import pytest

from certo.bounds import clopper_pearson

IRIS = Path(__file__).parents[2] / "examples" / "iris.csv"
WORDS = ["compare", IRIS, "--target", "species", "--folds", "2"]


@pytest.mark.slow
def test_the_verdict_comes_first_and_the_command_last(certo, tmp_path):
    page = tmp_path / "r.html"
    said = certo(*WORDS, "--report", page)
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0].startswith("Lowest cross-validated error: ")
    assert "with 95 % confidence its error rate on new data is at most " in lines[0]
    assert lines[2].split() == ["machine", "CV", "error", "errors", "at", "most", "gap", "supports",
                                "seconds"]  # fmt: skip
    table = [line for line in lines[3:14] if line]
    assert len(table) == 11
    assert max(map(len, table)) < 80
    assert "min-disagreement" in table[-1]
    assert "not tried: only for two classes" in table[-1]
    assert "gradient boosting: of scikit-learn: nothing is proved of its fit." in lines
    assert "hold together" in said.out
    assert "δ = 0.05 shared out over 10 machines" in said.out
    assert lines[-1].startswith("To fit “")
    text = page.read_text()
    for words in ("Which machine predicts “species”?", "<svg", "test rows", "--tried</span>"):
        assert words in text
    assert "http" not in text


@pytest.mark.slow
def test_the_command_it_ends_with_fits_the_best(certo, tmp_path):
    choices = ["--drop", "sepal_width", "--scale", "standard"]
    said = certo(*WORDS, *choices)
    line = said.out.splitlines()[-1]
    for words in ("--drop sepal_width", "--scale standard", "--tried 10"):
        assert words in line
    command = line.partition(": ")[2].replace("MODEL", shlex.quote(str(tmp_path / "m")))
    fitted = certo(*shlex.split(command)[1:])
    assert fitted.code == 0
    assert certo("verify", tmp_path / "m", IRIS).code == 0


@pytest.mark.slow
def test_what_differs_from_the_usual_is_in_the_command(certo):
    words = ["--test", "0.3", "--seed", "7", "--delta", "0.1"]
    said = certo(*WORDS, *words, "--json").json
    assert "--test 0.3 --seed 7 --delta 0.1 --tried 10" in said["fit_with"]
    assert "--test none" in certo(*WORDS, "--test", "none", "--json").json["fit_with"]


@pytest.mark.slow
def test_facts_for_machines(certo):
    said = certo(*WORDS, "--json").json
    assert (said["task"], said["folds"], said["compared"]) == ("classes", 2, 10)
    majority = {"majority": said["test"]["majority"], "majority_error": 1 - 13 / 30}
    majority["usual_error"] = None
    assert said["test"] == {"rows": 30, "copies": 0} | majority
    assert said["majority"] in said["classes"]
    assert said["machines"][0]["name"] == said["best"]
    assert sum(one["kind"] == "outsider" for one in said["machines"]) == 1
    for one in said["machines"]:
        if one["missing"] == "":
            lower, upper = clopper_pearson(30, one["errors"], 0.05 / 10)
            bound = one["bound"]
            assert (bound["lower"], bound["error_rate"]) == (lower, upper)
            assert bound["confidence"] == 0.95
            assert bound["informative"] == (upper < 17 / 30)
    again = certo(*WORDS, "--json").json
    names = "name", "fold_errors", "errors", "bound"
    assert [[one[k] for k in names] for one in again["machines"]] == [
        [one[k] for k in names] for one in said["machines"]
    ]


@pytest.mark.slow
def test_a_number_to_predict(certo, tmp_path):
    page = tmp_path / "r.html"
    said = certo("compare", IRIS, "--target", "petal_width", "--report", page)
    assert said.code == 0
    assert said.out.startswith("Lowest cross-validated root mean square error: ")
    assert "its mean absolute error on new data is at most" in said.out.splitlines()[0]
    assert "all bounds “at most” on the mean absolute error on new data (an error above" in said.out
    assert "--machine least-squares" in said.out.splitlines()[-1]
    assert "Root mean square error" in page.read_text()


@pytest.mark.slow
def test_test_rows_of_their_own_or_none(certo, tmp_path):
    other = tmp_path / "other.csv"
    lines = IRIS.read_text().splitlines()
    other.write_text("\n".join([lines[0], *lines[1::3]]))
    rest = tmp_path / "rest.csv"
    rest.write_text("\n".join(line for k, line in enumerate(lines) if k == 0 or k % 3 != 1))
    words = ["compare", rest, "--target", "species", "--folds", "2", "--json", "--test"]
    said = certo(*words, other).json
    assert said["test"]["rows"] == 50
    assert said["test_file"] == str(other)
    assert f"--test {other}" in said["fit_with"]
    said = certo(*words, "none").json
    assert said["test"] is None
    assert said["no_bound"] == "no rows were held out."
    few = tmp_path / "few.csv"
    few.write_text("\n".join([lines[0], *lines[1::5]]))
    assert (
        certo("compare", few, "--target", "species", "--folds", "2", "--json").json["test"] is None
    )


@pytest.mark.slow
def test_bounds_weaker_than_guessing_are_no_headline(certo, tmp_path):
    draw = np.random.default_rng(0)
    path = tmp_path / "noise.csv"
    pairs = zip(draw.normal(size=60).tolist(), draw.choice(["a", "b"], 60).tolist(), strict=True)
    path.write_text("\n".join(["x,y", *(f"{x},{y}" for x, y in pairs)]))
    said = certo("compare", path, "--target", "y", "--folds", "2")
    assert "is weaker than guessing." in said.out.splitlines()[0]
    assert "Weaker than guessing: the bounds of “" in said.out


def test_without_time_every_machine_is_listed(certo, tmp_path):
    page = tmp_path / "r.html"
    said = certo(*WORDS, "--time-limit", "1e-9", "--report", page)
    assert said.code == 0
    assert said.out.startswith("No machine was cross-validated")
    assert said.out.count("not tried: no time left") == 10
    assert "To fit" not in said.out
    assert "not tried: no time left" in page.read_text()


def test_ctrl_c_tells_what_is_done(certo, monkeypatch):
    from certo.cli import progress

    def stopping(self, what, unit):
        def tell(done, total):
            if done == 7:
                raise KeyboardInterrupt

        return tell

    monkeypatch.setattr(progress.FitProgress, "report", stopping)
    said = certo(*WORDS)
    assert said.code == 130
    lines = said.out.splitlines()
    assert any("majority class" in line and "%" in line for line in lines)
    assert sum("not tried: stopped by hand" in line for line in lines) == 7
    assert "Stopped by hand: this is what there was by then." in lines


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--folds", "1"], "--folds must be at least 2"),
        (["--folds", "51"], "--folds must be at most"),
        (["--time-limit", "0"], "--time-limit must be seconds above 0"),
        (["--task", "both"], "--task must be 'classes' or 'numbers'"),
        (["--task", "numbers"], "must hold numbers for a regression"),
        (["--test", "1.5"], "--test must be a share of the rows above 0 and below 1"),
        (["--test", "gone.csv"], "gone.csv"),
        (["--seed", "-1"], "--seed must be from 0"),
        (["--delta", "2"], "--delta must be"),
        (["--target", "colour"], "there is no target column 'colour'"),
        (["--report", IRIS], "iris.csv"),
    ],
)
def test_refusals(certo, words, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = certo(*WORDS, *words)
    assert said.code == 2
    assert expected in said.err
    assert os.listdir(tmp_path) == []
