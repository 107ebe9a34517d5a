"""Arrays of NumPy as tables."""

from __future__ import annotations

import numpy as np
import pytest

from certo.data import files
from certo.data.columns import read_table
from certo.data.problem import Problem


@pytest.fixture
def read(tmp_path):
    def reading(**arrays):
        np.savez_compressed(tmp_path / "t.npz", **arrays)
        return read_table(tmp_path / "t.npz")

    return reading


def test_a_matrix_and_its_labels(read):
    said = read(X=np.array([[1, 2], [3, 4]], np.int16), y=np.array([[0], [1]], np.uint8))
    assert said.table.to_pydict() == {"x1": [1, 3], "x2": [2, 4], "target": [0, 1]}
    assert "'target'" in said.notes[0]


def test_an_array_for_each_column(read):
    said = read(a=np.array([0.5, np.nan]), b=np.array(["x", ""]), c=np.array([True, False]))
    assert said.table.to_pydict() == {"a": [0.5, None], "b": ["x", None], "c": [True, False]}
    assert said.notes == []


@pytest.mark.parametrize(
    ("arrays", "why"),
    [
        ({"a": [1, 2], "b": [1]}, r"a \(2,\), b \(1,\)"),
        ({"X_train": [[1, 2]], "y_train": [1]}, "must hold a matrix X and an array y"),
        ({"X": [[1, 2]], "y": [1, 2]}, "must hold a matrix X"),
        ({"a": np.array([1j])}, "complex128"),
        ({"a": np.array([{}], dtype=object)}, "cannot be read as arrays"),
    ],
)
def test_other_arrays_are_refused(read, arrays, why):
    with pytest.raises(Problem, match=why):
        read(**arrays)


def test_a_small_file_of_large_arrays_is_refused(read, monkeypatch):
    monkeypatch.setattr(files, "MIN_INFLATED_BYTES", 2**20)
    with pytest.raises(Problem, match="would take more than"):
        read(a=np.zeros(10**6))


def test_an_archive_that_cannot_be_unpacked_is_refused(read, tmp_path):
    read(a=[1, 2, 3])
    path = tmp_path / "t.npz"
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 10] = 77  # An unknown method of compression.
    path.write_bytes(content)
    with pytest.raises(Problem, match="cannot be read as arrays"):
        read_table(path)


def test_a_damaged_file_is_refused(read, tmp_path):
    read(a=[1, 2, 3])
    path = tmp_path / "t.npz"
    content = bytearray(path.read_bytes())
    content[50:60] = bytes(10)
    path.write_bytes(content)
    with pytest.raises(Problem, match="cannot be read"):
        read_table(path)
