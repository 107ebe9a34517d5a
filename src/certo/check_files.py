"""Which files the check of a claim needs: what there is to read for an auditor, in reading order.

    python -m certo.check_files [KIND ...]

For each kind of certificate (all of them, if none is named) this lists every module of Certo that
the module of the kind imports, directly or through others, inside functions too, each after those
that it imports; and how many lines of code each has, without comments, docstrings and blank lines.
What a claim names itself, such as its space, its kernel or its rule, comes on top of that.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from functools import cache
from pathlib import Path

from certo import certificates
from certo.exit_code import exit_code_of

HOME = Path(__file__).parent
NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENDMARKER,
}  # fmt: skip


@cache
def file_of(module: str) -> Path | None:
    """The file of a module of Certo; None for any other name."""
    first, *parts = module.split(".")
    path = HOME.joinpath(*parts)
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return file if first == "certo" and file.is_file() else None


@cache
def code_lines(file: Path) -> int:
    """Lines other than comments, docstrings and blanks."""
    text = file.read_text(encoding="utf-8")
    documented: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        kinds = ast.Module | ast.ClassDef | ast.FunctionDef
        if isinstance(node, kinds) and ast.get_docstring(node):
            documented.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    used: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            used.update(range(token.start[0], token.end[0] + 1))
    return len(used - documented)


@cache
def imports_of(module: str) -> tuple[str, ...]:
    """The modules of Certo that a module imports, inside functions too, and the packages it is in;
    not those that only a type checker imports."""
    found = [module.rpartition(".")[0]]

    def look(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                continue
            if isinstance(child, ast.Import):
                found.extend(alias.name for alias in child.names)
            if isinstance(child, ast.ImportFrom) and child.module:
                found.append(child.module)
                found.extend(f"{child.module}.{alias.name}" for alias in child.names)
            look(child)

    file = file_of(module)
    look(ast.parse(file.read_text(encoding="utf-8")) if file else ast.Module([], []))
    return tuple(name for name in dict.fromkeys(found) if file_of(name))


def modules_needed(*modules: str) -> list[str]:
    """These modules and all that they import, each after those that it imports (where modules
    import each other, after those of them that were met later)."""
    order: list[str] = []
    seen: set[str] = set()

    def visit(module: str) -> None:
        if module not in seen:
            seen.add(module)
            for name in imports_of(module):
                visit(name)
            order.append(module)

    for module in modules:
        visit(module)
    return order


def lines_of(modules: list[str]) -> int:
    return sum(code_lines(file) for file in map(file_of, modules) if file)


def module_of(kind: str) -> str:
    return f"certo.certificates.{certificates.KINDS[kind]}"


def main(kinds: list[str]) -> int:
    if unknown := [kind for kind in kinds if kind not in certificates.KINDS]:
        print(f"error: {unknown[0]} is none of {', '.join(certificates.KINDS)}.", file=sys.stderr)
        return 2
    for kind in kinds or certificates.KINDS:
        needed = modules_needed(module_of(kind))
        print(f"{kind}: {lines_of(needed):,} lines of code")
        for file in filter(None, map(file_of, needed)):
            if lines := code_lines(file):
                print(f"{lines:6d}  {file.relative_to(HOME.parent).as_posix()}")
    return 0


if __name__ == "__main__":
    sys.exit(exit_code_of(lambda: main(sys.argv[1:])))
