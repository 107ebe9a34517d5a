"""Files looked over in one pass: fingerprints, sizes, what the target asks for, what is encoded."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from certo.data.big_files import Encoded, Fingerprint, encoder_of, is_too_large, overview
from certo.data.encoder import TableEncoder
from certo.data.problem import Problem
from tests.tables.test_in_blocks import COLOURS, X, whole, written


def test_fingerprints_do_not_depend_on_the_cut():
    data = whole().select(["x0", "colour"])
    found = set()
    for step in (1500, 7, 444):
        seen = Fingerprint(["x0", "colour"])
        for start in range(0, 1500, step):
            seen.add(data.slice(start, step))
        found.add(seen.digest())
    assert len(found) == 1
    other = Fingerprint(["x0", "colour"])
    other.add(whole(colour=COLOURS[::-1]).select(["x0", "colour"]))
    assert other.digest() not in found


def test_sizes(tmp_path, monkeypatch):
    path = written(tmp_path) / "a.parquet"
    assert not is_too_large(path)
    assert is_too_large(tmp_path)  # A folder is always read by blocks.
    monkeypatch.setattr("certo.data.big_files.memory_here", lambda: 4 * 8 * 3 * 500 * 7 - 4)
    assert is_too_large(path)
    assert not is_too_large(tmp_path / "none.parquet")


@pytest.mark.parametrize(
    ("target", "learns"),
    [("y", "classes"), ("v", "numbers"), ("few", "classes"), ("many", "numbers")],
)
def test_what_the_target_asks_for(tmp_path, target, learns):
    data = whole(few=np.arange(1500) % 3, many=np.arange(1500) % 50)
    assert overview(written(tmp_path, data), target).learns == learns


@pytest.mark.parametrize("scale", ["standard", "none"])
@pytest.mark.parametrize("drop", [("y", "v"), ("y", "v", "colour")])
def test_rows_are_encoded_as_in_memory(tmp_path, scale, drop):
    data = whole(z=X[:, 0].astype(np.float32))
    seen = overview(written(tmp_path, data), "z", drop=drop)
    encoded = Encoded(encoder_of(seen, scale, drop, (), False), "z", True)
    usual = TableEncoder(scale, drop=(*drop, "z")).fit(data)
    expected = usual.transform(data)
    expected = expected if isinstance(expected, np.ndarray) else expected.toarray()
    np.testing.assert_allclose(encoded.features(data), expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(encoded.answers(data), X[:, 0].astype(np.float32))


def test_texts_of_several_words_are_refused(tmp_path):
    prose = [f"row {k} has the words number {k} and more of them" for k in range(1500)]
    with pytest.raises(Problem, match="'t' holds texts of several words"):
        overview(written(tmp_path, whole(t=pa.array(prose))), "y")
