"""What the target of a table asks for: a class, or a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from certo.data import columns
from certo.data.columns import MAX_WHOLE_CLASSES
from certo.data.problem import Problem
from certo.words.reader import setting

Learns = Literal["classes", "numbers"]
#: The machine that is fitted if none is named.
USUAL_MACHINES: dict[str, str] = {"classes": "svm", "numbers": columns.NUMBERS_MACHINE}


class Task(NamedTuple):
    learns: Learns
    values: int | None  # How many different numbers the target holds; None, if it holds text.
    is_whole: bool = True  # Whether all of them are integers.


def task_of(table: Any, target: str, na: Sequence[str] = ()) -> Task:
    """What the target asks for, as its values look: text, and up to 20 different whole numbers, are
    classes. (A target that is not there, or cannot be used, is refused by the fit.)"""
    table = columns.as_table(table)
    if target not in table.column_names:
        return Task("classes", None)
    column = columns.with_missing(table.select([target]), na, ()).column(0)
    if columns.kind_of(column, target, is_target=True) != columns.NUMBER:
        return Task("classes", None)
    if pa.types.is_boolean(column.type) or pa.types.is_null(column.type):
        return Task("classes", None)
    different = pc.unique(column.drop_null())
    is_whole = pa.types.is_integer(column.type) or bool(
        pc.all(pc.equal(different, pc.floor(different)), min_count=0).as_py()
    )
    few = is_whole and len(different) <= MAX_WHOLE_CLASSES
    return Task("classes" if few else "numbers", len(different), is_whole)


def checked_task(asked: str, found: Task) -> Learns:
    """What was asked for by name, or else what was found."""
    if asked == "auto":
        return found.learns
    if asked == "classes":
        return "classes"
    if asked == "numbers":
        return "numbers"
    raise Problem(f"{setting('task')} must be 'classes' or 'numbers', got {asked!r}.")
