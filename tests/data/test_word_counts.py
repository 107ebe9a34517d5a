"""Texts as counts of words."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from certo.data import word_counts
from certo.data.problem import Problem
from certo.data.word_counts import are_terms, counts, is_prose, vocabulary


def test_words_and_pairs_of_at_least_two_rows():
    cells = np.array(["Win a FREE prize now", "a free prize, free!", "see you now"], dtype=object)
    terms = vocabulary("t", cells)
    assert terms.tolist() == ["free", "free prize", "now", "prize"]
    assert are_terms(terms)
    found = counts(cells, terms).toarray()
    assert found.tolist() == [[1, 1, 1, 1], [2, 1, 0, 1], [0, 0, 1, 0]]
    assert counts(np.array(["none of these"], dtype=object), terms).nnz == 0


def test_the_commonest_terms_are_kept_and_ties_decided_by_the_alphabet(monkeypatch):
    monkeypatch.setattr(word_counts, "MAX_TERMS", 2)
    cells = np.array(["zz yy xx zz"] * 2, dtype=object)
    assert vocabulary("t", cells).tolist() == ["xx", "zz"]


def test_words_of_any_length_do_not_fill_the_memory():
    terms = vocabulary("t", np.array(["a" * 10**6 + " ok"] * 2, dtype=object))
    assert terms.tolist() == ["ok"]


def test_a_text_without_words_in_common_is_refused():
    with pytest.raises(Problem, match="'t' must have words"):
        vocabulary("t", np.array(["one two", "three"], dtype=object))
    with pytest.raises(Problem, match="'t' must have words"):
        vocabulary("t", np.array(["1 2 !", "? ?"], dtype=object))


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([f"this is message {k}" for k in range(30)], True),
        ([f"this is message {k}" for k in range(20)], False),
        ([f"this is message {k % 15}" for k in range(30)], False),
        ([f"John Smith{k}" for k in range(30)], False),
        ([f"id-{k}" for k in range(30)], False),
        ([None] * 5 + [f"das ist größer als {k}" for k in range(30)], True),
        ([None] * 30, False),
    ],
)
def test_what_is_prose(cells, expected):
    assert is_prose(pa.chunked_array([pa.array(cells, pa.string())])) == expected


@pytest.mark.parametrize(
    "terms",
    [
        np.array([], dtype=str), np.array(["bb", "aa"]), np.array(["aa", "aa"]), np.array(["Aa"]),
        np.array(["a"]), np.array(["aa bb cc"]), np.array(["aa  bb"]), np.array([["aa"]]),
        np.array(["aa"], dtype=object), np.array([1, 2]), ["aa"], np.array(["a" * 41]),
    ],
)  # fmt: skip
def test_what_is_no_vocabulary(terms):
    assert not are_terms(terms)
