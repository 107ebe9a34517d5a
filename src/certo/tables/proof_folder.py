"""Folders that prove a model to someone who trusts nothing: the claims beside the examples.

`certo.verify` reads what is written here, and its text says what is in the files.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import shutil
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from scipy import sparse

from certo import __version__
from certo.certificates.certified import Certified
from certo.certificates.examples_file import CSR_ARRAYS, DENSE_ARRAYS, DTYPE_KINDS
from certo.certificates.model import strangers
from certo.certificates.sample.examples import exact_matrix
from certo.data.encoder import TableEncoder
from certo.data.problem import Problem
from certo.estimators.description import describe
from certo.guarantees.unwrapping import unwrapped
from certo.issue.model import model_of
from certo.verify import FORMAT, Unusable, verify_folder

PROOF, EXAMPLES, TEST = "proof.json", "examples.npz", "test.npz"
MODEL = "model.certo"  # In a proof by blocks.
THE_SAME_EXAMPLES = (
    "X and y must be the examples that certify was given: for a pipeline, X before its steps."
)


def write_proof(
    folder: str | Path,
    certified: Certified,
    fitted: Any,
    X: Any,
    y: Any,
    X_test: Any = None,
    y_test: Any = None,
    *,
    encoder: TableEncoder | None = None,
    about: dict[str, Any] | None = None,
    check: bool = True,
) -> str:
    """Write a folder that proves a page of claims, all of it or nothing.

    Parameters
    ----------
    folder : str or Path
        New, empty, or an earlier proof, which is replaced.
    certified : Certified
        What `certo.certify` returned.
    fitted : fitted estimator or None
        The model that the claims are about: a machine of Certo, or a pipeline or search that ends
        in one. None (for models of other libraries): the claims stand for themselves.
    X, y, X_test, y_test
        What `certo.certify` was given: for a pipeline, X before its steps.
    encoder : optional
        What made X from a table.
    about : optional
        What else there is to know, as JSON.
    check : bool, default=True
        Check the folder as `python -m certo.verify` does before it takes its place, and write
        nothing if that fails.

    Returns
    -------
    str
        The SHA-256 of proof.json.
    """
    folder = check_folder(folder)
    examples = {EXAMPLES: (X, y)}
    if len(certified.test):
        if X_test is None or y_test is None:
            raise Problem(
                "some claims are about test examples: give X_test and y_test, as to certify."
            )
        try:
            known = certified.known(X, y, X_test, y_test)
            examples[TEST] = known.of_the_others(X_test), known.of_the_others(y_test)
        except ValueError as wrong:
            raise Problem(f"the test examples cannot be used: {wrong}") from wrong
    if certified.prepare is not None:  # A pipeline made other features of these.
        try:
            examples = {name: (certified.prepare(X), y) for name, (X, y) in examples.items()}
        except ValueError as wrong:  # They have other columns.
            raise Problem(f"{THE_SAME_EXAMPLES} But the steps refuse these: {wrong}") from wrong
        certified = replace(certified, columns=(), prepare=None)
    try:
        examples = {name: (exact_matrix(X), y) for name, (X, y) in examples.items()}
        machine = None if fitted is None else unwrapped(fitted).machine
        model = None if machine is None else model_of(certified, machine)
        page = certified.to_dict()
    except ValueError as wrong:  # The examples are objects, or the kernel is a Python function.
        raise Problem(f"this proof cannot be written to a folder: {wrong}") from wrong
    X = examples[EXAMPLES][0]
    if model and (strange := strangers(certified, model, X)):
        advice = (
            "For a model of another library give None in its place: then the claims stand for "
            "themselves."
            if describe(machine) is None
            else f"Give the model that certify was given. {THE_SAME_EXAMPLES}"
        )
        raise Problem(
            f"the claims must be about the numbers of the model, but: {strange[0]} {advice}"
        )
    names = certified.columns or [f"x{j}" for j in range(X.shape[1])]
    columns = columns_of(encoder) if encoder else [{} for _ in names]
    with whole(folder) as place:
        for name, pair in examples.items():
            write_examples(place / name, *pair)
        said = {
            "format": FORMAT,
            "written_by": {
                "certo": __version__,
                "python": platform.python_version(),
                "numpy": np.__version__,
                "scipy": scipy.__version__,
            },
            "about": about or {},
            "sha256": {name: sha256_of(place / name) for name in examples},
            "features": [{"name": n, **c} for n, c in zip(names, columns, strict=True)],
            "model": model and model._asdict(),
            "certified": page,
        }
        (place / PROOF).write_text(json.dumps(said, indent=1), encoding="utf-8")
        if check:
            _refuse_failing(place)
        return sha256_of(place / PROOF)


def _refuse_failing(folder: Path) -> None:
    """A Problem, unless the checker finds that all claims of this folder hold."""
    try:
        found = verify_folder(folder)
    except Unusable as wrong:
        raise Problem(
            f"nothing was written, since the folder could not be checked: {wrong}"
        ) from wrong
    if not found.checked.parts:
        raise Problem("the page claims nothing, so there is nothing to prove.")
    if found.code:
        why = found.checked.why if not found.checked else found.about_model[0]
        raise Problem(f"nothing was written, since {why} {THE_SAME_EXAMPLES}")


def columns_of(encoder: TableEncoder) -> list[dict[str, Any]]:
    """How each feature comes from a column of the table: (value − mean)/scale, the value itself,
    1 where the column has this level and else 0, or how often the column has this term."""
    scaler, numbers = encoder.scaler_, encoder.number_names_
    made: list[dict[str, Any]] = [{"column": name} for name in numbers]
    if scaler is not None:
        for j, feature in enumerate(made):
            feature |= {"mean": float(scaler.mean_[j]), "scale": float(scaler.scale_[j])}
    for name, levels in encoder._levels():
        made += [
            {"column": name, "level": str(level)} for level in levels[encoder.reference_levels :]
        ]
    for name, terms in encoder.term_features():
        made += [{"column": name, "term": str(term)} for term in terms]
    return made


def check_folder(folder: str | Path) -> Path:
    """Refuse, before any work is done, a place that holds anything but a proof."""
    folder = Path(os.path.realpath(folder))
    if folder.exists() and not folder.is_dir():
        raise Problem(f"{folder} is a file; the name of a folder to write is needed.")
    if folder.is_dir():
        there = {path.name for path in folder.iterdir()}
        if there and (PROOF not in there or not there <= {PROOF, EXAMPLES, TEST, MODEL}):
            raise Problem(
                f"{folder} holds other files ({', '.join(sorted(there)[:3])}), which a proof would "
                "take the place of. Choose a new or empty folder, or one that certo proof wrote."
            )
    if not folder.parent.is_dir():
        raise Problem(
            f"{folder} cannot be written: there is no folder {folder.parent}. Create it first."
        )
    return folder


@contextlib.contextmanager
def whole(folder: Path):
    """A new folder beside this one, which takes its place once all is written."""
    try:
        place = Path(tempfile.mkdtemp(prefix=".certo-", dir=folder.parent))
        try:
            (place / "new").mkdir()
            yield place / "new"
            if folder.exists():
                os.rename(folder, place / "old")
            os.rename(place / "new", folder)
        finally:
            if not folder.exists() and (place / "old").exists():
                os.rename(place / "old", folder)
            shutil.rmtree(place)
    except OSError as wrong:
        raise Problem(f"{folder} cannot be written: {wrong.strerror or wrong}.") from wrong
    except Problem:
        raise
    except ValueError as wrong:  # Labels that are neither texts nor numbers.
        raise Problem(f"these examples cannot be written to a folder: {wrong}") from wrong


def sha256_of(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_examples(path: Path, X: Any, y: Any) -> None:
    """ValueError, if X holds no numbers, or y neither numbers nor texts; None: there is no y."""
    X, y = exact_matrix(X), np.asarray([] if y is None else y)
    if y.dtype.kind == "O":
        texts = np.asarray(y.tolist())
        y = texts if texts.dtype.kind == "U" and texts.tolist() == y.tolist() else y
    if y.dtype.kind not in DTYPE_KINDS:
        raise ValueError("y must hold texts, or numbers.")
    names, rows = DENSE_ARRAYS, [X]
    if sparse.issparse(X):
        names, rows = CSR_ARRAYS, [X.data, X.indices, X.indptr, np.array(X.shape)]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, array in zip(names, [*rows, y], strict=True):
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, version=(1, 0), allow_pickle=False)
