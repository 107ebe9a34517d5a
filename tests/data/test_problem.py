"""A problem says where it is, also when it is told by someone else."""

from __future__ import annotations

import pytest

from certo.data.problem import Problem, problems_of


def test_a_problem_knows_its_column_and_rows():
    wrong = Problem("too long", column="age", rows=(3, 4))
    assert (str(wrong), wrong.column, wrong.rows) == ("too long", "age", [3, 4])
    assert (Problem("no").column, Problem("no").rows) == (None, [])
    assert isinstance(wrong, ValueError)


def test_where_there_are_several_inputs_it_begins_with_its_own():
    with pytest.raises(Problem, match=r"^new\.csv: too long$") as found, problems_of("new.csv"):
        raise Problem("too long", column="age", rows=[3])
    assert (found.value.column, found.value.rows) == ("age", [3])
    with pytest.raises(KeyError), problems_of("new.csv"):
        raise KeyError("other errors are left alone")
