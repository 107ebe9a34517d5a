"""certo curve"""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Annotated, Any

from certo.cli import options
from certo.cli.console import Voice, tell_examples

PICTURES = (".svg", ".png", ".pdf")
UNDATED: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


def curve(
    data: options.DataFile,
    target: options.Target,
    kernel: Annotated[
        list[str] | None,
        options.option(
            "KERNEL",
            "Kernels to compare: gaussian (over variances), polynomial (over degrees), or an "
            "expression such as 'Gaussian(2) + Linear()'; may be repeated.",
            default="gaussian",
        ),
    ] = None,
    values: Annotated[
        str | None,
        options.option(
            "NUMBERS",
            "Variances or degrees to compare, such as 0.1,1,10.",
            default="variances that suit the data, degrees from 1 to 7",
        ),
    ] = None,
    machine: Annotated[
        str,
        options.option("NAME", "Machine to fit: svm, kernel-perceptron, hard-margin, pegasos."),
    ] = "svm",
    C: options.ErrorPrice = None,
    setting: options.Settings = None,
    folds: Annotated[int, options.option("N", "Number of cross-validation folds.")] = 5,
    seed: Annotated[int, options.option("N", "Random seed of the folds.")] = 0,
    jobs: Annotated[
        int | None, options.option("N", "Number of fits to run in parallel.", default="1")
    ] = None,
    time_limit: Annotated[
        float | None, options.option("SECONDS", "Stop then with the kernels done so far.")
    ] = None,
    report: options.Report = None,
    picture: Annotated[
        Path | None, options.option("FILE", "Plot to write: .svg, .png or .pdf.")
    ] = None,
    scale: options.Scale = "standard",
    missing: options.Missing = "refuse",
    na: options.NotAvailable = None,
    drop: options.Drop = None,
    category: options.Category = None,
    text: options.Text = None,
    as_json: options.Json = False,
) -> None:
    """Compare kernels by cross-validation. Each has its training error, its validation error and
    its number of support vectors, with the errors of nearest neighbours for comparison."""
    from sklearn.exceptions import ConvergenceWarning

    from certo.cli.progress import FitProgress
    from certo.data.columns import read_table
    from certo.data.files import write_all
    from certo.data.problem import Problem
    from certo.report import curve_facts, html_curve
    from certo.tables.curve import compare_kernels, kernels_to_try
    from certo.tables.settings import machine as make_machine

    options.check_outputs({"--report": report, "--picture": picture}, keep=(data,))
    if picture is not None and picture.suffix.lower() not in PICTURES:
        raise Problem(f"--picture must end in one of {', '.join(PICTURES)}, got {picture}.")
    if folds < 2:
        raise Problem(f"--folds must be at least 2, got {folds}.")
    if time_limit is not None and not time_limit > 0:
        raise Problem(f"--time-limit must be seconds above 0, got {time_limit!r}.")
    settings = options.settings_of(setting, C=C)
    if any(setting.partition("=")[0] == "kernel" for setting in settings):
        raise Problem("certo curve takes the kernels to try from --kernel, not from --set.")
    estimator = make_machine(machine, settings)
    if "kernel" not in estimator.get_params():
        raise Problem(f"certo curve needs a machine with a kernel, as svm, got {machine}.")
    choices = options.encoding_choices(scale, missing, na, drop, category, text)
    to_try = kernels_to_try(kernel or ["gaussian"], values)
    with FitProgress(Voice(stderr=True).console) as progress:
        progress.stage(f"Reading {data.name}")
        table, notes = read_table(data)
        progress.stage(f"Fitting {type(estimator).__name__}")
        curve_settings = {
            "cv": folds,
            "random_state": seed,
            "n_jobs": jobs,
            "report": progress.report(f"Fitting {type(estimator).__name__}", "fit"),
            "time_limit": time_limit,
        }
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", ConvergenceWarning)
            compared = compare_kernels(
                table, target, estimator, to_try, notes=tuple(notes),
                curve_settings=curve_settings, **choices,
            )  # fmt: skip
        unfinished = [str(one.message) for one in heard if one.category is ConvergenceWarning]
        if unfinished:
            compared.examples.notes.append(
                f"{len(unfinished)} fits stopped before they converged, such as: {unfinished[0]}"
            )
        progress.stage("Writing")
        said = curve_facts(compared)
        said["interrupted"] = not (compared.curve.complete or compared.curve.timed_out)
        words = ["certo", "fit", str(data), "--target", target, "--machine", machine]
        settings = [f"kernel={compared.curve.best!r}", *settings]
        words += options.as_options({"set": settings, **choices})
        words += ["--tried", compared.tried] if compared.tried != "1" else []
        said["fit_with"] = options.command_line(*words)
        said["report_file"] = said["picture_file"] = None
        written: dict[Path, bytes] = {}
        if report is not None:
            said["report_file"] = str(report)
            written[report] = html_curve(compared, said).encode()
        if picture is not None:
            said["picture_file"] = str(picture)
            written[picture] = _draw(compared.curve, picture.suffix[1:].lower())
        write_all(written)
    options.tell(said, _tell, as_json)


def _draw(curve: Any, kind: str) -> bytes:
    import matplotlib
    from matplotlib.figure import Figure

    from certo import plots

    figure, buffer = Figure(figsize=(6.4, 5.2), layout="constrained"), io.BytesIO()
    plots.validation_curve(curve, ax=figure.add_subplot())
    with matplotlib.rc_context({"svg.hashsalt": "certo"}):
        figure.savefig(buffer, format=kind, dpi=150, metadata=UNDATED.get(kind))
    return buffer.getvalue()


def _tell(voice: Voice, said: dict[str, Any]) -> None:
    """Kernels beside each other."""
    from certo.selection import NO_ANSWER, both_errors

    curve, near = said["curve"], said["neighbours"]
    tell_examples(voice, said, curve["machine"], "for")
    voice.say(curve["validated_on"][:1].upper() + curve["validated_on"][1:] + ".")
    voice.say()
    wide = max(len("kernel"), *(len(row["kernel"]) for row in said["rows"]))
    voice.say((f"  {'kernel':<{wide}}  training  validation ± standard error  supports", "bold"))
    for row in said["rows"]:
        found = NO_ANSWER
        if row["supports"] is not None:
            off = f"± {100 * row['standard_error']:.1f}"
            errors = both_errors(row["training_error"], row["validation_error"])
            found = f"{errors} {off:<16}  {row['supports']:8,.0f}"
        mark = ("* ", "bold green") if row["best"] else "  "
        voice.say(mark, f"{row['kernel']:<{wide}}  {found}")
    if near:
        errors = both_errors(near["training_error"], near["validation_error"])
        voice.say(f"  {near['name']:<{wide}}  {errors}")
    voice.say()
    if said["best_is_at_end"]:
        voice.say(("note ", "yellow"), said["best_is_at_end"])
    if not curve["complete"]:
        why = "Stopped by the time limit: " if curve["timed_out"] else "Stopped by hand: "
        voice.say((why, "yellow"), "these kernels were finished by then.")
    for name, what in (("report_file", "Report"), ("picture_file", "Picture")):
        if said[name]:
            voice.say(f"{what} written to {said[name]}")
    voice.suggest("To fit the best", f"{said['fit_with']} --out MODEL")
