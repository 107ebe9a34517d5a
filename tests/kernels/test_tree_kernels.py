"""Kernels of trees against their definitions, in exact arithmetic."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.kernels import PartialTree, SubsetTree, Subtree, Tree
from certo.numbers.rounding import gamma

decays = st.sampled_from([1.0, 0.4, 0.1, 1e-60])
few = st.sampled_from("abä")
trees = st.recursive(
    st.builds(Tree, few),
    lambda below: st.builds(Tree, few, st.lists(below, min_size=1, max_size=3)),
    max_leaves=12,
)
collections = st.lists(trees, max_size=4)


def labels(node):
    return [node.label, *(child.label for child in node.children)]


def subset_delta(n, m, decay):
    """Collins and Duffy, word for word."""
    if not n.children or not m.children or labels(n) != labels(m):
        return Fraction(0)
    value = decay
    for a, b in zip(n.children, m.children, strict=True):
        value *= 1 + subset_delta(a, b, decay)
    return value


def subtree_delta(n, m, decay):
    same = n.children and str(n) == str(m)
    return decay ** sum(1 for node in n.nodes() if node.children) if same else Fraction(0)


def partial_delta(n, m, mu, lam):
    """Moschitti, word for word: over all subsequences of the children of each."""
    if n.label != m.label:
        return Fraction(0)
    value = lam**2
    for size in range(1, min(len(n.children), len(m.children)) + 1):
        for own in combinations(range(len(n.children)), size):
            for other in combinations(range(len(m.children)), size):
                left_out = own[-1] - own[0] + other[-1] - other[0] - 2 * (size - 1)
                term = lam**left_out
                for i, j in zip(own, other, strict=True):
                    term *= partial_delta(n.children[i], m.children[j], mu, lam)
                value += term
    return mu * value


def exactly(delta, X, Z):
    return [[sum(delta(n, m) for n in x.nodes() for m in z.nodes()) for z in Z] for x in X]


def worst(values, truth, relative, absolute):
    """The largest |value − truth| beyond what is allowed; at most 0 if none is."""
    return max(
        (
            abs(Fraction(v) - t) - Fraction(relative) * t - Fraction(absolute)
            for row, exact in zip(values.tolist(), truth, strict=True)
            for v, t in zip(row, exact, strict=True)
        ),
        default=0,
    )


def check_pairs(kernel, delta, X, Z):
    """Every block of the kernel is within its rounding of Σ Δ, as `delta` defines it."""
    truth, own = exactly(delta, X, Z), [exactly(delta, [x], [x])[0] for x in X]
    X, Z = kernel.examples(X), kernel.examples(Z)
    relative, absolute = kernel.rounding(X, Z)
    assert relative == kernel.closeness(X, Z) < 1e-12
    assert absolute == 0
    assert worst(kernel.plain(X, Z), truth, relative, 0) <= 0
    assert worst(kernel.diagonal(X)[:, None], own, relative, 0) <= 0
    most = gamma(max([tree.size for tree in [*X, *Z]], default=1) ** 2)  # one sum over all pairs
    assert worst(kernel(X, Z), truth, relative + most, 0) <= 0
    K, plain = kernel(X), kernel.plain(X, X)
    assert np.array_equal(K, K.T)
    assert np.array_equal(K, plain) if kernel.decay == 1 else np.allclose(K, plain, 1e-12, 0)


@settings(max_examples=50)
@given(collections, collections, decays)
def test_subset_trees_are_as_defined(X, Z, decay):
    factor = Fraction(decay)
    check_pairs(SubsetTree(decay), lambda n, m: subset_delta(n, m, factor), X, Z)


@settings(max_examples=50)
@given(collections, collections, st.sampled_from([(1.0, 1.0), (0.4, 0.3), (1e-60, 1e-60)]))
def test_partial_trees_are_as_defined(X, Z, decays):
    mu, lam = map(Fraction, decays)
    check_pairs(PartialTree(*decays), lambda n, m: partial_delta(n, m, mu, lam), X, Z)


@settings(max_examples=60)
@given(collections, collections, decays)
def test_subtrees_are_as_defined(X, Z, decay):
    factor = Fraction(decay)
    kernel, truth = Subtree(decay), exactly(lambda n, m: subtree_delta(n, m, factor), X, Z)
    X, Z = kernel.examples(X), kernel.examples(Z)
    relative, absolute = kernel.rounding(X, Z)
    assert (relative, absolute) == (0 if decay == 1 else pytest.approx(0, abs=1e-12), 0)
    for block in (kernel.plain(X, Z), kernel(X, Z)):
        assert worst(block, truth, relative, 1e-300) <= 0  # what underflows
    features = kernel.counts(X.base)
    assert len(set(features.keys)) == features.matrix.shape[1] == len(features.keys)


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
