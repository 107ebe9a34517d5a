"""certo proof"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from certo.cli.console import Voice, print_json
from certo.cli.options import DataFiles, Json, ModelFile, TestFile, command_line, option
from certo.cli.verify import leave, read_tables, tell_audit


def proof(
    model: ModelFile,
    data: DataFiles,
    output: Annotated[Path, option("FOLDER", "Folder to write.", "--out")],
    test: TestFile = None,
    as_json: Json = False,
) -> None:
    """Write a folder with which anyone can check a model's claims. Every claim is checked first.
    The folder holds the claims and the examples, for someone who trusts neither you nor Certo:
    python -m certo.verify FOLDER checks it, and needs NumPy and SciPy alone. Of a table that was
    read block by block the folder has a fingerprint of each row group instead of the examples:
    certo verify FOLDER DATA."""
    from certo.cli.in_blocks import proof_in_blocks
    from certo.cli.progress import FitProgress
    from certo.data.fingerprint import fingerprint
    from certo.data.problem import Problem
    from certo.tables.audit import audit_table, parts_of, rows_of, with_test_errors
    from certo.tables.model_file import load_model
    from certo.tables.proof_folder import check_folder, write_proof

    check_folder(output)
    loaded = load_model(model)
    if loaded.model.by_blocks:
        proof_in_blocks(loaded, model, data, output, test, as_json)
        return
    said: dict[str, Any] = {"folder": None, "sha256": None, "check_with": None}
    with FitProgress(Voice(stderr=True).console) as progress:
        progress.stage(f"Reading {data.name}")
        table, unseen = read_tables(loaded, data, test)
        stored = loaded.model
        is_new = unseen is not None and not len(stored.certified.test) and not stored.held_out
        same_data = fingerprint(table) == stored.data_fingerprint
        if is_new and same_data and hasattr(stored.machine, "classes_"):
            progress.stage("Counting errors on test rows")
            stored = with_test_errors(stored, table, unseen, str(test))
            loaded = replace(loaded, model=stored)
        progress.stage("Checking every claim")
        audit = audit_table(loaded, table, unseen, str(test))
        if audit.of_the_fit and audit.claims_hold and audit.claims_nothing:
            raise Problem("the model claims nothing, so there is nothing to prove.")
        if audit.passed:
            progress.stage("Writing")
            about = {
                "target": stored.target,
                "missing": stored.missing,
                "na": stored.na,
                "table": stored.data_fingerprint,
                "test_table": stored.test_fingerprint if unseen is not None else "",
                "held_out": [stored.test_share, stored.test_seed],
                "model_file": loaded.fingerprint,
            }
            rows, tested = parts_of(stored, table)
            if unseen is not None and len(stored.certified.test):
                tested = rows_of(stored, unseen)
            said["sha256"] = write_proof(
                output, audit.page, stored.machine, *rows.pair,
                *((None, None) if tested is None else tested.pair),
                encoder=stored.encoder, about=about, check=False,
            )  # fmt: skip
            said["folder"] = str(output)
            said["check_with"] = command_line("python", "-m", "certo.verify", str(output))
    voice = Voice()
    if as_json:
        print_json({"passed": audit.passed, **said, "audit": audit.to_dict()})
    else:
        tell_audit(voice, audit)
        if said["folder"] is None:
            voice.say("Nothing was written.")
        else:
            where = f"The proof is in {said['folder']}"
            voice.say(f"{where}: proof.json, and the examples it is about.")
            voice.suggest("The SHA-256 of proof.json, to publish", said["sha256"])
            voice.suggest("Anyone can check it, with NumPy and SciPy alone", said["check_with"])
    leave(audit)
