"""certo compare"""

from __future__ import annotations

from time import monotonic
from typing import Annotated, Any

from certo.cli import options
from certo.cli.console import Voice
from certo.cli.reading import read_test_rows, reading_words

USUAL_DELTA = 0.05


def compare(
    data: options.DataFile,
    target: options.Target,
    task: Annotated[
        str | None,
        options.option(
            "classes|numbers",
            "What to predict.",
            default="text, and up to 20 different whole numbers, are classes",
        ),
    ] = None,
    test: options.TestRows = None,
    folds: Annotated[int, options.option("N", "Number of cross-validation folds.")] = 5,
    seed: Annotated[
        int, options.option("N", "Seed of what is drawn at random: test rows, folds, machines.")
    ] = options.USUAL_SEED,
    time_limit: Annotated[
        float, options.option("SECONDS", "Seconds for all machines together.")
    ] = 120.0,
    delta: Annotated[
        float,
        options.option(
            "NUMBER", "Failure probability allowed for all bounds on new data together."
        ),
    ] = USUAL_DELTA,
    report: options.Report = None,
    scale: Annotated[
        str | None,
        options.option(
            "standard|none",
            "Scaling of numeric columns: standard (mean 0, variance 1) or none. The default is "
            "that of certo fit for each machine.",
        ),
    ] = None,
    missing: options.Missing = "refuse",
    na: options.NotAvailable = None,
    drop: options.Drop = None,
    category: options.Category = None,
    text: options.Text = None,
    as_json: options.Json = False,
) -> None:
    """Compare all suitable machines on a table. Each has its cross-validated error, and on rows
    held out from all of them a bound on its error rate on new data; all bounds hold together.
    Baselines and scikit-learn's gradient boosting are beside them."""
    from certo.cli.progress import FitProgress
    from certo.data.columns import read_table
    from certo.data.files import write_all
    from certo.report.comparison import comparison_facts, html_comparison
    from certo.tables.compare import compare_machines
    from certo.tables.held_out import HeldOut
    from certo.tables.task import checked_task, task_of

    began = monotonic()
    choices = options.encoding_choices(scale, missing, na, drop, category, text)
    test_file = options.test_rows(test, 0)[1]
    options.check_outputs({"--report": report}, keep=(data, test_file))
    with FitProgress(Voice(stderr=True).console) as progress:
        progress.stage(f"Reading {data.name}")
        table, notes = read_table(data)
        unseen, more = read_test_rows(progress, test_file, table, choices)
        share = options.test_rows(test, table.num_rows)[0]
        progress.stage("Encoding the columns")
        compared = compare_machines(
            table, target, checked_task(task or "auto", task_of(table, target, na or ())),
            test=unseen, test_name=str(test_file),
            held_out=None if share is None else HeldOut(share, seed),
            folds=folds, seed=seed, delta=delta, time_limit=time_limit, began=began,
            notes=(*notes, *more),
            report=lambda name, done, total: progress.report(f"Fitting {name}", "fit")(done, total),
            **choices,
        )  # fmt: skip
        progress.stage("Writing")
        said = comparison_facts(compared)
        said["data_file"] = str(data)
        said["test_file"] = None if test_file is None else str(test_file)
        said["fit_with"], said["report_file"] = None, None
        if compared.best_own is not None:
            words = ["certo", "fit", options.as_argument(data), "--target", target]
            words += _fitting(compared, test, seed, delta, choices)
            said["fit_with"] = options.command_line(*words, *reading_words())
        if report is not None:
            said["report_file"] = str(report)
            write_all({report: html_comparison(compared, said).encode()})
    options.tell(said, _tell, as_json)


def _fitting(
    compared: Any, test: str | None, seed: int, delta: float, choices: dict[str, Any]
) -> list[str]:
    """The options that fit the best machine of Certo: it is one of several that were compared on
    these rows, also on those that are held out again. (For numbers, nothing is claimed of the
    training rows, and the rows held out had no part in the choice.)"""
    best = compared.best_own.candidate
    words = ["--machine", best.command, *options.settings_as_options(best.settings)]
    words += options.fit_options(choices, test, seed)
    words += ["--delta", str(delta)] if delta != USUAL_DELTA else []
    return words + ["--tried", str(compared.compared)] * (compared.learns == "classes")


def _tell(voice: Voice, said: dict[str, Any]) -> None:
    """The verdict, the machines beside each other, what is proved, and what to do next."""
    from certo.report.comparison import cells, head, proved, remark, verdict

    first, *others = verdict(said)
    voice.say((first, "bold"))
    for text in others:
        voice.say(text)
    voice.say()
    lines = [list(head(said))] + [[one["name"], *cells(one, said)] for one in said["machines"]]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    machines: list[dict[str, Any] | None] = [None, *said["machines"]]
    for one, (name, *numbers) in zip(machines, lines, strict=True):
        text = "  ".join([name.ljust(widths[0]), *map(str.rjust, numbers, widths[1:])])
        if one is not None and one["seconds"] is None:
            text = f"{name.ljust(widths[0])}  {remark(one, said)}"
        style = "bold" if one is None else "bold green" if name == said["best"] else ""
        voice.say((text.rstrip(), style))
    for one in said["machines"]:
        if one["seconds"] is not None and (why := remark(one, said)):
            voice.say((f"{one['name']}: {why}.", "dim"))
    voice.say()
    for text in proved(said):
        voice.say(text)
    for note in said["notes"]:
        voice.item(("note ", "yellow"), note)
    if said["interrupted"]:
        voice.say(("Stopped by hand: ", "yellow"), "this is what there was by then.")
    if said["report_file"]:
        voice.say(f"Report written to {said['report_file']}: open it in a browser.")
    if said["fit_with"]:
        voice.suggest(f"To fit “{said['best_own']}”", f"{said['fit_with']} --out MODEL")
