"""What certo fit and certo predict do with a table that is read block by block."""

from __future__ import annotations

import csv
import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from certo.certificates.encoding import counted
from certo.cli import options
from certo.cli.console import Voice

MAX_TOLD_REMARKS = 3


def fit_in_blocks(
    data: Path,
    target: str,
    estimator: Any,
    *,
    task: str | None,
    output: Path | None,
    test: str | None,
    seed: int,
    delta: float,
    choices: dict[str, Any],
    settings: list[str],
    refused: dict[str, Any],
    as_json: bool,
    asked: bool,
    cluster: str | None = None,
) -> None:
    """Fit to the files of a table, and say what that proves."""
    from sklearn.exceptions import ConvergenceWarning

    from certo.cli.fit import seed_machine
    from certo.cli.progress import FitProgress
    from certo.data.big_files import memory_here, memory_needed, overview
    from certo.data.files import write_all
    from certo.estimators.least_squares import LeastSquares
    from certo.stop import Stop
    from certo.tables.held_out import HeldOut
    from certo.tables.in_blocks import fit_files
    from certo.tables.model_file import model_bytes
    from certo.tables.settings import machine as make_machine
    from certo.tables.task import USUAL_MACHINES, Learns, Task, checked_task
    from certo.verify import page_facts

    _refuse("fit", refused)
    voice = Voice(stderr=True)
    why = f"{data.name} is read block by block"
    if not asked and not data.is_dir():
        needed = (memory_needed(data) or 0) / 2**30
        why += f": in memory it would take about {needed:.1f} GB of {memory_here() / 2**30:.1f} GB"
    voice.say(f"{why}.")
    split: list[HeldOut] = []

    def held_out(rows: int) -> np.ndarray:
        share = options.test_rows(test, rows)[0]
        if share is None:
            return np.zeros(rows, dtype=bool)
        split.append(HeldOut(share, seed))
        return split[0].of(rows)

    with _on_cluster(cluster, voice), FitProgress(voice.console) as progress:
        encoding = {name: choices[name] for name in ("drop", "category", "missing")}
        told = progress.report("First pass", "row")
        sums = None if estimator is None else isinstance(estimator, LeastSquares)
        seen = overview(data, target, held_out=held_out, tell=told, sums=sums, **encoding)
        found: Learns = "classes" if seen.learns == "classes" else "numbers"
        learns = checked_task(task or "auto", Task(found, None))
        if estimator is None:
            estimator = make_machine(USUAL_MACHINES[learns], settings)
        seed_machine(estimator, settings, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # The status reports it.
            fitted = fit_files(
                seen, estimator, scale=choices["scale"], delta=delta,
                held_out=split[0] if split else None,
                callback=progress if voice.console.is_terminal else None,
                on_cluster=cluster is not None, **encoding,
            )  # fmt: skip
        progress.stage("Writing")
        machine, test_rows = fitted.model.machine, int(np.count_nonzero(seen.test))
        said: dict[str, Any] = {
            "machine": type(machine).__name__, "target": target, "data_file": str(data),
            "examples": fitted.model.rows, "test_examples": test_rows, "passes": fitted.passes,
            "classes": machine.classes_.tolist() if hasattr(machine, "classes_") else None,
            "status": machine.status_, "model_file": None, "model_fingerprint": None,
            "interrupted": getattr(machine, "_stop", None) is Stop.BY_HAND,
            **page_facts(fitted.certified, (), holds=True),
        }  # fmt: skip
        if output is not None:
            content, said["model_fingerprint"] = model_bytes(fitted.model)
            said["model_file"] = str(output)
            write_all({output: content})
        words = ["certo", "verify", options.as_argument(output or "MODEL")]
        said["verify_with"] = options.command_line(*words, options.as_argument(data))
    options.tell(said, _tell, as_json)


@contextmanager
def _on_cluster(address: str | None, voice: Voice) -> Iterator[None]:
    """Connected to the cluster, if there is to be one."""
    from certo.data.problem import Problem

    if address is None:
        yield
        return
    from certo.scale.cluster import connected

    try:
        with connected(address) as threads:
            voice.say(f"Connected to {address}: {counted(threads, 'thread')}.")
            yield
    except ConnectionError as wrong:
        raise Problem(str(wrong)) from wrong


def _tell(voice: Voice, said: dict[str, Any]) -> None:
    classes = said["classes"]
    what = f" ({', '.join(map(str, classes[:6]))}{', …' * (len(classes) > 6)})" if classes else ""
    rows, many = counted(said["examples"], "row"), said["test_examples"]
    passes = "pass" if said["passes"] == 1 else "passes"
    tested = f"; {counted(many, 'row')} were held out to test it" if many else ""
    voice.say(
        (said["machine"], "bold"), " for ", (said["target"], "bold"),
        f"{what}, fitted to {rows} in {said['passes']} {passes}{tested}.",
    )  # fmt: skip
    for text in said["in_words"][:1]:
        voice.say((text, "bold"))
    voice.say(said["status"])
    for remark in said["remarks"]:
        voice.item(("note ", "yellow"), remark)
    voice.say()
    voice.say(("Proved", "bold"))
    for claim in said["claims"]:
        voice.item(("✓ ", "green"), claim["plain"])
    for refusal in said["not_claimed"]:
        voice.item(("○ ", "dim"), f"{refusal['name']}: {refusal['reason']}")
    voice.say()
    if said["model_file"]:
        voice.suggest("Check it", said["verify_with"])


def predict_in_blocks(model: Any, data: Path, output: Path | None, refused: dict[str, Any]) -> None:
    """Predictions for the rows of files, written as they are made; a file that is asked for is
    there when it is complete, and not before."""
    from certo.tables.in_blocks import predict_files

    _refuse("predict", refused)
    remarks: list[str] = []
    if output is None:
        _write_predictions(sys.stdout, predict_files(model, data, remarks.append))
        _tell_first(remarks)
        return
    beside = output.with_name(f".{output.name}.{os.getpid()}.part")
    try:
        with beside.open("w", encoding="utf-8", newline="") as file:
            _write_predictions(file, predict_files(model, data, remarks.append))
        beside.replace(output)
    finally:
        beside.unlink(missing_ok=True)
    _tell_first(remarks)


def _tell_first(remarks: list[str]) -> None:
    """Some remarks on blocks, and how many more there are."""
    voice = Voice(stderr=True)
    for remark in remarks[:MAX_TOLD_REMARKS]:
        voice.item(("note ", "yellow"), remark)
    if (more := len(remarks) - MAX_TOLD_REMARKS) > 0:
        voice.item(("note ", "yellow"), f"{counted(more, 'more such note')}.")


def _write_predictions(file: Any, blocks: Iterator[Any]) -> None:
    from certo.data.encoder import told_apart

    headed = False
    for first, answers, more in blocks:
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        if not headed:
            writer.writerow(told_apart(["row", "prediction", *more]))
            headed = True
        numbers = range(first, first + len(answers))
        values = (values.tolist() for values in more.values())
        writer.writerows(zip(numbers, answers.tolist(), *values, strict=True))
        file.write(buffer.getvalue())


def proof_in_blocks(
    loaded: Any, model: Path, data: Path, output: Path, test: Path | None, as_json: bool
) -> None:
    """A folder with the model, its claims, and a fingerprint of each row group of its table."""
    from certo.cli.console import print_json
    from certo.cli.progress import FitProgress
    from certo.cli.verify import leave, tell_audit
    from certo.tables.proof_in_blocks import audit_with_parts, write_block_proof

    _refuse("proof", {"--test": test})
    said: dict[str, Any] = {"folder": None, "sha256": None, "check_with": None}
    with FitProgress(Voice(stderr=True).console) as progress:
        progress.stage(f"Checking every claim in one pass over {data.name}")
        audit, parts = audit_with_parts(loaded, data)
        if audit.passed:
            progress.stage("Writing")
            said["sha256"] = write_block_proof(output, loaded, model.read_bytes(), audit, parts)
            said["folder"] = str(output)
            words = ["certo", "verify", options.as_argument(output), options.as_argument(data)]
            said["check_with"] = options.command_line(*words)
    voice = Voice()
    if as_json:
        print_json({"passed": audit.passed, **said, "audit": audit.to_dict()})
    else:
        tell_audit(voice, audit)
        if said["folder"] is None:
            voice.say("Nothing was written.")
        else:
            voice.say(
                f"The proof is in {said['folder']}: proof.json, and the model. It refers to "
                f"{counted(len(parts), 'part')} of the table by their fingerprints."
            )
            voice.suggest("The SHA-256 of proof.json, to publish", said["sha256"])
            voice.suggest("Whoever has the table can check it", said["check_with"])
    leave(audit)


def _refuse(command: str, given: dict[str, Any]) -> None:
    """Options that need all rows at once."""
    from certo.data.problem import Problem

    if strange := [name for name, value in given.items() if value]:
        raise Problem(
            f"certo {command} does not take {strange[0]} for a table that is read block by block: "
            "leave it out, or take a part of the rows that fits into memory."
        )
