"""Files of trees are read, and what is wrong with one is named by its place."""

import pytest

from certo.kernels import Tree, read_trees


def test_files(tmp_path):
    path = tmp_path / "trees.txt"
    path.write_text("(S (NP you))\n\n( (S (NP ä)\n   (VP know)))\n", encoding="utf-8")
    assert read_trees(path) == [Tree.parse("(S (NP you))"), Tree.parse("(S (NP ä) (VP know))")]
    path.write_text("(S (NP ä))", encoding="utf-8-sig")
    assert read_trees(path) == [Tree.parse("(S (NP ä))")]
    path.write_text("(S (NP ä))", encoding="latin-1")
    with pytest.raises(ValueError, match=f"{path.name}: .* in UTF-8, but byte 7 is 0xe4"):
        read_trees(path)
    path.write_text("(S (NP you))\n(S (NP you)\n(S (NP you))\n")
    with pytest.raises(ValueError, match=f"{path.name}: .* never closed is at line 2, column 1"):
        read_trees(path)
    path.write_text("(S (NP you))\n(S (NP you)))\n")
    with pytest.raises(ValueError, match="at line 2, column 13 is"):
        read_trees(path)
