"""certo fit"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from certo.cli import options
from certo.cli.console import Voice, print_json, tell_rows
from certo.cli.reading import read_test_rows, reading_words


def fit(
    data: options.DataFiles,
    target: Annotated[
        str | None, options.option("COLUMN", "Column to predict; a density has none.")
    ] = None,
    machine: Annotated[
        str | None,
        options.option(
            "NAME",
            "Machine to fit. To predict a class: svm, perceptron, kernel-perceptron, hard-margin, "
            "pegasos, online-gradient-descent, logistic, min-disagreement. To predict a number: "
            "least-squares. Or auto: the best of a few by cross-validation on the training rows. "
            "Without a target: gaussian-density, log-linear-density.",
            default="svm for classes, least-squares for numbers",
        ),
    ] = None,
    task: Annotated[
        str | None,
        options.option(
            "classes|numbers",
            "What to predict, if no machine is named.",
            default="text, and up to 20 different whole numbers, are classes",
        ),
    ] = None,
    output: Annotated[Path | None, options.option("FILE", "Model file to write.", "--out")] = None,
    report: options.Report = None,
    test: options.TestRows = None,
    seed: Annotated[
        int, options.option("N", "Seed of what is drawn at random: test rows, and in the machine.")
    ] = options.USUAL_SEED,
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
    kernel: Annotated[
        str | None,
        options.option(
            "KERNEL",
            "Kernel of svm, hard-margin, pegasos or kernel-perceptron, such as gaussian, "
            "'gaussian(2.0)', 'polynomial(3)' or linear.",
        ),
    ] = None,
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
    time_limit: Annotated[
        float | None,
        options.option("SECONDS", "Stop then with the best so far, and what is proved of it."),
    ] = None,
    device: Annotated[
        str | None,
        options.option(
            "cpu|cuda|auto",
            "Where svm with a kernel is fitted: the processor, a GPU (pip install 'certo[gpu]'), "
            "or a GPU where there is one and the table is large.",
            default="cpu",
        ),
    ] = None,
    delta: Annotated[
        float,
        options.option("NUMBER", "Failure probability allowed for each claim about new data."),
    ] = 0.05,
    tried: options.Tried = "1",
    setting: options.Settings = None,
    by_blocks: options.ByBlocks = False,
    cluster: options.Cluster = None,
    verbose: options.Verbose = False,
    as_json: options.Json = False,
) -> None:
    """Fit a model to a table, test it on rows held out, and prove what can be proved about it."""
    from sklearn.exceptions import ConvergenceWarning

    from certo import report as reports
    from certo.cli.density import fit_density
    from certo.cli.fit_output import tell_fit
    from certo.cli.in_blocks import fit_in_blocks
    from certo.cli.progress import FitProgress
    from certo.data.big_files import is_too_large
    from certo.data.columns import read_table
    from certo.data.files import write_all
    from certo.data.problem import Problem
    from certo.estimators import SeparationWarning
    from certo.estimators.description import learns
    from certo.stop import Stop
    from certo.tables.answers import answers
    from certo.tables.choose import choose
    from certo.tables.fit import CannotSeparate, fit_table
    from certo.tables.held_out import HeldOut
    from certo.tables.model_file import model_bytes
    from certo.tables.settings import kernel_setting
    from certo.tables.settings import machine as make_machine
    from certo.tables.task import USUAL_MACHINES, checked_task, task_of

    choices = options.encoding_choices(scale, missing, na, drop, category, text)
    if C is not None and lam is not None:
        raise Problem("--C and --lam set the same penalty: give only one of them.")
    settings = options.settings_of(setting, C=C, lam=lam, ridge=ridge, tol=tol)
    settings += options.settings_of(None, time_limit=time_limit)
    settings += [] if kernel is None else [kernel_setting(kernel)]
    settings += [] if device is None else [f"device={device}"]
    if machine not in (None, "auto") and task is not None:
        raise Problem("--task chooses a machine, so give either --task or --machine.")
    if machine == "auto" and settings:
        raise Problem("--machine auto chooses the settings, too: give them with a machine's name.")
    test_file = options.test_rows(test, 0)[1]
    options.check_outputs({"--out": output, "--report": report}, keep=(data, test_file))
    estimator = None if machine in (None, "auto") else make_machine(machine, settings)
    if estimator is not None and learns(estimator) == "densities":
        without = {"--target": target, "--test": test not in (None, "none"), "--scale": scale}
        without |= {"--by-blocks": by_blocks, "--cluster": cluster, "--tried": tried != "1"}
        del choices["scale"]
        fit_density(
            data, estimator, output=output, report=report, delta=delta, choices=choices,
            refused=without, as_json=as_json,
        )  # fmt: skip
        return
    if target is None:
        raise Problem(
            "--target must name the column to predict. Only a density has none: --machine "
            "gaussian-density."
        )
    if by_blocks or cluster is not None or is_too_large(data):
        refused: dict[str, Any] = {
            "--report": report,
            "--na": na,
            "--text": text,
            "--test FILE": test_file,
        }
        refused |= {"--tried": None if tried == "1" else tried}
        refused |= {"--machine auto": machine if machine == "auto" else None}
        fit_in_blocks(
            data, target, estimator, task=task, output=output, test=test, seed=seed, delta=delta,
            choices=choices, settings=settings, refused=refused, as_json=as_json,
            asked=by_blocks or cluster is not None, cluster=cluster,
        )  # fmt: skip
        return
    console = Voice(stderr=True).console
    with FitProgress(console) as progress:
        progress.stage(f"Reading {data.name}")
        table, notes = read_table(data)
        unseen, more = read_test_rows(progress, test_file, table, choices)
        progress.stage("Encoding the columns")
        share = options.test_rows(test, table.num_rows)[0]
        held_out = None if share is None else HeldOut(share, seed)
        found = task_of(table, target, na or ())
        asked = checked_task(task or "auto", found)
        if estimator is None and machine is None:
            estimator = make_machine(USUAL_MACHINES[asked], settings)
        with warnings.catch_warnings():
            for kind in (ConvergenceWarning, SeparationWarning):  # The status reports these.
                warnings.simplefilter("ignore", kind)
            chosen = None
            if estimator is None:
                told = progress.report("Comparing machines", "fit")
                chosen = choose(table, target, asked, held_out, seed, told, **choices)
                estimator = chosen.machine()
            seed_machine(estimator, settings, seed)
            try:
                fitted = fit_table(
                    table, target, estimator, test=unseen, test_name=str(test_file),
                    held_out=held_out, delta=delta, tried=tried, notes=(*notes, *more),
                    compared=1 if chosen is None else len(chosen.errors),
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
        said = reports.facts(fitted) | answers(fitted)
        said["command"] = options.command_line("certo", *sys.argv[1:])
        said["data_file"] = str(data)
        said["test_file"] = None if test_file is None else str(test_file)
        said["task"] = {
            "asked": task is not None or machine not in (None, "auto"),
            "values": found.values,
            "is_whole": found.is_whole,
        }
        said["chosen"] = None if chosen is None else chosen.to_dict()
        said["interrupted"] = getattr(fitted.model.machine, "_stop", None) is Stop.BY_HAND
        said["model_file"] = said["model_fingerprint"] = said["report_file"] = None
        written: dict[Path, bytes] = {}
        if output is not None:
            written[output], said["model_fingerprint"] = model_bytes(fitted.model)
            said["model_file"] = str(output)
        words = [
            "certo",
            "verify",
            options.as_argument(output or "MODEL"),
            options.as_argument(data),
        ]
        if test_file and len(fitted.certified.test):
            words += ["--test", options.as_argument(test_file)]
        said["verify_with"] = options.command_line(*words, *reading_words())
        said["compare_with"] = None
        if machine is None:
            words = ["certo", "compare", options.as_argument(data), "--target", target]
            words += ["--task", task] if task is not None else []
            words += options.fit_options(choices, test, seed)
            said["compare_with"] = options.command_line(*words, *reading_words())
        if report is not None:
            said["report_file"] = str(report)
            written[report] = reports.html_report(fitted, said).encode()
        write_all(written)
    options.tell(said, lambda voice, said: tell_fit(voice, said, verbose), as_json)


def seed_machine(estimator: Any, settings: list[str], seed: int) -> None:
    """Seed what is drawn at random in a machine, unless its settings say how."""
    is_set = any(setting.partition("=")[0] == "random_state" for setting in settings)
    if "random_state" in estimator.get_params() and not is_set:
        estimator.set_params(random_state=seed)


def _tell_refusal(
    voice: Voice, why: dict[str, Any], data: Path, target: str, choices: dict[str, Any]
) -> None:
    """Why a machine has no answer, and which rows are to blame."""
    voice.say(("error: ", "bold red"), why["error"])
    tell_rows(voice, why["proof"])
    same = options.as_options({name: given for name, given in choices.items() if name != "scale"})
    words = options.command_line("certo", "separable", str(data), "--target", target, *same)
    voice.suggest("The proof in the table's own numbers, with a picture", f"{words} --report FILE")
