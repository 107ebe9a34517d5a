"""Proof folders: true ones verify with NumPy and SciPy alone, and nothing forged ever does."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.svm import SVC

from certo import SVM, KernelPerceptron, Perceptron, certify
from certo.certificates import (
    Certified,
    Composite,
    CompressionBound,
    Labels,
    PerceptronRun,
    PerceptronScheme,
    StatedPredictions,
    TestErrors,
)
from certo.certificates.sample import shared_rows
from certo.data.problem import Problem
from certo.kernels import Function, Gaussian, Spectrum
from certo.tables.proof_folder import write_proof
from certo.verify import FAILS, HOLDS, NOT_AS_WRITTEN, Unusable, main, verify_folder

RNG = np.random.default_rng(0)
X = RNG.normal(size=(48, 3))
Y = np.where(X[:, 0] + 0.3 * RNG.normal(size=48) > 0, "yes", "no")
THREE = np.digitize(X[:, 1], [-0.5, 0.5])
FRESH = RNG.normal(size=(30, 3))
FRESH_Y = np.where(FRESH[:, 0] > 0, "yes", "no")
CASES = {
    "svm": (SVM(intercept="none"), X, Y),
    "kernel": (SVM(kernel=Gaussian(2.0)), X.astype(np.float32), Y),
    "three": (Perceptron(epochs=3), sparse.csr_array(np.round(X) * (X > 0)), THREE),
    "mistakes": (KernelPerceptron(kernel=Gaussian(2.0)), X, THREE),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    place = tmp_path_factory.mktemp("proofs")
    for name, (machine, inputs, labels) in CASES.items():
        machine.fit(inputs, labels)
        tested = (FRESH, FRESH_Y) if name == "svm" else (None, None)
        page = certify(machine, inputs, labels, X_test=tested[0], y_test=tested[1])
        write_proof(place / name, page, machine, inputs, labels, *tested)
    return place


@pytest.fixture
def copied(folders, tmp_path):
    def copy(name="svm"):
        return shutil.copytree(folders / name, tmp_path / name)

    return copy


def rewritten(folder, change, *, fingerprints=True):
    """The folder with another proof.json, fingerprints of the other files made anew."""
    said = json.loads((folder / "proof.json").read_text())
    change(said)
    if fingerprints:
        for name in said["sha256"]:
            said["sha256"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    (folder / "proof.json").write_text(json.dumps(said))
    return folder


def outcome(folder):
    try:
        return verify_folder(folder).code
    except Unusable:
        return "unusable"


@pytest.mark.parametrize("name", CASES)
def test_a_true_proof_verifies(folders, name):
    found = verify_folder(folders / name)
    assert found.code == HOLDS
    assert found.verdict == f"Verified: {found.checked.why}"
    assert len(found.checked.parts) == len(found.proof.certified) >= 2
    assert "intercept_" in found.to_dict()["speaks_of"]


BLOCKED = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        known = sys.stdlib_module_names | {"numpy", "scipy", "certo"}
        if top not in known and not top.startswith("_sysconfigdata"):
            raise ImportError(f"{name} is blocked")
sys.meta_path.insert(0, Blocker())
import runpy
runpy.run_module("certo.verify", run_name="__main__")
"""


@pytest.mark.slow
def test_numpy_scipy_and_the_standard_library_suffice(folders):
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED, str(folders / "kernel"), "--code"],
        capture_output=True,
        text=True,
        env=os.environ | {"COLUMNS": "60"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Verified: all" in done.stdout
    assert "lines  certificates/model.py: Model.rule" in done.stdout
    total = int(done.stdout.splitlines()[-1].split()[0])
    assert 500 < total < 3000, "what there is to read takes longer than an hour"


def test_the_page_is_told_in_words_and_as_json(folders, capsys, monkeypatch):
    def run(*words):
        monkeypatch.setattr(sys, "argv", ["certo.verify", *map(str, words)])
        return main(), capsys.readouterr().out

    code, text = run(folders / "svm")
    assert code == 0
    assert "holds  SoftMarginGap ('yes' against 'no')" in text
    assert "assuming that" in text
    assert text.startswith("Model named in this folder: SVM(")
    sentence = verify_folder(folders / "svm").proof.certified.in_words()[0]
    assert sentence in " ".join(text.split())
    code, text = run(folders / "svm", "--json")
    said = json.loads(text)
    assert [claim["holds"] for claim in said["claims"]] == [True] * len(said["claims"])
    assert {"claim", "why", "numbers", "assumes", "rigour"} <= set(said["claims"][0])
    assert said["in_words"][0] == sentence
    assert 0 < said["best"]["bound"] < 1
    code, text = run(folders / "nowhere", "--json")
    assert code == 2
    assert "there is no file" in json.loads(text)["error"]


def test_no_risk_statement_unless_all_claims_hold(copied):
    folder = copied()
    (folder / "examples.npz").write_bytes((folder / "test.npz").read_bytes())
    said = verify_folder(folder).to_dict()
    assert said["code"] == FAILS
    assert said["best"] is None
    assert said["in_words"] == []


def test_test_examples_that_are_not_there(copied):
    folder = copied()
    (folder / "test.npz").unlink()
    with pytest.raises(Unusable, match=r"test\.npz, whose SHA-256 is in proof\.json"):
        verify_folder(folder)


def claim(said, kind, part="claims"):
    return next(c for c in said["certified"][part]["claims"] if c["type"] == kind)


def nudged(*path):
    """One number somewhere in proof.json, a little larger."""

    def change(said):
        for name in path[:-1]:
            said = claim(said, name) if name in ("SoftMarginGap", "TrainingErrors") else said[name]
        said[path[-1]] = said[path[-1]] + (1 if type(said[path[-1]]) is int else 1e-9)

    return change


FORGED = {
    "a weight of the model": nudged("model", "numbers", "coef_", 0, 0),
    "the intercept of the model": nudged("model", "numbers", "intercept_", 0),
    "a weight of a claim": nudged("SoftMarginGap", "coef", 0),
    "a weight of the rule": nudged("TrainingErrors", "predictor", "coef", 0, 1),
    "a better dual": nudged("SoftMarginGap", "dual"),
    "fewer errors": lambda said: claim(said, "TrainingErrors").update(errors=0, ties=0),
    "fewer test errors": lambda said: claim(said, "TestErrors", "test").update(errors=0, ties=0),
    "answers in place of the rule": lambda said: claim(said, "TrainingErrors").update(
        predictor={"type": "StatedPredictions", "answers": (Y == "yes").astype(int).tolist()},
        errors=0, ties=0),
    "other classes": lambda said: said["model"].update(classes=["no", "perhaps"]),
    "other order of classes": lambda said: said["model"].update(classes=["yes", "no"]),
    "a kernel that is none": lambda said: (
        FORGED["answers in place of the rule"](said),
        said["model"].update(kernel={"type": "none"}),
    ),
    "a kernel": lambda said: said["model"].update(kernel=Gaussian(1.0).to_dict()),
    "a number that no claim speaks of": lambda said: said["model"]["numbers"].update(x_=[1.0]),
    "a number less": lambda said: said["model"]["numbers"].pop("coef_"),
    "another solution": lambda said: claim(said, "SupportBound")["solutions"][0].update(
        coef=[1.0, 2.0, 3.0]
    ),
    "another share of test examples": lambda said: said["certified"].update(test={
        "type": "Composite", "claims": said["certified"]["claims"]["claims"][:1],
        "not_claimed": []}),
    "no features": lambda said: said.update(features=[]),
    "other features": lambda said: said["certified"].update(columns=["a", "b", "c"]),
}  # fmt: skip


@pytest.mark.parametrize("how", FORGED)
def test_forged_folders_do_not_verify(copied, how):
    assert outcome(rewritten(copied(), FORGED[how])) in (FAILS, "unusable")


@pytest.mark.parametrize("kind", ["kernel", "mistakes"])
def test_the_rule_of_a_kernel_machine_is_that_of_its_supports(copied, kind):
    def change(said):
        said["model"]["numbers"]["dual_coef_"][0][0] += 1.0

    assert outcome(rewritten(copied(kind), change)) == FAILS


def test_every_output_must_be_spoken_of(copied):
    def change(said):
        claims = said["certified"]["claims"]["claims"]
        claims[:] = [c for c in claims if c["type"] == "MistakeBound"][:2]

    folder = rewritten(copied("three"), change)
    assert "No claim speaks of coef_ of output 2 of the model." in verify_folder(folder).about_model


def test_examples_that_changed(copied, folders):
    folder = copied()
    other = X.copy()
    other[0, 0] += 1.0
    machine = CASES["svm"][0]
    write_proof(folder, certify(machine, X, Y), machine, other, Y, check=False)
    assert outcome(folder) == FAILS  # the fingerprint is that of the other examples
    folder = copied("kernel")
    rewritten(folder, lambda said: said["sha256"].update({"examples.npz": "0" * 64}),
              fingerprints=False)  # fmt: skip
    found = verify_folder(folder)
    assert found.code == NOT_AS_WRITTEN
    assert found.changed == ["examples.npz"]


def archive(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def bomb():
    """An archive with an array that says it is larger than it is."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 3)}
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as parts:
        parts.writestr("X.npy", header.getvalue() + b"\0" * 64)
        parts.writestr("y.npy", header.getvalue())
    return buffer.getvalue()


def squeezed():
    buffer = io.BytesIO()
    np.savez_compressed(buffer, X=np.zeros((10**6, 3)), y=np.zeros(10**6))
    return buffer.getvalue()


CSR = {"indices": np.array([0, 9]), "indptr": np.array([0, 2]), "shape": np.array([1, 3])}
HOSTILE = {
    "nothing": b"",
    "no archive": b"certo",
    "half": archive(X=X, y=Y)[:700],
    "objects": archive(X=X, y=Y.astype(object)),
    "a bomb": bomb(),
    "compressed": squeezed(),
    "more than X and y": archive(X=X, y=Y, z=X),
    "X without y": archive(X=X),
    "another width": archive(X=X[:, :2], y=Y),
    "one dimension": archive(X=X[:, 0], y=Y),
    "an index beyond the end": archive(data=np.ones(2), **CSR, y=Y[:1]),
    "an index that is not a number": archive(data=np.ones(2), **CSR | {"indices": Y[:2]}, y=Y[:1]),
    "a shape of one number": archive(data=np.ones(2), **CSR | {"shape": np.array(3)}, y=Y[:1]),
    "times": archive(X=X.astype("M8[s]"), y=Y),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_file_of_examples_is_refused(copied, what):
    folder = copied()
    (folder / "examples.npz").write_bytes(HOSTILE[what])
    with pytest.raises(Unusable, match=r"examples.npz is damaged|X must have"):
        verify_folder(rewritten(folder, lambda said: None))


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "[" * 10**5, '{"format": "certo proof 2", "format": "certo proof 2"}', "\xff",
     '{"format": ["certo proof 2"]}', '{"format": "certo proof 2", "sha256": {"../x": ""}}'],
)  # fmt: skip
def test_a_hostile_proof_is_refused(copied, text):
    folder = copied()
    (folder / "proof.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(Unusable, match=r"proof\.json is damaged"):
        verify_folder(folder)


@pytest.mark.parametrize("part", ["format", "model", "features", "sha256", "certified"])
@pytest.mark.parametrize("value", [7, [], {}, "x", [None], {"type": []}])
def test_parts_of_other_types_are_refused(copied, part, value):
    folder = rewritten(copied(), lambda said: said.update({part: value}), fingerprints=False)
    assert outcome(folder) == "unusable"


def test_a_file_that_is_none_is_refused(copied):
    folder = copied()
    (folder / "test.npz").unlink()
    (folder / "test.npz").symlink_to("/dev/zero")
    with pytest.raises(Unusable, match="there is no file"):
        verify_folder(folder)


def test_a_folder_is_written_whole_and_only_where_nothing_is_lost(folders, tmp_path, monkeypatch):
    machine, inputs, labels = CASES["kernel"]
    page = certify(machine, inputs, labels)
    write_proof(tmp_path / "p", page, machine, inputs, labels)
    written = (tmp_path / "p" / "examples.npz").read_bytes()
    assert written == (folders / "kernel" / "examples.npz").read_bytes()
    write_proof(tmp_path / "p", page, machine, inputs, labels)  # over a proof
    (tmp_path / "p" / "mine.txt").touch()
    with pytest.raises(Problem, match=r"holds other files"):
        write_proof(tmp_path / "p", page, machine, inputs, labels)
    with pytest.raises(Problem, match=r"there is no folder"):
        write_proof(tmp_path / "no" / "p", page, machine, inputs, labels)
    with pytest.raises(Problem, match=r"is a file"):
        write_proof(tmp_path / "p" / "mine.txt", page, machine, inputs, labels)
    (tmp_path / "p" / "mine.txt").unlink()
    monkeypatch.setattr("certo.tables.proof_folder.sha256_of", lambda path: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_proof(tmp_path / "p", page, machine, inputs, labels)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p"]
    assert outcome(tmp_path / "p") == HOLDS


def test_unwritable_proofs_are_refused(tmp_path):
    def agree(a, b):
        return float(a @ b)

    machine = SVM(kernel=Function(agree)).fit(X, Y)
    with pytest.raises(Problem, match=r"cannot be written to a folder: .*Python function"):
        write_proof(tmp_path / "p", certify(machine, X, Y), machine, X, Y)
    words = ["acgt", "ccgt", "gatt", "tata"]
    machine = SVM(kernel=Spectrum(2)).fit(words, [0, 0, 1, 1])
    with pytest.raises(Problem, match=r"cannot be written to a folder"):
        write_proof(tmp_path / "p", certify(machine, words, [0, 0, 1, 1]), machine, words, [0] * 4)
    with pytest.raises(Problem, match=r"y must hold texts, or numbers"):
        write_proof(tmp_path / "p", Certified("nothing", Composite(())), None, X, [None] * len(X))
    assert not any(tmp_path.iterdir())


def test_pipeline_steps_are_applied_before_writing(tmp_path):
    machine = make_pipeline(Normalizer(), SVM(intercept="none")).fit(X, Y)
    for fitted in (machine, machine[-1]):
        write_proof(tmp_path / "p", certify(machine, X, Y), fitted, X, Y)
        assert outcome(tmp_path / "p") == HOLDS
    assert np.allclose(np.load(tmp_path / "p" / "examples.npz")["X"], Normalizer().transform(X))


def test_a_folder_that_would_fail_is_not_written(tmp_path):
    machine = make_pipeline(StandardScaler(), SVM(intercept="none")).fit(X, Y)
    page, scaled = certify(machine, X, Y), machine[:-1].transform(X)
    with pytest.raises(Problem, match=r"nothing was written, .* X before its steps"):
        write_proof(tmp_path / "p", page, machine, scaled, Y)
    with pytest.raises(Problem, match=r"X before its steps.* refuse these: .*features"):
        write_proof(tmp_path / "p", page, machine, X[:, :2], Y)
    other = SVM(C=0.01, intercept="none").fit(scaled, Y)
    with pytest.raises(Problem, match=r"Give the model that certify was given"):
        write_proof(tmp_path / "p", page, other, X, Y)
    tested = certify(machine, X, Y, X_test=FRESH, y_test=FRESH_Y)
    with pytest.raises(Problem, match=r"give X_test and y_test"):
        write_proof(tmp_path / "p", tested, machine, X, Y)
    with pytest.raises(Problem, match=r"claims nothing"):
        write_proof(tmp_path / "p", Certified("nothing", Composite(())), None, X, Y)
    assert not any(tmp_path.iterdir())
    write_proof(tmp_path / "p", tested, machine, X, Y, FRESH, FRESH_Y)
    assert outcome(tmp_path / "p") == HOLDS


def test_claims_may_stand_for_themselves(tmp_path):
    """Those about a rival's model, whose numbers have other shapes."""
    rival = SVC(kernel="linear").fit(X, Y)
    page = certify(rival, X, Y)
    with pytest.raises(Problem, match=r"claims must be about the numbers of the model.*give None"):
        write_proof(tmp_path / "p", page, rival, X, Y)
    write_proof(tmp_path / "p", page, None, X, Y.astype(object))
    found = verify_folder(tmp_path / "p")
    assert found.code == HOLDS
    assert found.to_dict()["speaks_of"] is None


def test_test_rows_that_are_rows_of_the_fit_are_not_counted(tmp_path, monkeypatch):
    """Tosses of a coin, learnt by heart, and tested on the same rows and one more."""
    random = np.random.default_rng(0)
    rows, tosses = random.normal(size=(101, 200)), random.choice(["up", "down"], 101)
    fit, test = (rows[:100], tosses[:100]), (rows, tosses)
    machine = Perceptron(epochs=200).fit(*fit)
    page = certify(machine, *fit, X_test=rows, y_test=tosses)
    write_proof(tmp_path / "p", page, machine, *fit, *test)
    found = verify_folder(tmp_path / "p").to_dict()
    assert found["code"] == 0
    assert found["claims"][-1]["numbers"]["examples"] == 1
    assert "100 of the 101 test rows are training rows" in found["remarks"][0]
    none = shared_rows.Known(np.zeros(101, bool), np.zeros(101, bool))
    with monkeypatch.context() as blind:
        blind.setattr("certo.guarantees.certifying.known_examples", lambda *data: none)
        blind.setattr("certo.certificates.certified.known_examples", lambda *data: none)
        page = certify(machine, *fit, X_test=rows, y_test=tosses)
        write_proof(tmp_path / "p", page, machine, *fit, *test, check=False)
    assert page.test[0].upper < 0.1
    assert verify_folder(tmp_path / "p").code == 1


class TestVacuousClaimsStaySo:
    """A bound that is stated as vacuous is checked less, so that nothing may be made of it."""

    def test_a_long_run_that_was_never_made(self):
        """Least squares fits coin tosses in 600 dimensions; no perceptron made these weights."""
        random = np.random.default_rng(1)
        X, y = random.normal(size=(400, 600)), random.integers(0, 2, 400)
        w = np.linalg.lstsq(X, 2.0 * y - 1, rcond=None)[0]
        scheme = PerceptronScheme((PerceptronRun(epochs=10**6),), w[None], np.zeros(1), zero_sign=1)
        most = int(max(np.sum(y), np.sum(1 - y)))
        claim = CompressionBound(
            labels=Labels((0, 1)), delta=0.05, majority=most, scheme=scheme, updated=np.array([0]),
            examples=400, errors=0, printed=1.5, tail=1.0,
        )  # fmt: skip
        page = Certified("forged", Composite((claim,)))
        assert page.verify(X, y)  # no risk is above 1
        assert page.best is None
        assert "No bound on the error rate" in page.in_words()[0]
        assert not claim.at(0.05).verify(X, y)

    def test_copies(self):
        random = np.random.default_rng(2)
        rows = np.repeat(np.arange(12), 60)
        X, y = random.normal(size=(12, 3))[rows], (np.arange(12) % 2)[rows]
        rule = StatedPredictions(y)
        claim = TestErrors(
            labels=Labels((0, 1)), predictor=rule, examples=720, errors=0, ties=0, delta=0.05,
            majority=360, lower=0.0, upper=1.0, unknown=0,
        )  # fmt: skip
        page = Certified("forged", Composite(()), Composite((claim,)))
        assert claim.verify(X, y)
        assert not claim.at(0.05).verify(X, y)
        assert page.best is None

    def test_shares_of_delta_are_rounded_down(self):
        claim = TestErrors(
            labels=Labels((0, 1)), predictor=StatedPredictions(np.zeros(100, int)), examples=100,
            errors=10, ties=0, delta=0.05, majority=90, lower=0.0, upper=0.5, unknown=0,
        )  # fmt: skip
        page = Certified("one of seven", Composite(()), Composite((claim,)), asked=7)
        assert 7 * Fraction(page.sharpest.claim.delta) <= Fraction(0.05)
