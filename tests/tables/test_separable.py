"""Whether hyperplanes separate the classes of a table: about its own numbers where that can be."""

from __future__ import annotations

import pyarrow as pa
import pytest

from certo.data.problem import Problem
from certo.tables.fit import OF_SCALED
from certo.tables.separable import OF_OWN, separate_table

APART = pa.table({"a": [0.0, 1.0, 5.0, 6.0], "b": [1.0, 0.0, 1.0, 2.0], "y": list("uuvv")})
MIXED = pa.table({"a": [0.0, 1.0, 0.0, 1.0], "b": [0.0, 1.0, 1.0, 0.0], "y": list("uuvv")})


@pytest.mark.parametrize("intercept", ["free", "none"])
@pytest.mark.parametrize("scale", ["none", "standard"])
@pytest.mark.parametrize(("table", "name"), [(APART, "Separable"), (MIXED, "Inseparable")])
def test_the_answer_verifies_on_the_rows_it_is_about(table, name, intercept, scale):
    decided = separate_table(table, "y", intercept=intercept, scale=scale)
    assert decided.verdict.verify(decided.examples.X, decided.examples.y)
    if intercept == "free":
        assert type(decided.verdict).__name__ == name


def test_whose_numbers_the_answer_is_about_is_noted():
    own = separate_table(APART, "y", scale="standard").examples
    assert OF_OWN in own.notes
    assert own.X.max() == 6.0
    scaled = separate_table(APART, "y", intercept="none", scale="standard").examples
    assert OF_SCALED in scaled.notes
    assert not {OF_OWN, OF_SCALED} & set(separate_table(APART, "y").examples.notes)


def test_other_intercepts_are_refused():
    with pytest.raises(Problem, match="intercept must be 'free' or 'none', got 'lifted'"):
        separate_table(APART, "y", intercept="lifted")
