"""certo verify"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from certo.cli.console import Part, Voice, print_json
from certo.cli.options import (
    BAD_INPUT,
    FOLDER_HELP,
    NO,
    NOT_OF_THE_FIT,
    TABLE_HELP,
    Json,
    ProvedModel,
    TestFile,
    Verbose,
    argument,
    as_argument,
    option,
)

if TYPE_CHECKING:
    from certo.data.problem import Problem
    from certo.tables.audit import Audit
    from certo.tables.model_file import LoadedModel

LONG_CHECK_SECONDS = 10.0  # So long a check says how long it took.
MAX_CLAIMS_SHOWN = 6  # Claims of one kind that hold, where there may be one for each class.
MIN_TABLE_WIDTH = 110  # Columns of a terminal that has room for numbers beside the reasons.


def verify(
    model: ProvedModel,
    data: Annotated[
        Path | None, argument("DATA", f"The table of the fit. {TABLE_HELP} {FOLDER_HELP}")
    ] = None,
    test: TestFile = None,
    spot: Annotated[
        float | None,
        option(
            "ROWS",
            "Instead of a proof, a spot check: score so many rows, or a share of them below 1, "
            "drawn at random, of a machine with a kernel. It ends with 3, or 1 if a claim is "
            "refuted.",
        ),
    ] = None,
    seed: Annotated[int, option("N", "Seed of the rows of a spot check.")] = 0,
    verbose: Verbose = False,
    as_json: Json = False,
) -> None:
    """Check every claim of a model from the data alone."""
    from certo.cli.progress import FitProgress
    from certo.tables.audit import audit_table
    from certo.tables.model_file import load_model

    if data is None:
        raise _without_table(model)
    if spot is not None:
        _spot_check(model, data, spot, seed, as_json)
    if model.is_dir():
        from certo.tables.proof_in_blocks import audit_proof

        with FitProgress(Voice(stderr=True).console) as progress:
            progress.stage(f"Checking every claim in one pass over {data.name}")
            audit = audit_proof(model, data)
        _say(audit, verbose, as_json)
        return
    loaded = load_model(model)
    with FitProgress(Voice(stderr=True).console) as progress:
        if loaded.model.by_blocks:
            from certo.tables.in_blocks import audit_files

            progress.stage(f"Checking every claim in one pass over {data.name}")
            audit = audit_files(loaded, data)
        else:
            progress.stage(f"Reading {data.name}")
            tables = read_tables(loaded, data, test)
            progress.stage("Checking every claim")
            start = time.perf_counter()
            with _telling(progress.report("Checking every claim", "support")):
                audit = audit_table(loaded, *tables, str(test))
            seconds = time.perf_counter() - start
    if not loaded.model.by_blocks and seconds >= LONG_CHECK_SECONDS:
        Voice(stderr=True).say(f"The check took {seconds:.0f} s.")
    _say(audit, verbose, as_json)


def _without_table(model: Path) -> Problem:
    """Why the table is needed; a folder that has its examples with it says how it is checked."""
    from certo.data.problem import Problem
    from certo.tables.proof_in_blocks import read_block_proof

    if model.is_dir():
        read_block_proof(model)
    needed = f"certo verify {as_argument(model)} DATA"
    return Problem(f"the table that the model was fitted to is needed: {needed}.")


@contextmanager
def _telling(tell: Callable[[int, int], None]) -> Iterator[None]:
    """While this lasts, sums over a kernel's values tell how far they are."""
    from certo.certificates.spaces import images

    def steps(start: int, stop: int, step: int) -> Iterator[int]:
        for first in range(start, stop, step):
            yield first
            tell(min(first + step, stop), stop)

    images.steps = steps
    try:
        yield
    finally:
        images.steps = range


def _spot_check(model: Path, data: Path, rows: float, seed: int, as_json: bool) -> None:
    from certo.cli.progress import FitProgress
    from certo.data.columns import read_table
    from certo.tables.audit import spot_check_table
    from certo.tables.model_file import load_model

    with FitProgress(Voice(stderr=True).console) as progress:
        progress.stage("Looking at some rows")
        found = spot_check_table(load_model(model), read_table(data).table, rows, seed)
    if as_json:
        print_json({"spot_check": found.to_dict(), "passed": False})
    else:
        Voice().say(str(found))
    raise typer.Exit(NO if found.refuted else NOT_OF_THE_FIT)


def _say(audit: Audit, verbose: bool, as_json: bool) -> None:
    if as_json:
        print_json(audit.to_dict())
    else:
        tell_audit(Voice(), audit, verbose)
    leave(audit)


def read_tables(loaded: LoadedModel, data: Path, test: Path | None) -> tuple[Any, Any]:
    """The table of the fit, and that of test rows, if there is one."""
    from certo.data.columns import read_table

    table = read_table(data).table
    if test is None:
        return table, None
    return table, read_table(test, as_text=loaded.model.text_names).table


def leave(audit: Audit) -> None:
    """End with the exit code of what was found."""
    if audit.refuted:
        raise typer.Exit(NO)
    if not audit.passed:
        raise typer.Exit(BAD_INPUT if audit.of_the_fit and audit.claims_nothing else NOT_OF_THE_FIT)


def tell_audit(voice: Voice, audit: Audit, verbose: bool = False) -> None:
    """Whether the model is verified, and what was found: of what is as it should be only the
    claims, unless everything is asked for."""
    from certo.certificates.encoding import counted

    def line(good: bool, text: str) -> None:
        if verbose or not good:
            voice.item(("✓ ", "green") if good else ("✗ ", "red"), text)

    said = audit.to_dict()
    voice.say(*_verdict(audit))
    numbers = [c["plain"] for c in said["claims"] if c["type"] == "TestDistances"]
    for text in (said["in_words"] or numbers * audit.passed)[:1]:
        voice.say((text, "bold"))
    differ = "The {} are NOT those of the fit: {} table's fingerprint differs."
    changed = "The model file was CHANGED since it was written: its fingerprint differs."
    same = "The {} are those of the fit."
    line(audit.same_data, same.format("data") if audit.same_data else differ.format("data", "the"))
    line(audit.same_model, "The model file is as it was written." if audit.same_model else changed)
    if audit.same_test is not None:
        test = same if audit.same_test else differ
        line(audit.same_test, test.format("test rows", "their"))
    for text in audit.about_model:
        line(False, text)
    if not audit.could_check:
        line(False, audit.claims.why.removeprefix("the claims cannot be checked: "))
    unchecked = counted(audit.unchecked, "claim")
    if audit.test_problem:
        line(False, f"{unchecked} cannot be checked. {audit.test_problem}")
    elif audit.unchecked:
        line(False, f"{unchecked} about test rows: give them with --test FILE.")
    for note in audit.notes:
        voice.item(("note ", "yellow"), note)
    checked = [claim for claim in said["claims"] if claim["holds"] is not None]
    if checked:
        voice.say()
        _tell_claims(voice, checked, verbose)


def _tell_claims(voice: Voice, facts: list[dict[str, Any]], verbose: bool) -> None:
    """Every claim that fails, and some of each kind that hold: a line for each, or with reasons and
    numbers a table, where there is room."""
    from certo.verify import claim_title, numbers_text

    rows: list[tuple[Part, str, str, str]] = []
    kind = itemgetter("type", "holds", "informative")
    for (name, holds, informative), group in groupby(facts, key=kind):
        some = list(group)
        shown = some[:MAX_CLAIMS_SHOWN] if holds else some
        mark = ("✓ holds", "green") if informative else ("○ holds", "dim")
        mark = mark if holds else ("✗ FAILS", "bold red")
        for fact in shown:
            why = fact["why"] if verbose or not holds else fact["plain"]
            numbers = numbers_text(fact["numbers"]) if verbose else ""
            rows.append((mark, claim_title(fact), why, numbers))
        if len(shown) < len(some):
            rows.append((mark, name, f"{len(some) - len(shown)} more of these (--json)", ""))
    if not verbose:
        for status, name, text, _ in rows:
            voice.item(status, f"  {name}: {text}")
    elif not voice.is_terminal or voice.console.width >= MIN_TABLE_WIDTH:
        voice.table(("", "claim", "why", "numbers"), rows)
    else:
        for status, name, *texts in rows:
            voice.say(status, f"  {name}")
            for text in filter(None, texts):
                voice.say(text, indent=4)


def _verdict(audit: Audit) -> tuple[Part, ...]:
    from certo.certificates.encoding import counted

    not_verified = ("Not verified: ", "bold red")
    if audit.claims_hold and audit.claims_nothing:
        whose = "" if audit.of_the_fit else ", and data or model are not those of the fit"
        return ("Nothing was proved: ", "bold yellow"), f"the model claims nothing{whose}."
    if audit.passed:
        every = counted(len(audit.claims.parts), "claim")
        holds = "the claim holds" if len(audit.claims.parts) == 1 else f"all {every} hold"
        return ("Verified: ", "bold green"), f"{holds}, of these data and this model."
    if not audit.could_check:
        return not_verified, "the claims cannot be checked on this table."
    if not audit.same_data:
        here = "the claims hold." if audit.claims_hold else "a claim does not hold."
        what = "this is not the table of the fit, so the result is about this table only. On it, "
        return not_verified, what, here
    if not audit.claims_hold:
        also = ", and the test rows are not those of the fit" if audit.same_test is False else ""
        return not_verified, f"a claim does not hold{also}."
    if not audit.same_model:
        return not_verified, "the claims hold, but the model file was changed."
    if audit.same_test is False and not audit.unchecked:
        return not_verified, "the claims hold, but the test rows are not those of the fit."
    unchecked = counted(audit.unchecked, "claim")
    return not_verified, f"the others hold, but {unchecked} could not be checked."
