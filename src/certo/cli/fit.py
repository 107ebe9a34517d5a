"""certo fit"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

import typer

from certo.certificates.encoding import counted, readable
from certo.cli import options
from certo.cli.console import Voice, print_json, tell_examples, tell_more, tell_rows
from certo.cli.reading import reading_words
from certo.numbers.digits import share_text

MAX_CLAIMS_SHOWN = 6  # Claims of one kind, where there may be one for each of many classes.
MAX_TERMS_SHOWN = 20  # Coefficients that a terminal shows.


def fit(
    data: options.DataFile,
    target: options.Target,
    machine: Annotated[
        str,
        options.option(
            "NAME",
            "Machine to fit. To predict a class: perceptron, kernel-perceptron, svm, hard-margin, "
            "pegasos, logistic, min-disagreement. To predict a number: least-squares.",
        ),
    ] = "perceptron",
    output: Annotated[Path | None, options.option("FILE", "Model file to write.", "--out")] = None,
    report: options.Report = None,
    scale: Annotated[
        str | None,
        options.option(
            "standard|none",
            "Scaling of numeric columns: standard (mean 0, variance 1) or none. The default is "
            "standard, but none where scaling does not change the answer: logistic and "
            "least-squares without --ridge, and min-disagreement.",
        ),
    ] = None,
    missing: options.Missing = "refuse",
    na: options.NotAvailable = None,
    drop: options.Drop = None,
    category: options.Category = None,
    text: options.Text = None,
    C: options.ErrorPrice = None,
    lam: Annotated[
        float | None,
        options.option("NUMBER", "Weight λ of the penalty on large weights (svm, pegasos)."),
    ] = None,
    ridge: Annotated[
        float | None,
        options.option(
            "NUMBER",
            "Weight of the penalty on large coefficients (logistic, least-squares).",
            default="0",
        ),
    ] = None,
    tol: Annotated[
        float | None,
        options.option(
            "NUMBER",
            "Stop once the optimality gap is proved to be at most this: a relative gap (svm, "
            "hard-margin) or an absolute one (logistic).",
        ),
    ] = None,
    test: options.TestFile = None,
    delta: Annotated[
        float,
        options.option("NUMBER", "Failure probability allowed for each claim about new data."),
    ] = 0.05,
    tried: Annotated[
        str,
        options.option(
            "N",
            "Number of settings that were compared on this table before this fit: bounds on new "
            "data are corrected for the choice. Give the word data if the settings were computed "
            "from the table.",
        ),
    ] = "1",
    setting: options.Settings = None,
    as_json: options.Json = False,
) -> None:
    """Fit a model to a table, and prove what can be proved about it."""
    from sklearn.exceptions import ConvergenceWarning

    from certo import report as reports
    from certo.cli.progress import FitProgress
    from certo.data.columns import read_table, text_columns
    from certo.data.files import write_all
    from certo.data.problem import Problem
    from certo.estimators import SeparationWarning
    from certo.stop import Stop
    from certo.tables.fit import CannotSeparate, fit_table
    from certo.tables.model_file import model_bytes
    from certo.tables.settings import machine as make_machine

    choices = options.encoding_choices(scale, missing, na, drop, category, text)
    if C is not None and lam is not None:
        raise Problem("--C and --lam set the same penalty: give only one of them.")
    settings = options.settings_of(setting, C=C, lam=lam, ridge=ridge, tol=tol)
    options.check_outputs({"--out": output, "--report": report}, keep=(data, test))
    estimator = make_machine(machine, settings)
    console = Voice(stderr=True).console
    with FitProgress(console) as progress:
        progress.stage(f"Reading {data.name}")
        table, notes = read_table(data)
        unseen = None
        if test is not None:
            progress.stage(f"Reading {test.name}")
            as_text = text_columns(table, na or (), category or (), drop or ())
            unseen, more = read_table(test, as_text=as_text)
            notes = [*notes, *(f"{test.name}: {note}" for note in more)]
        progress.stage("Encoding the columns")
        with warnings.catch_warnings():
            for kind in (ConvergenceWarning, SeparationWarning):  # The status reports these.
                warnings.simplefilter("ignore", kind)
            try:
                fitted = fit_table(
                    table, target, estimator, test=unseen, test_name=str(test), delta=delta,
                    tried=tried, notes=tuple(notes),
                    callback=progress if console.is_terminal else None, **choices,
                )  # fmt: skip
            except CannotSeparate as wrong:
                progress.stop()
                why = reports.refusal_facts(wrong)
                if as_json:
                    print_json(why)
                _tell_refusal(Voice(stderr=True), why, data, target, choices)
                raise typer.Exit(options.BAD_INPUT) from wrong
        progress.stage("Writing")
        said = reports.facts(fitted)
        said["interrupted"] = getattr(fitted.model.machine, "_stop", None) is Stop.BY_HAND
        said["model_file"] = said["model_fingerprint"] = said["report_file"] = None
        written: dict[Path, bytes] = {}
        if output is not None:
            written[output], said["model_fingerprint"] = model_bytes(fitted.model)
            said["model_file"] = str(output)
        words = ["certo", "verify", _as_argument(output or "MODEL"), _as_argument(data)]
        words += ["--test", _as_argument(test)] if test and len(fitted.certified.test) else []
        said["verify_with"] = options.command_line(*words, *reading_words())
        if report is not None:
            said["report_file"] = str(report)
            written[report] = reports.html_report(fitted, said).encode()
        write_all(written)
    options.tell(said, _tell, as_json)


def _as_argument(path: Path | str) -> str:
    """A file as an argument, which one whose name begins like an option is not by itself."""
    return f"./{path}" if str(path).startswith("-") and str(path) != "-" else str(path)


def _tell(voice: Voice, said: dict[str, Any]) -> None:
    from certo.report.page import on_test_rows

    kernel = f" with {said['kernel']}" if said["kernel"] else ""
    tell_examples(voice, said, said["machine"] + kernel, "for")
    if said["warning"]:
        voice.say((said["warning"], "bold yellow"))
    voice.say(said["status"])
    voice.say(_success(said))
    if said["test_error"] is not None:
        voice.say(on_test_rows(said))
    for line in _goodness(said):
        voice.say(line)
    voice.say()
    _tell_proved(voice, said)
    if said["coefficients"]:
        _tell_coefficients(voice, said)
    _tell_claims(voice, said)
    voice.say()
    if said["interrupted"]:
        voice.say(("Stopped by hand: ", "yellow"), "this is the model at that moment.")
    if said["model_file"]:
        voice.say(f"Model written to {said['model_file']}")
        if said["claims"]:
            voice.suggest("Check it with", said["verify_with"])
    if said["report_file"]:
        voice.say(f"Report written to {said['report_file']}: open it in a browser.")
    if not said["model_file"] and not said["report_file"]:
        voice.say("Nothing was written: --out FILE saves the model, --report FILE a report.")


def _success(said: dict[str, Any]) -> str:
    if said["classes"] is None:
        error, usual = readable(said["training_error"]), readable(said["deviation"])
        return f"The root mean square error is {error}; always predicting the mean has {usual}."
    right = f"{share_text(said['training_accuracy'])} % of the training examples are right"
    return f"{right}; always answering the majority class gets {share_text(said['commonest'])} %."


def _goodness(said: dict[str, Any]) -> Iterator[str]:
    """How well a regression fits, in the numbers that are usual for it."""
    if said.get("r2") is not None:
        variance, spread = said["residual_variance"], ""
        if variance is not None:
            error, degrees = readable(variance**0.5), counted(said["degrees_of_freedom"], "degree")
            spread = f"; residual standard error {error} on {degrees} of freedom"
        yield f"R² is {said['r2']:.4g}{spread}."
    if said.get("null_log_likelihood"):
        most, least = said["log_likelihood"], said["null_log_likelihood"]
        share = f"McFadden's R² is {1 - most / least:.4g}"
        yield f"The log-likelihood is {most:.6g} ({least:.6g} with the intercept alone); {share}."


def _tell_coefficients(voice: Voice, said: dict[str, Any]) -> None:
    """Estimates with their errors, tests and intervals, under each other."""
    from certo.report.page import digits, p_value, ratio

    table = said["coefficients"]
    s, rows = table["statistic"], table["rows"]
    ends = [f"{50 * (1 + sign * table['level']):.4g} %" for sign in (-1, 1)]
    first = "estimate" if table["is_estimate"] else "coefficient"
    lines = [["", first, "std. error", s, f"P>|{s}|", *ends]]
    for row in rows[:MAX_TERMS_SHOWN]:
        numbers = [row["estimate"], row["standard_error"], row["low"], row["high"]]
        estimate, error, low, high = map(digits, numbers)
        test = ratio(row["statistic"]), p_value(row["p_value"])
        lines.append([row["name"], estimate, error, *test, low, high])
    if all(row["standard_error"] is None for row in rows):
        lines = [line[:2] for line in lines]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    group = ""
    for k, (first, *others) in enumerate(lines):
        if k and rows[k - 1]["group"] != group:
            group = rows[k - 1]["group"]
            voice.say((group, "bold"), indent=2)
        cells = [first.ljust(widths[0]), *map(str.rjust, others, widths[1:])]
        voice.say(("  ".join(cells).rstrip(), "bold" if k == 0 else ""), indent=2)
    tell_more(voice, rows, MAX_TERMS_SHOWN)
    if said["references"]:
        compared = ", ".join(f"{name} with {level!r}" for name, level in said["references"].items())
        text = f"Levels of a category are compared with a reference level: {compared}."
        voice.say(text, indent=2)
    for note in table["notes"]:
        voice.say(note, indent=2)
    voice.say()


def _tell_proved(voice: Voice, said: dict[str, Any]) -> None:
    """Plain sentences: of all claims about new examples together, then of each claim."""
    from certo.report.page import plain_lines

    voice.say(("What is proved" if said["claims"] else "Nothing is claimed.", "bold"))
    for k, text in enumerate(said["in_words"]):
        voice.say((text, "dim" if k else "bold"), indent=2)
    for text in said["remarks"]:
        if text not in said["notes"]:  # The notes were printed before.
            voice.item(("note ", "yellow"), text, indent=2)
    for line in plain_lines(said):
        about = f"{line['about']}: " if line["about"] else ""
        mark = ("✓ ", "green") if line["informative"] else ("○ ", "dim")
        more = f" ({line['more']})" if line["more"] else ""
        voice.item(mark, about + line["plain"] + more, indent=2)
    voice.say()


def _tell_claims(voice: Voice, said: dict[str, Any]) -> None:
    kind, name = itemgetter("type"), itemgetter("name")
    for key, group in groupby(sorted(said["claims"], key=kind), key=kind):
        claims = list(group)
        voice.say((key, "green" if any(claim["informative"] for claim in claims) else "dim"))
        for claim in claims[:MAX_CLAIMS_SHOWN]:
            voice.say(claim["claim"], indent=2)
        tell_more(voice, claims, MAX_CLAIMS_SHOWN)
        for text in dict.fromkeys(text for claim in claims for text in claim["assumes"]):
            voice.say((f"assuming that {text}", "dim"), indent=2)
    for key, group in groupby(sorted(said["not_claimed"], key=name), key=name):
        refusals = list(group)
        voice.say((f"{key} not claimed", "yellow"))
        for refusal in refusals[:MAX_CLAIMS_SHOWN]:
            voice.say(refusal["reason"], indent=2)
        tell_more(voice, refusals, MAX_CLAIMS_SHOWN)


def _tell_refusal(
    voice: Voice, why: dict[str, Any], data: Path, target: str, choices: dict[str, Any]
) -> None:
    """Why a machine has no answer, and which rows are to blame."""
    voice.say(("error: ", "bold red"), why["error"])
    tell_rows(voice, why["proof"])
    same = options.as_options({name: given for name, given in choices.items() if name != "scale"})
    words = options.command_line("certo", "separable", str(data), "--target", target, *same)
    voice.suggest("The proof in the table's own numbers, with a picture", f"{words} --report FILE")
