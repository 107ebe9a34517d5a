"""Tables as people have them: nothing is lost between the table and what is said of it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from certo.certificates import Certified, Composite
from certo.tables.model_file import load_model, save_model


@pytest.fixture
def written(tmp_path):
    def write(text: str, name: str = "table.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def _rows(m: int = 40) -> str:
    return "".join(f"{i % 7},{(5 * i) % 11},{'xy'[i % 7 > 3]}\n" for i in range(m))


class TestNamesOfFeatures:
    """A column may be called as a level of another one is."""

    TABLE = "a = b,a,t\n" + "".join(
        f"{x},{level},{'yes' if x + 3 * (level == 'b') > 2 else 'no'}\n"
        for x, level in zip((0, 1, 0, 1, 1.5, 2.5, 3, -2, -3, -0.5), "bbcccccbbb", strict=True)
    )

    def test_the_hyperplane_that_is_printed_separates(self, certo, written):
        said = certo("separable", written(self.TABLE), "--target", "t", "--json").json
        (answer,) = said["answers"]
        weights = answer["coefficients"]
        assert list(weights) == ["a = b", "a = b (2)", "a = c"]
        for line in self.TABLE.splitlines()[1:]:
            x, level, label = line.split(",")
            score = weights["a = b"] * float(x) + answer["intercept"]
            score += weights["a = b (2)" if level == "b" else "a = c"]
            assert (score > 0) == (label == answer["positive"])

    def test_scaled_names_differ_too(self, certo, written, tmp_path):
        table = written(self.TABLE.replace("a,t", "a,t").replace("c,", "b (scaled),"))
        words = ["fit", table, "--target", "t", "--machine", "logistic", "--ridge", "1"]
        rows = certo(*words, "--out", tmp_path / "m", "--json").json["coefficients"]["rows"]
        names = [row["name"] for row in rows]
        assert len(set(names)) == len(names) == 4
        assert certo("verify", tmp_path / "m", table).code == 0


class TestWordsForMissing:
    def test_numbers_mean_it_too(self, certo, written, tmp_path):
        text = "a,b,t\n" + _rows().replace("\n3,", "\n-999,")
        table, model = written(text), tmp_path / "m"
        words = ["fit", table, "--target", "t", "--na", "-999", "--out", model]
        assert "row 4 it is missing" in certo(*words).err
        said = certo(*words, "--missing", "drop")
        left = text.count("\n-999,")
        for out in (said.out, certo("verify", model, table).out):
            assert re.search(rf"note {left} of \d+ rows were left out for missing values", out)
        assert certo("predict", model, table).code == 2

    def test_a_number_that_is_a_class_withdraws_bounds(self, certo, written):
        text = "a,t\n" + "".join(f"{i / 97},{min(i // 60, 2)}\n" for i in range(150))
        words = ["--target", "t", "--scale", "none", "--na", "2", "--missing", "drop"]
        said = certo("fit", written(text), *words, "--json").json
        assert said["classes"] == [0, 1]
        assert not any(claim["type"] == "CompressionBound" for claim in said["claims"])
        assert "left out because of the value of the target" in json.dumps(said["not_claimed"])

    def test_a_word_that_is_nowhere_is_said(self, certo, written):
        said = certo("fit", written("a,b,t\n" + _rows()), "--target", "t", "--na", "-99")
        assert "--na '-99' made no difference" in said.out


class TestRowNumbers:
    """Rows that were left out are counted: numbers are those of the file."""

    @pytest.mark.parametrize(
        ("cell", "machine", "said"),
        [
            ("1.5", "perceptron", "row 5 has 1.5"),
            ("abc", "least-squares", "'abc' in row 5"),
            ("inf", "least-squares", "row 5 has inf"),
        ],
    )
    def test_of_the_target(self, certo, written, cell, machine, said):
        table = written(f"a,t\n,1\n,1\n1,1\n2,2\n3,{cell}\n")
        words = ["--target", "t", "--missing", "drop", "--machine", machine]
        assert said in certo("fit", table, *words).err


def test_classes_that_look_alike_are_pointed_out(certo, written):
    text = "a,t\n" + "".join(f"{i},{('no', 'yes', 'yes ', 'Yes')[i % 4]}\n" for i in range(40))
    said = certo("fit", written(text), "--target", "t")
    assert "the different classes 'Yes', 'yes', 'yes '" in said.out


def test_numbers_that_are_text_are_pointed_out(certo, written):
    """Decimal commas in one column make text of decimal points in another."""
    text = "a;b;t\n" + "".join(f"{i},5;{i % 3}.5;{'xy'[i > 20]}\n" for i in range(40))
    said = certo("fit", written(text), "--target", "t")
    assert "column 'b' is text in the file" in said.out


@pytest.mark.slow
def test_all_and_nothing_are_never_rounded_to(certo, written, tmp_path):
    """One error among 30,000 rows is no 100.00 %."""
    m = 30_000
    rows = "".join(f"{i % 2},{'ny'[(i % 2) ^ (i == 0)]}\n" for i in range(m))
    page = tmp_path / "page.html"
    words = ["--target", "t", "--machine", "logistic", "--ridge", "1e-6", "--report", page]
    said = certo("fit", written("a,t\n" + rows), *words, "--test", "none")
    assert "wrong 1 time" in said.out
    assert "Training rows: 99.997 % are right" in said.out
    assert "99.997\u202f%" in page.read_text()


def test_a_refusal_suggests_the_same_columns_and_rows(certo, written):
    text = "id,a,t\n" + "".join(f"{i},{i % 2},{'xy'[i > 20]}\n" for i in range(40)) + "40,,y\n"
    words = ["--target", "t", "--machine", "hard-margin", "--drop", "id", "--missing", "drop"]
    said = certo("fit", written(text), *words)
    assert said.code == 2
    assert "--target t --missing drop --drop id --report FILE" in said.err


def test_dates_that_no_calendar_has(certo, tmp_path):
    dates = pa.array(10**7 + np.arange(20), pa.int32()).cast(pa.date32())
    path, model = tmp_path / "far.parquet", tmp_path / "m"
    table = pa.table({"d": dates, "a": np.arange(20), "t": ["x"] * 10 + ["y"] * 10})
    pyarrow.parquet.write_table(table, path)
    words = ["--target", "t", "--drop", "d", "--out", model]
    assert certo("fit", path, *words).code == 0
    assert certo("verify", model, path).code == 0
    moved = table.set_column(0, "d", pa.array(dates.cast(pa.int32()).to_numpy() + 1).cast("date32"))
    pyarrow.parquet.write_table(moved, path)
    assert certo("verify", model, path).code == 3


class TestForged:
    """What a forger changes in a model file, with a fingerprint that fits."""

    def test_levels_that_the_table_does_not_have(self, certo, written, tmp_path):
        text = "k,a,t\n" + "".join(f"{'pqr'[i % 3]},{i % 5},{'xy'[i % 7 > 3]}\n" for i in range(60))
        table, model = written(text), tmp_path / "m"
        certo("fit", table, "--target", "t", "--machine", "logistic", "--out", model)
        stored = load_model(model).model
        stored.encoder.levels_.categories_[0][0] = "n"  # the one that the others are compared with
        save_model(model, stored)
        said = certo("verify", model, table)
        assert said.code == 1
        assert "other levels than the table" in said.out

    def test_intervals_are_said_to_be_unchecked(self, certo, written, tmp_path):
        text = "a,t\n" + "".join(f"{i},{2 * i + i % 3}\n" for i in range(30))
        table, model = written(text), tmp_path / "m"
        certo("fit", table, "--target", "t", "--machine", "least-squares", "--out", model)
        assert "intervals, so they are not checked" in certo("verify", model, table).out

    def test_less_than_no_bound_was_tried_for(self):
        page = Certified("a model", Composite(()))
        with pytest.raises(ValueError, match="asked ≥ 0"):
            replace(page, asked=-1)


@pytest.mark.slow
def test_predictions_are_utf8_whatever_the_terminal_speaks(certo, written, tmp_path):
    text = "a,t\n" + "".join(f"{i},{('да', 'ß')[i > 20]}\n" for i in range(40))
    table, model = written(text), tmp_path / "m"
    certo("fit", table, "--target", "t", "--out", model)
    said = subprocess.run(
        [sys.executable, "-c", "from certo.cli import main; main()", "predict", model, table],
        capture_output=True, env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert said.stdout.decode("utf-8").splitlines()[1].split(",")[1] in ("да", "ß")


def test_an_interruption_while_it_loads_is_told_in_words():
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "loading\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert json.loads(out)["error"] == "interrupted before anything was done."


SLOW = """
import sys, time
import certo.cli
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "certo.cli.app":
            print("loading", flush=True)
            time.sleep(60)
sys.meta_path.insert(0, Slow())
sys.argv = ["certo", "fit", "--json"]
certo.cli.main()
"""


class TestClaimsThatSayNothing:
    """A claim may be true and say nothing: it is on the page, but never with a green mark."""

    ROWS = "a,b,t\n" + "".join(
        f"{x:.3f},{z:.3f},{'xy'[x + 0.5 * e > 0]}\n"
        for x, z, e in np.random.default_rng(0).normal(size=(250, 3)).tolist()
    )

    @pytest.mark.parametrize(
        ("machine", "setting", "name"),
        [
            ("pegasos", "max_iter=10", "ExpectedExcess"),
            ("svm", "C=1e6", "SoftMarginGap"),
            ("logistic", "max_iter=1", "LogisticExcess"),
        ],
    )
    def test_no_check_mark(self, certo, written, tmp_path, machine, setting, name):
        table, model = written(self.ROWS), tmp_path / "m"
        words = ["--target", "t", "--machine", machine, "--set", setting, "--out", model]
        words += ["--set", "max_iter=1"] if machine == "svm" else []
        said = certo("fit", table, *words)
        assert any(line.startswith("  ○ ") for line in said.out.splitlines())
        checked = certo("verify", model, table, "--json").json
        (claim,) = (part for part in checked["claims"] if part["type"] == name)
        assert (claim["holds"], claim["informative"]) == (True, False)
        assert claim["remark"] == "This is trivially true."

    @pytest.mark.slow
    def test_coefficients_are_called_an_estimate_only_where_they_are(
        self, certo, written, tmp_path
    ):
        table, page = written(self.ROWS), tmp_path / "page.html"
        words = ["--target", "t", "--machine", "logistic", "--report", page]
        assert certo("fit", table, *words, "--json").json["coefficients"]["is_estimate"]
        certo("fit", table, *words, "--set", "max_iter=1")
        assert "Coefficients, which are not proved to be an estimate" in page.read_text()


def test_silent_data_loss_is_refused(certo, written, tmp_path):
    table, both = written("a,b,t\n" + _rows()), tmp_path / "both.svg"
    words = ["--target", "t", "--values", "1,2"]
    said = certo("curve", table, *words, "--report", both, "--picture", both)
    assert (said.code, both.exists()) == (2, False)
    said = certo("fit", table, "--target", "t", "--machine", "svm", "--C", "1", "--lam", "1")
    assert said.code == 2
    assert "--C and --lam set the same penalty" in said.err


class TestColumnsWithoutAName:
    """As spreadsheets leave them, with commas up to a column that once was used."""

    TABLE = "label,text,,,\n" + "".join(f"{'xy'[i % 2]},{i % 2 + i / 99},,,\n" for i in range(60))

    def test_they_are_called_by_their_places(self, certo, written, tmp_path):
        table, model = written(self.TABLE), tmp_path / "m"
        refused = certo("fit", table, "--target", "label")
        assert refused.code == 2
        assert "column 'column3' must have a value in every row" in refused.err
        assert "; values are missing in 'column4', 'column5', too." in refused.err
        drop = [word for k in (3, 4, 5) for word in ("--drop", f"column{k}")]
        said = certo("fit", table, "--target", "label", *drop, "--out", model)
        assert said.code == 0
        assert (
            "3 columns have no name and are called by their places, column3 to column5" in said.out
        )
        assert certo("verify", model, table).code == 0
        assert certo("predict", model, table).code == 0

    def test_names_that_are_taken_are_not_given_again(self, certo, written):
        said = certo("fit", written(self.TABLE.replace("text", "column4")), "--target", "label")
        assert said.code == 2
        assert "column names must differ, but '' occurs more than once (1 such name)." in said.err


def test_a_target_that_is_missing_cannot_be_dropped(certo, written):
    said = certo("fit", written("a,y\n" + "1,u\n2,v\n" * 30 + "3,\n"), "--target", "y")
    assert said.code == 2
    assert said.err.endswith(
        "it is missing in 1 row. Fill them in, or leave out those rows (--missing drop).\n"
    )
