"""Proofs of models whose table is larger than memory: the folder has the model and its claims, and
refers to the table by a fingerprint of every row group, in place of a copy."""

from __future__ import annotations

import json
import platform
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from certo import __version__
from certo.data.big_files import Batch, Fingerprint
from certo.data.problem import Problem
from certo.tables.audit import Audit, every_claim
from certo.tables.in_blocks import audit_files
from certo.tables.model_file import LoadedModel, load_model
from certo.tables.proof_folder import MODEL, PROOF, check_folder, columns_of, sha256_of, whole
from certo.verify import BLOCKS_FORMAT


class PartPrints:
    """A fingerprint of each row group, from batches in their order."""

    def __init__(self, folder: Path, names: list[str]):
        self.folder, self.names = folder, names
        self.parts: list[dict[str, Any]] = []
        self._place = ""
        self._print: Fingerprint | None = None

    def add(self, batch: Batch) -> None:
        if batch.place != self._place:
            self._end()
            self._place, self._print = batch.place, Fingerprint(self.names)
        assert self._print is not None
        self._print.add(batch.table)

    def _end(self) -> None:
        if self._print is None:
            return
        shown = self._place.removeprefix(str(self.folder)).lstrip("/") or self.folder.name
        if shown.startswith(","):  # A row group of the one file.
            shown = f"{self.folder.name}{shown}"
        digest = self._print.digest()
        self.parts.append({"part": shown, "rows": self._print.rows, "fingerprint": digest})

    def all(self) -> list[dict[str, Any]]:
        """Of all parts, once all batches were added."""
        self._end()
        self._print, self._place = None, ""
        return self.parts


def write_block_proof(
    folder: Path, loaded: LoadedModel, content: bytes, audit: Audit, parts: list[dict[str, Any]]
) -> str:
    """Write all of it or nothing; the SHA-256 of proof.json. `content` is the model file."""
    folder, model = check_folder(folder), loaded.model
    with whole(folder) as place:
        (place / MODEL).write_bytes(content)
        said = {
            "format": BLOCKS_FORMAT,
            "written_by": {
                "certo": __version__,
                "python": platform.python_version(),
                "numpy": np.__version__,
            },
            "about": {
                "target": model.target,
                "missing": model.missing,
                "table": model.data_fingerprint,
                "held_out": [model.test_share, model.test_seed],
            },
            "sha256": {MODEL: sha256_of(place / MODEL)},
            "features": [
                {"name": name, **column}
                for name, column in zip(audit.page.columns, columns_of(model.encoder), strict=True)
            ],
            "parts": parts,
            "certified": audit.page.to_dict(),
        }
        (place / PROOF).write_text(json.dumps(said, indent=1), encoding="utf-8")
        return sha256_of(place / PROOF)


def read_block_proof(folder: Path) -> tuple[LoadedModel, list[dict[str, Any]]]:
    """The model in a folder, and the fingerprints of the parts of its table."""
    try:
        said = json.loads((folder / PROOF).read_text(encoding="utf-8"))
        if said["format"] != BLOCKS_FORMAT:
            raise Problem(
                f"{folder} has its examples with it: python -m certo.verify {folder} checks it."
            )
        digest, parts, page = said["sha256"][MODEL], list(said["parts"]), said["certified"]
    except (OSError, ValueError, LookupError, TypeError) as wrong:
        if isinstance(wrong, Problem):
            raise
        raise Problem(
            f"{folder} is no model file, nor a folder that certo proof wrote: {wrong}"
        ) from wrong
    loaded = load_model(folder / MODEL)
    if sha256_of(folder / MODEL) != digest or _plain(loaded) != page:
        loaded = replace(loaded, as_written=False)
    return loaded, parts


def _plain(loaded: LoadedModel) -> Any:
    return json.loads(json.dumps(every_claim(loaded.model).to_dict()))


def changed_parts(
    known: list[dict[str, Any]], seen: list[dict[str, Any]]
) -> tuple[str, ...]:  # fmt: skip
    """What to say of the parts of a table that are not as they were."""
    if len(known) != len(seen):
        return (f"the table had {len(known):,} parts, and has {len(seen):,}.",)
    return tuple(
        f"{now['part']} ({now['rows']:,} rows) has other contents than when the proof was written."
        for then, now in zip(known, seen, strict=True)
        if (then.get("rows"), then.get("fingerprint")) != (now["rows"], now["fingerprint"])
    )


def audit_proof(folder: Path, path: Path) -> Audit:
    """Recompute every claim of a proof from the files of its table, in one pass."""
    loaded, known = read_block_proof(folder)
    audit, seen = audit_with_parts(loaded, path)
    if audit.same_data:  # Whatever the parts are.
        return audit
    return replace(audit, notes=(*audit.notes, *changed_parts(known, seen)))


def audit_with_parts(loaded: LoadedModel, path: Path) -> tuple[Audit, list[dict[str, Any]]]:
    """What becomes of the claims, and the fingerprints of the parts."""
    prints: list[PartPrints] = []

    def tell(names: list[str], batch: Batch) -> None:
        if not prints:
            prints.append(PartPrints(path, names))
        prints[0].add(batch)

    audit = audit_files(loaded, path, tell)
    return audit, prints[0].all() if prints else []
