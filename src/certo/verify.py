"""Check a folder that `certo proof` wrote, trusting nothing in it but the data.

    python -m certo.verify FOLDER [--json] [--code]

The folder holds `examples.npz` (the matrix X and the labels y of the fit), `test.npz` where
something is claimed about test examples, and `proof.json`: what the features are, the numbers of
the model, the claims, and the SHA-256 of the other files. Here

1. the files are read, and no code in them: `_read`, `read_examples`;
2. every claim must speak of this model, and every number of the model be spoken of: `strangers`;
3. every claim is recomputed from X and y, by the `_check` of its class in `certo.certificates`.

NumPy, SciPy and the standard library are all that is used. `--code` lists the functions of Certo
that ran: what there is to read for someone who wants to know why to believe it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import textwrap
import warnings
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from certo.certificates.base import Certificate, Verification, words
from certo.certificates.certified import Certified
from certo.certificates.examples_file import read_examples
from certo.certificates.model import VOTES, Model, plain, strangers
from certo.certificates.risk.risk_bound import RiskBound
from certo.exit_code import UNUSABLE, exit_code_of
from certo.numbers.shown import shown_numbers
from certo.reading_list import functions_in
from certo.visible import visible

FORMAT = "certo proof 2"
BLOCKS_FORMAT = "certo proof by blocks 1"  # It has no examples with it.
HOLDS, FAILS, NOT_AS_WRITTEN = 0, 1, 3  # Exit codes, beside those of `exit_code`.


class Unusable(ValueError):
    """The folder cannot be read as a proof; the message says why."""


class Proof(NamedTuple):
    """What proof.json says."""

    certified: Certified
    model: Model | None  # None, where the claims stand for themselves.
    features: list[str]
    encoded: bool  # Whether features were scaled or made of levels, by the examples themselves.
    sha256: dict[str, Any]  # That of each of the other files.


class Findings(NamedTuple):
    """What was found in a folder."""

    proof: Proof
    checked: Verification
    about_model: list[str]  # How claims and model do not fit together.
    changed: list[str]  # Files that have another SHA-256.
    sha256: str  # That of proof.json, which has those of all files.

    @property
    def code(self) -> int:
        if self.about_model or not all(self.checked.parts):
            return FAILS
        if not self.checked.parts:  # No success for whoever reads the exit code alone.
            return UNUSABLE
        return NOT_AS_WRITTEN if self.changed else HOLDS

    @property
    def verdict(self) -> str:
        if self.code == FAILS:
            why = self.checked.why if not self.checked else "not all claims are about this model."
            return f"NOT VERIFIED: {why}"
        if self.code == NOT_AS_WRITTEN:
            return f"NOT VERIFIED: {self.checked.why} But {' and '.join(self.changed)} changed."
        return f"{'Verified' if self.checked.parts else 'Nothing was proved'}: {self.checked.why}"

    def to_dict(self) -> dict[str, Any]:
        certified, model = self.proof.certified, self.proof.model
        return {
            "code": self.code,
            "verdict": self.verdict,
            "sha256": self.sha256,
            "changed": self.changed,
            "speaks_of": list(model.numbers) if model else None,
            "about_model": self.about_model,
            **page_facts(certified, self.checked.parts, self.code == HOLDS),
        }


def verify_folder(folder: str | Path) -> Findings:
    """Recompute every claim of a proof; `Unusable`, if the folder cannot be read as one."""
    content = _content(Path(folder) / "proof.json")
    proof, sha256 = _read(content), hashlib.sha256(content).hexdigest()
    data, changed = [], []
    for name, said in proof.sha256.items():
        content = _content(Path(folder) / name, "whose SHA-256 is in proof.json")
        if hashlib.sha256(content).hexdigest() != said:
            changed.append(name)
        try:
            X, y = read_examples(content)
        except Exception as wrong:  # A broken archive can fail anywhere.
            raise Unusable(f"{name} is damaged or was not written by Certo: {wrong}") from wrong
        if X.ndim != 2 or X.shape[1] != len(proof.features):
            raise Unusable(f"X must have the {len(proof.features)} features, got {X.shape}.")
        data += [X, y]
    about = strangers(proof.certified, proof.model, data[0]) if proof.model else []
    columns = list(proof.certified.columns)
    if columns and columns != proof.features:
        about.append(f"The claims are about the features {columns[:8]}, not {proof.features[:8]}.")
    if proof.encoded:
        about += [
            f"{claim.name} is claimed, but the features were scaled or encoded by these examples."
            for claim in proof.certified.claims
            if isinstance(claim, RiskBound)
        ]
    return Findings(proof, proof.certified.verify(*data), about, changed, sha256)


def _content(path: Path, which: str = "which a folder written by certo proof has") -> bytes:
    if not path.is_file():  # A device might never end.
        raise Unusable(f"there is no file {path}, {which}.")
    try:
        return path.read_bytes()
    except OSError as wrong:
        raise Unusable(f"{path} cannot be read: {wrong.strerror or wrong}.") from wrong


def _read(content: bytes) -> Proof:
    """proof.json, each part of the type it must have."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a name stands twice in one object, which can be read in two ways.")
        return dict(pairs)

    def take(data: Any, name: str, *kinds: type) -> Any:
        value = data.get(name) if type(data) is dict else None
        if type(value) not in kinds:
            raise ValueError(f"{name!r} must be {' or '.join(kind.__name__ for kind in kinds)}.")
        return value

    try:
        said = json.loads(content, object_pairs_hook=once)
        if take(said, "format", str) == BLOCKS_FORMAT:
            raise Unusable(
                "the proof refers to a table that is not in its folder: certo verify FOLDER TABLE."
            )
        if take(said, "format", str) != FORMAT:
            raise ValueError(f"its format must be {FORMAT!r}.")
        model, sha256 = take(said, "model", dict, type(None)), take(said, "sha256", dict)
        if list(sha256) not in (["examples.npz"], ["examples.npz", "test.npz"]):
            raise ValueError("'sha256' must be those of examples.npz and test.npz, in this order.")
        if model is not None:
            model = Model(
                take(model, "classes", list, type(None)),
                take(model, "numbers", dict),
                take(model, "kernel", dict, type(None)),
                take(model, "votes", str, type(None)),
            )
            if model.votes not in (None, *VOTES):
                raise ValueError(f"'votes' must be {' or '.join(VOTES)}.")
        features = [take(feature, "name", str) for feature in take(said, "features", list)]
        certified = Certified.from_dict(take(said, "certified", dict))
        if bool(len(certified.test)) != ("test.npz" in sha256):
            raise ValueError("test.npz must be named where, and only where, claims are about it.")
        encoded = any({"mean", "level", "term"} & set(feature) for feature in said["features"])
        return Proof(certified, model, features, encoded, sha256)
    except Unusable:
        raise
    except (TypeError, ValueError, RecursionError) as wrong:
        raise Unusable(f"proof.json is damaged or was not written by Certo: {wrong}") from wrong


def page_facts(
    certified: Certified, checked: Iterable[Verification], holds: bool
) -> dict[str, Any]:
    """A page of claims, with what became of each where it was `checked`, as plain data: one shape
    for a fit, an audit and this check (`certo/report/schema.json`). What follows from all claims
    about new examples, the choice among them paid for, is told only if all of them hold."""
    best = certified.best if holds else None
    chosen = best and {"type": best.claim.name, "bound": best.claim.best, "delta": best.claim.delta,
                       "among": best.among, "on_test": best.on_test}  # fmt: skip
    return {
        "model": certified.model,
        "delta": certified.delta,
        "remarks": list(certified.remarks),
        "assumes": list(certified.assumes),
        "best": chosen,
        "in_words": certified.in_words() if holds and certified.risks else [],
        "claims": [_claim_facts(*pair) for pair in zip_longest(certified, checked)],
        "not_claimed": [refusal.to_dict() for refusal in certified.not_claimed],
    }


def _claim_facts(claim: Certificate, checked: Verification | None) -> dict[str, Any]:
    risk = claim if isinstance(claim, RiskBound) else None
    rows = checked.rows if checked is not None else ()
    return {
        "type": claim.name,
        "about": words().about(claim),
        "holds": None if checked is None else checked.holds,
        "why": None if checked is None else words().reason(checked.why, rows),
        **({"rows": words().row_numbers(rows)} if rows else {}),
        "claim": claim.claim,
        "plain": claim.plain,
        "assumes": list(claim.assumes),
        "numbers": {name: plain(value) for name, value in claim.numbers.items()},
        "bounds": None if risk is None else plain(risk.bounds),
        "rigour": {how: text for how, text in claim.rigour._asdict().items() if text},
        "informative": claim.informative,
        "vacuous": risk is not None and risk.vacuous,
        "remark": _weakness(claim),
    }


def _weakness(claim: Certificate) -> str:
    """A remark on a claim that is true, but says nothing worth knowing."""
    if claim.informative:
        return ""
    if isinstance(claim, RiskBound):
        return f"The upper bound is {words().weaker(claim)}."
    return "This is trivially true."


def claim_title(claim: dict[str, Any]) -> str:
    """The kind of a claim, and of several such what it is about."""
    return f"{claim['type']} ({claim['about']})" if claim["about"] else claim["type"]


def numbers_text(numbers: dict[str, Any]) -> str:
    return ", ".join(f"{name} {text}" for name, text in shown_numbers(numbers).items())


def _tell(said: dict[str, Any]) -> None:
    wide = min(shutil.get_terminal_size().columns, 100)

    def say(text: str, first: str = "", indent: int = 0) -> None:
        """A paragraph; no control character of a file reaches the terminal."""
        print(
            textwrap.fill(visible(text), wide, initial_indent=first, subsequent_indent=" " * indent)
        )

    say(f"Model named in this folder: {said['model']}")
    for claim in said["claims"]:
        print()
        say(claim_title(claim), "holds  " if claim["holds"] else "FAILS  ", 7)
        say(claim["claim"], " " * 7, 7)
        for text in claim["assumes"]:
            say(text, " " * 7 + "assuming that ", 9)
        if claim["remark"]:
            say(claim["remark"], " " * 7 + "remark: ", 9)
        say(claim["why"], " " * 7 + "checked: ", 9)
        say(numbers_text(claim["numbers"]), " " * 7 + "numbers: ", 9)
    for refusal in said["not_claimed"]:
        print()
        say(f"{refusal['name']}: {refusal['reason']}", "not claimed  ", 7)
    for remark in said["remarks"]:
        print()
        say(f"the folder says: {remark}", "remark  ", 7)
    print()
    changed = [f"The SHA-256 of {name} is not the one in proof.json." for name in said["changed"]]
    for text in (*said["about_model"], *changed):
        say(text, "FAILS  ", 7)
    names = said["speaks_of"]
    spoken = f"speak of the model's {', '.join(names or ['name alone'])}"
    say(f"The claims {'stand for themselves, without a model' if names is None else spoken}.")
    print(f"The SHA-256 of proof.json, to be compared with the published one: {said['sha256']}")
    for text in (said["verdict"], *said["in_words"][:1]):
        say(text)


class _Parser(argparse.ArgumentParser):
    """With --json a wrong use is told as JSON, like every other error."""

    def error(self, message: str) -> NoReturn:
        if "--json" in sys.argv:
            print(json.dumps({"error": message}))
        super().error(message)


def _run() -> int:
    parser = _Parser("python -m certo.verify", description=__doc__.split("\n")[0])
    parser.add_argument("folder", metavar="FOLDER")
    parser.add_argument("--json", action="store_true", help="print JSON, for machines")
    parser.add_argument("--code", action="store_true", help="list the functions that ran")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # A check expects that numbers overflow.

    def check() -> dict[str, Any]:
        return verify_folder(asked.folder).to_dict()

    try:
        said, ran = functions_in(check) if asked.code else (check(), {})
    except Exception as wrong:  # Whatever broke off, nothing was shown.
        why = str(wrong) if isinstance(wrong, Unusable) else f"the check broke off: {wrong!r}"
        print(json.dumps({"error": why}) if asked.json else f"error: {visible(why)}")
        return UNUSABLE
    if asked.json:
        print(json.dumps(said | ({"ran": ran} if ran else {}), indent=2))
        return said["code"]
    _tell(said)
    for file, (names, lines) in ran.items():
        print(f"{lines:5d} lines  {file}: {', '.join(names)}")
    if ran:
        print(f"{sum(lines for _, lines in ran.values()):5d} lines of Certo ran in all")
    return said["code"]


def main() -> int:
    return exit_code_of(_run)


if __name__ == "__main__":
    sys.exit(main())
