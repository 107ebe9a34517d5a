"""The command line: its commands, and what becomes of errors."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from typing import Annotated, Any

import typer

from certo.cli import (
    certify,
    compare,
    curve,
    export,
    fit,
    info,
    lab,
    predict,
    proof,
    separable,
    verify,
)
from certo.cli.console import Voice, print_json
from certo.cli.options import BAD_INPUT, BROKEN_PIPE, INTERRUPTED, OK, OUR_FAULT, as_flag
from certo.cli.reading import with_reading_options
from certo.words.reader import reading

SEPARABLE = "certo separable DATA --target COLUMN"

_WrongUse: Any = typer.BadParameter.__base__  # The UsageError of typer's own copy of click.

app = typer.Typer(
    help="Fit linear and kernel models to tables, with proofs that anyone can check. Start with "
    "certo fit; certo COMMAND --help explains each command.",
    epilog="Exit codes: 0 success, and every claim holds; 1 a claim does not hold, or the classes "
    "are not separable; 2 the input cannot be used, or the model claims nothing; 3 the data or the "
    "model file differ from those of the fit, but no claim fails on them; 4 an internal error of "
    "Certo; 130 interrupted; 141 the output pipe was closed.\n\n"
    "Example: certo fit iris.csv --target species --out iris.certo",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
#: Each command, with an example of its use. The first sentence of its docstring says what it does.
COMMANDS: dict[Callable[..., None], str] = {
    fit.fit: "certo fit iris.csv --target species --out iris.certo --report iris.html",
    compare.compare: "certo compare iris.csv --target species --report machines.html",
    curve.curve: "certo curve shores.csv --target shore --kernel gaussian --values 0.1,1,10",
    separable.separable: "certo separable iris.csv --target species --report iris.html",
    predict.predict: "certo predict iris.certo new.csv --out predicted.csv",
    verify.verify: "certo verify iris.certo iris.csv",
    proof.proof: "certo proof iris.certo iris.csv --out iris-proof",
    certify.certify: "certo certify model.skops iris.csv --target species",
    info.info: "certo info iris.certo",
    export.export: "certo export iris.certo --onnx iris.onnx --data iris.csv",
    lab.lab: "certo lab",
}
for _command, _example in COMMANDS.items():
    _summary = (_command.__doc__ or "").partition(".")[0]
    app.command(short_help=f"{_summary}.", epilog=f"Example: {_example}")(
        with_reading_options(_command)
    )


def _version(wanted: bool) -> None:
    if wanted:
        from certo import __version__

        print(f"certo {__version__}")
        raise typer.Exit


@app.callback()
def _certo(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


def main() -> None:
    """Run the command line: errors in words, no traceback, an exit code that says it."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # The stream was closed before the start.
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):  # Letters that a terminal lacks must not raise errors.
            stream.reconfigure(errors="backslashreplace")
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # The commands report what matters in their own words.
    try:
        code = _run()
        sys.stdout.flush()
    except BrokenPipeError:  # Nobody reads what is said.
        code = BROKEN_PIPE
        _discard(sys.stdout)
    except OSError as wrong:
        _tell_error(_in_words(wrong)[0])
        code = BAD_INPUT
        _discard(sys.stdout)
    sys.exit(code)


def _discard(stream: Any) -> None:
    """What is left in its buffer would fail again when the interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _run() -> int:
    """The exit code of the command that was asked for."""
    command = typer.main.get_command(app)
    command._main_shell_completion({}, "certo")  # Ends here, if a shell asks what may follow.
    try:
        with (
            reading(setting=as_flag, separability=SEPARABLE, example="row"),
            command.make_context("certo", sys.argv[1:]) as context,
        ):
            command.invoke(context)
        return OK
    except typer.Exit as leave:
        return leave.exit_code
    except _WrongUse as wrong:
        asked = wrong.ctx.command_path if wrong.ctx else "certo"
        return _refuse(f"{wrong.format_message()} Try: {asked} --help", BAD_INPUT)
    except (typer.Abort, KeyboardInterrupt):
        return _refuse("interrupted; no file was left half-written.", INTERRUPTED)
    except BrokenPipeError:
        raise
    except Exception as wrong:
        if os.environ.get("CERTO_TRACEBACK"):
            raise
        return _refuse(*_in_words(wrong))


def _in_words(wrong: Exception) -> tuple[str, int]:
    message = str(wrong) or type(wrong).__name__
    if isinstance(wrong, MemoryError):
        return f"there is not enough memory: {message}", BAD_INPUT
    if isinstance(wrong, OSError):  # The disk is full, or a file is gone.
        where = f"{wrong.filename}: " if wrong.filename else "reading or writing failed: "
        return f"{where}{wrong.strerror or message}.", BAD_INPUT
    # A Problem is a ValueError, and estimators refuse settings and data by these two.
    if isinstance(wrong, ValueError | TypeError):
        return message, BAD_INPUT
    return (
        f"something went wrong inside Certo ({type(wrong).__name__}: {message}). Please report "
        "it; with CERTO_TRACEBACK=1 in the environment the details are shown.",
        OUR_FAULT,
    )


def _refuse(message: str, code: int) -> int:
    if "--json" in sys.argv:
        print_json({"error": message})
    _tell_error(message)
    return code


def _tell_error(message: str) -> None:
    try:
        Voice(stderr=True).say(("error: ", "bold red"), message)
    except OSError:  # Nobody reads stderr; the exit code remains.
        _discard(sys.stderr)
