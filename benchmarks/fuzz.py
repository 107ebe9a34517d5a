"""Damaged files: every command ends with a documented exit code, and never with a traceback.

Model files, proof folders and tables are corrupted in bytes, in words and in numbers. A corrupted
part may be sealed again (digests and archives made to agree), so that what lies behind the first
check is reached, too. An exit code of 4 is an error in Certo itself; so is a run without an end.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
import signal
import sys
import tempfile
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.harness import BenchTable

ROOT = Path(__file__).parent.parent
GOLDEN, TABLES = ROOT / "tests" / "golden", ROOT / "examples"
#: Models of which a table beside them was fitted.
MODELS = {"svm": "shores", "gaussian-svm": "shores", "least-squares": "iris", "logistic": "iris"}
ROUNDS = 1000  # corrupted files of each kind for each model
SECONDS = 60  # after which a run counts as one without an end
DOCUMENTED = (0, 1, 2, 3)
#: Text that programs have stumbled over, for the place of a number or a word.
WORDS = [
    b"", b"nan", b"-inf", b"1e999", b"-0.0", b"1" * 400, b"5e-324", b"null", b"true", b"[]", b"{}",
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b"'", b",", b";", b"\t", b"\r", b"\n\n", b"\\",
    "é".encode("latin-1"), "−1".encode(), b"../../x", b"__class__", b"%s%n", b"=1+1", b"99" * 9,
]  # fmt: skip


class Case(NamedTuple):
    """One corrupted file, and the command that is to read it."""

    kind: str
    command: list[str]


# --- corruptions of bytes -------------------------------------------------------------------------


def flip(data: bytes, random: np.random.Generator) -> bytes:
    changed = bytearray(data)
    for place in random.integers(len(data), size=random.integers(1, 4)):
        changed[place] ^= 1 << random.integers(8)
    return bytes(changed)


def cut(data: bytes, random: np.random.Generator) -> bytes:
    return data[: random.integers(len(data))]


def remove(data: bytes, random: np.random.Generator) -> bytes:
    start = random.integers(len(data))
    return data[:start] + data[start + random.integers(1, 40) :]


def repeat(data: bytes, random: np.random.Generator) -> bytes:
    start = random.integers(len(data))
    part = data[start : start + random.integers(1, 200)]
    return data[:start] + part * random.integers(2, 5) + data[start:]


def noise(data: bytes, random: np.random.Generator) -> bytes:
    return random.bytes(int(random.integers(0, 300)))


def word(data: bytes, random: np.random.Generator) -> bytes:
    """Another word, or none, in the place of a number or a word."""
    places = list(re.finditer(rb"[-+.\w]+", data))
    if not places:
        return noise(data, random)
    chosen = places[random.integers(len(places))]
    return data[: chosen.start()] + WORDS[random.integers(len(WORDS))] + data[chosen.end() :]


def number(data: bytes, random: np.random.Generator) -> bytes:
    """A number a little larger, a lot larger, or of the other sign."""
    places = list(re.finditer(rb"-?\d+(\.\d+)?", data))
    if not places:
        return noise(data, random)
    chosen = places[random.integers(len(places))]
    value = float(chosen.group())
    other = [value + 1, -value, value * 1e9, np.nextafter(value, np.inf)][random.integers(4)]
    text = str(int(other)) if other == int(other) and abs(other) < 1e15 else repr(float(other))
    return data[: chosen.start()] + text.encode() + data[chosen.end() :]


Corruption = Callable[[bytes, np.random.Generator], bytes]
OF_BYTES: list[Corruption] = [flip, cut, remove, repeat, noise]
OF_TEXT: list[Corruption] = [word, number]


def corrupt(data: bytes, random: np.random.Generator) -> bytes:
    ways = OF_BYTES + 3 * OF_TEXT
    return ways[random.integers(len(ways))](data, random)


# --- corrupted files ------------------------------------------------------------------------------


def members(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def archive_of(parts: dict[str, bytes]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return written.getvalue()


def corrupt_member(archive: bytes, random: np.random.Generator) -> bytes:
    """The archive with one of its files corrupted, and checksums that agree."""
    parts = members(archive)
    names = sorted(parts)
    name = names[random.integers(len(names))]
    header = 128  # bytes before the numbers of an array
    if name.endswith(".npy") and len(parts[name]) > header and random.random() < 0.6:
        changed = parts[name][:header] + flip(parts[name][header:], random)
    else:
        changed = corrupt(parts[name], random)
    return archive_of(parts | {name: changed})


def corrupted_model(model: bytes, random: np.random.Generator) -> bytes:
    if random.random() < 0.3:
        return corrupt(model, random)
    magic, _, payload = model.split(b"\n", 2)
    payload = corrupt_member(payload, random)
    digest = hashlib.sha256(payload).hexdigest().encode()
    return b"\n".join([magic, b"sha256 " + digest, payload])


def corrupt_proof(folder: Path, random: np.random.Generator) -> None:
    examples, proof = folder / "examples.npz", folder / "proof.json"
    if random.random() < 0.5:
        change = corrupt if random.random() < 0.4 else corrupt_member
        examples.write_bytes(change(examples.read_bytes(), random))
        if random.random() < 0.7:
            said = json.loads(proof.read_bytes())
            said["sha256"]["examples.npz"] = hashlib.sha256(examples.read_bytes()).hexdigest()
            proof.write_text(json.dumps(said))
    else:
        proof.write_bytes(corrupt(proof.read_bytes(), random))


def cases(name: str, random: np.random.Generator, rounds: int, folder: Path) -> Iterator[Case]:
    """Each file is there until the next case is asked for."""
    model, table = GOLDEN / f"{name}.certo", TABLES / f"{MODELS[name]}.csv"
    commands = ("verify", "predict")
    for place in range(rounds):
        broken = folder / "broken.certo"
        broken.write_bytes(corrupted_model(model.read_bytes(), random))
        yield Case("model file", [commands[place % 2], str(broken), str(table)])
        broken = folder / "broken.csv"
        broken.write_bytes(corrupt(table.read_bytes(), random))
        yield Case("table", [commands[place % 2], str(model), str(broken)])
        broken = folder / "proof"
        shutil.rmtree(broken, ignore_errors=True)
        shutil.copytree(GOLDEN / f"{name}.proof", broken)
        corrupt_proof(broken, random)
        yield Case("proof folder", ["certo.verify", str(broken)])


# --- what becomes of them -------------------------------------------------------------------------


class WithoutEnd(Exception):
    """A run that takes longer than it may."""


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise WithoutEnd

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def outcome(case: Case) -> tuple[str, str]:
    """The exit code of the command as text, or what went wrong; and all that was printed."""
    from certo import cli, verify

    printed = io.StringIO()
    main = verify.main if case.command[0] == "certo.verify" else cli.main
    words = case.command[1:] if case.command[0] == "certo.verify" else case.command
    before, sys.argv = sys.argv, ["certo", *words]
    try:
        with (
            limited(SECONDS), redirect_stdout(printed), redirect_stderr(printed),
            warnings.catch_warnings(),
        ):  # fmt: skip
            code = main()
    except SystemExit as left:
        code = left.code
    except WithoutEnd:
        return "no end", printed.getvalue()
    except Exception as wrong:
        return f"{type(wrong).__name__}: {wrong}", printed.getvalue()
    finally:
        sys.argv = before
    said = printed.getvalue()
    return ("traceback" if "Traceback" in said else str(code)), said


def run(quick: bool = False) -> list[BenchTable]:
    table = BenchTable(
        "damaged files",
        "commands that read a corrupted model file, table or proof folder, by their exit codes: 0 "
        "what is claimed holds all the same, 1 a claim fails, 2 the input cannot be used, 3 it is "
        "not that of the fit. Anything else is a bug.",
    )
    random = np.random.default_rng(2026)
    bugs = 0
    counts: dict[str, Counter[str]] = {}
    for name in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            for case in cases(name, random, 3 if quick else ROUNDS, Path(folder)):
                code, said = outcome(case)
                counts.setdefault(case.kind, Counter())[code] += 1
                if code not in map(str, DOCUMENTED):
                    bugs += 1
                    kept = Path(tempfile.mkdtemp(prefix="certo-fuzz-"))
                    shutil.copytree(folder, kept, dirs_exist_ok=True)
                    print(f"{code}: {' '.join(case.command)} (kept in {kept})\n{said[-2000:]}",
                          file=sys.stderr)  # fmt: skip
    for kind, seen in counts.items():
        table.rows.append(
            {"data": kind, **{f"exit {code}": seen[str(code)] for code in DOCUMENTED}}
        )
    if bugs:
        raise SystemExit(f"{bugs} commands ended as no command may (printed above).")
    return [table]
