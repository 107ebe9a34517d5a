"""certo separable"""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any

import typer

from certo.cli import options
from certo.cli.console import Voice, tell_examples, tell_more, tell_rows

MAX_TERMS_SHOWN = 20  # Coefficients of a hyperplane that a terminal shows.
MAX_PAIRS_SHOWN, MAX_SINGLE_CLASSES_SHOWN = 12, 24  # Answers about pairs, and about single classes.


def separable(
    data: options.DataFile,
    target: options.Target,
    intercept: Annotated[
        str,
        options.option(
            "free|none", "free: any hyperplane; none: only hyperplanes through the origin."
        ),
    ] = "free",
    time_limit: Annotated[
        float | None, options.option("SECONDS", "Give up then, if there is no answer yet.")
    ] = None,
    report: options.Report = None,
    scale: options.Scale = "none",
    missing: options.Missing = "refuse",
    na: options.NotAvailable = None,
    drop: options.Drop = None,
    category: options.Category = None,
    text: options.Text = None,
    as_json: options.Json = False,
) -> None:
    """Decide whether flat boundaries separate the classes. The answer is proved. Exit code 0: yes,
    with the boundary (a hyperplane); 1: no, with the few rows that make it impossible."""
    from certo.cli.progress import FitProgress
    from certo.data.columns import read_table
    from certo.data.files import write_whole
    from certo.report import html_verdict, verdict_facts
    from certo.tables.separable import separate_table

    options.check_outputs({"--report": report}, keep=(data,))
    with FitProgress(Voice(stderr=True).console) as progress:
        progress.stage(f"Reading {data.name}")
        table, notes = read_table(data)
        progress.stage("Deciding, and proving it (the first time also compiles)")
        choices = options.encoding_choices(scale, missing, na, drop, category, text)
        decided = separate_table(
            table, target, intercept=intercept, time_limit=time_limit, notes=tuple(notes), **choices
        )
        progress.stage("Writing")
        said = verdict_facts(decided)
        said["report_file"] = None
        if report is not None:
            said["report_file"] = str(report)
            write_whole(report, html_verdict(decided, said).encode())
    options.tell(said, _tell, as_json)
    if not said["separable"]:
        raise typer.Exit(options.NO)


def _tell(voice: Voice, said: dict[str, Any]) -> None:
    """Whether the classes are separable, and the witness of it."""
    from certo.report.page import question, reason

    tell_examples(voice, said, "Separability", "of")
    first, *others = said["answers"]
    answer = ("Yes. ", "bold green") if said["separable"] else ("No. ", "bold red")
    voice.say()
    voice.say(answer, first["claim"])
    _tell_witness(voice, first)
    if others:
        voice.say()
        through = ", by hyperplanes through the origin" if said["intercept"] == "none" else ""
        voice.say(f"Class by class{through}:")
    for kind, group in groupby(others, key=lambda answer: answer["question"]):
        answers = list(group)
        most = MAX_PAIRS_SHOWN if kind == "pair" else MAX_SINGLE_CLASSES_SHOWN
        for one in answers[:most]:
            mark = ("yes ", "green") if one["separable"] else ("no  ", "red")
            voice.say(mark, f"{question(one)}: {reason(one)}", indent=2)
        tell_more(voice, answers, most)
    voice.say()
    if said["report_file"]:
        voice.say(f"Report written to {said['report_file']}: open it in a browser.")
    else:
        voice.say("--report FILE writes a report; --json prints the certificate.")


def _tell_witness(voice: Voice, answer: dict[str, Any]) -> None:
    """The hyperplane, by the names of the columns, or the rows that cancel."""
    from certo.report.page import point

    if not answer["separable"]:
        tell_rows(voice, answer["proof"])
        if answer["meeting"]:
            where = point(answer["meeting"])
            voice.say(f"With these weights both classes have the same mean: {where}.", indent=2)
    elif answer["question"] != "jointly" and any(answer["coefficients"].values()):
        digits = "(to six digits; --json has all)"
        voice.say(f"{answer['positive']} where this score is positive {digits}:", indent=2)
        terms = [*answer["coefficients"].items()]
        for name, value in terms[:MAX_TERMS_SHOWN]:
            voice.say(f"{value:+.6g} × {name}", indent=4)
        tell_more(voice, terms, MAX_TERMS_SHOWN, indent=4)
        voice.say(f"{answer['intercept']:+.6g}", indent=4)
