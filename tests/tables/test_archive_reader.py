"""What is read from an archive is what skops reads, and nothing else is."""

from __future__ import annotations

import importlib
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import skops.io

from certo.tables.archive import kinds_in
from certo.tables.archive_reader import read_archive
from certo.tables.model_file import _trusted

GOLDEN = Path(__file__).parents[1] / "golden"
FILES = sorted(GOLDEN.glob("*.certo"))


def kind_of(path: str):
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def same(one, other) -> bool:
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and repr(one.tolist()) == repr(other.tolist())
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return same(vars(one), vars(other)) if hasattr(one, "__dict__") else repr(one) == repr(other)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_model_files_are_read_as_skops_reads_them(path):
    payload = path.read_bytes().split(b"\n", 2)[2]
    trusted = sorted(_trusted(kind.name for kind in kinds_in(payload)))
    assert same(read_archive(payload, kind_of), skops.io.loads(payload, trusted=trusted))


def test_one_object_in_two_places_stays_one():
    shared = np.arange(3.0)
    parts = {"a": [shared, shared], "b": np.array(["x", None], dtype=object), "c": (1, 2.5, "t")}
    found = read_archive(skops.io.dumps(parts), kind_of)
    assert same(found, parts)
    assert found["a"][0] is found["a"][1]


def rewritten(parts, change) -> bytes:
    payload, out = skops.io.dumps(parts), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(payload)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "schema.json":
                said = json.loads(content)
                change(said)
                content = json.dumps(said)
            new.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda said: said.update(__loader__="FunctionNode"), "no nodes of type 'FunctionNode'"),
        (lambda said: said["content"]["x"].update(type="pickle"), "no arrays of type 'pickle'"),
    ],
)
def test_other_nodes_are_refused(change, why):
    with pytest.raises(ValueError, match=why):
        read_archive(rewritten({"x": np.zeros(2)}, change), kind_of)


def test_classes_are_asked_for():
    with pytest.raises(KeyError, match=r"numpy\.ndarray"):
        read_archive(skops.io.dumps([np.zeros(2)]), {}.__getitem__)
