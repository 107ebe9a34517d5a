"""k-grams and their neighbours."""

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.kernels import Kernel, Mismatch, Spectrum


def naive(kernel, x, z):
    def counts(x):
        x = tuple(x)
        found = [x[i : i + kernel.k] for i in range(len(x) - kernel.k + 1)]
        return [
            sum(sum(a != b for a, b in zip(g, gram, strict=True)) <= kernel.m for gram in found)
            for g in product(kernel.alphabet, repeat=kernel.k)
        ]

    return int(np.dot(counts(x), counts(z)))


texts = st.lists(st.text("abcd", max_size=6), min_size=1, max_size=4)


@settings(max_examples=40)
@given(
    X=texts, k=st.integers(1, 3), m=st.integers(0, 3), alphabet=st.sampled_from(["abc", "abcde"])
)
@pytest.mark.filterwarnings("ignore:.*the longest sequence")
def test_agrees_with_its_definition_for_any_symbols(X, k, m, alphabet):
    kernel = Mismatch(k, min(m, k), alphabet)
    expected = [[naive(kernel, x, z) for z in X] for x in X]
    assert np.array_equal(kernel(X), expected)
    assert np.array_equal(kernel.plain(X, X), expected)


def test_pairs_that_differ_in_h_places_have_so_many_neighbours_in_common():
    """Of a and b that differ in h places, a common neighbour c has, at those h places, i symbols of
    a, j of b and others, and r changes at the k − h places where they agree."""
    from math import comb

    k, m, size = 6, 2, 4
    for h in range(k + 1):
        expected = sum(
            comb(h, i)
            * comb(h - i, j)
            * (size - 2) ** (h - i - j)
            * comb(k - h, r)
            * (size - 1) ** r
            for i in range(h + 1)
            for j in range(h + 1 - i)
            for r in range(k - h + 1)
            if h - i + r <= m and h - j + r <= m
        )
        assert Mismatch(k, m, "ACGT")(["A" * k], ["A" * (k - h) + "C" * h]) == expected


def test_without_mismatches_it_is_the_spectrum_of_the_alphabet():
    X = ["gattaca", "tacagat"]
    assert np.array_equal(Mismatch(3, 0)(X), Spectrum(3)(X))
    assert not Mismatch(2, 1, "xy")(X).any()
    assert not Mismatch(2, 1, "")(X).any()


def test_features_have_names():
    kernel = Mismatch(2, 1, ["a", 1])
    matrix, names = kernel.counts(kernel.examples([("a", "a", 1)]).base)
    assert dict(zip(names, matrix.toarray()[0], strict=True)) == {
        "aa": 2, ("a", 1): 2, (1, "a"): 1, (1, 1): 1,
    }  # fmt: skip


def test_the_alphabet_is_a_set_of_symbols():
    assert Mismatch(3, 1, "TGCA") == Mismatch(3, 1, ["A", "C", "C", "G", "T"])
    assert Mismatch(3).fitted_to(["gat", "tac"]) == Mismatch(3, 1, "acgt")
    mixed = Mismatch(3).fitted_to([(2, "b", 1, "aa")])
    assert mixed.alphabet == (1, 2, "aa", "b")
    assert Kernel.from_dict(mixed.to_dict()) == mixed
    assert Mismatch(3).agrees(mixed)
    assert not Mismatch(2).agrees(mixed)
    assert not mixed.agrees(Mismatch(3))
    for strange in (4, b"ACGT", {"a"}, [["a"]], [float("nan"), 1.0]):
        with pytest.raises(ValueError, match="alphabet"):
            Mismatch(2, 1, strange)


def test_an_alphabet_left_open_must_be_that_of_all():
    assert Mismatch(2)(["abab"], ["bbaa"]).shape == (1, 1)
    for call in (Mismatch(2), Mismatch(2).plain):
        with pytest.raises(ValueError, match="only one of them has 'c'"):
            call(["abab"], ["abac"])


def test_an_open_alphabet_is_that_of_the_rows():
    kernel = Mismatch(1, 1)
    known = kernel.examples(["ab", "abc"])
    some, other = known[:1], known[1:]
    assert kernel(some) == kernel(["ab"]) == kernel.fitted_to(some)(some) == 8
    assert kernel.plain(some, some) == kernel.diagonal(some) == kernel._diagonal(some) == 8
    assert kernel.normalised()(some) == pytest.approx(1.0)
    assert kernel.rounding(some, some) == (0.0, 0.0)
    with pytest.raises(ValueError, match="only one of them has 'c'"):
        kernel(some, other)
    strips = kernel(known, progress=lambda done, total: None)
    assert np.array_equal(strips, kernel(known))
    assert np.array_equal(strips, Mismatch(1, 1, "abc")(["ab", "abc"]))


def test_symbols_are_written_and_read():
    X = [[(1, ("x", np.int64(3))), np.int64(2), None], [np.float32(0.5), True, "ab"]]
    kernel = Mismatch(1).fitted_to(X)
    again = Kernel.from_dict(json.loads(json.dumps(kernel.to_dict())))
    assert again == kernel
    assert np.array_equal(again(X), kernel(X))
    for symbol in (frozenset("a"), float("inf"), (1, b"a")):
        with pytest.raises(ValueError, match=f"but one is {type(symbol).__name__}"):
            Mismatch(1, 1, [symbol, "b"]).to_dict()


def test_too_large_ones_are_refused():
    long = "".join(map(chr, range(100, 1100)))
    for kernel in (Mismatch(8, 4), Mismatch(40, 0)):
        with pytest.raises(ValueError, match="too large"):
            kernel([long])
    with pytest.raises(ValueError, match="m must be an integer from 0 to 2"):
        Mismatch(2, 3)
