"""certo verify and certo proof, from the file names to what is said."""

from __future__ import annotations

import shlex
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from sklearn.base import is_regressor

from certo.audit import Audit, audit_table, rows_of
from certo.certificates.base import CannotClaim
from certo.certificates.composite import Composite
from certo.certificates.sample.shared_rows import known_examples
from certo.cli.console import Part, Voice
from certo.cli.progress import FitProgress
from certo.data.fingerprint import fingerprint
from certo.data.model_file import LoadedModel, StoredModel, load_model
from certo.data.problem import Problem, problems_of
from certo.data.proof_folder import check_folder, write_proof
from certo.data.tables import read_table
from certo.guarantees.predicting import predictor_of
from certo.issue.errors.counted_errors import issue_test_errors
from certo.issue.labels import all_labels
from certo.verify import numbers_text
from certo.workflow import Rows

MOST_SHOWN = 6  # claims of one kind that hold, where there may be one for each of many classes
WIDE = 110  # columns of a terminal that has room for numbers beside the reasons


def run_verify(model: Path, data: Path, test: Path | None) -> Audit:
    """Recompute every claim of a model file."""
    loaded = load_model(model)
    with FitProgress(Voice(stderr=True).console) as progress:
        progress.stage(f"Reading {data.name}")
        tables = _tables(loaded, data, test)
        progress.stage("Checking every claim")
        audit = audit_table(loaded, *tables, str(test))
    return audit if len(loaded.model.certified.test) else _without(audit, test)


def _without(audit: Audit, test: Path | None) -> Audit:
    """Test rows that no claim is about are not looked at."""
    note = f"{test}: no claim is about test rows, so these were not looked at."
    return audit if test is None else replace(audit, notes=(*audit.notes, note))


def run_proof(
    model: Path, data: Path, test: Path | None, folder: Path
) -> tuple[Audit, dict[str, Any]]:
    """Check every claim, and if all hold write them beside the examples; what was found, and facts
    about the folder."""
    check_folder(folder)
    loaded = load_model(model)
    with FitProgress(Voice(stderr=True).console) as progress:
        progress.stage(f"Reading {data.name}")
        table, unseen = _tables(loaded, data, test)
        stored = loaded.model
        is_new = unseen is not None and not len(stored.certified.test)
        same_data = fingerprint(table) == stored.data_fingerprint  # or nothing will be written
        if is_new and same_data and not is_regressor(stored.machine):
            progress.stage("Counting errors on test examples")
            _count_errors(stored, rows_of(stored, table), unseen, str(test))
        progress.stage("Checking every claim")
        audit = audit_table(loaded, table, unseen, str(test))
        if not len(stored.certified.test):
            audit, unseen = _without(audit, test), None
        said: dict[str, Any] = {
            "passed": audit.passed,
            "folder": None,
            "sha256": None,
            "check_with": None,
        }
        if audit.of_the_fit and audit.claims_hold and audit.claims_nothing:
            raise Problem("the model claims nothing, so there is nothing to prove.")
        if not audit.passed:
            return audit, said
        progress.stage("Writing")
        said["sha256"] = write_proof(
            folder,
            audit.page,
            stored.machine,
            *rows_of(stored, table).pair,
            *((None, None) if unseen is None else rows_of(stored, unseen).pair),
            encoder=stored.encoder,
            about={
                "target": stored.target,
                "missing": stored.missing,
                "na": stored.na,
                "table": stored.data_fingerprint,
                "test_table": stored.test_fingerprint if unseen is not None else "",
                "model_file": loaded.fingerprint,
            },
        )
    words = ["python", "-m", "certo.verify", str(folder)]
    return audit, said | {"folder": str(folder), "check_with": " ".join(map(shlex.quote, words))}


def _tables(loaded: LoadedModel, data: Path, test: Path | None) -> tuple[Any, Any]:
    table = read_table(data).table
    if test is None:
        return table, None
    return table, read_table(test, as_text=loaded.model.text_names).table


def _count_errors(model: StoredModel, fit: Rows, table: Any, name: str) -> None:
    """Claim what a table of test examples says of new ones."""
    machine, page = model.machine, model.certified
    with problems_of(name):
        rows = rows_of(model, table)
        if rows.left_out.why_no_draws:
            raise Problem(rows.left_out.why_no_draws)
        X, y = rows.pair
        classes = tuple(machine.classes_.tolist())
        known = known_examples(all_labels(classes), *fit.pair, X, y)
        if known.why:
            raise Problem(f"{known.why} To test, others are needed.")
        X, y = known.of_the_others(X), known.of_the_others(y)
        try:
            claim = issue_test_errors(X, y, classes, predictor_of(machine, X), page.delta)
        except CannotClaim as wrong:
            raise Problem(str(wrong)) from wrong
    model.test_fingerprint = fingerprint(table)
    said = [f"{name}: {rows.left_out.remark}"] if rows.left_out.remark else []
    remarks = (*page.remarks, *filter(None, [known.remark]), *said)
    model.certified = replace(page, test=Composite((claim,)), remarks=remarks, asked=page.asked + 1)


def tell_audit(voice: Voice, audit: Audit) -> None:
    """What an audit found, and whether the model is verified."""

    def line(good: bool, text: str) -> None:
        voice.item(("✓ ", "green") if good else ("✗ ", "red"), text)

    line(
        audit.same_data,
        "The data are those of the fit."
        if audit.same_data
        else "The data are NOT those of the fit: the table's fingerprint is another.",
    )
    line(
        audit.same_model,
        "The model file is as it was written."
        if audit.same_model
        else "The model file was CHANGED since it was written: its fingerprint is another.",
    )
    if audit.same_test is not None:
        line(
            audit.same_test,
            "The test rows are those of the fit."
            if audit.same_test
            else "The test rows are NOT those of the fit: their table's fingerprint is another.",
        )
    for text in audit.about_model:
        line(False, text)
    if not audit.could_check:
        line(False, audit.claims.why)
    if audit.test_problem:
        line(False, f"{_claims(audit.unchecked)} cannot be checked. {audit.test_problem}")
    elif audit.unchecked:
        line(False, f"{_claims(audit.unchecked)} about test examples: give them with --test FILE.")
    for note in audit.notes:
        voice.item(("note ", "yellow"), note)
    if audit.facts:
        voice.say()
        _tell_claims(voice, audit.facts)
    voice.say()
    voice.say(*_verdict(audit))
    for text in audit.together["in_words"][:1]:
        voice.say((text, "bold"))


def _tell_claims(voice: Voice, facts: list[dict[str, Any]]) -> None:
    """Every claim that fails, and some of each kind that hold: a table, where there is room."""
    rows: list[tuple[Part, str, str, str]] = []
    kind = itemgetter("name", "holds", "informative")
    for (name, holds, informative), group in groupby(facts, key=kind):
        some = list(group)
        shown = some[:MOST_SHOWN] if holds else some
        mark = ("✓ holds", "green") if informative else ("○ holds", "dim")
        mark = mark if holds else ("✗ FAILS", "bold red")
        for fact in shown:
            numbers = numbers_text(fact["numbers"])
            rows.append((mark, f"{name} ({fact['about']})", fact["why"], numbers))
        if len(shown) < len(some):
            rows.append((mark, name, f"{len(some) - len(shown)} more of these (--json)", ""))
    if not voice.is_terminal or voice.console.width >= WIDE:
        voice.table(("", "claim", "why", "numbers"), rows)
        return
    for row in rows:
        voice.say(row[0], f"  {row[1]}")
        for text in filter(None, row[2:]):
            voice.say(text, indent=4)


def _verdict(audit: Audit) -> tuple[Part, ...]:
    not_verified = ("Not verified: ", "bold red")
    if audit.claims_hold and audit.claims_nothing:
        whose = "" if audit.of_the_fit else ", and data or model are not those of the fit"
        return ("Nothing was proved: ", "bold yellow"), f"the model claims nothing{whose}."
    if audit.passed:
        return ("Verified: ", "bold green"), "every claim holds."
    if not audit.could_check:
        return not_verified, "the claims cannot be checked on this table."
    if not audit.same_data:
        here = "the claims hold." if audit.claims_hold else "a claim does not hold."
        return (
            not_verified,
            "this is not the table of the fit, and what was found speaks of this table only. Here ",
            here,
        )
    if not audit.claims_hold:
        if audit.same_test is False:
            return (
                not_verified,
                "a claim does not hold, and the test rows are not those of the fit.",
            )
        return not_verified, "a claim does not hold."
    if not audit.same_model:
        return not_verified, "the claims hold, but the model file was changed."
    if audit.same_test is False and not audit.unchecked:
        return not_verified, "the claims hold, but the test rows are not those of the fit."
    return not_verified, f"the others hold, but {_claims(audit.unchecked)} could not be checked."


def _claims(number: int) -> str:
    return f"{number:,} claim{'' if number == 1 else 's'}"


def tell_proof(voice: Voice, audit: Audit, said: dict[str, Any]) -> None:
    """What was written, or what was found instead."""
    tell_audit(voice, audit)
    if said["folder"] is None:
        voice.say("Nothing was written.")
        return
    voice.say(f"The proof is in {said['folder']}: proof.json, and the examples it is about.")
    voice.suggest("The SHA-256 of proof.json, to publish", said["sha256"])
    voice.suggest("Anyone can check it, with NumPy and SciPy alone", said["check_with"])
