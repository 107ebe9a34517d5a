"""The subtree kernel against its definition, in exact arithmetic."""

from fractions import Fraction

import pytest
from hypothesis import given, settings

from certo.kernels import Subtree
from tests.oracles.trees import collections, decays, exactly, worst


def subtree_delta(n, m, decay):
    same = n.children and str(n) == str(m)
    return decay ** sum(1 for node in n.nodes() if node.children) if same else Fraction(0)


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
