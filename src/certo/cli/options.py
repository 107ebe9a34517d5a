"""Arguments and options that several commands share."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from certo.cli.console import Voice, print_json

OK, NO, BAD_INPUT, NOT_OF_THE_FIT, OUR_FAULT, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 3, 4, 130, 141

FEWEST_ROWS = 40  # With fewer rows, none is held out unless that is asked for.
USUAL_SHARE = 0.2  # The share of the rows that is held out to test.
USUAL_SEED = 0
OWN_OPTIONS = ("C", "lam", "ridge", "tol")  # Settings of machines with an option of their own.


def option(metavar: str, text: str, *names: str, default: str | bool = True) -> Any:
    """An option; its default is shown, if it has one, or told in these words."""
    return typer.Option(*names, metavar=metavar, help=text, show_default=default)


def argument(metavar: str, text: str) -> Any:
    return typer.Argument(metavar=metavar, help=text, show_default=False)


TABLE_HELP = (
    "Table to read: a file of CSV, Parquet, Arrow, svmlight, .npz or .xlsx; - is standard input."
)
FOLDER_HELP = "Or a folder of Parquet, Arrow or CSV files, which is read block by block."
DataFile = Annotated[Path, argument("DATA", TABLE_HELP)]
DataFiles = Annotated[Path, argument("DATA", f"{TABLE_HELP} {FOLDER_HELP}")]
ModelFile = Annotated[Path, argument("MODEL", "Model file written by certo fit.")]
ProvedModel = Annotated[
    Path,
    argument(
        "MODEL",
        "Model file written by certo fit, or a folder that certo proof wrote of a model that was "
        "fitted block by block.",
    ),
]
TEST_HELP = (
    "Table of test rows, not used to fit or to choose anything: bounds the error rate on new data."
)
TestFile = Annotated[Path | None, option("FILE", TEST_HELP)]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Tell everything, at length.")]
TestRows = Annotated[
    str | None,
    option(
        "SHARE|FILE|none",
        "Rows to test on, which have no part in any fit and bound the error on new data: a share "
        "of the rows, drawn at random; a table of their own; or none.",
        default="0.2, and none of fewer than 40 rows",
    ),
]
ByBlocks = Annotated[
    bool,
    typer.Option(
        "--by-blocks",
        help="Read the table block by block, never all of it at once. A table that would take more "
        "than a quarter of the memory is read so anyway, and so is a folder of files.",
    ),
]
Cluster = Annotated[
    str | None,
    option(
        "ADDRESS",
        "Dask cluster whose workers read the table block by block: the address of a scheduler "
        "(tcp://HOST:PORT), or local:4 for four workers on this machine.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Target = Annotated[str, option("COLUMN", "Column to predict.")]
Report = Annotated[Path | None, option("FILE", "HTML report to write.")]
Scale = Annotated[
    str,
    option("standard|none", "Scaling of numeric columns: standard (mean 0, variance 1) or none."),
]
Missing = Annotated[
    str,
    option("refuse|drop", "Rows with missing values: refuse them with an error, or drop them."),
]
Texts = list[str] | None
NotAvailable = Annotated[
    Texts, option("TEXT", "Text that stands for a missing value, such as NA; may be repeated.")
]
Drop = Annotated[Texts, option("COLUMN", "Column to leave out; may be repeated.")]
Category = Annotated[
    Texts, option("COLUMN", "Column whose integers are codes, not quantities; may be repeated.")
]
Text = Annotated[
    Texts,
    option(
        "COLUMN",
        "Column of text whose words are counted, even if it does not look like prose; may be "
        "repeated.",
    ),
]
ErrorPrice = Annotated[
    float | None, option("NUMBER", "Penalty C on errors in the training rows (svm).", "--C")
]
Tried = Annotated[
    str,
    option(
        "N",
        "Number of settings that were compared on this table before this fit: bounds on new data "
        "are corrected for the choice. Give the word data if the settings were computed from the "
        "table.",
    ),
]
Settings = Annotated[
    Texts,
    option(
        "NAME=VALUE",
        "Any setting of the machine, such as epochs=20 or 'kernel=Gaussian(variance=2)'; may be "
        "repeated.",
        "--set",
    ),
]


def check_outputs(outputs: dict[str, Path | None], keep: Sequence[Path | None]) -> None:
    """Refuse, before any work is done, files that cannot be written, one name for several, and the
    files that are read."""
    from certo.data.files import check_writable
    from certo.data.problem import Problem

    wanted = {name: path for name, path in outputs.items() if path is not None}
    for path in wanted.values():
        check_writable(path, keep=[other for other in keep if other is not None])
    if len({path.resolve() for path in wanted.values()}) < len(wanted):
        names, same = " and ".join(wanted), next(iter(wanted.values()))
        raise Problem(f"{names} are both {same}. Choose two names.")


def encoding_choices(scale, missing, na, drop, category, text=None) -> dict[str, Any]:
    """How a table becomes examples."""
    lists = {"na": na, "drop": drop, "category": category, "text": text}
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


def fit_options(choices: dict[str, Any], test: str | None, seed: int) -> list[str]:
    """The same for commands that may choose the scaling, with the rows to test and the seed."""
    words = as_options({name: given for name, given in choices.items() if name != "scale"})
    words += ["--scale", choices["scale"]] if choices["scale"] is not None else []
    words += ["--test", as_argument(test)] if test is not None else []
    return words + (["--seed", str(seed)] if seed != USUAL_SEED else [])


def test_rows(asked: str | None, rows: int) -> tuple[float | None, Path | None]:
    """The share of so many rows, or the table of their own, that --test names."""
    if asked is None:
        return (USUAL_SHARE if rows >= FEWEST_ROWS else None), None
    if asked == "none":
        return None, None
    try:
        return float(asked), None
    except ValueError:
        return None, Path(asked)


def settings_of(written: list[str] | None, **named: float | None) -> list[str]:
    """Those of --set, then those with an option of their own."""
    return [*(written or []), *(f"{k}={v!r}" for k, v in named.items() if v is not None)]


def settings_as_options(settings: Sequence[str]) -> list[str]:
    """The way back."""
    words = []
    for setting in settings:
        name, _, value = setting.partition("=")
        words += [f"--{name}", value] if name in OWN_OPTIONS else ["--set", setting]
    return words


def as_flag(name: str, value: Any = None) -> str:
    """A setting as an option of the command line, for the sentences of other packages."""
    name = name.replace("_", "-")
    if value is None:
        return f"--{name}"
    values = map(repr, value) if isinstance(value, list) else [value]
    return " ".join(f"--{name} {one}" for one in values)


def as_argument(path: Path | str) -> str:
    """A file as an argument, which one whose name begins like an option is not by itself."""
    return f"./{path}" if str(path).startswith("-") and str(path) != "-" else str(path)


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
