"""Model files: the whole pipeline and its certificates, loaded without running any code.

Layout: a line ``certo model 1``, a line ``sha256 <hex digest of all that follows>``, then a skops
archive (an uncompressed ZIP). Only the types listed in `TRUSTED`, besides those of NumPy and
scikit-learn that skops itself holds safe, are ever created from a file.
"""

from __future__ import annotations

import hashlib
import io
import warnings
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from certo.data.encoder import TableEncoder
from certo.data.files import write_whole
from certo.data.problem import Problem

TRUSTED = [
    "certo.data.encoder.TableEncoder",
    "certo.estimators.perceptron.Perceptron",
    "certo.rates.Constant",
    "certo.rates.Geometric",
    "certo.rates.Power",
]
_MAGIC = b"certo model 1\n"


@dataclass
class StoredModel:
    """What a model file holds."""

    encoder: TableEncoder
    machine: Any
    target: str
    missing: str
    data_fingerprint: str
    rows: int
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class LoadedModel:
    model: StoredModel
    fingerprint: str
    as_written: bool  # whether the digest in the file is that of its contents


def save_model(path: str | Path, model: StoredModel) -> str:
    """Write the model atomically; returns its fingerprint."""
    import skops.io

    content = {name: getattr(model, name) for name in StoredModel.__dataclass_fields__}
    payload = skops.io.dumps(content)
    digest = hashlib.sha256(payload).hexdigest()
    write_whole(path, _MAGIC + f"sha256 {digest}\n".encode() + payload)
    return digest


def load_model(path: str | Path) -> LoadedModel:
    """Read a model file, refusing anything that is not one."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as wrong:
        raise Problem(f"{path} cannot be read: {wrong.strerror or wrong}.") from wrong
    header, _, payload = data.removeprefix(_MAGIC).partition(b"\n")
    if not data.startswith(_MAGIC) or not header.startswith(b"sha256 "):
        raise Problem(f"{path} is not a Certo model file (it does not start like one).")
    digest = hashlib.sha256(payload).hexdigest()
    return LoadedModel(_read(path, payload), digest, header == f"sha256 {digest}".encode())


def _read(path: Path, payload: bytes) -> StoredModel:
    import skops.io
    from skops.io.exceptions import UntrustedTypesFoundException

    try:
        with zipfile.ZipFile(io.BytesIO(payload)) as archive:
            if any(item.compress_type != zipfile.ZIP_STORED for item in archive.infolist()):
                raise Problem(f"{path} holds compressed parts, which Certo does not write.")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            content = skops.io.loads(payload, trusted=TRUSTED)
        return _checked(content)
    except UntrustedTypesFoundException as wrong:
        raise Problem(
            f"{path} asks for types that Certo does not create from a file, and is refused: {wrong}"
        ) from wrong
    except Problem:
        raise
    except Exception as wrong:  # a broken archive can fail anywhere
        raise Problem(
            f"{path} is damaged or not a Certo model file ({type(wrong).__name__}: {wrong})."
        ) from wrong


def _checked(content: Any) -> StoredModel:
    from certo.estimators import Perceptron

    if not isinstance(content, dict) or set(content) != set(StoredModel.__dataclass_fields__):
        raise Problem("the file does not hold what a Certo model file holds.")
    model = StoredModel(**content)
    kinds = {
        "encoder": TableEncoder,
        "machine": Perceptron,
        "target": str,
        "missing": str,
        "data_fingerprint": str,
        "rows": int,
        "notes": list,
    }
    for name, kind in kinds.items():
        if type(getattr(model, name)) is not kind:
            raise Problem(f"the file's {name!r} is not a {kind.__name__}.")
    return model
