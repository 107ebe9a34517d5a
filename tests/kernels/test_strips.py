"""Gram matrices some rows at a time."""

import numpy as np
import pytest

from certo.kernels import Mismatch, Subsequence


def test_an_open_alphabet_is_that_of_all_examples_in_sums_too():
    kernel = Mismatch(1, 1) + Mismatch(1, 1)
    X = ["abc", "cab", "cba", "ab"]
    assert np.array_equal(kernel(X, progress=lambda done, total: None), kernel(X))


def test_a_gram_matrix_can_be_given_up():
    seen = []
    assert Subsequence(2)(["abc"] * 50, progress=lambda *told: seen.append(told) or True) is None
    assert len(seen) == 1
    with pytest.raises(ValueError, match="progress must be"):
        Subsequence(2)(["abc"], progress=1)
