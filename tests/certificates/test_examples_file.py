"""Files of examples are read without trust: arrays of numbers and texts, and nothing else."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest
from scipy import sparse

from certo.certificates.examples_file import read_examples

X, Y = np.array([[1.5, 0], [0, -2]]), np.array(["a", "è"])
CSR = sparse.csr_array(X)
PARTS = {
    "data": CSR.data, "indices": CSR.indices, "indptr": CSR.indptr,
    "shape": np.array(CSR.shape), "y": Y,
}  # fmt: skip


def file_of(save=np.savez, **arrays) -> bytes:
    file = io.BytesIO()
    save(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize("order", ["C", "F"])
def test_dense_examples(order):
    read, y = read_examples(file_of(X=np.asarray(X, order=order), y=Y))
    np.testing.assert_array_equal(read, X)
    assert y.tolist() == Y.tolist()


def test_sparse_examples():
    read, y = read_examples(file_of(**PARTS))
    np.testing.assert_array_equal(read.toarray(), X)
    assert y.tolist() == Y.tolist()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not an archive of arrays"),
        (b"PK but no archive", "not an archive of arrays"),
        (file_of(X=X, y=Y)[:-30], "not an archive of arrays"),
        (file_of(np.savez_compressed, X=X, y=Y), "compressed"),
        (file_of(y=Y, X=X), "it must hold"),
        (file_of(X=X, y=Y, z=Y), "it must hold"),
        (file_of(X=X, y=np.array([None, {}])), "numbers or texts, not object"),
        (file_of(X=X.astype(complex), y=Y), "numbers or texts, not complex"),
        (file_of(**PARTS | {"indices": np.array([0, 7], np.int32)}), "indices"),
        (file_of(**PARTS | {"indptr": np.array([0, 9, 2], np.int32)}), "ind"),
    ],
)
def test_what_is_no_file_of_examples_is_refused(content, words):
    with pytest.raises(ValueError, match=words):
        read_examples(content)


def test_an_array_that_promises_more_than_it_has_is_refused():
    array = io.BytesIO()
    np.save(array, X)
    short, file = array.getvalue()[:-8], io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("X.npy", short)
        archive.writestr("y.npy", short)
    with pytest.raises(ValueError, match="reshape"):
        read_examples(file.getvalue())
