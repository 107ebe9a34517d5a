"""certo certify"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from certo.certificates.encoding import counted
from certo.cli import options
from certo.cli.console import Voice, print_json

MAX_CLAIMS_OF_PAGE = 24


def certify(
    model: Annotated[
        Path, options.argument("MODEL_FILE", "scikit-learn model saved by skops.io.dump.")
    ],
    data: options.DataFile,
    target: options.Target,
    test: options.TestFile = None,
    delta: Annotated[
        float,
        options.option("NUMBER", "Failure probability allowed for each claim about new data."),
    ] = 0.05,
    tried: options.Tried = "1",
    proof: Annotated[
        Path | None,
        options.option("FOLDER", "Folder to write, with which anyone can check the claims."),
    ] = None,
    report: options.Report = None,
    as_json: options.Json = False,
) -> None:
    """Prove what can be proved about a scikit-learn model. DATA must be the rows that it was
    trained on, encoded as for its fit: the claims are about these rows. The file is loaded without
    running code, and every claim is checked."""
    from certo import report as reports
    from certo.cli.progress import FitProgress
    from certo.data.columns import read_table
    from certo.data.files import write_all
    from certo.tables.certify import certify_table
    from certo.tables.foreign_model import load_foreign
    from certo.tables.proof_folder import check_folder, write_proof
    from certo.verify import page_facts
    from certo.words.reader import reading

    if proof is not None:
        check_folder(proof)
    options.check_outputs({"--report": report}, keep=(model, data, test))
    with FitProgress(Voice(stderr=True).console) as progress:
        progress.stage(f"Reading {model.name}")
        loaded = load_foreign(model)
        is_text = loaded.classes is not None and loaded.classes.dtype.kind in "OU"
        as_text = [target] if is_text else []
        progress.stage(f"Reading {data.name}")
        table, notes = read_table(data, as_text)
        notes = [*loaded.notes, *notes]
        unseen = None
        if test is not None:
            unseen, more = read_table(test, as_text)
            notes += [f"{test.name}: {note}" for note in more]
        progress.stage("Certifying")
        found = certify_table(loaded, table, target, delta=delta, test=unseen, tried=tried)
        if proof is not None and found.checked:
            about = {"target": target, "table": found.data_fingerprint, "model_file": loaded.sha256}
            tested = found.test_pair or (None, None)
            write_proof(proof, found.page, None, *found.pair, *tested, about=about, check=False)
    rows = range(1, table.num_rows + 1)
    with reading(places=rows):
        page = page_facts(found.page, found.checked.parts, bool(found.checked))
    said = {
        "passed": bool(found.checked),
        "why": found.checked.why,
        "model_file": str(model),
        "sha256": loaded.sha256,
        "target": target,
        "columns": found.columns,
        "rows": table.num_rows,
        "test_rows": None if unseen is None else unseen.num_rows,
        "data_fingerprint": found.data_fingerprint,
        "proof": str(proof) if proof is not None and found.checked else None,
        "report_file": None if report is None else str(report),
        "notes": notes,
        **page,
    }
    if report is not None:
        with reading(places=rows, columns=found.columns):
            given = [] if test is None else ["--test", options.as_argument(test)]
            files = map(options.as_argument, (model, data))
            given += ["--delta", f"{delta:g}", *(["--tried", tried] if tried != "1" else [])]
            command = options.command_line("certo", "certify", *files, "--target", target, *given)
            whole = said | reports.certified_facts(found, loaded.model) | {"prove_with": command}
            write_all({report: reports.html_certified(found, loaded.model, whole).encode()})
    if as_json:
        print_json(said)
    else:
        _tell(Voice(), said, data)
    if not said["passed"]:
        raise typer.Exit(options.NO if said["claims"] else options.BAD_INPUT)


def _tell(voice: Voice, said: dict[str, Any], data: Path) -> None:
    """The verdict, then a line for each claim."""
    rows, claims = counted(said["rows"], "row"), said["claims"]
    if not claims:
        voice.say(("Nothing was proved: ", "bold yellow"), f"no claim about {said['model']}.")
    elif said["passed"]:
        many = "the claim holds" if len(claims) == 1 else f"all {len(claims)} claims hold"
        voice.say(("Verified: ", "bold green"), f"{many}, of {said['model']} on {rows} of {data}.")
    else:
        voice.say(("Not verified: ", "bold red"), said["why"])
    for text in said["in_words"][:1]:
        voice.say((text, "bold"))
    voice.say(
        "The claims take these rows for those that the model was trained on: its file does not say "
        "which they were.",
    )
    for note in (*said["notes"], *said["remarks"]):
        voice.item(("note ", "yellow"), note, indent=2)
    voice.say()
    for claim in claims[:MAX_CLAIMS_OF_PAGE]:
        mark = ("✓ holds  ", "green") if claim["informative"] else ("○ holds  ", "dim")
        mark = mark if claim["holds"] else ("✗ FAILS  ", "bold red")
        why = "" if claim["holds"] else f" {claim['why']}"
        about = f" ({claim['about']})" if claim["about"] else ""
        voice.item(mark, f"{claim['type']}{about}: {claim['plain']}{why}")
    if len(claims) > MAX_CLAIMS_OF_PAGE:
        voice.say((f"… and {len(claims) - MAX_CLAIMS_OF_PAGE} more (--json)", "dim"))
    for text in said["assumes"]:
        voice.say((f"assuming that {text}", "dim"), indent=2)
    for refusal in said["not_claimed"]:
        voice.item(("– ", "yellow"), f"{refusal['name']} is not claimed: {refusal['reason']}")
    if said["proof"]:
        voice.say(f"The proof is in {said['proof']}: proof.json, and the examples it is about.")
        check = options.command_line("python", "-m", "certo.verify", said["proof"])
        voice.suggest("Anyone can check it, with NumPy and SciPy alone", check)
    if said["report_file"]:
        voice.say(f"Report written to {said['report_file']}: open it in a browser.")
