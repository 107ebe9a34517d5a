"""Arguments and options that several commands share."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from certo.cli.console import Voice, print_json

OK, NO, BAD_INPUT, NOT_OF_THE_FIT, OUR_FAULT, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 3, 4, 130, 141

DataFile = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="Table to read: a CSV file with a header line, or a Parquet file.",
        show_default=False,
    ),
]
ModelFile = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="Model file written by certo fit.", show_default=False),
]
TestFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Table of test rows, not used to fit or to choose anything.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Target = Annotated[
    str, typer.Option(metavar="COLUMN", help="Column to predict.", show_default=False)
]
Report = Annotated[
    Path | None, typer.Option(metavar="FILE", help="HTML report to write.", show_default=False)
]
Missing = Annotated[
    str,
    typer.Option(
        metavar="refuse|drop",
        help="Rows with missing values: refuse them with an error, or drop them.",
    ),
]
NotAvailable = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT", help="Text that stands for a missing value, such as NA; may be repeated."
    ),
]
Drop = Annotated[
    list[str] | None, typer.Option(metavar="COLUMN", help="Column to leave out; may be repeated.")
]
Category = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN", help="Column whose integers are codes, not quantities; may be repeated."
    ),
]
ErrorPrice = Annotated[
    float | None,
    typer.Option(
        "--C",
        metavar="NUMBER",
        help="Penalty C on errors in the training rows (svm).",
        show_default=False,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any setting of the machine, such as epochs=20 or 'kernel=Gaussian(variance=2)'; may "
        "be repeated.",
    ),
]


def encoding_choices(scale, missing, na, drop, category) -> dict[str, Any]:
    """How a table becomes examples."""
    lists = {"na": na, "drop": drop, "category": category}
    return {"scale": scale, "missing": missing} | {k: tuple(v or ()) for k, v in lists.items()}


def as_options(choices: dict[str, Any]) -> list[str]:
    """How a table becomes examples, as options of a command, but for what is usual."""
    usual = {"scale": "standard", "missing": "refuse"}
    return [
        word
        for name, given in choices.items()
        for value in ([given] if isinstance(given, str) else given)
        if usual.get(name) != value
        for word in (f"--{name}", value)
    ]


def settings_of(written: list[str] | None, **named: float | None) -> list[str]:
    """Those of --set, then those with an option of their own."""
    return [*(written or []), *(f"{k}={v!r}" for k, v in named.items() if v is not None)]


def as_flag(name: str, value: Any = None) -> str:
    """A setting as an option of the command line, for the sentences of other packages."""
    if value is None:
        return f"--{name}"
    values = map(repr, value) if isinstance(value, list) else [value]
    return " ".join(f"--{name} {one}" for one in values)


def command_line(*words: str) -> str:
    """A command that can be copied into a shell."""
    return " ".join(map(shlex.quote, words))


def tell(
    said: dict[str, Any], in_words: Callable[[Voice, dict[str, Any]], None], as_json: bool
) -> None:
    """Facts as JSON or in words; a fit that was interrupted ends with its exit code."""
    if as_json:
        print_json(said)
    else:
        in_words(Voice(), said)
    if said.get("interrupted"):
        raise typer.Exit(INTERRUPTED)
