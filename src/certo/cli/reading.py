"""Options of every command that reads a table: how files of text are written."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from certo.cli.options import option

_OPTIONS = {
    "delimiter": (
        str | None,
        option(
            "CHARACTER",
            "Character between the cells of a CSV file, or its name: comma, semicolon, tab, bar, "
            "colon, space.",
            default="detected",
        ),
        None,
    ),
    "encoding": (
        str | None,
        option(
            "NAME",
            "Character encoding of a CSV file, such as utf-8, utf-16 or windows-1252.",
            default="detected",
        ),
        None,
    ),
    "no_header": (
        bool,
        typer.Option(
            "--no-header",
            help="The file has no header line: its columns are called column1, column2, …",
        ),
        False,
    ),
}


def with_reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with these options added, if it has an argument or option for a table."""
    own = inspect.signature(command, eval_str=True)
    if "data" not in own.parameters:
        return command

    @functools.wraps(command)
    def reading(
        *, delimiter: str | None, encoding: str | None, no_header: bool, **given: Any
    ) -> None:
        from certo.data.dialect import Dialect, written_in

        with written_in(Dialect(delimiter, encoding, not no_header)):
            command(**given)

    keyword = inspect.Parameter.KEYWORD_ONLY
    old = [part.replace(kind=keyword) for part in own.parameters.values()]
    more = [
        inspect.Parameter(name, keyword, default=usual, annotation=Annotated[kind, said])
        for name, (kind, said, usual) in _OPTIONS.items()
    ]
    every = own.replace(parameters=[*old, *more])
    reading.__signature__ = every  # type: ignore[attr-defined]
    reading.__annotations__ = {part.name: part.annotation for part in every.parameters.values()}
    return reading


def reading_words() -> list[str]:
    """The options that are in force, to be repeated in another command for the same file."""
    from certo.data.dialect import current_dialect

    said = current_dialect()
    words = ["--delimiter", said.delimiter] if said.delimiter else []
    words += ["--encoding", said.encoding] if said.encoding else []
    return words + ["--no-header"] * (not said.has_header)


def read_test_rows(
    progress: Any, file: Path | None, table: Any, choices: dict[str, Any]
) -> tuple[Any, list[str]]:
    """The table of test rows beside that of a fit, None if there is no file; and notes on it."""
    from certo.data.columns import read_table, text_columns

    if file is None:
        return None, []
    progress.stage(f"Reading {file.name}")
    as_text = text_columns(table, choices["na"], choices["category"], choices["drop"])
    found, notes = read_table(file, as_text=as_text)
    return found, [f"{file.name}: {note}" for note in notes]
