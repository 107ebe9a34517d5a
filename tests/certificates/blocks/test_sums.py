"""Block sums: exact where they say so, and within γ_depth of the truth for any cut."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from operator import add

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from certo.certificates.blocks.sums import BlockSum, Sums, Top
from certo.numbers import exact
from certo.numbers.rounded import positive_sum


def of(values):
    parts = {
        "sum": np.array([values.sum()]), "count": values.size, "top": Top(values.max()),
        "rounded": positive_sum(np.abs(values)),
    }  # fmt: skip
    return BlockSum(values.size, values.size, parts)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), st.data())
def test_any_cut_gives_the_sum_within_its_allowance(numbers, data):
    values = np.array(numbers)
    ends = data.draw(st.sets(st.integers(1, len(numbers))))
    parts = [part for part in np.split(values, sorted(ends)) if part.size]
    total = reduce(add, map(of, parts))
    truth = sum(map(Fraction, numbers))
    size = sum(map(abs, map(Fraction, numbers)))
    assert (
        abs(Fraction(float(total["sum"][0])) - truth) <= Fraction(exact.gamma(total.depth)) * size
    )
    assert total["count"] == total.rows == len(numbers)
    assert total["top"] == max(numbers)
    assert total["rounded"].below <= size <= total["rounded"].above
    # Whatever the cut, no term passes through more than m + 1 roundings.
    assert total.depth <= len(numbers) + 1


def test_several_sums_are_added_one_by_one():
    one, two = of(np.array([1.0])), of(np.array([2.0]))
    found = Sums([one, two]) + Sums([two, two])
    assert [float(part["sum"][0]) for part in found] == [3.0, 4.0]
