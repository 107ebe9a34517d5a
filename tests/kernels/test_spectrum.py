"""k-grams, and what is a sequence at all."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from certo import SVM
from certo.features import CountedFeatures
from certo.kernels import Mismatch, Spectrum, Subsequence, WeightedDegree
from certo.kernels.objects import Base
from certo.kernels.sequence import symbols
from tests.oracles.sequences import COLLECTIONS


def naive(kernel, x, z):
    lengths = range(1, kernel.k + 1) if kernel.upto else [kernel.k]

    def grams(x):
        x = tuple(x)
        return Counter(x[i : i + k] for k in lengths for i in range(len(x) - k + 1))

    left, right = grams(x), grams(z)
    return sum(left[gram] * right[gram] for gram in left)


@settings(max_examples=40)
@given(X=COLLECTIONS, k=st.integers(1, 4), upto=st.booleans())
@pytest.mark.filterwarnings("ignore:.*the longest sequence")
def test_agrees_with_its_definition(X, k, upto):
    kernel = Spectrum(k, upto)
    expected = [[naive(kernel, x, z) for z in X] for x in X]
    assert np.array_equal(kernel(X), expected)
    assert np.array_equal(kernel.plain(X, X), expected)
    assert np.array_equal(kernel(X[:2], X[::-1]), np.array(expected)[:2, ::-1])
    assert kernel.rounding(X, X) == (0, 0)


def test_long_grams_of_many_symbols_are_told_apart():
    random = np.random.default_rng(0)
    X = [*random.integers(0, 5000, (3, 60))]
    X += [np.where(random.random(60) < 0.02, 7, x) for x in X]
    for k in (5, 6, 11, 40):
        assert np.array_equal(Spectrum(k)(X), [[naive(Spectrum(k), x, z) for z in X] for x in X])


def test_feature_counts_and_names_agree_with_scikit_learn():
    X = ["to be or not", "not to be", "é\u0301 😀 \ud800", ""]
    rival = CountVectorizer(analyzer="char", ngram_range=(1, 2), lowercase=False)
    expected = rival.fit_transform(X[:2]).toarray()
    counts = Spectrum(2, upto=True).counts(Base("sequences", X))
    columns = {name: column for column, name in enumerate(counts.keys)}
    assert len(columns) == counts.matrix.shape[1]
    for name, column in rival.vocabulary_.items():
        assert np.array_equal(
            counts.matrix[:2, [columns[name]]].toarray()[:, 0], expected[:, column]
        )
    words = Spectrum(2).counts(Base("sequences", [("to", "be", "or"), (1, "a", "b")]))
    assert set(words.keys) == {("to", "be"), ("be", "or"), (1, "a"), "ab"}
    assert words.keys[1:3] == list(words.keys)[1:3]


def test_a_string_is_the_sequence_of_its_characters():
    X = ["abc", "bca😀"]
    for same in (
        [tuple(x) for x in X],
        ["abc", list("bca😀")],
        np.array(X),
        pd.Series(X),
        [np.array(list(x)) for x in X],
    ):
        assert np.array_equal(Spectrum(2)(same), Spectrum(2)(X))
        assert np.array_equal(Spectrum(2)(same, X), Spectrum(2)(X))
    assert np.array_equal(Spectrum(1)(np.array([[1, 2], [2, 2]])), [[2, 2], [2, 4]])


def test_a_k_beyond_all_sequences_is_told():
    with pytest.warns(UserWarning, match=r"k=5.*the longest sequence has 3: all values are 0"):
        assert not Spectrum(5)(["abc", "ab"]).any()
    with pytest.warns(UserWarning, match="the longest sequence has 0"):
        assert not Spectrum(2, upto=True)([""]).any()
    for kernel in (Spectrum(5), Mismatch(5, 1, "ab"), Mismatch(5), Subsequence(5)):
        with pytest.warns(UserWarning, match="is 0 on all examples, so SVM can tell none") as told:
            SVM(kernel).fit(["ab", "a"], [0, 1]).predict(["b"])
        with pytest.warns(UserWarning, match="the longest sequence has 1") as calls:
            kernel(["a"] * 1500, progress=lambda done, total: None)
        assert len(told) == len(calls) == 1
    with pytest.warns(UserWarning, match="finds no feature in any of the examples"):
        CountedFeatures(Spectrum(3)).fit(["a", "b"])
    strips = Spectrum(3)(["abcdef"] + ["a"] * 1500, progress=lambda done, total: None)
    assert strips[0, 0] == strips.sum() == 4  # some strips are short; all of them are not
    assert Subsequence(5, upto=True)(["a"]) == 0.25
    assert Spectrum(5)(["abc"], ["abcde"]).shape == (1, 1)
    assert Spectrum(5)([], ["a"]).shape == (0, 1)
    assert symbols(Base("sequences", [])).codes.size == 0


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([*"abc", 5], "item 3 is int 5"),
        (["ab", None], "item 1 is NoneType None. Remove what is missing"),
        (["ab", np.nan], "item 1 is float nan. Remove what is missing"),
        (["ab", pd.NA], "item 1 is NAType <NA>. Remove what is missing"),
        ([["ab"], [pd.NA, 1]], "item 1 holds NAType <NA>. Remove what is missing"),
        ([{"a": 1}], "item 0 is dict"),
        ([{1, 2}], "item 0 is set"),
        ([b"ab"], "item 0 is bytes b'ab'. Decode it"),
        ([np.eye(2)], "item 0 is ndarray"),
        ([["a"], [["b"]]], r"must be hashable .* item 1 holds list \['b'\]"),
        ([[1.0, np.nan]], "equal to themselves"),
        (["abc", (1, 2)], "one kind, but str 'abc' .* item 1 holds int 1"),
        (["abc", ("the", "cat")], "one kind, .* holds str 'the'"),
        ("abc", "Put a single point in a list"),
    ],
)
def test_invalid_sequences_are_refused(X, words):
    for kernel in (Spectrum(2), WeightedDegree(2)):
        with pytest.raises(ValueError, match=words):
            kernel(X)


def test_points_and_centres_are_of_one_kind():
    with pytest.raises(ValueError, match="one kind"):
        Spectrum(2)(["abc"], [(1, 2)])
    assert Spectrum(1)(["", "a"], [("a",)]).tolist() == [[0], [1]]


@pytest.mark.parametrize("k", [0, -1, 2.0, "3", True, None])
def test_k_is_a_whole_number(k):
    with pytest.raises(ValueError, match="k must be an integer from 1"):
        Spectrum(k)
    with pytest.raises(ValueError, match="upto must be True or False"):
        Spectrum(2, upto=1)
