"""Texts as counts of words and of pairs of neighbouring words.

A word has 2 to 40 letters or digits; capitals make no difference. Counted are the words and pairs
that occur in at least two of the rows of the fit, and of more than 10,000 those that occur most
often (ties are decided by the alphabet).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from certo.data.problem import Problem
from certo.words.reader import setting

MAX_TERMS = 10_000  # Words and pairs that are counted in a column.
MIN_ROWS_WITH_TERM = 2
MIN_PROSE_WORDS = 3  # Mean number of words in the cells of a text.
MIN_PROSE_LEVELS = 20
_WORD = r"(?u)\b\w{2,40}\b"


def is_prose(column: pa.ChunkedArray) -> bool:
    """Whether a column of text is free text rather than names of categories: there are more than 20
    different cells, more than half as many as rows, and they have 3 words or more on average."""
    cells = column.drop_null()
    if len(cells) <= MIN_PROSE_LEVELS:
        return False
    levels = pc.count_distinct(cells).as_py()
    words = pc.mean(pc.count_substring_regex(cells, r"\pL+")).as_py()
    return bool(levels > MIN_PROSE_LEVELS and 2 * levels > len(cells) and words >= MIN_PROSE_WORDS)


def vocabulary(name: str, cells: np.ndarray) -> np.ndarray:
    """The words and pairs to count, in alphabetical order."""
    counter = _counter(min_df=MIN_ROWS_WITH_TERM)
    try:
        times = np.asarray(counter.fit_transform(cells).sum(axis=0)).ravel()
    except ValueError as wrong:  # No word occurs twice.
        raise Problem(
            f"column {name!r} must have words that occur in at least {MIN_ROWS_WITH_TERM} rows, "
            f"but none does. Leave it out with {setting('drop', [name])}.",
            column=name,
        ) from wrong
    commonest = counter.get_feature_names_out()[np.argsort(-times, kind="stable")[:MAX_TERMS]]
    split = counter.build_analyzer()  # Lower case is not always final in every alphabet.
    return np.array(sorted(term for term in commonest if _is_term(term, split)), dtype=np.str_)


def counts(cells: np.ndarray, terms: np.ndarray) -> sparse.csr_array:
    """How often each of the terms occurs in each cell."""
    return sparse.csr_array(_counter(vocabulary=terms.tolist()).transform(cells))


def are_terms(terms: Any) -> bool:
    """Whether these could be the words and pairs of a vocabulary, in order."""
    if not (isinstance(terms, np.ndarray) and terms.ndim == 1 and terms.dtype.kind == "U"):
        return False
    split = _counter().build_analyzer()
    texts = terms.tolist()
    words = all(_is_term(term, split) for term in texts)
    return 0 < len(texts) <= MAX_TERMS and words and sorted(set(texts)) == texts


def _is_term(text: str, split: Callable[[str], list[str]]) -> bool:
    """Whether a text is one word, or a pair of words, as it is counted."""
    return text.count(" ") <= 1 and split(text)[-1:] == [text]


def _counter(**settings: Any) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(ngram_range=(1, 2), token_pattern=_WORD, dtype=np.float64, **settings)
