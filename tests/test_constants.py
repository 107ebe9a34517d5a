"""One meaning, one definition: a constant that several files define has the same value in all."""

from __future__ import annotations

import ast
import re
from collections import defaultdict

import pytest

from tests.test_layout import SOURCE, source_modules

CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")


def constants(text: str) -> dict[str, str]:
    """The module-level names in capitals that a source defines, with the text of their values."""
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign):
            # `A["key"] = 1` changes A and defines nothing.
            named = [target for target in node.targets if not isinstance(target, ast.Subscript)]
            targets = [name for target in named for name in ast.walk(target)]
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets = [node.target]
        else:
            continue
        for target in targets:
            if isinstance(target, ast.Name) and CONSTANT.fullmatch(target.id):
                found[target.id] = value_of(target.id, node)
    return found


def value_of(name: str, node: ast.Assign | ast.AnnAssign) -> str:
    """The value of one name; of `A, B = 1, 2` that of each."""
    assert node.value is not None
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
        for left, right in zip(target.elts, node.value.elts, strict=False):
            if isinstance(left, ast.Name) and left.id == name:
                return ast.unparse(right)
    return ast.unparse(node.value)


def different_values() -> list[str]:
    """Constants that several files define, with different values."""
    values = defaultdict(set)
    for path in [*source_modules(), *SOURCE.rglob("__init__.py")]:
        for name, value in constants(path.read_text("utf-8")).items():
            values[name].add(value)
    return [name for name, seen in values.items() if len(seen) > 1]


@pytest.mark.slow
def test_a_constant_has_one_value():
    remedy = "give these constants names that say what differs, or import one definition"
    assert not different_values(), remedy


def test_what_counts_as_a_constant():
    text = "A_B, C2 = 1, 2\n_D: int = 3\nlower = 4\nCamel = 5\nE_F = [\n  6]\ndef f():\n  G_H = 7\n"
    assert constants(text) == {"A_B": "1", "C2": "2", "_D": "3", "E_F": "[6]"}
