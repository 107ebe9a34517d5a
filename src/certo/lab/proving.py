"""Prove it, and break it: claims written to a folder, and checked by a process of its own.

The process is `python -m certo.verify FOLDER`, the auditor's checker: it imports no solver, and
knows nothing but the examples and the claims. What is changed by hand is changed in the folder.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from certo.certificates.base import Certificate
from certo.certificates.certified import Certified
from certo.certificates.encoding import to_plain
from certo.data.problem import Problem
from certo.lab.experiment import Job, Proof
from certo.numbers.shown import AT_LEAST, AT_MOST, BOUNDED_BELOW, shown_numbers
from certo.tables.proof_folder import write_proof

UNREADABLE_PROOF = "proof.json is damaged or was not written by Certo: "  # How the checker begins.
MAX_CHECK_SECONDS = 60.0
MAX_SHOWN_NUMBERS = 12  # Numbers of a list that can be changed by hand.
MAX_VALUE_LENGTH = 60
MAX_CHANGES = 20
EXAGGERATION = Fraction(1, 100)  # How much more a claim says when the page is asked to break it.


def prove(proof: Proof, edit: dict[str, Any] | None, job: Job) -> dict[str, Any]:
    """The claims and what became of each; `edit` changes one of them: {"claim": its place,
    "changes": [{"path", "value"}]}."""
    every = (*proof.claims, *proof.tested)
    if not every:
        reasons = [f"{refusal.name}: {refusal.reason}" for refusal in proof.claims.not_claimed]
        return {"claims": [], "not_claimed": reasons}
    with tempfile.TemporaryDirectory(prefix="certo-lab-") as place:
        folder = Path(place) / "proof"
        page = Certified(proof.name, proof.claims, proof.tested, delta=proof.delta)
        write_proof(folder, page, proof.fitted, proof.X, proof.y, *proof.test, check=False)
        if edit is not None:
            _change(folder / "proof.json", edit)
        found, seconds = _checked(folder, job)
    claims = [_told(claim) for claim in every]
    return {
        "claims": claims,
        "not_claimed": [f"{r.name}: {r.reason}" for r in proof.claims.not_claimed],
        "seconds": round(seconds, 3),
        "command": "python -m certo.verify proof",
        **_verdicts(found, len(claims), -1 if edit is None else edit["claim"]),
    }


def _checked(folder: Path, job: Job) -> tuple[dict[str, Any], float]:
    """What the checker says of a folder, and how long it took."""
    began = time.monotonic()
    command = [sys.executable, "-m", "certo.verify", str(folder), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        while True:
            try:
                output, _ = process.communicate(timeout=0.1)
                break
            except subprocess.TimeoutExpired:
                if job.cancelled or time.monotonic() - began > MAX_CHECK_SECONDS:
                    process.kill()
                    job.go_on()
                    raise Problem(f"the check took over {MAX_CHECK_SECONDS:g} seconds.") from None
                job.report(stage="checking")
    return json.loads(output), time.monotonic() - began


def _verdicts(found: dict[str, Any], count: int, edited: int) -> dict[str, Any]:
    """What the page shows of the checker's answer: for each claim, and in all; `edited` is the
    place of the claim that was changed by hand, if one was."""
    if "error" in found:  # Not even a claim: it could not be read.
        why = str(found["error"]).removeprefix(UNREADABLE_PROOF)
        refused: dict[str, Any] = {"holds": False, "why": why}
        unread: dict[str, Any] = {"holds": None, "why": ""}  # It was not looked at.
        told = [unread if edited not in (-1, place) else refused for place in range(count)]
        return {"holds": False, "verdict": why, "checked": told}
    said = ("holds", "why", "claim", "plain", "numbers")  # As it stands in the folder now.
    checked = [{name: claim[name] for name in said} for claim in found["claims"]]
    for claim in checked:
        claim["numbers"] = shown_numbers(claim["numbers"])
    return {
        "holds": found["code"] == 0,
        "verdict": found["verdict"],
        "about_model": found["about_model"],
        "checked": checked,
    }


def _told(claim: Certificate) -> dict[str, Any]:
    """A claim in words and in numbers, and what of it can be changed by hand."""
    numbers = shown_numbers(claim.numbers)
    return {
        "kind": claim.name,
        "claim": claim.claim,
        "plain": claim.plain,
        "assumes": list(claim.assumes),
        "numbers": numbers,
        "rigour": {how: text for how, text in claim.rigour._asdict().items() if text},
        "fields": list(_fields(claim)),
        "temptation": _temptation(claim),
    }


def _stored(claim: Certificate) -> dict[str, Any]:
    """What is stored, by its names in the JSON form; fractions stay fractions."""
    every = {field.name: getattr(claim, field.name) for field in fields(claim) if field.compare}
    return {
        name: list(value) if isinstance(value, tuple) else to_plain(value)
        for name, value in every.items()
        if isinstance(value, bool | int | float | Fraction | tuple | np.ndarray)
    }


def _fields(claim: Certificate) -> Iterator[dict[str, Any]]:
    """The numbers and fractions that are stored, by their place in the JSON form."""
    shown = set(claim.numbers)
    for name, value in _stored(claim).items():
        for path, part in _parts([name], value):
            yield {"path": path, "value": str(part), "said": name in shown}


def _parts(path: list[Any], value: Any) -> Iterator[tuple[list[Any], Any]]:
    if type(value) is list:
        for k, item in enumerate(value[:MAX_SHOWN_NUMBERS]):
            yield from _parts([*path, k], item)
    elif isinstance(value, int | float | Fraction) and not isinstance(value, bool):
        yield path, value


def _temptation(claim: Certificate) -> list[dict[str, Any]]:
    """A change that makes the claim say more than it can: what is said to be at most, made less;
    what is at least, more; a weight of a proof moved from one vector to another."""
    stored, numbers = _stored(claim), [name for name in claim.numbers if name in _stored(claim)]
    for name in numbers:
        value = stored[name]
        if type(value) is float and not math.isfinite(value):
            continue
        if (name in AT_MOST or name == "errors") and value > 0:
            # What bounds it from below goes with it, so that the claim stays a possible one.
            below = [less for more, less in BOUNDED_BELOW if more == name and stored.get(less)]
            return [_scaled(one, stored[one], -1) for one in (name, *below)]
        if name in AT_LEAST:
            above = [more for more, less in BOUNDED_BELOW if less == name and stored.get(more)]
            return [_scaled(one, stored[one], +1) for one in (name, *above)]
    weights = [part for name in stored for part in _parts([name], stored[name])]
    fractions = [(path, value) for path, value in weights if isinstance(value, Fraction)]
    if len(fractions) > 1:
        share = min(EXAGGERATION, fractions[0][1] / 2)
        (first, old), (second, other) = fractions[:2]
        return [{"path": first, "value": str(old - share)},
                {"path": second, "value": str(other + share)}]  # fmt: skip
    counts = [name for name in numbers if type(stored[name]) is int and name != "examples"]
    return [_scaled(name, stored[name], -1) for name in counts[:1]]


def _scaled(name: str, value: float, way: int) -> dict[str, Any]:
    """One more or less of a whole number; a hundredth more or less of any other."""
    if value == int(value) and abs(value) >= 1:
        return {"path": [name], "value": str(value + way)}
    more = value * float(1 + way * EXAGGERATION) if value else way * float(EXAGGERATION)
    return {"path": [name], "value": str(more)}


def _change(file: Path, edit: dict[str, Any]) -> None:
    """Write some values of one claim anew; a Problem, if there is no such value."""
    said = json.loads(file.read_text("utf-8"))
    page, place, changes = said["certified"], edit.get("claim"), edit.get("changes")
    claims = page["claims"]["claims"] + page["test"]["claims"]
    if type(place) is not int or not 0 <= place < len(claims) or type(changes) is not list:
        raise Problem("a change must say which claim, and where in it.")
    for change in changes[:MAX_CHANGES]:
        _write(claims[place], change)
    file.write_text(json.dumps(said), encoding="utf-8")


def _write(claim: Any, change: Any) -> None:
    path = change.get("path") if type(change) is dict else None
    if type(path) is not list or not path:
        raise Problem("a change must say where in a claim.")
    text = str(change.get("value", ""))
    if len(text) > MAX_VALUE_LENGTH:
        raise Problem(f"a value must have at most {MAX_VALUE_LENGTH} characters.")
    holder = claim
    try:
        for step in path[:-1]:
            holder = holder[step]
        old = holder[path[-1]]
        if not isinstance(old, int | float | str) or isinstance(old, bool) or path[-1] == "type":
            raise Problem("only a number of a claim can be changed here.")
        holder[path[-1]] = _value(text, old)
    except (KeyError, IndexError, TypeError):
        raise Problem("there is no such value in this claim.") from None


def _value(text: str, old: Any) -> Any:
    """A value of the kind that was there, if the text is one; else the text itself, for the checker
    to refuse."""
    if type(old) is str:  # A fraction, which files have in base sixteen.
        try:
            return to_plain(Fraction(text))
        except (ValueError, ZeroDivisionError):
            return text
    for kind in (int, float) if type(old) in (int, float) else ():
        try:
            value = kind(text)
        except ValueError:
            continue
        if math.isfinite(value):
            return value
    return text.strip()
