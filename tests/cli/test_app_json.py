"""What --json prints is of the shape that `certo/report/schema.json` documents."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
import skops.io
from sklearn.svm import SVC

from certo.verify import verify_folder

jsonschema = pytest.importorskip("jsonschema")
SCHEMA = json.loads(files("certo.report").joinpath("schema.json").read_text(encoding="utf-8"))
EXAMPLES = Path(__file__).parents[2] / "examples"
IRIS, SHORES = EXAMPLES / "iris.csv", EXAMPLES / "shores.csv"


def check(value, name: str) -> None:
    schema = {"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(value)


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "machine"),
    [
        ("species", "perceptron"),
        ("species", "logistic"),
        ("species", "svm"),
        ("petal_width", "least-squares"),
    ],
)
def test_from_a_fit_to_a_checked_folder(certo, tmp_path, target, machine):
    model, folder = tmp_path / "m", tmp_path / "proof"
    words = "--target", target, "--machine", machine, "--scale", "none", "--out", model, "--json"
    fitted = certo("fit", IRIS, *words).json
    check(fitted, "fit")
    check(certo("predict", model, IRIS, "--json").json, "predict")
    audit = certo("verify", model, IRIS, "--json").json
    check(audit, "verify")
    check(certo("proof", model, IRIS, "--out", folder, "--json").json, "proof")
    check(certo("info", model, "--json").json, "info")
    check(certo("export", model, "--onnx", tmp_path / "m.onnx", "--json").json, "export")
    found = json.loads(json.dumps(verify_folder(folder).to_dict()))
    check(found, "folder")
    shared = set(SCHEMA["$defs"]["page"]["required"])
    assert shared <= set(fitted) & set(audit) & set(found)
    kinds = [[claim["type"] for claim in said["claims"]] for said in (fitted, audit, found)]
    assert kinds[0] == kinds[1] == kinds[2]


def test_somebody_elses_model(certo, tmp_path):
    skops.io.dump(SVC(gamma=1.0).fit([[0], [1], [4], [5]], ["a", "a", "b", "b"]), tmp_path / "m")
    (tmp_path / "t.csv").write_text("x,y\n0,a\n1,a\n4,b\n5,b\n")
    said = certo("certify", tmp_path / "m", tmp_path / "t.csv", "--target", "y", "--json")
    check(said.json, "certify")


@pytest.mark.slow
def test_other_commands(certo, tmp_path):
    check(certo("separable", IRIS, "--target", "species", "--json").json, "separable")
    for target in ("species", "petal_width"):
        words = "--target", target, "--folds", "2", "--json"
        check(certo("compare", IRIS, *words).json, "compare")
    words = "--target", "shore", "--values", "1,10", "--folds", "2", "--json"
    check(certo("curve", SHORES, *words).json, "curve")
    words = "--target", "species", "--machine", "hard-margin", "--json"
    check(certo("fit", IRIS, *words).json, "refusal")
    check(certo("fit", IRIS, "--target", "none", "--json").json, "error")
