"""certo fit of a density: no column is a target."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

from certo.cli import options
from certo.cli.console import Voice, tell_more

MAX_MOMENTS_SHOWN = 8
MAX_UNUSUAL_SHOWN = 5


def fit_density(
    data: Path,
    estimator: Any,
    *,
    output: Path | None,
    report: Path | None,
    delta: float,
    choices: dict[str, Any],
    refused: dict[str, Any],
    as_json: bool,
) -> None:
    """Fit a density to the rows, and tell what that proves; `refused` are options that make no
    sense here, with what was given."""
    from sklearn.exceptions import ConvergenceWarning

    from certo.cli.progress import FitProgress
    from certo.cli.reading import reading_words
    from certo.data.columns import read_table
    from certo.data.files import write_all
    from certo.data.problem import Problem
    from certo.report import density_facts, html_density
    from certo.stop import Stop
    from certo.tables import density
    from certo.tables.model_file import model_bytes

    for name, value in refused.items():
        if value:
            raise Problem(
                f"{name} makes no sense for a density, which has no target to predict: it is "
                "fitted to all columns and rows of the table (--drop leaves columns out)."
            )
    with FitProgress(Voice(stderr=True).console) as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # The status says it.
        progress.stage(f"Reading {data.name}")
        table, notes = read_table(data)
        progress.stage(f"Fitting {type(estimator).__name__}")
        fitted = density.fit_density(table, estimator, delta, notes=tuple(notes), **choices)
        progress.stage("Writing")
        said = density_facts(fitted)
        said["command"] = options.command_line("certo", *sys.argv[1:])
        said["data_file"] = str(data)
        said["interrupted"] = getattr(fitted.model.machine, "_stop", None) is Stop.BY_HAND
        said["model_file"] = said["model_fingerprint"] = said["report_file"] = None
        written: dict[Path, bytes] = {}
        if output is not None:
            written[output], said["model_fingerprint"] = model_bytes(fitted.model)
            said["model_file"] = str(output)
        files = [options.as_argument(output or "MODEL"), options.as_argument(data)]
        said["verify_with"] = options.command_line("certo", "verify", *files, *reading_words())
        if report is not None:
            said["report_file"] = str(report)
            written[report] = html_density(fitted, said).encode()
        write_all(written)
    options.tell(said, _tell, as_json)


def _tell(voice: Voice, said: dict[str, Any]) -> None:
    from certo.certificates.encoding import counted
    from certo.cli.fit_output import tell_files
    from certo.numbers.digits import three_digits
    from certo.report.page import plain_lines

    columns, rows = counted(said["features"], "column"), counted(said["examples"], "row")
    voice.say((said["machine"], "bold"), f" of {columns}, fitted to {rows}.")
    for note in said["notes"]:
        voice.item(("note ", "yellow"), note, indent=2)
    voice.say((said["status"], "bold"))
    voice.say()
    for one in said["moments"][:MAX_MOMENTS_SHOWN]:
        mean, deviation = three_digits(one["mean"]), three_digits(one["standard_deviation"])
        voice.say(f"{one['name']}: mean {mean}, standard deviation {deviation}", indent=2)
    tell_more(voice, said["moments"], MAX_MOMENTS_SHOWN)
    voice.say()
    voice.say(("The most unusual rows", "bold"))
    for item in said["unusual"][:MAX_UNUSUAL_SHOWN]:
        text = f"row {item['row']:,}: log density {three_digits(item['log_density'])}"
        voice.say(text, indent=2)
    voice.say()
    voice.say(("Proved" if said["claims"] else "Nothing is claimed.", "bold"))
    for line in plain_lines(said):
        voice.item(("✓ ", "green"), line["plain"], indent=2)
    for refusal in said["not_claimed"]:
        if refusal["name"] != "RiskBound":
            voice.say(f"{refusal['name']} not claimed: {refusal['reason']}", indent=2)
    voice.say(said["new_rows"], indent=2)
    voice.say()
    tell_files(voice, said)
