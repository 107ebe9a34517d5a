"""A look into a skops archive before anything is created from it: which types it asks for, and
whether its arrays have the sizes that they say."""

from __future__ import annotations

import io
import json
import math
import zipfile
from typing import IO, Any, NamedTuple

import numpy as np

from certo.data.problem import Problem

SCHEMA = "schema.json"


class Kind(NamedTuple):
    """A type that an archive asks for, and as what."""

    loader: str
    name: str


def kinds_in(payload: bytes) -> list[Kind]:
    """What an archive would have created, by its own description."""
    with zipfile.ZipFile(io.BytesIO(payload)) as archive:
        return list(dict.fromkeys(_kinds(json.loads(archive.read(SCHEMA)))))


def _kinds(schema: Any) -> list[Kind]:
    kinds, left = [], [schema]
    read_as: dict[str, Any] = {}  # The object that the array in each part becomes.
    while left:
        node = left.pop()
        if isinstance(node, dict):
            if "__loader__" in node:
                name = f"{node.get('__module__')}.{node.get('__class__')}"
                kinds.append(Kind(str(node["__loader__"]), name))
            if "file" in node:
                # skops reads a part for each object: under one name in the file there is only one.
                name, identity = node["file"], node.get("__id__")
                if not identity or read_as.setdefault(name, identity) != identity:
                    raise Problem(f"it names the array {name!r} as several objects.")
            left.extend(node.values())
        elif isinstance(node, list):
            left.extend(node)
    return kinds


def check_sizes(payload: bytes) -> None:
    """Refuse parts that would become larger than the file."""
    with zipfile.ZipFile(io.BytesIO(payload)) as archive:
        parts = archive.infolist()
        if any(item.compress_type != zipfile.ZIP_STORED for item in parts):
            raise Problem("it holds compressed parts, which Certo does not read.")
        if sum(item.file_size for item in parts) > len(payload):
            raise Problem("its parts overlap.")
        sizes = {item.filename: item.file_size for item in parts}
        for name in sizes.keys() - {SCHEMA}:
            with archive.open(name) as file:
                _refuse_other_size(file, sizes[name])


def _refuse_other_size(file: IO[bytes], size: int) -> None:
    """An array must fill its part: memory is taken for what its header says, before it is read."""
    version = np.lib.format.read_magic(file)
    if version != (1, 0):
        raise Problem("an array must be in version 1.0 of NumPy's format.")
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    if file.tell() + math.prod(shape) * dtype.itemsize != size:
        raise Problem("an array is of another size than its part of the file.")
