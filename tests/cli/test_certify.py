"""certo certify"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.linear_model import Lasso, LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from certo.verify import verify_folder

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 2))
Y = np.where(X[:, 0] > 0, 1, 0)


@pytest.fixture
def tables(tmp_path):
    for name, rows in {"train.csv": range(200), "test.csv": range(200, 300)}.items():
        lines = [f"{X[t, 0]!r},{X[t, 1]!r},{Y[t]}" for t in rows]
        (tmp_path / name).write_text(
            "\n".join(["u,v,y", *lines]).replace("np.float64(", "").replace(")", "")
        )
    return tmp_path / "train.csv", tmp_path / "test.csv"


@pytest.fixture
def model(tmp_path):
    made = SVC(kernel="linear", C=1.0).fit(X[:200], Y[:200])
    skops.io.dump(made, tmp_path / "m.skops")
    return tmp_path / "m.skops"


def test_a_page_of_claims(certo, model, tables):
    train, test = tables
    said = certo("certify", model, train, "--target", "y", "--test", test)
    assert said.code == 0
    first, second = said.out.splitlines()[:2]
    assert first.startswith("Verified: all ")
    assert second.startswith("With 95 % confidence, the error rate on new data")
    assert "its file does not say which they were" in said.out
    assert "✓ holds  SoftMarginGap" in said.out
    assert "✓ holds  TestErrors" in said.out


def test_numbers_in_json(certo, model, tables):
    train, test = tables
    said = certo("certify", model, train, "--target", "y", "--test", test, "--json").json
    assert said["passed"]
    assert said["columns"] == ["u", "v"]
    assert (said["rows"], said["test_rows"]) == (200, 100)
    assert said["best"]["on_test"]


def test_settings_that_were_compared_are_paid_for(certo, model, tables, tmp_path):
    words = "certify", model, tables[0], "--target", "y"
    claims = {
        tried: {
            claim["type"]: claim["bounds"]
            for claim in certo(*words, "--tried", tried, "--json").json["claims"]
        }
        for tried in ("1", "9", "data")
    }
    few, many = (next(iter(claims[tried]["SupportBound"].values())) for tried in ("1", "9"))
    assert few < many
    assert "SupportBound" not in claims["data"]
    said = certo(*words, "--tried", "some")
    assert said.code == 2
    assert "--tried must be an integer from 1 to 1,000,000,000, or --tried data" in said.err
    assert certo(*words, "--tried", "9", "--report", tmp_path / "r.html").code == 0
    assert "--tried 9" in (tmp_path / "r.html").read_text()


def test_a_folder_for_others(certo, tables, tmp_path):
    made = make_pipeline(StandardScaler(), SVC(kernel="linear")).fit(X[:200], Y[:200])
    skops.io.dump(made, tmp_path / "m")
    words = "certify", tmp_path / "m", tables[0], "--target", "y", "--proof", tmp_path / "proof"
    said = certo(*words)
    assert said.code == 0
    assert "python -m certo.verify" in said.out
    assert verify_folder(tmp_path / "proof").code == 0
    assert certo("certify", *words[1:-1], tables[0]).code == 2  # Not over a file.


def test_labels_that_look_like_numbers(certo, tables, tmp_path):
    skops.io.dump(SVC(kernel="linear").fit(X[:200], Y[:200].astype(str)), tmp_path / "m")
    assert certo("certify", tmp_path / "m", tables[0], "--target", "y").code == 0


def test_what_cannot_be_loaded_is_refused_in_one_line(certo, tables, tmp_path):
    skops.io.dump(Lasso().fit(X, Y), tmp_path / "m")
    said = certo("certify", tmp_path / "m", tables[0], "--target", "y")
    assert said.code == 2
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "sklearn.linear_model._coordinate_descent.Lasso" in said.err


@pytest.mark.slow
def test_a_report(certo, model, tables, tmp_path):
    train, test = tables
    words = "certify", model, train, "--target", "y", "--test", test
    said = certo(*words, "--report", tmp_path / "r.html")
    assert said.code == 0
    assert f"Report written to {tmp_path / 'r.html'}" in said.out
    page = (tmp_path / "r.html").read_text()
    found = certo(*words, "--json").json
    assert found["report_file"] is None
    assert f"How well does SVC predict “{found['target']}” from 2 columns?" in page
    assert found["in_words"][0] in page
    assert all(claim["plain"] in page for claim in found["claims"])
    assert all(text in page for text in found["assumes"])
    for heading in ("What is proved", "How good", "Where it is wrong", "How to reproduce"):
        assert page.count(f"{heading}</h2>") == 1
    assert "Confusion matrix of the test rows" in page
    assert "ROC curve" in page
    assert found["sha256"] in page


@pytest.mark.parametrize("count", [2, 3])
def test_a_report_on_a_model_whose_classes_are_objects(certo, tmp_path, count):
    """As those of a column of texts in a data frame are."""
    kinds = np.array(["ash", "beech", "elm"])[np.digitize(X[:, 0] + X[:, 1] ** 2, [0, 1]) % count]
    made = make_pipeline(StandardScaler(), SVC()).fit(X, kinds.astype(object))
    assert made.classes_.dtype == object
    skops.io.dump(made, tmp_path / "m")
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(kind=kinds)
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = tmp_path / "m", tmp_path / "t.csv", "--target", "kind"
    assert certo("certify", *words, "--report", tmp_path / "r.html").code == 0
    assert "beech" in (tmp_path / "r.html").read_text()


def test_a_report_on_a_regression_and_on_steps(certo, tmp_path):
    rows = "\n".join(f"{u},{v},{u - 2 * v + t % 3}" for t, (u, v) in enumerate(X[:60].tolist()))
    (tmp_path / "t.csv").write_text(f"u,v,y\n{rows}\n")
    y = X[:60, 0] - 2 * X[:60, 1] + np.arange(60) % 3
    made = make_pipeline(StandardScaler(), LinearRegression()).fit(X[:60], y)
    skops.io.dump(made, tmp_path / "m")
    report = tmp_path / "r.html"
    said = certo("certify", tmp_path / "m", tmp_path / "t.csv", "--target", "y", "--report", report)
    page = report.read_text()
    assert said.code in (0, 2)  # Whether anything is claimed of steps is tested elsewhere.
    assert "StandardScaler → LinearRegression" in page
    assert "mean absolute error" in page
    assert "Confusion" not in page


def test_a_report_does_not_take_the_place_of_what_is_read(certo, model, tables):
    said = certo("certify", model, tables[0], "--target", "y", "--report", model)
    assert said.code == 2
    assert "would be overwritten" in said.err
