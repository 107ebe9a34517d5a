"""Files that were written once must verify in every later version.

Those in `tests/golden` are of the first format that is still read: "certo model 3". Model files of
format 4 are in `tests/golden/format-4`, of the machines that it has other arrays of, and of one
more; of format 5 in `tests/golden/format-5`, with rows held out; of format 6 in
`tests/golden/format-6`, with a vote of pairs. `python -m tests.test_golden
FOLDER` writes all of them anew, into a folder for a format that gets a new number.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyarrow.csv
import pytest

TESTS = Path(__file__).resolve().parent
GOLDEN, EXAMPLES = TESTS / "golden", TESTS.parent / "examples"
CLAIMS = GOLDEN / "certificates.json"
#: what the command line fits: the table, its target and the machine with its settings
FITS = {
    "perceptron": ("setosa", "species", "perceptron", []),
    "svm": ("shores", "shore", "svm", []),
    "gaussian-svm": ("shores", "shore", "svm", ["kernel=Gaussian(2.0)"]),
    "hard-margin": ("setosa", "species", "hard-margin", []),
    "kernel-perceptron": ("shores", "shore", "kernel-perceptron", ["kernel=Polynomial(2)"]),
    "pegasos": ("setosa", "species", "pegasos", ["random_state=0"]),
    "least-squares": ("iris", "petal_width", "least-squares", []),
    "logistic": ("iris", "species", "logistic", []),
    "min-disagreement": ("setosa", "species", "min-disagreement", []),
    "svm-3-classes": ("iris", "species", "svm", ["multiclass=rest"]),
    "kernel-pegasos": (
        "iris", "species", "pegasos", ["kernel=Gaussian(2.0)", "max_iter=2000", "random_state=0"],
    ),
}  # fmt: skip
HELD_OUT = {
    "svm-held-out": ("iris", "species", "svm", []),
    "least-squares-held-out": ("iris", "petal_width", "least-squares", []),
}
PAIRS = {
    "svm-pairs": ("iris", "species", "svm", []),
    "gaussian-pairs": (
        "iris", "species", "svm", ["kernel=Gaussian(2.0)", "C=10.0", "break_ties=True"],
    ),
}  # fmt: skip
PROOFS = {name: GOLDEN / f"{name}.proof" for name in FITS}
PROOFS |= {name: GOLDEN / "format-6" / f"{name}.proof" for name in PAIRS}
#: model files, and the name of the fit in each
MODELS = {path: path.stem for path in sorted(GOLDEN.glob("**/*.certo"))}


def table_of(name: str):
    return pyarrow.csv.read_csv(EXAMPLES / f"{(FITS | HELD_OUT | PAIRS)[name][0]}.csv")


def write(folder: Path) -> None:
    """Everything anew."""
    from certo.tables.audit import rows_of
    from certo.tables.fit import fit_table
    from certo.tables.held_out import HeldOut
    from certo.tables.model_file import save_model
    from certo.tables.proof_folder import write_proof
    from certo.tables.settings import machine
    from tests import portable

    portable.issue_to(folder / CLAIMS.name, None, 1, {})
    for name, (_, target, kind, settings) in (FITS | HELD_OUT | PAIRS).items():
        table, held_out = table_of(name), HeldOut(0.2, 0) if name in HELD_OUT else None
        chosen = machine(kind, settings)
        fitted = fit_table(table, target, chosen, scale="none", held_out=held_out)
        save_model(folder / f"{name}.certo", fitted.model)
        rows = rows_of(fitted.model, table)
        said = fitted.model.machine.predict(rows.X).tolist()
        (folder / f"{name}.predicted.json").write_text(json.dumps(said))
        if held_out is not None:
            continue
        model = fitted.model
        write_proof(
            folder / f"{name}.proof", fitted.certified, model.machine, *rows.pair,
            encoder=model.encoder,
        )  # fmt: skip


def test_certificates_of_every_kind_verify():
    from certo import certificates
    from tests import portable

    given = json.loads(CLAIMS.read_text())["cases"]
    assert portable.rejected(given) == []
    assert {case["data"]["type"] for case in given} >= set(certificates.KINDS)


@pytest.mark.parametrize("path", MODELS, ids=lambda path: str(path.relative_to(GOLDEN)))
def test_models_verify_and_predict_as_they_did(path):
    from certo.tables.audit import audit_table, rows_of
    from certo.tables.model_file import load_model

    name = MODELS[path]
    loaded, table = load_model(path), table_of(name)
    found = audit_table(loaded, table)
    assert found.passed, found
    said = loaded.model.machine.predict(rows_of(loaded.model, table).X).tolist()
    folder = path.parent if name in HELD_OUT | PAIRS else GOLDEN
    assert said == pytest.approx(json.loads((folder / f"{name}.predicted.json").read_text()))


@pytest.mark.parametrize("name", PROOFS)
def test_proofs_verify(name):
    from certo.verify import HOLDS, verify_folder

    assert verify_folder(PROOFS[name]).code == HOLDS


if __name__ == "__main__":
    write(Path(sys.argv[1]))
