"""The partial-tree kernel against its definition, in exact arithmetic."""

from fractions import Fraction
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from certo.kernels import PartialTree
from tests.oracles.trees import check_pairs, collections


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


@settings(max_examples=50)
@given(collections, collections, st.sampled_from([(1.0, 1.0), (0.4, 0.3), (1e-60, 1e-60)]))
def test_partial_trees_are_as_defined(X, Z, decays):
    mu, lam = map(Fraction, decays)
    check_pairs(PartialTree(*decays), lambda n, m: partial_delta(n, m, mu, lam), X, Z)
