"""A look into a skops archive before anything is created from it."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest
import skops.io
from sklearn.linear_model import LinearRegression

from certo.data.problem import Problem
from certo.tables.archive import Kind, check_sizes, kinds_in

PAYLOAD = skops.io.dumps(LinearRegression().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 3.0]))


def archive(schema, compression=zipfile.ZIP_STORED, **parts):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as made:
        made.writestr("schema.json", json.dumps(schema))
        for name, content in parts.items():
            made.writestr(name, content)
    return buffer.getvalue()


def test_the_types_that_an_archive_asks_for():
    kinds = kinds_in(PAYLOAD)
    assert Kind("ObjectNode", "sklearn.linear_model._base.LinearRegression") in kinds
    assert len(kinds) == len(set(kinds))
    check_sizes(PAYLOAD)


def test_one_part_is_not_several_objects():
    node = {"file": "a.npy", "__id__": 1}
    assert kinds_in(archive([node, node])) == []
    with pytest.raises(Problem, match="several objects"):
        kinds_in(archive([node, {"file": "a.npy", "__id__": 2}]))


def test_compressed_parts_are_refused():
    with pytest.raises(Problem, match="compressed"):
        check_sizes(archive({}, zipfile.ZIP_DEFLATED))


def test_an_array_must_fill_its_part():
    file = io.BytesIO()
    np.save(file, np.zeros(10))
    check_sizes(archive({}, **{"a.npy": file.getvalue()}))
    with pytest.raises(Problem, match="another size"):
        check_sizes(archive({}, **{"a.npy": file.getvalue()[:-8]}))
