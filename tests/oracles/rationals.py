"""Linear algebra in rational arithmetic, and small numbers to try it on."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st


def exact(value):
    if isinstance(value, str):
        above, below = value.split("/")
        return Fraction(int(above, 16), int(below, 16))
    return Fraction(value)


def rank(rows):
    rows, found = [list(row) for row in rows], 0
    for k in range(len(rows[0]) if rows else 0):
        at = next((i for i in range(found, len(rows)) if rows[i][k]), None)
        if at is None:
            continue
        rows[found], rows[at] = rows[at], rows[found]
        for i in range(found + 1, len(rows)):
            factor = rows[i][k] / rows[found][k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[found], strict=True)]
        found += 1
    return found


def dot(a, b):
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))


#: What an attacker adds to a number of a claim.
CHANGES = st.sampled_from([-2, -1, 1, 2, 0.5, 2.0**-40])


SMALL = st.integers(-2, 2)

ROWS = st.lists(st.lists(SMALL, min_size=4, max_size=4), min_size=1, max_size=7)
