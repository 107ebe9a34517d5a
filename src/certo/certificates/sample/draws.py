r"""Whether rows can be independent draws.

Every claim about new examples assumes that the examples are independent draws. No test can show
that they are: rows that are drawn with replacement from thirty rows *are* independent draws, from
a distribution with thirty atoms. What is looked at is what can be seen in the rows themselves: what
repeats (`copies`), test rows that are rows of the fit (`shared_rows`), and the order of labels
(`label_order`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np

from certo.certificates.sample.copies import are_copies, common_divisor, different_examples
from certo.certificates.sample.equal_rows import equal_rows, has_equal_rows, is_table, tables_of

_originals: ContextVar[Any] = ContextVar("originals", default=None)


@contextlib.contextmanager
def images_of(X: Any) -> Iterator[None]:
    """Inside, rows are what a map makes of these examples. Whether values are so fine that equal
    rows are copies is then a question about the examples: products and cosines of coarse numbers
    look fine."""
    token = _originals.set(X)
    try:
        yield
    finally:
        _originals.reset(token)


def why_copied(X: Any, codes: np.ndarray) -> str:
    """How examples repeat as no independent draws do, in a sentence; nothing, if they do not. X
    are examples of any kind whose rows can be compared, codes the classes."""
    if not is_table(X) and len(codes) > 1:
        X = (tables_of(X) or (None,))[0]
    if not is_table(X) or len(codes) < 2:
        return ""
    groups = equal_rows(X)
    if not has_equal_rows(groups):
        return ""
    found = different_examples(groups, codes)
    if found.times.max() == 1:
        return ""
    if times := common_divisor(found.times):
        share = int(np.count_nonzero(found.times % times == 0))
        return (
            f"{share:,} of the {found.times.size:,} different examples occur {times:,} times or a "
            f"multiple of that, as copies do, so they are not independent draws. Remove the copies."
        )
    original = _originals.get()
    written = None if original is None else tables_of(original)
    if written is None or written[0].shape[0] != X.shape[0]:
        written = (X,)
    if are_copies(written, found):
        surplus = found.ids.size - found.times.size
        return (
            f"{surplus:,} of the {found.ids.size:,} examples repeat others in every value, in "
            "columns whose values look too fine for that to happen by chance, so they are taken "
            "for copies, not for independent draws. Remove the copies."
        )
    return ""
