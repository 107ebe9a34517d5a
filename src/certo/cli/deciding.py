"""certo separable, from the file name to the facts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from certo.cli.console import Voice
from certo.cli.progress import FitProgress
from certo.data.files import check_writable, write_whole
from certo.data.tables import read_table
from certo.report import html_verdict, verdict_facts
from certo.workflow import separate_table


def run_separable(
    data: Path, target: str, *, report: Path | None, **choices: Any
) -> dict[str, Any]:
    """Decide, write the page if asked for, and return the facts."""
    if report is not None:
        check_writable(report, keep=(data,))
    with FitProgress(Voice(stderr=True).console) as progress:
        progress.stage(f"Reading {data.name}")
        table, notes = read_table(data)
        progress.stage("Deciding, and proving it (the first time also compiles)")
        decided = separate_table(table, target, notes=tuple(notes), **choices)
        progress.stage("Writing")
        said = verdict_facts(decided)
        said["report_file"] = None
        if report is not None:
            said["report_file"] = str(report)
            write_whole(report, html_verdict(decided, said).encode())
    return said
