"""Errors about rows, columns, labels or weights carry them; `words` writes their sentences.

What is still worded where it is raised stands in `tests/allowed/worded_errors.txt`, a function a
line with the number of its errors. The list may only shrink.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from tests import allowed
from tests.test_layout import SOURCE, source_modules

#: Rooms whose task sentences are.
WORDED = {"cli", "lab", "report", "words"}
ABOUT_INPUT = re.compile(
    r"\b(row|column|feature|example|label|class|classe|weight|item|entry|point)s?\b"
    r"|\b[XYKSy]\[|\bshape\b"
)


def worded_errors() -> list[str]:
    """'ROOM/MODULE.py FUNCTION NUMBER': errors that are sentences with values about the input."""
    found: Counter[str] = Counter()
    for path in source_modules():
        name = path.relative_to(SOURCE).as_posix()
        if name.split("/")[0] not in WORDED:
            found.update(f"{name} {one}" for one in _functions(ast.parse(path.read_text()), ""))
    return [f"{place} {number}" for place, number in found.items()]


def _functions(node: ast.AST, where: str) -> Iterator[str]:
    """The function around each of them."""
    for child in ast.iter_child_nodes(node):
        inner = where
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            inner = f"{where}.{child.name}".lstrip(".")
        if isinstance(child, ast.Raise) and _is_worded(child.exc):
            yield where
        yield from _functions(child, inner)


def _is_worded(error: ast.expr | None) -> bool:
    """Whether it is a ValueError or TypeError made of a sentence with values, about the input."""
    if not (isinstance(error, ast.Call) and isinstance(error.func, ast.Name)):
        return False
    if error.func.id not in ("ValueError", "TypeError") or not error.args:
        return False
    parts = list(ast.walk(error.args[0]))
    values = any(isinstance(part, ast.FormattedValue) for part in parts)
    texts = [part.value for part in parts if isinstance(part, ast.Constant)]
    return values and bool(ABOUT_INPUT.search(" ".join(map(str, texts))))


def test_no_more_errors_about_the_input_are_worded_where_they_are_raised():
    allowed.require_listed(
        worded_errors(),
        "worded_errors",
        "give these errors facts (certo.facts) and a sentence in certo.words.refusals",
    )


def test_what_counts_as_a_worded_error():
    def counted(code: str) -> list[str]:
        return list(_functions(ast.parse(code), ""))

    about = "class A:\n def f(self):\n  raise {}"
    assert counted(about.format("ValueError(f'row {i} is bad')")) == ["A.f"]
    assert counted(about.format("TypeError('X has ' + f'{n}' + ' columns')")) == ["A.f"]
    assert counted(about.format("ValueError('a row is bad')")) == []
    assert counted(about.format("ValueError(f'C must be positive, got {C}')")) == []
    assert counted(about.format("OneClass('SVM', label)")) == []
