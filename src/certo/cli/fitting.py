"""certo fit, from the file names to the facts: everything but what is printed at the end."""

from __future__ import annotations

import shlex
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
from sklearn.exceptions import ConvergenceWarning

from certo.cli.console import Voice
from certo.cli.progress import FitProgress
from certo.data.files import check_writable, write_all
from certo.data.model_file import model_bytes
from certo.data.problem import Problem
from certo.data.tables import is_text, read_table, with_missing
from certo.estimators import SeparationWarning
from certo.report import facts, html_report
from certo.selection import BY_HAND
from certo.workflow import fit_table
from certo.workflow import machine as make_machine


def run_fit(
    data: Path,
    target: str,
    *,
    machine: str,
    settings: list[str],
    output: Path | None,
    report: Path | None,
    test: Path | None = None,
    **choices: Any,
) -> dict[str, Any]:
    """Fit, write what was asked for, and return the facts. Ctrl-C during the fit ends it: what
    was reached is written all the same."""
    for path in (output, report):
        if path is not None:
            check_writable(path, keep=(data,) if test is None else (data, test))
    if output is not None and report is not None and output.resolve() == report.resolve():
        raise Problem(f"--out and --report are both {output}. Choose two names.")
    estimator = make_machine(machine, settings)
    console = Voice(stderr=True).console
    with FitProgress(console) as progress:
        progress.stage(f"Reading {data.name}")
        table, notes = read_table(data)
        unseen = None
        if test is not None:
            progress.stage(f"Reading {test.name}")
            unseen, more = read_table(test, as_text=_texts(table, target, choices))
            notes = [*notes, *(f"{test.name}: {note}" for note in more)]
        progress.stage("Encoding the columns")
        tells = console.is_terminal and hasattr(estimator, "set_callbacks")
        if tells:
            estimator.set_callbacks(progress)
        with warnings.catch_warnings():
            for kind in (ConvergenceWarning, SeparationWarning):  # the status says it
                warnings.simplefilter("ignore", kind)
            fitted = fit_table(
                table, target, estimator,
                test=unseen, test_name=str(test), notes=tuple(notes), **choices,
            )  # fmt: skip
        if tells:
            estimator.set_callbacks()
        progress.stage("Writing")
        said = facts(fitted)
        said["interrupted"] = BY_HAND in said["status"]
        said["model_file"] = said["model_fingerprint"] = said["report_file"] = None
        written: dict[Path, bytes] = {}
        if output is not None:
            written[output], said["model_fingerprint"] = model_bytes(fitted.model)
            said["model_file"] = str(output)
        words = ["certo", "verify", _named(output or "MODEL"), _named(data)]
        words += ["--test", _named(test)] if test and len(fitted.certified.test) else []
        said["verify_with"] = " ".join(map(shlex.quote, words))
        if report is not None:
            said["report_file"] = str(report)
            written[report] = html_report(fitted, said).encode()
        write_all(written)
    return said


def _named(path: Path | str) -> str:
    """A file as an argument, which one whose name begins like an option is not by itself."""
    return f"./{path}" if str(path).startswith("-") else str(path)


def _texts(table: pa.Table, target: str, choices: dict[str, Any]) -> list[str]:
    """The columns that are text in the table of the fit, and so must be in other files."""
    known = with_missing(table, choices["na"], choices["category"]).drop_columns(
        [name for name in choices["drop"] if name in table.column_names]
    )
    return [field.name for field in known.schema if is_text(field.type)]
