from __future__ import annotations

import gzip
import json
import os
import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from certo.certificates import CompressionBound
from certo.tables.model_file import load_model, save_model
from certo.verify import verify_folder

SMALL = "size,colour,kind\n1,red,a\n2,blue,b\n3,red,a\n4,blue,b\n"


@pytest.fixture
def written(tmp_path):
    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


@pytest.mark.slow
def test_fit_says_what_it_did_and_writes_what_was_asked_for(certo, written, tmp_path):
    table, model, page = written(SMALL), tmp_path / "m.certo", tmp_path / "r.html"
    words = "--target", "kind", "--machine", "perceptron", "--out", model, "--report", page
    said = certo("fit", table, *words, "--verbose")
    assert said.code == 0
    assert "1 numeric column, scaled to mean 0 and variance 1" in said.out
    assert "1 categorical column, one 0/1 feature for each level" in said.out
    assert "Separable" in said.out
    assert f"certo verify {model} {table}" in said.out
    assert model.exists()
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert certo("verify", model, table).code == 0


def test_piped_text_is_not_wrapped_and_has_no_colours(certo, written):
    said = certo("fit", written(SMALL), "--target", "kind")
    assert "\x1b" not in said.out
    assert any(len(line) > 100 for line in said.out.splitlines())
    assert not any(line.endswith(" ") for line in said.out.splitlines())
    assert "Nothing was written" in said.out


@pytest.mark.slow
def test_json_and_report_hold_the_same_facts(certo, written, tmp_path):
    page = tmp_path / "r.html"
    said = certo("fit", written(SMALL), "--target", "kind", "--report", page, "--json")
    inside = re.search(
        r'<script type="application/json" id="facts">(.*?)</script>', page.read_text()
    )
    assert json.loads(inside[1]) == said.json
    assert said.json["classes"] == ["a", "b"]
    assert said.json["converged"] is True


def test_plain_sentences_come_before_the_claims(certo, written):
    words = "fit", written(SMALL), "--target", "size", "--drop", "colour", "--scale", "none"
    words = *words, "--machine", "perceptron"
    said, facts = certo(*words, "--verbose"), certo(*words, "--json").json
    kinds = [claim["type"] for claim in facts["claims"]]
    for kind, claim in zip(kinds, facts["claims"], strict=True):
        if kinds.count(kind) <= 2 or claim["about"] == facts["claims"][kinds.index(kind)]["about"]:
            assert said.out.index(claim["plain"]) < said.out.index("MistakeBound\n")
        assert said.out.index("MistakeBound\n") < said.out.rindex(claim["claim"])
    for sentence in facts["in_words"]:
        assert f"  {sentence}\n" in said.out
    assert facts["delta"] == 0.05


def test_lines_that_need_several_stay_beside_their_mark(certo, written, monkeypatch):
    for name, value in {"FORCE_COLOR": "1", "TERM": "dumb", "COLUMNS": "60"}.items():
        monkeypatch.setenv(name, value)
    lines = certo("fit", written(SMALL), "--target", "kind").out.splitlines()
    mark = next(k for k, line in enumerate(lines) if "✓" in line)
    assert lines[mark + 1].startswith(" " * 4)
    whole = [line for line in lines if ": certo " not in line]  # A command is never broken.
    assert all(len(line) <= 60 + 20 for line in whole)  # and colours


def test_messages_name_commands_not_python_functions(certo, written):
    table = written("x,y\n1,a\n2,b\n3,a\n4,b\n")
    said = certo("fit", table, "--target", "y", "--machine", "svm", "--verbose")
    assert "certo separable DATA --target COLUMN." in said.out
    assert "certo.separability" not in said.out


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("semicolons.csv", lambda text: text.replace(",", ";")),
        ("tabs.tsv", lambda text: text.replace(",", "\t")),
        ("bom.csv", lambda text: "\ufeff" + text),
        ("windows.csv", lambda text: text.replace("\n", "\r\n")),
        ("quoted.csv", lambda text: re.sub(r"(\w+)", r'"\1"', text)),
        ("zipped.csv.gz", lambda text: gzip.compress(text.encode())),
        ("zipped-but-not-named-so.csv", lambda text: gzip.compress(text.encode())),
    ],
)
def test_equivalent_files_give_the_same_result(certo, written, name, change):
    plain = certo("fit", written(SMALL), "--target", "kind", "--json").json
    other = certo("fit", written(change(SMALL), name), "--target", "kind", "--json").json
    for fact in ("data_fingerprint", "claims", "columns", "training_accuracy"):
        assert other[fact] == plain[fact]
    if name in ("semicolons.csv", "tabs.tsv"):
        assert f"separated by {name.partition('.')[0]}" in other["notes"][0]


def test_parquet(certo, written, tmp_path):
    plain = certo("fit", written(SMALL), "--target", "kind", "--out", tmp_path / "m", "--json").json
    pa.parquet.write_table(
        pa.table({"size": [1, 2, 3, 4], "colour": ["red", "blue"] * 2, "kind": ["a", "b"] * 2}),
        tmp_path / "t.parquet",
    )
    other = certo("fit", tmp_path / "t.parquet", "--target", "kind", "--json").json
    assert other["data_fingerprint"] == plain["data_fingerprint"]
    assert certo("verify", tmp_path / "m", tmp_path / "t.parquet").code == 0


OLD = "--machine", "perceptron", "--set"
REFUSED = {
    "nan": ("x,y\n1,a\nnan,b\n", "row 2 it is missing", []),
    "blank": ("x,y\n1,a\n,b\n", "'x' must have a value in every row", []),
    "infinite": ("x,y\n1,a\ninf,b\n", "row 2 has inf", []),
    "minus infinite": ("x,y\n-inf,a\n1,b\n", "row 1 has -inf", []),
    "huge": ("x,y\n1e200,a\n1,b\n", "1e+200", []),
    "denormal": ("x,y\n1e-310,a\n2e-310,b\n", "Rescale", []),
    "infinite, row numbers of the file": (
        "x,z,y\n1,,a\n2,1,b\ninf,1,a\n",
        "row 3 has inf",
        ["--missing", "drop"],
    ),
    "one class": ("x,y\n1,a\n2,a\n", "at least two classes", []),
    "one row": ("x,y\n1,a\n", "at least two classes", []),
    "header only": ("x,y\n", "no rows", []),
    "empty": ("", "is empty", []),
    "blank lines": ("\n\n\n", "is empty", []),
    "target missing": (
        "x,z\n1,a\n2,b\n",
        "no target column 'y'. The table has the columns 'x', 'z'",
        [],
    ),
    "target misspelt": ("x,Y \n1,a\n2,b\n", "Did you mean 'Y '?", []),
    "only the target": ("y\na\nb\n", "no feature column is left", []),
    "missing label": ("x,y\n1,a\n2,\n3,b\n", "missing in 1 row", []),
    "continuous": ("x,y\n1,0.5\n2,0.7\n", "looks continuous", ["--task", "classes"]),
    "continuous, infinite": ("x,y\n1,inf\n2,1\n", "row 1 has inf", []),
    "continuous, whole": (
        "x,y\n" + "".join(f"{i},{i}\n" for i in range(150)),
        "continuous",
        ["--task", "classes"],
    ),
    "every row its class": (
        "x,y\n" + "".join(f"{i},n{i}\n" for i in range(30)),
        "identifier of the rows",
        [],
    ),
    "date as target": ("x,y\n1,2020-01-01\n2,2020-01-02\n", "holds dates", []),
    "dates as target, no advice to drop": (
        "x,y\n1,2020-01-01\n2,2020-01-02\n",
        "Choose another column, or convert dates to numbers first, such as the days since",
        [],
    ),
    "grouped digits as target": (
        "x,y\n" + "".join(f'{i},"17.{i:03},5"\n' for i in range(30)),
        "the target 'y' seems to hold numbers with a decimal comma or a thousands separator",
        [],
    ),
    "a few grouped digits": (
        "x,y\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(60)) + '"1,200",a\n',
        "'1,200' (1 such row). Write numbers with digits and a decimal point only",
        [],
    ),
    "decimal commas as numbers": (
        'x,y\n1,"0,5"\n2,"0,7"\n',
        "Write numbers with digits and a decimal point only",
        ["--machine", "least-squares"],
    ),
    "one value in the column": (
        "x,y\n" + "".join(f"{i},a\n" for i in range(60)),
        "'a' is the only value in all 60 rows",
        [],
    ),
    "one value in the rows of the fit": (
        "x,y\n1,a\n2,b\n",
        "only 'a' occurs outside the rows held out (--seed draws others)",
        ["--test", "0.5"],
    ),
    "target missing in a wide table": (
        ",".join(f"x{i}" for i in range(20)) + ",z\n" + ",".join("1" * 21) + "\n",
        "'x10', … (21 in all), 'z'.",
        [],
    ),
    "date as feature": ("x,y\n2020-01-01,a\n2020-01-02,b\n", "--drop 'x'", []),
    "names twice": ("x,x,y\n1,2,a\n3,4,b\n", "'x' occurs more than once", []),
    "ragged": ("x,y\n1,a\n2,b,c\n", "2 cells, but row 2 has 3 cells: '2,b,c'", []),
    "unknown encoding": (b"x,y\n1,caf\x81\n2,b\n", "byte 0x81 in line 2", []),
    "binary": (b"\x89PNG\r\n\x1a\n\x00\x00\x01", "binary file", []),
    "spreadsheet": (b"PK\x03\x04\x14\x00", "spreadsheet", []),
    "broken gzip": (gzip.compress(SMALL.encode())[:-12], "cannot be read as a table", []),
    "broken parquet": (b"PAR1 and nothing else", "cannot be read as a table", []),
    "drop nothing": (SMALL, "no column 'weight'", ["--drop", "weight"]),
    "scale": (SMALL, "'standard' or 'none'", ["--scale", "robust"]),
    "missing": (SMALL, "'refuse' or 'drop'", ["--missing", "impute"]),
    "machine": (SMALL, "there is no machine 'svn'", ["--machine", "svn"]),
    "setting": (SMALL, "perceptron has no setting epoch. Its settings are ", [*OLD, "epoch=3"]),
    "setting's value": (SMALL, "epochs must be an integer", [*OLD, "epochs=-3"]),
    "setting's code": (SMALL, "a learning rate must be", [*OLD, "learning_rate=exit()"]),
    "setting's call": (SMALL, "a learning rate must be", [*OLD, "learning_rate=Power(2)"]),
    "density": (SMALL, "has no target to predict", ["--machine", "gaussian-density"]),
    "task": (SMALL, "'classes' or 'numbers'", ["--task", "both"]),
    "task and machine": (SMALL, "either --task or", ["--task", "numbers", "--machine", "svm"]),
    "settings of a choice": (SMALL, "chooses the settings", ["--machine", "auto", "--C", "3"]),
    "share": (SMALL, "--test must be a share", ["--test", "1.5"]),
    "seed": (SMALL, "--seed must be from 0", ["--test", "0.5", "--seed", "-1"]),
    "no test file": (SMALL, "no such file", ["--test", "nowhere.csv"]),
    "kernel": (SMALL, "a kernel must be", ["--kernel", "gauss(2)"]),
    "kernel of none": (SMALL, "no setting kernel", ["--machine", "logistic", "--kernel", "linear"]),
}


@pytest.mark.parametrize("what", REFUSED)
def test_unusable_input_is_refused_with_a_message(certo, written, tmp_path, what):
    text, expected, options = REFUSED[what]
    target = "kind" if text == SMALL else "y"
    outputs = ["--out", tmp_path / "m.certo", "--report", tmp_path / "r.html"]
    said = certo("fit", written(text), "--target", target, *options, *outputs)
    assert said.code == 2
    assert said.out == ""
    assert expected in said.err
    assert len(said.err.splitlines()) == 1
    assert os.listdir(tmp_path) == ["table.csv"]


def test_errors_are_json_when_that_is_asked_for(certo, written):
    said = certo("fit", written("x,y\n"), "--target", "y", "--json")
    assert said.code == 2
    assert "no rows" in said.json["error"]


@pytest.mark.parametrize("place", ["no/such/folder/m.certo", "", "/dev/null", "table.csv"])
def test_outputs_that_cannot_be_written_are_refused_before_the_work(
    certo, written, tmp_path, place
):
    table = written(SMALL)
    said = certo("fit", table, "--target", "kind", "--out", tmp_path / place)
    assert said.code == 2
    assert table.read_text() == SMALL
    assert os.listdir(tmp_path) == ["table.csv"]


def test_out_and_report_must_differ(certo, written, tmp_path):
    both = tmp_path / "x"
    said = certo("fit", written(SMALL), "--target", "kind", "--out", both, "--report", both)
    assert said.code == 2
    assert not both.exists()


@pytest.mark.parametrize(
    ("path", "problem"), [("nowhere.csv", "no such file"), ("", "holds no file that can be read")]
)
def test_missing_file_and_empty_folder(certo, tmp_path, path, problem):
    said = certo("fit", tmp_path / path, "--target", "y")
    assert said.code == 2
    assert problem in said.err
    assert not os.listdir(tmp_path)


@pytest.mark.slow
def test_names_and_texts_with_anything_in_them(certo, written, tmp_path):
    text = (
        '[bold]b,"a ""q"", and\nmore",naïve £ 数,$x^2$,_u,<script>,y\n'
        '1,"v,1",ä,1,_a,<b>,[red]yes\n2,"v\n2",ö,2,_b,</script>,[red]no\n'
        '3,"v,1",ä,3,_a,<b>,[red]yes\n4,"v\n2",ö,5,_b,</script>,[red]no\n'
    )
    page, model = tmp_path / "r.html", tmp_path / "m"
    table = written(text)
    said = certo("fit", table, "--target", "y", "--report", page, "--out", model)
    assert said.code == 0
    assert "[red]no, [red]yes" in said.out
    assert page.read_text().count("</script>") == 1
    assert "<b>, " not in page.read_text()
    assert certo("verify", model, table).code == 0
    predicted = certo("predict", model, table)
    cells = [line.split(",")[1] for line in predicted.out.splitlines()]
    assert cells == ["prediction", "[red]yes", "[red]no", "[red]yes", "[red]no"]


def test_control_characters_do_not_reach_the_terminal(certo, written):
    said = certo("fit", written("x,y\n1,\x1b[31ma\n2,b\n"), "--target", "y")
    assert said.code == 0
    assert "\x1b" not in said.out


def test_booleans_and_an_empty_name(certo, written):
    facts = certo(
        "fit", written(",f,y\n7,true,true\n3,false,false\n"), "--target", "y", "--json"
    ).json
    assert facts["classes"] == [False, True]
    assert facts["columns"]["numbers"] == ["", "f"]


def test_odd_but_usable_input_yields_notes(certo, written):
    text = "id,c,k,n,b,y\n1,5,x,?, u,a\n2,5,x,3, v,b\n3,5,x,4, u,a\n4,5,x,5, v,b\n"
    text += "5,5,x,5, v,b\n"
    said = certo("fit", written(text), "--target", "y", "--drop", "id", "--verbose")
    assert said.code == 0
    for words in (
        "column 'c' is constant (5)",
        "column 'k' is constant ('x')",
        "'?' stands in column 'n'",
        "--na '?'",
        "blanks around it, such as ' u' in column 'b'",
        "1 exact repetition of other rows",
    ):
        assert words in said.out
    assert "column 'id' numbers the rows" in certo("fit", written(text), "--target", "y").out


def test_row_numbers_are_noticed_where_rows_are_held_out(certo, written):
    text = "id,a,y\n" + "".join(f"{i},{i * i % 7},{'uv'[i % 2]}\n" for i in range(60))
    assert "column 'id' numbers the rows" in certo("fit", written(text), "--target", "y").out


def test_long_cells_are_shown_in_part(certo, written):
    text = "c,n,y\n" + "".join(f"{'w ' * 5000},{i % 5},{'uv'[i % 2]}\n" for i in range(60))
    said = certo("fit", written(text), "--target", "y").out
    assert "column 'c' is constant ('w w " in said
    assert max(map(len, said.splitlines())) < 400


@pytest.mark.slow
def test_words_for_missing_values(certo, written, tmp_path):
    model, table = tmp_path / "m", written("n,y\n1,a\n?,b\n4,b\n3,b\n")
    facts = certo(
        "fit", table, "--target", "y", "--na", "?", "--missing", "drop", "--out", model, "--json"
    ).json
    assert facts["columns"]["numbers"] == ["n"]
    assert facts["examples"] == 3
    assert facts["notes"] == facts["remarks"]
    assert facts["notes"][0].startswith("1 of 4 rows was left out for missing values (in 1 a ")
    assert certo("verify", model, table).code == 0
    new = written("n\n2\n?\n4\n", "new.csv")
    refused = certo("predict", model, new)
    assert refused.code == 2
    assert "--missing drop" in refused.err
    assert "--drop" not in refused.err  # which predict does not have
    dropped = certo("predict", model, new, "--missing", "drop")
    assert "1 row with missing values left out." in dropped.err
    first, last = (line.split(",")[1] for line in dropped.out.splitlines()[1:])
    assert certo("predict", model, new, "--missing", "empty", "--json").json["predictions"] == [
        first, None, last,
    ]  # fmt: skip
    assert certo("predict", model, new, "--missing", "empty").out.splitlines()[2] == "2,,"
    assert certo("predict", model, new, "--missing", "guess").code == 2
    assert certo("predict", model, written("n\n?\n", "no.csv"), "--missing", "drop").code == 2


def test_numbers_can_be_categories(certo, written):
    table = written("zip,y\n10,a\n20,b\n10,a\n20,b\n30,b\n")
    facts = certo("fit", table, "--target", "y", "--category", "zip", "--json").json
    assert facts["columns"]["categories"] == ["zip"]
    assert facts["features"] == 3


def test_without_scaling_the_compression_bound_is_claimed(certo, written):
    table = written("x,y\n" + "".join(f"{i},{'a' if i < 30 else 'b'}\n" for i in range(-40, 90)))
    words = "--target", "y", "--machine", "perceptron", "--json"
    scaled = certo("fit", table, *words).json
    plain = certo("fit", table, *words, "--scale", "none").json
    assert "CompressionBound" in [refusal["name"] for refusal in scaled["not_claimed"]]
    assert "CompressionBound" in [
        item.get("type", item.get("name")) for item in plain["claims"] + plain["not_claimed"]
    ]
    assert "preprocessing" not in json.dumps(plain["not_claimed"])


def test_many_columns_and_few_rows(certo, written):
    names = [f"c{i}" for i in range(300)]
    rows = [",".join(str((i * j) % 7) for j in range(300)) + "," + "ab"[i % 2] for i in range(8)]
    table = written(",".join([*names, "y"]) + "\n" + "\n".join(rows))
    said = certo("fit", table, "--target", "y", "--verbose")
    assert said.code == 0
    assert "300 features" in said.out


def test_settings(certo, written):
    facts = certo(
        "fit", written(SMALL), "--target", "kind", "--json", "--set", "epochs=3",
        "--machine", "perceptron", "--set", "order=shuffled", "--set", "random_state=1",
        "--set", "learning_rate=Power(exponent=0.25)",
    ).json  # fmt: skip
    assert facts["settings"]["epochs"] == 3
    assert facts["settings"]["order"] == "shuffled"
    assert facts["settings"]["learning_rate"] == "Power(initial=1.0, exponent=0.25)"


def test_unexpected_errors_take_one_line(certo, written, monkeypatch):
    def fail(*_):
        raise RuntimeError("the roof is on fire")

    monkeypatch.setattr("certo.report.facts", fail)
    said = certo("fit", written(SMALL), "--target", "kind")
    assert said.code == 4
    assert "RuntimeError: the roof is on fire" in said.err
    assert "CERTO_TRACEBACK=1" in said.err
    assert len(said.err.splitlines()) == 1


def test_help_version_and_wrong_commands(certo):
    assert "Exit codes" in certo("--help").out
    assert certo("--version").out.startswith("certo ")
    assert certo("fly").code == 2
    assert certo("fit").code == 2


def test_a_first_line_of_numbers_is_noted(certo, written):
    rows = "3.62,8.66,-2.8,0\n4.5,8.1,-2.4,0\n-1.4,3.3,-1.3,1\n-3.5,-8.3,1.2,1\n"
    for command in ("fit", "separable"):
        said = certo(command, written(rows), "--target", "0")
        assert "but 4 of 4 are numbers (3.62, 8.66, -2.8, …): if the file has no header" in said.out
    counted = written("y,0,1,2,3\n" + "a,1,2,3,4\nb,4,3,2,1\n")
    assert "the first line" not in certo("fit", counted, "--target", "y").out


def _rows(written, name="t.csv", *, seed=0, m=300, words=(), empty=(), holes=()):
    """A table that two numbers decide; the target of some rows is 'odd', of others empty."""
    random = np.random.default_rng(seed)
    lines = ["a,b,y"]
    for t, (a, b) in enumerate(random.normal(size=(m, 2)).tolist()):
        y = "odd" if t in words else "" if t in empty else "up" if a > 0 else "down"
        lines.append(f"{a!r},{'' if t in holes else repr(b)},{y}")
    return written("\n".join(lines) + "\n", name)


PERCEPTRON = "--machine", "perceptron", "--test", "none"
FIT = "--target", "y", "--scale", "none", "--missing", "drop", *PERCEPTRON


def test_rows_left_out_by_a_feature_are_said_everywhere(certo, written, tmp_path):
    table, model = _rows(written, holes={3, 9}, empty={7}), tmp_path / "m"
    said = certo("fit", table, *FIT, "--out", model, "--verbose")
    left = (
        "3 of 300 rows were left out for missing values (in 1 the target is empty, in 2 a feature "
        "is missing): no result here, and no claim about new data, covers such rows."
    )
    assert said.out.count(left) == 1
    assert "CompressionBound\n" in said.out
    assert f"note {left}" in certo("verify", model, table).out
    assert f"note {left}" in certo("proof", model, table, "--out", tmp_path / "p").out
    facts = verify_folder(tmp_path / "p").to_dict()
    assert facts["code"] == 0
    assert facts["remarks"][0] == left


@pytest.mark.slow
def test_rows_left_out_by_the_target_withdraw_claims_about_new_rows(certo, written, tmp_path):
    table, model = _rows(written, words=set(range(0, 300, 7))), tmp_path / "m"
    why = "43 rows were left out because of the value of the target (--na)"
    words = [*FIT, "--na", "odd", "--out", model]
    facts = certo("fit", table, *words, "--json").json
    assert {claim["type"] for claim in facts["claims"]} == {
        "MistakeBound", "Separable", "TrainingErrors",
    }  # fmt: skip
    assert any(why in refusal["reason"] for refusal in facts["not_claimed"])
    said = certo("verify", model, table)
    assert said.code == 0
    assert "in 43 the target is a value that --na names" in said.out
    # A model that claims it all the same is not believed.
    other = tmp_path / "other"
    kept = written(
        "\n".join(x for x in table.read_text().split("\n") if "odd" not in x), "kept.csv"
    )
    assert certo("fit", kept, *FIT, "--out", other).code == 0
    stored, forged = load_model(model).model, load_model(other).model
    stored.machine, stored.certified = forged.machine, forged.certified
    save_model(other, stored)
    said = certo("verify", other, table)
    assert said.code == 1
    assert f"CompressionBound is claimed, but {why}" in said.out
    # Nor is the machine, where the page is silent.
    of_fit = forged.certified.claims.without(CompressionBound, "forged")
    stored.certified = replace(forged.certified, claims=of_fit)
    save_model(other, stored)
    said = certo("verify", other, table)
    assert said.code == 1
    assert f"CompressionBound is claimed, but {why}" in said.out
    # Of test rows the same is true.
    test = _rows(written, "test.csv", seed=1, words={5})
    said = certo("fit", kept, *FIT, "--na", "odd", "--test", test, "--verbose")
    assert "TestErrors not claimed\n  1 row was left out because of the value" in said.out


@pytest.mark.slow
def test_settings_that_were_tried_are_paid_for(certo, written, tmp_path):
    table, model = _rows(written), tmp_path / "m"
    bounds = {}
    for tried in ("1", "7", "data"):
        facts = certo("fit", table, *FIT, "--tried", tried, "--out", model, "--json").json
        found = [claim for claim in facts["claims"] if claim["type"] == "CompressionBound"]
        bounds[tried] = [claim["numbers"]["tail"] for claim in found]
        assert certo("verify", model, table).code == 0
        assert load_model(model).model.certified.tried == (7 if tried == "7" else 1)
    assert bounds["1"] < bounds["7"]
    assert bounds["data"] == []
    refused = certo("fit", table, *FIT, "--tried", "0")
    assert refused.code == 2
    assert "--tried must be an integer" in refused.err
