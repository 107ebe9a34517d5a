"""Objects out of a skops archive, of the few kinds that a model file holds.

skops writes the archive: a ZIP of arrays in NumPy's format, and `schema.json`, a tree of nodes.
What it would load is loaded here, but of seven kinds of node alone and of classes that are given,
and without importing all of scikit-learn, which `skops.io` does to know its classes.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np


def read_archive(payload: bytes, kind_of: Callable[[str], Any]) -> Any:
    """The object at the root; `kind_of` gives the class of a name, or raises an error."""
    with zipfile.ZipFile(io.BytesIO(payload)) as archive:
        return _Reader(archive, kind_of).made(json.loads(archive.read("schema.json")))


class _Reader:
    def __init__(self, archive: zipfile.ZipFile, kind_of: Callable[[str], Any]):
        self.archive, self.kind_of = archive, kind_of
        self.known: dict[Any, Any] = {}  # Objects by number: one may stand in several places.

    def made(self, node: dict[str, Any]) -> Any:
        identity = node.get("__id__")
        if not identity:
            return self._new(node)
        if identity not in self.known:
            self.known[identity] = self._new(node)
        return self.known[identity]

    def _new(self, node: dict[str, Any]) -> Any:
        match node["__loader__"]:
            case "ObjectNode":
                return self._object(node)
            case "DictNode":
                kinds = self.made(node["key_types"])
                items = zip(kinds, node["content"].items(), strict=True)
                return {kind(key): self.made(value) for kind, (key, value) in items}
            case "ListNode":
                return [self.made(item) for item in node["content"]]
            case "TupleNode":
                return tuple(self.made(item) for item in node["content"])
            case "JsonNode":
                return json.loads(node["content"])
            case "TypeNode":
                return self._kind(node)
            case "NdArrayNode":
                return self._array(node)
        raise ValueError(f"there are no nodes of type {node['__loader__']!r}.")

    def _kind(self, node: dict[str, Any]) -> Any:
        return self.kind_of(f"{node['__module__']}.{node['__class__']}")

    def _object(self, node: dict[str, Any]) -> Any:
        kind = self._kind(node)
        made = kind.__new__(kind)
        state = None if node.get("content") is None else self.made(node["content"])
        if state is not None and hasattr(made, "__setstate__"):
            made.__setstate__(state)
        elif state is not None:
            vars(made).update(state)
        return made

    def _array(self, node: dict[str, Any]) -> Any:
        if node["type"] == "numpy":
            content = np.load(io.BytesIO(self.archive.read(node["file"])), allow_pickle=False)
            kind = self._kind(node)
            return content if kind is np.ndarray else kind(content)
        if node["type"] != "json":
            raise ValueError(f"there are no arrays of type {node['type']!r}.")
        items = [self.made(item) for item in node["content"]]  # An array of objects: of texts.
        array = np.empty(len(items), dtype=object)
        array[:] = items
        return array.reshape(self.made(node["shape"]))
