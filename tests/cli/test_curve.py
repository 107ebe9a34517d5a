"""certo curve: kernels beside each other on a table."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

IRIS = Path(__file__).parents[2] / "examples" / "iris.csv"
WORDS = ["curve", IRIS, "--target", "species", "--folds", "3"]


@pytest.mark.slow
def test_a_table_for_people(certo, tmp_path):
    page, picture = tmp_path / "r.html", tmp_path / "p.svg"
    said = certo(*WORDS, "--values", "0.01,1,100", "--report", page, "--picture", picture)
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0].startswith("SVM() for species (setosa, versicolor, virginica): 150 examples")
    assert "3 stratified folds of 150 examples." in lines
    (best,) = (line for line in lines if line.startswith("* "))
    assert "Gaussian(variance=1.0)" in best
    assert any("nearest neighbours" in line for line in lines)
    assert "scaled by all rows, those that are validated on included" in said.out
    text = page.read_text()
    for words in ("A kernel for “species”", "over-fitting", "nearest neighbours", "certo fit"):
        assert words in text
    assert "<svg" in picture.read_text()
    assert "http" not in text


def test_the_command_it_ends_with_fits_the_best(certo, tmp_path):
    said = certo(
        *WORDS, "--C", "5", "--scale", "none", "--drop", "sepal_width", "--values", "0.5,5"
    )
    line = said.out.splitlines()[-1].removeprefix("To fit the best: ")
    assert "--tried 2 " in line
    words = shlex.split(line.replace("MODEL", shlex.quote(str(tmp_path / "m"))))
    assert certo(*words[1:]).code == 0
    assert certo("verify", tmp_path / "m", IRIS).code == 0


def test_kernels_made_from_the_table_cannot_be_paid_for(certo):
    line = certo(*WORDS, "--scale", "none").out.splitlines()[-1]
    assert "--tried data " in line


def test_facts_for_machines(certo):
    words = ["--kernel", "polynomial", "--values", "1,3", "--machine", "kernel-perceptron"]
    facts = certo(*WORDS, *words, "--set", "epochs=5", "--json").json
    assert [row["kernel"] for row in facts["rows"]] == [
        "Polynomial(degree=1, scale=1.0, offset=1.0)",
        "Polynomial(degree=3, scale=1.0, offset=1.0)",
    ]
    assert sum(row["best"] for row in facts["rows"]) == 1
    assert facts["curve"]["machine"] == "KernelPerceptron(epochs=5)"
    assert len(facts["curve"]["validation_errors"][0]) == 3
    assert facts["neighbours"]["best"] in facts["neighbours"]["tried"]
    assert facts["interrupted"] is False


@pytest.mark.slow
def test_kernels_written_out_and_those_that_suit_the_data(certo):
    words = ["--kernel", "Gaussian(2)", "--kernel", "Linear() + 2 * Gaussian(1)"]
    facts = certo(*WORDS, *words, "--json").json
    assert [row["kernel"] for row in facts["rows"]] == [
        "Gaussian(variance=2.0)",
        "Linear() + 2.0 * Gaussian(variance=1.0)",
    ]
    usual = certo(*WORDS, "--json", "--set", "max_iter=1").json
    assert len(usual["rows"]) == 9
    assert any("stopped before they converged" in note for note in usual["notes"])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--machine", "perceptron"], "needs a machine with a kernel"),
        (["--time-limit", "0"], "--time-limit must be seconds above 0, got 0.0"),
        (["--time-limit", "1e-9"], "within the limit of 1e-09 s. Allow more (--time-limit)"),
        (["--machine", "tree"], "there is no machine 'tree'"),
        (["--kernel", "rbf"], "whose variance is 1/(2·gamma)"),
        (["--values", "1,x"], "must be numbers with commas"),
        (["--values", "0"], "above 0"),
        (["--kernel", "polynomial", "--values", "1.5"], "must be integers with commas"),
        (["--kernel", "Gaussian(1)", "--values", "1"], "for one --kernel"),
        (["--set", "kernel=Gaussian(1)"], "from --kernel, not from --set"),
        (["--folds", "1"], "at least 2"),
        (["--folds", "51"], "n_splits=51"),
        (["--picture", "curve.txt"], "must end in one of .svg, .png, .pdf"),
        (["--drop", "species"], "cannot be dropped"),
    ],
)
def test_refusals(certo, words, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = certo(*WORDS, *words)
    assert said.code == 2
    assert expected in said.err
    assert os.listdir(tmp_path) == []


def test_ctrl_c_tells_what_is_done(certo, monkeypatch):
    from certo.cli import progress

    def stopping(self, what, unit):
        def tell(done, total):
            if done == 4:
                raise KeyboardInterrupt

        return tell

    monkeypatch.setattr(progress.FitProgress, "report", stopping)
    said = certo(*WORDS, "--values", "0.1,1")
    assert said.code == 130
    assert "Stopped by hand: these kernels were finished by then." in said.out
    assert "Gaussian(variance=1.0)" not in said.out


def test_a_time_limit_tells_what_is_done(certo, monkeypatch, tmp_path):
    clock = iter([0.0] * 7 + [99.0] * 99)  # It is asked at the start and twice for each fit.
    monkeypatch.setattr("certo.selection.monotonic", lambda: next(clock))
    page = tmp_path / "r.html"
    words = ["--values", "0.1,1,10", "--time-limit", "10", "--report", page]
    said = certo(*WORDS, *words)
    assert said.code == 0
    assert "Stopped by the time limit: these kernels were finished by then." in said.out
    assert "Gaussian(variance=1.0)" in said.out
    assert "Gaussian(variance=0.1)" not in said.out
    assert "stopped by the time limit, not all kernels were tried" in page.read_text()


@pytest.mark.slow
def test_a_hard_margin_marks_the_kernels_that_do_not_separate(certo, tmp_path):
    page, picture = tmp_path / "r.html", tmp_path / "p.svg"
    words = [*WORDS, "--machine", "hard-margin", "--kernel", "polynomial", "--values", "1,5,6"]
    said = certo(*words, "--report", page, "--picture", picture)
    assert said.code == 0
    (row,) = (line for line in said.out.splitlines() if "degree=1," in line)
    assert row.endswith("not separable in every fold")
    assert "validation ± standard error" in said.out
    assert "not separable in every fold" in page.read_text()
    assert certo(*words, "--json").json["rows"][0]["validation_error"] is None
    said = certo(*words, "--values", "1")
    assert (said.code, "no kernel separates every fold" in said.err) == (2, True)
