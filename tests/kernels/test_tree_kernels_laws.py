"""What holds of every kernel of trees."""

import numpy as np
import pytest

from certo.kernels import PartialTree, SubsetTree, Subtree, Tree


@pytest.mark.parametrize("kernel", [SubsetTree(0.4), PartialTree(0.4, 0.2)])
def test_many_trees_in_strips_and_in_halves(kernel, monkeypatch):
    random = np.random.default_rng(0)

    def grown(depth):
        if depth == 0 or random.random() < 0.2:
            return Tree(str(random.choice(list("ab"))))
        children = [grown(depth - 1) for _ in range(random.integers(1, 4))]
        return Tree(str(random.choice(list("AB"))), children)

    X = kernel.examples([grown(5) for _ in range(100)])
    whole = kernel.plain(X, X)
    K = kernel(X)
    np.testing.assert_allclose(K, whole, rtol=1e-12)
    np.testing.assert_allclose(kernel(X[40:90], X[3:]), whole[40:90, 3:], rtol=1e-12)
    monkeypatch.setattr("certo.kernels.node_pairs.STRIP_NODE_PAIRS", 100)
    np.testing.assert_allclose(kernel.plain(X, X), whole, rtol=1e-12)
    squares = kernel.diagonal(list(X))
    np.testing.assert_allclose(squares, np.diag(whole), rtol=1e-12)
    monkeypatch.setattr("certo.kernels.node_pairs.MAX_NODE_PAIRS", 2)
    for of in (kernel, lambda X: kernel.plain(X, X), kernel.diagonal):
        with pytest.raises(ValueError, match="more than 2"):
            of(kernel.examples(list(X)))


def test_deep_trees():
    deep = Tree("b")
    for _ in range(20_000):
        deep = Tree("a", [deep])
    other = Tree.of(("a", "b"))
    assert np.array_equal(Subtree()([deep, other]), [[20_000, 1], [1, 1]])
    assert np.array_equal(SubsetTree()([deep], [other]), [[1]])
    wide = Tree("a", [other] * 1100)
    with pytest.raises(ValueError, match="more pieces in common than float64"):
        SubsetTree()([wide])
    with pytest.raises(ValueError, match="more pieces in common than float64"):
        SubsetTree().diagonal([wide])
    assert SubsetTree(0.4).diagonal([Tree("a", [other] * 1000)]) < 1e300


def test_points_are_read_in_all_their_forms():
    forms = ["(S (NP you))", ("S", ("NP", "you")), Tree("S", [Tree("NP", [Tree("you")])])]
    assert np.all(SubsetTree()(forms) == 3)
    assert np.all(Subtree()(np.array(forms[:1])) == 2)
    assert SubsetTree()([("a",)], ["(a b)"]) == 0
    with pytest.raises(ValueError, match=r"SubsetTree takes trees; item 1: .* position 0"):
        SubsetTree()(["(S (NP you))", "(S (NP you)"])
    with pytest.raises(ValueError, match=r"Subtree takes trees; item 0: .*float"):
        Subtree()([3.5])


@pytest.mark.parametrize("decay", [0, 1.1, -1, float("nan"), "x", None, 1e-61])
def test_decays_that_are_none(decay):
    for kind in (Subtree, SubsetTree):
        with pytest.raises(ValueError, match="decay must be"):
            kind(decay)
    with pytest.raises(ValueError, match="width_decay must be"):
        PartialTree(0.4, decay)
