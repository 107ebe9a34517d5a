"""The subset-tree kernel against its definition, in exact arithmetic."""

from fractions import Fraction

from hypothesis import given, settings

from certo.kernels import SubsetTree
from tests.oracles.trees import check_pairs, collections, decays


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


@settings(max_examples=50)
@given(collections, collections, decays)
def test_subset_trees_are_as_defined(X, Z, decay):
    factor = Fraction(decay)
    check_pairs(SubsetTree(decay), lambda n, m: subset_delta(n, m, factor), X, Z)
