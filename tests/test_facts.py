"""Errors about rows, columns, labels or weights carry them; `words` writes their sentences.

Only the rooms that a check runs say themselves what is wrong: a claim must be checkable without
`words`, which a check never imports, so that whoever reads the code of a check need not read it.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from inspect import getmembers, isfunction
from types import ModuleType

import pytest

from certo import certificates, kernels
from certo.check_files import module_of, modules_needed
from certo.words import blocks, drawings, empirical_risk, points
from tests.test_layout import SOURCE, source_modules

#: Rooms whose task sentences are.
WORDED = {"cli", "lab", "report", "words"}
ABOUT_INPUT = re.compile(
    r"\b(row|column|feature|example|label|class|classe|weight|item|entry|point)s?\b"
    r"|\b[XYKSy]\[|\bshape\b"
)


def rooms_of_a_check() -> set[str]:
    """The packages and modules of `certo` that the check of some claim may run."""
    every = [f"certo.kernels.{module}" for module in kernels.KERNELS.values()]
    needed = modules_needed("certo.verify", *map(module_of, certificates.KINDS), *every)
    return {module.removeprefix("certo.").split(".")[0] for module in needed}


def worded_errors() -> list[str]:
    """'ROOM/MODULE.py FUNCTION NUMBER': errors that are sentences with values about the input."""
    found: Counter[str] = Counter()
    exempt = WORDED | rooms_of_a_check()
    for path in source_modules():
        name = path.relative_to(SOURCE).as_posix()
        if name.split("/")[0].removesuffix(".py") not in exempt:
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


@pytest.mark.slow
def test_no_error_about_the_input_is_worded_where_it_is_raised():
    """Give it facts (`certo.facts.InputError`) and a sentence in `certo.words`."""
    assert worded_errors() == []


def test_a_check_runs_without_sentences():
    rooms = rooms_of_a_check()
    assert not rooms & {"estimators", "features", "geometry", "guarantees", "solvers", "words"}


@pytest.mark.parametrize("topic", [blocks, drawings, empirical_risk, points])
def test_every_sentence_is_said_by_some_error(topic):
    name = topic.__name__.rpartition(".")[2]
    users = (path.read_text("utf-8") for path in source_modules())
    said = "".join(code for code in users if f"import {name} as sentences" in code)
    assert [one for one in public_functions(topic) if f"sentences.{one}," not in said] == []


def public_functions(module: ModuleType) -> list[str]:
    return [
        name
        for name, one in getmembers(module, isfunction)
        if one.__module__ == module.__name__ and not name.startswith("_")
    ]


def test_what_counts_as_a_worded_error():
    def counted(code: str) -> list[str]:
        return list(_functions(ast.parse(code), ""))

    about = "class A:\n def f(self):\n  raise {}"
    assert counted(about.format("ValueError(f'row {i} is bad')")) == ["A.f"]
    assert counted(about.format("TypeError('X has ' + f'{n}' + ' columns')")) == ["A.f"]
    assert counted(about.format("ValueError('a row is bad')")) == []
    assert counted(about.format("ValueError(f'C must be positive, got {C}')")) == []
    assert counted(about.format("OneClass('SVM', label)")) == []
