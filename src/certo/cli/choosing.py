"""certo curve, from the file name to the facts."""

from __future__ import annotations

import io
import shlex
import warnings
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from sklearn.exceptions import ConvergenceWarning

from certo import plots
from certo.cli.console import Voice
from certo.cli.progress import FitProgress
from certo.cli.words import as_options
from certo.data.files import check_writable, write_all
from certo.data.problem import Problem
from certo.data.tables import read_table
from certo.report import curve_facts, html_curve
from certo.workflow import compare_kernels, kernels_to_try
from certo.workflow import machine as make_machine

PICTURES = (".svg", ".png", ".pdf")
UNDATED: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


def run_curve(
    data: Path,
    target: str,
    *,
    machine: str,
    settings: list[str],
    kernels: list[str],
    values: str | None,
    folds: int,
    seed: int,
    jobs: int | None,
    report: Path | None,
    picture: Path | None,
    **choices: Any,
) -> dict[str, Any]:
    """Compare, write what was asked for, and return the facts. Ctrl-C ends it: the kernels done by
    then are told of."""
    for path in (report, picture):
        if path is not None:
            check_writable(path, keep=(data,))
    if report is not None and picture is not None and report.resolve() == picture.resolve():
        raise Problem(f"--report and --picture are both {report}. Choose two names.")
    if picture is not None and picture.suffix.lower() not in PICTURES:
        raise Problem(f"--picture must end in one of {', '.join(PICTURES)}, got {picture}.")
    if folds < 2:
        raise Problem(f"--folds must be at least 2, got {folds}.")
    if any(setting.partition("=")[0] == "kernel" for setting in settings):
        raise Problem("certo curve takes the kernels to try from --kernel, not from --set.")
    estimator = make_machine(machine, settings)
    if "kernel" not in estimator.get_params():
        raise Problem(f"certo curve needs a machine with a kernel, as svm, got {machine}.")
    to_try = kernels_to_try(kernels, values)
    with FitProgress(Voice(stderr=True).console) as progress:
        progress.stage(f"Reading {data.name}")
        table, notes = read_table(data)
        progress.stage("Counting neighbours")
        curve_settings = {
            "cv": folds,
            "random_state": seed,
            "n_jobs": jobs,
            "report": progress.report(f"Fitting {type(estimator).__name__}", "fit"),
        }
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", ConvergenceWarning)
            compared = compare_kernels(
                table, target, estimator, to_try, curve_settings=curve_settings,
                notes=tuple(notes), **choices,
            )  # fmt: skip
        unfinished = [str(one.message) for one in heard if one.category is ConvergenceWarning]
        if unfinished:
            compared.examples.notes.append(
                f"{len(unfinished)} fits ended before their goal, as this one: {unfinished[0]}"
            )
        progress.stage("Writing")
        said = curve_facts(compared)
        said["interrupted"] = not compared.curve.complete
        wanted = [f"kernel={compared.curve.best!r}", *settings]
        said["fit_with"] = _fit_with(data, target, machine, wanted, choices, compared.tried)
        said["report_file"] = said["picture_file"] = None
        written: dict[Path, bytes] = {}
        if report is not None:
            said["report_file"] = str(report)
            written[report] = html_curve(compared, said).encode()
        if picture is not None:
            said["picture_file"] = str(picture)
            written[picture] = _drawn(compared.curve, picture.suffix[1:].lower())
        write_all(written)
    return said


def _drawn(curve, kind: str) -> bytes:
    figure, buffer = Figure(figsize=(6.4, 5.2), layout="constrained"), io.BytesIO()
    plots.validation_curve(curve, ax=figure.add_subplot())
    with matplotlib.rc_context({"svg.hashsalt": "certo"}):
        figure.savefig(buffer, format=kind, dpi=150, metadata=UNDATED.get(kind))
    return buffer.getvalue()


def _fit_with(
    data: Path, target: str, machine: str, settings: list[str], choices: dict[str, Any], tried: str
) -> str:
    """The command that fits the machine to the same examples, and pays for the choice."""
    words = ["certo", "fit", str(data), "--target", target, "--machine", machine]
    words += as_options({"set": settings, **choices})
    words += ["--tried", tried] if tried != "1" else []
    return " ".join(map(shlex.quote, words))
