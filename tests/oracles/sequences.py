"""Sequences of all kinds, for the tests of their kernels."""

from hypothesis import strategies as st

TEXTS = st.lists(
    st.text("abé😀", max_size=6), min_size=1, max_size=5
)  # short: many have much in common
SYMBOLS = st.sampled_from([0, 1, "ab", None, (1, "x"), 2.5])
LISTS = st.lists(st.lists(SYMBOLS, max_size=6), min_size=1, max_size=5)
COLLECTIONS = TEXTS | LISTS | TEXTS.map(lambda texts: [tuple(text) for text in texts])
