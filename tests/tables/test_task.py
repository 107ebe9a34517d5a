"""What a target asks for: a class, or a number."""

from __future__ import annotations

import pyarrow as pa
import pytest

from certo.data.problem import Problem
from certo.tables.task import checked_task, task_of

TABLE = pa.table(
    {
        "text": ["a", "b"] * 20,
        "few": [1, 2] * 20,
        "many": list(range(40)),
        "twenty": list(range(20)) * 2,
        "whole floats": [1.0, 2.0] * 20,
        "fractions": [0.5, 1.0] * 20,
        "truth": [True, False] * 20,
        "marked": ["1.5", "?"] * 20,
        "holes": [1, None] * 20,
    }
)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("text", ("classes", None)),
        ("few", ("classes", 2)),
        ("twenty", ("classes", 20)),
        ("many", ("numbers", 40)),
        ("whole floats", ("classes", 2)),
        ("fractions", ("numbers", 2)),
        ("truth", ("classes", None)),
        ("holes", ("classes", 1)),
        ("not there", ("classes", None)),
    ],
)
def test_text_and_few_whole_numbers_are_classes(target, expected):
    found = task_of(TABLE, target)
    assert found[:2] == expected
    assert found.is_whole == (target != "fractions")
    for asked in ("classes", "numbers"):
        assert checked_task(asked, found) == asked
    assert checked_task("auto", found) == expected[0]


def test_words_for_missing_values_make_no_text_of_numbers():
    assert task_of(TABLE, "marked").learns == "classes"
    assert task_of(TABLE, "marked", ["?"]).learns == "numbers"


def test_other_tasks_are_refused():
    with pytest.raises(Problem, match="task must be 'classes' or 'numbers', got 'both'"):
        checked_task("both", task_of(TABLE, "few"))
