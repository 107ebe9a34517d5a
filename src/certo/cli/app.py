"""certo fit, curve, separable, predict, verify, proof: faces of `workflow` and `audit`."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from certo.cli.console import Voice, print_json
from certo.data.problem import Problem

OK, NO, BAD_INPUT, NOT_OF_THE_FIT, OUR_FAULT, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 3, 4, 130, 141

_WrongUse: Any = typer.BadParameter.__base__  # click's UsageError, of typer's own copy of click

app = typer.Typer(
    help="Linear and kernel learning machines that prove what they say.",
    epilog="Exit codes: 0 done; 1 no: a claim does not hold, the classes are not separable; 2 the "
    "input cannot be used, or claims nothing; 3 data or model are not those of the fit; 4 an error "
    "in Certo itself; 130 interrupted; 141 nobody read all of the output.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

DataFile = Annotated[
    Path, typer.Argument(metavar="DATA", help="A CSV or Parquet file.", show_default=False)
]
ModelFile = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="A model file written by certo fit.", show_default=False),
]
TestFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Rows that nothing was fitted to or chosen by.", show_default=False
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]


Target = Annotated[
    str, typer.Option(metavar="COLUMN", help="The column to predict.", show_default=False)
]
Report = Annotated[Path | None, typer.Option(help="The HTML report to write.", show_default=False)]
Missing = Annotated[str, typer.Option(help="Rows with missing values: refuse them, or drop them.")]
NotAvailable = Annotated[
    list[str] | None,
    typer.Option(metavar="TEXT", help="A text that means a missing value; may be repeated."),
]
Drop = Annotated[
    list[str] | None, typer.Option(metavar="COLUMN", help="To leave out; may be repeated.")
]
Category = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Its whole numbers are categories; may be repeated."),
]
PriceOfSlack = Annotated[
    float | None, typer.Option("--C", help="The price of slack (svm).", show_default=False)
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any parameter, as epochs=20 or 'kernel=Gaussian(variance=2)'; may be repeated.",
    ),
]


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


def _choices(scale, missing, na, drop, category) -> dict[str, Any]:
    """How a table becomes examples."""
    lists = {"na": na, "drop": drop, "category": category}
    return {"scale": scale, "missing": missing} | {k: tuple(v or ()) for k, v in lists.items()}


def _settings(written: list[str] | None, **named: float | None) -> list[str]:
    """Those of --set, then those with an option of their own."""
    return [*(written or []), *(f"{k}={v!r}" for k, v in named.items() if v is not None)]


def _say(
    said: dict[str, Any], tell: Callable[[Voice, dict[str, Any]], None], as_json: bool
) -> None:
    if as_json:
        print_json(said)
    else:
        tell(Voice(), said)
    if said.get("interrupted"):
        raise typer.Exit(INTERRUPTED)


@app.command()
def fit(
    data: DataFile,
    target: Target,
    machine: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Which machine: perceptron, kernel-perceptron, hard-margin, svm, pegasos, "
            "min-disagreement, logistic; least-squares for a target that is a number.",
        ),
    ] = "perceptron",
    output: Annotated[
        Path | None, typer.Option("--out", help="The model file to write.", show_default=False)
    ] = None,
    report: Report = None,
    scale: Annotated[
        str | None,
        typer.Option(
            help="Numeric columns: standard (mean 0, variance 1) or none. If not given, standard, "
            "but none where the answer does not depend on it: min-disagreement, logistic and "
            "least-squares without a ridge.",
            show_default=False,
        ),
    ] = None,
    missing: Missing = "refuse",
    na: NotAvailable = None,
    drop: Drop = None,
    category: Category = None,
    C: PriceOfSlack = None,
    lam: Annotated[
        float | None,
        typer.Option(help="The weight λ of the penalty (svm, pegasos).", show_default=False),
    ] = None,
    ridge: Annotated[
        float | None,
        typer.Option(help="The weight of the penalty (logistic, least-squares).", show_default="0"),
    ] = None,
    tol: Annotated[
        float | None,
        typer.Option(
            help="The gap to prove: relative (svm, hard-margin), absolute (logistic).",
            show_default=False,
        ),
    ] = None,
    test: Annotated[
        Path | None,
        typer.Option(
            metavar="DATA",
            help="Rows that are kept out of the fit, to bound the errors on new ones.",
            show_default=False,
        ),
    ] = None,
    delta: Annotated[
        float,
        typer.Option(help="How probable it may be that a claim about new rows is wrong."),
    ] = 0.05,
    tried: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="How many settings were compared on this table before, which claims about new "
            "rows pay for; data, if these were made from the table.",
        ),
    ] = "1",
    setting: Settings = None,
    as_json: Json = False,
) -> None:
    """Learn to predict a column of a table, and say what that proves."""
    from certo.cli.fitting import run_fit
    from certo.cli.words import tell_fit, tell_refusal
    from certo.report import refusal_facts
    from certo.workflow import CannotSeparate

    choices = _choices(scale, missing, na, drop, category)
    if C is not None and lam is not None:
        raise Problem("--C and --lam are two ways to say one thing: give one of them.")
    try:
        said = run_fit(
            data,
            target,
            machine=machine,
            settings=_settings(setting, C=C, lam=lam, ridge=ridge, tol=tol),
            output=output,
            report=report,
            test=test,
            delta=delta,
            tried=tried,
            **choices,
        )
    except CannotSeparate as wrong:
        why = refusal_facts(wrong)
        if as_json:
            print_json(why)
        tell_refusal(Voice(stderr=True), why, data, target, choices)
        raise typer.Exit(BAD_INPUT) from wrong
    _say(said, tell_fit, as_json)


@app.command()
def curve(
    data: DataFile,
    target: Target,
    kernel: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KERNEL",
            help="gaussian (over variances), polynomial (over degrees), or a kernel written out, "
            "as 'Gaussian(2) + Linear()', repeated for each one to try.",
            show_default="gaussian",
        ),
    ] = None,
    values: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="The variances or degrees to try, as 0.1,1,10.",
            show_default="variances that suit the data, degrees from 1 to 7",
        ),
    ] = None,
    machine: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Which machine: svm, kernel-perceptron, hard-margin, pegasos."
        ),
    ] = "svm",
    C: PriceOfSlack = None,
    setting: Settings = None,
    folds: Annotated[int, typer.Option(help="In how many parts the examples are cut.")] = 5,
    seed: Annotated[int, typer.Option(help="Decides the parts.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(help="How many fits at once.", show_default="1")
    ] = None,
    report: Report = None,
    picture: Annotated[
        Path | None, typer.Option(help="The picture to write: SVG, PNG or PDF.", show_default=False)
    ] = None,
    scale: Annotated[
        str, typer.Option(help="Numeric columns: standard (mean 0, variance 1) or none.")
    ] = "standard",
    missing: Missing = "refuse",
    na: NotAvailable = None,
    drop: Drop = None,
    category: Category = None,
    as_json: Json = False,
) -> None:
    """Compare kernels by cross-validation: training and validation error, and the number of
    supports, with the nearest neighbours beside them."""
    from certo.cli.choosing import run_curve
    from certo.cli.words import tell_curve

    said = run_curve(
        data,
        target,
        machine=machine,
        settings=_settings(setting, C=C),
        kernels=kernel or ["gaussian"],
        values=values,
        folds=folds,
        seed=seed,
        jobs=jobs,
        report=report,
        picture=picture,
        **_choices(scale, missing, na, drop, category),
    )
    _say(said, tell_curve, as_json)


@app.command()
def separable(
    data: DataFile,
    target: Target,
    intercept: Annotated[
        str, typer.Option(help="free: any hyperplane; none: only those through the origin.")
    ] = "free",
    report: Report = None,
    scale: Annotated[
        str,
        typer.Option(help="Numeric columns: none (as they are), or standard, as for certo fit."),
    ] = "none",
    missing: Missing = "refuse",
    na: NotAvailable = None,
    drop: Drop = None,
    category: Category = None,
    as_json: Json = False,
) -> None:
    """Decide whether hyperplanes can tell the classes apart, and prove it. Exit code 0: yes, with
    the hyperplane; 1: no, with the few rows that make it impossible."""
    from certo.cli.deciding import run_separable
    from certo.cli.words import tell_verdict

    said = run_separable(
        data,
        target,
        intercept=intercept,
        report=report,
        **_choices(scale, missing, na, drop, category),
    )
    _say(said, tell_verdict, as_json)
    if not said["separable"]:
        raise typer.Exit(NO)


@app.command()
def predict(
    model: ModelFile,
    data: DataFile,
    output: Annotated[
        Path | None,
        typer.Option("--out", help="Write here, not to the terminal.", show_default=False),
    ] = None,
    interval: Annotated[
        float | None,
        typer.Option(
            metavar="LEVEL",
            help="For least-squares: where a new value is with this probability, as 0.95.",
            show_default=False,
        ),
    ] = None,
    missing: Annotated[
        str,
        typer.Option(
            help="Rows with missing values: refuse them, drop them, or leave their predictions "
            "empty."
        ),
    ] = "refuse",
    as_json: Json = False,
) -> None:
    """Predict for the rows of a table; columns are taken by name, a target column is ignored.
    Beside the classes of logistic stand their probabilities."""
    from certo.cli.words import predictions_text
    from certo.data.files import check_writable, write_whole
    from certo.data.model_file import load_model
    from certo.data.tables import read_table
    from certo.workflow import predict_table

    if output is not None:
        check_writable(output, keep=(model, data))
    loaded = load_model(model)
    if not loaded.as_written:
        raise Problem(
            f"{model} was changed since it was written: its fingerprint does not match. Fit the "
            "model again, or get an unchanged copy."
        )
    known = loaded.model
    table, notes = read_table(data, as_text=known.encoder.text_names_)
    predicted = predict_table(known, table, interval, missing)
    notes = notes + predicted.remarks
    for note in notes:
        Voice(stderr=True).say(("note ", "yellow"), note)
    text = predictions_text(known.target, predicted, notes, as_json=as_json)
    if output is not None:
        write_whole(output, text.encode())
        return
    if hasattr(sys.stdout, "reconfigure") and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8")  # data, as in a file: no letter is escaped
    sys.stdout.write(text)


@app.command()
def verify(model: ModelFile, data: DataFile, test: TestFile = None, as_json: Json = False) -> None:
    """Check, from the data alone, that every claim of a model holds."""
    from certo.cli.auditing import run_verify, tell_audit

    audit = run_verify(model, data, test)
    if as_json:
        print_json(audit.to_dict())
    else:
        tell_audit(Voice(), audit)
    _leave(audit)


@app.command()
def proof(
    model: ModelFile,
    data: DataFile,
    output: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="To write.", show_default=False)
    ],
    test: TestFile = None,
    as_json: Json = False,
) -> None:
    """Check every claim of a model and write them to a folder beside the examples, for someone who
    trusts nothing: python -m certo.verify FOLDER checks it, with NumPy and SciPy alone."""
    from certo.cli.auditing import run_proof, tell_proof

    audit, said = run_proof(model, data, test, output)
    if as_json:
        print_json(said | {"audit": audit.to_dict()})
    else:
        tell_proof(Voice(), audit, said)
    _leave(audit)


def _leave(audit: Any) -> None:
    if audit.refuted:
        raise typer.Exit(NO)
    if not audit.passed:
        raise typer.Exit(BAD_INPUT if audit.of_the_fit and audit.claims_nothing else NOT_OF_THE_FIT)


def main() -> None:
    """Run the command line: errors in words, no traceback, an exit code that says it."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # it was closed before we began
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):  # never fail on a letter that a terminal lacks
            stream.reconfigure(errors="backslashreplace")
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # what a person should know is said in words
    sys.exit(_run())


def _run() -> int:
    """The exit code, after all that was said has reached its reader, or nobody reads it."""
    try:
        code = _said()
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        unread = BROKEN_PIPE
    except OSError as wrong:
        _tell_error(_in_words(wrong)[0])
        unread = BAD_INPUT
    _discard(sys.stdout)
    return unread


def _discard(stream: Any) -> None:
    """What is left in its buffer would fail again when the interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _said() -> int:
    command = typer.main.get_command(app)
    try:
        with command.make_context("certo", sys.argv[1:]) as context:
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
    if isinstance(wrong, Problem):
        return message, BAD_INPUT
    if isinstance(wrong, MemoryError):
        return f"there is not enough memory: {message}", BAD_INPUT
    if isinstance(wrong, OSError):  # a disk that is full, a file that went away
        where = f"{wrong.filename}: " if wrong.filename else "reading or writing failed: "
        return f"{where}{wrong.strerror or message}.", BAD_INPUT
    if isinstance(wrong, ValueError | TypeError):  # how estimators refuse settings and data
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
    except OSError:  # nobody listens; the exit code says it all the same
        _discard(sys.stderr)
