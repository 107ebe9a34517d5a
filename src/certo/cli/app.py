"""certo fit, certo predict, certo verify: faces of `certo.workflow`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import click
import typer
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from certo.data.problem import Problem

OK, CLAIM_FAILED, BAD_INPUT, OTHER_DATA, INTERRUPTED = 0, 1, 2, 3, 130

app = typer.Typer(
    help="Linear and kernel learning machines that prove what they say: fit, predict, verify.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
out, err = Console(highlight=False), Console(stderr=True, highlight=False)

DataFile = Annotated[Path, typer.Argument(help="A CSV or Parquet file.", show_default=False)]
ModelFile = Annotated[
    Path, typer.Argument(help="A model file written by certo fit.", show_default=False)
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]


@app.callback()
def _certo() -> None:
    """Exit codes: 0 done; 1 a claim does not hold; 2 the input cannot be used;
    3 data or model are not those of the fit; 130 interrupted."""


@app.command()
def fit(
    data: DataFile,
    target: Annotated[str, typer.Option(help="The column with the classes.", show_default=False)],
    machine: Annotated[str, typer.Option(help="Which machine to fit.")] = "perceptron",
    output: Annotated[
        Path | None, typer.Option("--out", help="The model file to write.", show_default=False)
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="The HTML report to write.", show_default=False)
    ] = None,
    scale: Annotated[
        str, typer.Option(help="Numeric columns: standard (mean 0, variance 1) or none.")
    ] = "standard",
    missing: Annotated[
        str, typer.Option(help="Rows with missing values: refuse them, or drop them.")
    ] = "refuse",
    drop: Annotated[
        list[str] | None, typer.Option(help="A column to leave out; may be repeated.")
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", help="A parameter, as in epochs=50; may be repeated."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Learn to predict a column of a table, and say what that proves."""
    from certo.cli.progress import EpochBar
    from certo.data.files import check_writable, write_whole
    from certo.data.model_file import save_model
    from certo.data.tables import read_table
    from certo.report import facts, html_report
    from certo.workflow import fit_table
    from certo.workflow import machine as make_machine

    for path in (output, report):
        if path is not None:
            check_writable(path)
    estimator = make_machine(machine, setting or [])
    table = read_table(data)
    if err.is_terminal:
        err.print("Preparing (the first run compiles its loops, which takes some seconds) …")
        estimator.set_callbacks(EpochBar(err))
    try:
        fitted = fit_table(
            table, target, estimator, scale=scale, drop=tuple(drop or ()), missing=missing
        )
    finally:
        estimator.set_callbacks()
    said = facts(fitted)
    page = html_report(fitted, str(output or "MODEL"), str(data)) if report is not None else None
    if output is not None:
        said["model_fingerprint"] = save_model(output, fitted.model)
        said["model_file"] = str(output)
    if page is not None and report is not None:
        write_whole(report, page.encode())
        said["report_file"] = str(report)
    if as_json:
        _print_json(said)
    else:
        _print_fit(said, data)


def _print_fit(said: dict[str, Any], data: Path) -> None:
    classes = ", ".join(map(str, said["classes"][:8])) + (" …" if len(said["classes"]) > 8 else "")
    numbers, categories = said["columns"]["numbers"], said["columns"]["categories"]
    out.print(
        f"[bold]{said['machine']}[/] for [bold]{escape(said['target'])}[/] ({escape(classes)}): "
        f"{said['examples']:,} examples, {said['features']:,} features"
    )
    scaled = "scaled to mean 0 and variance 1" if said["scale"] == "standard" else "as they are"
    if numbers:
        out.print(f"  {len(numbers)} numeric columns, {scaled} (--scale)")
    if categories:
        out.print(f"  {len(categories)} categorical columns, one 0/1 feature for each level")
    for note in said["notes"]:
        out.print(f"  [yellow]note[/] {escape(note)}")
    out.print(escape(said["status"]))
    out.print(f"{100 * said['training_accuracy']:.2f} % of the training examples are right.\n")
    for claim in said["claims"]:
        out.print(f"[green]{claim['type']}[/] [dim]about {escape(claim['about'])}[/]")
        _indented(escape(claim["claim"]))
        for text in claim["assumes"]:
            _indented(f"[dim]assuming that {escape(text)}[/]")
    for refusal in said["not_claimed"]:
        out.print(f"[yellow]{refusal['name']} not claimed[/]")
        _indented(escape(refusal["reason"]))
    out.print()
    if "model_file" in said:
        out.print(f"Model written to {escape(said['model_file'])}")
        out.print(f"Check it with: certo verify {escape(said['model_file'])} {escape(str(data))}")
    if "report_file" in said:
        out.print(f"Report written to {escape(said['report_file'])}: open it in a browser.")


def _indented(text: str) -> None:
    out.print(Padding(text, (0, 0, 0, 2)))


@app.command()
def predict(
    model: ModelFile,
    data: DataFile,
    output: Annotated[
        Path | None, typer.Option("--out", help="Write here instead of to the terminal.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Predict for the rows of a table; columns are taken by name, a target column is ignored."""
    import csv
    import io

    from certo.data.files import check_writable, write_whole
    from certo.data.tables import read_table
    from certo.workflow import predict_table

    if output is not None:
        check_writable(output)
    loaded = _load(model)
    labels, notes = predict_table(loaded.model, read_table(data))
    for note in notes:
        err.print(f"[yellow]note[/] {escape(note)}")
    if as_json:
        text = json.dumps({"predictions": labels.tolist(), "notes": notes}) + "\n"
    else:
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow([f"predicted {loaded.model.target}"])
        writer.writerows([label] for label in labels.tolist())
        text = buffer.getvalue()
    if output is not None:
        write_whole(output, text.encode())
    else:
        sys.stdout.write(text)


@app.command()
def verify(model: ModelFile, data: DataFile, as_json: Json = False) -> None:
    """Check, from the data alone, that every claim of a model holds."""
    from certo.data.tables import read_table
    from certo.workflow import audit_table

    loaded = _load(model, strict=False)
    audit = audit_table(loaded, read_table(data))
    if as_json:
        _print_json(audit.to_dict())
    else:
        _print_audit(audit)
    if not audit.claims_hold:
        raise typer.Exit(CLAIM_FAILED)
    if not audit.passed:
        raise typer.Exit(OTHER_DATA)


def _print_audit(audit) -> None:
    def line(good: bool, yes: str, no: str) -> None:
        out.print(f"[green]✓[/] {escape(yes)}" if good else f"[red]✗[/] {escape(no)}")

    line(
        audit.same_data,
        "The data are those of the fit.",
        "The data are NOT those of the fit: the table's fingerprint is another.",
    )
    line(
        audit.same_model,
        "The model file is as it was written.",
        "The model file was CHANGED since it was written: its fingerprint is another.",
    )
    for text in audit.about_model:
        line(False, "", text)
    for part in audit.claims.parts:
        line(part.holds, f"{part.name}: {part.why}", f"{part.name} does not hold: {part.why}")
    out.print()
    if audit.passed:
        out.print("[bold green]Verified:[/] every claim holds.")
    elif audit.claims_hold:
        out.print("[bold red]Not verified:[/] the claims hold, but not of what was fitted.")
    else:
        out.print("[bold red]Not verified:[/] a claim does not hold.")


def _load(path: Path, *, strict: bool = True):
    from certo.data.model_file import load_model

    loaded = load_model(path)
    if strict and not loaded.as_written:
        raise Problem(f"{path} was changed since it was written: its fingerprint does not match.")
    return loaded


def _print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def main() -> None:
    """Run the command line: errors in words, no traceback, an exit code that says it."""
    try:
        app(standalone_mode=False)
    except click.ClickException as wrong:
        wrong.show()
        sys.exit(BAD_INPUT)
    except (click.exceptions.Abort, KeyboardInterrupt):
        err.print("Interrupted; nothing was written.")
        sys.exit(INTERRUPTED)
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except BrokenPipeError:  # the reader of our output went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(OK)
    except (ValueError, TypeError, MemoryError) as wrong:
        if os.environ.get("CERTO_TRACEBACK"):
            raise
        if "--json" in sys.argv:
            _print_json({"error": str(wrong)})
        err.print(f"[bold red]error:[/] {escape(str(wrong) or type(wrong).__name__)}")
        sys.exit(BAD_INPUT)
