"""svmlight by blocks: the rows that scikit-learn reads."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from certo.scale import SvmlightBlocks, open_blocks, svmlight_files


@pytest.mark.parametrize("zero_based", [True, False])
def test_rows_are_those_of_the_file(tmp_path, monkeypatch, zero_based):
    monkeypatch.setattr(svmlight_files, "LINES_PER_BLOCK", 7)
    rng = np.random.default_rng(0)
    dense = sparse.random_array((50, 9), density=0.3, rng=rng).toarray()
    dense[0, 0] = dense[3, 8] = 1.5
    X = sparse.csr_array(dense)
    y = np.arange(50) % 2
    dump_svmlight_file(X, y, str(tmp_path / "t.svm"), zero_based=zero_based)
    blocks = open_blocks(tmp_path / "t.svm")
    assert blocks.shape == X.shape
    assert blocks.count == 8
    np.testing.assert_allclose(
        sparse.vstack([b.X for b in blocks]).toarray(), X.toarray(), rtol=1e-14
    )
    np.testing.assert_array_equal(np.concatenate([b.y for b in blocks]), y)


def test_what_is_no_svmlight_is_refused(tmp_path):
    (tmp_path / "t.svm").write_text("1 1:2\nnothing of the kind\n")
    with pytest.raises(ValueError, match="cannot be read as svmlight"):
        list(SvmlightBlocks(tmp_path / "t.svm"))
