"""Fit, verify and predict with the machines other than the Perceptron."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
XOR = "x1,x2,kind\n0,0,same\n1,1,same\n0,1,other\n1,0,other\n"


@pytest.fixture
def xor(tmp_path):
    path = tmp_path / "xor.csv"
    path.write_text(XOR)
    return path


@pytest.fixture
def noise(tmp_path):
    """A table with too many errors in too many dimensions to be solved in a moment."""
    values = np.random.default_rng(0).normal(size=(120, 8)).round(3)
    labels = np.random.default_rng(1).choice(["a", "b"], 120)
    lines = [",".join(map(str, row)) + f",{y}" for row, y in zip(values, labels, strict=True)]
    path = tmp_path / "noise.csv"
    path.write_text("\n".join(["a,b,c,d,e,f,g,h,y", *lines]))
    return path


@pytest.mark.slow
def test_the_largest_margin_from_the_table_to_the_audit(certo, tmp_path):
    model, page, table = tmp_path / "m", tmp_path / "r.html", EXAMPLES / "setosa.csv"
    words = ["--machine", "hard-margin", "--target", "species", "--out", model, "--report", page]
    said = certo("fit", table, *words, "--verbose")
    assert said.code == 0
    assert "The largest margin between 'setosa' and 'other' is at least" in said.out
    assert "Converged: the margin is proved to be the largest" in said.out
    checked = certo("verify", model, table, "--verbose")
    assert checked.code == 0
    assert "MaximumMargin ('setosa' against 'other')  the margin is at least" in checked.out
    predicted = certo("predict", model, table, "--json").json["predictions"]
    assert predicted == [line.rpartition(",")[2] for line in table.read_text().split()[1:]]
    text = page.read_text()
    for words in ("Margin: setosa", "supports (", "Supports of", "relative gap"):
        assert words in text


def test_facts_of_the_largest_margin(certo, tmp_path):
    facts = certo(
        "fit", EXAMPLES / "setosa.csv", "--machine", "hard-margin", "--target", "species", "--json",
        "--set", "intercept=lifted", "--set", "tol=1e-4",
    ).json  # fmt: skip
    assert facts["converged"] is True
    assert facts["settings"]["tol"] == 1e-4
    (margin,), (distance,) = facts["margins"], facts["geometric_margins"]
    assert 0 < margin < distance
    assert facts["relative_gap"] <= 1e-4
    (supports,) = facts["listed"]
    assert supports["total"] == facts["supports"][0] == len(supports["rows"])


def test_classes_that_cannot_be_separated_are_refused_with_the_rows(certo, xor, tmp_path):
    words = ["--machine", "hard-margin", "--target", "kind", "--out", tmp_path / "m"]
    said = certo("fit", xor, *words)
    assert said.code == 2
    assert said.out == ""
    assert "error: this machine needs classes that can be separated" in said.err
    assert "row 4 (other), weight 1/4: x1 1, x2 0" in said.err
    assert f"certo separable {xor} --target kind" in said.err
    refused = certo("fit", xor, *words, "--json")
    assert refused.code == 2
    assert [item["row"] for item in refused.json["proof"]] == [1, 2, 3, 4]
    assert "No hyperplane" in refused.json["error"]
    assert os.listdir(tmp_path) == ["xor.csv"]


@pytest.mark.slow
def test_the_fewest_errors_from_the_table_to_the_audit(certo, xor, tmp_path):
    model, page = tmp_path / "m", tmp_path / "r.html"
    words = ["--machine", "min-disagreement", "--target", "kind", "--out", model, "--report", page]
    said = certo("fit", xor, *words, "--time-limit", "20", "--verbose")
    assert said.code == 0
    assert "Optimal: 1 error, and it is proved that no hyperplane makes fewer" in said.out
    assert "as they are" in said.out, "the answer does not depend on scaling"
    checked = certo("verify", model, xor)
    assert checked.code == 0
    assert "ErrorCount" in checked.out
    right = [line.rpartition(",")[2] for line in XOR.split()[1:]]
    predicted = certo("predict", model, xor, "--json").json["predictions"]
    assert sum(a != b for a, b in zip(predicted, right, strict=True)) == 1
    text = page.read_text()
    for words in ("proved to be the fewest", "from above and from below", "Errors, zero scores"):
        assert words in text


@pytest.mark.slow
def test_the_time_limit_leaves_an_honest_gap(certo, noise, tmp_path):
    model, page = tmp_path / "m", tmp_path / "r.html"
    said = certo(
        "fit", noise, "--machine", "min-disagreement", "--target", "y", "--set", "time_limit=0.3",
        "--set", "random_state=0", "--out", model, "--report", page, "--json",
    )  # fmt: skip
    assert said.code == 0
    facts = said.json
    assert 0 <= facts["lower_bound"] < facts["errors"]
    assert facts["optimal"] is facts["interrupted"] is False
    assert "Stopped at the time limit of 0.3 seconds" in facts["status"]
    assert facts["listed"][0]["total"] == facts["errors"]
    assert "the best found" in page.read_text()
    assert certo("verify", model, noise).code == 0


@pytest.mark.slow
def test_the_soft_margin_from_the_table_to_the_audit(certo, tmp_path):
    model, page, table = tmp_path / "m", tmp_path / "r.html", EXAMPLES / "iris.csv"
    words = ["--machine", "svm", "--target", "species", "--out", model, "--report", page]
    said = certo("fit", table, *words, "--C", "10", "--tol", "1e-6", "--verbose")
    assert said.code == 0
    assert "Converged: the objective is proved to be smallest up to a relative gap" in said.out
    checked = certo("verify", model, table, "--verbose")
    assert checked.code == 0
    gap = r"SoftMarginGap \('\w+' against '\w+'\)  the objective is at most"
    assert len(re.findall(gap, checked.out)) == 3
    assert len(certo("predict", model, table).out.splitlines()) == 1 + 150
    text = page.read_text()
    for words in ("Margin: setosa", "slack", "Duality gap against time", "on the wrong side"):
        assert words in text


def test_facts_of_the_soft_margin(certo, xor):
    words = ["--machine", "svm", "--target", "kind", "--json", "--scale", "none"]
    facts = certo("fit", xor, *words, "--lam", "0.1", "--set", "class_weight=balanced").json
    assert facts["converged"] is True
    assert facts["C"] == 2.5
    assert facts["settings"]["lam"] == 0.1
    assert facts["relative_gap"] <= 1e-4
    assert facts["objectives"][0] == pytest.approx(1), "w = 0 is as good as any"
    by_hand = certo("fit", xor, *words, "--set", "class_weight={'same': 3.0, 'other': 1.0}")
    assert by_hand.code == 0


@pytest.mark.slow
def test_pegasos_from_the_table_to_the_audit(certo, tmp_path):
    model, page, table = tmp_path / "m", tmp_path / "r.html", EXAMPLES / "setosa.csv"
    words = ["--machine", "pegasos", "--target", "species", "--out", model, "--report", page]
    said = certo("fit", table, *words, "--lam", "0.1", "--set", "max_iter=5000")
    assert said.code == 0
    assert "Took 5,000 steps: F is expected to exceed its minimum by at most" in said.out
    assert certo("verify", model, table).code == 0
    for words in ("Boundary: setosa", "Excess of the average", "expected excess"):
        assert words in page.read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("machine", "settings", "claim", "pictures"),
    [
        ("svm", ["kernel=Gaussian(variance=0.5)", "C=10"], "SoftMarginGap", ["Duality gap"]),
        ("svm", ["kernel=0.5 * Polynomial(2) + Linear()"], "SoftMarginGap", ["Duality gap"]),
        ("hard-margin", ["kernel=Gaussian(0.5)"], "MaximumMargin", ["Supports of"]),
        ("kernel-perceptron", ["epochs=50"], "MistakeBound", ["‖f‖²", "Mistakes in each"]),
        (
            "pegasos",
            ["kernel=Polynomial(2)", "max_iter=500", "lam=0.1"],
            "ExpectedExcess",
            ["Excess"],
        ),
    ],
)
def test_kernel_machines_from_the_table_to_the_audit(
    certo, xor, tmp_path, machine, settings, claim, pictures
):
    model, page = tmp_path / "m", tmp_path / "r.html"
    words = ["--machine", machine, "--target", "kind", "--scale", "none"]
    for setting in settings:
        words += ["--set", setting]
    said = certo("fit", xor, *words, "--out", model, "--report", page, "--verbose")
    assert said.code == 0
    assert f"{claim}\n" in said.out
    assert " with " in said.out.splitlines()[0]
    checked = certo("verify", model, xor)
    assert checked.code == 0
    assert f" holds  {claim} (" in checked.out
    assert len(certo("predict", model, xor).out.splitlines()) == 1 + 4
    text = page.read_text()
    for words in ("Regions: ", "Scores: other and same", "supports", "with the kernel", *pictures):
        assert words in text.replace("Scores: same and other", "Scores: other and same")
    xor.write_text(XOR.replace("1,0,other", "1,0,same"))
    assert certo("verify", model, xor).code != 0


def test_facts_of_a_kernel_machine(certo, xor):
    words = ["--machine", "svm", "--target", "kind", "--json", "--scale", "none"]
    facts = certo("fit", xor, *words, "--set", "kernel=Gaussian(1)", "--C", "100").json
    assert facts["kernel"] == "Gaussian(variance=1.0)"
    assert facts["training_accuracy"] == 1
    assert facts["supports"] == [4]
    assert facts["relative_gap"] <= 1e-4
    assert facts["coefficients"] is None
    assert certo("fit", xor, *words).json["kernel"] is None


def test_a_hard_margin_that_a_kernel_does_not_find(certo, tmp_path):
    table = tmp_path / "same.csv"
    table.write_text("x,y\n1,a\n1,b\n2,a\n")
    words = ["--machine", "hard-margin", "--target", "y", "--set", "kernel=Gaussian(1)"]
    said = certo("fit", table, *words)
    assert said.code == 2
    assert "rows 1, 2 are equal. SVM allows errors." in said.err


@pytest.mark.parametrize(("target", "answer"), [(0, "no"), (1, "yes")])
def test_the_decision_problem(certo, xor, target, answer):
    words = ["--machine", "min-disagreement", "--target", "kind", "--set", f"target={target}"]
    facts = certo("fit", xor, *words, "--json").json
    assert facts["answer"] == answer


@pytest.mark.parametrize(
    ("machine", "setting", "expected"),
    [
        ("min-disagreement", "time_limit=-1", "time_limit must be a positive number of seconds"),
        ("min-disagreement", "time_limit=soon", "time_limit must be a positive number of seconds"),
        ("min-disagreement", "target=-1", "target must be"),
        ("min-disagreement", "intercept=lifted", "'free' or 'none'"),
        ("min-disagreement", "epochs=3", "intercept, random_state, target, time_limit"),
        ("hard-margin", "tol=2", "tol must be"),
        ("hard-margin", "tol=open('x')", "tol must be"),
        ("hard-margin", "max_iter=0", "max_iter must be"),
        ("hard-margin", "time_limit=0", "time_limit must be"),
        ("svm", "C=0", "C must be a positive number"),
        ("svm", "class_weight={'same': 'much'}", "class_weight"),
        ("svm", "kernel=rbf", "variance is 1/(2·gamma)"),
        ("svm", "kernel=Gaussian(variance=0)", "variance must be a finite number above 0"),
        ("svm", "kernel=Function(len)", "a function is code"),
        ("svm", "kernel=Precomputed()", "not a Gram matrix"),
        ("svm", "gamma=1", "intercept, kernel, lam, max_iter"),
        ("kernel-perceptron", "budget=0", "budget must be"),
        ("svm", "kernel=Gaussian", "for 'Gaussian' give Gaussian()"),
        ("pegasos", "max_iter=0", "max_iter must be"),
    ],
)
def test_settings_are_refused_in_words(certo, xor, tmp_path, machine, setting, expected):
    words = ["--machine", machine, "--target", "kind", "--set", setting, "--out", tmp_path / "m"]
    said = certo("fit", xor, *words)
    assert said.code == 2
    assert expected in said.err
    assert os.listdir(tmp_path) == ["xor.csv"]


def test_more_than_two_classes_are_refused_by_min_disagreement(certo):
    words = ["--machine", "min-disagreement", "--target", "species"]
    said = certo("fit", EXAMPLES / "iris.csv", *words)
    assert said.code == 2
    assert "Only binary classification" in said.err


def test_stopped_before_there_is_an_answer(certo, xor, monkeypatch):
    def stopped(*_):
        raise RuntimeError("HardMarginSVM was stopped before it found a hyperplane")

    monkeypatch.setattr("certo.estimators.HardMarginSVM.fit", stopped)
    said = certo("fit", xor, "--machine", "hard-margin", "--target", "kind")
    assert said.code == 2
    assert "stopped before" in said.err


def test_ctrl_c_keeps_the_best_so_far(certo, noise, tmp_path, monkeypatch):
    from certo.estimators import min_disagreement as face

    search = face.min_disagreement

    def interrupted(*args, report, **settings):
        def tell(*bounds):
            signal.raise_signal(signal.SIGINT)
            monkeypatch.setattr(signal, "raise_signal", lambda number: None)
            return report(*bounds)

        return search(*args, report=tell, **settings)

    monkeypatch.setattr(face, "min_disagreement", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        said = certo(
            "fit", noise, "--machine", "min-disagreement", "--target", "y", "--out", tmp_path / "m"
        )
    finally:
        signal.signal(signal.SIGINT, before)
    assert said.code == 130
    assert "Stopped by hand" in said.out
    assert certo("verify", tmp_path / "m", noise).code == 0
    assert sorted(os.listdir(tmp_path)) == ["m", "noise.csv"]
